# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Shim, "Exploiting Process Similarity of 3D Flash Memory for High Performance SSDs", Seoul National University 2020:
word lines of an h-layer are alike, so what the first one measures serves the others, as firmware on the whole drive.

Parts of the study, as the label `part` of a point:
  stages       the largest gains: writes in a calm time, which WAM gives to leaders, then as many as the drive takes; the
               drive as it is, and with what the thesis assumes of it
  states       the same on a drive that holds something else when the requests begin
  overlap      the same where a die takes the next unit while it programs (CACHE PROGRAM)
  beyond       the same burst on a steady drive, where GC's own writes leave followers
  main         figure 23: application, FTL, state of ageing; retries drawn as in the thesis, or by the cells
  writes       every FTL on OLTP and on random writes, on a drive that collects nothing and on one that always does
  bursts       figure 24: writes in bursts of several lengths over a calm stream
  percentiles  the same with more lengths, for what percentiles of writes hang on
  latency      Rocks with bursts of several lengths
  retries      figure 20: reads at random, by what the table of references speaks of
  cost         what parameters and reports of a program take
  sensitivity  what the thesis leaves open, one at a time
  price        what the policy costs on a drive whose cores can be the limit
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .cube_answers import APPLICATIONS, ASSUMPTIONS, STATES, Answers
from . import price
from ..framework.jobs import Profiles, fio, jobs
from ..framework.points import Point, Workload
from ..framework.study import CPUS, Answer, Results, StudyFile, ask

ORT = {"ecc.ort": "first", "ecc.ort_scope": "block"}
FTLS: dict[str, dict[str, Any]] = {
    "page": {"ftl.policy": "page_greedy", "ecc.ort": "off"},
    "vert": {"ftl.policy": "vert", "ecc.ort": "off"},
    "cube-": {"ftl.policy": "cube", "ftl.cube.allocation": "horizontal", **ORT},
    "cube": {"ftl.policy": "cube", **ORT},
    "leaders": {"ftl.policy": "cube", "ftl.cube.gc_uses": "leaders", **ORT},
}
COMPARED = tuple(FTLS)
FTLS["stock"] = {"ftl.policy": "cube", "ftl.cube.gc_uses": "stock", **ORT}
STEADY_BURST = ("page", "vert", "cube-", "cube", "leaders", "stock")
# Programs as leaders all, with reports: to tell what these take from what parameters take.
FTLS["reports"] = {"ftl.policy": "cube", "ftl.cube.allocation": "horizontal", "ftl.cube.programs": "default", **ORT}
WRITES = {"rw": "randwrite", "bs": "16k", "norandommap": True}
CALM = ("calm", {**WRITES, "iodepth": 32, "rate_iops": 1500, "number_ios": 2300})
BURST = ("burst", {**WRITES, "iodepth": 32, "number_ios": 6800})
STAGES = {"calm first": jobs("stages", [CALM, BURST]), "burst alone": jobs("burst", [BURST])}
BY_DEMAND = ("ftl.cube.demand_threshold", "ftl.cube.active_blocks")  # no effect on cubeFTL-
DRAWN: dict[str, dict[str, Any]] = {
    "fresh": {},
    "1m": {"nand.faults.moved_references": 0.3},
    "1y": {"nand.faults.moved_references": 0.9},
}
PHYSICAL: dict[str, dict[str, Any]] = {
    "1m": {"nand.aging.pe_cycles": 2000, "nand.aging.retention_days": 30.0},
    "1y": {"nand.aging.pe_cycles": 2000, "nand.aging.retention_days": 365.0},
    "2y": {"nand.aging.pe_cycles": 2000, "nand.aging.retention_days": 730.0},
}
MODES = {"drawn": DRAWN, "physical": PHYSICAL}
TABLES: dict[str, dict[str, Any]] = {
    "off": {"ecc.ort": "off"},
    "die": {"ecc.ort": "first", "ecc.ort_scope": "die"},
    "block": ORT,
}

# What the thesis takes for granted: every layer has the margin of its example, and pages reach the die in no time.
MARGIN = {"ftl.cube.most_ber_ep1": 100.0}
FAST_BUS = {"channels.rate": "4800MT/s"}
ASSUMED: dict[str, dict[str, Any]] = {"drive": {}, "margin": MARGIN, "bus": FAST_BUS, "thesis": {**MARGIN, **FAST_BUS}}
assert set(ASSUMED) == set(ASSUMPTIONS)

BY_WORD_LINE = {
    "nand.program": "wordline",
    "nand.program_order": "mixed",
    "nand.timing.t_prog": "[2100us]",  # of the three pages together
    "ftl.over_provisioning": 0.15,
}
PRICED = {name: ({**BY_WORD_LINE, **FTLS[name]}, price.LOOKED_UP) for name in ("page", "vert", "cube")}


class Study:
    """The points of the study, and what their results say to each figure."""

    def __init__(self, study: StudyFile, profiles: Profiles):
        self.study, self.profiles = study, profiles
        chosen = study.parameters
        self.blocks: int = chosen["blocks"]
        self.requests: dict[str, int] = {"native": chosen["requests"], "iss": chosen["iss_requests"]}
        self.aged: int = chosen["aged_requests"]
        self.write_requests: int = chosen["write_requests"]
        self.steady_writes: int = chosen["steady_writes"]
        self.saturated: dict[str, Any] = chosen["saturated_steady"]
        self.fill: str = chosen["fill"]
        self.fills: list[str] = chosen["fills"]
        self.states: list[str] = chosen["states"]
        self.bursts: list[int] = chosen["bursts"]
        self.write_bursts: list[int] = chosen["write_bursts"]
        self.burst_lengths: list[int] = chosen["burst_lengths"]
        self.calm_rates: list[int] = chosen["calm_rates"]
        self.reads_per_layer: list[int] = chosen["reads_per_layer"]
        self.retry_blocks: int = chosen["retry_blocks"]
        self.price_requests: int = chosen["price_requests"]
        self.variants: dict[str, list[Any]] = chosen["sensitivity"]

    # ---- points

    def footprint(self) -> int:
        """Pages of 4 KiB that the drive exports: 8 dies, blocks of 576 pages of 16 KiB, 11.1 % of spare."""
        return int(8 * self.blocks * 576 * 4 / 1.111 * 0.995)  # a block more or less is spare

    def point(self, workload: Workload, ftl: str, cpu: str, sets: dict[str, Any], **labels: Any) -> Point:
        base = {"nand.blocks_per_plane": self.blocks, "precondition.fill": self.fill}
        labels = {**labels, "ftl": ftl, "cpu": cpu}
        return Point.make(self.study.config, workload, {**base, **FTLS[ftl], **CPUS[cpu], **sets}, labels)

    def points(self) -> list[Point]:
        return [
            *self._stages(),
            *self._states(),
            *self._overlap(),
            *self._bursts(),
            *self._percentiles(),
            *self._beyond(),
            *self._main(),
            *self._writes(),
            *self._latency(),
            *self._retries(),
            *self._cost(),
            *self._sensitivity(),
            *price.points(self.study, self.price_requests, PRICED),
        ]

    def application(self, name: str, requests: int) -> Workload:
        """A profile over the whole drive, as fast as the drive takes it."""
        own = {"queue_depth": 32} if name == "oltp" else {}
        return self.profiles.without_pauses(APPLICATIONS[name], requests, self.footprint(), **own)

    def bursty(self, requests: int, burst: int) -> Workload:
        return self.profiles.arriving(APPLICATIONS["rocks"], requests, self.footprint(), burst=burst)

    @staticmethod
    def assumed(name: str, ftl: str) -> dict[str, Any]:
        """Keys of an assumption; those of cubeFTL have no effect on the others, which the program refuses."""
        of_cube = ftl.startswith("cube")
        return {key: value for key, value in ASSUMED[name].items() if of_cube or not key.startswith("ftl.cube.")}

    def _stages(self) -> Iterable[Point]:
        """Two superblocks of leaders in calm time, then their followers at once; or the burst alone."""
        for cpu in CPUS:
            for stages, workload in STAGES.items():
                for name in ASSUMPTIONS if stages == "calm first" else ("drive", "thesis"):
                    if cpu == "iss" and name not in ("drive", "thesis"):
                        continue
                    for ftl in ("page", "vert", "cube-", "cube"):
                        labels = {"part": "stages", "stages": stages, "assumed": name}
                        yield self.point(workload, ftl, cpu, self.assumed(name, ftl), **labels)

    def _states(self) -> Iterable[Point]:
        for state in self.states:
            for name in ("drive", "thesis"):
                for ftl in ("page", "vert", "cube-", "cube"):
                    sets = {**self.assumed(name, ftl), "precondition.fill": state}
                    labels = {"part": "states", "state": state, "assumed": name}
                    yield self.point(STAGES["calm first"], ftl, "native", sets, **labels)

    def _overlap(self) -> Iterable[Point]:
        for name in ("drive", "thesis"):
            for ftl in ("page", "vert", "cube-", "cube"):
                sets = {**self.assumed(name, ftl), "channels.cache_program": True}
                yield self.point(STAGES["calm first"], ftl, "native", sets, part="overlap", assumed=name)

    def _beyond(self) -> Iterable[Point]:
        """Bursts over a calm stream, long enough for GC to work all the time."""
        calm = ("calm", {**WRITES, "iodepth": 32, "rate_iops": 600, "number_ios": self.steady_writes})
        pauses = {"thinktime": "500ms", "thinktime_blocks": 400}
        bursts = ("burst", {**WRITES, "iodepth": 32, **pauses, "number_ios": self.steady_writes})
        workload = jobs("steady_bursts", [calm, bursts], at_once=True)
        for cpu in CPUS:
            for ftl in STEADY_BURST:
                sets = {"precondition.fill": "steady"}
                yield self.point(workload, ftl, cpu, sets, part="beyond")

    @staticmethod
    def over_calm(burst: int, rate: int = 1500) -> Workload:
        """So many writes a second, and so many at once with pauses of 100 ms."""
        calm = ("calm", {**WRITES, "iodepth": 32, "rate_iops": rate, "number_ios": 3 * rate})
        pauses = {"thinktime": "100ms", "thinktime_blocks": burst}
        bursts = ("burst", {**WRITES, "iodepth": burst, **pauses, "number_ios": 30 * burst})
        return jobs(f"bursts_{burst}", [calm, bursts], at_once=True)

    def _bursts(self) -> Iterable[Point]:
        for cpu in CPUS:
            for burst in self.write_bursts:
                for name in ("drive", "thesis"):
                    for ftl in ("page", "vert", "cube-", "cube"):
                        labels = {"part": "bursts", "burst": burst, "assumed": name}
                        yield self.point(self.over_calm(burst), ftl, cpu, self.assumed(name, ftl), **labels)

    def _percentiles(self) -> Iterable[Point]:
        for rate in self.calm_rates:
            for burst in self.burst_lengths:
                for ftl in ("page", "cube-", "cube"):
                    labels = {"part": "percentiles", "burst": burst, "rate": rate}
                    sets = self.assumed("thesis", ftl)
                    yield self.point(self.over_calm(burst, rate), ftl, "native", sets, **labels)

    def _main(self) -> Iterable[Point]:
        for cpu in CPUS:
            for name in APPLICATIONS:
                for mode in MODES if cpu == "native" else ("drawn",):
                    for state in STATES:
                        if state not in MODES[mode]:
                            continue  # fresh is the same in both
                        # Before flash is aged the longer run tells more: writes that few requests have.
                        workload = self.application(name, self.requests["native"] if state == "fresh" else self.aged)
                        for ftl in ("page", "vert", "cube"):
                            labels = {"part": "main", "application": name, "mode": mode, "state": state}
                            yield self.point(workload, ftl, cpu, MODES[mode][state], **labels)

    def _writes(self) -> Iterable[Point]:
        """Before GC a run of so many requests; in steady state until the program knows it (docs/steady.md), which takes
        firmware that costs too long."""
        for fill in self.fills:
            steady = fill == "steady"
            sets = {"precondition.fill": fill, **({"run.until": self.saturated["until"]} if steady else {})}
            size = {"bs": self.saturated["size"]} if steady else {}
            random = fio("random", **{**WRITES, **size, "iodepth": 32, "number_ios": self.write_requests // 3})
            loads = {"random": random}
            if not steady:
                loads["oltp"] = self.application("oltp", self.write_requests)
            for name, workload in loads.items():
                for cpu in CPUS if not steady else ("native",):
                    for ftl in self.saturated["ftls"] if steady else COMPARED:
                        yield self.point(workload, ftl, cpu, sets, part="writes", load=name, fill=fill)

    def _latency(self) -> Iterable[Point]:
        for cpu, requests in self.requests.items():
            for burst in self.bursts if cpu == "native" else self.bursts[:1]:
                workload = self.bursty(requests, burst)
                for ftl in COMPARED:
                    yield self.point(workload, ftl, cpu, {}, part="latency", burst=burst)

    def _retries(self) -> Iterable[Point]:
        """Reads of 4 KiB at random places of a few full blocks, one after the other: so many for each h-layer."""
        layers = 8 * self.retry_blocks * 48
        for mode, states in MODES.items():
            for state, sets in states.items():
                if state == "fresh":
                    continue
                for table, ort in TABLES.items():
                    for reads in self.reads_per_layer:
                        workload = fio(
                            f"read_{reads}", rw="randread", bs="4k", iodepth=8, norandommap=True,
                            number_ios=reads * layers,
                        )  # fmt: skip
                        labels = {"part": "retries", "mode": mode, "state": state, "table": table, "reads": reads}
                        blocks = {
                            "nand.blocks_per_plane": self.retry_blocks + 8,
                            "ftl.over_provisioning": 8 / self.retry_blocks,
                        }
                        fill = {"precondition.fill": "sequential"}
                        yield self.point(workload, "page", "native", {**blocks, **fill, **sets, **ort}, **labels)

    def _cost(self) -> Iterable[Point]:
        """One die, one program after the other: a write of a program unit ends with its program."""
        one_die = {"channels.count": 1, "channels.packages": 1, "ftl.write_back": False, "precondition.fill": "none"}
        workload = fio("unit", rw="write", bs="48k", iodepth=1, number_ios=4 * 48 * 8)
        for cpu in CPUS:
            for ftl in ("page", "reports", "cube-"):
                yield self.point(workload, ftl, cpu, one_die, part="cost")

    def _sensitivity(self) -> Iterable[Point]:
        for what, values in self.variants.items():
            for value in values:
                requests = value if what == "requests" else self.requests["native"]
                workloads = {
                    "oltp": (self.application("oltp", requests), {}),
                    "rocks": (self.bursty(requests, self.bursts[-1]), {}),
                    "proxy": (self.application("proxy", requests), DRAWN["1y"]),
                }
                for name, (workload, state) in workloads.items():
                    if what == "nand.faults.moved_steps" and not state:
                        continue  # no references have moved
                    labels = {"part": "sensitivity", "what": what, "value": str(value), "application": name}
                    for ftl in ("page", "cube-", "cube"):
                        yield self.point(workload, ftl, "native", {**state, **self.own(what, value, ftl)}, **labels)

    @staticmethod
    def own(what: str, value: Any, ftl: str) -> dict[str, Any]:
        """Keys of a variant; none where they have no effect, which the program refuses."""
        if what == "requests" or (ftl == "page" and what.startswith("ftl.cube.")):
            return {}
        if ftl == "cube-" and what in BY_DEMAND:
            return {}
        if what == "nand.wls_per_layer":  # blocks as large as before
            return {what: value, "nand.layers": 48 * 4 // value}
        return {what: value}

    # ---- results

    def answers(self, results: Results) -> dict[str, Answer]:
        return Answers(self, results).all()

    def tables(self, results: Results) -> list[dict[str, Any]]:
        from .cube_tables import tables

        drive = "REF-TLC32 with whole word lines in one program and mixed order"
        return [*tables(self, Answers(self, results)), price.table(results, PRICED, drive)]

    def pictures(self, results: Results, folder: Path) -> list[Path]:
        """As the thesis draws them: IOPS over those of pageFTL; here also with retries by the cells."""
        from ..framework import pictures

        answers = Answers(self, results)
        names = {"page": "pageFTL", "vert": "vertFTL", "cube": "cubeFTL"}

        def ratio(ftl: str, application: str, state: str, mode: str) -> float | None:
            gain = ask(answers.gain, ftl, "page", application, state, "native", mode)
            return None if gain is None else 1 + gain / 100

        def panel(state: str, mode: str) -> dict[str, dict[str, float | None]]:
            return {name: {text: ratio(ftl, name, state, mode) for ftl, text in names.items()} for name in APPLICATIONS}

        titles = {"fresh": "fresh", "1m": "1 month", "1y": "1 year"}
        how = {"drawn": "retries drawn", "physical": "retries by cells with 2,000 P/E cycles"}
        panels = {
            titles[state] if state == "fresh" else f"{titles[state]}, {how[mode]}": panel(state, mode)
            for mode in MODES
            for state in STATES
            if state in MODES[mode]
        }
        return [pictures.bars(panels, "FTL", "IOPS, pageFTL = 1", folder / "cube_fig23.png")]
