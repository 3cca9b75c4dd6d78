# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands of many runs; `scripts/wordline` calls this. Exit codes: 0 done, 1 a point failed, 2 the request was
wrong, 130 and 143 the user ended it."""

import argparse
import importlib.util
import sys
from pathlib import Path

from .points import Program, StudyError
from .runner import Interrupted

ROOT = Path(__file__).resolve().parents[2]


def check_packages() -> None:
    """Before the first run, not when the pictures are drawn, and before what imports them. scripts/setup sees to it in a
    clone; an installed program takes any Python."""
    missing = [name for name in ("matplotlib", "numpy") if importlib.util.find_spec(name) is None]
    if missing:
        raise StudyError(
            f"{sys.executable} has no {' and no '.join(missing)}: install the packages of "
            f"{ROOT}/scripts/requirements.txt, or name a Python that has them by WORDLINE_PYTHON"
        )


def main() -> int:
    try:
        check_packages()
    except StudyError as error:
        print(f"wordline: {error}", file=sys.stderr)
        return 2
    from . import explore, fit, reproduce, validate

    parser = argparse.ArgumentParser(prog="wordline")
    commands = parser.add_subparsers(dest="command", required=True)
    explored = commands.add_parser(
        "explore", help="run a grid of configurations; table and heat map", description=explore.__doc__
    )
    explore.add_arguments(explored)
    reproduced = commands.add_parser(
        "reproduce", help="hold every figure of a published paper against the drive", description=reproduce.__doc__
    )
    reproduce.add_arguments(reproduced)
    validated = commands.add_parser(
        "validate", help="hold a drive file against public measurements of the real drive", description=validate.__doc__
    )
    validate.add_arguments(validated)
    fitted = commands.add_parser(
        "fit", help="find values of a drive file from measured points", description=fit.__doc__
    )
    fit.add_arguments(fitted)
    for command in (explored, reproduced, validated, fitted):
        command.add_argument("--program", type=Path, default=ROOT / "build/release/wordline", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    try:
        program = Program(arguments.program)
        if arguments.command == "explore":
            return explore.command(program, arguments)
        if arguments.command == "fit":
            return fit.command(program, arguments, ROOT)
        if arguments.command == "validate":
            return validate.command(program, arguments, ROOT)
        return reproduce.command(program, arguments, ROOT)
    except StudyError as error:
        print(f"wordline {arguments.command}: {error}", file=sys.stderr)
        return 2
    except Interrupted as ended:
        print(f"\nwordline {arguments.command}: interrupted; the same command goes on from here", file=sys.stderr)
        return 128 + ended.signal


if __name__ == "__main__":
    sys.exit(main())
