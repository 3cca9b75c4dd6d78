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

from .framework import full, page, study
from .framework.curves import Curves
from .framework.table import columns
from .framework.jobs import Profiles
from .framework.figures import is_about
from .framework.points import Program, StudyError
from .framework.runner import Outcome, Runner
from .framework.study import StudyFile, with_seeds
from .framework.workload_statistics import WorkloadStatistics

FIGURES, DATA = "figures.md", "figures.json"  # that a study leaves beside its pictures
STUDIES = ("params", "ppb", "cube", "agcr", "mpnfm", "compare")


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
        "--pages",
        type=Path,
        nargs="?",
        const=Path("docs"),
        metavar="DIR",
        help="put the results into the paper's page of this folder (default: docs) and into papers.md: with --quick every "
        "figure into results/NAME.json and pictures into images/ beside it, without into results/full/NAME.json, which the "
        "pages show beside the quick one",
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
    reports, failed, whole = [], [], []
    for name in names:
        report, lost = reproduce(program, name, arguments, root)
        print(table(report, arguments.figure), flush=True)
        written = [*report["pictures"], FIGURES, DATA]
        print("written:", ", ".join(str(arguments.out / name / file) for file in written), flush=True)
        reports.append(report)
        failed += lost
        if not lost:
            whole.append(report)
        elif arguments.pages:
            print(f"{name}: its pages are left as they are, since {len(lost)} points failed", file=sys.stderr)
    if arguments.json:
        write_json(reports if len(names) > 1 else reports[0], arguments.json)
    if arguments.pages and whole:
        for report in whole:
            put(report, arguments.out / report["study"], arguments.pages)
        publish(arguments.pages)
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
        points = with_seeds(model.points(), file.parameters)
        for known, path in profiles.originals.items():
            print(f"{known}: the original trace, {path}", flush=True)
        results = study.Results(runner.run(points), Curves(program), WorkloadStatistics(program))
    report = study.judged(file, answers_of(model, results, file.parameters["more_seeds"]))
    report["quick"], report["image"] = arguments.quick, program.image
    report["original_traces"] = sorted(profiles.originals)
    report["tables"] = model.tables(results)
    report["pictures"] = [path.name for path in model.pictures(results, folder)]
    write_json(report, folder / DATA)
    (folder / FIGURES).write_text(page.every_figure(report))
    return report, results.failed()


def answers_of(model: Any, results: study.Results, seeds: Sequence[int]) -> dict[str, study.Answer]:
    """What the model of a study answers, over the seeds of its points."""
    found = [model.answers(results), *(model.answers(results.of_seed(seed)) for seed in seeds)]
    return {figure: study.over_seeds([answers[figure] for answers in found]) for figure in found[0]}


def put(report: dict[str, Any], folder: Path, pages: Path) -> None:
    """Into the results of a folder of pages. A full run leaves pictures, and what a quick one has put there, as they are."""
    (pages / "results" / full.FOLDER).mkdir(parents=True, exist_ok=True)
    (pages / "images").mkdir(exist_ok=True)
    file = f"{report['study']}.json"
    if not report["quick"]:
        write_json(full.published(report), pages / "results" / full.FOLDER / file)
        return
    write_json(report, pages / "results" / file)
    for picture in report["pictures"]:
        shutil.copyfile(folder / picture, pages / "images" / picture)


def publish(pages: Path) -> None:
    """Makes the pages of a folder of its results, quick and full; the front page where all studies have quick ones."""
    runs = full.FullRuns.read(pages / "results")
    files = [pages / "results" / f"{name}.json" for name in STUDIES]
    reports = [json.loads(file.read_text()) for file in files if file.is_file()]
    for report in reports:
        page.put(report, runs, pages / report["page"])
    if len(reports) == len(STUDIES):
        (pages / "papers.md").write_text(page.front(reports, runs))


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
    lines = [["figure", "paper", "native", "interval", "iss", "difference", "state", "verdict", "why, seen"]]
    rows = [row for row in report["figures"] if figure is None or is_about(row["where"], figure)]
    for row in rows:
        paper = f"{row['paper']} {row['unit']}".strip()
        remark = " ".join(text for text in (study.why(row), row["note"]) if text)
        lines.append(
            [
                row["id"],
                _short(paper),
                _short(study.shown(row["native"])),
                row["interval"],
                _short(f"{study.shown(row['iss'])} {row['interval_iss']}".strip()),
                row["difference"],
                row["state"],
                row["verdict"],
                remark,
            ]
        )
    return f"{report['title']}: {report['paper']}\n\n{columns(lines)}\n{study.counts(rows)}"


def _short(text: str, width: int = 42) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
