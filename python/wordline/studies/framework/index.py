# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""One SQLite file of an exploration: its table, and every number of every run, to be asked instead of read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .plan import Plan
from .points import StudyError
from .rows import Row, flat
from .runner import Outcome
from .space import keys_of, typed, values_at

FILE = "index.sqlite"
_TABLES = """
CREATE TABLE study (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE points (point INTEGER PRIMARY KEY, key TEXT, workload TEXT NOT NULL, seed INTEGER, error TEXT);
CREATE TABLE point_values (point INTEGER NOT NULL, key TEXT NOT NULL, value, PRIMARY KEY (point, key)) WITHOUT ROWID;
CREATE TABLE results (point INTEGER NOT NULL, name TEXT NOT NULL, value, PRIMARY KEY (point, name)) WITHOUT ROWID;
"""


def write(plan: Plan, outcomes: Sequence[Outcome], rows: Sequence[Row], folder: Path) -> Path:
    """Written anew from plan and points each time: it holds nothing that these do not."""
    partial, path = folder / f"{FILE}.partial", folder / FILE
    partial.unlink(missing_ok=True)
    try:
        _write(partial, plan, outcomes, rows)
    except sqlite3.OperationalError as error:
        raise StudyError(f"{partial}: cannot be written: {error}") from error
    partial.rename(path)
    return path


def _write(partial: Path, plan: Plan, outcomes: Sequence[Outcome], rows: Sequence[Row]) -> None:
    study = plan.exploration
    with sqlite3.connect(partial, isolation_level=None) as database:
        database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;" + _TABLES)
        about = {
            "title": study.title,
            "config": str(study.config),
            "program": plan.program,
            "sets": json.dumps(dict(study.sets)),
        }
        database.executemany("INSERT INTO study VALUES (?, ?)", about.items())
        for number, (entry, outcome) in enumerate(zip(plan.entries, outcomes)):
            key = entry.name if isinstance(entry.name, str) else None
            point = (number, key, entry.point.workload.name, entry.point.label("seed"), outcome.error or None)
            database.execute("INSERT INTO points VALUES (?, ?, ?, ?, ?)", point)
            values = values_at(study.axes, entry.point.label("step"))
            found = [(number, name, _cell(typed(text))) for name, text in values.items()]
            database.executemany("INSERT INTO point_values VALUES (?, ?, ?)", found)
            if not outcome.failed:
                numbers = [(number, name, _cell(value)) for name, value in _scalars(outcome.result())]
                database.executemany("INSERT INTO results VALUES (?, ?, ?)", numbers)
        _write_rows(database, rows, plan)
        database.execute("COMMIT")
    database.close()


def _write_rows(database: sqlite3.Connection, rows: Sequence[Row], plan: Plan) -> None:
    """As table.csv, numbers as numbers."""
    head, lines = flat(rows, plan.exploration.axes)
    keys = set(keys_of(plan.exploration.axes))
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in head)
    database.execute(f"CREATE TABLE rows ({quoted})")
    for line in lines:
        cells = [_cell(typed(cell) if name in keys else cell) for name, cell in zip(head, line)]
        database.execute(f"INSERT INTO rows VALUES ({', '.join('?' * len(cells))})", cells)


def _scalars(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names as in the page of statistics; lists, such as the busy time of every die, stay in result.json. Without
    the command line and the revision, which a result does not depend on."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if name or key != "provenance":
                yield from _scalars(inner, f"{name}.{key}" if name else key)
    elif value is not None and not isinstance(value, list):
        yield name, value


def _cell(value: Any) -> Any:
    """As SQLite has it: no booleans and no lists, and whole numbers of 64 bits."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and abs(value) >= 1 << 63:
        return float(value)
    return json.dumps(value) if isinstance(value, (list, dict)) else value
