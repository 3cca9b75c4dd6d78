# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the results of the study of page speeds say to each figure of the paper."""

from __future__ import annotations

import statistics
from typing import Any, Protocol

from ..framework.samples import half_interval
from ..framework.study import Answer, Results, ask


class Asked(Protocol):
    """What the answers need of the study."""

    utilisation: float
    variants: dict[str, list[Any]]


RATIOS = (2, 3, 4, 5)
TRACES = {"web": ("msr_web_0", 297.941), "media": ("msr_mds_0", 499.411)}  # profile, ms between two requests
METRICS = {
    "read": lambda result: result["ios"]["read"]["lat_ps"]["mean"],
    # Without waiting for the core, the die, the bus: what a sum of operation times has.
    "service": lambda result: sum(stage["service_ps"] for stage in result["stages"]["read"]["mean"]),
    "write": lambda result: result["ios"]["write"]["lat_ps"]["mean"],
    "erases": lambda result: result["blocks"]["superblock_erases"],
    "copies": lambda result: result["pages"]["moved_programs"],
}


def saving(metric: str, before: dict[str, Any], after: dict[str, Any]) -> float:
    """Per cent that `after` has less than `before`."""
    first, second = METRICS[metric](before), METRICS[metric](after)
    return 100 * (1 - second / first) if first else 0.0


def interval(values: list[float]) -> str:
    """Mean and half of the 95 % interval of few samples, by Student's t."""
    return f"{statistics.fmean(values):.2f} +- {half_interval(values):.2f}"


class Answers:
    """Reads the results of the study."""

    def __init__(self, study: Asked, results: Results):
        self.study, self.results = study, results

    def saved(self, metric: str, policy: str, cpu: str, trace: str, page: int, ratio: int) -> float:
        """Per cent that the policy saves over the conventional FTL."""
        labels = {"part": "main", "trace": trace, "page": page, "ratio": ratio, "cpu": cpu}
        return saving(metric, self.results.get(policy="page", **labels), self.results.get(policy=policy, **labels))

    def over_ratios(self, metric: str, policy: str, cpu: str, trace: str) -> list[float]:
        return [self.saved(metric, policy, cpu, trace, 16, ratio) for ratio in RATIOS]

    def everywhere(self, metric: str, policy: str, cpu: str) -> list[float]:
        """At all ratios of both traces."""
        return [value for trace in TRACES for value in self.over_ratios(metric, policy, cpu, trace)]

    def all(self) -> dict[str, Answer]:
        return {**self._reads(), **self._writes_and_collection()}

    def _reads(self) -> dict[str, Answer]:
        """By the time of a read's own steps: the paper has no queue, and adds up operation times. Notes have reads with
        their waits."""

        def gain(cpu: str, trace: str = "web", page: int = 16) -> float:
            return self.saved("service", "ppb", cpu, trace, page, RATIOS[-1])

        def seen(metric: str, policy: str, trace: str) -> str:
            return _percents(ask(self.over_ratios, metric, policy, "native", trace))

        def mean(cpu: str, policy: str = "ppb") -> float:
            return statistics.fmean(self.everywhere("service", policy, cpu))

        def mean_as_printed() -> list[float]:
            return [mean("native", "printed")]

        def notes(trace: str) -> str:
            return f"As printed: {seen('service', 'printed', trace)}. With waits: {seen('read', 'ppb', trace)}."

        answers = {
            "ppb.read_gain.max.16k": Answer.within(
                18.56, 2, gain, f"At 2x to 5x: {seen('service', 'ppb', 'web')}. {notes('web')}"
            ),
            "ppb.read_gain.others": Answer.of(
                lambda found: all(0 < value < 18.56 for value in found),
                lambda cpu: [gain(cpu, "media", 8), gain(cpu, "media"), gain(cpu, "web", 8)],
                _percents,
                note="Media 8 and 16 KiB, web 8 KiB.",
            ),
            "ppb.read_latency.mean.4ratios": Answer.within(
                10, 3, mean, f"Both traces, 16 KiB; as printed: {_percents(ask(mean_as_printed))}."
            ),
        }
        for trace in TRACES:
            answers[f"ppb.read_gain.page_trend.{trace}"] = Answer.of(
                lambda pair: pair[1] > pair[0],
                lambda cpu, trace=trace: (gain(cpu, trace, 8), gain(cpu, trace)),
                lambda pair: f"8 KiB {pair[0]:.1f} %, 16 KiB {pair[1]:.1f} %",
            )
            answers[f"ppb.read_latency.{trace}.lower"] = Answer.of(
                lambda found: min(found) > 0,
                lambda cpu, trace=trace: self.over_ratios("service", "ppb", cpu, trace),
                _percents,
                note=f"At 2x to 5x. {notes(trace)}",
            )
        return answers

    def _writes_and_collection(self) -> dict[str, Answer]:
        def most(values: list[float]) -> float:
            """The largest change; more than with the conventional FTL is positive."""
            return -max(values, key=abs)

        def worst(metric: str, cpu: str) -> float:
            return -min(self.everywhere(metric, "ppb", cpu))

        def by_page(cpu: str) -> float:
            return most([self.saved("write", "ppb", cpu, trace, page, 5) for trace in TRACES for page in (8, 16)])

        return {
            "ppb.write_latency.diff": Answer.of(
                lambda value: abs(value) <= 0.5,
                lambda cpu: most(self.everywhere("write", "ppb", cpu)),
                lambda value: round(value, 3),
                0.0001,
                "The largest over traces and ratios; no significant difference is meant: 0.5 %.",
            ),
            "ppb.write_perf.page_sizes": Answer.of(
                lambda value: abs(value) <= 0.5, by_page, lambda value: f"{value:+.3f} %"
            ),
            "ppb.erase.count": Answer.of(
                lambda value: value <= 2,
                lambda cpu: worst("erases", cpu),
                lambda value: f"{value:+.2f} %",
                note="The largest over traces and ratios; up to 2 % counts as not excessive.",
            ),
            "ppb.gc.retained": Answer.of(
                lambda pair: max(pair) <= 2,
                lambda cpu: (worst("copies", cpu), worst("erases", cpu)),
                lambda pair: f"copies {pair[0]:+.2f} %, erases {pair[1]:+.2f} %",
                note="The largest over traces and ratios. The paper says none in one place, not excessive in another.",
            ),
        }

    # ---- tables

    def tables(self) -> list[dict[str, Any]]:
        return [self._sensitivity()]

    def _sensitivity(self) -> dict[str, Any]:
        def changes(what: str, value: Any) -> list[float]:
            labels = {"part": "sensitivity", "what": what, "value": str(value), "cpu": "native"}
            runs = [self.results.get(policy=policy, **labels) for policy in ("page", "ppb")]
            return [round(saving(metric, *runs), 2) for metric in ("read", "service", "write", "erases")]

        rows: list[list[Any]] = []
        for what, values in self.study.variants.items():
            found = [ask(changes, what, value) for value in values]
            rows += [[what, str(value), *(seen or [None] * 4)] for value, seen in zip(values, found)]
            if what == "run.seed" and len(values) > 2 and None not in found:
                rows.append([what, "mean and 95 % interval", *(interval(list(column)) for column in zip(*found))])
        return {
            "title": "What the paper leaves open",
            "head": ["what", "value", "read, % saved", "without waiting", "write, % saved", "erases, % saved"],
            "text": "Synthetic: 70 % writes, Zipf 0.9, reads and writes of 16 KiB, hot on different pages unless "
            f"correlated; 5x, one half-full block, utilisation {self.study.utilisation:g}, free firmware.",
            "rows": rows,
        }


def _percents(values: list[float] | None) -> str:
    return "not measured" if values is None else ", ".join(f"{value:.1f}" for value in values) + " %"
