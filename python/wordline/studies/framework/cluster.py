# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a plan on the workers of Dask, here or on a cluster. A worker needs Dask, and to see the folder, the program and
its Python under the same names as this machine; it runs what a task of a job array runs."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from .plan import Plan
from .points import Program, StudyError
from .runner import Interrupted, Progress


def address_of(text: str) -> str | None:
    """`dask`: workers on this machine; `dask=tcp://HOST:8786`: those of a scheduler."""
    kind, equals, address = text.partition("=")
    if kind != "dask" or (equals and "://" not in address):
        raise StudyError(f"--cluster {text}: expected dask, or the address of a scheduler as in dask=tcp://HOST:8786")
    if importlib.util.find_spec("distributed") is None:
        raise StudyError(
            f"{sys.executable} has no distributed, which --cluster needs; scripts/requirements.txt names it"
        )
    return address or None


def run(plan: Plan, program: Program, folder: Path, jobs: int, address: str | None) -> None:
    """All that has not run yet. Points that failed have left that in the folder; other failures are raised."""
    from distributed import as_completed

    names = [name if isinstance(name, str) else None for name in plan.names()]
    known = [name for name in names if name and (folder / "points" / name).is_dir()]
    first = {name: index for index, name in reversed(list(enumerate(names))) if name}  # equal points run once
    left = sorted(index for name, index in first.items() if name not in known)
    with _client(address, jobs) as client:
        progress = Progress(len(first), len(first) - len(left), jobs)
        futures = [
            client.submit(
                subprocess.run,
                _command(program, folder, index),
                cwd=os.getcwd(),
                capture_output=True,
                text=True,
                pure=False,
            )
            for index in left
        ]
        try:
            for future in as_completed(futures):
                done = future.result()
                if done.returncode not in (0, 1):  # 1: a point failed, which is a row of the table
                    raise StudyError(f"a worker could not run a point: {done.stderr.strip()}")
                progress.step()
        except KeyboardInterrupt as error:
            raise Interrupted(signal.SIGINT) from error
        finally:
            client.cancel(futures)


def _client(address: str | None, jobs: int) -> Any:
    from distributed import Client

    if address is None:
        count = jobs or len(os.sched_getaffinity(0))
        return Client(n_workers=count, threads_per_worker=1, dashboard_address=None, silence_logs="ERROR")
    try:
        return Client(address, timeout=10)
    except OSError as error:
        raise StudyError(f"--cluster dask={address}: no scheduler answers there: {error}") from error


def _command(program: Program, folder: Path, index: int) -> list[str]:
    """The command for the worker: the standard library alone, since the worker need not have our Python."""
    package = Path(__file__).resolve().parents[2]
    words = [
        "env",
        f"PYTHONPATH={package.parent}",
        "PYTHONDONTWRITEBYTECODE=1",
        sys.executable,
        "-m",
        "wordline",
        "explore",
        "run",
    ]
    return [*words, str(folder), "--index", str(index), "-j", "1", "--program", str(program.path)]
