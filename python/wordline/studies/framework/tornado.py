# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""How far each thing that a paper leaves open moves a figure, and where the figure holds: a table, widest first."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Swing:
    """One thing that is open, everything else as in the study: the figure by each value of it, the study's own among
    them. None: not measured."""

    what: str
    found: Mapping[str, float | None]

    def known(self) -> dict[str, float]:
        return {name: value for name, value in self.found.items() if value is not None}

    def width(self) -> float:
        values = self.known().values()
        return max(values) - min(values) if values else 0.0


def tornado(title: str, unit: str, swings: Sequence[Swing], holds: Callable[[float], bool]) -> dict[str, Any]:
    """A table of a study. `holds`: whether the figure is as the paper prints it."""
    rows = []
    for swing in sorted(swings, key=Swing.width, reverse=True):
        known = swing.known()
        if not known:
            rows.append([swing.what, None, None, None])
            continue
        low, high = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
        where = [name for name, value in known.items() if holds(value)]
        holding = "all" if len(where) == len(known) else ", ".join(where) or "none"
        rows.append([swing.what, f"{known[low]:.3g} ({low})", f"{known[high]:.3g} ({high})", holding])
    return {
        "title": f"What moves {title}",
        "text": f"In {unit}, one thing changed at a time, the widest first; the last column has the values with which the "
        "figure is as the paper prints it.",
        "head": ["what is open", "lowest (with)", "highest (with)", "holds with"],
        "rows": rows,
    }
