# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Li et al., "Access Characteristic Guided Read and Write Cost Regulation for Performance Improvement on Flash Memory",
FAST 2016 (slides): programs in coarse, default and fine steps, as firmware on the whole drive.

Parts of the study, as the label `part` of a point:
  main         the twelve volumes, with read costs as assumed, for Traditional, Li et al. and AGCR; what lies on the drive
               before the trace was programmed coarsely, as AGCR fills a drive: the first write of a page is write-only
  begins       the same, where it was programmed otherwise: by default, or by Li et al. on idle chips, finely
  beyond       AGCR whose coarse programs are made on busy chips alone, on data of default steps and on coarse ones
  physics      main with reads as their bit errors need: fresh flash, worn flash, worn flash with a weaker code
  prelim       one step for all data, and the ideal case, on the volumes of the preliminary study
  sensitivity  what the slides leave open, one at a time, on the same three volumes
  price        what the policies cost on a drive whose cores can be the limit
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import price
from .agcr_answers import PRELIMINARY, TECHNIQUES, VOLUMES, Answers
from ..framework.jobs import Profiles, profile_text
from ..framework.points import Point, Workload
from ..framework.study import CPUS, Answer, Results, StudyFile, ask

ASSUMED = {"ftl.agcr.read_levels": "assumed"}
BY_AGCR = {"ftl.agcr.initial": "coarse"}
BEGINS: dict[str, dict[str, str]] = {  # steps of what lies on the drive, by technique
    "default": {"traditional": "default", "li": "default", "agcr": "default"},
    "own": {"li": "fine"},
}
WRITTEN_ANEW = {"ftl.agcr.rewrite": "coarse"}
POLICIES: dict[str, dict[str, Any]] = {
    "traditional": {"ftl.policy": "agcr", "ftl.agcr.classes": "default"},
    "li": {"ftl.policy": "agcr_li"},
    "agcr": {"ftl.policy": "agcr", **WRITTEN_ANEW},
}
BUSY = {**POLICIES["agcr"], "ftl.agcr.busy_only": True}
PRELIM: dict[str, dict[str, Any]] = {
    **{step: {"ftl.policy": "agcr", "ftl.agcr.classes": step} for step in ("coarse", "default", "fine")},
    "ideal": {"ftl.policy": "agcr", "ftl.agcr.classes": "coarse", "ftl.agcr.coarse_senses": 1},
}

PRICED = {
    "page": ({"ftl.policy": "page_greedy"}, price.LOOKED_UP),
    "agcr_li": (POLICIES["li"], price.NOTICED),
    "agcr": ({"ftl.policy": "agcr"}, price.NOTICED),
}


def milliseconds(text: str) -> float:
    """Of a time as a profile has it."""
    for unit, factor in (("ms", 1.0), ("us", 1e-3), ("s", 1e3)):
        if text.endswith(unit):
            return float(text[: -len(unit)]) * factor
    raise ValueError(text)


class Study:
    """The points of the study, and what their results say to each figure."""

    def __init__(self, study: StudyFile, profiles: Profiles):
        self.study, self.profiles = study, profiles
        chosen = study.parameters
        self.requests: dict[str, int] = {"native": chosen["requests"], "iss": chosen["iss_requests"]}
        self.beyond_cpus: list[str] = chosen["beyond_cpus"]
        self.begins_on_cores: bool = chosen["begins_on_cores"]
        self.least_pages: int = chosen["least_pages"]
        self.statistics_requests: int = chosen["statistics_requests"]
        self.interarrival: float = chosen["interarrival_ms"]
        self.idle_after: str = chosen["idle_after"]
        self.blocks: int = chosen["blocks"]
        self.price_requests: int = chosen["price_requests"]
        self.physics: dict[str, dict[str, Any]] = chosen["physics"]
        self.variants: dict[str, list[Any]] = chosen["sensitivity"]

    # ---- points

    def workload(self, volume: str, requests: int, interarrival: float, whole_pages: bool = False) -> Workload:
        generator = self.profiles.generator(f"msr_{volume}")
        faster = ("--speedup", f"{milliseconds(generator['arrival']['interarrival']) / interarrival:.6f}")
        found = self.profiles.dense(f"msr_{volume}", requests, self.least_pages, *faster)
        if not whole_pages or found.path is None or found.path.suffix != ".toml":
            return found
        generator = copy.deepcopy(generator)
        generator["misaligned"] = 0.0
        for op in ("reads", "writes"):
            modes = generator[op].get("modes", [])
            share = sum(mode[1] for mode in modes)
            if share:
                generator[op]["modes"] = [["4KiB", share]]
        return Workload(f"{volume}_whole", text=profile_text(volume, generator), suffix=".toml", options=found.options)

    def point(self, workload: Workload, sets: dict[str, Any], cpu: str, **labels: Any) -> Point:
        if sets.get("ftl.agcr.rewrite", "off") != "off":
            sets = {"ftl.idle_after": self.idle_after, **sets}
        sets = {"nand.blocks_per_plane": self.blocks, **CPUS[cpu], **sets}
        return Point.make(self.study.config, workload, sets, {**labels, "cpu": cpu})

    def points(self) -> list[Point]:
        return [
            *self._main(),
            *self._beyond(),
            *self._physics(),
            *self._prelim(),
            *self._sensitivity(),
            *price.points(self.study, self.price_requests, PRICED),
        ]

    def _main(self) -> Iterable[Point]:
        for cpu in CPUS:
            for volume in VOLUMES:
                workload = self.workload(volume, self.requests[cpu], self.interarrival)
                for technique in TECHNIQUES:
                    sets = {**ASSUMED, **POLICIES[technique]}
                    labels = {"volume": volume, "technique": technique}
                    yield self.point(workload, {**sets, **BY_AGCR}, cpu, part="main", **labels)
                    for begin, steps in BEGINS.items() if cpu == "native" or self.begins_on_cores else ():
                        if technique in steps:
                            own = {"ftl.agcr.initial": steps[technique]}
                            yield self.point(workload, {**sets, **own}, cpu, part="begins", begin=begin, **labels)

    def _beyond(self) -> Iterable[Point]:
        for cpu in self.beyond_cpus:
            for volume in VOLUMES:
                workload = self.workload(volume, self.requests[cpu], self.interarrival)
                for initial in ("coarse", "default"):
                    sets = {**ASSUMED, **BUSY, "ftl.agcr.initial": initial}
                    labels = {"part": "beyond", "volume": volume, "technique": "busy", "begin": initial}
                    yield self.point(workload, sets, cpu, **labels)

    def _physics(self) -> Iterable[Point]:
        root = self.study.config.parents[2]
        for state, given in self.physics.items():
            keys = dict(given)
            if "ecc.table" in keys:
                keys["ecc.table"] = str(root / keys["ecc.table"])
            for volume in PRELIMINARY:
                workload = self.workload(volume, self.requests["native"], self.interarrival)
                for technique in TECHNIQUES:
                    labels = {"part": "physics", "state": state, "volume": volume, "technique": technique}
                    yield self.point(workload, {**POLICIES[technique], **keys}, "native", **labels)

    def _prelim(self) -> Iterable[Point]:
        for cpu in CPUS:
            for volume in PRELIMINARY:
                workload = self.workload(volume, self.requests[cpu], self.interarrival)
                for name, sets in PRELIM.items():
                    labels = {"part": "prelim", "volume": volume, "combination": name}
                    yield self.point(workload, {**ASSUMED, **sets}, cpu, **labels)

    def _sensitivity(self) -> Iterable[Point]:
        for what, values in self.variants.items():
            for value in values:
                requests = value if what == "requests" else self.requests["native"]
                interarrival = value if what == "interarrival_ms" else self.interarrival
                for volume in PRELIMINARY:
                    workload = self.workload(volume, requests, interarrival, what == "whole pages")
                    for technique in ("li", "agcr") if what == "requests" else TECHNIQUES:
                        own = self._own(what, value, technique)
                        labels = {"part": "sensitivity", "what": what, "value": str(value), "volume": volume}
                        yield self.point(
                            workload,
                            {**ASSUMED, **POLICIES[technique], **BY_AGCR, **own},
                            "native",
                            **labels,
                            technique=technique,
                        )

    @staticmethod
    def _own(what: str, value: Any, technique: str) -> dict[str, Any]:
        """The key of the sensitivity, for the techniques that have it."""
        only = {"ftl.agcr.window": "agcr", "ftl.agcr.rewrite": "agcr", "ftl.agcr.queue": "li"}
        if "." not in what or only.get(what, technique) != technique:
            return {}
        return {what: value}

    # ---- results

    def answers(self, results: Results) -> dict[str, Answer]:
        return Answers(self, results).all()

    def tables(self, results: Results) -> list[dict[str, Any]]:
        return [*Answers(self, results).tables(), price.table(results, PRICED)]

    def pictures(self, results: Results, folder: Path) -> list[Path]:
        """Normalised latencies, as the slides draw them."""
        from ..framework import pictures

        answers = Answers(self, results)
        names = {"li": "Li et al.", "agcr": "AGCR"}
        panels = {
            f"{op} latency": {
                volume: {text: ask(answers.normalised, op, technique, volume) for technique, text in names.items()}
                for volume in VOLUMES
            }
            for op in ("read", "write")
        }
        return [pictures.bars(panels, "technique", "over Traditional", folder / "agcr_latency.png")]
