# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Workloads that a study makes or shortens."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .points import StudyError, Workload

_PAGE_KINDS = ("read_only", "write_only", "both")
_COUNTS = re.compile(r"\s*(number_ios|io_size)\s*=")


def fio(name: str, **options: object) -> Workload:
    """A job file of one job. Options as fio spells them; None leaves one out, True writes it without a value."""
    lines = [f"[{name}]"]
    for key, value in options.items():
        if value is not None:
            lines.append(key if value is True else f"{key}={value}")
    return Workload(name, text="\n".join(lines) + "\n")


def shortened(workload: Workload, requests: int) -> Workload:
    """The same fio job file with so many requests for each of its jobs."""
    if workload.path is None or workload.path.suffix != ".fio":
        raise StudyError(f"{workload.file_name()}: --requests shortens fio job files (NAME.fio) only")
    lines = []
    for line in Path(workload.path).read_text().splitlines():
        if _COUNTS.match(line):
            continue
        lines.append(line)
        header = re.match(r"\s*\[(.+)\]", line)
        if header and header[1] != "global":
            lines.append(f"number_ios={requests}")
    return Workload(workload.name, text="\n".join(lines) + "\n")


def profile_text(name: str, generator: Mapping[str, Any]) -> str:
    """A profile as `wordline run --workload` takes it, of the parameters of its generator."""
    lines: list[str] = ["[profile]", f"name = {json.dumps(name)}"]

    def table(header: str, values: Mapping[str, Any]) -> None:
        lines.append(f"[{header}]")
        lines.extend(f"{key} = {json.dumps(value)}" for key, value in values.items() if not isinstance(value, dict))
        for key, value in values.items():
            if isinstance(value, dict):
                table(f"{header}.{key}", value)

    table("generator", generator)
    return "\n".join(lines) + "\n"


class Profiles:
    """Published workloads: configs/workloads/profiles of a tree, made to fit a study."""

    def __init__(self, root: Path):
        self.folder = root / "configs/workloads/profiles"

    def closed(self, name: str, requests: int, most_pages: int) -> Workload:
        """So many requests, each after the end of the one before; the footprint, in pages of 4 KiB, as published, or
        scaled down to `most_pages`."""
        generator = self._generator(name)
        generator.pop("arrival", None)
        return self._made(name, generator, requests, min(most_pages, _footprint(generator)))

    def timed(self, name: str, requests: int, pages: int) -> Workload:
        """So many requests at their times; the footprint scaled to so many pages of 4 KiB."""
        return self._made(name, self._generator(name), requests, pages)

    def _generator(self, name: str) -> dict[str, Any]:
        path = self.folder / f"{name}.toml"
        try:
            return tomllib.loads(path.read_text())["generator"]
        except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
            raise StudyError(f"{path}: no profile: {error}") from error

    @staticmethod
    def _made(name: str, generator: dict[str, Any], requests: int, pages: int) -> Workload:
        scale = pages / _footprint(generator)
        for kind in _PAGE_KINDS:
            if kind in generator["pages"]:
                generator["pages"][kind] = int(generator["pages"][kind] * scale)
        generator["requests"] = requests
        return Workload(name, text=profile_text(name, generator), suffix=".toml")


def _footprint(generator: dict[str, Any]) -> int:
    return sum(generator["pages"].get(kind, 0) for kind in _PAGE_KINDS)
