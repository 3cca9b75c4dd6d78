# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the results of the study of read and write costs say to each figure of the slides."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from .ppb_answers import interval
from ..framework.jobs import Profiles
from ..framework.study import Answer, NotMeasured, Results, ask
from ..framework.tornado import Swing, tornado


class Asked(Protocol):
    """What the answers need of the study."""

    profiles: Profiles
    statistics_requests: int
    beyond_cpus: list[str]
    physics: dict[str, dict[str, Any]]
    variants: dict[str, list[Any]]


# A set of twelve that circulates, and that has the three volumes which the slides name.
VOLUMES = (
    "usr_0", "proj_0", "prn_0", "hm_0", "rsrch_0", "prxy_0", "src2_0", "stg_0", "ts_0", "web_0", "mds_0", "wdev_0",
)  # fmt: skip
PRELIMINARY = ("proj_0", "usr_0", "hm_0")
TECHNIQUES = ("traditional", "li", "agcr")
Result = dict[str, Any]


def latency(result: Result, op: str) -> float:
    return result["ios"][op]["lat_ps"]["mean"]


def of_all(result: Result) -> float:
    """Mean latency of reads and writes together."""
    both = [result["ios"][op] for op in ("read", "write")]
    return sum(op["count"] * op["lat_ps"]["mean"] for op in both) / sum(op["count"] for op in both)


def share(counts: dict[str, int], step: str) -> float:
    """Per cent of what was read, or programmed, that is of this step."""
    return 100 * counts.get(step, 0) / max(1, sum(counts.values()))


def rewrites(result: Result) -> float:
    """Per cent of the pages of 4 KiB that the host reads or writes."""
    accessed = sum(result["ios"][op]["bytes"] for op in ("read", "write")) / 4096
    return 100 * result["gc"]["idle_sectors"] / accessed


def accuracy(result: Result) -> float:
    """Per cent of the accesses to read-only and write-only units that were of their kind."""
    return 100 * result["steps"].get("judged_right", 0) / max(1, result["steps"].get("judged", 0))


class Answers:
    """Reads the results of the study."""

    def __init__(self, study: Asked, results: Results):
        self.study, self.results = study, results

    def get(self, technique: str, volume: str, cpu: str = "native", **labels: Any) -> Result:
        return self.results.get(**{"part": "main", **labels}, technique=technique, volume=volume, cpu=cpu)

    def normalised(self, op: str, technique: str, volume: str) -> float:
        return latency(self.get(technique, volume), op) / latency(self.get("traditional", volume), op)

    def mean(
        self, of: Callable[[Result], float], technique: str, cpu: str, over: Iterable[str] = VOLUMES, **labels: Any
    ) -> float:
        return statistics.fmean(of(self.get(technique, volume, cpu, **labels)) for volume in over)

    def saved(
        self, of: Callable[[Result], float], cpu: str, base: str = "li", over: Iterable[str] = VOLUMES, **labels: Any
    ) -> float:
        """Per cent of latency that AGCR saves, in the mean of the volumes."""
        return statistics.fmean(
            100 * (1 - of(self.get("agcr", volume, cpu, **labels)) / of(self.get(base, volume, cpu, **labels)))
            for volume in over
        )

    def all(self) -> dict[str, Answer]:
        return {
            **self._latencies(),
            **self._operations(),
            **self._page_classes(),
            **self._identification(),
            **self._preliminary(),
        }

    def gains(self, cpu: str, base: str = "li", **labels: Any) -> tuple[float, float]:
        """Per cent of read and of write latency that AGCR saves over the volumes."""

        def gain(op: str) -> float:
            return self.saved(lambda result: latency(result, op), cpu, base, **labels)

        return gain("read"), gain("write")

    def over_own(self, cpu: str, base: str = "li", begin: str = "own") -> tuple[float, float]:
        """The same where the other technique filled its own drive, Li et al. finely on idle chips, Traditional by default,
        and AGCR its own, coarsely."""

        def gain(op: str) -> float:
            return statistics.fmean(
                100
                * (
                    1
                    - latency(self.get("agcr", volume, cpu), op)
                    / latency(self.get(base, volume, cpu, part="begins", begin=begin), op)
                )
                for volume in VOLUMES
            )

        return gain("read"), gain("write")

    def _latencies(self) -> dict[str, Answer]:
        def pair(found: tuple[float, float] | None) -> str:
            return "not measured" if found is None else f"reads {found[0]:.1f} %, writes {found[1]:.1f} %"

        default = ask(lambda: self.gains("native", part="begins", begin="default"))
        own = ask(self.over_own, "native")
        traditional = ask(self.over_own, "native", "traditional", "default")
        states = (
            f"Default steps before the trace: {pair(default)}; each filled by its own policy (Li et al. finely): "
            f"{pair(own)}. Against Traditional, whose data are default: {pair(traditional)}."
        )
        if by_length := self._by_length(self._reads_saved):
            states += f" By {by_length}."
        return {
            "agcr.read.vs_li.mean": Answer.within(
                32, 5, lambda cpu: self.gains(cpu)[0], states, experiment=self._by_begin(default)
            ),
            "agcr.write.vs_li.mean": Answer.within(22, 5, lambda cpu: self.gains(cpu)[1]),
            "agcr.simultaneous": Answer.of(lambda found: min(found) > 0, self.gains, pair),
            "agcr.abstract.mean": Answer.within(
                15, 5, lambda cpu: self.saved(of_all, cpu), "Mean latency of all requests against Li et al."
            ),
        }

    def _by_begin(self, default: tuple[float, float] | None) -> str:
        main = ask(self.gains, "native")
        if main is None or default is None:
            return ""
        return f"ftl.agcr.initial coarse: reads {main[0]:.1f} %, default: {default[0]:.1f} %"

    def _reads_saved(self, **labels: Any) -> float:
        """Over Li et al., three volumes."""
        return self.saved(lambda result: latency(result, "read"), "native", "li", PRELIMINARY, **labels)

    def _by_length(self, of: Callable[..., float]) -> str:
        """What `of` says of runs of other lengths; empty where there are none."""
        found = {
            n: ask(lambda n=n: of(part="sensitivity", what="requests", value=str(n)))
            for n in self.study.variants.get("requests", [])
        }
        seen = [f"{n} requests {value:.1f} %" for n, value in found.items() if value is not None]
        own = ask(of)
        return f"run length, three volumes: {own:.1f} % here, {', '.join(seen)}" if seen and own is not None else ""

    def _operations(self) -> dict[str, Answer]:
        def cheap(what: str, step: str) -> Callable[[str], tuple[float, float]]:
            def both(cpu: str) -> tuple[float, float]:
                agcr, li = (
                    self.mean(lambda result: share(result["steps"].get(what, {}), step), technique, cpu)
                    for technique in ("agcr", "li")
                )
                return agcr, li

            return both

        def most(cpu: str) -> float:
            return max(rewrites(self.get("agcr", volume, cpu)) for volume in VOLUMES)

        def show(found: tuple[float, float]) -> str:
            return f"AGCR {found[0]:.1f} %, Li {found[1]:.1f} %"

        def written_anew(**labels: Any) -> float:
            return self.mean(rewrites, "agcr", "native", PRELIMINARY, **labels)

        return {
            "agcr.rewrite.share": Answer.of(
                lambda value: value <= 1,
                most,
                lambda value: round(value, 2),
                1.0,
                "The largest of the volumes.",
                experiment=self._by_length(written_anew),
            ),
            "agcr.ops.low_reads": Answer.of(lambda found: found[0] > found[1], cheap("read", "fine"), show),
            "agcr.ops.low_writes": Answer.of(lambda found: found[0] > found[1], cheap("programmed", "coarse"), show),
        }

    def _page_classes(self) -> dict[str, Answer]:
        """Of the workloads alone: cores do not matter."""
        most = self.study.statistics_requests

        def share_of(what: str) -> Callable[[str], list[float]]:
            def shares(cpu: str) -> list[float]:
                if cpu != "native":
                    raise NotMeasured
                files = (self.study.profiles.file(f"msr_{volume}", most) for volume in VOLUMES)
                return [100 * found[what] for found in self.results.workloads.of_all(files)]

            return shares

        def answer(what: str, least: float) -> Answer:
            return Answer.of(
                lambda found: sum(value > least for value in found) >= 10,
                share_of(what),
                lambda found: f"{sum(value > least for value in found)} of 12, {min(found):.0f} to {max(found):.0f} %",
                note=f"Pages of 4 KiB over {f'{most:,} requests' if most else 'a whole run'} of the profile; ten of twelve are "
                "asked for.",
            )

        def others(cpu: str) -> tuple[float, float]:
            reads, writes = (share_of(what)(cpu) for what in ("reads_to_read_only", "writes_to_write_only"))
            return 100 - statistics.fmean(reads), 100 - statistics.fmean(writes)

        return {
            "agcr.reads_to_readonly.mean": answer("reads_to_read_only", 85),
            "agcr.writes_to_writeonly.mean": answer("writes_to_write_only", 91),
            "agcr.interleaved.share": Answer.of(
                lambda found: found[0] < 15 and found[1] < 9,
                others,
                lambda found: f"{found[0]:.1f} % of reads, {found[1]:.1f} % of writes",
                note="Means of the twelve.",
            ),
        }

    def _identification(self) -> dict[str, Answer]:
        def by_window(cpu: str) -> list[float]:
            return [
                self.mean(
                    accuracy, "agcr", cpu, PRELIMINARY, part="sensitivity", what="ftl.agcr.window", value=str(window)
                )
                for window in self.study.variants["ftl.agcr.window"]
            ]

        windows = ", ".join(map(str, self.study.variants["ftl.agcr.window"]))
        return {
            "agcr.ident.accuracy": Answer.of(
                lambda value: value >= 90,
                lambda cpu: self.mean(accuracy, "agcr", cpu),
                lambda value: f"{value:.1f} %",
                note="Accesses to read-only and write-only pages that were of their kind, window 2; 90 % is high.",
            ),
            "agcr.ident.window_trend": Answer.of(
                lambda found: all(b > a for a, b in zip(found, found[1:])),
                by_window,
                lambda found: ", ".join(f"{value:.1f}" for value in found) + " %",
                note=f"Windows of {windows}; three volumes.",
            ),
        }

    def _preliminary(self) -> dict[str, Answer]:
        def spread(cpu: str) -> list[float]:
            found = []
            for volume in PRELIMINARY:
                steps = [
                    of_all(self.results.get(part="prelim", volume=volume, combination=step, cpu=cpu))
                    for step in ("coarse", "default", "fine")
                ]
                found.append(100 * (max(steps) / min(steps) - 1))
            return found

        return {
            "agcr.prelim.gap": Answer.of(
                lambda found: min(found) > 10,
                spread,
                lambda found: ", ".join(f"{value:.0f}" for value in found) + " %",
                note="Slowest over fastest of all coarse, all default, all fine, by the mean latency of all requests: "
                f"{', '.join(PRELIMINARY)}. More than 10 % counts as a clear gap.",
            )
        }

    # ---- tables

    def tables(self) -> list[dict[str, Any]]:
        own = [self._volumes(), self._begins(), self._tornado(), self._beyond()]
        return [*own, self._steps(), self._physics(), self._sensitivity()]

    def _beyond(self) -> dict[str, Any]:
        def gains(begin: str, technique: str, cpu: str) -> list[float]:
            """Over Li et al. with the same data before the trace."""
            part = {"part": "main"} if begin == "coarse" else {"part": "begins", "begin": "default"}
            own = {"part": "beyond", "begin": begin} if technique == "busy" else part

            def gain(op: str) -> float:
                return statistics.fmean(
                    100
                    * (
                        1
                        - latency(self.get(technique, v, cpu, **own), op) / latency(self.get("li", v, cpu, **part), op)
                    )
                    for v in VOLUMES
                )

            return [round(gain(op), 1) for op in ("read", "write")]

        names = {"agcr": "AGCR", "busy": "coarse on busy chips alone"}
        rows: list[list[Any]] = [[name] for name in names.values()]
        head = ["variant"]
        for cpu in self.study.beyond_cpus:
            of = "" if cpu == "native" else f", {cpu}"
            for begin in ("coarse", "default"):
                head += [f"{begin}: reads{of}", f"writes{of}"]
                for row, technique in zip(rows, names):
                    row += ask(gains, begin, technique, cpu) or [None] * 2
        return {
            "title": "Beyond the slides",
            "text": "% saved over Li et al., mean of the twelve volumes, free firmware: data that are only written are "
            "programmed coarsely only where their chip has other jobs (`ftl.agcr.busy_only`), Li et al.'s rule for AGCR's "
            "class. By how the data before the trace lie.",
            "head": head,
            "rows": rows,
        }

    def _begins(self) -> dict[str, Any]:
        cases = (
            ("coarse, as AGCR fills a drive", lambda cpu: self.gains(cpu)),
            ("default: filled by another firmware", lambda cpu: self.gains(cpu, part="begins", begin="default")),
            ("each by its own: Li et al. finely, on idle chips", self.over_own),
            ("each by its own, over Traditional: default", lambda cpu: self.over_own(cpu, "traditional", "default")),
        )
        return {
            "title": "By what the drive holds at the begin",
            "text": "What AGCR saves over Li et al., in %, mean of the twelve volumes, by the steps of the data that lie on "
            "the drive before the trace. Nine reads of ten go to such data.",
            "head": ["data before the trace", "reads", "writes", "reads, iss", "writes, iss"],
            "rows": [
                [
                    name,
                    *(
                        None if v is None else round(v, 1)
                        for cpu in ("native", "iss")
                        for v in ask(of, cpu) or (None,) * 2
                    ),
                ]
                for name, of in cases
            ],
        }

    def _tornado(self) -> dict[str, Any]:
        swings = []
        for what, values in self.study.variants.items():
            found = {
                str(v): ask(lambda v=v: self._reads_saved(part="sensitivity", what=what, value=str(v))) for v in values
            }
            swings.append(Swing(what, {"as here": ask(self._reads_saved), **found}))
        return tornado(
            "reads over Li et al. (`agcr.read.vs_li.mean`)",
            f"% saved, mean of {', '.join(PRELIMINARY)}",
            swings,
            lambda value: abs(value - 32) <= 5,
        )

    def _volumes(self) -> dict[str, Any]:
        def row(volume: str) -> list[Any]:
            runs = {technique: self.get(technique, volume) for technique in TECHNIQUES}
            means = [round(latency(runs[t], op) / 1e6) for op in ("read", "write") for t in TECHNIQUES]
            agcr = runs["agcr"]
            return [
                *means,
                round(share(agcr["steps"]["read"], "fine")),
                round(share(agcr["steps"]["programmed"], "coarse")),
                round(rewrites(agcr), 2),
                round(accuracy(agcr), 1),
                round(100 * max(agcr["utilisation"]["dies"]), 1),
            ]

        return {
            "title": "By volume",
            "detail": True,
            "text": "Read costs as assumed, free firmware. Mean latency in us: Traditional, Li et al., AGCR; of AGCR: "
            "pages read finely, programmed coarsely, written anew in idle time (of those that the host accesses), "
            "classes that were right, and the busiest chip, in %.",
            "head": [
                "volume", "read, T", "Li", "AGCR", "write, T", "Li", "AGCR", "fine reads", "coarse writes", "re-writes",
                "right", "busy",
            ],  # fmt: skip
            "rows": [[volume, *(ask(row, volume) or [None] * 11)] for volume in VOLUMES],
        }

    def _steps(self) -> dict[str, Any]:
        def row(volume: str, combination: str) -> list[Any]:
            run = self.results.get(part="prelim", volume=volume, combination=combination, cpu="native")
            return [round(latency(run, "read") / 1e6), round(latency(run, "write") / 1e6), round(of_all(run) / 1e6)]

        return {
            "title": "One step for all, and the ideal case",
            "detail": True,
            "text": "Mean latency in us. Ideal: coarse programs, and reads with one sense.",
            "head": ["volume", "steps", "read", "write", "all"],
            "rows": [
                [volume, combination, *(ask(row, volume, combination) or [None] * 3)]
                for volume in PRELIMINARY
                for combination in ("coarse", "default", "fine", "ideal")
            ],
        }

    def _gains(self, **labels: Any) -> list[Any]:
        """Per cent saved over Li et al. and Traditional, three volumes: reads, writes."""

        def gain(base: str, op: str) -> float:
            return round(self.saved(lambda result: latency(result, op), "native", base, PRELIMINARY, **labels), 1)

        return [ask(gain, base, op) for base in ("li", "traditional") for op in ("read", "write")]

    def _physics(self) -> dict[str, Any]:
        return {
            "title": "Read costs as the bit errors have them",
            "text": "What AGCR saves, in %, where a read costs what its bit errors need, not what is assumed; mean of "
            f"{', '.join(PRELIMINARY)}. Errors of the flash count as no request.",
            "head": ["flash", "reads, over Li", "writes", "reads, over Traditional", "writes"],
            "rows": [[state, *self._gains(part="physics", state=state)] for state in self.study.physics],
        }

    def _sensitivity(self) -> dict[str, Any]:
        def row(what: str, value: Any) -> list[Any]:
            labels = {"part": "sensitivity", "what": what, "value": str(value)}
            written = ask(lambda: round(self.mean(rewrites, "agcr", "native", PRELIMINARY, **labels), 2))
            right = ask(lambda: round(self.mean(accuracy, "agcr", "native", PRELIMINARY, **labels), 1))
            return [*self._gains(**labels), written, right]

        rows: list[list[Any]] = []
        for what, values in self.study.variants.items():
            found = [row(what, value) for value in values]
            rows += [[what, str(value), *seen] for value, seen in zip(values, found)]
            if what == "run.seed":
                columns = [None if None in column else interval(list(column)) for column in zip(*found)]
                rows.append([what, "mean and 95 % interval", *columns])
        return {
            "title": "What the slides leave open",
            "detail": True,
            "text": "What AGCR saves, in %, and what it writes anew, of the pages that the host accesses; mean of "
            f"{', '.join(PRELIMINARY)}, one thing changed at a time.",
            "head": [
                "what", "value", "reads, over Li", "writes", "reads, over Traditional", "writes", "re-writes", "right",
            ],  # fmt: skip
            "rows": rows,
        }
