# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the results of the comparison say to each of its questions."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from .ppb_answers import interval
from ..framework.samples import half_interval
from ..framework.study import Answer, NotMeasured, Results, ask


class Asked(Protocol):
    """What the answers need of the study."""

    workloads: list[str]
    iss_workloads: list[str]
    seeds: list[int]
    dies: dict[str, list[int]]
    scale: list[list[int]]
    variants: Mapping[str, "Variant"]


STATES = {
    "open": "steady of random writes, 0.3 of the load",
    "closed": "steady of its own writes",
    "cores": "steady of random writes",
}
LOAD = 0.3  # of what the drive without an idea can do, in the part `open`
NEAR = 1.25  # a drive whose own limit is less than so far above the load has queues that grow with the run: no latency
SECTORS_PER_TB = 10**12 / 4096
MB = 1e6


@dataclasses.dataclass(frozen=True)
class Variant:
    """`group`: the drive that it is held against. `metadata`: bytes beside the map for each exported logical page of
    4 KiB; tables of a fixed size do not count."""

    policy: str
    group: str = "conventional"
    metadata: float = 0.0
    keys: tuple[tuple[str, Any], ...] = ()


VARIANTS = {
    "conventional": Variant("page_greedy"),
    "pages of 4 KiB": Variant("page_greedy"),
    "ppb": Variant("ppb", metadata=8),
    "agcr": Variant("agcr", metadata=1 + 1 / 12),
    "cube": Variant("cube"),
    "ppb+cube": Variant("ppb+cube", metadata=8),
    "cube+agcr": Variant("cube+agcr", metadata=1 + 1 / 12),
    "ppb+agcr": Variant("ppb+agcr", metadata=9 + 1 / 12),
    # Of our own:
    "ppb, frequency": Variant(
        "ppb",
        metadata=8,
        keys=(("ftl.ppb.hot_write_size", "0B"), ("ftl.ppb.cold_share", 0.3), ("ftl.ppb.aging_reads", 16)),
    ),
    "agcr, busy": Variant("agcr", metadata=1 + 1 / 12, keys=(("ftl.agcr.busy_only", True),)),
    "cube, stock": Variant("cube", keys=(("ftl.cube.gc_uses", "stock"),)),
    "page map": Variant("page_greedy", group="page map"),
    "mpnfm": Variant("mpnfm", group="page map", metadata=4 + 1 / 8),
}
SCALED = ("conventional", "cube")  # without an idea, and the one that gains most IOPS
WORKLOADS = {  # files of configs/workloads/profiles
    "web_0": "msr_web_0",  # ppb
    "mds_0": "msr_mds_0",  # ppb, mpnfm
    "hm_0": "msr_hm_0",  # agcr
    "OLTP": "cube_oltp",  # cubeFTL
    "RocksDB": "cube_rocksdb",  # cubeFTL
    "Financial1": "mpnfm_financial1",  # mpnfm
}

Result = dict[str, Any]


def _of(op: str, which: str) -> Callable[[Result], float]:
    return lambda result: result["ios"][op]["lat_ps"][which] / 1e6


def _requests(result: Result) -> int:
    return sum(op["count"] for op in result["ios"].values())


METRICS: dict[str, Callable[[Result], float]] = {
    "read_mean": _of("read", "mean"),
    "read_tail": _of("read", "p99_9"),
    "write_mean": _of("write", "mean"),
    "write_tail": _of("write", "p99_9"),
    "iops": lambda result: sum(result["ios"][op]["iops"] for op in ("read", "write")),
    "waf": lambda result: result["flash"]["waf"],
    "erases": lambda result: result["flash"]["erases"],
    "energy": lambda result: result["energy_pj"]["total"] / sum(op["bytes"] for op in result["ios"].values()) / 1e3,
    "cycles": lambda result: sum(result["firmware_cycles"].values()) / _requests(result),
    "instructions": lambda result: result["firmware_instructions"] / _requests(result),
}
GAINS = {  # part, metric, unit of the value
    "read": ("open", "read_mean", "us"),
    "read p99.9": ("open", "read_tail", "us"),
    "write": ("open", "write_mean", "us"),
    "write p99.9": ("open", "write_tail", "us"),
    "IOPS": ("closed", "iops", ""),
    "WAF": ("closed", "waf", ""),
    "erases": ("closed", "erases", ""),
    "energy a byte": ("closed", "energy", "nJ"),
}


def _signed(values: list[float]) -> str:
    return f"{statistics.fmean(values):+.1f} +-{half_interval(values):.1f} %"


def _ranks(found: dict[str, list[float]], sign: int) -> str | None:
    """The first three that are better than without, beyond their intervals. "or" between those whose paired difference
    may be none."""
    known = {name: values for name, values in found.items() if len(values) > 1}
    if not known:
        return None
    better = [n for n, values in known.items() if sign * statistics.fmean(values) > half_interval(values)]
    ranked = sorted(better, key=lambda name: -sign * statistics.fmean(known[name]))[:3]
    if not ranked:
        return "none that is distinguishable from none"
    text = f"{ranked[0]} {_signed(known[ranked[0]])}"
    for before, name in zip(ranked, ranked[1:]):
        apart = [a - b for a, b in zip(known[before], known[name])]
        alike = abs(statistics.fmean(apart)) <= half_interval(apart)
        text += f"{' or' if alike else ','} {name} {_signed(known[name])}"
    return text


def _last(found: dict[str, list[float]], sign: int) -> str:
    known = {name: values for name, values in found.items() if len(values) > 1}
    if not known:
        return ""
    name = min(known, key=lambda n: sign * statistics.fmean(known[n]))
    return f"Last: {name} {_signed(known[name])}."


def geometric(values: Iterable[float]) -> float:
    """Geometric mean."""
    return math.exp(statistics.fmean(math.log(value) for value in values))


class Answers:
    """Reads the results of the study. What an idea changes is against the same drive without it, its group's."""

    def __init__(self, study: Asked, results: Results):
        self.study, self.results = study, results
        self.ideas = [name for name, variant in study.variants.items() if name != variant.group]

    def value(self, part: str, metric: str, variant: str, name: str, seed: int) -> float:
        labels = {"part": part, "workload": name, "variant": variant, "cpu": "native", "seed": seed}
        return METRICS[metric](self.results.get(**labels))

    def _mean(self, part: str, metric: str, variant: str, name: str) -> float:
        return statistics.fmean(self.value(part, metric, variant, name, seed) for seed in self.study.seeds)

    def _relative(self, part: str, metric: str, variant: str, name: str) -> float:
        below = self._mean(part, metric, VARIANTS[variant].group, name)
        if not below:
            raise NotMeasured
        return self._mean(part, metric, variant, name) / below

    def relative(self, part: str, metric: str, variant: str, name: str) -> float | None:
        """Means over the seeds; None when it was not measured."""
        return ask(self._relative, part, metric, variant, name)

    def change(self, part: str, metric: str, variant: str) -> float:
        """Per cent, by the geometric mean over the workloads."""
        return 100 * (geometric(self._relative(part, metric, variant, name) for name in self.study.workloads) - 1)

    def changes(self, part: str, metric: str, variant: str) -> list[float]:
        """The same for each seed by itself."""

        def of(seed: int) -> float:
            values = (
                [self.value(part, metric, drive, name, seed) for drive in (variant, VARIANTS[variant].group)]
                for name in self.study.workloads
            )
            return 100 * (geometric(value / below for value, below in values) - 1)

        found = [ask(of, seed) for seed in self.study.seeds]
        return [value for value in found if value is not None]

    def keeps_up(self, variant: str) -> bool:
        """With the requests of the part `open`; also when its limit was not measured."""
        limits = [self.relative("closed", "iops", variant, name) for name in self.study.workloads]
        known = [limit for limit in limits if limit is not None]
        return not known or min(known) >= NEAR * LOAD

    def spread(self, part: str, metric: str, variant: str) -> str:
        """Mean and 95 % interval."""
        if part == "open" and not self.keeps_up(variant):
            return "overloaded"
        known = self.changes(part, metric, variant)
        return interval(known) if len(known) > 2 else "-"

    # ---- answers

    def all(self) -> dict[str, Answer]:
        return {
            "compare.read": self._best("open", "read_mean", -1),
            "compare.read_tail": self._best("open", "read_tail", -1),
            "compare.write": self._best("open", "write_mean", -1),
            "compare.iops": self._best("closed", "iops", 1),
            "compare.waf": self._best("closed", "waf", -1),
            "compare.energy": self._best("closed", "energy", -1),
            "compare.cores": self._cores(),
            "compare.pairs": self._pairs(),
            "compare.worth": self._worth(),
        }

    def _best(self, part: str, metric: str, sign: int) -> Answer:
        """The ideas that change it for the better, best first. A rank is stated where the paired difference over the
        seeds is distinguishable from none."""
        ideas = [name for name in self.ideas if part != "open" or self.keeps_up(name)]
        found = {name: self.changes(part, metric, name) for name in ideas}
        return Answer(native=_ranks(found, sign), question=True, note=_last(found, sign), state=STATES[part])

    def _on_cores(self, variant: str, name: str, cores: int, seed: int) -> Result:
        return self.results.get(part="cores", workload=name, variant=variant, cores=cores, cpu="iss", seed=seed)

    def _iops(self, variant: str, cores: int, seed: int) -> float:
        runs = (self._on_cores(variant, name, cores, seed) for name in self.study.iss_workloads)
        return geometric(METRICS["iops"](run) for run in runs)

    def _mean_on_cores(self, metric: str, variant: str, cores: int) -> float:
        return statistics.fmean(
            METRICS[metric](self._on_cores(variant, name, cores, seed))
            for name in self.study.iss_workloads
            for seed in self.study.seeds
        )

    def _gains_on_cores(self, variant: str, cores: int) -> list[float]:
        """IOPS with firmware that costs, per cent against the drive without the idea, for each seed."""

        def of(seed: int) -> float:
            return 100 * (self._iops(variant, cores, seed) / self._iops(VARIANTS[variant].group, cores, seed) - 1)

        found = [ask(of, seed) for seed in self.study.seeds]
        return [value for value in found if value is not None]

    def _cores(self) -> Answer:
        def most() -> str:
            below = self._mean_on_cores("cycles", "conventional", 3)
            found = {n: ask(lambda n=n: self._mean_on_cores("cycles", n, 3) / below) for n in self.ideas}
            known = {name: value for name, value in found.items() if value is not None}
            ranked = sorted(known, key=lambda name: -known[name])
            return ", ".join(f"{name} x{known[name]:.2f}" for name in ranked[:3])

        return Answer(iss=ask(most), question=True, state=STATES["cores"])

    def _pairs(self) -> Answer:
        def text() -> str:
            rows = []
            for pair in (name for name in self.study.variants if "+" in name):
                one, other = pair.split("+")
                gains = [self.spread("closed", "iops", name) for name in (pair, one, other)]
                rows.append(f"{pair} {gains[0]} % IOPS (alone {gains[1]}, {gains[2]})")
            return "; ".join(rows)

        return Answer(native=ask(text), question=True, state=STATES["closed"])

    def limit(self, variant: str, cores: int) -> float:
        """Dies of a drive on which so many cores are as busy as its dies: those of the study's drive over the share of
        the time that the busiest core is busy."""
        channels, dies = self.study.dies["cores"]
        busiest = [
            max(self._on_cores(variant, name, cores, seed)["utilisation"]["cores"])
            for name in self.study.iss_workloads
            for seed in self.study.seeds
        ]
        return channels * dies / statistics.fmean(busiest)

    def _worth(self) -> Answer:
        """Ideas that gain IOPS with firmware that costs, beyond their interval over the seeds; and on how many dies the
        cores would be as busy as the dies."""
        channels, packages = self.study.dies["cores"]

        def text(cores: int) -> str:
            found = {name: self._gains_on_cores(name, cores) for name in self.ideas}
            known = {name: gains for name, gains in found.items() if len(gains) > 1}
            better = [n for n, gains in known.items() if statistics.fmean(gains) - half_interval(gains) > 0]
            ranked = sorted(better, key=lambda name: -statistics.fmean(known[name]))
            gains = [f"{n} {_signed(known[n])} (cores busy from {self.limit(n, cores):.0f})" for n in ranked]
            without = self.limit("conventional", cores)
            return f"{cores} core{'s' * (cores > 1)}: {', '.join(gains) or 'none'}; conventional: from {without:.0f}"

        texts = ask(lambda: f"on {channels * packages} dies with {text(3)}. With {text(1)}")
        note = "Dies from which on cores are busy: by their share of the time here. They limit before that: by dies, below."
        return Answer(iss=texts, question=True, note=note, state=STATES["cores"])

    # ---- tables

    def _not_run(self) -> str:
        missing = [name for name in VARIANTS if name not in self.study.variants]
        return f" Not in this run, but in that without --quick: {'; '.join(missing)}." if missing else ""

    def tables(self) -> list[dict[str, Any]]:
        return [self._gains(), self._costs(), self._by_dies(), self._by_workload()]

    def _gains(self) -> dict[str, Any]:
        def absolute(part: str, metric: str, drive: str, unit: str) -> str:
            found = geometric(self._mean(part, metric, drive, name) for name in self.study.workloads)
            return f"{found:{'.3g' if found < 1000 else ',.0f'}} {unit}".strip()

        def cell(variant: str, part: str, metric: str, unit: str) -> str:
            if variant in self.ideas:
                return self.spread(part, metric, variant)
            return ask(absolute, part, metric, variant, unit) or "-"

        return {
            "title": "What each idea changes",
            "text": "The two drives without ideas (conventional, page map) as measured; each idea in per cent against "
            "the one it is made of, above it. Geometric mean of the workloads, with the 95 % interval over seeds; "
            "firmware that takes no time. Latencies at three tenths of the requests that the drive without ideas can "
            "do, from the steady state of random writes; the rest with requests always outstanding, in the steady state "
            "of their own writes. Overloaded: what the drive can do at all is hardly more than that load."
            + self._not_run(),
            "head": ["variant", *GAINS],
            "rows": [[variant, *(cell(variant, *gain) for gain in GAINS.values())] for variant in self.study.variants],
        }

    def _costs(self) -> dict[str, Any]:
        def row(variant: str) -> list[Any]:
            mean = self._mean_on_cores
            seeds = self.study.seeds
            return [
                *(round(statistics.fmean(self._iops(variant, cores, seed) for seed in seeds)) for cores in (1, 3)),
                *(round(mean(metric, variant, 3)) for metric in ("read_tail", "write_tail")),
                f"{mean('energy', variant, 3):.2f}",
                *(round(mean("instructions", variant, cores)) for cores in (1, 3)),
                *(round(mean("cycles", variant, cores)) for cores in (1, 3)),
                *(round(self.limit(variant, cores)) for cores in (1, 3)),
            ]

        names = ", ".join(self.study.iss_workloads)
        head = [
            "IOPS, 1 core", "IOPS, 3", "read p99.9, 3, us", "write p99.9, 3, us", "energy a byte, 3, nJ",
            "instructions, 1 core", "instructions, 3", "cycles, 1 core", "cycles, 3", "cores busy from, dies, 1", "3",
        ]  # fmt: skip
        return {
            "title": "What its firmware costs",
            "text": f"Firmware instruction by instruction, one core and three of 500 MHz; {names}, requests always "
            "outstanding. Instructions and cycles of all cores for a request, GC included; the number of dies on which "
            "the busiest core would always be busy, by its share here. Memory beside the "
            "map, for each TB with a map by sectors (mpnfm: its map of small pages and its bits).",
            "head": ["variant", *head, "MB/TB"],
            "rows": [
                [
                    name,
                    *(ask(row, name) or [None] * len(head)),
                    round(SECTORS_PER_TB * VARIANTS[name].metadata / MB),
                ]
                for name in self.study.variants
            ],
        }  # fmt: skip

    def _by_dies(self) -> dict[str, Any]:
        def runs(variant: str, cores: int, dies: int) -> list[Any]:
            without, own = (
                self.results.get(
                    part="scale", dies=dies, variant=drive, cores=cores, cpu="iss", seed=self.study.seeds[0]
                )
                for drive in ("conventional", variant)
            )
            gain = 100 * (METRICS["iops"](own) / METRICS["iops"](without) - 1)
            busiest = round(100 * max(own["utilisation"]["cores"]))
            mean_of_dies = round(100 * statistics.fmean(own["utilisation"]["dies"]))
            return [round(METRICS["iops"](own)), f"{gain:+.1f}", busiest, mean_of_dies]

        sizes = [channels * packages for channels, packages in self.study.scale]
        return {
            "title": "By the number of dies",
            "text": f"Firmware instruction by instruction; {self.study.iss_workloads[0]}, requests always outstanding, 10,000 "
            "for each die; one seed. IOPS, what that is against the drive without the idea, and how busy the busiest core and "
            "the dies are, in per cent.",
            "head": ["dies", "cores", "variant", "IOPS", "gain", "busiest core", "dies busy"],
            "rows": [
                [dies, cores, variant, *(ask(runs, variant, cores, dies) or [None] * 4)]
                for dies in sizes
                for cores in (1, 3)
                for variant in SCALED
            ],
        }

    def _by_workload(self) -> dict[str, Any]:
        def cell(variant: str, name: str) -> str:
            parts = ("open", "read_mean"), ("open", "write_mean"), ("closed", "iops")
            return " / ".join(f"{100 * (self._relative(*part, variant, name) - 1):+.0f}" for part in parts)

        return {
            "title": "By workload",
            "detail": True,
            "text": "Mean read latency / mean write latency / IOPS, per cent against the drive without the idea.",
            "head": ["variant", *self.study.workloads],
            "rows": [[variant, *(ask(cell, variant, name) for name in self.study.workloads)] for variant in self.ideas],
        }
