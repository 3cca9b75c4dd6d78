# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The ideas of the papers, and pairs of them, on one modern device and with the same workloads: what each gains, and
what its firmware costs. No paper says what comes out; the figures are questions.

Parts of the study, as the label `part` of a point:
  open    requests at three tenths of what the drive without ideas can do: latencies
  closed  so many requests outstanding: IOPS, write amplification, energy
  cores   closed, firmware that costs its instructions, on one core and on three
  scale   the same by the number of dies, for two variants

Closed loops are measured in the steady state that their own writes lead to: from a drive in the steady state of random writes, or
filled in order where the map is by pages (a state knows one page size), the warm-up goes on until the program finds its end.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .compare_answers import SCALED, VARIANTS, WORKLOADS, Answers
from ..framework.jobs import Profiles
from ..framework.points import Point, Workload
from .price import CORES
from ..framework.study import CPUS, Answer, Results, StudyFile

PAGE_MAP = "page map"
BY_PAGES = {"precondition.fill": "sequential", "ftl.map": "page", "ftl.gc_pacing": False}


class Study:
    """The points of the study, and what their results say to each question."""

    def __init__(self, study: StudyFile, profiles: Profiles):
        self.study, self.profiles = study, profiles
        chosen = study.parameters
        self.blocks: int = chosen["blocks"]
        self.layers: int = chosen["layers"]
        self.word_lines: int = chosen["word_lines"]  # of a layer
        self.requests: int = chosen["requests"]
        self.open_requests: int = chosen["open_requests"]
        self.dies: dict[str, list[int]] = chosen["dies"]  # by part: channels, dies of each
        self.scale: list[list[int]] = chosen["scale"]  # the same
        self.iss_requests: int = chosen["iss_requests"]
        self.workloads: list[str] = chosen["workloads"]
        self.iss_workloads: list[str] = chosen["iss_workloads"]
        self.seeds: list[int] = chosen["seeds"]
        self.variants = {name: variant for name, variant in VARIANTS.items() if name not in chosen["without"]}

    # ---- variants

    def keys(self, variant: str) -> dict[str, Any]:
        """Of the drive: all variants have the same raw capacity and export as much."""
        chosen = VARIANTS[variant]
        keys: dict[str, Any] = {
            "ftl.policy": chosen.policy,
            "nand.layers": self.layers,
            "nand.wls_per_layer": self.word_lines,
            "nand.blocks_per_plane": self.blocks,
            "precondition.fill": "steady",
            **dict(chosen.keys),
        }
        if chosen.group == PAGE_MAP:
            keys |= BY_PAGES
        if variant == "mpnfm":  # a sixteenth of the capacity in pages of 4 KiB
            small = self.blocks // 16
            keys |= {
                "nand.blocks_per_plane": self.blocks - small,
                "nand.region.page": "4KiB",
                "nand.region.blocks_per_plane": 4 * small,
            }
        if variant == "pages of 4 KiB":  # what the rule of the design-parameter study says for requests of 4 KiB
            small_pages = {"nand.page": "4KiB", "nand.spare": "552B", "nand.blocks_per_plane": 4 * self.blocks}
            keys |= {"ftl.map": "page", **small_pages}
        return keys

    def workload(self, name: str, size: list[int], requests: int, gap: str | None = None) -> Workload:
        """Over nine tenths of what the drive exports: at random times of a mean gap, or always so many outstanding.
        `size`: channels, dies of each."""
        channels, dies = size
        pages = int(0.9 * 0.8 * channels * dies * self.blocks * self.layers * self.word_lines * 3 * 4)
        file = WORKLOADS[name]
        if gap is not None:
            return self.profiles.without_pauses(file, requests, pages, interarrival=gap)
        made = self.profiles.without_pauses(file, requests, pages)
        return dataclasses.replace(made, options=(*made.options, "--queue-depth", str(self.study.parameters["depth"])))

    # ---- points

    @staticmethod
    def size(channels: int, dies: int, write_buffer: str) -> dict[str, Any]:
        return {"channels.count": channels, "channels.packages": dies, "ftl.write_buffer": write_buffer}

    def point(self, variant: str, made: Workload, cpu: str, sets: dict[str, Any], /, **labels: Any) -> Point:
        size = {}
        if (part := labels["part"]) in self.dies:
            size = self.size(*self.dies[part], self.study.parameters["write_buffer"][part])
        keys = {**self.study.sets, **self.keys(variant), **size, **CPUS[cpu], "run.seed": labels["seed"], **sets}
        return Point.make(self.study.config, made, keys, {**labels, "cpu": cpu, "variant": variant})

    def points(self) -> list[Point]:
        return [*self._closed(), *self._open(), *self._cores(), *self._scale()]

    def _closed(self) -> Iterable[Point]:
        measured = {"run.until": "1%", "run.until_requests": self.requests}
        for name in self.workloads:
            made = self.workload(name, self.dies["closed"], self.requests)
            for variant in self.variants:
                for seed in self.seeds:
                    yield self.point(variant, made, "native", measured, part="closed", workload=name, seed=seed)

    def _open(self) -> Iterable[Point]:
        """From the steady state of random writes."""
        gaps = self.study.parameters["interarrival"]
        for name in self.workloads:
            made = self.workload(name, self.dies["open"], self.open_requests, gaps[name])
            for variant, chosen in self.variants.items():
                for seed in self.seeds if chosen.group != PAGE_MAP else ():
                    yield self.point(variant, made, "native", {}, part="open", workload=name, seed=seed)

    def _cores(self) -> Iterable[Point]:
        """The firmware instruction by instruction, GC included."""
        for name in self.iss_workloads:
            made = self.workload(name, self.dies["cores"], self.iss_requests)
            for variant, chosen in self.variants.items():
                for cores, tasks in CORES.items() if chosen.group != PAGE_MAP else ():
                    for seed in self.seeds:
                        sets = {"cpu.cores": cores, "cpu.task_core": tasks}
                        labels = {"part": "cores", "workload": name, "cores": cores, "seed": seed}
                        yield self.point(variant, made, "iss", sets, **labels)

    def _scale(self) -> Iterable[Point]:
        """As many requests a die, and half a MiB of write buffer, on every drive."""
        for channels, packages in self.scale:
            dies = channels * packages
            made = self.workload(self.iss_workloads[0], [channels, packages], 10_000 * dies)
            for variant in SCALED:
                for cores, tasks in CORES.items():
                    sets = self.size(channels, packages, f"{512 * dies}KiB")
                    sets |= {"cpu.cores": cores, "cpu.task_core": tasks}
                    labels = {"part": "scale", "dies": dies, "cores": cores, "seed": self.seeds[0]}
                    yield self.point(variant, made, "iss", sets, **labels)

    # ---- results

    def answers(self, results: Results) -> dict[str, Answer]:
        return Answers(self, results).all()

    def tables(self, results: Results) -> list[dict[str, Any]]:
        return Answers(self, results).tables()

    def pictures(self, results: Results, folder: Path) -> list[Path]:
        """What each idea changes against the same drive without it, by workload."""
        from ..framework import pictures

        answers = Answers(self, results)
        panels = {
            "mean read latency": ("open", "read_mean"),
            "p99.9 of reads": ("open", "read_tail"),
            "mean write latency": ("open", "write_mean"),
            "IOPS": ("closed", "iops"),
        }
        return [
            pictures.bars(
                {
                    title: {
                        name: {idea: answers.relative(part, metric, idea, name) for idea in answers.ideas}
                        for name in self.workloads
                    }
                    for title, (part, metric) in panels.items()
                },
                "idea",
                "without it = 1",
                folder / "compare.png",
                ratios=True,
            )
        ]
