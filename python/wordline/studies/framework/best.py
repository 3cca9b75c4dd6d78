# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The progress line of `explore`: beside the time left, the point with the most IOPS so far."""

from __future__ import annotations

from collections.abc import Sequence

from .measures import measure
from .points import StudyError
from .runner import Outcome, Progress


class BestSoFar(Progress):
    """Of the workload that the last point ran, among the points of this call."""

    def __init__(self, total: int, known: int, jobs: int, keys: Sequence[str] = ()):
        """`keys`: of the axes."""
        super().__init__(total, known, jobs)
        self.keys = keys
        self._best: dict[str, tuple[float, str]] = {}

    def more(self, outcome: Outcome) -> str:
        workload = outcome.point.workload.name
        found = None
        try:
            found = measure(outcome.result(), "iops", (0, 0, 0))
        except (StudyError, OSError, ValueError, KeyError, TypeError):
            pass  # a row of the table says what is wrong with the point
        best = self._best.get(workload)
        if found is not None and (best is None or found.value > best[0]):
            # Of several axes the ends of their names, where these tell them apart: the line is short.
            ends = {key: key.rpartition(".")[2] for key in self.keys}
            short = 1 < len(ends) == len(set(ends.values()))
            sets = [(ends[key] if short else key, value) for key, value in outcome.point.sets if key in ends]
            where = ", ".join(f"{key}={value}" for key, value in sets)
            best = self._best[workload] = (found.value, where)
        if best is None:
            return ""
        return f", best {'so far' if not self.known else 'of these'} {best[0]:,.0f} IOPS: {best[1]}"
