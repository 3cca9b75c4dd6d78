# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of runs by name, with how sure they are: the 95 % interval that the program gives of its measurement, or over
several seeds Student's t."""

from __future__ import annotations

import dataclasses
import re
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from .points import StudyError
from .samples import half_interval

PERCENTILES = ("p50", "p80", "p90", "p95", "p99", "p99_9", "p99_99")
OF_OPERATION = re.compile(rf"(read|write)_(iops|mean|max|{'|'.join(PERCENTILES)})")
PLAIN = ("iops", "bytes_per_s", "waf", "energy")
COST = ("dies", "channels", "cores")
NAMES = "iops, bytes_per_s, read_iops, read_p99_9 (also mean, max, p50 to p99_99; write_), waf, energy, dies, channels, cores"
FEW = 10  # with fewer samples beyond it, a percentile is one of the slowest requests, not a number of the drive

Result = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Measure:
    """`low`, `high`: the 95 % interval. `known`: whether the program has one of this number; then a null is an end that
    the run was too short for. `few`: a percentile with fewer than ten samples beyond it."""

    value: float
    low: float | None = None
    high: float | None = None
    known: bool = False
    few: bool = False

    @property
    def half(self) -> float | None:
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def is_name(name: str) -> bool:
    """Whether it may be a number of a run: those of NAMES, and every statistic by its dotted name."""
    return name in PLAIN or name in COST or bool(OF_OPERATION.fullmatch(name)) or "." in name


def is_latency(name: str) -> bool:
    found = OF_OPERATION.fullmatch(name)
    return bool(found) and found[2] != "iops"  # type: ignore[index]


def measure(result: Result, name: str, cost: Sequence[int]) -> Measure | None:
    """The measure of one run; null where it has none, as a latency of writes without writes."""
    if name in COST:
        number = cost[COST.index(name)]
        return Measure(number, number, number, True)
    of_operation = OF_OPERATION.fullmatch(name)
    if of_operation:
        return _of_operation(result, of_operation[1], of_operation[2])
    ops = [op for op in result["ios"].values() if op["count"]]
    if name == "iops":
        plain = sum(op["iops"] for op in ops)
        return _with_interval(plain, result.get("steady"), "iops")
    if name == "bytes_per_s":
        return Measure(sum(op["bytes_per_s"] for op in ops))
    if name == "waf":
        # Since power-on the fill of the write buffer is in it.
        steady = (result.get("steady") or {}).get("waf")
        waf = result["flash"]["waf"] if steady is None else steady
        return None if waf is None else Measure(waf)
    if name == "energy":  # energy of the flash, in pJ for each byte that the host moved
        moved = sum(op["bytes"] for op in ops)
        return Measure(result["energy_pj"]["total"] / moved) if moved else None
    return _statistic(result, name)


def _of_operation(result: Result, operation: str, name: str) -> Measure | None:
    op = result["ios"].get(operation)
    if not op or not op["count"]:
        return None
    if name == "iops":
        return _with_interval(op["iops"], op.get("interval"), "iops")
    plain = op["lat_ps"].get(name)
    if plain is None:
        return None
    # The value is that of the other percentiles, so that they stay in order; the ends are of a finer histogram.
    found = _with_interval(plain, op.get("interval"), f"{name}_ps")
    low = None if found.low is None else min(found.low, plain)
    high = None if found.high is None else max(found.high, plain)
    found = Measure(plain, low, high, found.known)
    beyond = (op.get("beyond") or {}).get(name)
    return dataclasses.replace(found, few=beyond is not None and beyond < FEW)


def _with_interval(plain: float, intervals: Any, name: str) -> Measure:
    """The program's number of the part that is steady, where it has one."""
    found = intervals.get(name) if isinstance(intervals, Mapping) else None
    if not isinstance(found, Mapping):
        return Measure(plain)
    value = found.get("value")
    return Measure(plain if value is None else value, found.get("low"), found.get("high"), True)


def _statistic(result: Result, name: str) -> Measure | None:
    found: Any = result
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            raise StudyError(f"no statistic {name}; see: wordline statistics")
        found = found[part]
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise StudyError(f"{name} is not one number")
    return Measure(found)


def over_seeds(samples: Sequence[Measure | None]) -> Measure | None:
    """One point: the mean of its seeds, with the interval of that mean."""
    found = [sample for sample in samples if sample is not None]
    if len(samples) == 1 or not found:
        return samples[0]
    values = [sample.value for sample in found]
    mean = statistics.fmean(values)
    few = any(sample.few for sample in found)
    if len(found) < 2:
        return Measure(mean, few=few)
    half = half_interval(values)
    return Measure(mean, mean - half, mean + half, True, few)


STEADY, BEFORE_GC = "steady", "before_gc"
_CLASSES = ("overload", "too_short", "not_steady", BEFORE_GC, STEADY)  # the worst first


@dataclasses.dataclass(frozen=True)
class Steady:
    """What was measured: the steady drive, or one whose GC has not begun, or neither. Empty: the run does not say."""

    name: str = ""
    reason: str = ""

    @staticmethod
    def of(results: Sequence[Result]) -> "Steady":
        """The worst of the seeds of a point."""
        found = [result.get("steady") for result in results]
        said = [steady for steady in found if isinstance(steady, Mapping) and steady.get("class") in _CLASSES]
        if not said:
            return Steady()
        worst = min(said, key=lambda steady: _CLASSES.index(steady["class"]))
        return Steady(worst["class"], worst.get("reason") or "")

    @property
    def has_rank(self) -> bool:
        return self.name in ("", STEADY, BEFORE_GC)


def in_words(name: str) -> str:
    return {BEFORE_GC: "before GC", "not_steady": "not steady", "too_short": "too short"}.get(name, name)
