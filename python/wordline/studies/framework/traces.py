# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""How a study's traces and profiles are read: what `wordline run` takes beside the file."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping

from .jobs import shortened
from .points import StudyError, Workload, text_of

# By their names in a study file; the program checks the values, and says what is wrong at the first point.
OPTIONS = {
    "loop": "how often the trace is repeated",
    "speedup": "divides the time between requests",
    "queue_depth": "requests to keep in flight, instead of their times",
    "format": "format of a trace whose content could be of several",
    "columns": "what the columns of a text of no known format are",
    "addresses": "beyond the drive's end: wrap, scale or error",
    "footprint": "profiles: factor of the pages",
}
_WORDS = {"format": "--trace-format"}
_OF_TRACES = ("loop", "format", "columns", "addresses")  # a profile has none of them
Options = Mapping[str, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("traces and profiles, as `wordline run` takes them")
    for name, text in OPTIONS.items():
        group.add_argument(_word(name), dest=f"trace_{name}", metavar=name.upper(), help=text)


def of_words(arguments: argparse.Namespace) -> dict[str, str]:
    found = {name: getattr(arguments, f"trace_{name}") for name in OPTIONS}
    return {name: value for name, value in found.items() if value is not None}


def of_table(table: object, workloads: list[str]) -> dict[str, dict[str, str]]:
    """[trace] of a study file: options of all ("") and, by tables of their names, of single workloads."""
    if not isinstance(table, Mapping):
        raise StudyError(f"is {table!r}, expected a table [trace]")
    found: dict[str, dict[str, str]] = {"": {}}
    for key, value in table.items():
        if isinstance(value, Mapping):
            if key not in workloads:
                raise StudyError(f"{key}: no workload of this name, only {', '.join(workloads)}")
            found[key] = {name: _value(name, option) for name, option in value.items()}
        else:
            found[""][key] = _value(key, value)
    return found


def _value(name: str, value: object) -> str:
    if name not in OPTIONS:
        raise StudyError(f"{name}: no such option, expected one of {', '.join(OPTIONS)}")
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise StudyError(f"{name}: is {value!r}, expected a number or a text")
    return text_of(value)


def _word(name: str) -> str:
    return _WORDS.get(name, "--" + name.replace("_", "-"))


def is_job_file(workload: Workload) -> bool:
    return workload.path is None or workload.path.suffix == ".fio"


def is_profile(workload: Workload) -> bool:
    return workload.path is not None and workload.path.suffix == ".toml"


def with_options(workload: Workload, options: Options) -> Workload:
    """Job files take none of them."""
    wanted = {} if is_job_file(workload) else dict(options)
    if is_profile(workload):
        wanted = {name: value for name, value in wanted.items() if name not in _OF_TRACES}
    words = [word for name, value in wanted.items() for word in (_word(name), value)]
    return dataclasses.replace(workload, options=(*workload.options, *words)) if words else workload


def limited(workload: Workload, requests: int) -> Workload:
    """How many requests: of each job of a job file, or of a profile."""
    if is_profile(workload):
        return dataclasses.replace(workload, options=(*workload.options, "--requests", str(requests)))
    return shortened(workload, requests)
