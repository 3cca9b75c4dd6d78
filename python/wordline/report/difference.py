# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What differs between two runs: keys of the configuration first, then the numbers of result.json with their ratio, the
weightiest first."""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path
from typing import Any

from ..studies.framework.table import folded, terminal_width
from .files import ReportError, read_toml
from .run import read_result

# The first expression that fits a name gives its weight class: 0 is what an architect asks first.
CLASSES = (
    r"ios\.\w+\.(iops|bytes_per_s|lat_ps\.(mean|p50|p99|p99_9))$|flash\.waf$|energy_pj\.total$|check\.mismatches$",
    r"errors\.|ios\.|stages\.|utilisation\.|flash\.|bottleneck\.|energy_pj\.|buffer\.|gc\.",
    r"",
)
# What says nothing of its own: the same in other words, or single requests.
LEFT_OUT = re.compile(
    r"provenance|wordline\.config_sha256|series|over_time|slowest|(stages|waits)\.\w+\.total_ps|ios\.\w+\.lat_ps\.sum|"
    r"bottleneck\.sentence|blocks\.erases_by_block|flash\.retries_by_layer"
)
TIMES = ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"), (1.0, "ps"))
ENERGIES = ((1e12, "J"), (1e9, "mJ"), (1e6, "uJ"), (1e3, "nJ"), (1.0, "pJ"))
ABSENT = "-"


@dataclasses.dataclass(frozen=True)
class Row:
    """A name with its two values; null where one run has no such number."""

    name: str
    a: Any
    b: Any

    @property
    def ratio(self) -> float | None:
        """B over A, where it says something."""
        numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (self.a, self.b))
        return self.b / self.a if numbers and self.a * self.b > 0 else None

    @property
    def weight(self) -> tuple[int, float, str]:
        place = next(at for at, expression in enumerate(CLASSES) if re.match(expression, self.name))
        change = 0.0 if self.ratio is None else abs(math.log(self.ratio))
        return place, -change, self.name

    def shown(self) -> tuple[str, str, str]:
        return shown(self.name, self.a), shown(self.name, self.b), times(self.ratio)


@dataclasses.dataclass(frozen=True)
class Difference:
    names: tuple[str, str]
    sentences: tuple[str, str]
    config: list[Row]
    words: list[Row]
    numbers: list[Row]
    smaller: int
    least: float


def compare(a: Path, b: Path, least: float) -> Difference:
    """`least`: per cent that a number must differ by to be a row."""
    if not 0 <= least:
        raise ReportError(f"--least {least:g}: expected 0 or more, in per cent")
    results = [with_gains_by_resource(read_result(folder)) for folder in (a, b)]
    configs = [leaves(read_toml(folder / "config.toml")) for folder in (a, b)]
    requests, lonely = of_one_run(*results)
    flat = [
        {name: value for name, value in leaves(result).items() if not (LEFT_OUT.match(name) or lonely.match(name))}
        for result in results
    ]
    rows = differing(*flat)
    numbers = [row for row in rows if not (isinstance(row.a, str) or isinstance(row.b, str))]
    large = [row for row in numbers if row.ratio is None or abs(row.ratio - 1) * 100 >= least]
    return Difference(
        (str(a), str(b)),
        (results[0]["bottleneck"]["sentence"], results[1]["bottleneck"]["sentence"]),
        differing(*configs),
        requests + [row for row in rows if row not in numbers],
        sorted(large, key=lambda row: row.weight),
        len(numbers) - len(large),
        least,
    )


def with_gains_by_resource(result: dict[str, Any]) -> dict[str, Any]:
    """The experiments of --what-if by what they improve: the order of their rows is that of their gains."""
    rows = result.get("what_if", [])
    return {**result, "what_if": {row["resource"]: {"iops_gain": row["iops_gain"]} for row in rows}}


def of_one_run(a: dict[str, Any], b: dict[str, Any]) -> tuple[list[Row], re.Pattern[str]]:
    """Operations that only one of the runs has: a row for each, and what fits the names of their numbers, which differ
    by nothing that a ratio says."""
    counts = {
        op: [run["ios"].get(op, {}).get("count", 0) for run in (a, b)] for op in dict.fromkeys([*a["ios"], *b["ios"]])
    }
    lonely = {op: numbers for op, numbers in counts.items() if bool(numbers[0]) != bool(numbers[1])}
    rows = [
        Row(f"{op} requests", *(f"{number:,}" if number else "none" for number in numbers))
        for op, numbers in lonely.items()
    ]
    parts = [rf"(ios|stages)\.{re.escape(op)}\." for op in lonely]
    if "write" in lonely:
        parts.append(r"flash\.waf")
    return rows, re.compile("|".join(parts) or r"(?!)")


def differing(a: dict[str, Any], b: dict[str, Any]) -> list[Row]:
    rows = [Row(name, a.get(name), b.get(name)) for name in dict.fromkeys([*a, *b])]
    return [row for row in rows if row.a != row.b]


def leaves(value: Any, at: str = "") -> dict[str, Any]:
    """Every value by its dotted name. Of a list of shares its mean and greatest, of stages and jobs each by name."""
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for name, inner in value.items():
            found |= leaves(inner, f"{at}.{name}" if at else name)
        return found
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        found = {}
        for number, part in enumerate(value):
            name = str(part.get("stage") or part.get("name") or number)
            rest = {key: inner for key, inner in part.items() if key not in ("stage", "name")}
            found |= leaves(rest, f"{at}.{name}")
        return found
    if at.startswith("utilisation.") and isinstance(value, list) and value:
        return {f"{at}.mean": round(sum(value) / len(value), 6), f"{at}.max": max(value)}
    return {at: value}


def shown(name: str, value: Any) -> str:
    if value is None:
        return ABSENT
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    units = TIMES if re.search(r"_ps(\.|$)", name) else ENERGIES if "_pj" in name else None
    if units:
        size, unit = next(((size, unit) for size, unit in units if abs(value) >= size), units[-1])
        return f"{value / size:.4g} {unit}"
    if isinstance(value, float) and abs(value) < 1000:
        return f"{value:.4g}"
    return f"{value:,.0f}"


def times(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:.3g}x" if ratio >= 2 or ratio <= 0.5 else f"{100 * (ratio - 1):+.1f} %"


def text(found: Difference, lines: int = 40) -> str:
    """For the terminal; of the numbers the first `lines`, 0: all."""
    out = [folded(f"{run}  {name}: {said}", 3) for run, name, said in zip("AB", found.names, found.sentences)]
    if not (found.config or found.words or found.numbers or found.smaller):
        return "\n".join([*out, "", "The two runs are equal."])
    out += ["", "Configuration:" if found.config else "Configuration: the same"]
    out += columns([(row.name, shown("", row.a), shown("", row.b), "") for row in found.config])
    if found.words:
        out += ["", "In words:"]
        for row in found.words:
            out += [f"  {row.name}", folded(f"    A  {row.a}", 7), folded(f"    B  {row.b}", 7)]
    listed = found.numbers[: lines or None]
    if found.numbers:
        out += ["", "Numbers, the weightiest first:", *columns([(row.name, *row.shown()) for row in listed])]
    if len(found.numbers) > len(listed):
        out.append(f"  ... and {len(found.numbers) - len(listed)} more; --lines 0 prints all")
    if found.smaller:
        out += ["", f"{found.smaller} further numbers differ by less than {found.least:g} %."]
    return "\n".join(out)


def columns(rows: list[tuple[str, str, str, str]]) -> list[str]:
    if not rows:
        return []
    rows = [("", "A", "B", "B / A" if any(row[3] for row in rows) else ""), *rows]
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    room = terminal_width()
    if room is not None:  # a name that there is no room for has a line of its own
        widths[0] = min(widths[0], max(8, room - 8 - sum(widths[1:])))
    lines = []
    for name, a, b, ratio in rows:
        if len(name) > widths[0]:
            lines.append(f"  {name}")
            name = ""
        lines.append(f"  {name:<{widths[0]}}  {a:>{widths[1]}}  {b:>{widths[2]}}  {ratio:>{widths[3]}}".rstrip())
    return lines


def for_page(found: Difference) -> dict[str, Any]:
    def rows(part: list[Row]) -> list[dict[str, Any]]:
        return [
            {"name": row.name, "a": row.a, "b": row.b, "shown": row.shown(), "ratio": row.ratio, "order": at}
            for at, row in enumerate(part)
        ]

    return {
        "kind": "diff",
        "title": "Two runs",
        "lead": f"{len(found.config)} keys of the configuration and {len(found.numbers)} numbers differ; "
        f"{found.smaller} further numbers differ by less than {found.least:g} %.",
        "names": found.names,
        "sentences": found.sentences,
        "config": rows(found.config),
        "words": rows(found.words),
        "numbers": rows(found.numbers),
    }
