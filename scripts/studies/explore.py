# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline explore`: a grid of configurations on some workloads; IOPS, tails, what limits each point, and the cheapest
that is good enough."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import io
import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .jobs import shortened
from .points import Point, Program, StudyError, Workload
from .runner import Outcome, Runner

GOOD_ENOUGH = 0.01  # a point within this share of the best counts as good as the best
COST = "dies, then channels, then cores"


@dataclasses.dataclass(frozen=True)
class Axis:
    key: str
    values: tuple[str, ...]

    @staticmethod
    def parse(text: str) -> "Axis":
        """KEY=A,B,C; a value in brackets may hold commas."""
        key, equals, values = text.partition("=")
        found = tuple(value.strip() for value in re.findall(r"\[[^\]]*\]|[^,\[\]]+", values))
        if not key or not equals or not found:
            raise StudyError(f"--grid {text}: expected KEY=VALUE,VALUE,... such as channels.count=2,4,8")
        if len(set(found)) != len(found):
            raise StudyError(f"--grid {text}: a value stands twice")
        return Axis(key, found)


@dataclasses.dataclass(frozen=True)
class Row:
    """A point of the table. Latencies in ps, null where there was no such request. `cost`: dies, channels, cores;
    `point`: the folder in points/ of a run that ended well."""

    workload: str
    values: dict[str, str]
    error: str
    cost: tuple[int, int, int] | None = None
    iops: float | None = None
    bytes_per_s: float | None = None
    read_p99_9_ps: int | None = None
    write_p99_9_ps: int | None = None
    waf: float | None = None
    limit: str = ""
    limit_busy: float | None = None
    next_limit: str = ""
    sentence: str = ""
    best: bool = False
    cheapest: bool = False
    point: str = ""

    @staticmethod
    def of(outcome: Outcome, axes: Sequence[Axis], config: dict[str, Any] | None) -> "Row":
        values = {axis.key: dict(outcome.point.sets)[axis.key] for axis in axes}
        if outcome.failed or config is None:
            return Row(outcome.point.workload.name, values, outcome.error)
        result = outcome.result()
        ops = [op for op in result["ios"].values() if op["count"]]

        def p99_9(op: str) -> int | None:
            return result["ios"][op]["lat_ps"]["p99_9"] if result["ios"][op]["count"] else None

        channels = config["channels"]
        dies = channels["count"] * channels["packages"] * channels["dies_per_package"]
        limit = result["bottleneck"]
        return Row(
            outcome.point.workload.name,
            values,
            "",
            (dies, channels["count"], config["cpu"]["cores"]),
            sum(op["iops"] for op in ops),
            sum(op["bytes_per_s"] for op in ops),
            p99_9("read"),
            p99_9("write"),
            result["flash"]["waf"],
            limit["resource"],
            limit["utilisation"],
            limit["next"] or "",
            limit["sentence"],
            point=outcome.folder.name if outcome.folder else "",
        )


def with_verdict(rows: list[Row]) -> list[Row]:
    """Marks, for each workload, the best point and the cheapest within 1 % of it; of equal cost the faster one."""
    marked = []
    for workload in dict.fromkeys(row.workload for row in rows):
        group = [row for row in rows if row.workload == workload]
        done = [row for row in group if row.iops]
        best = max(done, key=lambda row: row.iops or 0, default=None)
        enough = [row for row in done if best and (row.iops or 0) >= (1 - GOOD_ENOUGH) * (best.iops or 0)]
        cheapest = min(enough, key=lambda row: (row.cost, -(row.iops or 0)), default=None)
        marked += [dataclasses.replace(row, best=row is best, cheapest=row is cheapest) for row in group]
    return marked


def table(rows: list[Row], axes: Sequence[Axis]) -> str:
    """For people: a table for each workload, failed points with the first line of their error."""
    text = []
    for workload in dict.fromkeys(row.workload for row in rows):
        group = [row for row in rows if row.workload == workload]
        head = [*(axis.key for axis in axes), "IOPS", "read p99.9", "write p99.9", "limit", "next", ""]
        lines = [head]
        for row in group:
            values = [row.values[axis.key] for axis in axes]
            if row.error:
                lines.append([*values, "failed", "", "", row.error.splitlines()[0], "", ""])
                continue
            mark = " ".join(word for word, is_so in (("best", row.best), ("cheapest", row.cheapest)) if is_so)
            lines.append(
                [
                    *values,
                    f"{row.iops:,.0f}",
                    _us(row.read_p99_9_ps),
                    _us(row.write_p99_9_ps),
                    f"{row.limit} {100 * (row.limit_busy or 0):.0f} %",
                    row.next_limit,
                    mark,
                ]
            )
        text.append(f"{workload}\n{columns(lines)}")
        chosen = next((row for row in group if row.cheapest), None)
        if chosen and chosen.cost:
            where = ", ".join(f"{key}={value}" for key, value in chosen.values.items())
            dies, channels, cores = chosen.cost
            text.append(
                f"cheapest within {100 * GOOD_ENOUGH:.0f} % of the best ({COST}): {where}: {dies} dies on "
                f"{channels} channels, {cores} cores, {chosen.iops:,.0f} IOPS. {chosen.sentence}\n"
            )
    return "\n".join(text)


def columns(lines: list[list[str]]) -> str:
    """Aligned columns; the first line is the head. Numbers to the right."""
    count = len(lines[0])
    widths = [max(len(line[i]) for line in lines if not _is_error(line, i)) for i in range(count - 1)] + [0]
    right = [all(re.fullmatch(r"[-\d.,]*( us| %)?|failed", line[i]) for line in lines[1:]) for i in range(count)]
    out = []
    for line in lines:
        cells = [
            cell.rjust(width) if is_right else cell.ljust(width) for cell, width, is_right in zip(line, widths, right)
        ]
        out.append("  ".join(cells).rstrip())
    out.insert(1, "-" * max(len(line) for line in out[:1]))
    return "\n".join(out) + "\n"


def _is_error(line: list[str], column: int) -> bool:
    return "failed" in line and column > line.index("failed")


def _us(picoseconds: int | None) -> str:
    return "-" if picoseconds is None else f"{picoseconds / 1e6:,.0f} us"


def write_csv(rows: list[Row], axes: Sequence[Axis], path: Path) -> None:
    fields = [
        "iops",
        "bytes_per_s",
        "read_p99_9_ps",
        "write_p99_9_ps",
        "waf",
        "limit",
        "limit_busy",
        "next_limit",
        "best",
        "cheapest",
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["workload", *(axis.key for axis in axes), "dies", "channels", "cores", *fields, "error"])
    for row in rows:
        writer.writerow(
            [
                row.workload,
                *row.values.values(),
                *(row.cost or ("", "", "")),
                *(_csv_text(getattr(row, field)) for field in fields),
                " ".join(row.error.split()),
            ]
        )
    path.write_text(text.getvalue())


def _csv_text(value: object) -> object:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def points_of(config: Path, axes: Sequence[Axis], workloads: Sequence[Workload], sets: dict[str, str]) -> list[Point]:
    return [
        Point.make(config, workload, {**sets, **dict(zip((axis.key for axis in axes), values))})
        for workload in workloads
        for values in itertools.product(*(axis.values for axis in axes))
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path, help="configuration of the drive, TOML")
    parser.add_argument(
        "--grid",
        action="append",
        required=True,
        metavar="KEY=A,B,...",
        help="an axis of the grid; several: every combination",
    )
    parser.add_argument(
        "-w",
        "--workload",
        action="append",
        required=True,
        type=Path,
        metavar="FILE",
        help="workload; several: each of them",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="overrides the configuration at every point"
    )
    parser.add_argument(
        "--requests", type=int, metavar="N", help="requests of each job of a fio job file, instead of its own number"
    )
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        default=Path("out/explore"),
        metavar="DIR",
        help="folder for the table, the pictures and all runs (default: out/explore)",
    )
    parser.add_argument(
        "-j", "--jobs", type=int, default=0, metavar="N", help="runs at a time (default: as many as processors)"
    )


def command(program: Program, arguments: argparse.Namespace) -> int:
    """Prints the table and writes table.csv, table.json and a heat map for each workload. Returns the exit code: 1 if a
    point failed."""
    axes = [Axis.parse(text) for text in arguments.grid]
    if len({axis.key for axis in axes}) != len(axes):
        raise StudyError("--grid: a key stands twice")
    sets = {}
    for text in arguments.set:
        key, equals, value = text.partition("=")
        if not equals:
            raise StudyError(f"--set {text}: expected KEY=VALUE")
        sets[key] = value
    workloads = [Workload.of_file(path) for path in arguments.workload]
    if arguments.requests is not None:
        if arguments.requests < 1:
            raise StudyError("--requests: expected at least 1")
        workloads = [shortened(workload, arguments.requests) for workload in workloads]
    if len({workload.name for workload in workloads}) != len(workloads):
        raise StudyError("--workload: two files have one name; the table tells them apart by it")

    points = points_of(arguments.config, axes, workloads, sets)
    with Runner(program, arguments.out, arguments.jobs) as runner:
        outcomes = runner.run(points)
    rows = [
        Row.of(outcome, axes, None if outcome.failed else program.effective_config(outcome.point))
        for outcome in outcomes
    ]
    if all(row.error for row in rows):
        raise StudyError(f"no point ran. The first: {rows[0].error}")
    rows = with_verdict(rows)
    write_csv(rows, axes, arguments.out / "table.csv")
    (arguments.out / "table.json").write_text(
        json.dumps(
            {
                "config": str(arguments.config),
                "sets": sets,
                "cost": COST,
                "good_enough": GOOD_ENOUGH,
                "points": [dataclasses.asdict(row) for row in rows],
            },
            indent=2,
        )
        + "\n"
    )
    print(table(rows, axes))
    from . import pictures  # matplotlib takes a second: not before it is needed

    drawn = [
        pictures.heat_map(rows, axes, workload.name, arguments.out / f"{workload.name}.png") for workload in workloads
    ]
    written = [arguments.out / "table.csv", arguments.out / "table.json", *drawn]
    print("written:", ", ".join(map(str, written)))
    return 1 if any(row.error for row in rows) else 0
