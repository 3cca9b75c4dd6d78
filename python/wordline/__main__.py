# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `wordline` of this package, and the part of scripts/wordline and of an installed program that is Python:
explore, reproduce, validate, fit, report and diff. Every other command is the program's."""

import io
import os
import signal
import sys

STUDIES = ("explore", "reproduce", "validate", "fit")
REPORTS = ("report", "diff")


def main() -> int:
    """Output that cannot be written is an error of one line: a full disk, or a reader that has gone (`| head`)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files may be no UTF-8
    try:
        try:
            code = dispatch()
        finally:
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        _forget_output()
        return 128 + signal.SIGPIPE
    except OSError as error:
        # Streams know no name, and of files only those that cannot be opened are left to here.
        where = "standard output" if error.filename is None else os.fsdecode(error.filename)
        print(f"wordline: {where}: cannot be written: {error.strerror or error}", file=sys.stderr)
        _forget_output()
        return 1


def _forget_output() -> None:
    """What is still to be written cannot be: else the interpreter tries again at its end, and complains."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def dispatch() -> int:
    command = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if command in STUDIES:
        from .studies.__main__ import main as studies

        return studies()
    if command in REPORTS:
        from .report.__main__ import main as report

        return report()
    from .places import program_path

    path = program_path()
    os.environ["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"
    try:
        os.execv(path, [str(path), *sys.argv[1:]])
    except OSError as error:
        print(f"wordline: {path}: {error.strerror}; WORDLINE_PROGRAM names the built program", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
