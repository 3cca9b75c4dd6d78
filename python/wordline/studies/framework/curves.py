# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the NAND model says of a device beside runs of the drive: sections of the program nand_curves as rows."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .points import Program, StudyError, Value


class Curves:
    """Asks once for each section and device."""

    def __init__(self, program: Program):
        self._path = program.path.parent / "models/nand/nand_curves"
        self._known: dict[tuple, list[dict[str, str]]] = {}

    def rows(self, section: str, device: Path, nand: Mapping[str, Value] | None = None) -> list[dict[str, str]]:
        """`nand`: keys of [nand] that override those of the device file."""
        name = (section, device, tuple((nand or {}).items()))
        if name not in self._known:
            self._known[name] = self._ask(section, device, nand or {})
        return self._known[name]

    def _ask(self, section: str, device: Path, nand: Mapping[str, Value]) -> list[dict[str, str]]:
        if not os.access(self._path, os.X_OK):
            raise StudyError(f"{self._path}: no such program; build it with ./scripts/build release nand_curves")
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            keys = [f"{key} = {json.dumps(value)}" for key, value in nand.items()]
            file.write("\n".join([f"extends = {json.dumps(str(device.resolve()))}", "[nand]", *keys, ""]))
            file.flush()
            done = subprocess.run([self._path, section, file.name], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise StudyError(f"nand_curves {section}: {done.stderr.strip()}")
        return list(csv.DictReader(io.StringIO(done.stdout)))
