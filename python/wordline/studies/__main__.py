# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands of many runs. Exit codes: 0 done, 1 a point failed, 2 the request was
wrong, 130 and 143 the user ended it."""

import argparse
import difflib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NoReturn

from ..places import CLONE as ROOT
from ..places import program_path, requirements
from .framework.points import Program, StudyError
from .framework.runner import Interrupted

# Of the commands that draw. `explore` needs none of them: it writes its picture itself, and what a sampler needs is
# looked for when one is asked for.
PACKAGES = {
    "reproduce": ("matplotlib", "numpy"),
    "fit": ("numpy", "scipy"),
    "validate": ("matplotlib", "numpy"),
    "explore": (),
}


def check_packages(command: str) -> None:
    """Before the first run, not when the pictures are drawn, and before what imports them. scripts/setup sees to it in a
    clone; an installed program takes any Python."""
    missing = [name for name in PACKAGES.get(command, ()) if importlib.util.find_spec(name) is None]
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
    except RecursionError:
        print(f"wordline {name}: brackets, tables or conditions lie too deep in each other", file=sys.stderr)
        return 2
    except Interrupted as ended:
        print(f"\nwordline {name}: interrupted; the same command goes on from here", file=sys.stderr)
        return 128 + ended.signal


def refuse(parser: argparse.ArgumentParser, unknown: list[str]) -> NoReturn:
    options = [
        option for action in parser._actions for option in action.option_strings if action.help != "==SUPPRESS=="
    ]
    near = difflib.get_close_matches(unknown[0].partition("=")[0], options, 1)
    hint = f"; did you mean {near[0]}?" if near else f"; {parser.prog} --help lists what there is"
    parser.error(f"unknown: {' '.join(unknown)}{hint}")


def main() -> int:
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        check_packages(command)
    except StudyError as error:
        print(f"wordline: {error}", file=sys.stderr)
        return 2
    from . import explore

    step, words = step_of(sys.argv[1:], explore.STEPS)
    if step:
        parser = argparse.ArgumentParser(prog=f"wordline explore {step}", description=explore.STEPS[step])
        explore.add_step_arguments(step, parser)
        add_program(parser)
        arguments = parser.parse_args(words)
        return guarded(f"explore {step}", lambda: explore.step_command(step, Program(arguments.program), arguments))

    texts = {
        "explore": "run a grid of configurations; table and heat map",
        "reproduce": "hold every figure of a published paper against the drive",
        "validate": "hold a drive file against public measurements of the real drive",
        "fit": "find values of a drive file from measured points",
    }
    parser = argparse.ArgumentParser(prog="wordline")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in texts.items():
        added = commands.add_parser(name, help=text)
        if name == command:  # the others import what this one does not need
            module = importlib.import_module(f".{name}", __package__)
            added.description = module.__doc__
            module.add_arguments(added)
            add_program(added)
    arguments, unknown = parser.parse_known_args()
    if unknown:  # the outer parser would answer for its subcommand, with a usage that helps nobody
        refuse(commands.choices[command], unknown)

    def done() -> int:
        program = Program(arguments.program)
        if command == "explore":
            return explore.command(program, arguments)
        return module.command(program, arguments, ROOT)

    return guarded(command, done)


if __name__ == "__main__":
    sys.exit(main())
