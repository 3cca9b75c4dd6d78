# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline reproduce`: the study of a paper, every figure of it held against the drive."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any

from . import study
from .explore import columns
from .points import Program, StudyError
from .runner import Runner
from .study import StudyFile

STUDIES = ("params",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=STUDIES, help="the study: configs/studies/NAME.toml")
    parser.add_argument("--quick", action="store_true", help="shorter runs and coarser sweeps, some minutes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for every figure with its answer")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="file for the same as a page of docs/papers.md")
    parser.add_argument("-o", "--out", type=Path, metavar="DIR",
                        help="folder for pictures and all runs (default: out/reproduce/NAME)")
    parser.add_argument("-j", "--jobs", type=int, default=0, metavar="N",
                        help="runs at a time (default: as many as processors)")


def command(program: Program, arguments: argparse.Namespace, root: Path) -> int:
    """Prints the table of figures. Returns 0: a red figure is a result; 1 when a point failed."""
    file = StudyFile.read(root / "configs/studies" / f"{arguments.name}.toml", arguments.quick)
    model = importlib.import_module(f".{arguments.name}", __package__).Study(file, root)
    out = arguments.out or Path("out/reproduce") / arguments.name
    with Runner(program, out, arguments.jobs) as runner:
        results = study.Results(runner.run(model.points()))
    report = study.judged(file, model.answers(results))
    report["quick"] = arguments.quick
    report["tables"] = model.tables(results)
    report["pictures"] = [path.name for path in model.pictures(results, out)]
    text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    for path in filter(None, (out / "figures.json", arguments.json)):
        path.write_text(text)
    if arguments.markdown:
        arguments.markdown.write_text(study.markdown(report))
    print(table(report))
    failed = results.failed()
    for outcome in failed[:5]:
        print(f"failed: {outcome.point.title()}: {outcome.error.splitlines()[0]}", file=sys.stderr)
    if len(failed) > 5:
        print(f"... and {len(failed) - 5} more points failed", file=sys.stderr)
    return 1 if failed else 0


def table(report: dict[str, Any]) -> str:
    lines = [["figure", "paper", "native", "iss", "difference", "verdict", "cause, remark"]]
    for row in report["figures"]:
        paper = f"{row['paper']} {row['unit']}".strip()
        remark = " ".join(text for text in (row["cause"], row["note"]) if text)
        lines.append([row["id"], _short(paper), _short(study.shown(row["native"])), _short(study.shown(row["iss"])),
                      row["difference"], row["verdict"], remark])
    return f"{report['title']}: {report['paper']}\n\n{columns(lines)}\n{study.counts(report['figures'])}"


def _short(text: str, width: int = 42) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
