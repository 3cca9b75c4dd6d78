# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs points on all processors and keeps their results, so that what was run once is not run again.

A folder of a study holds points/KEY for each finished point: result.json and the other files of the run, or, where the
program failed, error.txt; and the SHA-256 of that one file, as sha256sum writes it. A point whose file is damaged or was
changed runs again. A run happens in points/KEY.partial, which is renamed when it is over: a study that was
killed at any moment finds whole results or none, goes on with what is missing, and leaves the same bytes as one that
was not. The states that drives begin with are made once for all points, in the folder `states`, which goes with the end
of the study unless it is named.
"""

from __future__ import annotations

import dataclasses
import fcntl
import hashlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from .points import Point, Program, StudyError, write_text

_WAIT_SECONDS = 0.1  # until a signal or the end of a point that another process runs is noticed
RESULT, ERROR, DIGEST = "result.json", "error.txt", "result.sha256"


class Interrupted(Exception):
    """The user ended the study; `signal` says how."""

    def __init__(self, number: int):
        super().__init__(signal.Signals(number).name)
        self.signal = number


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of a point. A failed one has no result but an error."""

    point: Point
    folder: Path | None
    error: str = ""

    def result(self) -> dict[str, Any]:
        if self.error or self.folder is None:
            raise StudyError(f"{self.point.title()}: {self.error}")
        return json.loads((self.folder / RESULT).read_text())

    def notes(self) -> list[str]:
        """What the program noted about the run."""
        path = None if self.folder is None else self.folder / "notes.txt"
        return path.read_text(errors="replace").splitlines() if path and path.is_file() else []

    @property
    def failed(self) -> bool:
        return bool(self.error)


class Progress:
    """Points done, time left: one line that is rewritten on a terminal, else a line now and then."""

    def __init__(self, total: int, known: int, jobs: int, out: IO[str] = sys.stderr):
        self.total, self.known, self.jobs, self.out = total, known, jobs, out
        self.done = 0
        self.begin = time.monotonic()
        self.terminal = out.isatty()
        self.shown = self.begin
        self.width = 0
        if known:
            print(f"{known} of {total} points are known from before", file=out, flush=True)

    def step(self, outcome: Outcome | None = None) -> None:
        """A point has been run: `outcome`, where it is at hand."""
        self.done += 1
        more = "" if outcome is None else self.more(outcome)
        now = time.monotonic()
        left = self.total - self.known - self.done
        if not self.terminal and now - self.shown < 20 and left:
            return
        self.shown = now
        # Points differ, but the mean of those done is a fair guess of those left.
        seconds = (now - self.begin) / self.done * left
        text = f"{self.known + self.done} of {self.total} points" + (f", {_duration(seconds)} left" if left else "")
        text += more
        if not self.terminal:
            print(text, file=self.out, flush=True)
            return
        room = shutil.get_terminal_size().columns - 1  # a full line would scroll
        text = text if len(text) <= room else text[: room - 3] + "..."
        print(f"\r{text:<{self.width}}", end="" if left else "\n", file=self.out, flush=True)
        self.width = len(text)

    def more(self, outcome: Outcome) -> str:
        """What else the line says."""
        return ""


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


class _Signals:
    """While a study runs, SIGINT and SIGTERM are noted; the second one ends at once."""

    def __enter__(self) -> "_Signals":
        self.received = 0
        self._before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def _note(self, number: int, _frame: object) -> None:
        if self.received:
            os._exit(128 + number)
        self.received = number

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


@dataclasses.dataclass
class _Run:
    process: subprocess.Popen
    key: str
    folder: Path
    lock: IO[str]  # nobody else runs the point while it is open
    ended: int  # a file descriptor that is readable from the end of the process


Name = str | StudyError  # name of a point; or why the program refuses its configuration
NOT_RUN = "has not run yet"
CHANGED = "its result is damaged, or was changed since the run; the command that runs it makes it again"


def _digest(folder: Path) -> str:
    """As sha256sum writes it; empty: there is nothing that a run leaves."""
    for name in (ERROR, RESULT):
        try:
            return f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n"
        except OSError:
            continue
    return ""


def is_whole(folder: Path) -> bool:
    """Whether it holds what its run left."""
    try:
        return (folder / DIGEST).read_text() == _digest(folder) != ""
    except (OSError, UnicodeDecodeError):
        return False


def names_of(program: Program, points: Sequence[Point]) -> list[Name]:
    """A refused configuration is a row of the table, not the end of the others."""
    program.ask(points)
    found: list[Name] = []
    for point in points:
        try:
            found.append(program.key(point))
        except StudyError as error:
            found.append(error)
    return found


class Runner:
    """Runs points of one study; `folder` keeps their results. One study at a time may use a folder, unless it is
    shared: then runners that share it may each run points, no two of them the same. `states`: folder where the states of
    drives stay for other studies; none: one that goes with the end."""

    def __init__(self, program: Program, folder: Path, jobs: int = 0, shared: bool = False, states: Path | None = None):
        self.program = program
        self.folder = folder
        self.jobs = jobs or len(os.sched_getaffinity(0))
        self.points = folder / "points"
        self.states = states or folder / "states"
        self._keeps_states = states is not None
        self.points.mkdir(parents=True, exist_ok=True)
        self._lock = open(folder / ".lock", "w")
        try:
            fcntl.flock(self._lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise StudyError(
                f"{folder}: another study is using this folder; wait for it, or name another with --out"
            ) from error
        self._shared = shared
        self._lost: dict[str, str] = {}
        if not shared:
            for stale in self.points.glob("*.partial"):
                shutil.rmtree(stale)

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        if not self._shared and not self._keeps_states:  # else another runner may be at a state
            shutil.rmtree(self.states, ignore_errors=True)
        self._lock.close()

    def run(self, points: Sequence[Point], progress: Callable[..., Progress] = Progress) -> list[Outcome]:
        """Outcomes in the order of the points. Equal points run once. Raises Interrupted; what is done is kept."""
        return self.run_named(points, names_of(self.program, points), progress)

    def run_named(
        self, points: Sequence[Point], keys: Sequence[Name], progress: Callable[..., Progress] = Progress
    ) -> list[Outcome]:
        """Runs points whose names are known."""
        waiting = {key: point for key, point in zip(keys, points) if isinstance(key, str)}
        total = len(waiting)
        self._lost.clear()
        waiting = {key: point for key, point in waiting.items() if not self._has(key)}
        self._run_all(waiting, progress(total, total - len(waiting), self.jobs))
        return self.outcomes(points, keys)

    def _has(self, key: str) -> bool:
        """Whether the point has run. What is not as its run left it goes."""
        folder = self.points / key
        if is_whole(folder):
            return True
        if folder.is_dir():
            print(f"{folder}: {CHANGED.partition(';')[0]}: run again", file=sys.stderr, flush=True)
            shutil.rmtree(folder)
        return False

    def outcomes(self, points: Sequence[Point], keys: Sequence[Name]) -> list[Outcome]:
        """What has become of points until now."""
        return [
            Outcome(point, None, str(key)) if isinstance(key, StudyError) else self._outcome(point, key)
            for key, point in zip(keys, points)
        ]

    def _run_all(self, waiting: dict[str, Point], progress: Progress) -> None:
        running: list[_Run] = []
        left = list(waiting.items())[::-1]
        with _Signals() as signals:
            while running or left:
                for _ in range(min(len(left), self.jobs - len(running))):
                    if signals.received:
                        break
                    key, point = left.pop()
                    started = self._start(key, point)
                    if started:
                        running.append(started)
                    elif is_whole(self.points / key):  # by another runner meanwhile
                        progress.step()
                    else:
                        left.insert(0, (key, point))
                if running or left:
                    self._wait(running)
                if signals.received:
                    self._stop(running)
                    raise Interrupted(signals.received)
                for run in [run for run in running if run.process.poll() is not None]:
                    running.remove(run)
                    self._finish(run)
                    progress.step(self._outcome(waiting[run.key], run.key))

    def _wait(self, running: Sequence[_Run]) -> None:
        """Until a run ends, but not for long."""
        poll = select.poll()
        for run in running:
            poll.register(run.ended, select.POLLIN)
        poll.poll(1000 * _WAIT_SECONDS)

    def _start(self, key: str, point: Point) -> _Run | None:
        """The result of the run; None: another runner of a shared folder has run it, or is running it."""
        locks = self.folder / ".locks"
        locks.mkdir(exist_ok=True)
        lock = open(locks / key, "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            return None
        if self._has(key):
            lock.close()
            return None
        folder = self.points / f"{key}.partial"
        shutil.rmtree(folder, ignore_errors=True)  # the folder of a run that was killed
        folder.mkdir()
        workload = point.workload.path
        if workload is None:
            workload = folder / point.workload.file_name()
            write_text(workload, point.workload.text)
        with open(folder / "log.txt", "w") as log:
            # A session of its own: Ctrl-C reaches the study alone, which ends its runs. Killed, it takes them along, by
            # the variable: a hook before exec would have the whole interpreter copied for each run.
            environment = {**self.program.environment, "WORDLINE_STUDY": str(os.getpid())}
            process = subprocess.Popen(
                self.program.run_command(point, workload, folder, self.states),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
            )
        return _Run(process, key, folder, lock, os.pidfd_open(process.pid))

    def _finish(self, run: _Run) -> None:
        os.close(run.ended)
        code = run.process.returncode
        if code != 0:
            log = (run.folder / "log.txt").read_text(errors="replace").strip()
            if code not in (1, 2):  # killed, out of memory: not the program's verdict, so the next call tries again
                shutil.rmtree(run.folder)
                self._lost[run.key] = f"ended with {_ending(code)}; the same command tries again. {log}".strip()
                run.lock.close()
                return
            write_text(run.folder / ERROR, (log or f"exit code {code}") + "\n")
        write_text(run.folder / DIGEST, _digest(run.folder))
        run.folder.rename(self.points / run.key)
        run.lock.close()

    def _stop(self, running: list[_Run]) -> None:
        for run in running:
            run.process.kill()
        for run in running:
            run.process.wait()
            os.close(run.ended)
            shutil.rmtree(run.folder, ignore_errors=True)
            run.lock.close()

    def _outcome(self, point: Point, key: str) -> Outcome:
        if key in self._lost:
            return Outcome(point, None, self._lost[key])
        folder = self.points / key
        if not folder.is_dir():
            return Outcome(point, None, NOT_RUN)
        if not is_whole(folder):
            return Outcome(point, folder, CHANGED)
        error = folder / ERROR
        return Outcome(point, folder, error.read_text(errors="replace").strip() if error.exists() else "")


def _ending(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
