# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Puts what a command prints now in place of the lines that a page shows of it. A shown line and its printed one have
the same skeleton, the text with every number replaced, and follow each other in the same order; of several the one with
the most numbers in common counts. So an excerpt stays an excerpt of the same lines.
"""

from __future__ import annotations

import re
from pathlib import Path

# With its unit of time, since 999.8 us may become 1.002 ms, or a bar of busy shares.
NUMBER = re.compile(r"[-+]*\d[\d,.]*(?: (?:ps|ns|us|ms|s)\b)?|\[[#.]+\]")


class NoPartner(Exception):
    """The line that nothing printed replaces."""


def says_something(line: str) -> bool:
    return line.strip() not in ("", "...")


def skeleton(line: str) -> str:
    """Without the blanks that set numbers of other widths into columns."""
    return " ".join(NUMBER.sub(" 0 ", line).split())


def common_numbers(a: str, b: str) -> int:
    return sum(x == y for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)))


def partners(shown: list[str], printed: list[str]) -> list[str]:
    """The printed line of each that is shown; raises NoPartner."""
    skeletons = [skeleton(line) for line in printed]
    # most[n]: numbers in common of the lines so far, with partners of the first n printed lines; None: some have none.
    most: list[int | None] = [0] * (len(printed) + 1)
    choices = []
    for line in shown:
        wanted = skeleton(line)
        now: list[int | None] = [None]
        choice: list[int | None] = [None]  # partner of `line`
        for at, other in enumerate(printed):
            now.append(now[at])
            choice.append(choice[at])
            before = most[at]
            if before is None or skeletons[at] != wanted:
                continue
            common = before + common_numbers(line, other)
            if now[-1] is None or common > now[-1]:
                now[-1], choice[-1] = common, at
        if now[-1] is None:
            raise NoPartner(line)
        most = now
        choices.append(choice)
    found, end = [], len(printed)
    for choice in reversed(choices):
        end = choice[end]
        found.append(printed[end])
    return found[::-1]


def rewrite(page: Path, shown: list[tuple[int, str]], printed: list[str]) -> tuple[str, str]:
    """Writes the page anew. `shown`: lines of one block, with their numbers. What is wrong, or else what was done."""
    kept = [(number, line) for number, line in shown if says_something(line)]
    try:
        found = partners([line for _, line in kept], printed)
    except NoPartner as line:
        return f"left as it is, nothing printed is like: {line}", ""
    lines = page.read_text().splitlines()
    changed = 0
    for (number, old), new in zip(kept, found):
        before = lines[number - 1]
        lines[number - 1] = (before[: len(before) - len(old)] + new).rstrip()
        changed += lines[number - 1] != before
    page.write_text("\n".join(lines) + "\n")
    return "", f"{changed} of {len(kept)} lines rewritten"
