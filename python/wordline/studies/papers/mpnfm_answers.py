# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the results of the study of multiple page sizes say to each figure of the paper."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ..framework.jobs import Profiles
from ..framework.study import Answer, NotMeasured, Results, StudyFile, ask


class Asked(Protocol):
    """What the answers need of the study."""

    study: StudyFile
    profiles: Profiles
    pairs: list[str]
    limits: dict[str, list[Any]]

    @property
    def written(self) -> float: ...

    def memories(self) -> list[str]: ...


SINGLE = (2, 4, 8, 16, 32, 64)  # KiB
MPNFM = "32+4"
GIB = 1 << 30


@dataclasses.dataclass(frozen=True)
class Row:
    """Of table II."""

    file: str
    write_share: float
    mean_write: float  # KiB
    small: bool  # the text counts it among those that small pages suit


WORKLOADS = {
    "Financial1": Row("mpnfm_financial1", 0.77, 4.75, True),
    "Financial2": Row("mpnfm_financial2", 0.18, 3.95, True),
    "Exchange": Row("mpnfm_exchange", 0.79, 7.6, True),
    "MSR": Row("mpnfm_msr", 0.88, 12.9, False),
    "TPC-E": Row("mpnfm_tpce", 0.10, 12.8, False),
    "MSN": Row("mpnfm_msn", 0.30, 11.15, False),
    "G-Purpose1": Row("mpnfm_gpurpose1", 0.74, 15.0, True),
    "G-Purpose2": Row("mpnfm_gpurpose2", 0.05, 215.6, False),
}
OF_MPNFM = ("small_share", "threshold")  # limits that a single page size does not have
MEANS = {"2": 63, "4": 54, "64": 73}  # %: below the means of these pages, by the abstract
SAME = 0.02  # of latencies; less is equal

Result = dict[str, Any]


def _lpage_bytes(result: Result, pages: str) -> int:
    """Bytes of a logical page: 2 KiB where the smallest page is."""
    return 2048 if "2" in pages.split("+") else 4096


METRICS: dict[str, Callable[[Result, str], float]] = {
    "write": lambda r, _: r["ios"]["write"]["lat_ps"]["mean"] / 1e6,
    "read": lambda r, _: r["ios"]["read"]["lat_ps"]["mean"] / 1e6,
    "false_capacity": lambda r, pages: r["pages"]["unusable_sectors"] * _lpage_bytes(r, pages) / GIB,
    "modify_ratio": lambda r, _: r["pages"]["modify_ratio"],
    "erases": lambda r, _: r["flash"]["erases"],
    "erased_bits": lambda r, pages: r["pages"]["erased_sectors"] * _lpage_bytes(r, pages) * 8,
    "collections": lambda r, _: r["gc"]["superblocks"],
}


def free(answer: Answer) -> Answer:
    """Of the workload alone: cores have no part in it."""
    return dataclasses.replace(answer, iss=None, fits_iss=None)


def key_of(name: str) -> str:
    return name.lower().replace("-", "")


class Answers:
    """Reads the results of the study."""

    def __init__(self, study: Asked, results: Results):
        self.study, self.results = study, results

    def value(self, metric: str, pages: str, name: str, cpu: str = "native", **labels: Any) -> float:
        found = self.results.get(**{"part": "main", **labels}, pages=pages, workload=name, cpu=cpu)
        return METRICS[metric](found, pages)

    def saved(self, metric: str, pages: str, name: str, cpu: str, **labels: Any) -> float:
        """Per cent by which 32+4 KiB is below a single size."""
        reference = self.value(metric, pages, name, cpu, **labels)
        if not reference:
            raise NotMeasured
        return 100 * (1 - self.value(metric, MPNFM, name, cpu, **labels) / reference)

    def mean_saved(self, pages: str, cpu: str, **labels: Any) -> float:
        """Of latencies over those of 2 KiB pages, as the paper normalises them: the mean of 32+4 KiB below the mean of
        a single size."""
        single = {} if labels.get("limit") in OF_MPNFM else labels  # else that of the main part

        def mean(of: str, labels: dict[str, Any]) -> float:
            return statistics.fmean(
                self.value("write", of, name, cpu, **labels) / self.value("write", "2", name, cpu, **single)
                for name in WORKLOADS
            )

        return 100 * (1 - mean(MPNFM, labels) / mean(pages, single))

    def all(self) -> dict[str, Answer]:
        return {
            **self._latencies(),
            **self._best(),
            **self._false_capacity(),
            **self._modifications(),
            **self._pairs(),
            **self._lifetime(),
            **self._workloads(),
            **self._device(),
        }

    # ---- figure 6

    def _latencies(self) -> dict[str, Answer]:
        def beside(pages: str) -> str:
            found = ask(lambda: self.mean_saved(pages, "native", part="drive"))
            return "" if found is None else f"Through the controller, 25 ns a byte, as published: {-found:+.1f} %."

        answers = {}
        for pages, paper in MEANS.items():
            answers[f"mpnfm.write_latency.vs_{pages}k.mean"] = Answer.within(
                paper,
                5,
                lambda cpu, pages=pages: self.mean_saved(pages, cpu),
                beside(pages),
                experiment=self._bus(pages),
            )
        for pages in ("8", "16", "32"):
            answers[f"mpnfm.write_latency.vs_{pages}k.mean"] = Answer.of(
                lambda saved: saved > 0,
                lambda cpu, pages=pages: self.mean_saved(pages, cpu),
                lambda saved: f"{-saved:+.1f} %",
                note=beside(pages),
                experiment=self._bus(pages),
            )

        def largest(cpu: str) -> float:
            return max(self.saved("write", "32", name, cpu) for name in WORKLOADS)

        where = ask(self._where, "write", "32") or ""
        answers["mpnfm.write_latency.vs_32k.max"] = Answer.within(65, 5, largest, where)
        answers["mpnfm.write_latency.abstract"] = Answer.within(65, 5, largest, where)
        return answers

    def _bus(self, pages: str) -> str:
        """The mean by the time of a byte on the bus."""
        found = {
            value: ask(lambda v=value: self.mean_saved(pages, "native", part="limits", limit="byte_on_bus", value=v))
            for value in self.study.limits.get("byte_on_bus", [])
        }
        own = ask(self.mean_saved, pages, "native")
        if own is None or None in found.values() or not found:
            return ""
        return "a byte on the bus in 10ns: " + ", ".join(
            [f"{-own:+.0f} %", *(f"{value} {-saved:+.0f} %" for value, saved in found.items())]
        )

    def _where(self, metric: str, pages: str) -> str:
        """The workload of the largest saving."""
        return "with " + max(WORKLOADS, key=lambda name: self.saved(metric, pages, name, "native"))

    def _turned(self, value: Callable[..., Any], fits: Callable[[Any], bool], show: Callable[[Any], str]) -> str:
        """What `value` says with a bus and with assumptions that turn the verdict over; empty: none of them does."""
        cases = {
            f"{byte} a byte on the bus": {"part": "limits", "limit": "byte_on_bus", "value": byte}
            for byte in self.study.limits.get("byte_on_bus", [])
        }
        cases["through the controller, 25 ns a byte, as published"] = {"part": "drive"}
        own = ask(value, "native")
        found = {text: ask(lambda labels=labels: value("native", **labels)) for text, labels in cases.items()}
        if own is None:
            return ""
        turned = [f"{text}: {show(v)}" for text, v in found.items() if v is not None and fits(v) != fits(own)]
        return f"as here {show(own)}; {'; '.join(turned)}" if turned else ""

    def _best(self) -> dict[str, Answer]:
        def rank(name: str, cpu: str, **labels: Any) -> tuple[bool, str]:
            latencies = {str(p): self.value("write", str(p), name, cpu, **labels) for p in SINGLE}
            best = min(latencies, key=latencies.__getitem__)
            own = self.value("write", MPNFM, name, cpu, **labels)
            return own <= (1 + SAME) * latencies[best], f"{own / latencies[best]:.2f} of {best} KiB, the best"

        def suits(name: str, cpu: str, **labels: Any) -> tuple[bool, str]:
            latencies = {p: self.value("write", str(p), name, cpu, **labels) for p in SINGLE}
            best = min(latencies, key=latencies.__getitem__)
            small = min(latencies[2], latencies[4], latencies[8]) <= min(latencies[16], latencies[32], latencies[64])
            return small == WORKLOADS[name].small, f"{best} KiB"

        def of_workload(question: Callable[..., tuple[bool, str]], name: str) -> Answer:
            def value(cpu: str, **labels: Any) -> tuple[bool, str]:
                return question(name, cpu, **labels)

            def fits(found: tuple[bool, str]) -> bool:
                return found[0]

            def show(found: tuple[bool, str]) -> str:
                return found[1]

            return Answer.of(fits, value, show, experiment=self._turned(value, fits, show))

        answers = {}
        for name in WORKLOADS:
            answers[f"mpnfm.write_latency.{key_of(name)}.best"] = of_workload(rank, name)
            answers[f"mpnfm.optimal_page.{key_of(name)}"] = of_workload(suits, name)
        answers["mpnfm.write_latency.best_everywhere"] = Answer.of(
            lambda found: found == len(WORKLOADS),
            lambda cpu: sum(rank(name, cpu)[0] for name in WORKLOADS),
            lambda found: f"{found} of {len(WORKLOADS)}",
        )
        answers["mpnfm.read_latency.similar"] = Answer.of(
            lambda found: abs(found) <= 10,
            lambda cpu: statistics.fmean(
                100 * (self.value("read", MPNFM, name, cpu) / self.value("read", "32", name, cpu) - 1)
                for name in WORKLOADS
            ),
            lambda found: f"{found:+.1f} % against 32 KiB",
        )
        return answers

    # ---- figures 7 and 8

    def _mean_of_singles(self, metric: str, name: str, cpu: str) -> float:
        return statistics.fmean(self.value(metric, str(p), name, cpu) for p in SINGLE)

    def _false_capacity(self) -> dict[str, Answer]:
        def over(names: Iterable[str], cpu: str) -> float:
            """Of the mean of the single sizes, the mean of these workloads."""
            return statistics.fmean(
                self.value("false_capacity", MPNFM, name, cpu) / self._mean_of_singles("false_capacity", name, cpu)
                for name in names
            )

        def answer(names: tuple[str, ...], judge: bool = True) -> Answer:
            found = Answer.of(
                lambda v: v < 1, lambda cpu: over(names, cpu), lambda v: f"{v:.2f} of the mean of single sizes"
            )
            return found if judge else dataclasses.replace(found, fits_native=None, fits_iss=None)

        small = tuple(name for name in WORKLOADS if WORKLOADS[name].small)
        return {
            "mpnfm.fc.reduced": answer(small),
            "mpnfm.fc.financial1": answer(("Financial1",)),
            "mpnfm.fc.financial2": answer(("Financial2",)),
            "mpnfm.fc.others": answer(tuple(n for n in WORKLOADS if not n.startswith("Financial")), judge=False),
        }

    def _modifications(self) -> dict[str, Answer]:
        def ratios(cpu: str) -> tuple[float, float]:
            both = [statistics.fmean(self.value("modify_ratio", p, n, cpu) for n in WORKLOADS) for p in (MPNFM, "4")]
            return both[0], both[1]

        def better(cpu: str) -> int:
            return sum(
                any(
                    self.value(metric, MPNFM, name, cpu) < self._mean_of_singles(metric, name, cpu)
                    for metric in ("false_capacity", "modify_ratio")
                )
                for name in WORKLOADS
            )

        return {
            "mpnfm.rrnm.like_4k": Answer.of(
                lambda found: abs(found[0] - found[1]) <= 0.1,
                ratios,
                lambda found: f"{found[0]:.2f}, 4 KiB {found[1]:.2f}",
            ),
            "mpnfm.one_metric_better": Answer.of(
                lambda found: found >= len(WORKLOADS) - 1, better, lambda found: f"{found} of {len(WORKLOADS)}"
            ),
        }

    # ---- figure 9

    def mean(self, pages: str, cpu: str) -> float:
        return statistics.fmean(
            self.value("write", pages, name, cpu) / self.value("write", "2", name, cpu) for name in WORKLOADS
        )

    def _pairs(self) -> dict[str, Answer]:
        pairs = [MPNFM, *self.study.pairs]

        def beaten(cpu: str) -> tuple[float, float]:
            return max(self.mean(p, cpu) for p in pairs), min(self.mean(str(p), cpu) for p in SINGLE)

        def small(cpu: str) -> tuple[float, float]:
            four = [p for p in pairs if p.endswith("+4") and f"{p[:-2]}+2" in pairs]
            if not four:
                raise NotMeasured
            return (
                statistics.fmean(self.mean(p, cpu) for p in four),
                statistics.fmean(self.mean(f"{p[:-2]}+2", cpu) for p in four),
            )

        return {
            "mpnfm.fig9.any_config": Answer.of(
                lambda found: found[0] < found[1],
                beaten,
                lambda found: f"worst pair {found[0]:.2f}, best single size {found[1]:.2f} of 2 KiB",
            ),
            "mpnfm.fig9.4k_vs_2k": Answer.of(
                lambda found: found[0] < found[1],
                small,
                lambda found: f"x+4 {found[0]:.2f}, x+2 {found[1]:.2f} of 2 KiB",
            ),
        }

    # ---- figure 10

    def total(self, metric: str, pages: str, cpu: str) -> float:
        return sum(self.value(metric, pages, name, cpu) for name in WORKLOADS)

    def fewer_bits(self, cpu: str, **labels: Any) -> float:
        """Per cent of the erased bits of 32 KiB pages that are saved, with the workload that saves most."""
        found = [ask(lambda n=name: self.saved("erased_bits", "32", n, cpu, **labels)) for name in WORKLOADS]
        known = [value for value in found if value is not None]
        if not known:
            raise NotMeasured
        return max(known)

    def _lifetime(self) -> dict[str, Answer]:
        def near(metric: str) -> Answer:
            def over(cpu: str) -> float:
                best = min(self.total(metric, str(p), cpu) for p in SINGLE)
                if not best:
                    raise NotMeasured
                return self.total(metric, MPNFM, cpu) / best

            return Answer.of(lambda found: found <= 1.25, over, lambda found: f"{found:.2f} of the best single size")

        def by_state() -> str:
            seen = {
                f"{value} written": ask(
                    lambda v=value: self.fewer_bits("native", part="limits", limit="written", value=v)
                )
                for value in self.study.limits.get("written", [])
            }
            seen["the drive's own assumptions"] = ask(lambda: self.fewer_bits("native", part="drive"))
            own = ask(self.fewer_bits, "native")
            known = ", ".join(f"{text} {value:.1f} %" for text, value in seen.items() if value is not None)
            return f"as here {own:.1f} %, {known}" if own is not None and known else ""

        total = ask(
            lambda: 100 * (1 - self.total("erased_bits", MPNFM, "native") / self.total("erased_bits", "32", "native"))
        )
        note = (
            ""
            if total is None
            else f"Erased bits of all workloads {-total:+.1f} %: a lifetime of {100 / (100 - total):.2f}."
        )
        return {
            "mpnfm.ec.near_best": near("erases"),
            "mpnfm.eb.near_best": near("erased_bits"),
            # Read as: so much fewer erased bits; or as: so much more life, which is 38 % fewer.
            "mpnfm.lifetime.vs_32k.max": Answer.within(62, 5, self.fewer_bits, note, experiment=by_state()),
            "mpnfm.lifetime.abstract": Answer.within(
                62, 5, self.fewer_bits, "38 % fewer bits would be 62 % more life.", experiment=by_state()
            ),
        }

    # ---- table II and the device

    def _workloads(self) -> dict[str, Answer]:
        def mean(name: str) -> float:
            """Per cent, over the workloads."""
            files = [self.study.profiles.file(row.file, 100_000) for row in WORKLOADS.values()]
            return 100 * statistics.fmean(found[name] for found in self.results.workloads.of_all(files))

        def below(_: str) -> float:
            return mean("share_lt_8KiB")

        def sequential(_: str) -> float:
            """Requests within 128 KiB of one of the last 32 are sequential."""
            return 100 - mean("random_share")

        native = Answer.within(89, 5, below), Answer.within(48, 10, sequential)
        return {
            "mpnfm.obs.small_requests": free(native[0]),
            "mpnfm.obs.seq_volume": free(native[1]),
        }

    def _device(self) -> dict[str, Answer]:
        device = self.study.study.config.parents[1] / "nand/mlc_planar.toml"
        times = {int(row["page_kib"]): row for row in self.results.curves.rows("pages", device)}

        def step(name: str) -> float:
            """Per cent by doubling."""
            return 100 * ((float(times[64][name]) / float(times[2][name])) ** 0.2 - 1)

        def of(value: float, fits: bool) -> Answer:
            return Answer(native=round(value, 2), fits_native=fits)

        return {
            "mpnfm.time.tr_flat": of(step("t_r_us"), step("t_r_us") == 0),
            "mpnfm.time.tprog_step": of(step("t_prog_us"), abs(step("t_prog_us") - 10) < 0.1),
            "mpnfm.time.tbers_step": of(step("t_bers_us"), abs(step("t_bers_us") - 10) < 0.1),
        }
