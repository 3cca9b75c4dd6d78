# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of an exploration for people."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
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
        text.append(f"{workload}\n{columns(_lines(group, axes), len(axes))}")
        text += [folded(sentence) + "\n" for sentence in _sentences(group, axes)]
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
    return f"Pareto front: {len(best)} of {len(losses)} points\n{columns(lines, len(axes))}"


def columns(lines: list[list[str]], keys: int = 1, width: int | None = None) -> str:
    """Aligned columns; the first line is the head. Numbers to the right. On a terminal that is too narrow (or of a
    `width`) parts below each other, each with the first `keys` columns again."""
    widths, cells = _aligned(lines)
    width = width or terminal_width()
    parts = [list(range(len(widths)))] if width is None else _parts(widths, keys, width)
    return "\n".join(_part(cells, part) for part in parts)


def terminal_width() -> int | None:
    """None where no terminal reads what is printed: files and other programs get lines of any length."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def folded(sentence: str, indent: int = 0) -> str:
    """To the width of a terminal; further lines begin after `indent` blanks."""
    width = terminal_width()
    if width is None:
        return sentence
    return textwrap.fill(
        sentence, width, break_long_words=False, break_on_hyphens=False, subsequent_indent=" " * indent
    )


def _aligned(lines: list[list[str]]) -> tuple[list[int], list[list[str]]]:
    """The widths of the columns, and all cells filled up to them."""
    count = len(lines[0])
    widths = [max(len(line[i]) for line in lines if not _is_error(line, i)) for i in range(count - 1)] + [0]
    right = [all(re.fullmatch(r"[-+\d.,]*( us| %)?|failed", line[i]) for line in lines[1:]) for i in range(count)]
    cells = [
        [cell.rjust(to) if is_right else cell.ljust(to) for cell, to, is_right in zip(line, widths, right)]
        for line in lines
    ]
    last = max(len(line[-1]) for line in lines)
    return [*widths[:-1], last], cells


def _parts(widths: Sequence[int], keys: int, width: int) -> list[list[int]]:
    """Numbers of the columns of each part: as many as fit, one at least beside the keys."""
    first = list(range(min(keys, len(widths) - 1)))
    parts = [list(first)]
    for i in range(len(first), len(widths)):
        if widths[i] == 0:
            continue
        wanted = sum(widths[j] + 2 for j in parts[-1]) + widths[i]
        if wanted > width and len(parts[-1]) > len(first):
            parts.append(list(first))
        parts[-1].append(i)
    return parts


def _part(cells: list[list[str]], part: Sequence[int]) -> str:
    out = ["  ".join(line[i] for i in part).rstrip() for line in cells]
    out.insert(1, "-" * len(out[0]))
    return "\n".join(out) + "\n"


def _is_error(line: list[str], column: int) -> bool:
    return "failed" in line and column > line.index("failed")
