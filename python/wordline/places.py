# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the program and what is shipped with it lie: beside this package in a wheel, above it in a clone or an
installation."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
CLONE = PACKAGE.parents[1]  # or share/wordline of an installation
BUILDS = [CLONE / "build/release/wordline", CLONE / "build/fast/wordline"]
# The one made last, as scripts/wordline takes it.
BUILT = max((path for path in BUILDS if path.is_file()), key=lambda path: path.stat().st_mtime, default=BUILDS[0])


def program_path() -> Path:
    """The program that runs drives: the one that WORDLINE_PROGRAM names, that of the wheel, of the clone, of the
    installation, or the first `wordline` in PATH. In a clone that is not built, where a build would leave it."""
    named = os.environ.get("WORDLINE_PROGRAM")
    if named:
        return Path(named)
    bundled = PACKAGE / "_program/bin/wordline"
    installed = CLONE.parent.parent / "bin/wordline"  # a clone may lie right below the root, which is its own parent
    for path in (bundled, BUILT, installed):
        if path.is_file():
            return path
    found = None if (CLONE / "CMakeLists.txt").is_file() else shutil.which("wordline")
    # The console script of this package has the same name and would call itself.
    return Path(found) if found and not _is_script(Path(found)) else BUILT


def shipped(path: str | os.PathLike[str]) -> Path:
    """`path`, or where there is no such file from here, the one of this name that comes with the program:
    configs/ssds/small.toml means the same from any folder."""
    wanted = Path(path)
    if wanted.is_absolute() or wanted.exists():
        return wanted
    for folder in (PACKAGE / "_program/share/wordline", CLONE):
        if (folder / wanted).exists():
            return folder / wanted
    return wanted


def _is_script(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def requirements() -> str:
    """What to install, in words: a wheel has named its packages to pip itself."""
    file = CLONE / "scripts/requirements.txt"
    return str(file) if file.is_file() else "wordline[all]"
