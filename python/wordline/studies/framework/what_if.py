# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What more of each resource would gain the points that a study chose: `wordline run --what-if` of each of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .points import Program, StudyError
from .rows import Row
from .runner import Outcome
from .table import columns

FOLDER = "what_if"


def of_chosen(rows: Sequence[Row], outcomes: Sequence[Outcome], program: Program, folder: Path) -> str:
    """A table of each workload's cheapest good point; the runs are kept in `folder`/what_if/WORKLOAD."""
    text = []
    for row in rows:
        if not row.cheapest:
            continue
        outcome = next(found for found in outcomes if found.folder and f"points/{found.folder.name}" == row.runs[0])
        result = experiment(outcome, program, folder / FOLDER / row.workload)
        point = ", ".join(f"{key}={value}" for key, value in row.values.items())
        text.append(f"{row.workload}, what if at {point}\n{gains(result)}")
    return "\n".join(text)


def experiment(outcome: Outcome, program: Program, folder: Path) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    point = outcome.point
    workload = point.workload.path
    if workload is None:
        workload = folder / point.workload.file_name()
        workload.write_text(point.workload.text)
    # States are the run's own: a study's are gone with its end.
    command = [*program.run_command(point, workload, folder, None), "--what-if"]
    done = subprocess.run(command, capture_output=True, text=True, env=program.environment, check=False)
    if done.returncode != 0:
        raise StudyError(f"{point.title()}: --what-if: {done.stderr.strip()}")
    return json.loads((folder / "result.json").read_text())


def gains(result: Mapping[str, Any]) -> str:
    lines = [["what if", "IOPS", "95 %", "mean latency", "95 %", "read p99", "95 %", ""]]
    for row in result["what_if"]:
        cells = [row["change"]]
        for change, half in (
            ("iops_gain", "half_width"),
            ("latency_change", "latency_half_width"),
            ("read_p99_change", "read_p99_half_width"),
        ):
            cells.append(f"{100 * row[change]:+.1f} %")
            cells.append("-" if row[half] < 0 else f"+-{100 * row[half]:.1f} %")
        lines.append([*cells, row["note"] or row["settings"]])
    return columns(lines)
