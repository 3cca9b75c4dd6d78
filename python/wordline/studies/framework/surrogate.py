# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Chooses points by a model of what was answered so far: a Gaussian process for each objective, and drawn from these
the points that would be on the Pareto front. For grids of which few points can be run.

Each objective is learnt on a logarithmic scale where its values have one sign. Length scales are not fitted but drawn
and weighed by their likelihood, since few answers do not fix them. What costs no run to know (dies, channels, cores) is
not learnt: it is given, and the other objectives are learnt over it, too."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .objectives import Losses
from .space import Axis, Known, Step

Array = NDArray[np.float64]

_SCALES = 96  # drawn
_DRAWS = 64  # draws of all points together
_MOST = 1000  # points that are weighed at a time
_NOISE = 1e-4  # noise of the variance
_GAIN = 0.003  # less than this is no progress


@dataclasses.dataclass(frozen=True)
class _Kernel:
    """Squared exponential over the axes, with a linear trend."""

    lengths: Array
    trend: float

    def __call__(self, a: Array, b: Array) -> Array:
        far = (((a[:, None, :] - b[None, :, :]) / self.lengths) ** 2).sum(-1)
        return np.exp(-0.5 * far) + self.trend * (1 + (a - 0.5) @ (b - 0.5).T)


class Surrogate:
    """`allowed`: the points that may be chosen. The same seed and answers give the same choices."""

    def __init__(self, axes: Sequence[Axis], allowed: Sequence[Step], known: Known, seed: int):
        self._allowed = list(allowed)
        self._known = known
        self._random = np.random.default_rng(seed)
        sizes = np.array([max(1, len(axis.values) - 1) for axis in axes])
        self._places = np.array(self._allowed, dtype=float) / sizes
        self._features = np.hstack([self._places, *(column[:, None] for column in self._known_columns())])
        self._first = 2 * len(axes)

    def choose(self, answers: Mapping[Step, Losses | None], count: int, budget: int) -> list[Step]:
        """At most `count` points that have no answer yet. The first points, two for each axis but not more than half of
        the `budget`, lie far from each other; the others follow the model."""
        ran = [at for at, step in enumerate(self._allowed) if answers.get(step) is not None]
        rest = [at for at, step in enumerate(self._allowed) if step not in answers]
        spread = min(self._first, max(2, budget // 2)) - len(answers)
        if spread > 0 or len(ran) < 2:
            return [self._allowed[at] for at in self._far_apart(rest, answers, min(count, max(1, spread)))]
        if len(rest) > _MOST:
            rest = sorted(self._random.choice(rest, _MOST, replace=False).tolist())
        values, least = _scaled(np.array([answers[self._allowed[at]] for at in ran], dtype=float))
        drawn = np.stack(
            [self._drawn(ran, rest, values[:, i], i, answers) for i in range(values.shape[1])], axis=-1
        )  # draw, point, objective
        return [self._allowed[rest[at]] for at in _often_on_front(values, drawn, least, min(count, len(rest)))]

    def _known_columns(self) -> list[Array]:
        """Losses that are known of every point, from 0 to 1: what is learnt often depends on these more than on the
        axes behind them, as IOPS on dies."""
        found = []
        for at in range(max(map(len, self._known.values()), default=0)):
            losses = [self._known[step][at] if step in self._known else None for step in self._allowed]
            if None in losses or len(set(losses)) < 2:
                continue
            column = np.array(losses, dtype=float)
            scaled = _as(column, column)
            found.append((scaled - scaled.min()) / np.ptp(scaled))
        return found

    def _far_apart(self, rest: Sequence[int], answers: Mapping[Step, Losses | None], count: int) -> list[int]:
        taken = [at for at, step in enumerate(self._allowed) if step in answers]
        chosen: list[int] = []
        while len(chosen) < min(count, len(rest)):
            free = [at for at in rest if at not in chosen]
            if not taken:
                chosen.append(int(self._random.choice(free)))
            else:
                far = ((self._places[free][:, None, :] - self._places[taken][None, :, :]) ** 2).sum(-1).min(1)
                nearly = far + 1e-6 * self._random.random(len(free))  # equal ones in an order of the seed
                chosen.append(free[int(nearly.argmax())])
            taken.append(chosen[-1])
        return chosen

    def _drawn(
        self,
        ran: Sequence[int],
        rest: Sequence[int],
        values: Array,
        objective: int,
        answers: Mapping[Step, Losses | None],
    ) -> Array:
        """Draws of all `rest` together, _DRAWS times."""
        known = [self._known.get(self._allowed[at], ())[objective : objective + 1] for at in rest]
        if all(entry and entry[0] is not None for entry in known):
            losses = np.array([entry[0] for entry in known], dtype=float)
            asked = np.array([answers[self._allowed[at]][objective] for at in ran], dtype=float)
            return np.tile(_as(asked, losses), (_DRAWS, 1))
        return _posterior(self._features[ran], values, self._features[rest], self._random)


def _as(like: Array, losses: Array) -> Array:
    """On the scale that _scaled() has for `like`."""
    if (like > 0).all():
        return np.log(losses)
    return -np.log(-losses) if (like < 0).all() else losses


def _scaled(losses: Array) -> tuple[Array, Array]:
    """Each objective on the scale on which it is learnt, and what counts as progress there."""
    columns, least = [], []
    for column in losses.T:
        columns.append(_as(column, column))
        one_sign = (column > 0).all() or (column < 0).all()
        least.append(np.log1p(_GAIN) if one_sign else _GAIN * float(np.ptp(column)))
    return np.stack(columns, axis=1), np.array(least)


def _posterior(places: Array, values: Array, wanted: Array, random: np.random.Generator) -> Array:
    count, axes = places.shape
    mean, spread = values.mean(), values.std() or 1.0
    known = (values - mean) / spread
    kernels, weights, sizes = [], [], []
    for _ in range(_SCALES):
        kernel = _Kernel(np.exp(random.uniform(np.log(0.2), np.log(6.0), axes)), np.exp(random.uniform(-4.6, 1.4)))
        root = np.linalg.cholesky(kernel(places, places) + _NOISE * np.eye(count))
        size = max(1e-9, float((np.linalg.solve(root, known) ** 2).sum()) / count)
        kernels.append(kernel)
        sizes.append(size)
        weights.append(-0.5 * count * np.log(size) - np.log(np.diag(root)).sum())
    likely = np.exp(np.array(weights) - max(weights))
    times = random.multinomial(_DRAWS, likely / likely.sum())
    parts = []
    for kernel, size, number in zip(kernels, sizes, times.tolist()):
        if not number:
            continue
        root = np.linalg.cholesky(kernel(places, places) + _NOISE * np.eye(count))
        shares = np.linalg.solve(root, kernel(places, wanted))
        centre = shares.T @ np.linalg.solve(root, known)
        left = kernel(wanted, wanted) - shares.T @ shares + 1e-6 * np.eye(len(wanted))
        noise = random.standard_normal((number, len(wanted))) @ np.linalg.cholesky(left).T
        parts.append(mean + spread * (centre + np.sqrt(size) * noise))
    return np.concatenate(parts)


def _often_on_front(ran: Array, drawn: Array, least: Array, count: int) -> list[int]:
    """The points that are on the front in the most draws, each chosen as if those before it had been run."""
    on_front = np.array([_on_front(draw) & ~_beaten(draw, ran, least) for draw in drawn])
    chosen: list[int] = []
    while len(chosen) < count:
        score = on_front.sum(0).astype(float)
        score[chosen] = -1
        best = int(np.flatnonzero(score == score.max())[0])
        chosen.append(best)
        for draw, marks in zip(drawn, on_front):
            marks &= ~_beaten(draw, draw[best : best + 1], least)
    return chosen


def _beaten(points: Array, by: Array, least: Array) -> NDArray[np.bool_]:
    """Whether no progress beyond one of `by`."""
    return (by[None, :, :] <= points[:, None, :] + least).all(-1).any(1)


def _on_front(points: Array) -> NDArray[np.bool_]:
    no_worse = (points[None, :, :] <= points[:, None, :]).all(-1)
    better = (points[None, :, :] < points[:, None, :]).any(-1)
    return ~(no_worse & better).any(1)
