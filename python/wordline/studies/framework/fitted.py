# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A key whose value is searched."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from .points import StudyError


@dataclasses.dataclass(frozen=True)
class Fitted:
    """A key and its start: a number with a unit, or a list of them that keep their ratio."""

    key: str
    start: Any

    def at(self, factor: float) -> Any:
        """The value, so many times the start; five digits."""

        def scaled(value: Any) -> Any:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return float(f"{value * factor:.5g}")
            number = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z/]*)\s*", value) if isinstance(value, str) else None
            if number is None:
                raise StudyError(f"{self.key} = {self.start}: expected a number with a unit, or a list of them")
            return f"{float(number[1]) * factor:.5g}{number[2]}"

        return [scaled(value) for value in self.start] if isinstance(self.start, list) else scaled(self.start)
