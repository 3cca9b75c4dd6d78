# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the workloads of a study are like, beside runs of the drive: `wordline workload stats`."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .points import Program, StudyError


class WorkloadStatistics:
    """Asks once for each workload."""

    def __init__(self, program: Program):
        self._program = program
        self._known: dict[tuple[Path, int], dict[str, Any]] = {}

    def of(self, path: Path, requests: int) -> dict[str, Any]:
        """Statistics of its first so many requests, by name (docs/workloads.md); 0: of all."""
        if (path, requests) not in self._known:
            self._known[path, requests] = self._ask(path, requests)
        return self._known[path, requests]

    def of_all(self, files: Iterable[tuple[Path, int]]) -> list[dict[str, Any]]:
        """The statistics of several workloads, on all processors."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda file: self.of(*file), files))

    def _ask(self, path: Path, requests: int) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "statistics.json"
            done = subprocess.run(
                [self._program.path, "workload", "stats", path, "--requests", str(requests), "--json", file],
                capture_output=True,
                text=True,
                env=self._program.environment,
                check=False,
            )
            if done.returncode != 0:
                raise StudyError(f"workload stats {path}: {done.stderr.strip()}")
            return json.loads(file.read_text())["statistics"]
