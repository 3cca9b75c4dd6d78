# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the results of the comparison say to each of its questions."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from .ppb_answers import interval
from ..framework.study import Answer, NotMeasured, Results, ask


class Asked(Protocol):
    """What the answers need of the study."""

    iss_workloads: list[str]
    seeds: list[int]


SECTORS_PER_TB = 10**12 / 4096
MB = 1e6


@dataclasses.dataclass(frozen=True)
class Variant:
    """`group`: the drive that it is held against. `metadata`: bytes beside the map for each exported logical page of
    4 KiB; tables of a fixed size do not count."""

    policy: str
    group: str = "conventional"
    metadata: float = 0.0


VARIANTS = {
    "conventional": Variant("page_greedy"),
    "pages of 4 KiB": Variant("page_greedy"),
    "ppb": Variant("ppb", metadata=8),
    "agcr": Variant("agcr", metadata=1 + 1 / 12),
    "cube": Variant("cube"),
    "ppb+cube": Variant("ppb+cube", metadata=8),
    "cube+agcr": Variant("cube+agcr", metadata=1 + 1 / 12),
    "ppb+agcr": Variant("ppb+agcr", metadata=9 + 1 / 12),
    "page map": Variant("page_greedy", group="page map"),
    "mpnfm": Variant("mpnfm", group="page map", metadata=4 + 1 / 8),
}
IDEAS = [name for name, variant in VARIANTS.items() if name != variant.group]
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


def geometric(values: Iterable[float]) -> float:
    """Geometric mean."""
    return math.exp(statistics.fmean(math.log(value) for value in values))


class Answers:
    """Reads the results of the study. What an idea changes is against the same drive without it, its group's."""

    def __init__(self, study: Asked, results: Results):
        self.study, self.results = study, results

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
        return 100 * (geometric(self._relative(part, metric, variant, name) for name in WORKLOADS) - 1)

    def spread(self, part: str, metric: str, variant: str) -> str:
        """The same for each seed by itself: mean and 95 % interval."""

        def of(seed: int) -> float:
            values = (
                [self.value(part, metric, drive, name, seed) for drive in (variant, VARIANTS[variant].group)]
                for name in WORKLOADS
            )
            return 100 * (geometric(value / below for value, below in values) - 1)

        found = [ask(of, seed) for seed in self.study.seeds]
        known = [value for value in found if value is not None]
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
        """The idea that changes it most for the better; the others behind it."""

        def order() -> str:
            found = {name: self.change(part, metric, name) for name in IDEAS}
            ranked = sorted(found, key=lambda name: -sign * found[name])
            return ", ".join(f"{name} {found[name]:+.1f} %" for name in ranked[:3])

        def worst() -> str:
            found = {name: self.change(part, metric, name) for name in IDEAS}
            name = min(found, key=lambda n: sign * found[n])
            return f"Last: {name} {found[name]:+.1f} %."

        return Answer(native=ask(order), question=True, note=ask(worst) or "")

    def _iops(self, variant: str, cores: int) -> float:
        return geometric(METRICS["iops"](self._on_cores(variant, name, cores)) for name in self.study.iss_workloads)

    def _on_cores(self, variant: str, name: str, cores: int) -> Result:
        return self.results.get(part="cores", workload=name, variant=variant, cores=cores, cpu="iss")

    def _mean_on_cores(self, metric: str, variant: str, cores: int) -> float:
        found = [METRICS[metric](self._on_cores(variant, name, cores)) for name in self.study.iss_workloads]
        return statistics.fmean(found)

    def _on_cores_relative(self, metric: str, variant: str, cores: int) -> float:
        below = self._mean_on_cores(metric, VARIANTS[variant].group, cores)
        return self._mean_on_cores(metric, variant, cores) / below

    def _cores(self) -> Answer:
        def most() -> str:
            found = {name: self._on_cores_relative("cycles", name, 3) for name in IDEAS}
            ranked = sorted(found, key=lambda name: -found[name])
            return ", ".join(f"{name} x{found[name]:.2f}" for name in ranked[:3])

        return Answer(iss=ask(most), question=True)

    def _pairs(self) -> Answer:
        def text() -> str:
            rows = []
            for pair in (name for name in VARIANTS if "+" in name):
                one, other = pair.split("+")
                gains = [self.change("closed", "iops", name) for name in (pair, one, other)]
                rows.append(f"{pair} {gains[0]:+.1f} % IOPS (alone {gains[1]:+.1f}, {gains[2]:+.1f})")
            return "; ".join(rows)

        return Answer(native=ask(text), question=True)

    def _worth(self) -> Answer:
        """Ideas that gain with firmware that costs: IOPS on three cores and on one, against the same drive without."""

        def text(cores: int) -> str:
            found = {n: 100 * (self._iops(n, cores) / self._iops(VARIANTS[n].group, cores) - 1) for n in IDEAS}
            gain = [f"{n} {found[n]:+.1f} %" for n in sorted(found, key=lambda n: -found[n]) if found[n] > 1]
            return f"{cores} cores: {', '.join(gain) or 'none'}"

        return Answer(iss=ask(lambda: f"{text(3)}. {text(1)}"), question=True)

    # ---- tables

    def tables(self) -> list[dict[str, Any]]:
        return [self._gains(), self._costs(), self._by_workload()]

    def _gains(self) -> dict[str, Any]:
        def absolute(part: str, metric: str, drive: str, unit: str) -> str:
            found = geometric(self._mean(part, metric, drive, name) for name in WORKLOADS)
            return f"{found:{'.3g' if found < 1000 else ',.0f'}} {unit}".strip()

        def cell(variant: str, part: str, metric: str, unit: str) -> str:
            if variant in IDEAS:
                return self.spread(part, metric, variant)
            return ask(absolute, part, metric, variant, unit) or "-"

        return {
            "title": "What each idea changes",
            "text": "The two drives without ideas (conventional, page map) as measured; each idea in per cent against "
            "the one it is made of, above it. Geometric mean of the six workloads, with the 95 % interval over seeds; "
            "firmware that takes no time. Latencies at three tenths of the requests that the drive without ideas can "
            "do, the rest with requests always outstanding.",
            "head": ["variant", *GAINS],
            "rows": [[variant, *(cell(variant, *gain) for gain in GAINS.values())] for variant in VARIANTS],
        }

    def _costs(self) -> dict[str, Any]:
        def row(variant: str) -> list[Any]:
            mean = self._mean_on_cores
            return [
                *(round(self._iops(variant, cores)) for cores in (1, 3)),
                *(round(mean(metric, variant, 3)) for metric in ("read_tail", "write_tail")),
                f"{mean('energy', variant, 3):.2f}",
                *(round(mean("instructions", variant, cores)) for cores in (1, 3)),
                *(round(mean("cycles", variant, cores)) for cores in (1, 3)),
            ]

        names = ", ".join(self.study.iss_workloads)
        head = [
            "IOPS, 1 core", "IOPS, 3", "read p99.9, 3, us", "write p99.9, 3, us", "energy a byte, 3, nJ",
            "instructions, 1 core", "instructions, 3", "cycles, 1 core", "cycles, 3",
        ]  # fmt: skip
        return {
            "title": "What its firmware costs",
            "text": f"Firmware instruction by instruction, one core and three of 500 MHz; {names}, requests always "
            "outstanding. Instructions and cycles of all cores for a request, GC included. Memory beside the "
            "map, for each TB with a map by sectors (mpnfm: its map of small pages and its bits).",
            "head": ["variant", *head, "MB/TB"],
            "rows": [
                [
                    name,
                    *(ask(row, name) or [None] * len(head)),
                    round(SECTORS_PER_TB * VARIANTS[name].metadata / MB),
                ]
                for name in VARIANTS
            ],
        }  # fmt: skip

    def _by_workload(self) -> dict[str, Any]:
        def cell(variant: str, name: str) -> str:
            parts = ("open", "read_mean"), ("open", "write_mean"), ("closed", "iops")
            return " / ".join(f"{100 * (self._relative(*part, variant, name) - 1):+.0f}" for part in parts)

        return {
            "title": "By workload",
            "text": "Mean read latency / mean write latency / IOPS, per cent against the drive without the idea.",
            "head": ["variant", *WORKLOADS],
            "rows": [[variant, *(ask(cell, variant, name) for name in WORKLOADS)] for variant in IDEAS],
        }
