# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The search of `wordline fit`, on functions whose answer is known.

usage: fit_test.py ROOT
"""

import math
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
from wordline.studies.fit import Fitted, least_squares, split  # noqa: E402
from wordline.studies.framework.points import StudyError  # noqa: E402
from wordline.studies.real_drive import Measured, Series  # noqa: E402

DEPTHS = np.array([1.0, 2, 4, 8, 16, 32, 64, 128, 256])


def throughput(service: float, limit: float) -> np.ndarray:
    """Of a closed loop: a latency at low depth, a bound at high depth, and a soft knee between."""
    return (DEPTHS / service) / (1 + (DEPTHS / service / limit) ** 4) ** 0.25


class LeastSquares(unittest.TestCase):
    def test_finds_the_values_that_made_the_points(self) -> None:
        measured = throughput(70.0, 0.43)
        solution = least_squares(
            lambda sets: [np.log(throughput(50.0 * a, 0.8 * b) / measured) for a, b in sets], 2, 20
        )
        self.assertAlmostEqual(50.0 * solution.factors[0], 70.0, places=2)
        self.assertAlmostEqual(0.8 * solution.factors[1], 0.43, places=4)
        self.assertLess(max(abs(solution.residuals)), 1e-4)
        self.assertLess(max(solution.errors), 1e-3)

    def test_errors_grow_with_what_is_left_over(self) -> None:
        noise = np.array([1, -1, 1, -1, 1, -1, 1, -1, 1]) * 0.03
        measured = throughput(70.0, 0.43) * np.exp(noise)
        solution = least_squares(
            lambda sets: [np.log(throughput(50.0 * a, 0.8 * b) / measured) for a, b in sets], 2, 20
        )
        for factor, true in zip(solution.factors, (70.0 / 50, 0.43 / 0.8)):
            self.assertLess(abs(factor / true - 1), 0.03)
        # Of five points that a value sets, whose noise is 3 %: 3 % / sqrt(5) = 1.3 %, somewhat more for the knee.
        for error in solution.errors:
            self.assertTrue(0.008 < error < 0.03, error)

    def test_a_value_that_changes_nothing_is_not_determined(self) -> None:
        measured = throughput(70.0, 0.43)
        solution = least_squares(lambda sets: [np.log(throughput(70.0, 0.5 * b) / measured) for _, b in sets], 2, 20)
        self.assertTrue(math.isnan(solution.errors[0]))
        self.assertAlmostEqual(0.5 * solution.factors[1], 0.43, places=3)

    def test_two_that_act_alike_are_not_told_apart(self) -> None:
        measured = throughput(70.0, 0.43)
        solution = least_squares(
            lambda sets: [np.log(throughput(50.0 * a * b, 0.43) / measured) for a, b in sets], 2, 20
        )
        self.assertAlmostEqual(50.0 * solution.factors[0] * solution.factors[1], 70.0, places=1)
        self.assertTrue(all(map(math.isnan, solution.errors)))


class Values(unittest.TestCase):
    def test_scaled_with_their_unit(self) -> None:
        self.assertEqual(Fitted("channels.rate", "560MT/s").at(1.25), "700MT/s")
        self.assertEqual(Fitted("nand.timing.t_r", ["51us", "63.5us"]).at(0.5), ["25.5us", "31.75us"])
        self.assertEqual(Fitted("ftl.over_provisioning", 0.07).at(2), 0.14)
        for wrong in ("sequential", True, ["51us", "fast"]):
            with self.assertRaisesRegex(StudyError, "precondition.fill = .*: expected a number with a unit"):
                Fitted("precondition.fill", wrong).at(1)

    def test_half_of_the_points_are_kept_aside(self) -> None:
        points = tuple(Measured(qd, 1.0, {}) for qd in (1, 2, 4, 8, 16))
        series = Series("reads", "randread", "4k", 1, 0, (), True, "", 1, "", {}, points)
        chosen, kept = split([series], True)
        self.assertEqual([measured.qd for _, measured in chosen], [1, 4, 16])
        self.assertEqual([measured.qd for _, measured in kept], [2, 8])
        self.assertEqual([len(part) for part in split([series], False)], [5, 0])


if __name__ == "__main__":
    unittest.main()
