# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the page of a study shows: the table of `wordline explore`, and the numbers of each of its runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .files import ReportError, need, read_json
from .run import compact, read_result

MADE_BY = "./scripts/wordline explore CONFIG --grid KEY=A,B -w WORKLOAD --out DIR"
NEEDED = ("workload", "values", "error", "iops", "read_p99_9_ps", "write_p99_9_ps", "waf", "limit", "cost")


def read(folder: Path) -> dict[str, Any]:
    path = folder / "table.json"
    table = read_json(path, MADE_BY)
    need(table, ("config", "points"), path, MADE_BY)
    rows = table["points"]
    if not isinstance(rows, list) or not rows:
        raise ReportError(f"{path}: no points in it; make it again: {MADE_BY}")
    points = []
    for number, row in enumerate(rows):
        need(row, NEEDED, Path(f"{path}, point {number}"), MADE_BY)
        points.append({**row, **of_run(folder, row)})
    done = [row for row in rows if not row["error"]]
    axes = list(dict.fromkeys(key for row in rows for key in row["values"]))
    return {
        "kind": "explore",
        "title": table.get("title") or f"Study of {table['config']}",
        "lead": lead(done, len(rows), table.get("answer")),
        "config": table["config"],
        "sets": table.get("sets", {}),
        "cost": table.get("cost", ""),
        "axes": axes,
        "answer": table.get("answer"),
        "not_run": table.get("not_run", []),
        "notes": table.get("notes", []),
        "points": points,
    }


def of_run(folder: Path, row: dict[str, Any]) -> dict[str, Any]:
    """The numbers of the point's run (over several seeds, of the first), where its folder is still there, and its own
    report if one was made."""
    name = str(next(iter(row.get("runs") or []), "")).removeprefix("points/")
    if Path(name).name != name or not name or row["error"] or not (folder / "points" / name / "result.json").exists():
        return {"point": name, "run": None, "report": None}
    own = folder / "points" / name
    return {
        "point": name,
        "run": compact(read_result(own)),
        "report": f"points/{name}/report.html" if (own / "report.html").exists() else None,
    }


def lead(done: list[dict[str, Any]], count: int, answer: dict[str, Any] | None = None) -> str:
    """The first sentences: what meets the requirement, if there is one; for each workload the cheapest point that comes
    close to the best."""
    failed = f", {count - len(done):,} of them failed" if len(done) < count else ""
    sentences = [f"{count:,} points{failed}."]
    if answer:
        sentences.append(str(answer.get("text", "")).partition("\n")[0])
    for row in done:
        if row.get("cheapest"):
            where = ", ".join(f"{key} = {value}" for key, value in row["values"].items())
            sentences.append(
                f"{row['workload']}: cheapest within 1 % of the best is {where}, {row['iops']:,.0f} IOPS, "
                f"limited by {row['limit']}."
            )
    return "\n".join(sentences)
