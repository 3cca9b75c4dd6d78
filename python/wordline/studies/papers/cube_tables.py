# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the study of process similarity, beside its figures."""

from __future__ import annotations

from typing import Any

from .cube_answers import AGED, APPLICATIONS, Answers, Asked, followers_share, iops, program_energy, retries_per_read
from .ppb_answers import interval
from ..framework.study import CPUS, ask

NAMES = {
    "page": "pageFTL",
    "vert": "vertFTL",
    "cube-": "cubeFTL-",
    "cube": "cubeFTL",
    "leaders": "cubeFTL, GC on leaders",
}


def tables(study: Asked, answers: Answers) -> list[dict[str, Any]]:
    return [
        _applications(answers),
        _writes(study, answers),
        _bursts(study, answers),
        _retries(study, answers),
        _open(study, answers),
    ]


def _applications(answers: Answers) -> dict[str, Any]:
    """Figure 23 in numbers, with both kinds of retries."""
    rows = []
    for mode in ("drawn", "physical"):
        for state in ("fresh", *AGED) if mode == "drawn" else AGED:
            for name in APPLICATIONS:

                def run(ftl: str, name: str = name, state: str = state, mode: str = mode) -> dict[str, Any]:
                    return answers.run(ftl, name, state, "native", mode)

                base = ask(lambda run=run: round(iops(run("page"))))
                gains = [
                    ask(lambda run=run, ftl=ftl: round(100 * (iops(run(ftl)) / iops(run("page")) - 1), 1))
                    for ftl in ("vert", "cube")
                ]
                retries = [
                    ask(lambda run=run, ftl=ftl: round(retries_per_read(run(ftl)), 3)) for ftl in ("page", "cube")
                ]
                rows.append([state, mode if state != "fresh" else "-", name, base, *gains, *retries])
    return {
        "title": "Applications",
        "text": "Free firmware. Retries drawn: fresh cells, and h-layers of blocks that can be read at one other step "
        "only (nand.faults.moved_references = 0.3 at 1 month, 0.9 at 1 year); physical: 2,000 P/E cycles and the "
        "retention, with the errors that cells then have.",
        "head": [
            "state", "retries", "application", "IOPS, pageFTL", "vertFTL, %", "cubeFTL, %", "retries a read, pageFTL",
            "cubeFTL",
        ],
        "rows": rows,
    }  # fmt: skip


def _writes(study: Asked, answers: Answers) -> dict[str, Any]:
    def row(ftl: str, workload: str, fill: str) -> list[Any]:
        runs = [answers.writes(ftl, workload, fill, cpu) for cpu in CPUS]
        bases = [answers.writes("page", workload, fill, cpu) for cpu in CPUS]
        shorter = 100 * (program_energy(runs[0]) / program_energy(bases[0]) - 1)
        followers = None if ftl in ("page", "vert") else round(followers_share(runs[0]), 1)
        gains = [round(100 * (iops(run) / iops(base) - 1), 1) for run, base in zip(runs, bases)]
        return [round(iops(runs[0])), *gains, round(shorter, 1), followers, round(runs[0]["flash"]["waf"], 2)]

    return {
        "title": "Saturated writes",
        "text": "32 outstanding, fresh; random: writes of 16 KiB. A sequential drive is full, and collects nothing "
        "before its spare is used up; a steady one collects all the time.",
        "head": [
            "workload", "drive", "FTL", "IOPS", "gain, %", "gain, iss, %", "mean tPROG, %", "followers, %",
            "write amplification",
        ],
        "rows": [
            [workload, fill, NAMES[ftl], *(ask(row, ftl, workload, fill) or [None] * 6)]
            for workload in ("random", "oltp")
            for fill in study.fills
            for ftl in NAMES
        ],
    }  # fmt: skip


def _bursts(study: Asked, answers: Answers) -> dict[str, Any]:
    def row(ftl: str, burst: int) -> list[Any]:
        write = [answers.latency(ftl, "write", which, "native", burst) for which in ("p50", "p80", "p90", "mean")]
        return [round(value, 3) for value in (*write, answers.latency(ftl, "read", "mean", "native", burst))]

    return {
        "title": "Bursts",
        "text": "Rocks, fresh, free firmware; ms.",
        "head": ["requests of a burst", "FTL", "write p50", "write p80", "write p90", "write mean", "read mean"],
        "rows": [[burst, NAMES[ftl], *(ask(row, ftl, burst) or [None] * 5)] for burst in study.bursts for ftl in NAMES],
    }


def _retries(study: Asked, answers: Answers) -> dict[str, Any]:
    rows = []
    for mode, states in (("drawn", AGED), ("physical", (*AGED, "2y"))):
        for state in states:
            for reads in study.reads_per_layer:
                found = [ask(answers.random_reads, mode, state, table, reads) for table in ("off", "die", "block")]
                off, _, block = found
                saved = None if not off or block is None else round(100 * (1 - block / off), 1)
                rows.append([state, mode, reads, *(None if v is None else round(v, 3) for v in found), saved])
    return {
        "title": "Retries of random reads",
        "text": "Reads of 4 KiB at random, so many for each h-layer of each block; retries a read by what the table of "
        "references speaks of. The first read of an h-layer pays, the others find its offsets.",
        "head": ["state", "retries", "reads a layer", "no table", "by die", "by block", "saved by block, %"],
        "rows": rows,
    }


def _open(study: Asked, answers: Answers) -> dict[str, Any]:
    def changes(what: str, value: Any) -> list[Any]:
        labels = {"part": "sensitivity", "what": what, "value": str(value), "cpu": "native"}

        def run(application: str, ftl: str) -> dict[str, Any]:
            return answers.results.get(application=application, ftl=ftl, **labels)

        def percentile(ftl: str, which: str) -> float:
            return run("rocks", ftl)["ios"]["write"]["lat_ps"][which]

        def gain(application: str, ftl: str) -> float:
            return 100 * (iops(run(application, ftl)) / iops(run(application, "page")) - 1)

        return [
            ask(lambda: round(gain("oltp", "cube-"), 1)),
            ask(lambda: round(gain("oltp", "cube"), 1)),
            ask(lambda: round(percentile("page", "p90") / percentile("cube", "p90"), 2)),
            ask(lambda: round(100 * (1 - percentile("cube", "p80") / percentile("cube-", "p80")), 1)),
            ask(lambda: round(gain("proxy", "cube"), 1)),
        ]

    rows: list[list[Any]] = []
    for what, values in study.variants.items():
        found = [changes(what, value) for value in values]
        rows += [[what, str(value), *seen] for value, seen in zip(values, found)]
        if what == "run.seed" and len(values) > 2:
            columns = [None if None in column else interval(list(column)) for column in zip(*found)]
            rows.append([what, "mean and 95 % interval", *columns])
    return {
        "title": "What the thesis leaves open",
        "text": "Free firmware; one at a time. OLTP and Rocks fresh, Proxy at 1 year with retries drawn. Rocks with "
        "the shortest bursts.",
        "head": [
            "what", "value", "OLTP, cubeFTL-, %", "OLTP, cubeFTL, %", "Rocks, p90 of writes, pageFTL over cubeFTL",
            "p80, below cubeFTL-, %", "Proxy, cubeFTL, %",
        ],
        "rows": rows,
    }  # fmt: skip
