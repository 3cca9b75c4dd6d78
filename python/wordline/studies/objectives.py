# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What a study wants large or small, and the points of which no other is better in everything: the Pareto front."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .points import StudyError

_GOALS = {"max": True, "min": False}
_LATENCY = re.compile(r"(read|write)_(mean|max|p50|p80|p90|p95|p99|p99_9|p99_99)")
_COST = ("dies", "channels", "cores")
NAMES = "iops, bytes_per_s, read_p99_9 (also mean, max, p50 to p99_99; write_), waf, energy, dies, channels, cores"


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
        plain = name in ("iops", "bytes_per_s", "waf", "energy", *_COST) or _LATENCY.fullmatch(name)
        if not plain and "." not in name:
            raise StudyError(f"{text!r}: no {name}; there are {NAMES}, and every statistic by its dotted name")
        return Objective(" ".join(text.split()), found[1], name, _GOALS[found[3]])

    def value(self, result: Mapping[str, Any], cost: Sequence[int]) -> float | None:
        """Of one run; null where it has none, as a latency of writes without writes."""
        if self.name in _COST:
            return cost[_COST.index(self.name)]
        ops = [op for op in result["ios"].values() if op["count"]]
        if self.name in ("iops", "bytes_per_s"):
            return sum(op[self.name] for op in ops)
        latency = _LATENCY.fullmatch(self.name)
        if latency:
            op = result["ios"][latency[1]]
            return op["lat_ps"][latency[2]] if op["count"] else None
        if self.name == "waf":
            return result["flash"]["waf"]
        if self.name == "energy":  # of the flash, in pJ for each byte that the host moved
            moved = sum(op["bytes"] for op in ops)
            return result["energy_pj"]["total"] / moved if moved else None
        return self._statistic(result)

    def _statistic(self, result: Mapping[str, Any]) -> float | None:
        found: Any = result
        for part in self.name.split("."):
            if not isinstance(found, Mapping) or part not in found:
                raise StudyError(f"objective {self.text!r}: no statistic {self.name}; see: wordline statistics")
            found = found[part]
        if found is not None and (isinstance(found, bool) or not isinstance(found, (int, float))):
            raise StudyError(f"objective {self.text!r}: {self.name} is not one number")
        return found

    def known(self, cost: Sequence[int]) -> float | None:
        """The loss, where it is known without a run."""
        if self.name not in _COST:
            return None
        value = float(cost[_COST.index(self.name)])
        return -value if self.larger else value

    def worst(self, values: Mapping[str, float | None]) -> float | None:
        """Of the workloads that it is about: less is better in what this returns."""
        taken = [values[self.workload]] if self.workload else list(values.values())
        numbers = [value for value in taken if value is not None]
        if not numbers or (self.workload is None and len(numbers) < len(taken) and self.larger):
            return None
        return max(-value if self.larger else value for value in numbers)


Losses = tuple[float, ...]  # of each objective, less is better


def is_better(one: Losses, other: Losses) -> bool:
    """Nowhere worse and somewhere better."""
    return one != other and all(a <= b for a, b in zip(one, other))


def front(points: Mapping[Any, Losses | None]) -> set[Any]:
    """The points that no other is better than. Without a value, a point is not on it."""
    known = {point: losses for point, losses in points.items() if losses is not None}
    return {
        point for point, losses in known.items() if not any(is_better(other, losses) for other in set(known.values()))
    }
