# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The pages of the documentation, and the commands of their fenced blocks.

A block is one of commands when its first line begins with one. When commands in it begin with "$ ", the other lines are what
these print; else the block that follows in the same section, if it has no language, is. It may leave lines out. A block behind
<!-- printed by: COMMAND --> is what that command prints; behind <!-- by hand: REASON -->, no test runs it. A block of Python
is run, too, by the Python of the clone.
A word in capitals, and a file whose name begins with "my", stand for something of the reader's; a block with one is not run.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(\s*)```+(\w*)\s*$")
MARK = re.compile(r"^\s*<!-- (by hand|printed by): (.+) -->\s*$")
PLACEHOLDER = re.compile(r"my|[A-Z][A-Z_:]*(\b|$)")
TOOLS = "gtkwave gdb-multiarch ninja git cmake printf find riscv64-unknown-elf-gcc cmp sed echo cat docker apt-get python3".split()
COMMAND = re.compile(
    r"(\$ |(\.{1,2}/)*(scripts|build|testbenches|\.venv)/\S+( |$)|wordline |ctest |for |[A-Z_]+=\S+ |(%s)( |$))"
    % "|".join(TOOLS)
)


@dataclass
class Block:
    page: Path
    line: int  # of the first line inside
    language: str
    lines: list[str]
    by_hand: str
    printed_by: str
    section: int  # blocks of one section have the same number

    @property
    def is_commands(self) -> bool:
        first = next((line for line in self.lines if line.strip() and not line.startswith("#")), "")
        return self.language in ("", "sh", "bash", "console") and bool(COMMAND.match(first))

    @property
    def is_python(self) -> bool:
        return self.language == "python"

    @property
    def has_prompts(self) -> bool:
        return any(line.startswith("$ ") for line in self.lines)

    @property
    def has_placeholders(self) -> bool:
        return any(is_placeholder(word) for words in commands_of(self.script()) for word in words[1:])

    def script(self) -> str:
        """What a shell is to run."""
        if not self.has_prompts:
            return "\n".join(self.lines) + "\n"
        taken, goes_on = [], False
        for line in self.lines:
            if goes_on or line.startswith("$ "):
                taken.append(line if goes_on else line[2:])
                goes_on = line.endswith("\\")
        return "\n".join(taken) + "\n"

    def numbered(self) -> list[tuple[int, str]]:
        """The lines with their numbers in the page."""
        return list(enumerate(self.lines, self.line))

    def printed(self) -> list[tuple[int, str]]:
        """The lines of a block with prompts that are no commands, with their numbers in the page."""
        kept, goes_on = [], False
        for number, line in self.numbered():
            is_command = goes_on or line.startswith("$ ")
            goes_on = is_command and line.endswith("\\")
            if not is_command:
                kept.append((number, line))
        return kept if self.has_prompts else []


def is_placeholder(word: str) -> bool:
    return bool(PLACEHOLDER.match(word))


def pages(root: Path) -> list[Path]:
    return [root / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")] + sorted(
        [*(root / "docs").rglob("*.md"), *(root / "examples").rglob("*.md")]
    )


def parse(page: Path) -> tuple[list[tuple[int, str]], list[Block]]:
    """Lines of prose with their numbers, and fenced blocks."""
    prose: list[tuple[int, str]] = []
    blocks: list[Block] = []
    inside: Block | None = None
    marks: dict[str, str] = {}
    section = indent = 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if inside is not None and fence:
            inside = None
        elif inside is not None:
            inside.lines.append(line[min(indent, len(line) - len(line.lstrip())) :])
        elif fence:
            indent = len(fence[1])
            inside = Block(
                page, number + 1, fence[2], [], marks.get("by hand", ""), marks.get("printed by", ""), section
            )
            blocks.append(inside)
            marks = {}
        else:
            prose.append((number, line))
            section += line.startswith("#")
            marked = MARK.match(line)
            marks = marks | {marked[1]: marked[2]} if marked else {} if line.strip() else marks
    if inside is not None:
        raise SystemExit(f"{page}:{inside.line}: a fence that nothing closes")
    return prose, blocks


def commands_of(script: str) -> list[list[str]]:
    """Simple commands of a shell script, as words, without assignments before them and without redirections."""
    script = re.sub(r"(^|\s)#\s.*$", "", script.replace("\\\n", " "), flags=re.MULTILINE)
    script = re.sub(r"\$\(\(.*?\)\)", "$COUNT", script)
    lexer = shlex.shlex(script.replace("\n", " ; "), posix=True, punctuation_chars=";|&<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    found: list[list[str]] = [[]]
    redirected = False
    for word in lexer:
        if set(word) <= set(";|&") and word:
            found.append([])
        elif set(word) <= set("<>&"):
            redirected = True
        elif redirected:
            redirected = False
        elif word in ("do", "done", "then", "fi") and not found[-1]:
            continue
        elif found[-1] or not re.fullmatch(r"\w+=.*", word):
            found[-1].append(word)
    return [words for words in found if words and words[0] not in ("for", "set", "if", "cd", "export")]
