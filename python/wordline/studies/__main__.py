# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands of many runs. Exit codes: 0 done, 1 a point failed, 2 the request was
wrong, 130 and 143 the user ended it."""

import argparse
import importlib.util
import sys
from collections.abc import Callable, Collection
from pathlib import Path

from ..places import CLONE as ROOT
from ..places import program_path, requirements
from .points import Program, StudyError
from .runner import Interrupted


def check_packages() -> None:
    """Before the first run, not when the pictures are drawn, and before what imports them. scripts/setup sees to it in a
    clone; an installed program takes any Python."""
    missing = [name for name in ("matplotlib", "numpy") if importlib.util.find_spec(name) is None]
    if missing:
        raise StudyError(
            f"{sys.executable} has no {' and no '.join(missing)}: install the packages of "
            f"{requirements()}, or name a Python that has them by WORDLINE_PYTHON"
        )


def step_of(words: list[str], steps: Collection[str]) -> tuple[str, list[str]]:
    """`explore plan ...`: the step, and its words. argparse cannot tell a subcommand from a file in its place."""
    if words[:1] == ["explore"] and words[1:2] and words[1] in steps:
        return words[1], words[2:]
    return "", words


def add_program(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--program", type=Path, default=program_path(), help=argparse.SUPPRESS)


def guarded(name: str, done: Callable[[], int]) -> int:
    try:
        return done()
    except StudyError as error:
        print(f"wordline {name}: {error}", file=sys.stderr)
        return 2
    except Interrupted as ended:
        print(f"\nwordline {name}: interrupted; the same command goes on from here", file=sys.stderr)
        return 128 + ended.signal


def main() -> int:
    try:
        check_packages()
    except StudyError as error:
        print(f"wordline: {error}", file=sys.stderr)
        return 2
    from . import explore

    step, words = step_of(sys.argv[1:], explore.STEPS)
    if step:  # a task of a job array starts faster without what the other commands import
        parser = argparse.ArgumentParser(prog=f"wordline explore {step}", description=explore.STEPS[step])
        explore.add_step_arguments(step, parser)
        add_program(parser)
        arguments = parser.parse_args(words)
        return guarded(f"explore {step}", lambda: explore.step_command(step, Program(arguments.program), arguments))

    from . import fit, reproduce, validate

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
        add_program(command)
    arguments = parser.parse_args()

    def done() -> int:
        program = Program(arguments.program)
        if arguments.command == "explore":
            return explore.command(program, arguments)
        if arguments.command == "fit":
            return fit.command(program, arguments, ROOT)
        if arguments.command == "validate":
            return validate.command(program, arguments, ROOT)
        return reproduce.command(program, arguments, ROOT)

    return guarded(arguments.command, done)


if __name__ == "__main__":
    sys.exit(main())
