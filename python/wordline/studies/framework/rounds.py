# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Rounds of an exploration: all points until their intervals are some per cent wide, then further those that may be the
answer. Run times differ by a hundred between the two, and of most points a wide interval says that they are not it. With
requirements, cheap points come first, and what costs more than one that meets them is not run."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence

from .best import BestSoFar
from .exploration import Exploration
from .measures import STEADY, Steady
from .plan import Entry, Plan
from .points import Point, Program, StudyError
from .requirements import FAILED, MET
from .rows import Cost, Row, candidates, cost_of
from .runner import Outcome, Runner
from .space import Step, keys_of
from .verdict import with_verdict

PROBE = 1_500_000  # requests that show of most points that they fail, where a steady state takes tens of millions
DEARER = "costs more than a point that meets the requirement"


def _run(plan: Plan, runner: Runner) -> list[Outcome]:
    keys = keys_of(plan.exploration.axes)
    return runner.run_named(plan.points(), plan.names(), functools.partial(BestSoFar, keys=keys))


def carry_out(plan: Plan, further: Sequence[str], program: Program, runner: Runner) -> tuple[Plan, list[Outcome]]:
    """`further`: run.until of the rounds after the first, which is the plan's own."""
    outcomes = _run(plan, runner)
    for until in further:
        chosen = contenders(plan, outcomes, until)
        if not chosen:
            break
        print(f"{len(chosen)} of {len(plan.entries)} runs may be the answer: further, to {until}", file=sys.stderr)
        plan = plan.further(program, chosen, until)
        outcomes = _run(plan, runner)
    return plan, outcomes


def cheapest_first(
    study: Exploration, rounds: Sequence[str], program: Program, runner: Runner, steps: Sequence[Step]
) -> tuple[Plan, list[Outcome], list[Step]]:
    """Until a point meets the requirements. Also the steps that were not run, as they cost more."""
    points = {step: study.points([step])[0] for step in steps}
    program.ask(list(points.values()))
    by_cost: dict[Cost, list[Step]] = {}
    refused = []
    for step, point in points.items():
        try:
            by_cost.setdefault(cost_of(program.effective_config(point)), []).append(step)
        except StudyError:
            refused.append(step)  # is a row of the table
    known: dict[Place, tuple[Entry, Outcome]] = {}

    def run(of_it: Sequence[Step]) -> Plan:
        probe = PROBE if rounds[0] and (not study.most or study.most > PROBE) else 0
        plan = Plan.make(study, program, of_it, rounds[0], probe)
        if probe:
            plan = plan.further(program, _open(plan, _run(plan, runner)), rounds[0])
        plan, outcomes = carry_out(plan, rounds[1:], program, runner)
        known.update(zip(map(_place, plan.points()), zip(plan.entries, outcomes)))
        return plan

    left = sorted(by_cost)
    if refused:
        run(refused)
    while left:
        plan = run(by_cost[left.pop(0)])
        rows = plan.rows([known[_place(point)][1] for point in plan.points()])
        if any(candidate.state == MET for candidate in candidates(rows, study.requirements)):
            break
    not_needed = [step for cost in left for step in by_cost[cost]]
    kept = [step for step in steps if step not in set(not_needed)]
    entries, outcomes = zip(*(known[_place(point)] for point in study.points(kept)))
    return Plan(study, program.hash, tuple(entries)), list(outcomes), not_needed


def _open(plan: Plan, outcomes: Sequence[Outcome]) -> list[int]:
    """Entries whose probe was too short: not those that are steady already, nor those of points that fail."""
    rows = plan.rows(outcomes)
    runs = len(plan.exploration.seeds) or 1
    failed = {
        tuple(candidate.values.values())
        for candidate in candidates(rows, plan.exploration.requirements)
        if candidate.state == FAILED
    }
    left = [not row.error and row.steady.name != STEADY and tuple(row.values.values()) not in failed for row in rows]
    return [
        index
        for at, is_open in enumerate(left)
        for index in range(at * runs, (at + 1) * runs)
        if is_open and plan.entries[index].point.label("until")
    ]


Place = tuple[str, Step, int | None]


def _place(point: Point) -> Place:
    """The place of a run in its study, whatever it was run until."""
    return point.workload.name, point.label("step"), point.label("seed")


def contenders(plan: Plan, outcomes: Sequence[Outcome], until: str) -> list[int]:
    """Entries of the plan: with requirements, of the points that may be the cheapest that meets them; else, of those that
    cannot be told from the best or may be within 1 % of it. Not those whose intervals are as narrow already."""
    rows = with_verdict(plan.rows(outcomes))
    required = plan.exploration.requirements
    runs = len(plan.exploration.seeds) or 1
    chosen = _may_answer(rows, plan) if required else [_may_be_best(row, rows) for row in rows]
    chosen = [is_one and not _is_narrow(row, until) for is_one, row in zip(chosen, rows)]
    entries = [index for at, is_one in enumerate(chosen) if is_one for index in range(at * runs, (at + 1) * runs)]
    return [index for index in entries if plan.entries[index].point.label("until")]  # else it has an end of its own


def _is_narrow(row: Row, until: str) -> bool:
    """A run of many superblocks knows its rate better than it was asked to."""
    half = row.interval.get("iops")
    return (
        len(row.seeds) < 2 and half is not None and bool(row.iops) and half <= float(until.rstrip("%")) / 100 * row.iops
    )


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
    settled = [row.steady == Steady() or row.steady.has_rank for row in rows]
    return [tuple(row.values.values()) in kept and is_so for row, is_so in zip(rows, settled)]
