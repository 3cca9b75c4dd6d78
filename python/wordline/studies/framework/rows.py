# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The rows of an exploration's table: what the runs of a point say together."""

from __future__ import annotations

import csv
import dataclasses
import io
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .measures import Measure, Steady, measure, over_seeds
from .objectives import Losses, Objective, front
from .points import write_text
from .requirements import Candidate, Judged, Requirement
from .runner import Outcome
from .space import Axis, keys_of

COST = "dies, then channels, then cores"
Cost = tuple[int, int, int]
# What limits and has no busy share: the load, a time of the drive, or no verdict.
NO_SHARE = frozenset(
    "host queue_depth arrival_rate tags t_r t_prog write_latency link_latency same_sector map_cache no_data none "
    "engines".split()
)


def cost_of(config: Mapping[str, Any]) -> Cost:
    """Dies, channels, cores of an effective configuration."""
    channels = config["channels"]
    dies = channels["count"] * channels["packages"] * channels["dies_per_package"]
    return dies, channels["count"], config["cpu"]["cores"]


OPERATIONS = ("read", "write")
TAILS = ("p50", "p99", "p99_9", "p99_99")
MEASURED = (
    "iops",
    "bytes_per_s",
    *(f"{op}_iops" for op in OPERATIONS),
    *(f"{op}_{tail}_ps" for op in OPERATIONS for tail in TAILS),
    "waf",
)


@dataclasses.dataclass(frozen=True)
class Row:
    """A point of the table. Latencies in ps, null where there was no such request. `cost`: dies, channels, cores. With
    several seeds the numbers are means, and what limits is what limits most of the runs. `bounds`: 95 % intervals, of
    the measurement, or with several seeds of the mean; `interval`: half of each. `few`: percentiles with fewer than ten
    samples beyond. `of_seeds`: the IOPS of each seed. `versus_best`: what verdict.py says. `runs`: their folders."""

    workload: str
    values: dict[str, str]
    error: str
    cost: Cost | None = None
    iops: float | None = None
    bytes_per_s: float | None = None
    read_iops: float | None = None
    write_iops: float | None = None
    read_p50_ps: int | None = None
    read_p99_ps: int | None = None
    read_p99_9_ps: int | None = None
    read_p99_99_ps: int | None = None
    write_p50_ps: int | None = None
    write_p99_ps: int | None = None
    write_p99_9_ps: int | None = None
    write_p99_99_ps: int | None = None
    waf: float | None = None
    limit: str = ""
    limit_busy: float | None = None
    next_limit: str = ""
    sentence: str = ""
    best: bool = False
    cheapest: bool = False
    alike: bool = False  # not distinguishable from the best
    steady: Steady = Steady()
    until: str = ""  # the interval that the run was asked for
    seeds: tuple[int, ...] = ()
    of_seeds: tuple[float, ...] = ()
    interval: dict[str, float] = dataclasses.field(default_factory=dict)
    bounds: dict[str, tuple[float | None, float | None]] = dataclasses.field(default_factory=dict)
    few: tuple[str, ...] = ()
    versus_best: dict[str, Any] = dataclasses.field(default_factory=dict)
    runs: tuple[str, ...] = ()
    objectives: dict[str, float | None] = dataclasses.field(default_factory=dict)
    judged: tuple[Judged, ...] = ()
    front: bool = False

    @staticmethod
    def of(
        outcomes: Sequence[Outcome],
        values: dict[str, str],
        cost: Cost | None,
        seeds: tuple[int, ...] = (),
        objectives: Sequence[Objective] = (),
        requirements: Sequence[Requirement] = (),
        until: str = "",
    ) -> "Row":
        """The row of the runs of one point, one run for each seed. A run that failed fails the row: a mean of the
        others is another number than was asked for."""
        workload = outcomes[0].point.workload.name
        runs = tuple(f"points/{outcome.folder.name}" for outcome in outcomes if outcome.folder)
        for at, outcome in enumerate(outcomes):
            if outcome.failed or cost is None:
                where = f"seed {seeds[at]}: " if len(outcomes) > 1 else ""
                return Row(workload, values, where + outcome.error, seeds=seeds, runs=runs)
        results = [outcome.result() for outcome in outcomes]
        found = {name: _measured(results, name.removesuffix("_ps"), cost) for name in MEASURED}
        known = {name: number for name, number in found.items() if number is not None}
        steady = Steady.of(results)
        limits = [result["bottleneck"] for result in results]
        limit = Counter(bottleneck["resource"] for bottleneck in limits).most_common(1)[0][0]
        of_it = [bottleneck for bottleneck in limits if bottleneck["resource"] == limit]
        busy = None
        if limit not in NO_SHARE:
            busy = of_it[0]["utilisation"] if len(of_it) == 1 else statistics.fmean(f["utilisation"] for f in of_it)
        return Row(
            workload,
            values,
            "",
            cost,
            **{name: _value(name, number) for name, number in found.items()},
            limit=limit,
            limit_busy=busy,
            next_limit=of_it[0].get("next") or "",
            sentence=of_it[0]["sentence"],
            steady=steady,
            until=until,
            seeds=seeds,
            of_seeds=tuple(_of_seed(result, cost) for result in results) if len(results) > 1 else (),
            interval={name: number.half for name, number in known.items() if number.half is not None},
            bounds={name: (number.low, number.high) for name, number in known.items() if number.known},
            few=tuple(name for name, number in known.items() if number.few),
            runs=runs,
            objectives={wanted.text: _objective(results, wanted, cost) for wanted in objectives},
            judged=tuple(
                Judged(wanted, workload, number, steady, wanted.state(number, steady))
                for wanted in requirements
                if wanted.workload in (None, workload) and (number := _measured(results, wanted.name, cost))
            ),
        )

    def limit_text(self) -> str:
        return self.limit if self.limit_busy is None else f"{self.limit} {100 * self.limit_busy:.0f} %"

    def to_json(self) -> dict[str, Any]:
        plain = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        plain["steady"], plain["steady_reason"] = self.steady.name, self.steady.reason
        plain["judged"] = [judged.to_json() for judged in self.judged]
        return plain


def _measured(results: Sequence[Mapping[str, Any]], name: str, cost: Cost) -> Measure | None:
    return over_seeds([measure(result, name, cost) for result in results])


def _value(name: str, number: Measure | None) -> float | None:
    """Latencies are whole picoseconds."""
    return None if number is None else round(number.value) if name.endswith("_ps") else number.value


def _of_seed(result: Mapping[str, Any], cost: Cost) -> float:
    found = measure(result, "iops", cost)
    return found.value if found else 0.0


def _objective(results: Sequence[Mapping[str, Any]], wanted: Objective, cost: Cost) -> float | None:
    numbers = [value for result in results if (value := wanted.value(result, cost)) is not None]
    return statistics.fmean(numbers) if len(numbers) > 1 else next(iter(numbers), None)


def by_point(rows: Sequence[Row]) -> dict[tuple[str, ...], list[Row]]:
    """The workloads of each point, by its values."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row.values.values()), []).append(row)
    return found


def candidates(rows: Sequence[Row], requirements: Sequence[Requirement]) -> list[Candidate]:
    """The candidates: points that ran with every workload and have every number that is asked for."""
    found = []
    for of_it in by_point(rows).values():
        judged = tuple(entry for row in of_it for entry in row.judged)
        cost = of_it[0].cost
        named = {entry.requirement.text for entry in judged}
        if cost and not any(row.error for row in of_it) and all(wanted.text in named for wanted in requirements):
            found.append(Candidate(of_it[0].values, cost, judged))
    return found


def losses_of(rows: Sequence[Row], objectives: Sequence[Objective]) -> dict[tuple[str, ...], Losses | None]:
    """The losses of each point, by its values; null where a workload failed or gave no such number."""
    found: dict[tuple[str, ...], Losses | None] = {}
    for point, of_it in by_point(rows).items():
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


FIELDS = (*MEASURED, "limit", "limit_busy", "next_limit", "best", "cheapest", "alike")


def flat(rows: Sequence[Row], axes: Sequence[Axis]) -> tuple[list[str], list[list[Any]]]:
    """Names of columns, and a line for each row. A number with an interval has a column +- for half of it."""
    keys = keys_of(axes)
    means = [name for name in FIELDS if any(name in row.interval for row in rows)]
    head = ["workload", *keys, "dies", "channels", "cores", *FIELDS, "error", "steady", "until", "few"]
    head += [f"{name} +-" for name in means]
    wanted = list(dict.fromkeys(text for row in rows for text in row.objectives))
    head += [*wanted, *(["front"] if wanted else [])]
    required = list(dict.fromkeys(entry.requirement.text for row in rows for entry in row.judged))
    head += required
    lines = []
    for row in rows:
        values = [row.values[key] for key in keys]
        found = [getattr(row, field) for field in FIELDS]
        error = " ".join(row.error.split())
        about = [row.steady.name, row.until, " ".join(row.few)]
        states = {entry.requirement.text: entry.state for entry in row.judged}
        spread = [row.interval.get(name) for name in means]
        of_it = [*(row.objectives.get(text) for text in wanted), *([row.front] if wanted else [])]
        lines.append([row.workload, *values, *(row.cost or (None, None, None)), *found, error, *about, *spread, *of_it])
        lines[-1] += [states.get(text) for text in required]
    return head, lines


def write_csv(rows: Sequence[Row], axes: Sequence[Axis], path: Path) -> None:
    head, lines = flat(rows, axes)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([[_csv_text(cell) for cell in line] for line in lines])
    write_text(path, text.getvalue())


def _csv_text(value: object) -> object:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value
