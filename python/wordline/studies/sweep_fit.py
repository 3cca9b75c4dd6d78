# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline fit FILE`: a drive file from the sweep of a drive that nobody here has seen."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import json
import math
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import lambertw

from .framework.fitted import Fitted
from .framework.identify import Identified, identify
from .framework.points import Program, StudyError, write_text
from .framework.runner import Outcome, Progress, Runner
from .framework.sweep import LATENCIES, Place, Repeated, read_sweep
from .framework.table import columns
from .real_drive import Measured, Series, point_of, rate_of, value_of

LEAST_READS, READS_PER_DEPTH = 3000, 40
WRITTEN = 512 << 20  # a point of writes: with a third of it 128 KiB writes at QD 8 come out 8 % above their long runs
LEAST_POINTS = 6


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A key that a sweep may tell something of. `of`: the requests that it may change; `begin`: where to begin if the
    drive file has 0."""

    key: str
    of: tuple[str, ...]
    what: str
    begin: str = ""


CANDIDATES = (
    Candidate("nand.timing.t_r", ("randread", "read"), "reads at low depth"),
    Candidate("nand.timing.t_prog", ("randwrite", "write"), "writes that run into the flash"),
    Candidate("link.bandwidth", ("randread", "read", "randwrite", "write"), "large requests"),
    Candidate("link.dma_setup", ("randread", "read", "randwrite", "write"), "random reads at high depth", "500ns"),
    Candidate("cpu.clock", ("randread", "read", "randwrite", "write"), "small requests at high depth"),
    Candidate("channels.rate", ("randread", "read", "randwrite", "write"), "larger reads at low depth"),
    Candidate("nvme.write_latency", ("randwrite", "write"), "writes at low depth", "2us"),
)


class Quiet(Progress):
    """Rounds are said instead."""

    def __init__(self, *_: object):
        pass

    def step(self, outcome: Outcome | None = None) -> None:
        pass


@dataclasses.dataclass(frozen=True)
class Fitting:
    """Asks the model for the points. `fixed`: further keys; `longer`: so many times the requests."""

    runner: Runner
    drive: Path
    fixed: dict[str, Any]
    keys: list[Fitted]
    points: list[Repeated]
    longer: int = 1
    says: bool = False

    def results(self, asked: list[tuple[Repeated, np.ndarray]], progress: type[Progress]) -> list[dict[str, Any]]:
        made = []
        for point, x in asked:
            sets = {key.key: key.at(math.exp(v)) for key, v in zip(self.keys, x)}
            series, measured = series_of(point)
            series = dataclasses.replace(series, requests=series.requests * self.longer)
            made.append(point_of(self.drive, series, measured, {**self.fixed, **sets}))
        return [outcome.result() for outcome in self.runner.run(made, progress)]

    def rates(self, sets: Sequence[tuple[np.ndarray, np.ndarray]], progress: type[Progress]) -> list[np.ndarray]:
        """IOPS of the points that each mask names, for each set of logarithms of factors; else NaN."""
        asked = [(p, x) for x, mask in sets for p, on in zip(self.points, mask) if on]
        found = iter(self.results(asked, progress))
        return [
            np.array([rate_of(series_of(p)[0], next(found)) if on else math.nan for p, on in zip(self.points, mask)])
            for _, mask in sets
        ]

    def errors(self, sets: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
        """log(model / measured)."""
        measured = np.array([p.iops for p in self.points])
        return [np.log(rates / measured) for rates in self.rates(sets, Progress if self.says else Quiet)]


def over_provisioning(waf: float) -> float:
    """Of a full drive under uniform random writes with greedy GC, by the closed form of Xiang and Kurkoski:
    waf = a / (a + W(-a exp(-a))), a = T/U."""

    def waf_of(a: float) -> float:
        return a / (a + lambertw(-a * math.exp(-a)).real)

    return float(brentq(lambda a: waf_of(a) - waf, 1.0001, 50.0)) - 1


def series_of(point: Repeated) -> tuple[Series, Measured]:
    """The run that answers it."""
    place = point.place
    size = f"{place.bytes >> 10}k"
    reads = "read" in place.rw
    count = max(LEAST_READS, READS_PER_DEPTH * place.qd * place.jobs) if reads else 0
    requests = min(count, max((256 << 20) // place.bytes, 500)) if reads else min(WRITTEN // place.bytes, 60000)
    sets = {"precondition.fill": "sequential" if reads else "none"}  # reads want data
    name = title(place)
    series = Series(name, place.rw, size, max(requests, 1000), 0, (), True, "", place.jobs, "", sets, ())
    return series, Measured(place.qd, point.iops, point.latency)


def title(place: Place) -> str:
    kind = {
        "randread": "random reads",
        "read": "sequential reads",
        "randwrite": "random writes",
        "write": "sequential writes",
    }
    jobs = f", {place.jobs} jobs" if place.jobs > 1 else ""
    return f"{place.bytes >> 10} KiB {kind[place.rw]}{jobs}"


def split(points: list[Repeated], half: bool) -> tuple[list[Repeated], list[Repeated]]:
    """To fit on, and to predict: with `half` every second of a series, whose ends are fitted on."""
    chosen: list[Repeated] = []
    kept: list[Repeated] = []
    series: dict[Any, list[Repeated]] = {}
    for p in points:
        series.setdefault((p.place.rw, p.place.bytes, p.place.jobs), []).append(p)
    for of_one in series.values():
        for i, p in enumerate(of_one):
            (kept if half and i % 2 and i + 1 < len(of_one) else chosen).append(p)
    return chosen, kept


def turnaround(points: list[Repeated]) -> float | None:
    """What passes at the host between an answer and the next request, in us: of a closed loop QD / IOPS less the mean
    latency."""
    gaps = [
        p.place.qd * p.place.jobs / p.iops * 1e6 - p.latency["mean"]
        for p in points
        if "mean" in p.latency and p.place.qd * p.place.jobs <= 16
    ]
    return max(statistics.median(gaps), 0.0) if gaps else None


def command(program: Program, arguments: argparse.Namespace, root: Path) -> int:
    """Prints the report, writes it with the drive file. Returns 0, or 1 when a point failed."""
    source = Path(arguments.name)
    if not source.exists():
        raise StudyError(f"{source}: no such folder or file")
    sweep = read_sweep(source, arguments.device)
    points = [p for p in sweep.points if p.place.bytes % 1024 == 0]
    left_out = [*sweep.left_out, *(f"{title(p.place)}: requests of {p.place.bytes} bytes" for p in sweep.points
                                   if p.place.bytes % 1024)]  # fmt: skip
    chosen, kept = split(points, arguments.half)
    drive = (arguments.drive or root / "configs/ssds/zns_a.toml").resolve()
    if not drive.is_file():
        raise StudyError(f"--drive {drive}: no such file; wordline new drive FILE writes a start")
    derived: dict[str, tuple[Any, str]] = {"cpu.model": ("native", "the model of the firmware that is fast")}
    gap = turnaround(points)
    if gap is not None:
        derived["host.turnaround"] = (
            f"{gap * 1000:.0f}ns",
            "QD / IOPS less the mean latency, median up to 16 in flight",
        )
    if arguments.waf is not None:
        if not 1.0 < arguments.waf < 50:
            raise StudyError(f"--waf {arguments.waf:g}: expected more than 1 and less than 50")
        derived["ftl.over_provisioning"] = (
            float(f"{over_provisioning(arguments.waf):.3g}"),
            f"write amplification {arguments.waf:g} by the closed form of greedy GC (Xiang and Kurkoski)",
        )
    keys, candidates = fitted_keys(program, drive, derived, chosen, arguments.key)
    if len(chosen) < max(LEAST_POINTS, len(keys) + 1):
        raise StudyError(
            f"{source}: {len(chosen)} points cannot tell {len(keys)} values: measure more, or fit fewer keys (--key)"
        )
    fixed = {key: value for key, (value, _) in derived.items() if key not in {k.key for k in keys}}
    folder = arguments.out / (source.stem or source.resolve().name)
    begun = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begun:5.0f} s  {text}", file=sys.stderr, flush=True)

    say(f"{len(chosen)} points to fit {len(keys)} values on, {len(kept)} to predict")
    with Runner(program, folder, arguments.jobs) as runner:

        fitting = Fitting(runner, drive, fixed, keys, chosen, says=True)
        matters = np.array([[p.place.rw in c.of for p in chosen] for c in candidates])
        solution = identify(fitting.errors, matters, arguments.rounds, say=say)
        results = fitting.results([(p, solution.at) for p in [*chosen, *kept]], Progress)
    rows = [row_of(p, r, n < len(chosen)) for n, (p, r) in enumerate(zip([*chosen, *kept], results))]
    text = report(keys, candidates, solution, rows, derived, sweep.spread, left_out, arguments)
    text += f"\n{time.monotonic() - begun:.0f} s"
    print(text)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "report.txt", text + "\n")
    write_text(folder / "drive.toml", drive_file(keys, candidates, solution, derived, drive, source, len(chosen)))
    write_points(rows, folder / "points.csv")
    print(f"wrote {folder}/drive.toml, report.txt, points.csv")
    return 0


def fitted_keys(
    program: Program, drive: Path, derived: dict[str, tuple[Any, str]], chosen: list[Repeated], wanted: list[str]
) -> tuple[list[Fitted], list[Candidate]]:
    """Those of the candidates, or of --key, that some point can tell anything of."""
    known = {c.key: c for c in CANDIDATES}
    every = ("randread", "read", "randwrite", "write")
    candidates = [known.get(key, Candidate(key, every, "all points")) for key in wanted] or list(CANDIDATES)
    kinds = {p.place.rw for p in chosen}
    candidates = [c for c in candidates if kinds & set(c.of)]
    series, measured = series_of(chosen[0])
    sets = {key: value for key, (value, _) in derived.items()}
    config = program.effective_config(point_of(drive, series, measured, sets))
    keys = []
    for candidate in candidates:
        try:
            start = value_of(config, candidate.key)
        except (KeyError, TypeError) as error:
            raise StudyError(f"--key {candidate.key}: no such key") from error
        if start == []:
            raise StudyError(
                f"{drive}: {candidate.key} is empty, since its times are those of the device: "
                'set nand.timing.mode = "pinned", t_r, t_prog and t_bers'
            )
        if candidate.begin and str(start).startswith("0") and float(str(start).rstrip("pnums") or 0) == 0:
            start = candidate.begin
        keys.append(Fitted(candidate.key, start))
        keys[-1].at(1.0)
    return keys, candidates


def row_of(point: Repeated, result: dict[str, Any], fitted: bool) -> dict[str, Any]:
    """Measured, of the model, and the error in percent, by name."""
    series, _ = series_of(point)
    of_model = {"iops": rate_of(series, result)}
    of_model |= {name: result["ios"][series.operation]["lat_ps"][key] * 1e-6 for name, _, key in LATENCIES}
    measured = {"iops": point.iops, **point.latency}
    errors = {name: (measured[name], of_model[name], (of_model[name] / measured[name] - 1) * 100) for name in measured}
    return {"series": series.name, "qd": point.place.qd, "fitted": fitted, "values": errors}


def said(estimate: Any, key: Fitted) -> str:
    """The interval in the unit of the key, or that there is none."""
    low, high = (_short(key.at(math.exp(v))) if math.isfinite(v) else "" for v in (estimate.low, estimate.high))
    if estimate.identified:
        return f"{low} to {high}"
    if low and estimate.value - estimate.low < math.log(1.5):
        return f"not identified: {low} or more"
    if high and estimate.high - estimate.value < math.log(1.5):
        return f"not identified: {high} or less"
    return "not identified: these points hardly tell"


def report(
    keys: list[Fitted],
    candidates: list[Candidate],
    solution: Identified,
    rows: list[dict[str, Any]],
    derived: dict[str, tuple[Any, str]],
    spread: float | None,
    left_out: list[str],
    arguments: argparse.Namespace,
) -> str:
    lines = [["key", "value", "95 % interval", "told by"]]
    for key, estimate, candidate in zip(keys, solution.values, candidates):
        lines.append([key.key, _short(key.at(math.exp(estimate.value))), said(estimate, key), candidate.what])
    out = [columns(lines).rstrip()]
    out += [f"derived: {key} = {value}: {why}" for key, (value, why) in derived.items() if key != "cpu.model"]
    if arguments.steady is not None:
        largest = max((r["values"]["iops"][0] * _bytes(r) for r in rows if "writes" in r["series"]), default=0.0)
        ratio = largest / (arguments.steady * 4096)
        if ratio > 1:
            out.append(
                f"sequential to steady random rate {ratio:.2f}: write amplification is at most that, over-provisioning at "
                f"least {over_provisioning(ratio):.3f}"
            )
    if not any(key == "ftl.over_provisioning" for key in derived):
        out.append("over-provisioning: no point of a sweep tells it; --waf X derives it from write amplification")
    for told, wanted in (("fitted on", True), ("predicted", False)):
        some = [r for r in rows if r["fitted"] == wanted]
        if not some:
            continue
        words = [f"{told}: {len(some)} points"]
        for name in ("iops", *(n for n, _, _ in LATENCIES)):
            size = [abs(r["values"][name][2]) for r in some if name in r["values"]]
            if size:
                words.append(
                    f"{name.replace('_', '.')} median {statistics.median(size):.1f} %, worst {max(size):.1f} %"
                )
        out += ["; ".join(words)]
    lines = [["series", "QD", "kIOPS", "model", "error, %", "p50, us", "model", "p99, us", "model"]]
    for r in rows:
        v = r["values"]
        line = [r["series"], f"{r['qd']}{'*' if r['fitted'] else ''}"]
        line += [f"{v['iops'][0] / 1000:.2f}", f"{v['iops'][1] / 1000:.2f}", f"{v['iops'][2]:+.1f}"]
        for name in ("p50", "p99"):
            line += [f"{v[name][0]:.1f}", f"{v[name][1]:.1f}"] if name in v else ["-", "-"]
        lines.append(line)
    out.append(columns(lines).rstrip() + "\n* fitted on")
    out += [f"left out: {text}" for text in left_out]
    told = "" if spread is None else f"; repetitions differ by {100 * spread:.1f} %"
    out.append(
        f"{solution.rounds} rounds; the points leave over {100 * solution.noise:.1f} % (least squares on IOPS){told}"
    )
    return "\n".join(out)


def _bytes(row: dict[str, Any]) -> int:
    return int(row["series"].split()[0]) << 10


def _short(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def drive_file(
    keys: list[Fitted],
    candidates: list[Candidate],
    solution: Identified,
    derived: dict[str, tuple[Any, str]],
    drive: Path,
    source: Path,
    points: int,
) -> str:
    """Says of each value how it is known."""
    tables: dict[str, list[str]] = {}

    def add(key: str, value: Any, why: str) -> None:
        table, _, name = key.rpartition(".")
        tables.setdefault(table, []).append(f"{name} = {json.dumps(value)}  # {why}")

    for key, estimate, candidate in zip(keys, solution.values, candidates):
        interval = said(estimate, key)
        why = f"fitted, 95 % {interval}, told by {candidate.what}" if estimate.identified else f"assumed; {interval}"
        add(key.key, key.at(math.exp(estimate.value)), why)
    for key, (value, why) in derived.items():
        if key not in {k.key for k in keys}:
            add(key, value, f"derived: {why}")
    out = [
        f"# Made by wordline fit from {points} points of {source.name}: least squares on IOPS, which left over "
        f"{100 * solution.noise:.1f} %.",
        "# What is not here is assumed: it comes from the drive that this one extends. What is known of yours belongs there.",
        f"extends = {json.dumps(str(drive))}",
    ]
    for table in sorted(tables):
        out += ["", f"[{table}]", *tables[table]]
    return "\n".join(out) + "\n"


def write_points(rows: list[dict[str, Any]], path: Path) -> None:
    names = ["iops", *(name for name, _, _ in LATENCIES)]
    with path.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["series", "qd", "fitted", *(f"{n}{part}" for n in names for part in ("", "_model", "_error"))])
        for r in rows:
            cells = [[f"{v:.6g}" for v in r["values"][n]] if n in r["values"] else [""] * 3 for n in names]
            lines.writerow([r["series"], r["qd"], int(r["fitted"]), *(cell for part in cells for cell in part)])
