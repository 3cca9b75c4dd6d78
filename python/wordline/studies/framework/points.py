# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A point of a study: one run of the program, named by a hash of all that its result depends on."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import os
import signal
import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import WordlineError

Value = bool | int | float | str | list
Sets = tuple[tuple[str, str], ...]  # key and value, as --set takes them


class StudyError(WordlineError):
    """The request itself is wrong."""


@dataclasses.dataclass(frozen=True)
class Workload:
    """A file, or the text of a job file that is written where the run is. `name` tells it from others in tables."""

    name: str
    path: Path | None = None
    text: str = ""
    suffix: str = ".fio"
    options: tuple[str, ...] = ()  # options of `wordline run`, that belong to it

    @staticmethod
    def of_file(path: Path, name: str = "") -> "Workload":
        if not printable(str(path)):
            raise StudyError(f"{str(path)!r}: this name is no UTF-8 text, so no table can show it; rename the file")
        if not path.is_file():
            raise StudyError(f"{path}: no such workload, expected a fio job file, a profile or a trace")
        return Workload(name or path.stem, path)

    def hash(self) -> str:
        return file_hash(self.path) if self.path else hashlib.sha256(self.text.encode()).hexdigest()

    def file_name(self) -> str:
        """The name of the workload, as the result has it."""
        return self.path.name if self.path else f"{self.name}{self.suffix}"


@dataclasses.dataclass(frozen=True)
class Point:
    """A configuration, values that override it, and a workload. `labels` say what it is; they do not count for its
    result."""

    config: Path
    workload: Workload
    sets: Sets = ()
    labels: tuple[tuple[str, Any], ...] = ()

    @staticmethod
    def make(
        config: Path, workload: Workload, sets: Mapping[str, Value], labels: Mapping[str, Any] | None = None
    ) -> "Point":
        values = tuple((key, text_of(value)) for key, value in sets.items())
        return Point(config, workload, values, tuple((labels or {}).items()))

    def label(self, name: str) -> Any:
        return dict(self.labels)[name]

    def settings(self) -> list[str]:
        return [word for key, value in self.sets for word in ("--set", f"{key}={value}")]

    def title(self) -> str:
        return ", ".join([*(f"{key}={value}" for key, value in self.sets), self.workload.name])


def _ending(code: int) -> str:
    return f"ended with {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"


def write_text(path: Path, text: str) -> None:
    """Errors of a write know no file, so a full disk would have no name."""
    try:
        path.write_text(text)
    except OSError as error:
        raise StudyError(f"{path}: cannot be written: {error.strerror}") from error


def printable(text: str) -> bool:
    """Whether a program takes it as a word and a file as text: no NUL, and no bytes that are no UTF-8."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def text_of(value: Value) -> str:
    """A value as --set takes it."""
    return value if isinstance(value, str) else json.dumps(value)


@functools.lru_cache(maxsize=None)
def _hash_of(path: str, _size: int, _changed: int) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def file_hash(path: Path) -> str:
    """SHA-256 of the content; read once as long as size and time stay."""
    try:
        state = path.stat()
        return _hash_of(str(path.resolve()), state.st_size, state.st_mtime_ns)
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror}") from error


_LOADED = 1  # PT_LOAD of ELF


def image_hash(path: Path) -> str:
    """SHA-256 of what an ELF file loads, and where: the same from any folder it was built in, whose name its debug
    information has. Of a file that is none, of its content."""
    content = path.read_bytes()
    if content[:6] != b"\x7fELF\x01\x01":  # 32 bits, little-endian
        return hashlib.sha256(content).hexdigest()
    entry, table = struct.unpack_from("<II", content, 24)
    size, count = struct.unpack_from("<HH", content, 42)
    digest = hashlib.sha256(struct.pack("<I", entry))
    for number in range(count):
        kind, offset, address, _, length = struct.unpack_from("<5I", content, table + number * size)
        if kind == _LOADED:
            digest.update(struct.pack("<II", address, length) + content[offset : offset + length])
    return digest.hexdigest()


# The record of tlm/platform/revision.h in a program, of this size: cmake/Revision.cmake.
REVISION, REVISION_BYTES = b"revision of wordline: ", 96


def program_hash(path: Path) -> str:
    """SHA-256 of the program, whatever the commit was called that it was built from: a commit that changed nothing of
    it asks for no new runs."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror}") from error
    record = content.find(REVISION)
    if record >= 0:
        content = content[:record] + content[record + REVISION_BYTES :]
    return hashlib.sha256(content).hexdigest()


class Program:
    """The built program. A result depends on it and on the firmware image that comes with it."""

    def __init__(self, path: Path):
        self.path = path.resolve()
        if not os.access(self.path, os.X_OK):
            raise StudyError(f"{path}: no such program; build it with ./scripts/build release wordline")
        # Of a build, and installed.
        folders = (self.path.parent, self.path.parent.parent / "share/wordline")
        images = [folder / "firmware/firmware.elf" for folder in folders]
        built = [image for image in images if image.is_file()]
        self.image = image_hash(built[0]) if built else ""  # of the firmware that the cores execute
        hashes = [program_hash(self.path), *map(file_hash, built)]
        self.hash = hashlib.sha256("".join(hashes).encode()).hexdigest()
        self.environment = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
        self._keys: set[str] | None = None
        self._configs: dict[tuple[Path, Sets], dict | StudyError] = {}

    def keys(self) -> set[str]:
        """The keys of the configuration."""
        if self._keys is None:
            done = subprocess.run(
                [self.path, "explain", "--json-schema"],
                capture_output=True,
                text=True,
                env=self.environment,
                check=False,
            )
            if done.returncode != 0:
                raise StudyError(f"{self.path} explain --json-schema: {done.stderr.strip()}")
            self._keys = _leaves(json.loads(done.stdout))
        return self._keys

    def ask(self, points: Sequence[Point]) -> None:
        """Learns the effective configurations of many points in one call of the program for each drive."""
        unknown: dict[Path, dict[Sets, None]] = {}
        for point in points:
            if (point.config, point.sets) not in self._configs:
                unknown.setdefault(point.config, {})[point.sets] = None
        for config, sets in unknown.items():
            answers = self._answers(config, list(sets))
            self._configs |= {(config, of_it): answer for of_it, answer in zip(sets, answers)}

    def _answers(self, config: Path, sets: Sequence[Sets]) -> list[dict | StudyError]:
        with tempfile.NamedTemporaryFile("w", prefix="wordline-points-") as file:
            file.writelines(json.dumps([f"{key}={value}" for key, value in of_it]) + "\n" for of_it in sets)
            file.flush()
            done = subprocess.run(
                [self.path, "print-config", config, "--points", file.name],
                capture_output=True,
                text=True,
                env=self.environment,
                check=False,
            )
        lines = done.stdout.splitlines()
        if done.returncode != 0 or len(lines) != len(sets):
            raise StudyError(f"{self.path} print-config: {done.stderr.strip() or _ending(done.returncode)}")
        found = map(json.loads, lines)
        return [answer["config"] if "config" in answer else StudyError(answer["error"].strip()) for answer in found]

    def effective_config(self, point: Point) -> dict:
        """Every key with its value. Raises StudyError with the program's words when it refuses the configuration."""
        self.ask([point])
        found = self._configs[point.config, point.sets]
        if isinstance(found, StudyError):
            raise found
        return found

    def key(self, point: Point) -> str:
        """Names the point: program, every effective value, files that values name, workload, options."""
        config = self.effective_config(point)
        files = {value: file_hash(Path(value)) for value in _texts(config) if "/" in value and Path(value).is_file()}
        content = [self.hash, config, files, point.workload.file_name(), point.workload.hash(), point.workload.options]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:20]

    def begins_with_a_state(self, point: Point) -> bool:
        """Whether its run makes or reads a state first, which other points may share."""
        keys = self.effective_config(point)["precondition"]
        return bool(keys["file"]) or keys["fill"] in ("random", "steady") or keys["overwrites"] > 0

    def run_command(self, point: Point, workload: Path, out: Path, states: Path | None) -> list[str]:
        """`states`: folder where the runs of a study keep images of their states; none: each makes or reads its own."""
        shared = ["--states", str(states)] if states and self.begins_with_a_state(point) else []
        return [
            str(self.path),
            "run",
            str(point.config),
            "--workload",
            str(workload),
            "--quiet",
            "--out",
            str(out),
            *shared,
            *point.workload.options,
            *point.settings(),
        ]


def _leaves(schema: dict[str, Any], before: str = "") -> set[str]:
    found: set[str] = set()
    for name, inner in schema.get("properties", {}).items():
        found |= _leaves(inner, f"{before}{name}.") if "properties" in inner else {before + name}
    return found


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []
