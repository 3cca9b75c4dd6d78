# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline report` and `wordline diff`. Exit codes: 0 done, 2 the request was wrong or a
folder is damaged."""

import argparse
import sys
from pathlib import Path

from . import difference, explored, page, reproduced, run
from .files import ReportError, write_text


def kind(folder: Path) -> str:
    """What left the folder: a run, `explore` or `reproduce`."""
    if not folder.is_dir():
        raise ReportError(f"{folder}: no such folder; expected what --out of run, explore or reproduce names")
    if (folder / "result.json").exists():
        return "run"
    if (folder / "table.json").exists():
        return "explore"
    if reproduced.folders(folder):
        return "reproduce"
    raise ReportError(
        f"{folder}: neither result.json (of wordline run --out) nor table.json (of explore) nor figures.json (of "
        "reproduce) is there; name the folder of a run or of a study that has ended"
    )


def write_report(arguments: argparse.Namespace) -> int:
    folder = arguments.folder
    readers = {"run": run.read, "explore": explored.read, "reproduce": reproduced.read}
    made = readers[kind(folder)](folder)
    path = arguments.out or folder / "report.html"
    write_text(path, page.html(made))
    print(f"written: {path}")
    return 0


def write_difference(arguments: argparse.Namespace) -> int:
    found = difference.compare(arguments.a, arguments.b, arguments.least)
    print(difference.text(found, arguments.lines))
    if arguments.html:
        write_text(arguments.html, page.html(difference.for_page(found)))
        print(f"written: {arguments.html}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="wordline")
    commands = parser.add_subparsers(dest="command", required=True)
    report = commands.add_parser("report", help="one HTML file of a run or a study", description=page.__doc__)
    report.add_argument("folder", type=Path, metavar="DIR", help="what --out of run, explore or reproduce named")
    report.add_argument(
        "-o", "--out", type=Path, metavar="FILE", help="file for the report (default: report.html in the folder)"
    )
    report.set_defaults(call=write_report)
    diff = commands.add_parser("diff", help="what differs between two runs", description=difference.__doc__)
    diff.add_argument("a", type=Path, metavar="A", help="folder of a run")
    diff.add_argument("b", type=Path, metavar="B", help="folder of the other run")
    diff.add_argument("--html", type=Path, metavar="FILE", help="file for the same as a page")
    diff.add_argument(
        "--least", type=float, default=1.0, metavar="PERCENT", help="smaller differences are counted only (default: 1)"
    )
    diff.add_argument(
        "--lines", type=int, default=40, metavar="N", help="numbers to print, 0: all that differ (default: 40)"
    )
    diff.set_defaults(call=write_difference)
    arguments = parser.parse_args()
    try:
        return arguments.call(arguments)
    except ReportError as error:
        print(f"wordline {arguments.command}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
