# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the results of the study of page speeds say to each figure of the paper."""

from __future__ import annotations

import statistics
from typing import Any, Protocol

from ..framework.samples import half_interval
from ..framework.study import Answer, NotMeasured, Results, ask
from ..framework.tornado import Swing, tornado


class Asked(Protocol):
    """What the answers need of the study."""

    blocks: int
    utilisation: float
    states: list[str]
    state_traces: list[str]
    open: dict[str, list[Any]]
    pairs: list[list[int]]
    correlations: list[float]
    ratios: dict[str, dict[int, list[int]]]
    printed: list[int]
    beyond_ratios: list[int]
    beyond_cpus: list[str]


RATIOS = (2, 3, 4, 5)
TRACES = {"web": ("msr_web_0", 297.941), "media": ("msr_mds_0", 499.411)}  # profile, ms between two requests
IN_FLASH = ("bus_command", "array", "bus_data")
MAX, MAX_TOLERANCE = 18.56, 2
DEFAULTS = {  # of what the part `open` changes, in the main part
    "nand.layer_speed.read": "5",
    "utilisation": "0.85",
    "channels.rate": "533MT/s",
    "ftl.ppb.virtual_blocks": "2",
    "ftl.ppb.half_full_blocks": "1",
    "ftl.ppb.hot_write_size": "64KiB",
    "ftl.ppb.hot_list": "0.25",
    "ftl.ppb.table": "flat",
}


def in_flash(result: dict[str, Any]) -> float:
    """Command, tR and transfer of a read in the mean of all reads: the operation times that the paper adds up. A read of
    what was never written has none of them."""
    return sum(stage["service_ps"] for stage in result["stages"]["read"]["mean"] if stage["stage"] in IN_FLASH)


METRICS = {
    "flash": in_flash,
    "read": lambda result: result["ios"]["read"]["lat_ps"]["mean"],
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
        labels = {"trace": trace, "page": page, "ratio": ratio, "cpu": cpu}
        before = self.results.get(part="main", policy="page", **labels)
        part = "printed" if policy == "printed" else "main"
        return saving(metric, before, self.results.get(part=part, policy=policy, **labels))

    def over_ratios(self, metric: str, policy: str, cpu: str, trace: str) -> list[float]:
        """At those that the study ran."""
        ratios = self.study.printed if policy == "printed" else self.study.ratios[cpu][16]
        return [self.saved(metric, policy, cpu, trace, 16, ratio) for ratio in ratios]

    def everywhere(self, metric: str, policy: str, cpu: str) -> list[float]:
        """The same of both traces."""
        return [value for trace in TRACES for value in self.over_ratios(metric, policy, cpu, trace)]

    def from_state(self, metric: str, trace: str, state: str) -> float:
        labels = {"part": "states", "trace": trace, "page": 16, "ratio": RATIOS[-1], "cpu": "native", "state": state}
        return saving(metric, *(self.results.get(policy=policy, **labels) for policy in ("page", "ppb")))

    def opened(self, metric: str, what: str, value: Any) -> float:
        """With one thing changed that the paper leaves open: web, 16 KiB."""
        ratio = value if what == "nand.layer_speed.read" else RATIOS[-1]
        labels = {"trace": "web", "page": 16, "ratio": ratio, "cpu": "native"}
        own = {"part": "open", "what": what, "value": str(value)}
        base = {"part": "main"} if what.startswith("ftl.ppb.") else own
        return saving(
            metric,
            self.results.get(policy="page", **base, **labels),
            self.results.get(policy="ppb", **own, **labels),
        )

    def paired(self, blocks: int, ratio: int) -> float:
        """With so many virtual blocks at this ratio: web, 16 KiB."""
        labels = {"trace": "web", "page": 16, "ratio": ratio, "cpu": "native"}
        before = self.results.get(part="main", policy="page", **labels)
        return saving("flash", before, self.results.get(part="pairs", policy="ppb", blocks=blocks, **labels))

    def all(self) -> dict[str, Answer]:
        return {**self._reads(), **self._writes_and_gc()}

    def _reads(self) -> dict[str, Answer]:
        """By command, tR and transfer: the paper has no queue, and adds up operation times. Notes have whole reads."""

        def gain(cpu: str, trace: str = "web", page: int = 16) -> float:
            return self.saved("flash", "ppb", cpu, trace, page, RATIOS[-1])

        def seen(metric: str, policy: str, trace: str) -> str:
            return _percents(ask(self.over_ratios, metric, policy, "native", trace))

        def mean(cpu: str) -> float:
            if self.study.ratios[cpu][16] != list(RATIOS):
                raise NotMeasured
            return statistics.fmean(self.everywhere("flash", "ppb", cpu))

        def mean_as_printed() -> list[float]:
            return [statistics.fmean(self.everywhere("flash", "printed", "native"))]

        def whole() -> list[float]:
            return [statistics.fmean(self.everywhere("read", "ppb", "native"))]

        printed = self.study.printed
        at = "" if printed == list(RATIOS) else ", at " + ", ".join(f"{ratio}x" for ratio in printed)

        def notes(trace: str) -> str:
            return f"As printed{at}: {seen('flash', 'printed', trace)}. Whole reads: {seen('read', 'ppb', trace)}."

        def virtual_blocks() -> str:
            found = [(v, ask(self.opened, "flash", "ftl.ppb.virtual_blocks", v)) for v in self._more_virtual_blocks()]
            texts = [f"{value}: {gained:.1f} %" for value, gained in found if gained is not None]
            for blocks, ratio in self.study.pairs:
                gained = ask(self.paired, blocks, ratio)
                texts += [] if gained is None else [f"{blocks} at {ratio}x: {gained:.1f} %"]
            before = ask(gain, "native")
            return (
                f"ftl.ppb.virtual_blocks 2: {before:.1f} %, {', '.join(texts)}" if texts and before is not None else ""
            )

        answers = {
            "ppb.read_gain.max.16k": Answer.within(
                MAX,
                MAX_TOLERANCE,
                gain,
                f"At 2x to 5x: {seen('flash', 'ppb', 'web')}. {notes('web')}",
                experiment=virtual_blocks(),
            ),
            "ppb.read_gain.others": Answer.of(
                lambda found: all(0 < value < MAX for value in found),
                lambda cpu: [gain(cpu, "media", 8), gain(cpu, "media"), gain(cpu, "web", 8)],
                _percents,
                note="Media 8 and 16 KiB, web 8 KiB.",
            ),
            "ppb.read_latency.mean.4ratios": Answer.within(
                10,
                3,
                mean,
                f"Both traces, 16 KiB; as printed{at}: {_percents(ask(mean_as_printed))}; whole reads with their waits: "
                f"{_percents(ask(whole))}.",
            ),
        }
        for trace in TRACES:
            answers[f"ppb.read_gain.page_trend.{trace}"] = Answer.of(
                lambda pair: pair[1] > pair[0],
                lambda cpu, trace=trace: (gain(cpu, trace, 8), gain(cpu, trace)),
                lambda pair: f"8 KiB {pair[0]:.1f} %, 16 KiB {pair[1]:.1f} %",
                experiment=self._without_transfer(),
            )
            answers[f"ppb.read_latency.{trace}.lower"] = Answer.of(
                lambda found: min(found) > 0,
                lambda cpu, trace=trace: self.over_ratios("flash", "ppb", cpu, trace),
                _percents,
                note=f"At {self._seen_ratios()}. {notes(trace)}",
            )
        return answers

    def _seen_ratios(self) -> str:
        on_cores = self.study.ratios["iss"][16]
        at = ", ".join(f"{ratio}x" for ratio in on_cores)
        return "2x to 5x" if on_cores == list(RATIOS) else f"2x to 5x; iss at {at}"

    def _more_virtual_blocks(self) -> list[int]:
        return self.study.open.get("ftl.ppb.virtual_blocks", [])

    def _without_transfer(self) -> str:
        """tR alone, for both page sizes."""

        def alone(page: int) -> float:
            labels = {"part": "main", "trace": "web", "page": page, "ratio": RATIOS[-1], "cpu": "native"}
            runs = [self.results.get(policy=policy, **labels) for policy in ("page", "ppb")]
            times = [next(s["service_ps"] for s in r["stages"]["read"]["mean"] if s["stage"] == "array") for r in runs]
            return 100 * (1 - times[1] / times[0]) if times[0] else 0.0

        found = [ask(alone, page) for page in (8, 16)]
        if None in found:
            return ""
        return f"tR alone, web: 8 KiB {found[0]:.1f} %, 16 KiB {found[1]:.1f} %"

    def _writes_and_gc(self) -> dict[str, Answer]:
        def most(values: list[float]) -> float:
            """The largest change; more than with the conventional FTL is positive."""
            return -max(values, key=abs)

        def worst(metric: str, cpu: str) -> float:
            return -min(self.everywhere(metric, "ppb", cpu))

        def by_page(cpu: str) -> float:
            return most([self.saved("write", "ppb", cpu, trace, page, 5) for trace in TRACES for page in (8, 16)])

        def amplification(cpu: str) -> tuple[float, float]:
            """The largest change over traces and ratios; and of copies in per cent of what the host programs."""

            def waf(trace: str, ratio: int) -> float:
                labels = {"part": "main", "trace": trace, "page": 16, "ratio": ratio, "cpu": cpu}
                before, after = (self.results.get(policy=p, **labels)["flash"]["waf"] for p in ("page", "ppb"))
                if not before or not after:
                    raise NotMeasured
                return 100 * (after / before - 1)

            ratios = self.study.ratios[cpu][16]
            return max(waf(trace, ratio) for trace in TRACES for ratio in ratios), worst("erases", cpu)

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
                amplification,
                lambda pair: f"write amplification {pair[0]:+.2f} %, erases {pair[1]:+.2f} %",
                note="The largest over traces and ratios. The paper says none in one place, not excessive in another.",
            ),
        }

    # ---- tables

    def tables(self) -> list[dict[str, Any]]:
        return [self._states(), self._tornado(), self._synthetic(), self._beyond()]

    def _states(self) -> dict[str, Any]:
        names = {"none": "empty", "sequential": "filled in order", "random": "filled, each page once more at random"}
        names["steady"] = "steady"
        metrics = ("flash", "read", "write", "erases")

        def row(state: str, trace: str) -> list[Any]:
            if state == "none":
                found = [ask(self.saved, metric, "ppb", "native", trace, 16, RATIOS[-1]) for metric in metrics]
            else:
                found = [ask(self.from_state, metric, trace, state) for metric in metrics]
            return [names.get(state, state), trace, *(None if value is None else round(value, 2) for value in found)]

        return {
            "title": "By what the drive holds at the begin",
            "text": "5x, pages of 16 KiB, free firmware, % saved. An empty drive is the paper's kind of simulator: what the "
            "trace has not written is on no page. On a full drive nine of ten reads of these volumes go to pages that are "
            "never written: they lie in blocks without stale pages, which no GC takes, so no policy that moves data with "
            "writes and GC alone ever moves them.",
            "head": ["the drive", "trace", "command, tR, transfer", "whole read", "write", "erases"],
            "rows": [
                row(state, trace)
                for state in ("none", *self.study.states)
                for trace in (TRACES if state == "none" else self.study.state_traces)
            ],
        }

    def _tornado(self) -> dict[str, Any]:
        base = ask(self.saved, "flash", "ppb", "native", "web", 16, RATIOS[-1])
        swings = [
            Swing(
                "the drive at the begin",
                {"empty": base, **{s: ask(self.from_state, "flash", "web", s) for s in self.study.states}},
            )
        ]
        for what, values in self.study.open.items():
            found = {str(value): ask(self.opened, "flash", what, value) for value in values}
            swings.append(Swing(what, {DEFAULTS.get(what, "default"): base, **found}))
        pairs = {f"{blocks} at {ratio}x": ask(self.paired, blocks, ratio) for blocks, ratio in self.study.pairs}
        swings.append(Swing("ftl.ppb.virtual_blocks and the ratio", {"2 at 5x": base, **pairs}))
        return tornado(
            "the largest gain of reads (`ppb.read_gain.max.16k`)",
            "% of command, tR and transfer saved: web, 16 KiB, 5x, empty drive, free firmware",
            swings,
            lambda value: abs(value - MAX) <= MAX_TOLERANCE,
        )

    def _beyond(self) -> dict[str, Any]:
        texts = {
            "ppb": "PPB",
            "frequency": "by frequency: no lists, the 0.3 that are read most, counts that live four times as long",
            "space": "eight virtual blocks while less than half of the drive is valid, then two",
            "both": "both",
        }

        def on_web(variant: str, ratio: int, cpu: str) -> float:
            labels = {"trace": "web", "page": 16, "ratio": ratio, "cpu": cpu}
            own = {"part": "main"} if variant == "ppb" else {"part": "beyond", "variant": variant, "load": "web"}
            before = self.results.get(part="main", policy="page", **labels)
            return round(saving("flash", before, self.results.get(policy="ppb", **own, **labels)), 1)

        def full(variant: str, cpu: str) -> list[float]:
            def run(name: str) -> dict[str, Any]:
                policy = "page" if name == "page" else "ppb"
                return self.results.get(part="beyond", variant=name, load="synthetic", policy=policy, cpu=cpu)

            return [round(saving(metric, run("page"), run(variant)), 1) for metric in ("flash", "write", "erases")]

        on_full = [f"full: {what}" for what in ("command, tR, transfer", "write", "erases")]
        ratios, head = self.study.beyond_ratios, ["variant"]
        rows: list[list[Any]] = [[text] for text in texts.values()]
        for cpu in self.study.beyond_cpus:
            of = "" if cpu == "native" else f", {cpu}"
            head += [f"{text}{of}" for text in (*(f"web, {ratio}x" for ratio in ratios), *on_full)]
            for row, variant in zip(rows, texts):
                row += [ask(on_web, variant, ratio, cpu) for ratio in ratios]
                row += ask(full, variant, cpu) or [None] * len(on_full)
        return {
            "title": "Beyond the paper",
            "text": "% saved over the conventional FTL, free firmware. Web: an empty drive, 16 KiB, command, tR and transfer. "
            "Full: the synthetic workload on a drive filled in order, 5x, the last fifth of a run that is long enough for "
            "what is learnt to age; there eight virtual blocks are two from the start. `ftl.ppb.cold_share`, `.aging_reads`, "
            "`.two_above`.",
            "head": head,
            "rows": rows,
        }

    def _synthetic(self) -> dict[str, Any]:
        def changes(correlation: float) -> list[float]:
            labels = {"part": "synthetic", "correlation": correlation, "cpu": "native"}
            runs = [self.results.get(policy=policy, **labels) for policy in ("page", "ppb")]
            return [round(saving(metric, *runs), 2) for metric in ("flash", "read", "write", "erases")]

        return {
            "title": "Reads that hit pages which are written at times",
            "text": "Synthetic, on a drive filled in order: 70 % writes, Zipf 0.9, requests of 16 KiB over the whole drive; "
            "the correlation is the share of reads that go where writes go. 5x, free firmware, % saved. Writes and erases pay "
            f"for the eight superblocks that PPB keeps open, of {round(self.study.blocks * (1 - self.study.utilisation))} that are "
            "spare here; with three times as many, erases stay ([measurements](measurements/ppb.md)).",
            "head": ["correlation", "command, tR, transfer", "whole read", "write", "erases"],
            "rows": [[f"{value:g}", *(ask(changes, value) or [None] * 4)] for value in self.study.correlations],
        }


def _percents(values: list[float] | None) -> str:
    return "not measured" if values is None else ", ".join(f"{value:.1f}" for value in values) + " %"
