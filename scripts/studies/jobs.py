# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Workloads that a study makes or shortens."""

from __future__ import annotations

import re
from pathlib import Path

from .points import StudyError, Workload

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


def profile(root: Path, name: str, requests: int) -> Workload:
    """A published workload (configs/workloads/profiles), so many requests of it."""
    return Workload(name, root / "configs/workloads/profiles" / f"{name}.toml")
