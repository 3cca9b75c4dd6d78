# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the results of the comparison say to each of its questions."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .ppb_answers import interval
from .study import Answer, NotMeasured, Results, ask

if TYPE_CHECKING:
    from .compare import Study

SECTORS_PER_TB = 10**12 / 4096
MB = 1e6


@dataclasses.dataclass(frozen=True)
class Variant:
    """`metadata`: bytes beside the map for each exported logical page of 4 KiB; tables of a fixed size do not count."""

    policy: str
    page_map: bool = False
    metadata: float = 0.0
    base: str = "conventional"  # the same drive without the idea


VARIANTS = {
    "conventional": Variant("page_greedy"),
    "page map": Variant("page_greedy", page_map=True),
    "pages of 4 KiB": Variant("page_greedy", page_map=True),
    "ppb": Variant("ppb", metadata=8),
    "agcr": Variant("agcr", metadata=1 + 1 / 12),
    "cube": Variant("cube"),
    "mpnfm": Variant("mpnfm", page_map=True, metadata=4 + 1 / 8, base="page map"),
    "ppb+cube": Variant("ppb+cube", metadata=8),
    "cube+agcr": Variant("cube+agcr", metadata=1 + 1 / 12),
    "ppb+agcr": Variant("ppb+agcr", metadata=9 + 1 / 12),
}
IDEAS = [name for name, variant in VARIANTS.items() if variant.policy != "page_greedy" or name == "pages of 4 KiB"]
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


METRICS: dict[str, Callable[[Result], float]] = {
    "read_mean": _of("read", "mean"),
    "read_tail": _of("read", "p99_9"),
    "write_mean": _of("write", "mean"),
    "write_tail": _of("write", "p99_9"),
    "iops": lambda result: sum(result["ios"][op]["iops"] for op in ("read", "write")),
    "waf": lambda result: result["flash"]["waf"],
    "erases": lambda result: result["flash"]["erases"],
    "energy": lambda result: result["energy_pj"]["total"] / sum(op["bytes"] for op in result["ios"].values()) / 1e3,
    "cycles": lambda result: sum(result["firmware_cycles"].values()) / sum(o["count"] for o in result["ios"].values()),
}


class Answers:
    """Reads the results of the study."""

    def __init__(self, study: Study, results: Results):
        self.study, self.results = study, results

    def value(self, part: str, metric: str, variant: str, name: str, seed: int) -> float:
        labels = {"part": part, "workload": name, "variant": variant, "cpu": "native", "seed": seed}
        return METRICS[metric](self.results.get(**labels))

    def _relative(self, part: str, metric: str, variant: str, name: str, base: str = "conventional") -> float:
        """Over the base, mean of the seeds."""
        seeds = self.study.seeds
        below = statistics.fmean(self.value(part, metric, base, name, seed) for seed in seeds)
        if not below:
            raise NotMeasured
        return statistics.fmean(self.value(part, metric, variant, name, seed) for seed in seeds) / below

    def own_relative(self, part: str, metric: str, variant: str, name: str) -> float | None:
        """Over the same drive without the idea."""
        return ask(self._relative, part, metric, variant, name, VARIANTS[variant].base)

    def change(self, part: str, metric: str, variant: str, base: str = "conventional") -> float:
        """Per cent, by the geometric mean over the workloads."""
        logs = [math.log(self._relative(part, metric, variant, name, base)) for name in WORKLOADS]
        return 100 * (math.exp(statistics.fmean(logs)) - 1)

    def spread(self, part: str, metric: str, variant: str, base: str = "conventional") -> str:
        """The same for each seed by itself: mean and 95 % interval."""

        def of(seed: int) -> float:
            logs = [
                math.log(self.value(part, metric, variant, n, seed) / self.value(part, metric, base, n, seed))
                for n in WORKLOADS
            ]
            return 100 * (math.exp(statistics.fmean(logs)) - 1)

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

    def _own_change(self, part: str, metric: str, variant: str) -> float:
        """Against the same drive without the idea."""
        return self.change(part, metric, variant, VARIANTS[variant].base)

    def _best(self, part: str, metric: str, sign: int) -> Answer:
        """The idea that changes it most for the better; the others behind it."""

        def order() -> str:
            found = {name: self._own_change(part, metric, name) for name in IDEAS}
            ranked = sorted(found, key=lambda name: -sign * found[name])
            return ", ".join(f"{name} {found[name]:+.1f} %" for name in ranked[:3])

        def worst() -> str:
            found = {name: self._own_change(part, metric, name) for name in IDEAS}
            name = min(found, key=lambda n: sign * found[n])
            return f"Last: {name} {found[name]:+.1f} %."

        return Answer(native=ask(order), question=True, note=ask(worst) or "")

    def _iops(self, variant: str, cores: int) -> float:
        logs = [math.log(METRICS["iops"](self._on_cores(variant, name, cores))) for name in self.study.iss_workloads]
        return math.exp(statistics.fmean(logs))

    def _on_cores(self, variant: str, name: str, cores: int) -> Result:
        return self.results.get(part="cores", workload=name, variant=variant, cores=cores, cpu="iss")

    def _cycles(self, variant: str, cores: int) -> float:
        found = [METRICS["cycles"](self._on_cores(variant, name, cores)) for name in self.study.iss_workloads]
        return statistics.fmean(found)

    def _cores(self) -> Answer:
        def most() -> str:
            found = {name: self._cycles(name, 3) / self._cycles(VARIANTS[name].base, 3) for name in IDEAS}
            ranked = sorted(found, key=lambda name: -found[name])
            return ", ".join(f"{name} x{found[name]:.2f}" for name in ranked[:3])

        return Answer(iss=ask(most), question=True)

    def _pairs(self) -> Answer:
        def text() -> str:
            rows = []
            for pair in (name for name in VARIANTS if "+" in name):
                one, other = pair.split("+")
                gains = [self._own_change("closed", "iops", name) for name in (pair, one, other)]
                rows.append(f"{pair} {gains[0]:+.1f} % IOPS (alone {gains[1]:+.1f}, {gains[2]:+.1f})")
            return "; ".join(rows)

        return Answer(native=ask(text), question=True)

    def _worth(self) -> Answer:
        """Ideas that gain with firmware that costs: IOPS on three cores and on one, against the same drive without."""

        def text(cores: int) -> str:
            found = {n: 100 * (self._iops(n, cores) / self._iops(VARIANTS[n].base, cores) - 1) for n in IDEAS}
            gain = [f"{n} {found[n]:+.1f} %" for n in sorted(found, key=lambda n: -found[n]) if found[n] > 1]
            return f"{cores} cores: {', '.join(gain) or 'none'}"

        return Answer(iss=ask(lambda: f"{text(3)}. {text(1)}"), question=True)

    # ---- tables

    def tables(self) -> list[dict[str, Any]]:
        return [self._gains(), self._costs(), self._by_workload()]

    def _gains(self) -> dict[str, Any]:
        columns = (
            ("open", "read_mean"), ("open", "read_tail"), ("open", "write_mean"), ("open", "write_tail"),
            ("closed", "iops"), ("closed", "waf"), ("closed", "erases"), ("closed", "energy"),
        )  # fmt: skip
        return {
            "title": "What each idea changes",
            "text": "Per cent against the conventional drive (page_greedy), geometric mean of the six workloads, with "
            "the 95 % interval over seeds; firmware that takes no time. Latencies at a rate that all carry, the rest "
            "with requests always outstanding. mpnfm and pages of 4 KiB need the map by pages: hold them against that "
            "row.",
            "head": [
                "variant", "read", "read p99.9", "write", "write p99.9", "IOPS", "WAF", "erases", "energy a byte",
            ],
            "rows": [
                [name, *(self.spread(part, metric, name) for part, metric in columns)]
                for name in VARIANTS if name != "conventional"
            ],
        }  # fmt: skip

    def _costs(self) -> dict[str, Any]:
        def row(variant: str) -> list[Any]:
            return [
                *(round(self._iops(variant, cores)) for cores in (1, 3)),
                *(round(self._cycles(variant, cores)) for cores in (1, 3)),
            ]

        names = ", ".join(self.study.iss_workloads)
        return {
            "title": "What its firmware costs",
            "text": f"Firmware instruction by instruction, one core and three of 500 MHz; {names}, requests always "
            "outstanding. Cycles of all cores for a request, collection included. Memory beside the map, for each TB "
            "with a map by sectors (mpnfm: its map of small pages and its bits).",
            "head": ["variant", "IOPS, 1 core", "IOPS, 3", "cycles, 1 core", "cycles, 3", "MB/TB"],
            "rows": [
                [
                    name,
                    *(ask(row, name) or [None] * 4),
                    round(SECTORS_PER_TB * VARIANTS[name].metadata / MB),
                ]
                for name in VARIANTS
            ],
        }

    def _by_workload(self) -> dict[str, Any]:
        def cell(variant: str, name: str) -> str:
            parts = ("open", "read_mean"), ("open", "write_mean"), ("closed", "iops")
            return " / ".join(f"{100 * (self._relative(*part, variant, name) - 1):+.0f}" for part in parts)

        return {
            "title": "By workload",
            "text": "Mean read latency / mean write latency / IOPS, per cent against the conventional drive.",
            "head": ["variant", *WORKLOADS],
            "rows": [
                [variant, *(ask(cell, variant, name) for name in WORKLOADS)]
                for variant in VARIANTS if variant != "conventional"
            ],
        }  # fmt: skip
