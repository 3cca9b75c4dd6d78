# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds values from points, and which of them the points determine.

The search is that of scipy (trust region, least squares) in the logarithms of the values, with derivatives from steps
that run side by side. A wide prior, a factor of two to either side, keeps what no point tells where it began. An
interval is the 95 % one of the profile likelihood: while one value is pushed away the others go where they are best,
by derivatives there, and the place where that becomes too bad is found by runs."""

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
FAR = math.log(3)  # an end that is further off is none
TOLD = math.log(1.5)  # a value whose interval is wider to either side is not identified
ROUNDS_OF_ENDS = 4
CLOSE = 0.1  # an end is there where the objection is as great as it was to be, as the logarithm of its root
SCALED = 0.3  # from so near the end follows from the square
APART = 0.05  # values that differ by less are the same place

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
    searches = sorted(
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
    done = searches[0]
    x, here = done.x, at(done.x)
    freedom = max(points - count, 1)
    # Points that stand apart count no more than the search lets them. What the others leave over follows from how much
    # an estimate of this kind varies (Huber, Robust Statistics, 7.6): that of plain least squares would be too small.
    weights = 1 / (1 + (here / cauchy) ** 2)
    firm = max(float(np.mean((1 - (here / cauchy) ** 2) * weights**2)), 0.1)
    noise = math.sqrt(float(np.sum((weights * here) ** 2)) / freedom * float(np.mean(weights))) / firm
    walk = _Walk(ask, matters, weights, noise, float(t.ppf(0.975, freedom)), say)
    walk.base = walk.objection(x, here)
    low, high = walk.ends(x, slopes(x))
    # 3. Where two engines may each be the one that limits there are two best places, and what is within is said of both.
    for other in searches[1:]:
        if walk.tolerates(other.x, at(other.x)) and np.max(np.abs(other.x - x)) > APART:
            others = walk.ends(other.x, slopes(other.x))
            low, high = np.minimum(low, others[0]), np.maximum(high, others[1])
    # What the points do not object to lies within, wherever it was come by.
    for place, residuals in [(np.frombuffer(key), r) for key, r in known.items()] + walk.seen:
        if walk.tolerates(place, residuals):
            low, high = np.minimum(low, place), np.maximum(high, place)
    return Identified(tuple(map(Estimate, x, low, high)), here, noise, int(done.nfev))


class _Walk:
    """Walks to either side of each value until the points, and the prior, object by the square of the quantile."""

    def __init__(
        self,
        ask: Ask,
        matters: np.ndarray,
        weights: np.ndarray,
        noise: float,
        quantile: float,
        say: Callable[[str], None],
    ):
        self._ask, self._matters, self._weights, self._quantile, self._say = ask, matters, weights, quantile, say
        self._scale = max(noise, 1e-4)
        self._count, self._points = matters.shape
        self.base = 0.0  # objection to the best values
        self.seen: list[tuple[np.ndarray, np.ndarray]] = []

    def objection(self, place: np.ndarray, residuals: np.ndarray) -> float:
        return float(np.sum(self._weights * residuals**2)) / self._scale**2 + float(np.sum((place / PRIOR) ** 2))

    def tolerates(self, place: np.ndarray, residuals: np.ndarray) -> bool:
        return self.objection(place, residuals) - self.base <= self._quantile**2

    def ends(self, x: np.ndarray, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From `x`, with the derivatives there; infinite where the points set no end."""
        count = self._count
        inverse = np.linalg.inv(self._curvature(slopes))
        linear = np.minimum(self._quantile * np.sqrt(np.diag(inverse)), PRIOR)
        ways = [(k, sign) for k in range(count) for sign in (-1.0, 1.0)]
        # How far, for each way, and where the others go meanwhile: first by the derivatives, then as was seen.
        length = {way: float(linear[way[0]]) for way in ways}
        beyond = dict.fromkeys(ways, math.inf)  # known to be too far
        moves = {(k, sign): sign * inverse[:, k] / inverse[k, k] for k, sign in ways}
        open_ends = ways
        for _ in range(ROUNDS_OF_ENDS):
            if not open_ends:
                break
            places = [x + length[way] * moves[way] for way in open_ends]
            self._say(f"ends of the intervals: {len(places)} sets of values")
            found = self._whole(places)
            # Where the points object as much as they were to, the others went where they are best.
            far = [n for n in range(len(places)) if not self._is_end(self.objection(places[n], found[n]))]
            relaxed = self._relaxed([open_ends[n][0] for n in far], [places[n] for n in far], [found[n] for n in far])
            left = []
            for (best, objection), way in zip(relaxed, [open_ends[n] for n in far]):
                moves[way] = (best - x) / length[way]
                grown = self._grown(objection)
                if grown > 1:
                    beyond[way] = min(beyond[way], length[way])
                # The objection grows as the square; one that hardly grows doubles the way.
                length[way] *= min(max(1 / grown, 0.5), 2.0)
                if length[way] > FAR:
                    length[way] = math.inf
                elif abs(math.log(grown)) > SCALED:
                    left.append(way)
            open_ends = left
        # An end that was not come close to may not come sooner than the linear one.
        longest = dict(length)
        for way in open_ends:
            longest[way] = min(max(length[way], float(linear[way[0]])), beyond[way])
        low = np.array([x[k] - longest[k, -1.0] for k in range(count)])
        return low, np.array([x[k] + longest[k, 1.0] for k in range(count)])

    def _grown(self, objection: float) -> float:
        return math.sqrt(max(objection - self.base, 1e-6)) / self._quantile

    def _is_end(self, objection: float) -> bool:
        return abs(math.log(self._grown(objection))) <= CLOSE

    def _relaxed(
        self, stay: Sequence[int], places: Sequence[np.ndarray], found: Sequence[np.ndarray]
    ) -> list[tuple[np.ndarray, float]]:
        """From each place, of which `found` is known, a step to where the derivatives there say that the objection is
        least, one value staying; or the place itself, if that was none. With the objection."""
        others = [[i for i in range(self._count) if i != k] for k in stay]
        moved = iter(
            self._ask(
                [
                    (place + STEP * np.eye(self._count)[i], self._matters[i])
                    for place, some in zip(places, others)
                    for i in some
                ]
            )
        )
        freed = []
        for place, residuals, some in zip(places, found, others):
            slopes = np.zeros((self._points, self._count))
            for i in some:
                slopes[:, i] = np.where(self._matters[i], next(moved) - residuals, 0) / STEP
            pull = slopes.T @ (self._weights * residuals) / self._scale**2 + place / PRIOR**2
            step = np.zeros(self._count)
            if some:
                step[some] = -np.linalg.solve(self._curvature(slopes)[np.ix_(some, some)], pull[some])
            freed.append(np.clip(place + np.clip(step, -PRIOR / 2, PRIOR / 2), -WIDEST, WIDEST))
        both = zip(zip(places, found), zip(freed, self._whole(freed)))
        return [min(((p, self.objection(p, r)) for p, r in pair), key=lambda one: one[1]) for pair in both]

    def _whole(self, places: Sequence[np.ndarray]) -> list[np.ndarray]:
        found = self._ask([(place, np.ones(self._points, bool)) for place in places])
        self.seen += zip(places, found)
        return found

    def _curvature(self, slopes: np.ndarray) -> np.ndarray:
        return slopes.T @ (self._weights[:, None] * slopes) / self._scale**2 + np.eye(self._count) / PRIOR**2
