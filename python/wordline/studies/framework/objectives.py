# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What a study wants large or small, and the points of which no other is better in everything: the Pareto front."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .measures import COST, NAMES, is_name, measure
from .points import StudyError

_GOALS = {"max": True, "min": False}


@dataclasses.dataclass(frozen=True)
class Objective:
    """`iops max`, `read_p99_9 min`, `gc.copied_share min`; of one workload: `randread: iops max`. Of several workloads
    the worst counts."""

    text: str
    workload: str | None
    name: str
    larger: bool

    @staticmethod
    def parse(text: str, workloads: Sequence[str]) -> "Objective":
        found = re.fullmatch(r"(?:(\S+)\s*:\s*)?([\w.]+)\s+(max|min)", text.strip())
        if not found:
            raise StudyError(f"{text!r}: expected NAME max or NAME min, as iops max, or WORKLOAD: NAME max")
        if found[1] is not None and found[1] not in workloads:
            raise StudyError(f"{text!r}: no workload {found[1]}, only {', '.join(workloads)}")
        name = found[2]
        if not is_name(name):
            raise StudyError(f"{text!r}: no {name}; there are {NAMES}, and every statistic by its dotted name")
        return Objective(" ".join(text.split()), found[1], name, _GOALS[found[3]])

    def value(self, result: Mapping[str, Any], cost: Sequence[int]) -> float | None:
        """The value of one run; null where it has none, as a latency of writes without writes."""
        try:
            found = measure(result, self.name, cost)
        except StudyError as error:
            raise StudyError(f"objective {self.text!r}: {error}") from error
        return None if found is None else found.value

    def known(self, cost: Sequence[int]) -> float | None:
        """The loss, where it is known without a run."""
        if self.name not in COST:
            return None
        value = float(cost[COST.index(self.name)])
        return -value if self.larger else value

    def worst(self, values: Mapping[str, float | None]) -> float | None:
        """The worst of the workloads that the objective is about: less is better in the returned number."""
        taken = [values[self.workload]] if self.workload else list(values.values())
        numbers = [value for value in taken if value is not None]
        if not numbers or (self.workload is None and len(numbers) < len(taken) and self.larger):
            return None
        return max(-value if self.larger else value for value in numbers)


Losses = tuple[float, ...]  # losses of each objective, less is better


def is_better(one: Losses, other: Losses) -> bool:
    """Nowhere worse and somewhere better."""
    return one != other and all(a <= b for a, b in zip(one, other))


def front(points: Mapping[Any, Losses | None]) -> set[Any]:
    """The points that no other is better than. Without a value, a point is not on it."""
    known = {point: losses for point, losses in points.items() if losses is not None}
    return {
        point for point, losses in known.items() if not any(is_better(other, losses) for other in set(known.values()))
    }
