# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Chen et al., "Boosting the Performance of 3D Charge Trap NAND Flash with Asymmetric Feature Process Size
Characteristic", DAC 2017: data that are read often in pages that are read fast, as firmware on the whole drive.

Parts of the study, as the label `part` of a point:
  main         figures 12 to 18: trace, page size, speed ratio, policy; the drive holds what the trace has written
  printed      the same with the guard of new virtual blocks as printed
  states       what the drive holds when the requests begin: nothing, all of it in order, at random, in steady state
  open         the web trace with 16 KiB at 5x, one thing changed that the paper leaves open
  pairs        the same with so many virtual blocks at a ratio: the paper gives neither for its largest gain
  synthetic    reads and writes that hit each other's pages more or less often, on a full drive
  beyond       variants of our own: by how often data are read, without lists; virtual blocks by free space
  price        what the policy costs on a drive whose cores can be the limit
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import price
from ..framework.jobs import Profiles, profile_text
from ..framework.points import Point, Workload
from .ppb_answers import RATIOS, TRACES, Answers
from ..framework.study import CPUS, Answer, Results, StudyFile, ask

PAGE = {"ftl.policy": "page_greedy"}
POLICIES: dict[str, dict[str, Any]] = {
    "page": PAGE,
    "printed": {"ftl.policy": "ppb", "ftl.ppb.half_full_blocks": 0},
    "ppb": {"ftl.policy": "ppb", "ftl.ppb.half_full_blocks": 1},
}
OF_PPB = "ftl.ppb."
BEYOND: dict[str, dict[str, Any]] = {
    # No lists: all is counted, the three tenths that are read most go to fast pages, and counts live four times as long.
    "frequency": {"ftl.ppb.hot_write_size": "0B", "ftl.ppb.cold_share": 0.3, "ftl.ppb.aging_reads": 16},
    # Eight virtual blocks while less than half of the drive is valid, then two.
    "space": {"ftl.ppb.virtual_blocks": 8, "ftl.ppb.two_above": 0.5},
}
BEYOND["both"] = {**BEYOND["frequency"], **BEYOND["space"]}

PRICED = {"page": (POLICIES["page"], price.LOOKED_UP), "ppb": (POLICIES["ppb"], price.NOTICED)}


class Study:
    """The points of the study, and what their results say to each figure."""

    def __init__(self, study: StudyFile, profiles: Profiles):
        self.study, self.profiles = study, profiles
        chosen = study.parameters
        self.blocks: int = chosen["blocks"]
        self.utilisation: float = chosen["utilisation"]
        self.requests: dict[str, int] = {"native": chosen["requests"], "iss": chosen["iss_requests"]}
        self.ratios: dict[str, dict[int, list[int]]] = {  # of the main part: by cores and KiB of a page
            "native": {16: list(RATIOS), 8: [RATIOS[-1]]},
            "iss": {16: chosen["iss_ratios"], 8: chosen["iss_small_pages"]},
        }
        self.printed: list[int] = chosen["printed_ratios"]
        self.interarrival: float = chosen["interarrival_ms"]
        self.price_requests: int = chosen["price_requests"]
        self.states: list[str] = chosen["states"]
        self.state_traces: list[str] = chosen["state_traces"]
        self.open: dict[str, list[Any]] = chosen["open"]
        self.pairs: list[list[int]] = chosen["pairs"]
        self.correlations: list[float] = chosen["correlations"]
        self.beyond_ratios: list[int] = chosen["beyond_ratios"]
        self.beyond_cpus: list[str] = chosen["beyond_cpus"]

    # ---- points

    def footprint(self, utilisation: float) -> int:
        """Pages of 4 KiB that the drive exports: blocks of 384 pages of 16 KiB."""
        return int(self.blocks * 384 * 4 * utilisation * 0.995)  # a block more or less is spare

    def drive(self, page: int, utilisation: float) -> dict[str, Any]:
        """Pages of half the size: twice the blocks, for the same capacity with 384 pages a block."""
        return {
            "nand.page": f"{page}KiB",
            "nand.spare": f"{page * 552 // 4}B",
            "nand.blocks_per_plane": self.blocks * 16 // page,
            "ftl.over_provisioning": round(1 / utilisation - 1, 6),
        }

    def ramp(self, requests: int) -> dict[str, Any]:
        """The policy learns before the measurement: half of the requests."""
        return {"run.ramp_time": f"{requests * self.interarrival / 2000:g}s"}

    def trace(self, name: str, requests: int, utilisation: float) -> Workload:
        """Over the whole drive, faster than the volume was."""
        file, interarrival = TRACES[name]
        faster = ("--speedup", f"{interarrival / self.interarrival:.6f}")
        return self.profiles.over(file, requests, self.footprint(utilisation), *faster)

    def point(self, workload: Workload, policy: str, cpu: str, sets: dict[str, Any], **labels: Any) -> Point:
        labels = {**labels, "policy": policy, "cpu": cpu}
        begin = {"precondition.fill": "none"}
        return Point.make(self.study.config, workload, {**begin, **POLICIES[policy], **CPUS[cpu], **sets}, labels)

    def points(self) -> list[Point]:
        return [
            *self._main(),
            *self._states(),
            *self._open(),
            *self._pairs(),
            *self._synthetic(),
            *self._beyond(),
            *price.points(self.study, self.price_requests, PRICED),
        ]

    def _of_trace(
        self,
        trace: str,
        page: int,
        ratio: int,
        policy: str,
        cpu: str,
        sets: dict[str, Any],
        utilisation: float | None = None,
        **labels: Any,
    ) -> Point:
        requests, exported = self.requests[cpu], utilisation or self.utilisation
        given = {**self.drive(page, exported), **self.ramp(requests), "nand.layer_speed.read": float(ratio)}
        workload = self.trace(trace, requests, exported)
        labels = {**labels, "trace": trace, "page": page, "ratio": ratio}
        return self.point(workload, policy, cpu, {**given, **sets}, **labels)

    def _main(self) -> Iterable[Point]:
        for cpu in CPUS:
            for trace in TRACES:
                for page, ratios in self.ratios[cpu].items():
                    for ratio in ratios:
                        for policy in ("page", "ppb"):
                            yield self._of_trace(trace, page, ratio, policy, cpu, {}, part="main")
                for ratio in self.printed if cpu == "native" else ():
                    yield self._of_trace(trace, 16, ratio, "printed", cpu, {}, part="printed")

    def _states(self) -> Iterable[Point]:
        for state in self.states:
            for trace in self.state_traces:
                for policy in ("page", "ppb"):
                    sets = {"precondition.fill": state}
                    yield self._of_trace(trace, 16, RATIOS[-1], policy, "native", sets, part="states", state=state)

    def _open(self) -> Iterable[Point]:
        for what, values in self.open.items():
            for value in values:
                labels = {"part": "open", "what": what, "value": str(value)}
                ratio = value if what == "nand.layer_speed.read" else RATIOS[-1]
                for policy in ("page", "ppb"):
                    if what.startswith(OF_PPB) and policy == "page":
                        continue  # as in the main part
                    sets = {what: value} if "." in what else {}
                    exported = value if what == "utilisation" else None
                    yield self._of_trace("web", 16, ratio, policy, "native", sets, exported, **labels)

    def _pairs(self) -> Iterable[Point]:
        for blocks, ratio in self.pairs:
            sets = {"ftl.ppb.virtual_blocks": blocks}
            yield self._of_trace("web", 16, ratio, "ppb", "native", sets, part="pairs", blocks=blocks)

    def synthetic(self, correlation: float, requests: int) -> Workload:
        """70 % writes, Zipf 0.9, over the whole drive; `correlation`: share of the reads that go where writes go."""
        place = {"modes": [["16KiB", 1.0]], "own": 0.0, "theta": 0.9, "sweeps": 0.0}
        generator = {
            "requests": requests,
            "write_share": 0.7,
            "pages": {"both": self.footprint(self.utilisation), "correlation": correlation},
            "reads": place,
            "writes": place,
            "arrival": {"interarrival": f"{self.interarrival}ms"},
        }
        return Workload("synthetic", text=profile_text("synthetic", generator), suffix=".toml")

    def _synthetic(self) -> Iterable[Point]:
        length = self.study.parameters["synthetic_requests"]
        for correlation in self.correlations:
            sets = {
                **self.drive(16, self.utilisation),
                **self.ramp(length),
                "nand.layer_speed.read": 5.0,
                "precondition.fill": "sequential",
            }
            for policy in ("page", "ppb"):
                labels = {"part": "synthetic", "correlation": correlation}
                yield self.point(self.synthetic(correlation, length), policy, "native", sets, **labels)

    def _beyond(self) -> Iterable[Point]:
        """Web on an empty drive, and the synthetic workload on a full one, long enough for its end to be steady."""
        for cpu in self.beyond_cpus:
            for name, own in BEYOND.items():
                for ratio in self.beyond_ratios:
                    labels = {"part": "beyond", "variant": name, "load": "web"}
                    yield self._of_trace("web", 16, ratio, "ppb", cpu, own, **labels)
        length = self.study.parameters["beyond_requests"]
        full = {name: BEYOND[name] for name in self.study.parameters["beyond_full"]}
        for name, own in {"page": {}, "ppb": {}, **full}.items():
            sets = {
                **self.drive(16, self.utilisation),
                **self.ramp(2 * length * 4 // 5),  # the last fifth is measured
                "nand.layer_speed.read": 5.0,
                "precondition.fill": "sequential",
                **own,
            }
            labels = {"part": "beyond", "variant": name, "load": "synthetic"}
            policy = "page" if name == "page" else "ppb"
            for cpu in self.beyond_cpus:
                yield self.point(self.synthetic(0.0, length), policy, cpu, sets, **labels)

    # ---- results

    def answers(self, results: Results) -> dict[str, Answer]:
        return Answers(self, results).all()

    def tables(self, results: Results) -> list[dict[str, Any]]:
        return [*Answers(self, results).tables(), price.table(results, PRICED)]

    def pictures(self, results: Results, folder: Path) -> list[Path]:
        """As the paper draws them, as differences to the conventional FTL."""
        from ..framework import pictures

        answers = Answers(self, results)
        names = {"ppb": "one half-full block", "printed": "as printed"}

        def panels(figures: str, metric: str) -> dict[str, dict[str, dict[float, float | None]]]:
            return {
                f"{figures}: {trace}": {
                    text: {r: ask(answers.saved, metric, policy, "native", trace, 16, r) for r in RATIOS}
                    for policy, text in names.items()
                }
                for trace in TRACES
            }

        def picture(figures: str, metric: str, what: str, name: str) -> Path:
            text = "slowest over fastest page"
            return pictures.curves(panels(figures, metric), text, f"{what} saved, %", folder / f"ppb_{name}.png")

        return [
            picture("Figures 13, 14", "flash", "command, tR and transfer", "fig13_14"),
            picture("Figures 16, 17", "write", "write latency", "fig16_17"),
            picture("Figure 18", "erases", "erases", "fig18"),
        ]
