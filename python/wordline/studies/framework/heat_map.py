# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The heat map of an exploration, as SVG: written as text, since matplotlib takes longer than the runs of a small study.
The same numbers give the same bytes."""

from __future__ import annotations

import html
import itertools
from collections.abc import Sequence
from pathlib import Path

from .measures import in_words
from .points import write_text
from .rows import OPERATIONS, Row
from .space import Axis

_CELL, _LINE = (148, 84), 15
_LEFT, _TOP, _GAP, _BAR = 24, 64, 36, 90
_COLOURS = (
    "#ffffd9",
    "#edf8b1",
    "#c7e9b4",
    "#7fcdbb",
    "#41b6c4",
    "#1d91c0",
    "#225ea8",
    "#253494",
)  # ColorBrewer YlGnBu
_STYLE = """text{font-family:"DejaVu Sans",Verdana,sans-serif;font-size:11px;fill:#222}
.head{font-size:13px}.value{font-size:14px;font-weight:bold}.small{font-size:10px}.light{fill:#fff}.soft{fill:#777}
.page{fill:#fff}@media(prefers-color-scheme:dark){.page{fill:#161b22}.axis,.head{fill:#ddd}}"""


def short(number: float) -> str:
    """Three digits: 912, 45.6 k, 1.23 M."""
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if number >= unit:
            return f"{number / unit:.3g}{name}" if number < 1000 * unit else f"{number / unit:.0f}{name}"
    return f"{number:.3g}"


def _colour(share: float) -> str:
    """0: light, 1: dark."""
    place = min(max(share, 0.0), 1.0) * (len(_COLOURS) - 1)
    at = min(int(place), len(_COLOURS) - 2)
    parts = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in _COLOURS[at : at + 2]]
    return "#" + "".join(f"{round(a + (b - a) * (place - at)):02x}" for a, b in zip(*parts))


def _text(x: float, y: float, text: str, kind: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _rectangle(x: float, y: float, width: float, height: float, more: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" {more}/>'


def heat_map(rows: Sequence[Row], axes: Sequence[Axis], workload: str, path: Path) -> Path:
    """IOPS as colour; in each cell IOPS with its interval, tails, what limits; a frame around the cheapest point within
    1 % of the best, dashed around those that cannot be told from it. The first axis goes up, the second to the right, and
    each combination of the others is a panel."""
    rows = [row for row in rows if row.workload == workload]
    up, across = axes[0], axes[1] if len(axes) > 1 else None
    columns = across.values if across else ("",)
    panels = list(itertools.product(*(axis.values for axis in axes[2:])))
    left = _LEFT + max(8 * max(map(len, (*up.values, up.key))), 20)
    width = left + len(panels) * (len(columns) * _CELL[0] + _GAP) + _BAR
    height = _TOP + len(up.values) * _CELL[1] + 56
    top = max((row.iops or 0 for row in rows), default=0) or 1
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<style>{_STYLE}</style>",
        _rectangle(0, 0, width, height, 'class="page"'),
        _text(12, 22, f"{workload}: IOPS, p99 / p99.99 of reads and writes, what limits", "head", "start"),
        _text(12, 40, "framed: the cheapest within 1 % of the best; dashed: not distinguishable from the best; "
              "~: of few samples", "axis", "start"),
    ]  # fmt: skip
    found = {tuple(row.values[axis.key] for axis in axes): row for row in rows}
    for number, panel in enumerate(panels):
        begin = left + number * (len(columns) * _CELL[0] + _GAP)
        if panel:
            title = ", ".join(f"{axis.key} = {value}" for axis, value in zip(axes[2:], panel))
            out.append(_text(begin, _TOP - 6, title, "axis", "start"))
        for line, value in enumerate(reversed(up.values)):
            y = _TOP + line * _CELL[1]
            if number == 0:
                out.append(_text(left - 8, y + _CELL[1] / 2 + 4, value, "axis", "end"))
            for column, other in enumerate(columns):
                key = (value, other, *panel) if across else (value,)
                out += _cell(begin + column * _CELL[0], y, found.get(key), top)
        bottom = _TOP + len(up.values) * _CELL[1]
        out += [_text(begin + (i + 0.5) * _CELL[0], bottom + 16, text, "axis") for i, text in enumerate(columns)]
        if across:
            out.append(_text(begin + len(columns) * _CELL[0] / 2, bottom + 36, across.key, "axis"))
    out.append(_text(left - 8, _TOP - 6, up.key, "axis", "end"))
    out += _scale(width - _BAR + 10, top, len(up.values) * _CELL[1])
    write_text(path, "\n".join([*out, "</svg>"]) + "\n")
    return path


def _scale(x: float, top: float, height: float) -> list[str]:
    steps = 24
    out = [_text(x, _TOP - 6, "IOPS", "axis", "start")]
    for step in range(steps):
        y = _TOP + height * (1 - (step + 1) / steps)
        out.append(_rectangle(x, y, 16, height / steps + 0.5, f'fill="{_colour((step + 0.5) / steps)}"'))
    places = [(share, _TOP + height * (1 - share)) for share in (0, 0.5, 1)]
    return out + [_text(x + 22, y + 4, short(share * top) if share else "0", "axis", "start") for share, y in places]


def _cell(x: float, y: float, row: Row | None, top: float) -> list[str]:
    width, height = _CELL
    if row is None:
        return []
    share = (row.iops or 0) / top
    out = [_rectangle(x + 1, y + 1, width - 2, height - 2, f'fill="{"#e8e8e8" if row.error else _colour(share)}"')]
    middle = x + width / 2
    if row.error:
        return [*out, _text(middle, y + height / 2 + 4, "failed", "soft")]
    kind = "light" if share > 0.6 else ""
    half = row.interval.get("iops")
    sure = f" +-{100 * half / row.iops:.1f} %" if half is not None and row.iops else ""
    lines = [(short(row.iops or 0) + sure, "value"), *((text, "small") for text in _tails(row))]
    if row.steady.name not in ("", "steady"):
        lines.append((in_words(row.steady.name), ""))
    lines.append((row.limit_text(), ""))
    first = y + height / 2 - (len(lines) - 1) * _LINE / 2 + 4
    out += [_text(middle, first + i * _LINE, text, f"{size} {kind}".strip()) for i, (text, size) in enumerate(lines)]
    if row.cheapest:
        out.append(_rectangle(x + 3, y + 3, width - 6, height - 6, 'fill="none" stroke="#d62728" stroke-width="3"'))
    elif row.alike or row.best:
        dashed = 'fill="none" stroke="#d62728" stroke-width="1.5" stroke-dasharray="5 4"'
        out.append(_rectangle(x + 4, y + 4, width - 8, height - 8, dashed))
    return out


def _tails(row: Row) -> list[str]:
    """p99 and p99.99 of reads and writes."""
    out = []
    for op in OPERATIONS:
        parts = []
        for tail in ("p99", "p99_99"):
            key = f"{op}_{tail}_ps"
            picoseconds = getattr(row, key)
            if picoseconds is not None:
                parts.append(f"{'~' if key in row.few else ''}{picoseconds / 1e6:,.0f}")
        if parts:
            out.append(f"{op[0]} {' / '.join(parts)} us")
    return out
