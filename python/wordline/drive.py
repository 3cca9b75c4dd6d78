# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A drive: a configuration file and the values that override it."""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .places import program_path, shipped
from .result import LOGS, Result, read
from .studies.framework.jobs import shortened
from .studies.framework.points import Point, Program, StudyError, Value, Workload, text_of
from .studies.framework.runner import Outcome, Progress, Runner

PathLike = str | os.PathLike[str]


@dataclasses.dataclass(frozen=True)
class Drive:
    """Never changes: `set` gives another drive. Values are checked when they are first asked for or run."""

    path: Path
    settings: Mapping[str, str]
    program: Program = dataclasses.field(repr=False, compare=False)

    def set(self, values: Mapping[str, Value]) -> "Drive":
        """The same drive with other values, as --set takes them: {"channels.count": 4, "nand.timing.t_bers": "5ms"}.
        Durations, sizes and rates are texts with a unit; `wordline explain KEY` says which a key takes."""
        return dataclasses.replace(self, settings={**self.settings, **{key: text_of(v) for key, v in values.items()}})

    def config(self) -> dict[str, Any]:
        """Every effective value, by table and key."""
        return self.program.effective_config(self.point(_NO_WORKLOAD))

    def __getitem__(self, key: str) -> Any:
        """The effective value of a key: drive["channels.count"]. Durations and sizes are texts with a unit."""
        found: Any = self.config()
        for part in key.split("."):
            if not isinstance(found, dict) or part not in found:
                raise KeyError(f"{key}: the drive has no such key; see: wordline explain")
            found = found[part]
        return found

    def run(
        self,
        workload: PathLike,
        *,
        requests: int | None = None,
        out: PathLike | None = None,
        options: tuple[str, ...] = (),
        requests_log: bool = False,
    ) -> Result:
        """Simulates a fio job file, a profile or a trace, and waits for the end.

        requests: of each job of a fio job file, instead of its own number.
        out: folder for the files of the run, emptied first; without it they live as long as the result.
        options: further words of `wordline run`, as ("--profile",).
        requests_log: keep a log of every request, for Result.requests().
        """
        made = workload_of(workload, requests)
        scratch = tempfile.TemporaryDirectory(prefix="wordline-")
        log = Path(scratch.name) / LOGS[-1]
        words = (*options, "--requests-log", str(log)) if requests_log else options
        point = self.point(dataclasses.replace(made, options=(*made.options, *words)))
        with Runner(self.program, Path(scratch.name), 1) as runner:
            outcome = runner.run([point], _Silent)[0]
        if outcome.folder is None or outcome.failed:
            raise StudyError(f"{point.title()}: {outcome.error}")
        if requests_log:
            log.rename(outcome.folder / log.name)
        if out is None:
            return dataclasses.replace(read(outcome.folder), kept=scratch)
        folder = Path(out)
        if folder.exists() and any(folder.iterdir()) and not (folder / "result.json").is_file():
            raise StudyError(f"{folder}: has files and no result.json: no folder of a run, so it is left alone")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(outcome.folder, folder)
        scratch.cleanup()
        return read(folder)

    def point(self, workload: Workload) -> Point:
        return Point(self.path, workload, tuple(self.settings.items()))


def load(path: PathLike, settings: Mapping[str, Value] | None = None, *, program: PathLike | None = None) -> Drive:
    """The drive of a TOML file; a name such as configs/ssds/small.toml is found from any folder. Raises WordlineError
    when the program refuses it.

    program: the built program, where it is neither in the wheel, nor in the clone or installation of this package, nor
    named by WORDLINE_PROGRAM.
    """
    drive = Drive(shipped(path), {}, Program(Path(program) if program else program_path())).set(settings or {})
    drive.config()
    return drive


def workload_of(path: PathLike, requests: int | None) -> Workload:
    workload = Workload.of_file(shipped(path))
    return workload if requests is None else shortened(workload, requests)


class _Silent(Progress):
    def step(self, outcome: Outcome | None = None) -> None:
        pass


_NO_WORKLOAD = Workload("")  # no workload: a configuration alone
