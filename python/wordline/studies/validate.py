# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline validate`: a drive file held against public measurements of the real drive, point by point, with what was
fitted and on which points.

A file of measurements (configs/validation/NAME.toml) belongs to configs/ssds/NAME.toml: series of fio points at one block
size, each with its IOPS and latencies, the keys that were fitted, and how near the drive is meant to come. --points
takes the points of the same series from a CSV file instead, such as those that nobody saw when the drive was fitted."""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

from .framework.points import Program, StudyError
from .framework.runner import Outcome, Runner
from .framework.sweep import CSV_COLUMNS, LATENCIES
from .real_drive import Measured, Series, Validation, job_of, known_names, measured_series, point_of, rate_of, value_of
from .validation_page import PAGE, TRIALS, data_of, draw, headline, markdown, picture_of, text_of, write_points
from .validation_page import write_tables


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="configs/validation/NAME.toml (default: all of them)")
    parser.add_argument("--points", type=Path, metavar="FILE", help="CSV file whose points are taken instead")
    parser.add_argument("--device", default="", metavar="NAME", help="of --points: the rows of this device")
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
    if arguments.device and not arguments.points:
        raise StudyError("--device names rows of a CSV file: add --points FILE")
    reports = []
    failed: list[Outcome] = []
    for name in arguments.names or known_names(root):
        validation = Validation.named(root, name)
        if arguments.points:
            validation = measured_series(validation, arguments.points, arguments.device)
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


def _compared(series: Series, measured: Measured, result: dict[str, Any]) -> dict[str, Any]:
    """Measured, ours, and the error in percent, for IOPS and each latency (us)."""
    ours = job_of(series, result) if series.offered else result["ios"][series.operation]

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
