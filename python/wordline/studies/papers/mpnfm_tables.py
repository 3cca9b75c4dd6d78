# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the study of multiple page sizes, beside its figures."""

from __future__ import annotations

import statistics
from typing import Any

from .mpnfm_answers import MEANS, METRICS, MPNFM, SINGLE, WORKLOADS, Answers
from ..framework.study import ask
from ..framework.tornado import Swing, tornado


class Tables:
    """Of what `answers` says."""

    def __init__(self, answers: Answers):
        self.answers = answers

    def all(self) -> list[dict[str, Any]]:
        return [self._states(), self._by_memory(), self._by_workload(), *self._limits(), self._arrivals()]

    def _states(self) -> dict[str, Any]:
        limits = self.answers.study.limits
        states: dict[str, dict[str, Any]] = {f"fresh, {self.answers.study.written:g} written": {}}
        states |= {f"fresh, {v:g} written": {"limit": "written", "value": v} for v in limits.get("written", [])}
        names = {"sequential": "filled in order", "steady": "steady"}
        states |= {names.get(v, v): {"limit": "filled", "value": v} for v in limits.get("filled", [])}

        def row(labels: dict[str, Any]) -> list[Any]:
            own = {"part": "limits", **labels} if labels else {}
            means = [ask(lambda p=pages: self.answers.mean_saved(p, "native", **own)) for pages in MEANS]
            found = [*means, ask(lambda: self.answers.fewer_bits("native", **own))]
            return [None if value is None else round(value, 1) for value in found]

        return {
            "title": "By what the drive holds at the begin",
            "text": "32+4 KiB, eight workloads, free firmware: write latency saved against pages of one size, %, and the "
            "erased bits saved against 32 KiB with the workload that saves most. Fresh: what is only read has no place on "
            "flash, and what is written fills so much of the raw capacity.",
            "head": ["the drive", *(f"against {pages} KiB" for pages in MEANS), "erased bits, against 32 KiB"],
            "rows": [[name, *row(labels)] for name, labels in states.items()],
        }

    def _by_memory(self) -> dict[str, Any]:
        def row(pages: str) -> list[Any]:
            labels = {"pages": pages}
            return [
                round(self.answers.mean(pages, "native"), 3),
                *(
                    round(self.answers.total(metric, pages, "native") / self.answers.total(metric, "32", "native"), 3)
                    for metric in ("false_capacity", "erases", "erased_bits", "collections")
                ),
                round(
                    statistics.fmean(self.answers.value("modify_ratio", name=name, **labels) for name in WORKLOADS), 3
                ),
                round(statistics.fmean(self.answers.value("read", name=name, **labels) for name in WORKLOADS), 1),
            ]

        memories = self.answers.study.memories()
        return {
            "title": "Page sizes against each other",
            "text": "The eight workloads, free firmware, one request at a time on a fresh drive. Mean write latency "
            "over that of 2 KiB "
            "pages; sums over that of 32 KiB pages; read-and-modify ratio and mean read latency as means.",
            "head": [
                "pages, KiB",
                "write latency",
                "false capacity",
                "erases",
                "erased bits",
                "collections",
                "R_RnM",
                "read, us",
            ],
            "rows": [[pages, *(ask(row, pages) or [None] * 7)] for pages in memories],
        }

    def _by_workload(self) -> dict[str, Any]:
        def row(name: str) -> list[Any]:
            result = self.answers.results.get(part="main", pages=MPNFM, workload=name, cpu="native")
            small = result.get("small_pages", {})
            return [
                *(round(self.answers.saved("write", str(p), name, "native"), 1) for p in SINGLE),
                round(100 * small.get("host_programs", 0) / result["pages"]["host_programs"], 1),
                small.get("superblock_erases", 0),
                result["flash"]["erases"] - small.get("superblock_erases", 0),
            ]

        return {
            "title": "32+4 KiB by workload",
            "detail": True,
            "text": "Write latency saved over each single size, per cent; share of the host's programs that are of "
            "small pages, per cent; "
            "erases of small and of large blocks.",
            "head": ["workload", *(f"{p} KiB" for p in SINGLE), "small programs", "small erases", "large erases"],
            "rows": [[name, *(ask(row, name) or [None] * 9)] for name in WORKLOADS],
        }

    def _arrivals(self) -> dict[str, Any]:
        def row(pages: str, cpu: str) -> list[Any]:
            result = self.answers.results.get(part="arrivals", pages=pages, workload="Financial1", cpu=cpu)
            own = self.answers.value("write", MPNFM, "Financial1", cpu, part="arrivals")
            mean = METRICS["write"](result, pages)
            return [
                round(mean, 1),
                round(result["ios"]["write"]["lat_ps"]["p99_9"] / 1e6, 1),
                round(100 * (own / mean - 1), 1),
            ]

        return {
            "title": "Financial1 as it arrived",
            "text": "With its own gaps, so that requests wait for each other: mean and p99.9 of writes, us, and 32+4 "
            "KiB against it, per cent "
            "(a prototype: -76 against 64 KiB, -29 against 32 KiB, +45 against 4 KiB).",
            "head": ["pages, KiB", "cores", "mean", "p99.9", "32+4 KiB"],
            "rows": [
                [pages, cpu, *(ask(row, pages, cpu) or [None] * 3)]
                for cpu in ("native", "iss")
                for pages in ("4", "32", "64", MPNFM)
            ],
        }

    def _limits(self) -> list[dict[str, Any]]:
        names = {"byte_on_bus": "a byte on the bus", "misaligned": "requests begin at", "filled": "filled before"}

        def swing(pages: str) -> list[Swing]:
            found = []
            for limit, values in self.answers.study.limits.items():
                seen = {str(v): ask(lambda v=v: self._limited(pages, limit, v)) for v in values}
                text = names.get(limit, limit.replace("_", " "))
                found.append(Swing(text, {"as here": ask(self.answers.mean_saved, pages, "native"), **seen}))
            everything = ask(lambda: self.answers.mean_saved(pages, "native", part="drive"))
            return [
                *found,
                Swing(
                    "all as the drive has it",
                    {"as here": ask(self.answers.mean_saved, pages, "native"), "drive": everything},
                ),
            ]

        return [
            tornado(
                f"the mean below {pages} KiB pages (`mpnfm.write_latency.vs_{pages}k.mean`, {paper} %)",
                "% of write latency saved",
                swing(pages),
                lambda value, paper=paper: abs(value - paper) <= 5,
            )
            for pages, paper in MEANS.items()
        ]

    def _limited(self, pages: str, limit: str, value: Any) -> float:
        return self.answers.mean_saved(pages, "native", part="limits", limit=limit, value=value)
