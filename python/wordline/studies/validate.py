# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline validate`: a drive file held against public measurements of the real drive, point by point, with what was
fitted and on which points.

A file of measurements (configs/validation/NAME.toml) belongs to configs/ssds/NAME.toml: series of fio points at one block
size, each with its IOPS and latencies, the keys that were fitted, and how near the drive is meant to come. --points
takes the points of the same series from a CSV file instead, such as those that nobody saw when the drive was fitted."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import json
import re
import statistics
import tomllib
from pathlib import Path
from typing import Any

from .framework.table import columns
from .framework.jobs import fio
from .framework.measures import measure
from .framework.points import Point, Program, StudyError, Workload
from .framework.runner import Outcome, Runner
from .framework.sweep import CSV_COLUMNS, LATENCIES, OPERATIONS

# In percent. Of reads: every point. Of writes: the rate at the greatest depth, and the mean latency at QD 1.
READ_GOALS, WRITE_GOALS = ("median_iops", "worst_iops", "worst_p99"), ("steady_iops", "qd1_mean")
SUFFIX = {"k": 1 << 10, "m": 1 << 20}
POINT_KEYS = {"qd", "iops", "reads", "waf", *(name for name, _, _ in LATENCIES)}
PAGE = """# Held against real drives

This page compares the drive files of Wordline with public measurements of drives that can be bought. Every point is in a CSV file. A star
marks the queue depths at which values of the drive file were fitted; all other points are predictions.

{headline}

Authors of other simulators state these errors, on other drives: SwarmIO 7.7 % of IOPS, MQSim 6 to 18 %, FEMU 0.5 to 38 %,
learned models 3 to 37 %.

`./scripts/wordline validate --markdown docs/validation.md` makes this page and its files in some minutes. `--points FILE` compares the
same drives with the points of a file (columns {columns}; latencies in us).
`./scripts/wordline fit NAME` repeats the fit of a drive; `fit NAME --half` fits every second point and predicts the others.

## A drive of yours

<!-- by hand: minutes -->
```
./scripts/wordline fit MY_SWEEP --half        # fio's JSON results, blktrace's trace, or a CSV file with the columns above
```

This command writes `out/fit/MY_SWEEP/drive.toml`, in which each value has a 95 % interval or is marked as assumed, and a report of every
point. If it is interrupted, the same command goes on. `--drive FILE` gives what is known of the drive (dies, bus, link; otherwise
`zns_a.toml`). Over-provisioning follows from `--waf` or `--steady`. `--key` names the only keys to fit. Mixes, and jobs with a given rate,
are left out, with a message.

Measure closed loops, each long enough to exceed the write buffer. On a full drive, measure random reads of 4 and 16 KiB at QD 1 to 256
(they give tR, cost of a command, set-up of DMA, bus) and of 128 KiB (link). On a formatted drive, measure writes of 4, 16 and 128 KiB at
QD 1 to 32 (write latency, tPROG). Such a sweep cannot tell dies from planes, or firmware time before a flash read from time after it.

The end of an interval is where the profile likelihood, found by runs, falls to 95 %.
{trials}

"""
HEADLINE = """The table has the median and the worst of the absolute errors in percent; latencies are of reads and writes. Drives of SSD-iq were
measured at given rates, so IOPS are those of saturated writes only. On 7450 MAX, 7450 PRO and P5520 nothing was fitted to these IOPS, but
the over-provisioning of 7450 MAX and P5520 follows from their WAF."""
TRIALS = """On drives whose values are known, intervals should contain 95 of 100 values. With
`./scripts/wordline fit configs/ssds/zns_a.toml --trials 4` (18 points with noise of 3 %, every value changed by up to a quarter) they
contain 27 of 28; with a closed loop in closed form 279 of 300 (`sweep_fit_test.py`)."""


@dataclasses.dataclass(frozen=True)
class Measured:
    """A point of a real drive. Latencies in us, by name, those that were published. `reads`: of an open loop, those
    offered beside the writes; `waf`: write amplification, if it is known."""

    qd: int
    iops: float
    latency: dict[str, float]
    reads: int = 0
    waf: float | None = None


@dataclasses.dataclass(frozen=True)
class Series:
    """Points at one block size, by queue depth of each of `jobs` jobs side by side. `requests`: at least so many a
    point; `offered`: points are thousands of writes and reads offered a second in `qd`, of an open loop; `goal`: whether the
    goals of the file count for it; `format`: that of the namespace in a CSV file, empty: any; `cause`: why it misses.
    """

    name: str
    rw: str
    bs: str
    requests: int
    requests_per_qd: int
    fitted_at: tuple[int, ...]
    goal: bool
    cause: str
    jobs: int
    format: str
    sets: dict[str, Any]
    points: tuple[Measured, ...]
    offered: bool = False

    @property
    def operation(self) -> str:
        return "read" if "read" in self.rw else "write"

    @property
    def bytes(self) -> int:
        return int(self.bs[:-1]) * SUFFIX[self.bs[-1]]


@dataclasses.dataclass(frozen=True)
class Validation:
    """configs/validation/NAME.toml."""

    name: str
    title: str
    source: str
    device: str
    goal: dict[str, float]
    fitted: tuple[dict[str, str], ...]
    series: tuple[Series, ...]

    @staticmethod
    def named(root: Path, name: str) -> "Validation":
        known = known_names(root)
        if name not in known:
            raise StudyError(f"{name}: no file configs/validation/{name}.toml; there are {', '.join(known)}")
        return Validation.read(root / "configs/validation" / f"{name}.toml")

    @staticmethod
    def read(path: Path) -> "Validation":
        """Errors name the file and the key."""
        try:
            text = tomllib.loads(path.read_text())
            return Validation(
                path.stem,
                text["title"],
                text["source"],
                text["device"],
                {name: float(text["goal"][name]) for name in (*READ_GOALS, *WRITE_GOALS)},
                tuple({name: entry[name] for name in ("key", "on", "series")} for entry in text["fitted"]),
                tuple(_series(entry) for entry in text["series"]),
            )
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise StudyError(f"{path}: {error}") from error
        except KeyError as error:
            raise StudyError(f"{path}: {error.args[0]} is missing") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise StudyError(f"{path}: {error}") from error


def known_names(root: Path) -> list[str]:
    return sorted(path.stem for path in (root / "configs/validation").glob("*.toml"))


def _series(entry: dict[str, Any]) -> Series:
    of_points = {key for p in entry["points"] for key in p}
    if unknown := of_points - POINT_KEYS:
        raise ValueError(f"series {entry['name']}: point: {sorted(unknown)[0]}: no such key")
    points = tuple(
        Measured(
            int(p["qd"]),
            float(p["iops"]),
            {name: float(p[name]) for name, _, _ in LATENCIES if name in p},
            int(p.get("reads", 0)),
            float(p["waf"]) if "waf" in p else None,
        )
        for p in entry["points"]
    )
    known = {field.name for field in dataclasses.fields(Series)}
    if unknown := set(entry) - known:
        raise ValueError(f"series {entry['name']}: {sorted(unknown)[0]}: no such key")
    return Series(
        entry["name"],
        entry["rw"],
        entry["bs"],
        int(entry["requests"]),
        int(entry["requests_per_qd"]),
        tuple(entry["fitted_at"]),
        bool(entry.get("goal", False)),
        entry.get("cause", ""),
        int(entry.get("jobs", 1)),
        entry.get("format", ""),
        dict(entry.get("sets", {})),
        points,
        bool(entry.get("offered", False)),
    )


def points_of(path: Path, device: str, series: Series) -> tuple[Measured, ...]:
    """The points in a CSV file of this device, operation, block size, number of jobs, and format, if the file has a
    column for it, by queue depth."""
    wanted = (device, OPERATIONS.get(series.rw, series.rw), str(series.jobs), series.bytes)
    try:
        with path.open(newline="") as file:
            rows = csv.DictReader(file)
            if missing := [column for column in CSV_COLUMNS if column not in (rows.fieldnames or ())]:
                raise StudyError(f"{path}:1: no column {missing[0]}, expected {','.join(CSV_COLUMNS)}")
            found = {}
            for row in rows:
                try:
                    same = (row["device"], row["op"], row["zones"], int(row["bs"])) == wanted
                    if same and (not series.format or row.get("format", series.format) == series.format):
                        latency = {name: float(row[column]) for name, column, _ in LATENCIES}
                        found[int(row["qd"])] = Measured(int(row["qd"]), float(row["iops"]), latency)
                except (TypeError, ValueError) as error:
                    raise StudyError(f"{path}:{rows.line_num}: {error}") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{path}: {error}") from error
    return tuple(found[qd] for qd in sorted(found))


def measured_series(validation: Validation, path: Path) -> Validation:
    """The comparison with the points of a CSV file; nothing was fitted on these."""
    taken = [
        dataclasses.replace(s, points=points_of(path, validation.device, s), fitted_at=()) for s in validation.series
    ]
    series = tuple(s for s in taken if s.points)
    if not series:
        raise StudyError(f"{path}: no points of device {validation.device} in any series of {validation.name}")
    return dataclasses.replace(validation, series=series)


def point_of(drive: Path, series: Series, measured: Measured, sets: dict[str, Any]) -> Point:
    """The run that answers a measured point."""
    if series.offered:
        return Point.make(drive, _open_loop(measured), {**series.sets, **sets})
    requests = max(series.requests, series.requests_per_qd * measured.qd) // series.jobs
    options = {"ioengine": "libaio", "rw": series.rw, "bs": series.bs, "iodepth": measured.qd}
    random = {"norandommap": True} if series.rw.startswith("rand") else {}
    # The beginnings of the jobs lie on different dies.
    apart = {"numjobs": series.jobs, "offset_increment": "34603872k"} if series.jobs > 1 else {}
    name = f"{series.rw}_{series.bs}_qd{measured.qd}" + (f"_jobs{series.jobs}" if series.jobs > 1 else "")
    workload = fio(name, **options, **random, **apart, number_ios=requests)
    return Point.make(drive, workload, {**series.sets, **sets})


def _open_loop(measured: Measured) -> Workload:
    """As SSD-iq does (PVLDB 18, 2025): 4 KiB random writes, 448 in flight at most, and 32 reads at most. Before what is
    measured half a second as fast as the drive can."""
    common = {"ioengine": "libaio", "bs": "4k", "norandommap": True, "time_based": True}
    writes = {"rw": "randwrite", "iodepth": 443, **common}
    paced = {**common, "rate_process": "poisson", "ramp_time": "500ms", "runtime": 2}
    parts = [
        fio("before", **writes, runtime="500ms"),
        fio("write", stonewall=True, **{**writes, **paced}, rate_iops=round(measured.qd * 990)),
        fio("read", rw="randread", iodepth=32, **paced, rate_iops=measured.reads),
    ]
    return Workload(f"offered_{measured.qd}k", text="".join(part.text for part in parts))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="configs/validation/NAME.toml (default: all of them)")
    parser.add_argument("--points", type=Path, metavar="FILE", help="CSV file whose points are taken instead")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for every point with its errors")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="file for the same as a page")
    parser.add_argument(
        "-o", "--out", type=Path, default=Path("out/validate"), metavar="DIR",
        help="folder for all runs (default: out/validate)",
    )  # fmt: skip
    parser.add_argument(
        "-j", "--jobs", type=int, default=0, metavar="N", help="runs at a time (default: as many as processors)"
    )


def command(program: Program, arguments: argparse.Namespace, root: Path) -> int:
    """Prints the tables. Returns 0, since a missed goal is a result; 1 when a point failed."""
    reports = []
    failed: list[Outcome] = []
    for name in arguments.names or known_names(root):
        validation = Validation.named(root, name)
        if arguments.points:
            validation = measured_series(validation, arguments.points)
        report, lost = validate(program, validation, root / "configs/ssds" / f"{name}.toml", arguments)
        print(text_of(report), flush=True)
        reports.append(report)
        failed += lost
    if arguments.json:
        arguments.json.write_text(json.dumps(reports, indent=2) + "\n")
    if arguments.markdown:
        listed = ", ".join(f"`{column}`" for column in CSV_COLUMNS)
        page = PAGE.format(columns=listed, headline=headline(reports), trials=TRIALS).rstrip() + "\n"
        arguments.markdown.write_text("\n".join([page, *map(markdown, reports)]))
        for report in reports:
            write_points(report, arguments.markdown.parent / data_of(report))
            write_tables(report, arguments.markdown.parent)
            draw(report, arguments.markdown.parent / picture_of(report))
    for outcome in failed[:5]:
        print(f"failed: {outcome.point.title()}: {outcome.error.splitlines()[0]}")
    return 1 if failed else 0


def validate(
    program: Program, validation: Validation, drive: Path, arguments: argparse.Namespace
) -> tuple[dict[str, Any], list[Outcome]]:
    """Runs every point. Returns the report, and the points that failed."""
    points, places = [], []
    for series in validation.series:
        for measured in series.points:
            points.append(point_of(drive, series, measured, {}))
            places.append((series, measured))
    with Runner(program, arguments.out / validation.name, arguments.jobs) as runner:
        outcomes = runner.run(points)
    rows: dict[str, list[dict[str, Any]]] = {series.name: [] for series in validation.series}
    for outcome, (series, measured) in zip(outcomes, places):
        if not outcome.failed:
            rows[series.name].append(_compared(series, measured, outcome.result()))
    config = program.effective_config(points[0])
    report = {
        "name": validation.name,
        "title": validation.title,
        "source": validation.source,
        "goal": validation.goal,
        "offered": any(s.offered for s in validation.series),
        "fitted": [{**entry, "value": value_of(config, entry["key"])} for entry in validation.fitted],
        "series": [
            {
                "name": s.name,
                "goal": s.goal,
                "operation": s.operation,
                "cause": s.cause,
                "points": rows[s.name],
                **_summary(rows[s.name]),
            }
            for s in validation.series
        ],
    }
    with_goal = [row for s in validation.series if s.goal and s.operation == "read" for row in rows[s.name]]
    report["writes"] = _of_writes([rows[s.name] for s in validation.series if s.goal and s.operation == "write"])
    report["summary"] = _summary(with_goal)
    report["predicted"] = _summary([row for row in with_goal if not row["fitted"]])
    return report, [outcome for outcome in outcomes if outcome.failed]


def value_of(config: dict[str, Any], key: str) -> Any:
    for part in key.split("."):
        config = config[part]
    return config


def rate_of(series: Series, result: dict[str, Any]) -> float:
    """What fio would say of a run of minutes: without the write buffer that fills up and the last requests in flight,
    which are a good part of a run of some thousand."""
    if series.offered:
        return float(_job(series, result)["iops"])
    found = measure(result, f"{series.operation}_iops", ())
    if found is None:
        raise StudyError(f"{series.name}: the run has no {series.operation}")
    return found.value


def _job(series: Series, result: dict[str, Any]) -> dict[str, Any]:
    """Of an open loop the job of this operation, without what came before it."""
    return next(job for job in result["jobs"] if job["name"] == series.operation)


def _compared(series: Series, measured: Measured, result: dict[str, Any]) -> dict[str, Any]:
    """Measured, ours, and the error in percent, for IOPS and each latency (us)."""
    ours = _job(series, result) if series.offered else result["ios"][series.operation]

    def entry(real: float, model: float) -> dict[str, float]:
        return {"measured": real, "model": round(model, 3), "error": round((model / real - 1) * 100, 2)}

    row: dict[str, Any] = {"qd": measured.qd, "fitted": measured.qd in series.fitted_at}
    row["iops"] = entry(measured.iops, rate_of(series, result))
    if measured.waf is not None:
        row["waf"] = entry(measured.waf, result["flash"]["waf"])
    for name, _, key in LATENCIES:
        if name in measured.latency:
            row[name] = entry(measured.latency[name], ours["lat_ps"][key] * 1e-6)
    return row


def _summary(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The summary of absolute errors, in percent."""
    if not rows:
        return {}
    iops = [abs(row["iops"]["error"]) for row in rows]
    p99 = [abs(row["p99"]["error"]) for row in rows if "p99" in row]
    found = {"median_iops": round(statistics.median(iops), 2), "worst_iops": max(iops)}
    return {**found, "worst_p99": max(p99)} if p99 else found


def _of_writes(series: list[list[dict[str, Any]]]) -> dict[str, float]:
    """Worst absolute errors of several series of writes, in percent."""
    series = [rows for rows in series if rows]
    if not series:
        return {}
    steady = max(abs(max(rows, key=lambda row: row["qd"])["iops"]["error"]) for rows in series)
    alone = [abs(row["mean"]["error"]) for rows in series for row in rows if row["qd"] == 1 and "mean" in row]
    return {"steady_iops": steady, **({"qd1_mean": max(alone)} if alone else {})}


def _lines(series: dict[str, Any]) -> list[list[str]]:
    head = ["QD", "kIOPS measured", "model", "error, %"]
    for name, _, _ in LATENCIES:
        title = name.replace("_", ".")
        head += [f"{title} measured, us", "model", "error, %"]
    lines = [head]
    for row in series["points"]:
        line = [f"{row['qd']}{'*' if row['fitted'] else ''}"]
        line += [f"{row['iops']['measured'] / 1000:.2f}", f"{row['iops']['model'] / 1000:.2f}"]
        line += [f"{row['iops']['error']:+.1f}"]
        for name, _, _ in LATENCIES:
            one = row.get(name)
            line += [f"{one['measured']:.1f}", f"{one['model']:.1f}", f"{one['error']:+.1f}"] if one else ["-"] * 3
        lines.append(line)
    return lines


def _in_words(summary: dict[str, float]) -> str:
    p99 = f"; of p99: worst {summary['worst_p99']:.1f} %" if "worst_p99" in summary else ""
    return f"errors of IOPS: median {summary['median_iops']:.1f} %, worst {summary['worst_iops']:.1f} %{p99}"


def _verdict(report: dict[str, Any]) -> str:
    """How the series with a goal come out."""
    found = [text for text in (_verdict_of_reads(report), _verdict_of_writes(report)) if text]
    return " ".join(found) or "No series with a goal was run."


def _names(report: dict[str, Any], operation: str) -> str:
    names = [s["name"] for s in report["series"] if s["operation"] == operation]
    with_goal = [s["name"] for s in report["series"] if s["operation"] == operation and s["goal"]]
    return f"All {operation}s" if with_goal == names else f"{operation.capitalize()}s with a goal"


def _verdict_of_reads(report: dict[str, Any]) -> str:
    summary, goal = report["summary"], report["goal"]
    if not summary:
        return ""
    missed = [name.replace("_", " of ", 1) for name in READ_GOALS if summary.get(name, 0) > goal[name]]
    aims = f"goals: at most {goal['median_iops']:g}, {goal['worst_iops']:g} and {goal['worst_p99']:g} %"
    outcome = "missed: " + ", ".join(missed) if missed else "met"
    verdict = f"{_names(report, 'read')}: {_in_words(summary)} ({aims}; {outcome})."
    if report["predicted"] and report["predicted"] != summary:
        verdict += f" Predicted points: {_in_words(report['predicted'])}."
    return verdict


def _verdict_of_writes(report: dict[str, Any]) -> str:
    writes, goal = report["writes"], report["goal"]
    if not writes:
        return ""
    words = {"steady_iops": "the rate at the greatest depth", "qd1_mean": "the mean latency at QD 1"}
    errors = ", ".join(f"{error:.1f} % for {words[name]} (goal: {goal[name]:g} %)" for name, error in writes.items())
    missed = [words[name] for name, error in writes.items() if error > goal[name]]
    return f"{_names(report, 'write')}: worst error {errors}; {'missed: ' + ', '.join(missed) if missed else 'met'}."


def text_of(report: dict[str, Any]) -> str:
    out = [f"{report['title']}: {report['source']}", ""]
    out += [f"fitted: {entry['key']} = {entry['value']}, on {entry['on']}" for entry in report["fitted"]]
    for series in report["series"]:
        out += ["", f"{series['name']} (* fitted on)"]
        if series["points"]:
            out += [columns(_lines(series)).rstrip(), _in_words(series)]
        if series["cause"]:
            out.append(f"Why: {series['cause']}")
    return "\n".join([*out, "", _verdict(report)])


def data_of(report: dict[str, Any]) -> str:
    """The file of every point, beside the page."""
    return f"data/validation_{report['name']}.csv"


def write_tables(report: dict[str, Any], folder: Path) -> None:
    """The fitted values, and the errors by series, as tables beside the page."""
    fitted = [["key", "value", "fitted to"]]
    for entry in report["fitted"]:
        value = entry["value"]
        fitted.append([entry["key"], " / ".join(value) if isinstance(value, list) else str(value), entry["on"]])
    errors = [["series", "points", "IOPS: median error, %", "worst, %", "p99: worst, %", "goal"]]
    for series in report["series"]:
        if series["points"]:
            found = [f"{series[name]:.1f}" if name in series else "-" for name in READ_GOALS]
            errors.append([series["name"], str(len(series["points"])), *found, "yes" if series["goal"] else "-"])
    (folder / "data").mkdir(exist_ok=True)
    for what, lines in (("fitted", fitted), ("errors", errors)):
        with (folder / f"data/validation_{report['name']}_{what}.csv").open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)


def picture_of(report: dict[str, Any]) -> str:
    return f"images/validation_{report['name']}.png"


def draw(report: dict[str, Any], path: Path) -> None:
    """IOPS of each series by depth; of an open loop latencies by what was offered; of single points their errors."""
    from .framework import pictures  # needs matplotlib

    path.parent.mkdir(exist_ok=True)
    if all(len(series["points"]) == 1 for series in report["series"]):
        rows = {series["name"]: series["points"][0] for series in report["series"]}
        names = {"iops": "IOPS", "p50": "p50", "p99": "p99"}
        errors = {t: [(at, r[n]["error"]) for at, r in rows.items() if n in r] for n, t in names.items()}
        pictures.errors_of_points(list(rows), errors, path)
        return
    names = {"p50": "p50", "p99": "p99", "p99_9": "p99.9"} if report["offered"] else {"iops": "IOPS"}
    panels: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    for series in report["series"]:
        for row in series["points"]:
            lines = panels.setdefault(re.split(", (?:by|QD) ", series["name"])[0], {t: [] for t in names.values()})
            for name, title in names.items():
                lines[title].append((row["qd"], row[name]["measured"], row[name]["model"]))
    x, y = ("thousand requests offered a second", "us") if report["offered"] else ("queue depth", "a second")
    pictures.measured_and_model(panels, x, y, path)


def write_points(report: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        for at, series in enumerate(s for s in report["series"] if s["points"]):
            head, *rows = _lines(series)
            lines.writerows([["series", *head]] * (at == 0) + [[series["name"], *row] for row in rows])


def headline(reports: list[dict[str, Any]]) -> str:
    """A line for each drive, over all of its points; those that nothing was fitted on once more, if they are fewer."""
    names = ("iops", *(name for name, _, _ in LATENCIES if name != "mean"), "waf")
    titles = " | ".join(n.upper() if n in ("iops", "waf") else n.replace("_", ".") for n in names)
    out = [f"| drive | points | fitted values | {titles} |"]
    out.append("|---|--:|--:|" + "--:|" * len(names))
    for report in reports:
        rows = [row for series in report["series"] for row in series["points"]]
        rates_given = report["offered"]
        predicted = [row for row in rows if not row["fitted"]]
        for some, what in ((rows, ""), (predicted if 0 < len(predicted) < len(rows) else [], ", predicted")):
            if some:
                cells = []
                for name in names:
                    # Below saturation the rate of an open loop is what was offered.
                    told = (
                        [row for row in _saturated(report) if row in some] if rates_given and name == "iops" else some
                    )
                    size = [abs(row[name]["error"]) for row in told if name in row]
                    worst = f", {max(size):.{0 if max(size) >= 10 else 1}f}" if len(size) > 1 else ""
                    cells.append(f"{statistics.median(size):.1f}{worst}" if size else "-")
                known = f"[{report['name']}](#{anchor(report)}){what}"
                out.append(f"| {known} | {len(some)} | {len(report['fitted'])} | {' | '.join(cells)} |")
    return "\n".join([*out, "", HEADLINE])


def _saturated(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        max(s["points"], key=lambda row: row["qd"])
        for s in report["series"]
        if s["operation"] == "write" and s["points"]
    ]


def anchor(report: dict[str, Any]) -> str:
    """Of the section, as Markdown makes it of a title."""
    kept = "".join(c for c in report["title"].lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def markdown(report: dict[str, Any]) -> str:
    out = [
        f"## {report['title']}",
        "",
        f"`configs/ssds/{report['name']}.toml`, after {report['source']}.",
    ]
    out += ["", _verdict(report)]
    out += ["", f"[Fitted values](data/validation_{report['name']}_fitted.csv)"]
    out += ["", f"[Errors by series](data/validation_{report['name']}_errors.csv)"]
    for row in (row for series in report["series"] for row in series["points"] if "waf" in row):
        waf = row["waf"]
        out += [
            "",
            f"Write amplification: measured {waf['measured']:.2f}, model {waf['model']:.2f} ({waf['error']:+.1f} %).",
        ]
    out += ["", f"![Measured and modelled]({picture_of(report)})"]
    out += ["", f"[Every point]({data_of(report)})"]
    if causes := [f"- {series['name']}: {series['cause']}." for series in report["series"] if series["cause"]]:
        out += ["", "Largest errors:", "", *causes]
    return "\n".join(out) + "\n"
