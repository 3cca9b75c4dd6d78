# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Chooses points of a grid that is too large to run whole: by a model of the answers (surrogate.py), or by Optuna's
NSGA-II or TPE.

The search is a function of the study and the answers to its points: a search that was killed begins again with its
seed, finds the answers that it had in the cache, and goes on to the same bytes. How many runs go at a time does not
matter either: points are asked for by the batch, and told in its order.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .objectives import Losses, Objective, front
from .points import StudyError
from .space import Axis, Known, Step

if TYPE_CHECKING:
    import optuna

SAMPLERS = ("gp", "nsga2", "tpe", "grid")
JOURNAL = "optuna.journal"
_NEARBY = 20.0  # index of the polynomial mutation: mostly to the neighbour in the list of values


@dataclasses.dataclass(frozen=True)
class Optimise:
    """`trials`: points to run, each with every workload and seed. `batch`: asked for before the first of them is
    answered; for NSGA-II, a generation; 0: as many as the sampler is used to. `grid` runs all points and only marks the
    front."""

    objectives: tuple[Objective, ...]
    sampler: str = "nsga2"
    seed: int = 1
    trials: int = 0
    batch: int = 0

    @property
    def at_once(self) -> int:
        return self.batch or (2 if self.sampler == "gp" else 4)

    @property
    def chooses(self) -> bool:
        return self.sampler != "grid"

    def to_json(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "objectives": [objective.text for objective in self.objectives]}

    @staticmethod
    def of_json(content: dict[str, Any] | None, workloads: Sequence[str]) -> "Optimise | None":
        if content is None:
            return None
        objectives = tuple(Objective.parse(text, workloads) for text in content["objectives"])
        return Optimise(**{**content, "objectives": objectives})


def _optuna() -> Any:
    if importlib.util.find_spec("optuna") is None:
        raise StudyError(f"{sys.executable} has no optuna, which [optimise] needs; scripts/requirements.txt names it")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    return optuna


def _sampler(optuna: Any, asked: Optimise) -> optuna.samplers.BaseSampler:
    if asked.sampler == "tpe":
        first = max(2, min(10, asked.trials // 3))
        return optuna.samplers.TPESampler(seed=asked.seed, n_startup_trials=first, constant_liar=True)
    # Optuna's own mutation draws any value of the axis; Deb's, which is in NSGA-II as published, one nearby.
    mutation = optuna.samplers.nsgaii.PolynomialMutation(eta=_NEARBY)
    return optuna.samplers.NSGAIISampler(population_size=asked.at_once, mutation=mutation, seed=asked.seed)


Evaluate = Callable[[Sequence[Step]], Mapping[Step, Losses | None]]


def search(
    asked: Optimise, axes: Sequence[Axis], allowed: Sequence[Step], evaluate: Evaluate, known: Known | None = None
) -> dict[Step, Losses | None]:
    """The points that were run, in the order in which they were asked for, with what they answered; null: failed.
    `known`: what `gp` need not learn."""
    if asked.sampler == "gp":
        return _search_by_model(asked, axes, allowed, evaluate, known or {})
    optuna = _optuna()
    study = optuna.create_study(directions=["minimize"] * len(asked.objectives), sampler=_sampler(optuna, asked))
    # Values are numbered, as the file lists them: neighbours in the list are near each other for the sampler.
    numbers = {axis.key: optuna.distributions.IntDistribution(0, len(axis.values) - 1) for axis in axes}
    answers: dict[Step, Losses | None] = {}
    possible = set(allowed)
    budget = min(asked.trials, len(possible))
    while len(answers) < budget:
        trials = [study.ask(numbers) for _ in range(asked.at_once)]
        steps = [tuple(trial.params[axis.key] for axis in axes) for trial in trials]
        new = [step for step in dict.fromkeys(steps) if step in possible and step not in answers]
        # A grid is small for a sampler: soon it asks for points that it had. Then points next to the front have a turn.
        added = [] if new else _next_to_front(answers, allowed)[: asked.at_once]
        new = (new or added)[: budget - len(answers)]
        found = evaluate(new)
        answers |= {step: found[step] for step in new}
        for trial, step in zip(trials, steps):
            losses = answers.get(step)
            if losses is None:  # failed, excluded by a constraint, or beyond the last trial
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                study.tell(trial, losses)
        for step in added:
            if answers.get(step) is not None:
                params = {axis.key: index for axis, index in zip(axes, step)}
                study.add_trial(optuna.trial.create_trial(params=params, distributions=numbers, values=answers[step]))
    return answers


def _search_by_model(
    asked: Optimise, axes: Sequence[Axis], allowed: Sequence[Step], evaluate: Evaluate, known: Known
) -> dict[Step, Losses | None]:
    from .surrogate import Surrogate  # numpy takes a while to import

    model = Surrogate(axes, allowed, known, asked.seed)
    answers: dict[Step, Losses | None] = {}
    budget = min(asked.trials, len(allowed))
    while len(answers) < budget:
        new = model.choose(answers, min(asked.at_once, budget - len(answers)), budget)
        found = evaluate(new)
        answers |= {step: found[step] for step in new}
    return answers


def _next_to_front(answers: Mapping[Step, Losses | None], allowed: Sequence[Step]) -> list[Step]:
    """What was not run yet, the nearest to a point of the front first."""
    best = sorted(front(answers)) or list(answers)[:1]

    def distance(step: Step) -> int:
        return min((sum(abs(a - b) for a, b in zip(step, other)) for other in best), default=0)

    return sorted((step for step in allowed if step not in answers), key=lambda step: (distance(step), step))


def write_journal(
    asked: Optimise, axes: Sequence[Axis], answers: Mapping[Step, Losses | None], title: str, path: Path
) -> None:
    """For optuna-dashboard and Optuna's own plots: the trials as an Optuna study, with the values of the objectives."""
    optuna = _optuna()
    path.unlink(missing_ok=True)
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(path)))
    goals = ["maximize" if objective.larger else "minimize" for objective in asked.objectives]
    study = optuna.create_study(study_name=title, directions=goals, storage=storage)
    study.set_metric_names([objective.text for objective in asked.objectives])
    choices = {axis.key: optuna.distributions.CategoricalDistribution(axis.values) for axis in axes}
    for step, losses in answers.items():
        params = {axis.key: axis.values[index] for axis, index in zip(axes, step)}
        failed = losses is None
        values = None if losses is None else [-loss if o.larger else loss for o, loss in zip(asked.objectives, losses)]
        state = optuna.trial.TrialState.FAIL if failed else optuna.trial.TrialState.COMPLETE
        study.add_trial(optuna.trial.create_trial(state=state, params=params, distributions=choices, values=values))
