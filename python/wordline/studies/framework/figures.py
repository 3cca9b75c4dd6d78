# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of a paper by the words that name their place: "Fig. 23(a)", "Figs.6 and 7", "Sec. 4.1.2", "Slide Observation"."""

from __future__ import annotations

import re

_NUMBERS = re.compile(r"\bFigs?\.\s*((?:\d+(?:\([a-z](?:,[a-z])*\))?(?:\s*(?:and|,|/)\s*(?=\d))?)+)")
_ONE = re.compile(r"(\d+)(?:\(([a-z,]+)\))?")


def figures_of(where: str) -> list[str]:
    """ "5"; "23a" of "Fig. 23(a)"; both of "Figs.6 and 7". Empty: it names none."""
    found = []
    for numbers in _NUMBERS.findall(where):
        for number, letters in _ONE.findall(numbers):
            found += [number + letter for letter in letters.split(",")] if letters else [number]
    return found


def is_about(where: str, asked: str) -> bool:
    """`asked`: a figure ("5", "fig 5", "23a"; "23" is all of 23), or words of the place."""
    number = re.fullmatch(r"(?:fig(?:ure)?s?\.?\s*)?(\d+)\s*\(?([a-z]?)\)?", asked.strip(), re.IGNORECASE)
    if number:
        wanted = number[1] + number[2].lower()
        return any(
            figure == wanted or figure == wanted + figure[-1] and figure[-1].isalpha() for figure in figures_of(where)
        )
    return asked.casefold() in where.casefold()
