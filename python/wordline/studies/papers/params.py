# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Bang et al., "Application-aware Design Parameter Exploration of NAND Flash Memory", JSTS 13(4), 2013: page size,
block size and cell type on synthetic and real workloads, on the whole drive instead of a sum of operation times.

Parts of the study, as the label `part` of a point:
  length        figure 5: one request length, every page size, 512 pages a block; fresh or full drive
  length_block  figure 8: one request length, 16 KiB pages, every block size; full drive
  page, block   figures 6, 7 and 9, 10: a profile of table 3, every page or block size, by spare; every page size with
                requests that begin at one (`aligned`), as figures 6 and 7 ask, and as table 3 has them
  state         figures 6 and 7 on a drive that holds something else when the requests begin
  volume        the shortest requests at random on a full drive, by how much they write: the smallest pages and the baseline's
  generation    figure 1: page and block size grow together
  cell          figure 11: SLC and MLC
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import nand_cost
from ..framework.jobs import Profiles, fio
from .params_answers import BASELINE_BLOCK, BASELINE_PAGE, GENERATIONS, PROFILES, STATES, Answers
from ..framework.points import Point, Workload
from ..framework.study import CPUS, Answer, Results, StudyFile, ask


def geometry(capacity: int, page: int, block: int, bits: int = 2) -> dict[str, Any]:
    """Keys of a die of so many GiB, with pages of so many KiB, so many pages a block, so many bits a cell."""
    return {
        "nand.page": f"{page}KiB",
        "nand.spare": f"{page * 552 // 4}B",  # what the code needs
        "nand.wls_per_layer": block // bits,
        "nand.blocks_per_plane": capacity * 1024 * 1024 // (page * block),
    }


def spare(utilisation: float) -> dict[str, Any]:
    """Exported over usable capacity, as the key of the drive."""
    return {"ftl.over_provisioning": round(1 / utilisation - 1, 6)}


class Study:
    """The points of the study, and what their results say to each figure."""

    def __init__(self, study: StudyFile, profiles: Profiles):
        self.study, self.profiles = study, profiles
        chosen = study.parameters
        self.capacity: int = chosen["capacity_gib"]
        self.pages: list[int] = chosen["pages"]
        self.profile_pages: list[int] = chosen["profile_pages"]
        self.blocks: list[int] = chosen["blocks"]
        self.lengths: list[float] = chosen["lengths"]
        self.block_lengths: list[int] = chosen["block_lengths"]
        self.utilisations: list[float] = chosen["utilisations"]
        self.utilisation: float = chosen["utilisation"]
        self.block_spares: list[float] = chosen["block_utilisations"]
        self.table_3_spares: list[float] = chosen["table_3_utilisations"]
        self.states: list[str] = chosen["states"]
        self.gain_volumes: list[int] = chosen["gain_volumes"]  # MiB
        self.volume = int(chosen["volume_mib"] * 1024)  # KiB that a synthetic workload writes
        self.profile_volume = int(chosen["profile_mib"] * 1024)  # KiB
        self.steady_volume = int(chosen["steady_mib"] * 1024)  # KiB

    # ---- points

    def point(self, workload: Workload, sets: dict[str, Any], cpu: str, drive: str = "mlc", **labels: Any) -> Point:
        config = self.study.config if drive == "mlc" else self.study.config.with_name("slc_4gib.toml")
        cycle = "60ns" if drive == "mlc" else "30ns"
        bus = {"channels.mode": "sdr-0", "channels.t_rc": cycle, "channels.t_wc": cycle}
        return Point.make(config, workload, {**bus, **self.study.sets, **CPUS[cpu], **sets}, {**labels, "cpu": cpu})

    def synthetic(self, length: float, pattern: str, volume: int) -> Workload:
        """Requests of one length, aligned to it, over the whole drive; the same volume for each length. In KiB."""
        options = {"bs": int(length * 1024), "iodepth": 1, "number_ios": max(64, int(volume / length))}
        if pattern == "random":
            return fio(f"random_{length:g}k", rw="randwrite", norandommap=True, **options)
        return fio(f"sequential_{length:g}k", rw="write", **options)

    def full(self, utilisation: float) -> dict[str, Any]:
        return {"precondition.fill": self.study.parameters["full_state"], **spare(utilisation)}

    def points(self) -> list[Point]:
        sweeps = [*self._lengths(), *self._length_blocks(), *self._profiles(), *self._states()]
        return [*sweeps, *self._volumes(), *self._generations(), *self._cells()]

    def _lengths(self) -> Iterable[Point]:
        states = {"fresh": spare(self.utilisation), "full": self.full(self.utilisation)}
        for cpu in CPUS:
            for length in self.lengths:
                for pattern in ("random", "sequential"):
                    workload = self.synthetic(length, pattern, self.volume)
                    for page in self.pages:
                        for state, sets in states.items():
                            sets = {**geometry(self.capacity, page, BASELINE_BLOCK), **sets}
                            labels = {"part": "length", "length": length, "page": page, "pattern": pattern}
                            yield self.point(workload, sets, cpu, state=state, **labels)

    def _length_blocks(self) -> Iterable[Point]:
        for cpu, utilisation in self._spares():
            for length in self.block_lengths if utilisation in self.block_spares else ():
                workload = self.synthetic(length, "random", self.profile_volume)
                for block in self.blocks:
                    sets = {**geometry(self.capacity, BASELINE_PAGE, block), **self.full(utilisation)}
                    labels = {"part": "length_block", "length": length, "block": block, "utilisation": utilisation}
                    yield self.point(workload, sets, cpu, **labels)

    def _spares(self) -> list[tuple[str, float]]:
        """Every spare with free firmware; firmware that costs only with the study's own, if at all."""
        free = [("native", utilisation) for utilisation in self.utilisations]
        return [*free, ("iss", self.utilisation)] if self.study.parameters["profiles_on_iss"] else free

    def _profiles(self) -> Iterable[Point]:
        for cpu, utilisation in self._spares():
            for name in PROFILES:
                for page in self.profile_pages:
                    for aligned in (True, False) if utilisation in self.table_3_spares else (True,):
                        labels = {"part": "page", "page": page, "aligned": aligned}
                        yield self._profile((page, BASELINE_BLOCK), name, cpu, utilisation, **labels)
                for block in self.blocks if utilisation in self.block_spares else ():
                    yield self._profile((BASELINE_PAGE, block), name, cpu, utilisation, part="block", block=block)

    def _states(self) -> Iterable[Point]:
        for state in self.states:
            for name in PROFILES:
                for page in self.profile_pages:
                    sets = {**geometry(self.capacity, page, BASELINE_BLOCK), **spare(self.utilisation)}
                    volume = self.steady_volume if state == "steady" else self.profile_volume
                    workload = self.workload(name, self.utilisation, True, volume)
                    labels = {"part": "state", "state": state, "profile": name, "page": page}
                    yield self.point(workload, {**sets, "precondition.fill": state}, "native", **labels)

    def _profile(self, sizes: tuple[int, int], name: str, cpu: str, utilisation: float, **labels: Any) -> Point:
        """`sizes`: KiB of a page, pages of a block."""
        sets = {**geometry(self.capacity, *sizes), **self.full(utilisation)}
        workload = self.workload(name, utilisation, labels.get("aligned", False))
        return self.point(workload, sets, cpu, profile=name, utilisation=utilisation, **labels)

    def workload(self, name: str, utilisation: float, aligned: bool = False, volume: int = 0) -> Workload:
        """So much of the profile as is to be moved; its own footprint, or what the drive exports if that is less.
        `aligned`: requests begin at a page of 4 KiB. `volume`: KiB that are moved, if not as many as in the sweeps."""
        file, _, mean = PROFILES[name]
        most = int(self.capacity * 1024 * 256 * utilisation * 0.995)  # a block more or less is spare
        made = self.profiles.within(file, max(200, int((volume or self.profile_volume) / mean)), most)
        return self.profiles.changed(made, file, misaligned=0.0) if aligned else made

    def _volumes(self) -> Iterable[Point]:
        for volume in self.gain_volumes:
            workload = self.synthetic(min(self.lengths), "random", volume * 1024)
            for page in (min(self.pages), BASELINE_PAGE):
                sets = {**geometry(self.capacity, page, BASELINE_BLOCK), **self.full(self.utilisation)}
                yield self.point(workload, sets, "native", part="volume", volume=volume, page=page)

    def _generations(self) -> Iterable[Point]:
        for cpu in CPUS:
            for name in ("cdm_random", "cdm_sequential"):
                for number, sizes in enumerate(GENERATIONS):
                    yield self._profile(sizes, name, cpu, self.utilisation, part="generation", number=number)

    def _cells(self) -> Iterable[Point]:
        workload = self.workload("general_pc", self.utilisation)
        for cpu in CPUS:
            for cell, bits in (("slc", 1), ("mlc", 2)):
                sets = geometry(self.capacity, BASELINE_PAGE, BASELINE_BLOCK, bits)
                yield self.point(workload, {**sets, **self.full(self.utilisation)}, cpu, cell, part="cell", cell=cell)

    # ---- results

    def answers(self, results: Results) -> dict[str, Answer]:
        return Answers(self, results).all()

    def tables(self, results: Results) -> list[dict[str, Any]]:
        """Beside the figures: what each geometry costs, and which sizes are best at which spare."""
        answers = Answers(self, results)
        costs = []
        for block in self.blocks:
            number = self.capacity * 1024 * 1024 // (BASELINE_PAGE * block)
            slc, mlc = (nand_cost.area_per_bit(c, BASELINE_PAGE, block, number) for c in (nand_cost.SLC, nand_cost.MLC))
            costs.append([block, slc, mlc, mlc / slc])
        best = [
            [
                name,
                *(ask(answers.best_profile_page, name, "native", u, True) for u in self.utilisations),
                *(ask(answers.best_profile_page, name, "native", u, False) for u in self.table_3_spares),
                *(ask(answers.best_profile_block, name, "native", u) for u in self.block_spares),
            ]
            for name in PROFILES
        ]
        spares = [f"{value:g}" for value in self.utilisations]
        held = [
            [
                name,
                ask(answers.best_profile_page, name, "native", self.utilisation, True),
                *(ask(answers.best_page_from, name, state) for state in self.states),
            ]
            for name in PROFILES
        ]
        return [
            {
                "title": "Best page by what the drive holds at the begin",
                "text": "In KiB; requests that begin at a page of 4 KiB, 512 pages a block, free firmware.",
                "head": ["profile", "filled in order", *(STATES.get(state, state) for state in self.states)],
                "rows": held,
            },
            {
                "title": "Area by eq. (2)",
                "detail": True,
                "text": f"Relative area per bit, pages of 16 KiB, {self.capacity} GiB, O_b = 2, O_p = 1.",
                "head": ["pages a block", "SLC", "MLC", "MLC / SLC"],
                "rows": costs,
            },
            {
                "title": "Best page and best block by spare",
                "text": "Free firmware. Best page size in KiB with 512 pages a block, with requests that begin at a page "
                "of 4 KiB and as table 3 has them; then the best number of pages of 16 KiB a block; by utilisation "
                "(exported over usable capacity). The paper's table 3 and its figures 6 and 7 exclude each other: by the "
                "table a write of CDM random (3.7 KiB in the mean) takes 2.81 pages of 2 KiB, so most requests begin "
                "inside of a page; by the figures pages of 4 KiB are best, which they are where requests begin at one.",
                "head": [
                    "profile",
                    *(f"page, aligned, {u}" for u in spares),
                    *(f"page, table 3, {u:g}" for u in self.table_3_spares),
                    *(f"block, {u:g}" for u in self.block_spares),
                ],
                "rows": best,
            },
        ]

    def pictures(self, results: Results, folder: Path) -> list[Path]:
        """As the paper draws them: throughput over that of the baseline, a group for each length or profile."""
        from ..framework import pictures

        answers = Answers(self, results)

        def normalised(base: int, unit: str, curve: Any, *arguments: Any) -> dict[str, float | None]:
            values = ask(curve, *arguments) or {}
            return {f"{size} {unit}": value / values[base] for size, value in values.items()}

        def lengths(pattern: str, state: str) -> dict[str, dict[str, float | None]]:
            return {
                f"{length:g} KiB": normalised(BASELINE_PAGE, "KiB", answers.length, "native", length, pattern, state)
                for length in self.lengths
            }

        def profiles(
            base: int, unit: str, curve: Any, utilisation: float, *more: bool
        ) -> dict[str, dict[str, float | None]]:
            return {
                name.replace("_", "\n"): normalised(base, unit, curve, name, "native", utilisation, *more)
                for name in PROFILES
            }

        def blocks(utilisation: float) -> dict[str, dict[str, float | None]]:
            return {
                f"{length:g} KiB": normalised(
                    BASELINE_BLOCK, "pages", answers.length_block, "native", length, utilisation
                )
                for length in self.block_lengths
            }

        by_page, by_block = "throughput, 16 KiB = 1", "throughput, 512 pages = 1"
        return [
            pictures.bars(
                {
                    f"{pattern}, {state} drive": lengths(pattern, state)
                    for state in ("fresh", "full")
                    for pattern in ("random", "sequential")
                },
                "page",
                by_page,
                folder / "params_fig5.png",
            ),
            pictures.bars(
                {
                    f"utilisation {self.utilisation:g}, {text}": profiles(
                        BASELINE_PAGE, "KiB", answers.profile_page, self.utilisation, aligned
                    )
                    for aligned, text in ((True, "requests begin at a page"), (False, "as table 3 has them"))
                },
                "page",
                by_page,
                folder / "params_fig6_7.png",
            ),
            pictures.bars(
                {f"utilisation {u:g}": blocks(u) for u in self.block_spares},
                "block",
                by_block,
                folder / "params_fig8.png",
            ),
            pictures.bars(
                {
                    f"utilisation {u:g}": profiles(BASELINE_BLOCK, "pages", answers.profile_block, u)
                    for u in self.block_spares
                },
                "block",
                by_block,
                folder / "params_fig9_10.png",
            ),
        ]
