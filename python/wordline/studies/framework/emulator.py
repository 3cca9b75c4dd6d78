# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Answers for the model where it has run near by often enough to know what it would say, and lets it run elsewhere.

For each point a few stages like those of a drive (_Stages) are fitted to the runs: they tell which resource limits, and
where another begins to. A Gaussian process (Matern 5/2, a length for each value, all of the greatest likelihood) learns
what they leave over of the logarithm of the rate. Where its standard deviation is below TOLERANCE the sum is the answer;
else the model runs, and the process learns the result. Of the answers that were given without a run every CHECKED-th is
run nevertheless: what it was off is kept, and told. The same questions have the same answers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import least_squares, minimize

Array = NDArray[np.float64]

TOLERANCE = 0.005  # of the logarithm: a sixth of what points are off, which adds a thirty-sixth to their variance
CHECKED = 40
_FIRST = 2  # runs for each coefficient of its stages before a point is learnt
_GROWN = 1.3  # so many times as many runs as when lengths were found: they are found again
_MOST = 300  # runs that lengths are found from
_ROOT5 = math.sqrt(5)
_STAGES = 3
_OUTLIER = 0.01  # of the logarithm: a run that is further off pulls the stages less


class _Stages:
    """The cycle of a closed loop: T = (sum of S_j^p)^(1/p) over stages j, S_j = a_j0 + sum of a_jk v_k over the values,
    each as it is (a time) or its reciprocal (a rate), and 1 / T the rate. With p = 1 times add up, as at low depth; with
    a large p the slowest stage alone counts, as at high depth."""

    def fit(self, x: Array, y: Array) -> None:
        """`y`: logarithms of rates at the logarithms `x` of values."""
        count = x.shape[1]
        trend = np.linalg.lstsq(np.column_stack([x, np.ones(len(x))]), y, rcond=None)[0]
        self._signs = np.where(trend[:-1] > 0, -1.0, 1.0)
        self._count = count
        each = -float(y.mean())  # of a stage that alone would do
        best = math.inf
        for power in (1.5, 2.5):
            for seed in (0, 1):
                spread = np.random.default_rng(seed).normal(0, 1, _STAGES * (count + 1))
                found = least_squares(
                    lambda logs: self._rates(logs, x)[0] - y,
                    np.append(each - math.log(count + 1) + spread, power),
                    jac=lambda logs: self._rates(logs, x)[1],
                    bounds=([each - 12] * len(spread) + [0], [each + 2] * len(spread) + [4]),
                    loss="soft_l1",
                    f_scale=_OUTLIER,
                    max_nfev=150,
                )
                if found.cost < best:
                    best, self._logs = found.cost, found.x

    def rate(self, x: Array) -> Array:
        return self._rates(self._logs, x)[0]

    def _rates(self, logs: Array, x: Array) -> tuple[Array, Array]:
        """Logarithms of rates, and their derivatives. `logs`: of the coefficients a by stage, and of p."""
        parts = np.column_stack([np.exp(self._signs * x), np.ones(len(x))])
        coefficients = np.exp(logs[:-1].reshape(_STAGES, self._count + 1))
        power = math.exp(logs[-1])
        times = parts @ coefficients.T
        raised = power * np.log(times)
        most = raised.max(1, keepdims=True)
        shares = np.exp(raised - most)
        total = shares.sum(1, keepdims=True)
        shares /= total
        cycle = (most + np.log(total))[:, 0] / power
        slopes = (shares / times)[:, :, None] * parts[:, None, :] * coefficients
        of_power = cycle - (shares * np.log(times)).sum(1)
        return -cycle, np.column_stack([-slopes.reshape(len(x), -1), of_power])


class _Process:
    """What is known of one point. `of`: the values that it depends on."""

    def __init__(self, of: Array):
        self.of = of
        self.known: dict[bytes, float] = {}
        self._x: list[Array] = []
        self._y: list[float] = []
        self._found_at = 0
        count = int(of.sum())
        # Lengths, deviation and noise, as logarithms.
        self._logs = np.array([0.0] * count + [math.log(0.01), math.log(2e-3)])
        self._bounds = [(math.log(0.1), math.log(20))] * count + [(math.log(1e-3), math.log(2)), (math.log(1e-4), -4.0)]
        self._stages = _Stages()
        self._first = _FIRST * (_STAGES * (count + 1) + 1)
        self._stale = True

    def learn(self, x: Array, y: float) -> None:
        self.known[x[self.of].tobytes()] = y
        self._x.append(x[self.of])
        self._y.append(y)
        self._stale = True

    def answer(self, x: Array) -> tuple[float, float]:
        """Mean and standard deviation."""
        at = x[self.of]
        if at.tobytes() in self.known:
            return self.known[at.tobytes()], 0.0
        if len(self._x) < self._first:
            return 0.0, math.inf
        if self._stale:
            self._solve()
        with_known = self._kernel(self._places, at[None, :])[:, 0]
        part = solve_triangular(self._root, with_known, lower=True)
        left = float(self._kernel(at[None, :], at[None, :])[0, 0] - part @ part)
        mean = float(self._stages.rate(at[None, :])[0]) + float(with_known @ self._weights)
        return mean, math.sqrt(max(left, 0.0))

    def _solve(self) -> None:
        self._places, values = np.array(self._x), np.array(self._y)
        if len(values) >= _GROWN * self._found_at:
            self._stages.fit(self._places, values)
            some = np.arange(len(values))[-_MOST:]
            places, wanted = self._places[some], values[some] - self._stages.rate(self._places[some])
            self._logs = minimize(
                lambda logs: self._unlikely(logs, places, wanted),
                self._logs,
                jac=True,
                method="L-BFGS-B",
                bounds=self._bounds,
                options={"maxiter": 60},
            ).x
            self._found_at = len(values)
        whole = self._kernel(self._places, self._places) + math.exp(2 * self._logs[-1]) * np.eye(len(values))
        self._root = cholesky(whole, lower=True)
        self._weights = cho_solve((self._root, True), values - self._stages.rate(self._places))
        self._stale = False

    def _kernel(self, a: Array, b: Array) -> Array:
        far = np.sqrt((((a[:, None, :] - b[None, :, :]) / np.exp(self._logs[:-2])) ** 2).sum(-1))
        near = (1 + _ROOT5 * far + 5 / 3 * far**2) * np.exp(-_ROOT5 * far)
        return math.exp(2 * self._logs[-2]) * near

    @staticmethod
    def _unlikely(logs: Array, places: Array, values: Array) -> tuple[float, Array]:
        """The negative logarithm of the likelihood, and its derivatives."""
        apart = ((places[:, None, :] - places[None, :, :]) / np.exp(logs[:-2])) ** 2
        far = np.sqrt(apart.sum(-1))
        fades = np.exp(-_ROOT5 * far)
        near = math.exp(2 * logs[-2]) * (1 + _ROOT5 * far + 5 / 3 * far**2) * fades
        noise = math.exp(2 * logs[-1]) * np.eye(len(values))
        try:
            root = cholesky(near + noise, lower=True)
        except np.linalg.LinAlgError:
            return 1e10, np.zeros(len(logs))
        weights = cho_solve((root, True), values)
        pull = cho_solve((root, True), np.eye(len(values))) - np.outer(weights, weights)
        slope = 5 / 3 * math.exp(2 * logs[-2]) * (1 + _ROOT5 * far) * fades
        slopes = [float((pull * slope * apart[:, :, i]).sum()) / 2 for i in range(places.shape[1])]
        slopes += [float((pull * near).sum()), float((pull * noise).sum())]
        return float(values @ weights) / 2 + float(np.log(np.diag(root)).sum()), np.array(slopes)


# IOPS of the points that each mask names, for each set of logarithms of factors; else NaN.
Rates = Callable[[Sequence[tuple[Array, NDArray[np.bool_]]]], list[Array]]


@dataclasses.dataclass
class Emulator:
    """`run`: lets the model run. `matters[value, point]`: whether the point depends on the value."""

    run: Rates
    matters: NDArray[np.bool_]
    answers: int = 0  # asked for
    ran: int = 0  # of these
    checks: list[tuple[int, float]] = dataclasses.field(default_factory=list)  # by point: log(emulated / run)

    def __post_init__(self) -> None:
        self._points = [_Process(self.matters[:, p]) for p in range(self.matters.shape[1])]
        self._emulated = 0

    def rates(self, sets: Sequence[tuple[Array, NDArray[np.bool_]]]) -> list[Array]:
        found = []
        for x, mask in sets:
            rates = np.full(len(mask), math.nan)
            wanted = np.zeros(len(mask), bool)
            checked = {}
            for p in np.flatnonzero(mask):
                mean, deviation = self._points[p].answer(x)
                self.answers += 1
                rates[p] = math.exp(mean)
                wanted[p] = deviation > TOLERANCE
                if 0 < deviation <= TOLERANCE:
                    self._emulated += 1
                    if self._emulated % CHECKED == 0:
                        checked[p] = mean
                        wanted[p] = True
            if wanted.any():
                (run,) = self.run([(x, wanted)])
                for p in np.flatnonzero(wanted):
                    self.ran += 1
                    rates[p] = run[p]
                    self._points[p].learn(x, math.log(run[p]))
                    if p in checked:
                        self.checks.append((p, checked[p] - math.log(run[p])))
            found.append(rates)
        return found

    def deviation(self, point: int | None = None) -> float:
        """Root of the mean square of what the checked answers, of one point or of all, were off."""
        off = self.checked(point)
        return math.sqrt(float(np.mean(np.square(off)))) if off else math.nan

    def checked(self, point: int | None = None) -> list[float]:
        return [off for p, off in self.checks if point in (None, p)]

    def runs(self, point: int) -> int:
        return len(self._points[point].known)
