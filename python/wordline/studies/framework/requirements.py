# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What a drive must do, such as `read_iops >= 1e6` and `read_p99_99 <= 1ms`, and which is the cheapest point that does."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .measures import BEFORE_GC, COST, NAMES, Measure, Steady, in_words, is_latency, is_name
from .points import StudyError

UNSETTLED = 0.3  # by which a point that is not steady must miss what is required to fail
MET, OPEN, FAILED = "met", "not decided", "failed"
_FORM = re.compile(r"(?:(\S+)\s*:\s*)?([\w.]+)\s*(>=|<=)\s*(\S.*)")
_NUMBER = re.compile(r"([-+]?(?:\d[\d_,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z/]*)")
_TIMES = {"ps": 1.0, "ns": 1e3, "us": 1e6, "ms": 1e9, "s": 1e12}
_COUNTS = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
_RATES = {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "KiB/s": 2.0**10, "MiB/s": 2.0**20, "GiB/s": 2.0**30}


@dataclasses.dataclass(frozen=True)
class Requirement:
    """`limit` in the unit of the statistic. Without `workload` it holds for every workload that has such a number."""

    text: str
    workload: str | None
    name: str
    at_least: bool
    limit: float

    @staticmethod
    def parse(text: str, workloads: Sequence[str]) -> "Requirement":
        found = _FORM.fullmatch(text.strip())
        if not found:
            raise StudyError(
                f"{text!r}: expected NAME >= NUMBER or NAME <= NUMBER, as read_iops >= 1e6 or WORKLOAD: read_p99 <= 1ms"
            )
        workload, name, sign, number = found.groups()
        if workload is not None and workload not in workloads:
            raise StudyError(f"{text!r}: no workload {workload}, only {', '.join(workloads)}")
        if not is_name(name):
            raise StudyError(f"{text!r}: no {name}; there are {NAMES}, and every statistic by its dotted name")
        return Requirement(" ".join(text.split()), workload, name, sign == ">=", _limit(text, name, number))

    def margin(self, value: float) -> float:
        """Share of the limit that is left; negative: it is missed by so much."""
        distance = value - self.limit if self.at_least else self.limit - value
        return distance / abs(self.limit) if self.limit else (0.0 if distance == 0 else float("inf") * distance)

    def state(self, measure: Measure, steady: Steady) -> str:
        """Decided by the whole interval; of a number that has none, by the number."""
        if self.name in COST:
            return MET if self.margin(measure.value) >= 0 else FAILED
        if steady.name == "overload":  # the queue grows as long as the run lasts, so latencies mean nothing
            return FAILED
        near, far = (measure.low, measure.high) if self.at_least else (measure.high, measure.low)
        if not measure.known:
            near = far = measure.value
        # What a drive does that is not steady is not what it will do: rates of a begin were seen 20 % off.
        slack = 0 if steady.has_rank else UNSETTLED
        if far is not None and self.margin(far) < -slack:
            return FAILED
        settled = steady.has_rank and steady.name != BEFORE_GC
        return MET if near is not None and self.margin(near) >= 0 and settled else OPEN

    def shown(self, value: float) -> str:
        """A value in the unit of a reader."""
        if is_latency(self.name):
            unit = next((unit for unit in ("s", "ms", "us") if abs(value) >= _TIMES[unit]), "ns")
            return f"{value / _TIMES[unit]:.4g} {unit}"
        if self.name == "bytes_per_s":
            return f"{value / 1e6:,.1f} MB/s"
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.4g}"

    def sentence(self, judged: "Judged") -> str:
        """`meets read_iops >= 1,000,000: 1,084,000 (1,071,000 to 1,097,000), margin +8 %`."""
        word = {MET: "meets", OPEN: "not decided", FAILED: "fails"}[judged.state]
        sign = ">=" if self.at_least else "<="
        where = f"{self.workload}: " if self.workload else ""
        text = f"{word} {where}{self.name} {sign} {self.shown(self.limit)}: {self.shown(judged.measure.value)}"
        if self.name not in COST:
            ends = [None if end is None else self.shown(end) for end in (judged.measure.low, judged.measure.high)]
            if judged.measure.known:
                text += f" ({ends[0] or 'not known'} to {ends[1] or 'not known'})"
            else:
                text += " (interval not known)"
            if judged.measure.few:
                text += ", of fewer than 10 samples beyond it"
        if judged.state == FAILED and judged.steady.name == "overload":
            return f"{text}; overload: {judged.steady.reason or 'requests come faster than they are served'}"
        if judged.state == OPEN and judged.steady.name not in ("", "steady"):
            return f"{text}; {in_words(judged.steady.name)}: {judged.steady.reason or 'the rate may still change'}"
        return f"{text}, margin {100 * self.margin(judged.measure.value):+.0f} %"


@dataclasses.dataclass(frozen=True)
class Judged:
    """A requirement held against one workload of a point."""

    requirement: Requirement
    workload: str
    measure: Measure
    steady: Steady
    state: str

    @property
    def sentence(self) -> str:
        return self.requirement.sentence(self)

    def to_json(self) -> dict[str, Any]:
        return {
            "requirement": self.requirement.text,
            "workload": self.workload,
            "state": self.state,
            "margin": self.requirement.margin(self.measure.value),
            **self.measure.to_json(),
            "sentence": self.sentence,
        }


def _limit(text: str, name: str, number: str) -> float:
    found = _NUMBER.fullmatch(number.strip())
    units: Mapping[str, float] = _COUNTS
    expected = "a number, as 1e6, 800k or 1M"
    if is_latency(name):
        units, expected = _TIMES, "a time with its unit, as 1ms or 800us"
    elif name == "bytes_per_s":
        units, expected = {**_RATES, "": 1.0}, "bytes a second, as 3.2GB/s"
    if not found or found[2] not in units:
        raise StudyError(f"{text!r}: {number} is no limit of {name}, expected {expected}")
    return float(re.sub("[_,]", "", found[1])) * units[found[2]]


def parsed(texts: Sequence[str], workloads: Sequence[str]) -> tuple[Requirement, ...]:
    """Each text may have several, with commas between."""
    parts = [part for text in texts for part in re.split(r",\s*(?=[A-Za-z])", text) if part.strip()]
    return tuple(Requirement.parse(part, workloads) for part in parts)


Values = tuple[str, ...]  # values of the axes at a point


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A point, all workloads of it judged."""

    values: dict[str, str]
    cost: tuple[int, ...]
    judged: tuple[Judged, ...]

    @property
    def state(self) -> str:
        states = {judged.state for judged in self.judged}
        return FAILED if FAILED in states else OPEN if OPEN in states else MET

    @property
    def margin(self) -> float:
        """The margin of the requirement that the point misses by most, or meets most narrowly."""
        return min(judged.requirement.margin(judged.measure.value) for judged in self.judged)

    def name(self) -> str:
        return ", ".join(f"{key}={value}" for key, value in self.values.items())


@dataclasses.dataclass(frozen=True)
class Answer:
    """`state`: whether a point meets everything. `chosen`: the cheapest that does; else the one to look at. `cheaper`:
    points that cost less than the chosen and may meet it, too."""

    state: str
    chosen: Candidate | None
    cheaper: tuple[Candidate, ...]
    met: int
    open: int
    failed: int
    ruled_out: int
    dearer: int = 0

    EXIT_CODES = {MET: 0, FAILED: 3, OPEN: 4}

    @property
    def exit_code(self) -> int:
        return self.EXIT_CODES[self.state]

    def text(self) -> str:
        counted = f"{self.met} meet it, {self.open} are not decided, {self.failed} fail"
        counted += f", {self.ruled_out} were ruled out before a run" * bool(self.ruled_out)
        counted += f", {self.dearer} cost more and were not run" * bool(self.dearer)
        if self.chosen is None:
            return f"Requirement: none meets it: {counted}."
        dies, channels, cores = self.chosen.cost
        where = f"{self.chosen.name()} ({dies} dies on {channels} channels, {cores} cores)"
        heads = {
            MET: f"the cheapest that meets it is {where}",
            OPEN: f"not decided. The cheapest that may meet it is {where}",
            FAILED: f"none meets it. The nearest is {where}",
        }
        lines = [f"Requirement: {heads[self.state]}; of the points, {counted}."]
        lines += [f"  {judged.sentence}" for judged in self.chosen.judged]
        if self.cheaper:
            names = "; ".join(candidate.name() for candidate in self.cheaper[:3])
            more = f" and {len(self.cheaper) - 3} more" * (len(self.cheaper) > 3)
            lines.append(f"  cheaper, and not decided: {names}{more}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "values": self.chosen.values if self.chosen else None,
            "judged": [judged.to_json() for judged in self.chosen.judged] if self.chosen else [],
            "cheaper_not_decided": [candidate.values for candidate in self.cheaper],
            "points": {
                "met": self.met,
                "not_decided": self.open,
                "failed": self.failed,
                "ruled_out": self.ruled_out,
                "dearer": self.dearer,
            },
            "text": self.text(),
        }


def answer(candidates: Sequence[Candidate], ruled_out: int = 0, dearer: int = 0) -> Answer:
    groups = {state: [c for c in candidates if c.state == state] for state in (MET, OPEN, FAILED)}
    counts = (len(groups[MET]), len(groups[OPEN]), len(groups[FAILED]), ruled_out, dearer)
    for state in (MET, OPEN):
        if groups[state]:
            chosen = min(groups[state], key=lambda c: (c.cost, -c.margin))
            cheaper = [c for c in groups[OPEN] if c.cost < chosen.cost] if state == MET else []
            return Answer(state, chosen, tuple(sorted(cheaper, key=lambda c: c.cost)), *counts)
    nearest = max(groups[FAILED], key=lambda c: (c.margin, [-part for part in c.cost]), default=None)
    return Answer(FAILED, nearest, (), *counts)
