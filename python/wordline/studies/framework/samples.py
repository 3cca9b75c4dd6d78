# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What few samples say of a mean: Student's t."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Sequence


def probability_within(t: float, freedom: int) -> float:
    """The probability that a t of so many degrees of freedom is within +-t: Abramowitz and Stegun 26.7.3 and 26.7.4."""
    theta = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(theta), math.cos(theta)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = 0.0
    for power in range(odd, freedom - 1, 2):
        total += term
        term *= cosine * cosine * (power + 1) / (power + 2)
    return 2 / math.pi * (theta + sine * total) if odd else sine * total


@functools.cache
def quantile(freedom: int, within: float = 0.95) -> float:
    """The t that holds so much between -t and t."""
    low, high = 0.0, 1.0
    while probability_within(high, freedom) < within:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if probability_within(middle, freedom) < within else (low, middle)
    return high


def half_interval(values: Sequence[float]) -> float:
    """Half of the 95 % interval of the mean. At least two values."""
    return quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
