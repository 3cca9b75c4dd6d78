# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Kim et al., "NAND Flash Memory With Multiple Page Sizes for High-Performance Storage Devices", TVLSI 24(2), 2016: two
page sizes in a die against each single one, at equal capacity, on the eight workloads of table II.

A memory is named by its page sizes in KiB: "8", or "32+4". Parts of the study, as the label `part` of a point:
  main       figures 6 to 10: every memory and workload, one request at a time, with what a simulator of operation times
             assumes: pages are modified in the die, requests begin at a page, a bus of 10 ns a byte (NV-DDR)
  drive      the same through the controller's decoder, a bus of 25 ns, requests that begin where they do
  arrivals   Financial1 as it arrived
  limits     one assumption changed: `limit`, `value`; the memories of the abstract's means
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..framework.jobs import Profiles, profile_text
from .mpnfm_answers import OF_MPNFM, SINGLE, WORKLOADS, Answers
from .mpnfm_tables import Tables
from ..framework.points import Point, Workload
from ..framework.study import CPUS, Answer, NotMeasured, Results, StudyFile, ask

MPNFM = "32+4"
IN_MEANS = ("2", "4", "8", "16", "32", "64", MPNFM)
ABSTRACT = ("2", "4", "64", MPNFM)
WITH_LIFE = (*ABSTRACT, "32")
OF_LIMIT = {"byte_on_bus": IN_MEANS, "written": WITH_LIFE, "filled": WITH_LIFE}  # memories, if not the abstract's
AS_PUBLISHED = "as published"
ALIGNED = {"misaligned": 0.0}
ASSUMED = {"ftl.read_modify": "die", "channels.t_rc": "10ns", "channels.t_wc": "10ns"}
OF_DRIVE = {"ftl.read_modify": "controller", "channels.t_rc": "25ns", "channels.t_wc": "25ns"}


def spare_bytes(page: int) -> str:
    return f"{page * 552 // 4}B"  # what the code needs


class Study:
    """The points of the study, and what their results say to each figure."""

    def __init__(self, study: StudyFile, profiles: Profiles):
        self.study, self.profiles = study, profiles
        chosen = study.parameters
        self.capacity = int(chosen["capacity_mib"] * 1024)  # KiB, raw
        self.block: int = chosen["pages_per_block"]
        self.pairs: list[str] = chosen["pairs"]
        self.volume = int(chosen["write_mib"] * 1024)  # KiB that the host writes
        self.iss_volume = int(chosen["iss_write_mib"] * 1024)
        self.utilisation: float = chosen["utilisation"]
        self.limits: dict[str, list[Any]] = chosen["limits"]

    # ---- memories

    def memory(self, pages: str, share: float | None = None) -> dict[str, Any]:
        """Keys of a memory of the study's capacity. `share`: of the capacity in small pages; by default both kinds
        have as many word lines."""
        large, _, small = pages.partition("+")
        keys: dict[str, Any] = {"nand.page": f"{large}KiB", "nand.spare": spare_bytes(int(large))}
        if not small:
            blocks = self.capacity // (int(large) * self.block)
            return {
                **keys,
                "ftl.policy": "page_greedy",
                "nand.region.blocks_per_plane": 0,
                "nand.blocks_per_plane": blocks,
            }
        if share is None:
            share = int(small) / (int(large) + int(small))
        of_large = round(self.capacity * (1 - share) / (int(large) * self.block))
        of_small = round(self.capacity * share / (int(small) * self.block))
        return {
            **keys,
            "nand.region.page": f"{small}KiB",
            "nand.blocks_per_plane": of_large,
            "nand.region.blocks_per_plane": of_small,
        }

    def exported(self, utilisation: float) -> dict[str, Any]:
        return {"ftl.over_provisioning": round(1 / utilisation - 1, 6)}

    # ---- workloads

    def requests(self, name: str, volume: int) -> int:
        found = WORKLOADS[name]
        return max(200, int(volume / found.mean_write / found.write_share))

    def pages(self, name: str, utilisation: float) -> dict[str, Any]:
        """Of 4 KiB: what is ever written fills so much of the capacity; what is only read has no place on flash, and
        gets the addresses that are left."""
        found = self.profiles.generator(WORKLOADS[name].file)["pages"]
        written = found["write_only"] + found["both"]
        factor = self.capacity / 4 * utilisation / written
        left = self.capacity / 4 * (0.97 * self.utilisation - utilisation)
        return {
            **found,
            "write_only": int(found["write_only"] * factor),
            "both": int(found["both"] * factor),
            "read_only": int(max(64, min(left, found["read_only"] * factor))),
        }

    def workload(self, name: str, volume: int, utilisation: float, **changes: Any) -> Workload:
        """One request at a time, each at a page of 4 KiB. `changes`: of the profile's generator."""
        return self._made(name, volume, utilisation, ("--queue-depth", "1"), {**ALIGNED, **changes})

    def arriving(self, name: str, volume: int) -> Workload:
        """With the gaps that it had: Financial1's mean is that of the published rate."""
        return self._made(name, volume, self.written, (), {**ALIGNED})

    def _made(
        self, name: str, volume: int, utilisation: float, options: tuple[str, ...], changes: dict[str, Any]
    ) -> Workload:
        file = WORKLOADS[name].file
        made = self.profiles.over(file, self.requests(name, volume), 1)
        if made.path is None or made.path.parent != self.profiles.folder:  # the original
            return dataclasses.replace(made, options=(*made.options, "--addresses", "wrap", *options))
        pages = {**self.pages(name, utilisation), **changes.pop("pages", {})}
        published = self.profiles.generator(file)
        if changes.get("misaligned") == AS_PUBLISHED:
            changes = {**changes, "misaligned": published.get("misaligned", 0.0)}
        generator = {**published, "pages": pages, **changes}
        count = ("--requests", str(self.requests(name, volume)))
        return Workload(name, text=profile_text(file, generator), suffix=".toml", options=(*count, *options))

    @property
    def written(self) -> float:
        return self.study.parameters["written"]

    # ---- points

    def point(self, pages: str, made: Workload, cpu: str, sets: dict[str, Any], /, **labels: Any) -> Point:
        share = labels.get("value") if labels.get("limit") == "small_share" else None
        keys = {**self.study.sets, "nand.wls_per_layer": self.block // 2, **self.memory(pages, share)}
        keys |= {**self.exported(self.utilisation), **CPUS[cpu], **ASSUMED, **sets}
        return Point.make(self.study.config, made, keys, {"cpu": cpu, "pages": pages, **labels})

    def points(self) -> list[Point]:
        return [*self._main(), *self._drive(), *self._arrivals(), *self._limits()]

    def memories(self) -> list[str]:
        return [*map(str, SINGLE), MPNFM, *self.pairs]

    def _main(self) -> Iterable[Point]:
        for cpu, volume in (("native", self.volume), ("iss", self.iss_volume)):
            for name in WORKLOADS:
                workload = self.workload(name, volume, self.written)
                for pages in self.memories() if cpu == "native" else [*map(str, SINGLE), MPNFM]:
                    yield self.point(pages, workload, cpu, {}, part="main", workload=name)

    def _drive(self) -> Iterable[Point]:
        for name in WORKLOADS:
            workload = self.workload(name, self.volume, self.study.parameters["drive_written"], misaligned=AS_PUBLISHED)
            for pages in IN_MEANS:
                yield self.point(pages, workload, "native", OF_DRIVE, part="drive", workload=name)

    def _arrivals(self) -> Iterable[Point]:
        workload = self.arriving("Financial1", self.volume)
        for cpu in CPUS:
            for pages in ("4", "32", "64", MPNFM):
                yield self.point(pages, workload, cpu, {}, part="arrivals", workload="Financial1")

    def _limits(self) -> Iterable[Point]:
        for limit, values in self.limits.items():
            for value in values:
                for name in WORKLOADS:
                    for pages in OF_LIMIT.get(limit, ABSTRACT) if limit not in OF_MPNFM else (MPNFM,):
                        yield self._limit(limit, value, name, pages)

    def _limit(self, limit: str, value: Any, name: str, pages: str) -> Point:
        sets: dict[str, Any] = {}
        workload = self.workload(name, self.volume, self.written)
        if limit == "written":
            workload = self.workload(name, self.volume, value)
        elif limit == "misaligned":
            workload = self.workload(name, self.volume, self.written, misaligned=value)
        elif limit == "density":
            # As many extents of 64 KiB, of which so many of 16 pages are used.
            workload = self.workload(
                name, self.volume, self.written * value / 16, pages={"used": value, "read_only": 64}
            )
        elif limit == "threshold":
            sets["ftl.mpnfm.threshold"] = f"{value}KiB"
        elif limit == "read_modify":
            sets["ftl.read_modify"] = value
        elif limit == "byte_on_bus":
            sets = {"channels.t_rc": value, "channels.t_wc": value}
        elif limit == "filled":
            sets["precondition.fill"] = value
        return self.point(pages, workload, "native", sets, part="limits", workload=name, limit=limit, value=value)

    # ---- results

    def answers(self, results: Results) -> dict[str, Answer]:
        return Answers(self, results).all()

    def tables(self, results: Results) -> list[dict[str, Any]]:
        return Tables(Answers(self, results)).all()

    def pictures(self, results: Results, folder: Path) -> list[Path]:
        """Figures 6 to 10 as the paper draws them: over the memory of 2 KiB pages, a group for each workload."""
        from ..framework import pictures

        answers = Answers(self, results)

        def groups(metric: str, memories: Iterable[str], base: str) -> dict[str, dict[str, float | None]]:
            def over(name: str, pages: str) -> float:
                reference = answers.value(metric, base, name)
                if not reference:
                    raise NotMeasured
                return answers.value(metric, pages, name) / reference

            return {name: {f"{pages} KiB": ask(over, name, pages) for pages in memories} for name in WORKLOADS}

        figures = {"mean write latency (figure 6)": "write", "false capacity (figure 7)": "false_capacity"}
        memories = [*map(str, SINGLE), MPNFM]
        wear = {"erases (figure 10)": "erases", "erased bits (figure 10)": "erased_bits"}
        return [
            pictures.bars(
                {title: groups(metric, memories, "2") for title, metric in figures.items()},
                "pages",
                "2 KiB = 1",
                folder / "mpnfm_fig6_7.png",
            ),
            pictures.bars(
                {title: groups(metric, memories, "32") for title, metric in wear.items()},
                "pages",
                "32 KiB = 1",
                folder / "mpnfm_fig10.png",
            ),
            pictures.bars(
                {"mean write latency (figure 9)": groups("write", ["4", "32", MPNFM, *self.pairs], "2")},
                "pages",
                "2 KiB = 1",
                folder / "mpnfm_fig9.png",
            ),
        ]
