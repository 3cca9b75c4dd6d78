# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the results of the design-parameter study say to each figure of the paper."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from . import nand_cost
from ..framework.jobs import Profiles
from ..framework.study import Answer, NotMeasured, Results, StudyFile, ask


class Asked(Protocol):
    """What the answers need of the study."""

    study: StudyFile
    profiles: Profiles
    capacity: int
    pages: list[int]
    profile_pages: list[int]
    blocks: list[int]
    lengths: list[float]
    block_lengths: list[int]
    utilisations: list[float]
    utilisation: float
    states: list[str]
    gain_volumes: list[int]


BASELINE_PAGE, BASELINE_BLOCK = 16, 512  # KiB; pages
GENERATIONS = ((4, 128), (8, 256), (16, 512))  # KiB, pages a block; assumed, the last is the paper's baseline
PROFILES = {  # of table 3: file, mode and mean of the request lengths in KiB
    "digital_camera": ("params_camera", 4, 354.2),
    "file_server": ("params_file_server", 8, 11.2),
    "exchange": ("params_exchange", 4, 12.5),
    "cdm_random": ("params_cdm_random", 4, 3.7),
    "cdm_sequential": ("params_cdm_sequential", 1024, 968.0),
    "general_pc": ("params_general_pc", 4, 13.8),
}

STATES = {"none": "empty", "random": "each page written twice, at random", "steady": "steady"}
FIG_9 = ("digital_camera", "file_server", "exchange")
FIG_10 = ("cdm_random", "cdm_sequential", "general_pc")

SAME = 0.005  # of throughput; runs of one workload that differ by less are equal
Curve = dict[int, float]  # throughput by page or block size


def throughput(result: dict[str, Any]) -> float:
    """Eq. (1): data over time, one request at a time. MB/s."""
    return sum(op["bytes_per_s"] for op in result["ios"].values()) / 1e6


def energy_per_byte(result: dict[str, Any]) -> float:
    """pJ, of the flash."""
    return result["energy_pj"]["total"] / sum(op["bytes"] for op in result["ios"].values())


def operations(result: dict[str, Any], page: int) -> nand_cost.Operations:
    """What the drive did, as the paper's equations count it; whole pages (KiB) over the bus."""
    programs, copies = result["pages"]["host_programs"], result["pages"]["moved_programs"]
    reads = max(result["flash"]["reads"] - copies, result["pages"]["modify_reads"])
    return nand_cost.Operations(reads, programs, (reads + programs) * page * 1024, copies, result["flash"]["erases"])


def best_sizes(values: Curve) -> tuple[int, ...]:
    """The sizes within SAME of the best: more than one where size does not matter."""
    best = max(values.values())
    return tuple(size for size, value in values.items() if value >= (1 - SAME) * best)


def is_best(size: int, values: Curve) -> bool:
    """Not when all sizes are as good."""
    best = best_sizes(values)
    return size in best and len(best) < len(values)


def falls(values: Iterable[float]) -> bool:
    """From each to the next, or level; in all by more than SAME."""
    found = list(values)
    steps = all(later <= (1 + SAME) * earlier for earlier, later in zip(found, found[1:]))
    return steps and found[-1] < (1 - SAME) * found[0]


class Answers:
    """Reads the results of the study."""

    def __init__(self, study: Asked, results: Results):
        self.study, self.results = study, results

    def all(self) -> dict[str, Answer]:
        return {
            **self._lengths(),
            **self._best_pages(),
            **self._best_blocks(),
            **self._length_blocks(),
            **self._generations(),
            **self._cells(),
            "params.headline.max_gain": self._largest_gain(),
            "params.fig910.ru_order": self._updates(),
        }

    # ---- curves

    def _by_page(self, pages: Iterable[int], cpu: str, **labels: Any) -> Curve:
        return {page: throughput(self.results.get(cpu=cpu, page=page, **labels)) for page in pages}

    def _by_block(self, cpu: str, **labels: Any) -> Curve:
        return {block: throughput(self.results.get(cpu=cpu, block=block, **labels)) for block in self.study.blocks}

    def length(self, cpu: str, length: float, pattern: str, state: str) -> Curve:
        return self._by_page(self.study.pages, cpu, part="length", length=length, pattern=pattern, state=state)

    def length_block(self, cpu: str, length: int, utilisation: float) -> Curve:
        return self._by_block(cpu, part="length_block", length=length, utilisation=utilisation)

    def profile_page(self, name: str, cpu: str, utilisation: float, aligned: bool) -> Curve:
        return self._by_page(
            self.study.profile_pages, cpu, part="page", profile=name, utilisation=utilisation, aligned=aligned
        )

    def page_from(self, name: str, state: str) -> Curve:
        """On a drive that holds something else, requests aligned."""
        return self._by_page(self.study.profile_pages, "native", part="state", profile=name, state=state)

    def best_page_from(self, name: str, state: str) -> str:
        return _sizes(self.page_from(name, state))

    def profile_block(self, name: str, cpu: str, utilisation: float) -> Curve:
        return self._by_block(cpu, part="block", profile=name, utilisation=utilisation)

    def best_profile_page(self, name: str, cpu: str, utilisation: float, aligned: bool) -> str:
        return _sizes(self.profile_page(name, cpu, utilisation, aligned))

    def best_profile_block(self, name: str, cpu: str, utilisation: float) -> str:
        return _sizes(self.profile_block(name, cpu, utilisation))

    # ---- figure 5

    def _expected_page(self, length: float) -> int:
        """The request length, or the nearest page of the sweep."""
        return min(self.study.pages, key=lambda page: abs(page - length))

    def _lengths(self) -> dict[str, Answer]:
        def best(cpu: str, length: float, pattern: str) -> tuple[int, ...]:
            """On a fresh and on a full drive."""
            return tuple(best_sizes(self.length(cpu, length, pattern, state))[0] for state in ("fresh", "full"))

        found = {}
        for length in self.study.lengths:
            expected = self._expected_page(length)
            for pattern in ("random", "sequential"):
                name = f"params.fig5.best_page.{length:g}k_{pattern}" if length >= 1 else "params.fig5.best_page.0k5"
                if name in self.study.study.figures and name not in found:
                    found[name] = Answer.of(
                        lambda pages, expected=expected: set(pages) == {expected},
                        lambda cpu, length=length, pattern=pattern: best(cpu, length, pattern),
                        _fresh_and_full,
                    )

        cases = [(length, pattern) for length in self.study.lengths for pattern in ("random", "sequential")]

        def hits(cpu: str) -> int:
            return sum(
                page == self._expected_page(length) for length, pattern in cases for page in best(cpu, length, pattern)
            )

        others = [
            f"{length:g} KiB {pattern}: {_fresh_and_full(pages)}"
            for length, pattern in cases
            if (pages := ask(best, "native", length, pattern)) and set(pages) != {self._expected_page(length)}
        ]
        found["params.fig5.best_page.all"] = Answer.of(
            lambda number: number == 2 * len(cases),
            hits,
            lambda number: f"{number} of {2 * len(cases)} cases",
            note=("Otherwise: " + "; ".join(others) + ".") if others else "",
        )
        return found

    # ---- statements about profiles

    def _holds(
        self,
        fits: Callable[[Any], bool],
        value: Callable[[str, float], Any],
        show: Callable[[Any], Any],
        otherwise: str = "",
        state: str = "",
    ) -> Answer:
        """Judged at the study's own spare; the paper gives none, so the note has what the others say. `otherwise`: what
        else the note says."""
        at = self.study.utilisation
        seen = {u: ask(value, "native", u) for u in self.study.utilisations if u != at}
        others = [
            f"utilisation {u:g}: {show(found)}, {'fits' if fits(found) else 'does not fit'}"
            for u, found in seen.items()
            if found is not None
        ]
        note = "; ".join(filter(None, [*others, otherwise]))
        return Answer.of(fits, lambda cpu: value(cpu, at), show, note=f"{note}." if note else "", state=state)

    def _best_pages(self) -> dict[str, Answer]:
        last = self.study.pages[-1]
        paper = {"digital_camera": 32, "file_server": 8, "exchange": 4, "cdm_random": 4, "cdm_sequential": last}
        at = self.study.utilisation
        state = f"full, {at:g}, requests aligned"

        def page_figure(
            fits: Callable[[Any], bool], of: Callable[[str, float, bool], Any], show: Callable[[Any], Any]
        ) -> Answer:
            """Where requests begin at a page, with what comes out as table 3 has them."""
            as_in_table = ask(of, "native", at, False)
            other = None if as_in_table is None else f"as table 3 has them: {show(as_in_table)}"
            found = self._holds(fits, lambda cpu, u: of(cpu, u, True), show, other or "", state)
            before = ask(of, "native", at, True)
            if other is None or before is None:
                return found
            moved = f"requests that begin at a page: {show(before)}; {other}"
            return dataclasses.replace(found, experiment="" if fits(before) == fits(as_in_table) else moved)

        found = {}
        for name in PROFILES:
            page = paper.get(name, 4)
            figure = "fig6" if name in ("digital_camera", "file_server", "exchange") else "fig7"
            found[f"params.{figure}.best_page.{name}"] = page_figure(
                lambda curve, page=page: is_best(page, curve),
                lambda cpu, utilisation, aligned, name=name: self.profile_page(name, cpu, utilisation, aligned),
                lambda curve: f"{_sizes(curve)} KiB",
            )

        def by_mode(cpu: str, utilisation: float, aligned: bool) -> int:
            curves = {name: self.profile_page(name, cpu, utilisation, aligned) for name in PROFILES}
            return self._at_mode(curves)

        def ratio(cpu: str, utilisation: float, aligned: bool) -> float:
            curve = self.profile_page("exchange", cpu, utilisation, aligned)
            return curve[4] / curve[8]

        found["params.fig67.mode_rule"] = dataclasses.replace(
            page_figure(lambda number: number >= 5, by_mode, lambda number: f"{number:.3g} of 6"),
            experiment=self._by_state(by_mode, self._at_mode, lambda number: f"{number} of 6"),
        )
        file_server = "params.fig6.best_page.file_server"
        found[file_server] = dataclasses.replace(
            found[file_server],
            experiment=self._by_state(
                lambda cpu, u, aligned: self.profile_page("file_server", cpu, u, aligned),
                lambda curves: curves["file_server"],
                lambda curve: f"{_sizes(curve)} KiB",
            ),
        )
        found["params.fig6.exchange.4k_8k"] = page_figure(
            lambda value: abs(value - 1) <= 0.1, ratio, lambda v: round(v, 3)
        )
        return found

    def _at_mode(self, curves: dict[str, Curve]) -> int:
        """Profiles whose best page is as long as most of their requests, or the longest page."""
        last = self.study.pages[-1]
        return sum(is_best(min(mode, last), curves[name]) for name, (_, mode, _) in PROFILES.items())

    def _by_state(
        self,
        full: Callable[[str, float, bool], Any],
        of: Callable[[dict[str, Curve]], Any],
        show: Callable[[Any], str],
    ) -> str:
        """A figure by what the drive holds, requests aligned; empty where no other state has run."""
        seen = [("filled in order", ask(full, "native", self.study.utilisation, True))]
        for state in self.study.states:
            curves = {name: ask(self.page_from, name, state) for name in PROFILES}
            seen.append((STATES.get(state, state), None if None in curves.values() else of(curves)))
        texts = [f"{state} {show(value)}" for state, value in seen if value is not None]
        return ", ".join(texts) if len(texts) > 1 else ""

    def _best_blocks(self) -> dict[str, Answer]:
        found = {}
        for name in FIG_9:
            found[f"params.fig9.block_trend.{name}"] = self._holds(
                lambda curve: falls(curve.values()),
                lambda cpu, utilisation, name=name: self.profile_block(name, cpu, utilisation),
                _relative,
            )
        last = self.study.blocks[-1]
        for name, block in (("cdm_random", last), ("cdm_sequential", last), ("general_pc", 128)):
            answer = self._holds(
                lambda curve, block=block: is_best(block, curve),
                lambda cpu, utilisation, name=name: self.profile_block(name, cpu, utilisation),
                lambda curve: f"{_sizes(curve)} pages",
            )
            curve = ask(self.profile_block, name, "native", self.study.utilisation)
            equal = curve is not None and is_best(block, curve) and len(best_sizes(curve)) > 1
            found[f"params.fig10.best_block.{name}"] = dataclasses.replace(answer, undecided=equal)
        return found

    # ---- figure 8

    def _length_blocks(self) -> dict[str, Answer]:
        found = {}
        for length in (32, 256):
            found[f"params.fig8.block_trend.{length}k"] = self._holds(
                lambda curve: falls(curve.values()),
                lambda cpu, utilisation, length=length: self.length_block(cpu, length, utilisation),
                _relative,
            )

        def loss(cpu: str, length: int, utilisation: float) -> float:
            """Share of the throughput that the largest block loses against the smallest."""
            values = list(self.length_block(cpu, length, utilisation).values())
            return 1 - values[-1] / values[0]

        short = min(self.study.block_lengths)
        found["params.fig8.small_req"] = self._holds(
            lambda losses: losses[1] > SAME and losses[0] < losses[1],
            lambda cpu, utilisation: (loss(cpu, short, utilisation), loss(cpu, 32, utilisation)),
            lambda losses: f"loses {100 * losses[0]:.1f} %, 32 KiB {100 * losses[1]:.1f} %",
        )
        return found

    # ---- figures 1 and 11, the largest gain

    def _generations(self) -> dict[str, Answer]:
        def cost(cpu: str) -> list[float]:
            if cpu != "native":
                raise NotMeasured  # an equation: cores do not matter
            areas = []
            for page, block in GENERATIONS:
                blocks = self.study.capacity * 1024 * 1024 // (page * block)
                areas.append(nand_cost.area_per_bit(nand_cost.MLC, page, block, blocks))
            return areas

        def gain(metric: Callable[[dict[str, Any]], float], name: str, cpu: str) -> float:
            """The last generation over the first."""
            labels = {"part": "generation", "profile": name, "cpu": cpu, "utilisation": self.study.utilisation}
            first, last = (metric(self.results.get(number=number, **labels)) for number in (0, len(GENERATIONS) - 1))
            return last / first

        return {
            "params.fig1.cost_falls": Answer.of(
                falls,
                cost,
                lambda areas: " > ".join(f"{area / areas[0]:.3f}" for area in areas),
                note="By eq. (2); generations 4 KiB x 128, 8 KiB x 256, 16 KiB x 512 pages are assumed.",
            ),
            "params.fig1.trend_differs": Answer.of(
                lambda gains: gains[0] > 1 > gains[1],
                lambda cpu: (gain(throughput, "cdm_sequential", cpu), gain(throughput, "cdm_random", cpu)),
                lambda gains: f"sequential x{gains[0]:.2f}, random x{gains[1]:.2f}",
                note="Last generation over the first.",
            ),
            "params.conclusion.trend": Answer.of(
                lambda gains: gains[0] < 1 < gains[1],
                lambda cpu: (gain(throughput, "cdm_random", cpu), gain(energy_per_byte, "cdm_random", cpu)),
                lambda gains: f"throughput x{gains[0]:.2f}, energy per byte x{gains[1]:.2f}",
                note="CDM random, the last generation over the first; cost falls.",
            ),
        }

    def _cells(self) -> dict[str, Answer]:
        def runs(cpu: str) -> list[dict[str, Any]]:
            return [self.results.get(part="cell", cell=cell, cpu=cpu) for cell in ("mlc", "slc")]

        def speed(cpu: str) -> float:
            mlc, slc = map(throughput, runs(cpu))
            return mlc / slc

        def energy(cpu: str) -> tuple[float, float]:
            """Of the drive, and by the equations from its counts."""
            mlc, slc = runs(cpu)
            counted = [
                nand_cost.total_energy(cell, operations(run, BASELINE_PAGE))
                for cell, run in ((nand_cost.MLC, mlc), (nand_cost.SLC, slc))
            ]
            return energy_per_byte(mlc) / energy_per_byte(slc), counted[0] / counted[1]

        def cost(cpu: str) -> float:
            if cpu != "native":
                raise NotMeasured  # an equation: cores do not matter
            return max(costs)

        blocks = self.study.capacity * 1024 * 1024 // (BASELINE_PAGE * BASELINE_BLOCK)
        costs = []
        for overheads in ((2, 1), (5, 10)):
            areas = [
                nand_cost.area(cell, BASELINE_PAGE, BASELINE_BLOCK, blocks, *overheads)
                for cell in (nand_cost.MLC, nand_cost.SLC)
            ]
            costs.append(areas[0] / areas[1])
        return {
            "params.fig11.performance": Answer.of(lambda value: value < 1, speed, lambda value: round(value, 3)),
            "params.fig11.power": Answer.of(
                lambda ratios: min(ratios) > 1,
                energy,
                lambda ratios: f"{ratios[0]:.2f} (by eq. (12) {ratios[1]:.2f})",
                note="Energy per byte of the drive, and by the equations from its counts of operations.",
            ),
            "params.fig11.cost": Answer.within(
                0.5, 0.02, cost, f"Eq. (2) at 512 pages: {costs[0]:.3f} to {costs[1]:.3f} over the range of overheads."
            ),
        }

    def _updates(self) -> Answer:
        """Of the workloads alone: cores do not matter."""

        def shares(cpu: str) -> list[float]:
            if cpu != "native":
                raise NotMeasured
            files = (self.study.profiles.file(PROFILES[name][0]) for name in (*FIG_9, *FIG_10))
            return [100 * found["R_u_2KiB"] for found in self.results.workloads.of_all(files)]

        return Answer.of(
            lambda found: max(found[: len(FIG_9)]) < min(found[len(FIG_9) :]),
            shares,
            lambda found: ", ".join(f"{value:.1f}" for value in found) + " %",
            note=f"R_u of whole profiles, pages of 2 KiB: {', '.join((*FIG_9, *FIG_10))}.",
        )

    def _largest_gain(self) -> Answer:
        def gains(cpu: str) -> Iterable[tuple[float, str]]:
            """Throughput over that of 16 KiB x 512 pages with the same workload and spare, and where."""
            curves: list[tuple[Curve | None, int, str]] = []
            for utilisation in self.study.utilisations if cpu == "native" else [self.study.utilisation]:
                for name in PROFILES:
                    where = f"{name}, utilisation {utilisation:g}"
                    by_page = ask(self.profile_page, name, cpu, utilisation, True)
                    curves.append((by_page, BASELINE_PAGE, f"KiB pages, aligned, {where}"))
                    curves.append(
                        (ask(self.profile_block, name, cpu, utilisation), BASELINE_BLOCK, f"pages a block, {where}")
                    )
            for length in self.study.lengths:
                for state in ("fresh", "full"):
                    curve = ask(self.length, cpu, length, "random", state)
                    curves.append((curve, BASELINE_PAGE, f"KiB pages, {length:g} KiB at random, {state} drive"))
            return [
                (value / curve[base], f"{size} {where}")
                for curve, base, where in curves
                if curve
                for size, value in curve.items()
            ]

        def most(cpu: str) -> float:
            return max(gains(cpu), default=(None, ""))[0] or _not_measured()

        found = max(gains("native"), default=None)
        return Answer.within(15, 3, most, f"Found at: {found[1]}." if found else "", experiment=self._gain_by_volume())

    def _gain_by_volume(self) -> str:
        """Of the smallest pages over the baseline's, with the shortest requests."""

        def gain(volume: int) -> float:
            pages = (min(self.study.pages), BASELINE_PAGE)
            found = [self.results.get(part="volume", volume=volume, page=page, cpu="native") for page in pages]
            return throughput(found[0]) / throughput(found[1])

        known = {volume: ask(gain, volume) for volume in self.study.gain_volumes}
        if None in known.values() or not known:
            return ""
        return (
            f"{min(self.study.pages)} KiB pages, {min(self.study.lengths):g} KiB at random, full drive, by what was written: "
            + ", ".join(f"{volume} MiB x{value:.1f}" for volume, value in known.items())
        )


def _not_measured() -> float:
    raise NotMeasured


def _fresh_and_full(pages: tuple[int, ...]) -> str:
    return f"{pages[0]} KiB" if len(set(pages)) == 1 else f"{pages[0]} KiB fresh, {pages[1]} KiB full"


def _sizes(curve: Curve) -> str:
    """The best size, or all of them that are as good."""
    best = best_sizes(curve)
    return "any" if len(best) == len(curve) else " or ".join(map(str, best))


def _relative(curve: Curve) -> str:
    """From the smallest size to the largest, against the first."""
    values = list(curve.values())
    return ", ".join(f"{value / values[0]:.2f}" for value in values)
