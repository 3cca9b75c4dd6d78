# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `wordline` of this package, and the part of scripts/wordline and of an installed program that is Python:
explore, reproduce, validate, fit, report and diff. Every other command is the program's."""

import os
import sys

from .output import ending

STUDIES = ("explore", "reproduce", "validate", "fit")
REPORTS = ("report", "diff")


def main() -> int:
    return ending(dispatch, "wordline")


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
