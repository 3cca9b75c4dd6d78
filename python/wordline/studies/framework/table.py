# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of an exploration for people."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .measures import BEFORE_GC, in_words
from .objectives import Objective
from .rows import COST, OPERATIONS, TAILS, Row, losses_of
from .space import Axis
from .verdict import GOOD_ENOUGH, ranked

_MOST_NAMED = 4


def table(rows: Sequence[Row], axes: Sequence[Axis]) -> str:
    """A table for each workload, failed points with the first line of their error."""
    text = []
    for workload in dict.fromkeys(row.workload for row in rows):
        group = [row for row in rows if row.workload == workload]
        text.append(f"{workload}\n{columns(_lines(group, axes))}")
        text += [sentence + "\n" for sentence in _sentences(group, axes)]
    return "\n".join(text)


def _lines(group: Sequence[Row], axes: Sequence[Axis]) -> list[list[str]]:
    spread = any(row.bounds.get("iops") for row in group)
    ops = [op for op in OPERATIONS if any(getattr(row, f"{op}_p50_ps") is not None for row in group)]
    experiment = any(row.next_limit for row in group)
    amplified = any(row.waf is not None for row in group)
    head = [*(axis.key for axis in axes), "IOPS", *(["95 %"] if spread else [])]
    head += [f"{op} IOPS" for op in ops if len(ops) > 1]
    head += [f"{op} us {'/'.join(tail.replace('_', '.') for tail in TAILS)}" for op in ops]
    head += [*(["WAF"] if amplified else []), "limit", *(["next"] * experiment), ""]
    lines = [head]
    for row in group:
        values = [row.values[axis.key] for axis in axes]
        if row.error:
            line = [*values, "failed", row.error.splitlines()[0]]
            lines.append([*line, *([""] * (len(head) - len(line)))])
            continue
        lines.append(
            [
                *values,
                f"{row.iops:,.0f}",
                *([_within(row)] if spread else []),
                *(_count(getattr(row, f"{op}_iops")) for op in ops if len(ops) > 1),
                *(_tails(row, op) for op in ops),
                *(["-" if row.waf is None else f"{row.waf:.2f}"] if amplified else []),
                row.limit_text(),
                *([row.next_limit] * experiment),
                " ".join(_marks(row)),
            ]
        )
    return lines


def _marks(row: Row) -> list[str]:
    marks = (("best", row.best), ("~best", row.alike), ("cheapest", row.cheapest), ("front", row.front))
    found = [word for word, is_so in marks if is_so]
    if row.steady.name not in ("", "steady"):
        found.append(in_words(row.steady.name))
    if row.judged:
        states = [entry.state for entry in row.judged]
        worst = next((state for state in ("failed", "not decided") if state in states), "met")
        found.append({"failed": "fails", "not decided": "open", "met": "meets"}[worst])
    return found


def _within(row: Row) -> str:
    half = row.interval.get("iops")
    return "not known" if half is None or not row.iops else f"+-{100 * half / row.iops:.1f} %"


def _count(number: float | None) -> str:
    return "-" if number is None else f"{number:,.0f}"


def _tails(row: Row, op: str) -> str:
    """Percentiles in us; ~ before those of too few samples."""
    parts = []
    for tail in TAILS:
        picoseconds = getattr(row, f"{op}_{tail}_ps")
        few = "~" if f"{op}_{tail}_ps" in row.few else ""
        parts.append("-" if picoseconds is None else f"{few}{_short(picoseconds / 1e6)}")
    return "/".join(parts)


def _short(microseconds: float) -> str:
    return f"{microseconds:.1f}" if microseconds < 10 else f"{microseconds:.0f}"


def _name(row: Row, axes: Sequence[Axis]) -> str:
    return ", ".join(f"{axis.key}={row.values[axis.key]}" for axis in axes)


def _sentences(group: Sequence[Row], axes: Sequence[Axis]) -> list[str]:
    found = []
    chosen = next((row for row in group if row.cheapest), None)
    if chosen and chosen.cost:
        dies, channels, cores = chosen.cost
        found.append(
            f"cheapest within {100 * GOOD_ENOUGH:.0f} % of the best ({COST}): {_name(chosen, axes)}: {dies} dies on "
            f"{channels} channels, {cores} cores, {chosen.iops:,.0f} IOPS"
            f"{' ' + _within(chosen) if chosen.interval.get('iops') else ''}. {chosen.sentence}"
        )
    alike = [row for row in group if row.alike]
    if alike:
        named = "; ".join(_name(row, axes) for row in alike[:_MOST_NAMED])
        more = f" and {len(alike) - _MOST_NAMED} more" * (len(alike) > _MOST_NAMED)
        how = "by equal seeds, paired" if all(row.versus_best.get("paired") for row in alike) else "by their intervals"
        found.append(f"~best: not distinguishable from the best {how}: {named}{more}.")
    if any(row.few for row in group):
        found.append("~ before a percentile: fewer than 10 samples beyond it.")
    return found + _of_classes(group, axes)


def _of_classes(group: Sequence[Row], axes: Sequence[Axis]) -> list[str]:
    """What was not compared, and why."""
    found = []
    compared = ranked(group)
    if compared and compared[0].steady.name == BEFORE_GC:
        reason = compared[0].steady.reason
        found.append(
            f"All compared points are before GC: their rates fall when it begins{': ' + reason if reason else ''}."
        )
    elif any(row.steady.name == BEFORE_GC for row in group):
        count = sum(row.steady.name == BEFORE_GC for row in group)
        found.append(f"{count} before GC: not compared with steady ones.")
    for row in [row for row in group if not row.error and not row.steady.has_rank][:_MOST_NAMED]:
        reason = f": {row.steady.reason}" if row.steady.reason else ""
        found.append(f"no rank: {_name(row, axes)}: {in_words(row.steady.name)}{reason}.")
    return found


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
