# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The rows of an exploration's table: what the runs of a point say together, and which point is the best."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .objectives import Losses, Objective, front
from .runner import Outcome
from .samples import half_interval
from .space import Axis, keys_of

GOOD_ENOUGH = 0.01  # a point within this share of the best counts as good as the best
COST = "dies, then channels, then cores"
Cost = tuple[int, int, int]
# What limits and has no busy share: the load, a time of the drive, or no verdict.
NO_SHARE = frozenset(
    "host queue_depth arrival_rate tags t_r t_prog write_latency link_latency same_sector no_data none engines".split()
)


def cost_of(config: Mapping[str, Any]) -> Cost:
    """Dies, channels, cores of an effective configuration."""
    channels = config["channels"]
    dies = channels["count"] * channels["packages"] * channels["dies_per_package"]
    return dies, channels["count"], config["cpu"]["cores"]


@dataclasses.dataclass(frozen=True)
class Row:
    """A point of the table. Latencies in ps, null where there was no such request. `cost`: dies, channels, cores. With
    several seeds the numbers are means, `interval` has half of their 95 % intervals, and what limits is what limits
    most of the runs. `runs`: their folders."""

    workload: str
    values: dict[str, str]
    error: str
    cost: Cost | None = None
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
    seeds: tuple[int, ...] = ()
    interval: dict[str, float] = dataclasses.field(default_factory=dict)
    runs: tuple[str, ...] = ()
    objectives: dict[str, float | None] = dataclasses.field(default_factory=dict)
    front: bool = False

    @staticmethod
    def of(
        outcomes: Sequence[Outcome],
        values: dict[str, str],
        cost: Cost | None,
        seeds: tuple[int, ...] = (),
        objectives: Sequence[Objective] = (),
    ) -> "Row":
        """Of the runs of one point, one for each seed. One that failed fails the row: a mean of the others is another
        number than was asked for."""
        workload = outcomes[0].point.workload.name
        runs = tuple(f"points/{outcome.folder.name}" for outcome in outcomes if outcome.folder)
        for at, outcome in enumerate(outcomes):
            if outcome.failed or cost is None:
                where = f"seed {seeds[at]}: " if len(outcomes) > 1 else ""
                return Row(workload, values, where + outcome.error, seeds=seeds, runs=runs)
        results = [outcome.result() for outcome in outcomes]
        samples = [_numbers(result) for result in results]
        means: dict[str, Any] = {}
        interval: dict[str, float] = {}
        for name in samples[0]:
            found = [sample[name] for sample in samples if sample[name] is not None]
            if len(samples) == 1 or not found:
                means[name] = samples[0][name]
                continue
            mean = statistics.fmean(found)
            means[name] = round(mean) if name.endswith("_ps") else mean
            if len(found) > 1:
                interval[name] = half_interval(found)
        wanted: dict[str, float | None] = {}
        for objective in objectives:
            values_of_it = [objective.value(result, cost) for result in results]
            numbers = [value for value in values_of_it if value is not None]
            wanted[objective.text] = statistics.fmean(numbers) if len(numbers) > 1 else next(iter(numbers), None)
        limits = [result["bottleneck"] for result in results]
        limit = Counter(found["resource"] for found in limits).most_common(1)[0][0]
        of_it = [found for found in limits if found["resource"] == limit]
        busy = None
        if limit not in NO_SHARE:
            busy = of_it[0]["utilisation"] if len(of_it) == 1 else statistics.fmean(f["utilisation"] for f in of_it)
        return Row(
            workload,
            values,
            "",
            cost,
            **means,
            limit=limit,
            limit_busy=busy,
            next_limit=of_it[0].get("next") or "",
            sentence=of_it[0]["sentence"],
            seeds=seeds,
            interval=interval,
            runs=runs,
            objectives=wanted,
        )


def losses_of(rows: Sequence[Row], objectives: Sequence[Objective]) -> dict[tuple[str, ...], Losses | None]:
    """Of each point, by its values; null where a workload failed or gave no such number."""
    found: dict[tuple[str, ...], Losses | None] = {}
    for point in dict.fromkeys(tuple(row.values.values()) for row in rows):
        of_it = [row for row in rows if tuple(row.values.values()) == point]
        worst = [
            objective.worst({row.workload: row.objectives.get(objective.text) for row in of_it})
            for objective in objectives
        ]
        numbers = [value for value in worst if value is not None]
        whole = len(numbers) == len(worst) and not any(row.error for row in of_it)
        found[point] = tuple(numbers) if whole else None
    return found


def with_front(rows: Sequence[Row], objectives: Sequence[Objective]) -> list[Row]:
    """Marks, in all workloads, the points of which no other is better in every objective."""
    best = front(losses_of(rows, objectives))
    return [dataclasses.replace(row, front=tuple(row.values.values()) in best) for row in rows]


def _numbers(result: Mapping[str, Any]) -> dict[str, float | None]:
    """What is averaged over seeds."""
    ops = [op for op in result["ios"].values() if op["count"]]

    def p99_9(op: str) -> int | None:
        return result["ios"][op]["lat_ps"]["p99_9"] if result["ios"][op]["count"] else None

    return {
        "iops": sum(op["iops"] for op in ops),
        "bytes_per_s": sum(op["bytes_per_s"] for op in ops),
        "read_p99_9_ps": p99_9("read"),
        "write_p99_9_ps": p99_9("write"),
        "waf": result["flash"]["waf"],
    }


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
        spread = any(row.interval for row in group)
        head = [*(axis.key for axis in axes), "IOPS", *(["95 %"] if spread else []), "read p99.9", "write p99.9"]
        experiment = any(row.next_limit for row in group)
        head += ["limit", *(["next"] * experiment), ""]
        lines = [head]
        for row in group:
            values = [row.values[axis.key] for axis in axes]
            if row.error:
                empty = [""] * (spread + 2)
                lines.append([*values, "failed", *empty, row.error.splitlines()[0], *([""] * experiment), ""])
                continue
            marks = (("best", row.best), ("cheapest", row.cheapest), ("front", row.front))
            half = row.interval.get("iops")
            within = "-" if half is None or not row.iops else f"+-{100 * half / row.iops:.1f} %"
            lines.append(
                [
                    *values,
                    f"{row.iops:,.0f}",
                    *([within] if spread else []),
                    _us(row.read_p99_9_ps),
                    _us(row.write_p99_9_ps),
                    row.limit if row.limit_busy is None else f"{row.limit} {100 * row.limit_busy:.0f} %",
                    *([row.next_limit] * experiment),
                    " ".join(word for word, is_so in marks if is_so),
                ]
            )
        text.append(f"{workload}\n{columns(lines)}")
        chosen = next((row for row in group if row.cheapest), None)
        if chosen and chosen.cost:
            where = ", ".join(f"{axis.key}={chosen.values[axis.key]}" for axis in axes)
            dies, channels, cores = chosen.cost
            text.append(
                f"cheapest within {100 * GOOD_ENOUGH:.0f} % of the best ({COST}): {where}: {dies} dies on "
                f"{channels} channels, {cores} cores, {chosen.iops:,.0f} IOPS. {chosen.sentence}\n"
            )
    return "\n".join(text)


def front_table(rows: Sequence[Row], axes: Sequence[Axis], objectives: Sequence[Objective]) -> str:
    """The Pareto front, by its first objective."""
    losses = losses_of(rows, objectives)
    found = {tuple(row.values.values()): row.values for row in rows if row.front}
    best = sorted(
        ((known, values) for point, values in found.items() if (known := losses[point])), key=lambda it: it[0]
    )
    lines = [[*(axis.key for axis in axes), *(objective.text for objective in objectives), ""]]
    for known, values in best:
        numbers = [-loss if objective.larger else loss for objective, loss in zip(objectives, known)]
        lines.append([*(values[axis.key] for axis in axes), *(f"{number:,.6g}" for number in numbers), ""])
    return f"Pareto front: {len(best)} of {len(losses)} points\n{columns(lines)}"


def columns(lines: list[list[str]]) -> str:
    """Aligned columns; the first line is the head. Numbers to the right."""
    count = len(lines[0])
    widths = [max(len(line[i]) for line in lines if not _is_error(line, i)) for i in range(count - 1)] + [0]
    right = [all(re.fullmatch(r"[-+\d.,]*( us| %)?|failed", line[i]) for line in lines[1:]) for i in range(count)]
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


FIELDS = (
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
)


def flat(rows: Sequence[Row], axes: Sequence[Axis]) -> tuple[list[str], list[list[Any]]]:
    """Names of columns, and a line for each row. With several seeds there is a column +- for each mean."""
    keys = keys_of(axes)
    means = [name for name in FIELDS if any(name in row.interval for row in rows)]
    head = ["workload", *keys, "dies", "channels", "cores", *FIELDS, "error", *(f"{name} +-" for name in means)]
    wanted = list(dict.fromkeys(text for row in rows for text in row.objectives))
    head += [*wanted, *(["front"] if wanted else [])]
    lines = []
    for row in rows:
        values = [row.values[key] for key in keys]
        found = [getattr(row, field) for field in FIELDS]
        error = " ".join(row.error.split())
        spread = [row.interval.get(name) for name in means]
        of_it = [*(row.objectives.get(text) for text in wanted), *([row.front] if wanted else [])]
        lines.append([row.workload, *values, *(row.cost or (None, None, None)), *found, error, *spread, *of_it])
    return head, lines


def write_csv(rows: Sequence[Row], axes: Sequence[Axis], path: Path) -> None:
    head, lines = flat(rows, axes)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([[_csv_text(cell) for cell in line] for line in lines])
    path.write_text(text.getvalue())


def _csv_text(value: object) -> object:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value
