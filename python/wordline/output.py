# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""How a command of Python ends when what it prints cannot be written: those of this package, and those of scripts/."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def ending(main: Callable[[], int | None], name: str | None = None) -> int:
    """Runs `main` and returns what to exit with. Output that cannot be written is an error of one line, by `name`: a
    full disk; a reader that has gone (`| head`) is none, and ends the command as it would end one of the shell."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files may be no UTF-8
    printed = sys.stdout = _Remembering(sys.stdout)
    try:
        try:
            code = main()
        finally:
            sys.stdout.flush()
            if printed.error is not None:
                raise printed.error
        return code or 0
    except BrokenPipeError:
        _forget_output()
        return 128 + signal.SIGPIPE
    except OSError as error:
        # Streams know no name, and of files only those that cannot be opened are left to here.
        where, wrong = "standard output", "cannot be written"
        if error.filename is not None:
            where = os.fsdecode(error.filename)
            if isinstance(error, FileNotFoundError):
                wrong = "cannot be opened"
        print(f"{name or Path(sys.argv[0]).name}: {where}: {wrong}: {error.strerror or error}", file=sys.stderr)
        _forget_output()
        return 1


class _Remembering:
    """Standard output that keeps the first error of a write: argparse passes over it when it prints help."""

    def __init__(self, stream: Any):
        self._stream = stream
        self.error: OSError | None = None

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            self.error = self.error or error
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _forget_output() -> None:
    """What is still to be written cannot be: else the interpreter tries again at its end, and complains."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
