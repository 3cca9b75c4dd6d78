# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Percentiles of writes in bursts of many lengths over calm streams: what those of the thesis on process similarity hang on,
which names neither."""

from __future__ import annotations

import statistics
from typing import Protocol

from ..framework.study import Results, ask


class Asked(Protocol):
    """What is needed of the study."""

    burst_lengths: list[int]
    calm_rates: list[int]


class Percentiles:
    """By writes of a burst and writes a second of the calm stream; with the thesis' times, free firmware."""

    def __init__(self, study: Asked, results: Results):
        self.study, self.results = study, results

    def of(self, ftl: str, which: str, burst: int, rate: int) -> float:
        """In ms."""
        result = self.results.get(part="percentiles", burst=burst, rate=rate, ftl=ftl, cpu="native")
        return result["ios"]["write"]["lat_ps"][which] / 1e9

    def shorter_p80(self, burst: int, rate: int) -> float:
        """Per cent that cubeFTL is below cubeFTL-."""
        return 100 * (1 - self.of("cube", "p80", burst, rate) / self.of("cube-", "p80", burst, rate))

    def ratio_p90(self, burst: int, rate: int) -> float:
        """pageFTL over cubeFTL."""
        return self.of("page", "p90", burst, rate) / self.of("cube", "p90", burst, rate)

    def summary(self) -> str:
        """What p80 says over all of them; empty where they have not run."""
        lengths, rates = self.study.burst_lengths, self.study.calm_rates
        found = [
            (gain, burst, rate)
            for rate in rates
            for burst in lengths
            if (gain := ask(self.shorter_p80, burst, rate)) is not None
        ]
        if not found:
            return ""
        most, burst, rate = max(found)
        return (
            f"{len(found)} loads, bursts of {lengths[0]} to {lengths[-1]} writes over {rates[0]} to {rates[-1]} a second: "
            f"{min(found)[0]:.0f} to {most:.0f} %, the most with {burst} over {rate}, {statistics.median_low(found)[0]:.0f} % in "
            "the middle"
        )
