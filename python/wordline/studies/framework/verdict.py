# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Which points of a study are the best, and which cannot be told from them."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence
from typing import Any

from .measures import BEFORE_GC, STEADY
from .rows import Row
from .samples import half_interval

GOOD_ENOUGH = 0.01  # a point within this share of the best counts as good as the best


def difference(row: Row, best: Row) -> dict[str, Any]:
    """IOPS against the best, as shares of its IOPS: with equal seeds seed by seed, whose accesses are the same, so that
    what they share cancels out; else from both intervals. Empty: nothing is known of how sure they are."""
    if not row.iops or not best.iops:
        return {}
    paired = len(row.of_seeds) > 1 and row.seeds == best.seeds and len(row.of_seeds) == len(best.of_seeds)
    if paired:
        found = [a - b for a, b in zip(row.of_seeds, best.of_seeds)]
        mean, half = statistics.fmean(found), half_interval(found)
    else:
        halves = [of_it.interval.get("iops") for of_it in (row, best)]
        if None in halves:
            return {}
        mean, half = row.iops - best.iops, math.hypot(*halves)  # type: ignore[arg-type]
    shares = {"difference": mean / best.iops, "low": (mean - half) / best.iops, "high": (mean + half) / best.iops}
    return {**shares, "paired": paired}


def ranked(rows: Sequence[Row]) -> list[Row]:
    """The points that are compared for one workload: of one class, the steady ones where there are any. What is not
    steady has no rank."""
    done = [row for row in rows if row.iops and row.steady.has_rank]
    for name in (STEADY, "", BEFORE_GC):
        if any(row.steady.name == name for row in done):
            return [row for row in done if row.steady.name == name]
    return []


def with_verdict(rows: Sequence[Row]) -> list[Row]:
    """Marks, for each workload, the best point, those that cannot be told from it, and the cheapest within 1 % of it; of
    equal cost the faster one."""
    marked = []
    for workload in dict.fromkeys(row.workload for row in rows):
        group = [row for row in rows if row.workload == workload]
        compared = ranked(group)
        best = max(compared, key=lambda row: row.iops or 0, default=None)
        enough = [row for row in compared if best and (row.iops or 0) >= (1 - GOOD_ENOUGH) * (best.iops or 0)]
        cheapest = min(enough, key=lambda row: (row.cost, -(row.iops or 0)), default=None)
        places = {id(row) for row in compared}
        for row in group:
            versus = difference(row, best) if best and row is not best and id(row) in places else {}
            alike = bool(versus) and versus["low"] <= 0 <= versus["high"]
            marks = {"best": row is best, "cheapest": row is cheapest, "alike": alike, "versus_best": versus}
            marked.append(dataclasses.replace(row, **marks))
    return marked
