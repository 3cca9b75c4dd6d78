# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Bang et al., "Application-aware Design Parameter Exploration of NAND Flash Memory", JSTS 13(4), 2013: page size, block
size and cell type on synthetic and real workloads, on the whole drive instead of a sum of operation times.

Parts of the study, as the label `part` of a point:
  length    figure 5: one request length, every page size, 512 pages a block; fresh or full drive
  length_block  figure 8: one request length, 16 KiB pages, every block size; full drive
  page, block   figures 6, 7 and 9, 10: a profile of table 3, every page or block size, by spare
  generation    figure 1: page and block size grow together
  cell      figure 11: SLC and MLC
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from . import nand_cost
from .jobs import fio, profile
from .points import Point, Workload
from .study import Answer, Results, StudyFile

CPUS: dict[str, dict[str, Any]] = {
    # The paper charges no firmware: native cores so fast that theirs takes no time.
    "native": {"cpu.model": "native", "cpu.clock": "1000GHz"},
    "iss": {"cpu.model": "iss"},
}
BASELINE_PAGE, BASELINE_BLOCK = 16, 512
GENERATIONS = ((4, 128), (8, 256), (16, 512))  # KiB, pages a block; the paper's figure 1 cannot be read, the last is its baseline
SMALLEST_BURST = 4 * 552  # spare bytes that the code needs for 16 KiB
PROFILES = ("digital_camera", "file_server", "exchange", "cdm_random", "cdm_sequential", "general_pc")
MODES = {"digital_camera": 4, "file_server": 8, "exchange": 4, "cdm_random": 4, "cdm_sequential": 1024, "general_pc": 4}


def geometry(capacity: int, page: int, block: int, bits: int = 2) -> dict[str, Any]:
    """Keys of a die of so many GiB, with pages of so many KiB and so many pages a block."""
    return {"nand.page": f"{page}KiB", "nand.spare": f"{page * 552 // 4}B", "nand.wls_per_layer": block // bits,
            "nand.blocks_per_plane": capacity * 1024 * 1024 // (page * block)}


def spare(utilisation: float) -> dict[str, Any]:
    """Exported over usable capacity, as the key of the drive."""
    return {"ftl.over_provisioning": round(1 / utilisation - 1, 6)}


class Study:
    """The points of the study, and what their results say to each figure."""

    def __init__(self, study: StudyFile, root: Path):
        self.study, self.root = study, root
        chosen = study.parameters
        self.capacity: int = chosen["capacity_gib"]
        self.pages: list[int] = chosen["pages"]
        self.blocks: list[int] = chosen["blocks"]
        self.lengths: list[float] = chosen["lengths"]
        self.block_lengths: list[int] = chosen["block_lengths"]
        self.utilisations: list[float] = chosen["utilisations"]
        self.utilisation: float = chosen["utilisation"]
        self.volume = int(chosen["volume_mib"] * 1024)  # KiB that a synthetic workload writes
        self.requests: int = chosen["profile_requests"]

    # ---- points

    def point(self, workload: Workload, sets: dict[str, Any], cpu: str, drive: str = "mlc", **labels: Any) -> Point:
        config = self.study.config if drive == "mlc" else self.study.config.with_name("slc_4gib.toml")
        cycle = "60ns" if drive == "mlc" else "30ns"
        bus = {"channels.mode": "sdr-0", "channels.t_rc": cycle, "channels.t_wc": cycle}
        return Point.make(config, workload, {**bus, **self.study.sets, **CPUS[cpu], **sets}, {**labels, "cpu": cpu})

    def synthetic(self, length: float, pattern: str) -> Workload:
        """Requests of one length, aligned to it, over the whole drive; the same volume for each length."""
        return fio(f"{pattern}_{length:g}k", rw="randwrite" if pattern == "random" else "write", bs=f"{int(length * 1024)}",
                   norandommap=True if pattern == "random" else None, iodepth=1, number_ios=max(64, int(self.volume / length)))

    def full(self, utilisation: float) -> dict[str, Any]:
        return {"precondition.fill": self.study.parameters["full_state"], **spare(utilisation)}

    def points(self) -> list[Point]:
        return [*self._lengths(), *self._length_blocks(), *self._profiles(), *self._generations_and_cells()]

    def _lengths(self) -> Iterable[Point]:
        for cpu in CPUS:
            for length in self.lengths:
                for page in self.pages:
                    for pattern in ("random", "sequential"):
                        for state in ("fresh", "full"):
                            sets = geometry(self.capacity, page, BASELINE_BLOCK)
                            sets |= self.full(self.utilisation) if state == "full" else spare(self.utilisation)
                            yield self.point(self.synthetic(length, pattern), sets, cpu, part="length", length=length, page=page,
                                             pattern=pattern, state=state)

    def _length_blocks(self) -> Iterable[Point]:
        for cpu, utilisation in self._spares():
            for length in self.block_lengths:
                for block in self.blocks:
                    yield self.point(self.synthetic(length, "random"), {**geometry(self.capacity, BASELINE_PAGE, block),
                                     **self.full(utilisation)}, cpu, part="length_block", length=length, block=block,
                                     utilisation=utilisation)

    def _spares(self) -> Iterable[tuple[str, float]]:
        """Every spare with free firmware; firmware that costs only with the study's own."""
        return [*(("native", utilisation) for utilisation in self.utilisations), ("iss", self.utilisation)]

    def _profiles(self) -> Iterable[Point]:
        for cpu, utilisation in self._spares():
            for name in PROFILES:
                for page in self.pages:
                    yield self._profile_point(name, (page, BASELINE_BLOCK), cpu, utilisation, part="page", page=page)
                for block in self.blocks:
                    yield self._profile_point(name, (BASELINE_PAGE, block), cpu, utilisation, part="block", block=block)

    def _profile_point(self, name: str, sizes: tuple[int, int], cpu: str, utilisation: float, **labels: Any) -> Point:
        """`sizes`: KiB of a page, pages of a block."""
        sets = {**geometry(self.capacity, *sizes), **self.full(utilisation)}
        return self.point(profile(self.root, name, self.requests), sets, cpu, profile=name, utilisation=utilisation, **labels)

    def _generations_and_cells(self) -> Iterable[Point]:
        for cpu in CPUS:
            for name in ("cdm_random", "cdm_sequential"):
                for number, sizes in enumerate(GENERATIONS):
                    yield self._profile_point(name, sizes, cpu, self.utilisation, part="generation", number=number)
            for cell, bits in (("slc", 1), ("mlc", 2)):
                sets = {**geometry(self.capacity, BASELINE_PAGE, BASELINE_BLOCK, bits), **self.full(self.utilisation)}
                yield self.point(profile(self.root, "general_pc", self.requests), sets, cpu, cell, part="cell", cell=cell)

    # ---- results

    def answers(self, results: Results) -> dict[str, Answer]:
        return Answers(self, results).all()

    def tables(self, results: Results) -> list[dict[str, Any]]:
        """Beside the figures: what each geometry costs, and where each statement about a profile holds."""
        answers = Answers(self, results)
        costs = []
        for block in self.blocks:
            number = self.capacity * 1024 * 1024 // (BASELINE_PAGE * block)
            slc, mlc = (nand_cost.area_per_bit(cell, BASELINE_PAGE, block, number) for cell in (nand_cost.SLC, nand_cost.MLC))
            costs.append([block, slc, mlc, mlc / slc])
        best = [[name, *(answers.best_profile_page(name, "native", u) for u in self.utilisations),
                 *(answers.best_profile_block(name, "native", u) for u in self.utilisations)] for name in PROFILES]
        spares = [f"{value:g}" for value in self.utilisations]
        return [
            {"title": "Area by eq. (2)", "text": f"Relative area per bit, pages of 16 KiB, {self.capacity} GiB, O_b = 2, O_p = 1.",
             "head": ["pages a block", "SLC", "MLC", "MLC / SLC"], "rows": costs},
            {"title": "Best page and best block by spare", "text": "Free firmware. Columns: best page size in KiB with 512 pages a "
             "block, then best number of pages of 16 KiB a block, by exported over usable capacity.",
             "head": ["profile", *(f"page, {u}" for u in spares), *(f"block, {u}" for u in spares)], "rows": best},
        ]

    def pictures(self, results: Results, folder: Path) -> list[Path]:
        """As the paper draws them: throughput over that of the baseline, a group for each request length or profile."""
        from . import pictures

        answers = Answers(self, results)
        by_page, by_block = f"{BASELINE_PAGE} KiB = 1", f"{BASELINE_BLOCK} pages = 1"

        def lengths(pattern: str, state: str) -> dict[str, dict[str, float | None]]:
            return {f"{length:g} KiB": _normalised(answers.by_page("native", part="length", length=length, pattern=pattern,
                                                                   state=state), BASELINE_PAGE, "KiB") for length in self.lengths}

        def profiles(part: str, utilisation: float) -> dict[str, dict[str, float | None]]:
            curve, base, unit = ((answers.by_page, BASELINE_PAGE, "KiB") if part == "page"
                                 else (answers.by_block, BASELINE_BLOCK, "pages"))
            return {name.replace("_", "\n"): _normalised(curve("native", part=part, profile=name, utilisation=utilisation), base, unit)
                    for name in PROFILES}

        def blocks(utilisation: float) -> dict[str, dict[str, float | None]]:
            return {f"{length:g} KiB": _normalised(answers.by_block("native", part="length_block", length=length,
                                                                    utilisation=utilisation), BASELINE_BLOCK, "pages")
                    for length in self.block_lengths}

        return [
            pictures.bars({f"{pattern}, {state} drive": lengths(pattern, state) for state in ("fresh", "full")
                           for pattern in ("random", "sequential")}, "page", f"throughput, {by_page}", folder / "params_fig5.png"),
            pictures.bars({f"utilisation {u:g}": profiles("page", u) for u in self.utilisations}, "page",
                          f"throughput, {by_page}", folder / "params_fig6_7.png"),
            pictures.bars({f"utilisation {u:g}": blocks(u) for u in self.utilisations}, "block", f"throughput, {by_block}",
                          folder / "params_fig8.png"),
            pictures.bars({f"utilisation {u:g}": profiles("block", u) for u in self.utilisations}, "block",
                          f"throughput, {by_block}", folder / "params_fig9_10.png"),
        ]


def throughput(result: dict[str, Any] | None) -> float | None:
    """Eq. (1): data over time, one request at a time. MB/s."""
    return None if result is None else sum(op["bytes_per_s"] for op in result["ios"].values()) / 1e6


def operations(result: dict[str, Any], page: int) -> nand_cost.Operations:
    """What the drive did, as the paper's equations count it; whole pages over the bus."""
    host, modified = result["pages"]["host_programs"], result["pages"]["modify_reads"]
    copies = result["pages"]["moved_programs"]
    reads = result["flash"]["reads"] - copies
    return nand_cost.Operations(max(reads, modified), host, (max(reads, modified) + host) * page * 1024, copies,
                                result["flash"]["erases"])


def largest(values: dict[Any, float | None]) -> Any:
    """The key of the largest value; None when one is missing."""
    if not values or any(value is None for value in values.values()):
        return None
    return max(values, key=lambda key: values[key] or 0.0)


def falls(values: Iterable[float | None]) -> bool | None:
    found = list(values)
    if len(found) < 2 or any(value is None for value in found):
        return None
    return all(later < earlier for earlier, later in zip(found, found[1:]))  # type: ignore[operator]


class Answers:
    """Reads the results of the study."""

    def __init__(self, params: Study, results: Results):
        self.params, self.results = params, results
        self.found: dict[str, Answer] = {}

    def all(self) -> dict[str, Answer]:
        self._lengths()
        self._profiles()
        self._length_blocks()
        self._generations()
        self._cells()
        self._largest_gain()
        return self.found

    # ---- curves: throughput by page or block size

    def by_page(self, cpu: str, **labels: Any) -> dict[int, float | None]:
        return {page: throughput(self.results.get(cpu=cpu, page=page, **labels)) for page in self.params.pages}

    def by_block(self, cpu: str, **labels: Any) -> dict[int, float | None]:
        return {block: throughput(self.results.get(cpu=cpu, block=block, **labels)) for block in self.params.blocks}

    def both(self, value: Callable[[str], Any]) -> tuple[Any, Any]:
        return value("native"), value("iss")

    # ---- figure 5

    def expected_page(self, length: float) -> int:
        """The request length, or the nearest page of the sweep."""
        return min(self.params.pages, key=lambda page: abs(page - length))

    def best_page(self, cpu: str, length: float, pattern: str, state: str) -> int | None:
        return largest(self.by_page(cpu, part="length", length=length, pattern=pattern, state=state))

    def _lengths(self) -> None:
        for length in self.params.lengths:
            name = f"{length:g}k" if length >= 1 else "0k5"
            expected = self.expected_page(length)
            for pattern in ("random", "sequential"):
                fresh = self.both(lambda cpu: self.best_page(cpu, length, pattern, "fresh"))
                full = self.both(lambda cpu: self.best_page(cpu, length, pattern, "full"))
                answer = Answer.of(lambda pages: pages == (expected, expected), *self._pairs(fresh, full), show=_fresh_and_full)
                wanted = f"params.fig5.best_page.{name}" + ("" if length < 1 else f"_{pattern}")
                if wanted in self.params.study.figures and (length >= 1 or pattern == "random"):
                    self.found[wanted] = answer
        cases = [(length, pattern, state) for length in self.params.lengths for pattern in ("random", "sequential")
                 for state in ("fresh", "full")]

        def share(cpu: str) -> float | None:
            best = [self.best_page(cpu, *case) for case in cases]
            if any(page is None for page in best):
                return None
            return sum(page == self.expected_page(case[0]) for page, case in zip(best, cases)) / len(cases)

        others = [f"{length:g} KiB {pattern} {state}: {best} KiB" for length, pattern, state in cases
                  if (best := self.best_page("native", length, pattern, state)) not in (None, self.expected_page(length))]
        self.found["params.fig5.best_page.all"] = Answer.of(
            lambda value: value == 1, *self.both(share), show=lambda value: f"{value * len(cases):.0f} of {len(cases)} cases",
            note=("Otherwise: " + "; ".join(others) + ".") if others else "")

    @staticmethod
    def _pairs(fresh: tuple[Any, Any], full: tuple[Any, Any]) -> tuple[Any, Any]:
        return tuple(None if None in pair else pair for pair in zip(fresh, full))  # type: ignore[return-value]

    # ---- figures 6, 7, 9, 10: profiles, by spare

    def holds(self, check: Callable[[str, float], bool | None], show: Callable[[str, float], Any]) -> Answer:
        """A statement about a profile is green when it holds at one of the spares, for the paper gives none. The values
        shown are those of the study's own spare, the note says where it holds."""
        where = [utilisation for utilisation in self.params.utilisations if check("native", utilisation)]
        judged = [check("native", utilisation) for utilisation in self.params.utilisations]
        native = None if all(value is None for value in judged) else bool(where)
        at = self.params.utilisation
        note = "Holds at utilisation " + ", ".join(f"{value:g}" for value in where) + "." if where else "Holds at no spare."
        return Answer(show("native", at), show("iss", at), native, check("iss", at) or native, note="" if native is None else note)

    def best_profile_page(self, name: str, cpu: str, utilisation: float) -> int | None:
        return largest(self.by_page(cpu, part="page", profile=name, utilisation=utilisation))

    def best_profile_block(self, name: str, cpu: str, utilisation: float) -> int | None:
        return largest(self.by_block(cpu, part="block", profile=name, utilisation=utilisation))

    def _profiles(self) -> None:
        paper = {"digital_camera": ("fig6", 32), "file_server": ("fig6", 8), "exchange": ("fig6", 4),
                 "cdm_random": ("fig7", 4), "cdm_sequential": ("fig7", self.params.pages[-1]), "general_pc": ("fig7", 4)}
        for name, (figure, page) in paper.items():
            self.found[f"params.{figure}.best_page.{name}"] = self.holds(
                lambda cpu, u, name=name, page=page: _is(self.best_profile_page(name, cpu, u), page),
                lambda cpu, u, name=name: _with(self.best_profile_page(name, cpu, u), "KiB"))

        def by_mode(cpu: str, utilisation: float) -> int | None:
            best = [self.best_profile_page(name, cpu, utilisation) for name in PROFILES]
            if any(page is None for page in best):
                return None
            return sum(page == min(MODES[name], self.params.pages[-1]) for page, name in zip(best, PROFILES))

        self.found["params.fig67.mode_rule"] = self.holds(
            lambda cpu, u: None if by_mode(cpu, u) is None else by_mode(cpu, u) >= 5,  # type: ignore[operator]
            lambda cpu, u: None if by_mode(cpu, u) is None else f"{by_mode(cpu, u)} of 6")

        def ratio(cpu: str, utilisation: float) -> float | None:
            values = self.by_page(cpu, part="page", profile="exchange", utilisation=utilisation)
            return values[4] / values[8] if values.get(4) and values.get(8) else None  # type: ignore[operator]

        self.found["params.fig6.exchange.4k_8k"] = self.holds(
            lambda cpu, u: None if ratio(cpu, u) is None else abs(ratio(cpu, u) - 1) <= 0.1,  # type: ignore[operator]
            lambda cpu, u: None if ratio(cpu, u) is None else round(ratio(cpu, u), 3))  # type: ignore[arg-type]

        for name in ("digital_camera", "file_server", "exchange"):
            self.found[f"params.fig9.block_trend.{name}"] = self.holds(
                lambda cpu, u, name=name: falls(self.by_block(cpu, part="block", profile=name, utilisation=u).values()),
                lambda cpu, u, name=name: _curve(self.by_block(cpu, part="block", profile=name, utilisation=u)))
        for name, block in (("cdm_random", self.params.blocks[-1]), ("cdm_sequential", self.params.blocks[-1]),
                            ("general_pc", 128)):
            self.found[f"params.fig10.best_block.{name}"] = self.holds(
                lambda cpu, u, name=name, block=block: _is(self.best_profile_block(name, cpu, u), block),
                lambda cpu, u, name=name: _with(self.best_profile_block(name, cpu, u), "pages"))

    # ---- figure 8

    def _length_blocks(self) -> None:
        def curve(cpu: str, length: int, utilisation: float) -> dict[int, float | None]:
            return self.by_block(cpu, part="length_block", length=length, utilisation=utilisation)

        for length in (32, 256):
            self.found[f"params.fig8.block_trend.{length}k"] = self.holds(
                lambda cpu, u, length=length: falls(curve(cpu, length, u).values()),
                lambda cpu, u, length=length: _curve(curve(cpu, length, u)))

        def loss(cpu: str, length: int, utilisation: float) -> float | None:
            """Share of throughput that the largest block loses against the smallest."""
            values = list(curve(cpu, length, utilisation).values())
            return None if None in values or not values else 1 - values[-1] / values[0]  # type: ignore[operator]

        short = min(self.params.block_lengths)

        def weaker(cpu: str, utilisation: float) -> bool | None:
            losses = loss(cpu, short, utilisation), loss(cpu, 32, utilisation)
            return None if None in losses else losses[0] <= losses[1]  # type: ignore[operator]

        self.found["params.fig8.small_req"] = self.holds(weaker, lambda cpu, u: _losses(loss(cpu, short, u), loss(cpu, 32, u)))

    # ---- figures 1 and 11, the largest gain

    def _generations(self) -> None:
        blocks = [self.params.capacity * 1024 * 1024 // (page * block) for page, block in GENERATIONS]
        cost = [nand_cost.area_per_bit(nand_cost.MLC, page, block, number)
                for (page, block), number in zip(GENERATIONS, blocks)]
        self.found["params.fig1.cost_falls"] = Answer.of(
            lambda values: bool(falls(values)), cost, None, lambda values: " > ".join(f"{value / values[0]:.3f}" for value in values),
            note="By eq. (2); generations 4 KiB x 128, 8 KiB x 256, 16 KiB x 512 pages are assumed.")

        def speed(cpu: str) -> tuple[float, float] | None:
            rates = [[throughput(self.results.get(part="generation", profile=name, number=number, cpu=cpu,
                                                  utilisation=self.params.utilisation)) for number in range(len(GENERATIONS))]
                     for name in ("cdm_sequential", "cdm_random")]
            if any(None in found for found in rates):
                return None
            return tuple(found[-1] / found[0] for found in rates)  # type: ignore[return-value, operator]

        self.found["params.fig1.trend_differs"] = Answer.of(
            lambda gains: gains[0] > 1 > gains[1], *self.both(speed),
            show=lambda gains: f"sequential x{gains[0]:.2f}, random x{gains[1]:.2f}", note="Last generation over the first.")

        def burden(cpu: str) -> tuple[float, float] | None:
            """Throughput and energy per byte of CDM random, the last generation over the first."""
            runs = [self.results.get(part="generation", profile="cdm_random", number=number, cpu=cpu,
                                     utilisation=self.params.utilisation) for number in (0, len(GENERATIONS) - 1)]
            if None in runs:
                return None
            energy = [run["energy_pj"]["total"] / sum(op["bytes"] for op in run["ios"].values()) for run in runs]  # type: ignore[index]
            return throughput(runs[1]) / throughput(runs[0]), energy[1] / energy[0]  # type: ignore[operator]

        self.found["params.conclusion.trend"] = Answer.of(
            lambda ratios: ratios[0] < 1 < ratios[1], *self.both(burden),
            show=lambda ratios: f"throughput x{ratios[0]:.2f}, energy per byte x{ratios[1]:.2f}",
            note="CDM random, the last generation over the first; cost falls.")

    def _cells(self) -> None:
        def runs(cpu: str) -> list[dict[str, Any] | None]:
            return [self.results.get(part="cell", cell=cell, cpu=cpu) for cell in ("mlc", "slc")]

        def speed(cpu: str) -> float | None:
            mlc, slc = runs(cpu)
            return None if mlc is None or slc is None else throughput(mlc) / throughput(slc)  # type: ignore[operator]

        def energy(cpu: str) -> tuple[float, float] | None:
            mlc, slc = runs(cpu)
            if mlc is None or slc is None:
                return None
            equations = (nand_cost.total_energy(nand_cost.MLC, operations(mlc, BASELINE_PAGE))
                         / nand_cost.total_energy(nand_cost.SLC, operations(slc, BASELINE_PAGE)))
            return mlc["energy_pj"]["total"] / slc["energy_pj"]["total"], equations

        self.found["params.fig11.performance"] = Answer.of(lambda value: value < 1, *self.both(speed), show=lambda v: round(v, 3))
        self.found["params.fig11.power"] = Answer.of(
            lambda values: min(values) > 1, *self.both(energy), show=lambda v: f"{v[0]:.2f} (by eq. (12) {v[1]:.2f})",
            note="Energy of the same requests, of the drive and by the equations from its counts of operations.")
        number = self.params.capacity * 1024 * 1024 // (BASELINE_PAGE * BASELINE_BLOCK)
        cost = [nand_cost.area(nand_cost.MLC, BASELINE_PAGE, BASELINE_BLOCK, number, *overheads)
                / nand_cost.area(nand_cost.SLC, BASELINE_PAGE, BASELINE_BLOCK, number, *overheads) for overheads in ((2, 1), (5, 10))]
        self.found["params.fig11.cost"] = Answer.within(
            0.5, 0.02, max(cost), None, note=f"Eq. (2) at 512 pages: {cost[0]:.3f} to {cost[1]:.3f} over the range of overheads.")

    def _largest_gain(self) -> None:
        def gains(cpu: str) -> tuple[float, str] | None:
            found: list[tuple[float, str]] = []
            for name in PROFILES:
                for utilisation in self.params.utilisations if cpu == "native" else [self.params.utilisation]:
                    for curve, base, unit in (
                            (self.by_page(cpu, part="page", profile=name, utilisation=utilisation), BASELINE_PAGE, "KiB pages"),
                            (self.by_block(cpu, part="block", profile=name, utilisation=utilisation), BASELINE_BLOCK, "pages a block")):
                        reference = curve.get(base)
                        found += [(value / reference, f"{name}, {size} {unit}, utilisation {utilisation:g}")
                                  for size, value in curve.items() if value and reference]
            for length in self.params.lengths:
                for state in ("fresh", "full"):
                    curve = self.by_page(cpu, part="length", length=length, pattern="random", state=state)
                    reference = curve.get(BASELINE_PAGE)
                    found += [(value / reference, f"{length:g} KiB random, {size} KiB pages, {state}")
                              for size, value in curve.items() if value and reference]
            return max(found) if found else None

        native, iss = gains("native"), gains("iss")
        self.found["params.headline.max_gain"] = Answer.within(
            15, 3, native and native[0], iss and iss[0], note=f"Found at: {native[1]}." if native else "")


def _normalised(values: dict[int, float | None], base: int, unit: str) -> dict[str, float | None]:
    reference = values.get(base)
    return {f"{size} {unit}": value / reference if value and reference else None for size, value in values.items()}


def _is(value: int | None, expected: int) -> bool | None:
    return None if value is None else value == expected


def _with(value: int | None, unit: str) -> str | None:
    return None if value is None else f"{value} {unit}"


def _fresh_and_full(pages: tuple[int, int]) -> str:
    return f"{pages[0]} KiB" if pages[0] == pages[1] else f"{pages[0]} KiB fresh, {pages[1]} KiB full"


def _curve(values: dict[int, float | None]) -> str | None:
    """From the smallest to the largest, against the first."""
    found = list(values.values())
    if None in found or not found:
        return None
    return ", ".join(f"{value / found[0]:.2f}" for value in found)  # type: ignore[operator]


def _losses(short: float | None, long: float | None) -> str | None:
    return None if short is None or long is None else f"loses {100 * short:.1f} %, 32 KiB {100 * long:.1f} %"
