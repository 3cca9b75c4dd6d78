# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The points that a study is about: axes, every combination of which is a point, less what constraints exclude."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .points import StudyError


@dataclasses.dataclass(frozen=True)
class Axis:
    """A key with its values. Further keys may change together with it: as many values each, the same one at a time."""

    key: str
    values: tuple[str, ...]
    others: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @staticmethod
    def parse(text: str) -> "Axis":
        """KEY=A,B,C; a value in brackets may hold commas."""
        key, equals, values = text.partition("=")
        found = tuple(value.strip() for value in re.findall(r"\[[^\]]*\]|[^,\[\]]+", values))
        if not key or not equals or not found:
            raise StudyError(f"--grid {text}: expected KEY=VALUE,VALUE,... such as channels.count=2,4,8")
        if len(set(found)) != len(found):
            raise StudyError(f"--grid {text}: a value stands twice")
        return Axis(key, found)

    def keys(self) -> list[str]:
        return [self.key, *(key for key, _ in self.others)]

    def step(self, index: int) -> dict[str, str]:
        return {self.key: self.values[index], **{key: values[index] for key, values in self.others}}


def keys_of(axes: Sequence[Axis]) -> list[str]:
    return [key for axis in axes for key in axis.keys()]


Step = tuple[int, ...]  # step of each axis, which of its values
Known = Mapping[Step, Sequence[float | None]]  # losses that are known before a run; null: not this one


def steps_of(axes: Sequence[Axis]) -> Iterator[Step]:
    """Every combination; the last axis changes first."""
    return itertools.product(*(range(len(axis.values)) for axis in axes))


def combinations(axes: Sequence[Axis]) -> int:
    """How many steps_of() gives."""
    return math.prod(len(axis.values) for axis in axes)


def values_at(axes: Sequence[Axis], step: Step) -> dict[str, str]:
    return {key: value for axis, index in zip(axes, step) for key, value in axis.step(index).items()}


def typed(text: str) -> Any:
    """A value as a study file writes it, of the text that --set takes."""
    try:
        return json.loads(text)
    except ValueError:
        return text
