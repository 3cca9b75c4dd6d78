# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The Python environment of a clone, for scripts that need one of its packages."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from .places import CLONE


def go_on_where_there_is(package: str) -> None:
    """Starts the script once more with the environment's Python if the one that runs it lacks `package`: scripts are
    typed without thinking of environments."""
    if importlib.util.find_spec(package) is not None:
        return
    python = CLONE / ".venv/bin/python"
    if not python.exists() or Path(sys.prefix) == python.parents[1]:
        sys.exit(f"{Path(sys.argv[0]).name}: {package} is not there: ./scripts/setup installs it")
    os.execv(python, [str(python), *sys.argv])
