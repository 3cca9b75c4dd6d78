# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds values from points, and which of them the points determine.

The search is that of scipy (trust region, least squares) in the logarithms of the values, with derivatives from steps
that run side by side. A wide prior, a factor of two to either side, keeps what no point tells where it began. An
interval is the 95 % one of the profile likelihood: the others are moved along while one value is pushed away, and the
place where that becomes too bad is found by runs, but never before where the derivatives put it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import qmc, t

STEP = 0.05  # of a value, relative, to see what it changes
PRIOR = math.log(2)  # standard deviation of what is assumed before, of the logarithm
NOISE = 0.03  # of a point, as long as the points have not told theirs
WIDEST = math.log(8)  # no value goes further from its start
TOLD = math.log(1.5)  # a value whose interval is wider to either side is not identified
ROUNDS_OF_ENDS, CLOSE = 3, 0.1

# Answers log(model / measured) of all points for several sets of values, each the logarithm of its factor. The mask says
# which points are asked for; others may have any number.
Ask = Callable[[Sequence[tuple[np.ndarray, np.ndarray]]], list[np.ndarray]]


@dataclasses.dataclass(frozen=True)
class Estimate:
    """Logarithms of factors. `low`, `high`: the interval; infinite where the points set no end."""

    value: float
    low: float
    high: float

    @property
    def identified(self) -> bool:
        return self.value - self.low < TOLD and self.high - self.value < TOLD


@dataclasses.dataclass(frozen=True)
class Identified:
    values: tuple[Estimate, ...]
    residuals: np.ndarray
    noise: float  # what the points leave over, of the logarithm
    rounds: int

    @property
    def at(self) -> np.ndarray:
        return np.array([e.value for e in self.values])


def identify(
    ask: Ask,
    matters: np.ndarray,
    rounds: int = 12,
    starts: int = 8,
    say: Callable[[str], None] = lambda _: None,
) -> Identified:
    """`matters[value, point]`: whether the point can tell anything of the value."""
    count, points = matters.shape
    everything = np.ones(points, bool)
    cauchy = 3 * NOISE  # a point that the model cannot meet does not pull the values away

    def robust(residuals: np.ndarray) -> float:
        return float(np.sum(np.log1p((residuals / cauchy) ** 2)))

    # 1. Of some starts the best: where something else limits, the derivative by a value is zero.
    sets = [np.zeros(count)]
    if starts > 1:
        spread = qmc.Sobol(count, seed=1).random(1 << (starts - 1).bit_length())[: starts - 1]
        sets += [(2 * row - 1) * math.log(2) for row in spread]
    found = ask([(x, everything) for x in sets])
    known = {x.tobytes(): r for x, r in zip(sets, found)}
    sets.sort(key=lambda x: robust(known[x.tobytes()]) + float(np.sum((x / PRIOR) ** 2)) / 2)

    def at(x: np.ndarray) -> np.ndarray:
        if x.tobytes() not in known:
            (known[x.tobytes()],) = ask([(x, everything)])
            say(f"root of the mean square {100 * math.sqrt(np.mean(known[x.tobytes()] ** 2)):.1f} %")
        return known[x.tobytes()]

    def slopes(x: np.ndarray) -> np.ndarray:
        here = at(x)
        moved = ask([(x + STEP * np.eye(count)[i], matters[i]) for i in range(count)])
        return np.column_stack([np.where(matters[i], m - here, 0) / STEP for i, m in enumerate(moved)])

    def with_prior(residuals: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.concatenate([residuals / NOISE, x / PRIOR])

    # 2. The search, from the best two: which of two engines limits may be told only from the right side.
    done = min(
        (
            least_squares(
                lambda x: with_prior(at(x), x),
                begin,
                jac=lambda x: np.vstack([slopes(x) / NOISE, np.eye(count) / PRIOR]),
                bounds=(-WIDEST, WIDEST),
                method="trf",
                loss="cauchy",
                f_scale=3.0,
                xtol=1e-3,
                ftol=1e-3,
                max_nfev=rounds,
            )
            for begin in sets[:2]
        ),
        key=lambda found: found.cost,
    )
    x, here = done.x, at(done.x)
    freedom = max(points - count, 1)
    # Points that stand apart count no more than the search lets them. What the others leave over follows from how much
    # an estimate of this kind varies (Huber, Robust Statistics, 7.6): that of plain least squares would be too small.
    weights = 1 / (1 + (here / cauchy) ** 2)
    firm = max(float(np.mean((1 - (here / cauchy) ** 2) * weights**2)), 0.1)
    noise = math.sqrt(float(np.sum((weights * here) ** 2)) / freedom * float(np.mean(weights))) / firm
    estimates = _intervals(ask, matters, x, here, slopes(x), weights, noise, float(t.ppf(0.975, freedom)), say)
    return Identified(tuple(estimates), here, noise, int(done.nfev))


def _intervals(
    ask: Ask,
    matters: np.ndarray,
    x: np.ndarray,
    here: np.ndarray,
    slopes: np.ndarray,
    weights: np.ndarray,
    noise: float,
    quantile: float,
    say: Callable[[str], None],
) -> list[Estimate]:
    """Walks to either side of each value until the points, and the prior, object by the square of the quantile."""
    count = len(x)
    scale = max(noise, 1e-4)

    def objection(place: np.ndarray, residuals: np.ndarray) -> float:
        return float(np.sum(weights * residuals**2)) / scale**2 + float(np.sum((place / PRIOR) ** 2))

    base = objection(x, here)
    inverse = np.linalg.inv(slopes.T @ (weights[:, None] * slopes) / scale**2 + np.eye(count) / PRIOR**2)
    errors = np.sqrt(np.diag(inverse))
    ways = [(k, sign) for k in range(count) for sign in (-1.0, 1.0)]
    # How far, for each way; what the others do meanwhile follows from the derivatives. A way that is longer than this
    # is none that the points set an end to.
    length = {way: min(quantile * errors[way[0]], WIDEST) for way in ways}
    moves = {k: inverse[:, k] / inverse[k, k] for k in range(count)}
    open_ends = ways
    for _ in range(ROUNDS_OF_ENDS):
        if not open_ends:
            break
        places = [x + sign * length[k, sign] * moves[k] for k, sign in open_ends]
        everything = np.ones(len(here), bool)
        say(f"ends of the intervals: {len(places)} sets of values")
        left = []
        for way, place, found in zip(open_ends, places, ask([(place, everything) for place in places])):
            grown = math.sqrt(max(objection(place, found) - base, 1e-6)) / quantile
            # The objection grows as the square; one that hardly grows doubles the way.
            length[way] *= min(max(1 / grown, 0.5), 2.0)
            if length[way] > WIDEST:
                length[way] = math.inf
            elif abs(math.log(grown)) > CLOSE:
                left.append(way)
        open_ends = left
    # The others follow in straight lines. Where their way bends, an end comes too early: never before the linear one.
    longest = {way: max(length[way], min(quantile * errors[way[0]], WIDEST)) for way in ways}
    return [Estimate(x[k], x[k] - longest[k, -1.0], x[k] + longest[k, 1.0]) for k in range(count)]
