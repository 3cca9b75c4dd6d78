# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Rounds of an exploration: all points until their intervals are some per cent wide, then further those that may be the
answer. Run times differ by a hundred between the two, and of most points a wide interval says that they are not it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .measures import Steady
from .plan import Plan
from .points import Program
from .requirements import FAILED, MET, answer
from .rows import Row, candidates
from .runner import Outcome, Runner
from .verdict import with_verdict


def carry_out(plan: Plan, further: Sequence[str], program: Program, runner: Runner) -> tuple[Plan, list[Outcome]]:
    """`further`: run.until of the rounds after the first, which is the plan's own."""
    outcomes = runner.run_named(plan.points(), plan.names())
    for until in further:
        chosen = contenders(plan, outcomes)
        if not chosen:
            break
        print(f"{len(chosen)} of {len(plan.entries)} runs may be the answer: further, to {until}", file=sys.stderr)
        plan = plan.further(program, chosen, until)
        outcomes = runner.run_named(plan.points(), plan.names())
    return plan, outcomes


def contenders(plan: Plan, outcomes: Sequence[Outcome]) -> list[int]:
    """Entries of the plan: with requirements, of the points that may be the cheapest that meets them; else, of those that
    cannot be told from the best or may be within 1 % of it."""
    rows = with_verdict(plan.rows(outcomes))
    required = plan.exploration.requirements
    runs = len(plan.exploration.seeds) or 1
    chosen = _may_answer(rows, plan) if required else [_may_be_best(row, rows) for row in rows]
    return [index for at, is_one in enumerate(chosen) if is_one for index in range(at * runs, (at + 1) * runs)]


def _may_be_best(row: Row, rows: Sequence[Row]) -> bool:
    if row.error or not row.bounds.get("iops"):
        return False
    if row.best or row.alike or row.cheapest:
        return True
    # As good as the best, where 1 % less is.
    return bool(row.versus_best) and row.versus_best["high"] >= -0.01


def _may_answer(rows: Sequence[Row], plan: Plan) -> list[bool]:
    """The cheapest that meets everything, what costs no more and is not decided; nothing that fails already."""
    found = candidates(rows, plan.exploration.requirements)
    limit = min((candidate.cost for candidate in found if candidate.state == MET), default=None)
    kept = {
        tuple(candidate.values.values())
        for candidate in found
        if candidate.state != FAILED and (limit is None or candidate.cost <= limit)
    }
    if not kept and (nearest := answer(found).chosen):
        kept = {tuple(nearest.values.values())}
    settled = [row.steady == Steady() or row.steady.has_rank for row in rows]
    return [tuple(row.values.values()) in kept and is_so for row, is_so in zip(rows, settled)]
