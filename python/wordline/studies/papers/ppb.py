# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Chen et al., "Boosting the Performance of 3D Charge Trap NAND Flash with Asymmetric Feature Process Size
Characteristic", DAC 2017: data that are read often in pages that are read fast, as firmware on the whole drive.

Parts of the study, as the label `part` of a point:
  main         figures 12 to 18: trace, page size, speed ratio, policy
  sensitivity  what the paper leaves open, one at a time, at ratio 5 with pages of 16 KiB on the synthetic workload
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

POLICIES: dict[str, dict[str, Any]] = {
    "page": {"ftl.policy": "page_greedy"},
    "printed": {"ftl.policy": "ppb", "ftl.ppb.half_full_blocks": 0},
    "ppb": {"ftl.policy": "ppb", "ftl.ppb.half_full_blocks": 1},
}

PRICED = {"page": (POLICIES["page"], price.LOOKED_UP), "ppb": (POLICIES["ppb"], price.NOTICED)}


class Study:
    """The points of the study, and what their results say to each figure."""

    def __init__(self, study: StudyFile, profiles: Profiles):
        self.study, self.profiles = study, profiles
        chosen = study.parameters
        self.blocks: int = chosen["blocks"]
        self.utilisation: float = chosen["utilisation"]
        self.requests: dict[str, int] = {"native": chosen["requests"], "iss": chosen["iss_requests"]}
        self.interarrival: float = chosen["interarrival_ms"]
        self.price_requests: int = chosen["price_requests"]
        self.variants: dict[str, list[Any]] = chosen["sensitivity"]

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

    def ramp(self, cpu: str) -> dict[str, Any]:
        """The policy learns before the measurement: half of the requests."""
        return {"run.ramp_time": f"{self.requests[cpu] * self.interarrival / 2000:g}s"}

    def point(self, workload: Workload, policy: str, cpu: str, sets: dict[str, Any], **labels: Any) -> Point:
        labels = {**labels, "policy": policy, "cpu": cpu}
        return Point.make(self.study.config, workload, {**POLICIES[policy], **CPUS[cpu], **sets}, labels)

    def points(self) -> list[Point]:
        return [*self._main(), *self._sensitivity(), *price.points(self.study, self.price_requests, PRICED)]

    def _main(self) -> Iterable[Point]:
        for cpu in CPUS:
            for trace, (name, interarrival) in TRACES.items():
                faster = ("--speedup", f"{interarrival / self.interarrival:.6f}")
                pages = self.footprint(self.utilisation)
                workload = self.profiles.over(name, self.requests[cpu], pages, *faster)
                for page, ratios in ((16, RATIOS), (8, (RATIOS[-1],))):
                    for ratio in ratios:
                        sets = {**self.drive(page, self.utilisation), **self.ramp(cpu)}
                        sets["nand.layer_speed.read"] = float(ratio)
                        labels = {"part": "main", "trace": trace, "page": page, "ratio": ratio}
                        for policy in POLICIES if cpu == "native" else ("page", "ppb"):
                            yield self.point(workload, policy, cpu, sets, **labels)

    def synthetic(self, utilisation: float, correlation: float) -> Workload:
        """70 % writes, Zipf 0.9, over the whole drive; `correlation`: share of the reads that go where writes go."""
        place = {"modes": [["16KiB", 1.0]], "own": 0.0, "theta": 0.9, "sweeps": 0.0}
        generator = {
            "requests": self.requests["native"],
            "write_share": 0.7,
            "pages": {"both": self.footprint(utilisation), "correlation": correlation},
            "reads": place,
            "writes": place,
            "arrival": {"interarrival": f"{self.interarrival}ms"},
        }
        return Workload("synthetic", text=profile_text("synthetic", generator), suffix=".toml")

    def _sensitivity(self) -> Iterable[Point]:
        for what, values in self.variants.items():
            for value in values:
                utilisation = value if what == "utilisation" else self.utilisation
                workload = self.synthetic(utilisation, value if what == "correlation" else 0.0)
                sets = {**self.drive(16, utilisation), **self.ramp("native"), "nand.layer_speed.read": 5.0}
                labels = {"part": "sensitivity", "what": what, "value": str(value)}
                for policy in ("page", "ppb"):
                    is_key = "." in what and (policy == "ppb" or not what.startswith("ftl.ppb."))
                    own = {what: value} if is_key else {}
                    yield self.point(workload, policy, "native", {**sets, **own}, **labels)

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
            picture("Figures 13, 14", "service", "read time", "fig13_14"),
            picture("Figures 16, 17", "write", "write latency", "fig16_17"),
            picture("Figure 18", "erases", "erases", "fig18"),
        ]
