# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline reproduce`: the study of a paper, every figure of it held against the drive."""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .framework import study
from .framework.curves import Curves
from .framework.table import columns
from .framework.jobs import Profiles
from .framework.figures import is_about
from .framework.points import Program, StudyError
from .framework.runner import Outcome, Runner
from .framework.study import StudyFile
from .framework.workload_statistics import WorkloadStatistics

STUDIES = ("params", "ppb", "cube", "agcr", "mpnfm", "compare")
PAGE = """# Published papers on this drive

Each figure of five published papers, compared with the drive: **native** with firmware that takes no time, as the papers
assume, **iss** with the same firmware, instruction by instruction, on the cores. The last part of the page compares all
techniques with each other on one device. No device parameter was chosen to fit these numbers.

    ./scripts/wordline reproduce NAME --quick                     # one study, some minutes; points that ran once are kept
    ./scripts/wordline reproduce all --markdown docs/papers.md    # makes this page, pictures included

* Green: the drive shows what the paper states.
* Red: it does not, and the last column says why.
* Not measurable: the statement cannot be tested by a run.
* Found: a result that no paper states.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=[*STUDIES, "all"], help="the study: configs/studies/NAME.toml, or all of them")
    parser.add_argument("--quick", action="store_true", help="shorter runs and coarser sweeps, some minutes")
    parser.add_argument(
        "--figure",
        metavar="WORD",
        help="print only the lines of one figure: 5, 23a, or words of its place in the paper; all of the study is run",
    )
    parser.add_argument(
        "--traces",
        type=Path,
        metavar="DIR",
        help="folder with original traces; what it has is taken instead of profiles",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for every figure with its answer")
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="file for the same as a page, with pictures in images/ beside it"
    )
    parser.add_argument(
        "-o", "--out", type=Path, default=Path("out/reproduce"), metavar="DIR",
        help="folder for pictures and all runs (default: out/reproduce)",
    )  # fmt: skip
    parser.add_argument(
        "-j", "--jobs", type=int, default=0, metavar="N", help="runs at a time (default: as many as processors)"
    )


def command(program: Program, arguments: argparse.Namespace, root: Path) -> int:
    """Prints the table of figures. Returns 0, since a red figure is a result; 1 when a point failed."""
    names = STUDIES if arguments.name == "all" else (arguments.name,)
    if arguments.figure is not None:
        _check_figure(names, arguments.figure, root)
    reports, failed = [], []
    for name in names:
        report, lost = reproduce(program, name, arguments, root)
        print(table(report, arguments.figure), flush=True)
        if report["pictures"]:
            print(
                "written:", ", ".join(str(arguments.out / name / picture) for picture in report["pictures"]), flush=True
            )
        reports.append(report)
        failed += lost
    if arguments.json:
        write_json(reports if len(names) > 1 else reports[0], arguments.json)
    if arguments.markdown:
        arguments.markdown.write_text("\n".join([PAGE, *map(study.markdown, reports)]))
        images = arguments.markdown.parent / "images"
        images.mkdir(exist_ok=True)
        for report in reports:
            for picture in report["pictures"]:
                shutil.copyfile(arguments.out / report["study"] / picture, images / picture)
    for outcome in failed[:5]:
        print(f"failed: {outcome.point.title()}: {outcome.error.splitlines()[0]}", file=sys.stderr)
    if len(failed) > 5:
        print(f"... and {len(failed) - 5} more points failed", file=sys.stderr)
    return 1 if failed else 0


def reproduce(
    program: Program, name: str, arguments: argparse.Namespace, root: Path
) -> tuple[dict[str, Any], list[Outcome]]:
    """Runs a study. Returns its report, and the points that failed."""
    file = StudyFile.read(root / "configs/studies" / f"{name}.toml", arguments.quick)
    profiles = Profiles(root, arguments.traces)
    model = importlib.import_module(f".papers.{name}", __package__).Study(file, profiles)
    folder = arguments.out / name
    with Runner(program, folder, arguments.jobs) as runner:
        points = model.points()
        for known, path in profiles.originals.items():
            print(f"{known}: the original trace, {path}", flush=True)
        results = study.Results(runner.run(points), Curves(program), WorkloadStatistics(program))
    report = study.judged(file, model.answers(results))
    report["quick"] = arguments.quick
    report["original_traces"] = sorted(profiles.originals)
    report["tables"] = model.tables(results)
    report["pictures"] = [path.name for path in model.pictures(results, folder)]
    write_json(report, folder / "figures.json")
    return report, results.failed()


def write_json(value: Any, path: Path) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def _check_figure(names: Sequence[str], figure: str, root: Path) -> None:
    """Before anything runs."""
    files = [StudyFile.read(root / "configs/studies" / f"{name}.toml", True) for name in names]
    places = [figure.where for file in files for figure in file.figures.values()]
    if not any(is_about(place, figure) for place in places):
        raise StudyError(f"--figure {figure}: no line of it; there are: {'; '.join(dict.fromkeys(places))}")


def table(report: dict[str, Any], figure: str | None = None) -> str:
    """`figure`: only what is about it."""
    lines = [["figure", "paper", "native", "iss", "difference", "verdict", "cause, remark"]]
    rows = [row for row in report["figures"] if figure is None or is_about(row["where"], figure)]
    for row in rows:
        paper = f"{row['paper']} {row['unit']}".strip()
        remark = " ".join(text for text in (row["cause"], row["note"]) if text)
        lines.append(
            [
                row["id"],
                _short(paper),
                _short(study.shown(row["native"])),
                _short(study.shown(row["iss"])),
                row["difference"],
                row["verdict"],
                remark,
            ]
        )
    return f"{report['title']}: {report['paper']}\n\n{columns(lines)}\n{study.counts(rows)}"


def _short(text: str, width: int = 42) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
