# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the study of process similarity, beside its figures."""

from __future__ import annotations

from typing import Any

from .cube_answers import AGED, APPLICATIONS, Answers, Asked, followers_share, iops, program_energy, retries_per_read
from .ppb_answers import interval
from ..framework.study import CPUS, ask
from ..framework.tornado import Swing, tornado

NAMES = {
    "page": "pageFTL",
    "vert": "vertFTL",
    "cube-": "cubeFTL-",
    "cube": "cubeFTL",
    "leaders": "cubeFTL, GC on leaders",
}


def tables(study: Asked, answers: Answers) -> list[dict[str, Any]]:
    return [
        _states(study, answers),
        *_largest(answers),
        _overlap(answers),
        _percentiles(study, answers),
        _beyond(answers),
        _applications(answers),
        _writes(study, answers),
        _bursts(study, answers),
        _retries(study, answers),
        *([_open(study, answers)] if study.variants else []),
    ]


def _states(study: Asked, answers: Answers) -> dict[str, Any]:
    names = {"none": "empty", "sequential": "filled in order", "random": "filled, each page once more at random"}
    pairs = [("cube", "page"), ("cube", "vert"), ("cube-", "page")]

    def gain(state: str, assumed: str, pair: tuple[str, str]) -> float:
        return (
            answers.stage_gain(*pair, assumed) if state == "sequential" else answers.state_gain(*pair, assumed, state)
        )

    def row(state: str) -> list[Any]:
        found = [ask(gain, state, assumed, pair) for assumed in ("thesis", "drive") for pair in pairs]
        return [None if value is None else round(value, 1) for value in found]

    steady = [ask(answers.steady_gain, *pair) for pair in pairs]
    steady_row = [None if value is None else round(value, 1) for value in steady]

    head = [f"{NAMES[ftl]} over {NAMES[base]}" for ftl, base in pairs]
    return {
        "title": "By what the drive holds at the begin",
        "text": "A calm stage, then the burst; IOPS of the burst, % gained, free firmware: with the thesis' times, then as the "
        "drive is. Steady: what a burst of two superblocks takes there hangs on how many happen to be free, so the gains are "
        "those of many bursts, over many turns of GC, which takes most of the dies' time (below).",
        "head": ["the drive", *(f"thesis' times: {text}" for text in head), *(f"as it is: {text}" for text in head)],
        "rows": [
            *([names.get(state, state), *row(state)] for state in (*study.states, "sequential")),
            ["steady", *([None] * len(pairs)), *steady_row],
        ],
    }


def _largest(answers: Answers) -> list[dict[str, Any]]:
    def table(base: str, name: str, figure: str, paper: float) -> dict[str, Any]:
        def gain(assumed: str, stages: str = "calm first") -> float | None:
            return ask(answers.stage_gain, "cube", base, assumed, "native", stages)

        thesis, drive = gain("thesis"), gain("drive")
        swings = [
            Swing("writes in calm time before the burst", {"yes": thesis, "no": gain("thesis", "burst alone")}),
            Swing("margin of a layer", {"320 mV on every one": thesis, "what its cells leave": gain("bus")}),
            Swing("bus", {"4,800 MT/s": thesis, "the drive's": gain("margin")}),
            Swing("margin and bus", {"the thesis'": thesis, "the drive's": drive}),
        ]
        title = f"the gain over {name} (`{figure}`, {paper:g} %)"
        return tornado(title, "% of IOPS in the burst", swings, lambda value: abs(value - paper) <= 5)

    return [
        table("page", "pageFTL", "cube.iops.vs_page.max", 48),
        table("vert", "vertFTL", "cube.iops.vs_vert.max", 36),
    ]


def _overlap(answers: Answers) -> dict[str, Any]:
    def row(ftl: str) -> list[Any]:
        found: list[Any] = []
        for assumed in ("drive", "thesis"):
            found.append(ask(lambda assumed=assumed: round(answers.stages(ftl, assumed, "native", "calm first"))))
            found.append(ask(lambda assumed=assumed: round(answers.overlapped(ftl, assumed))))
        return found

    return {
        "title": "A transfer that overlaps the program before",
        "text": "The thesis says nothing of the transfer of a page. CACHE PROGRAM (`channels.cache_program`) hides it on this "
        "drive's bus, but not for cubeFTL: between two of its programs come GET FEATURES of the report and SET FEATURES of the "
        "next parameters, which a die obeys only when its array rests (docs/onfi.md). So what overlaps helps the baselines. With "
        "the thesis' times there is nothing left to hide. IOPS of the burst after a calm stage, free firmware.",
        "head": ["FTL", "as it is", "as it is, CACHE PROGRAM", "thesis' times", "thesis' times, CACHE PROGRAM"],
        "rows": [[NAMES[ftl], *row(ftl)] for ftl in ("page", "vert", "cube-", "cube")],
    }


def _percentiles(study: Asked, answers: Answers) -> dict[str, Any]:
    def row(burst: int) -> list[Any]:
        found: list[Any] = []
        for rate in study.calm_rates:
            gain, ratio = (ask(of, burst, rate) for of in (percentiles.shorter_p80, percentiles.ratio_p90))
            found += [None if gain is None else round(gain, 1), None if ratio is None else round(ratio, 2)]
        return found

    percentiles = answers.percentiles
    rates = [f"{rate:,}/s" for rate in study.calm_rates]
    return {
        "title": "Percentiles of writes by bursts",
        "text": "So many writes of 16 KiB at once, pauses of 100 ms, over a calm stream; the thesis' times, free firmware. "
        "Below cubeFTL-: the 80th percentile of cubeFTL, %. Above: the 90th percentile of pageFTL over that of cubeFTL. "
        "Waits are whole rounds of programs on eight dies, so both go in steps.",
        "head": ["writes of a burst", *(f"{rate}: {what}" for rate in rates for what in ("p80 below", "p90 above"))],
        "rows": [[burst, *row(burst)] for burst in study.burst_lengths],
    }


def _beyond(answers: Answers) -> dict[str, Any]:
    names = {**NAMES, "stock": "cubeFTL, followers in stock"}

    def row(ftl: str) -> list[Any]:
        gains = [round(answers.steady_gain(ftl, "page", cpu), 1) for cpu in CPUS]
        result = answers.results.get(part="beyond", ftl=ftl, cpu="native")
        followers = None if ftl in ("page", "vert") else round(followers_share(result), 1)
        return [round(answers.steady_burst_us(ftl, "native")), *gains, followers, round(result["flash"]["waf"], 2)]

    return {
        "title": "Beyond the thesis: bursts on a steady drive",
        "text": "Bursts of 400 writes of 16 KiB, 32 outstanding, with 500 ms between them over a calm stream of 600 a "
        "second, on a drive that collects all the time. GC's own writes are calm ones: on leaders (`ftl.cube.gc_uses` = "
        "leaders) they leave followers for the bursts; with `stock` the second superblock is opened for them. Mean "
        "latency of a write of the bursts, and how much faster than pageFTL.",
        "head": ["FTL", "write of the burst, us", "faster, %", "faster, iss, %", "followers, %", "write amplification"],
        "rows": [[names[ftl], *(ask(row, ftl) or [None] * 5)] for ftl in names],
    }


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
            "detail": True,
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
    def gain(ftl: str, workload: str, fill: str, cpu: str) -> float:
        run, base = (answers.writes(name, workload, fill, cpu) for name in (ftl, "page"))
        return round(100 * (iops(run) / iops(base) - 1), 1)

    def row(ftl: str, workload: str, fill: str) -> list[Any]:
        run, base = (answers.writes(name, workload, fill, "native") for name in (ftl, "page"))
        shorter = 100 * (program_energy(run) / program_energy(base) - 1)
        followers = None if ftl in ("page", "vert") else round(followers_share(run), 1)
        gains = [ask(gain, ftl, workload, fill, cpu) for cpu in CPUS]
        return [round(iops(run)), *gains, round(shorter, 1), followers, round(run["flash"]["waf"], 2)]

    return {
        "title": "Saturated writes",
        "text": "32 outstanding, fresh; random: writes of 16 KiB, on a steady drive of "
        f"{study.saturated['size'].replace('k', ' KiB')}. A sequential drive is full, and collects nothing before its spare "
        "is used up; a steady one collects all the time, and is measured when its warm-up is over.",
        "head": [
            "workload", "drive", "FTL", "IOPS", "gain, %", "gain, iss, %", "mean tPROG, %", "followers, %",
            "write amplification",
        ],
        "rows": [
            [workload, fill, NAMES[ftl], *(ask(row, ftl, workload, fill) or [None] * 6)]
            for workload in ("random", "oltp")
            for fill in study.fills
            for ftl in (study.saturated["ftls"] if fill == "steady" else NAMES)
            if (workload, fill) != ("oltp", "steady")
        ],
    }  # fmt: skip


def _bursts(study: Asked, answers: Answers) -> dict[str, Any]:
    def row(ftl: str, burst: int) -> list[Any]:
        write = [answers.latency(ftl, "write", which, "native", burst) for which in ("p50", "p80", "p90", "mean")]
        return [round(value, 3) for value in (*write, answers.latency(ftl, "read", "mean", "native", burst))]

    return {
        "title": "Bursts",
        "detail": True,
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
        "detail": True,
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
            "detail": True,
        "text": "Free firmware; one at a time. OLTP and Rocks fresh, Proxy at 1 year with retries drawn. Rocks with "
        "the shortest bursts.",
        "head": [
            "what", "value", "OLTP, cubeFTL-, %", "OLTP, cubeFTL, %", "Rocks, p90 of writes, pageFTL over cubeFTL",
            "p80, below cubeFTL-, %", "Proxy, cubeFTL, %",
        ],
        "rows": rows,
    }  # fmt: skip
