# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of a run or a study, read with errors that name the file, the place and what to do."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import WordlineError


class ReportError(WordlineError):
    """The request is wrong or a file is damaged."""


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ReportError(f"{path}: not text at byte {error.start}; make it again") from error


def write_text(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="replace")  # JSON can hold halves of characters
    except OSError as error:
        raise ReportError(f"{path}: cannot be written: {error.strerror}; name another file") from error


def read_json(path: Path, made_by: str) -> dict[str, Any]:
    """`made_by`: the command that writes such a file."""
    try:
        value = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise ReportError(
            f"{path}:{error.lineno}:{error.colno}: no JSON ({error.msg}); the file is damaged, make it again: {made_by}"
        ) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; brackets in brackets
        raise ReportError(f"{path}: no JSON ({error}); the file is damaged, make it again: {made_by}") from error
    if not isinstance(value, dict):
        raise ReportError(f"{path}: holds no JSON object; expected what this writes: {made_by}")
    return value


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ReportError(f"{path}: no TOML ({error}); the file is damaged, run again") from error


def need(value: Any, names: Iterable[str], path: Path, made_by: str) -> None:
    """Dotted names that must be there: else the file is of another program or version, or was edited."""
    for name in names:
        at = value
        for part in name.split("."):
            if not isinstance(at, dict) or part not in at:
                raise ReportError(
                    f"{path}: no {name} in it: of another version or another program; make it again: {made_by}"
                )
            at = at[part]


def need_text(value: Any, names: Iterable[str], path: Path, made_by: str) -> None:
    """Dotted names that must be there and be text."""
    need(value, names, path, made_by)
    for name in names:
        at = value
        for part in name.split("."):
            at = at[part]
        if not isinstance(at, str):
            raise ReportError(f"{path}: {name} is no text; the file is damaged, make it again: {made_by}")
