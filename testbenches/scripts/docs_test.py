# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Nothing that the documentation names is missing: links, anchors, pictures, commands with their options and files, tests,
keys of the configuration, statistics.

usage: docs_test.py ROOT BUILD
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import doc_pages

ROOT, BUILD = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "python"))
from wordline.studies.framework.points import image_hash  # noqa: E402

PROGRAM, PYTHON = BUILD / "wordline", ROOT / ".venv/bin/python"
STUDIES = re.findall(
    r"\w+", re.search(r"^  (\w+( \| \w+)*)\)$", (ROOT / "scripts/wordline").read_text(), re.MULTILINE)[1]
)
FILE_OPTIONS = ("-w", "--workload", "--firmware", "--placements")
OWN_FOLDERS = ("configs/", "examples/", "waves/", "testbenches/", "docs/", "models/", "rtl/", "tlm/", "scripts/")
LINK = re.compile(r"!?\[(?:[^\]\\`]|`[^`]*`|\\.)*\]\(([^)\s]+)\)")
DOTTED = re.compile(r"([a-z]\w*)((?:\.[\w*]+(?:\[\])?)+)( ?=.*)?")
OF_A_FILE = re.compile(r"\.(toml|cpp|hpp|h|c|S|md|py|fio|json|csv|def|gtkw|fst|gz|sv|svh|rdl|txt|elf|ld)$")

# Words that look like keys and are none.
EXCEPTIONS = {
    "engines.histogram": "the engine that docs/extending.md adds",
    "check.blocks_checked": "the statistic that docs/extending.md adds",
}


def run(*words: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True)


@cache
def help_of(*command: str) -> tuple[dict[str, bool], list[str]]:
    """Options of a command, each with whether a value follows, and its subcommands."""
    done = run(*command, "--help")
    assert done.returncode == 0, f"{' '.join(command)} --help: {done.stderr}"
    options: dict[str, bool] = {}
    for line in re.findall(r"^\s+(-\S.*)$", done.stdout, re.MULTILINE):
        words = re.split("  | Excludes:| Needs:", line)[0].replace(",", " ").split()
        names = [word for word in words if word.startswith("-")]
        after = [word for last, word in zip(words, words[1:]) if last.startswith("-") and not word.startswith("-")]
        value = any(re.fullmatch(r"[A-Z][A-Z0-9_=,:.\[\]-]*|.*[|{].*", word) for word in after)
        options |= {name: value for name in names}
    return options, re.findall(r"^  (\w\S*)", done.stdout.partition("Subcommands:")[2], re.MULTILINE)


def leaves(schema: dict[str, Any], at: str = "") -> set[str]:
    """Every key and every table, by dotted name."""
    found: set[str] = set()
    for name, inner in schema.get("properties", {}).items():
        found |= {at + name} | leaves(inner, f"{at}{name}.")
    for inner in [schema.get("items"), *schema.get("anyOf", [])]:
        found |= leaves(inner, at) if inner else set()
    return found


KEYS = leaves(json.loads(run(PROGRAM, "explain", "--json-schema").stdout))
STATISTICS = set(re.findall(r"^\| `([^`]+)` \|", run(PROGRAM, "statistics", "--markdown").stdout, re.MULTILINE))
PROFILE_KEYS = set(
    re.findall(r'\{"([a-z_.]+)", Kind::', (ROOT / "models/workload/profile/parameter_keys.cpp").read_text())
)
SECTIONS = {name.split(".")[0].removesuffix("[]") for name in KEYS | STATISTICS}


@cache
def is_statistic(name: str) -> bool:
    """A name, its beginning or, with a placeholder, its form; 'ios.read' is of the form 'ios.OP'."""
    asked = name.split(".")
    for known in STATISTICS:
        parts = known.replace("[]", "").split(".")
        if len(parts) >= len(asked) and all(a in (p, "*") or p.isupper() for a, p in zip(asked, parts)):
            return True
    return False


def is_placeholder(word: str) -> bool:
    return doc_pages.is_placeholder(word) or word.startswith(("/", "[", "...")) or "$" in word


class Commands:
    """What is wrong with a command."""

    def __init__(self, made: set[str]) -> None:
        self.made = made  # files that the block makes itself

    def file(self, word: str) -> list[str]:
        if is_placeholder(word) or word.split("/")[0] in ("out", "build", "..") or word in self.made:
            return []
        return [] if list(ROOT.glob(word.removeprefix("./"))) else [f"no file {word}"]

    def options(self, command: list[str], words: list[str]) -> tuple[list[str], list[str]]:
        """Complaints, and the words that are no options."""
        known, _ = help_of(*command)
        wrong: list[str] = []
        rest: list[str] = []
        words = list(words)
        while words:
            word = words.pop(0)
            name, given, value = word.partition("=") if word.startswith("--") else (word, "", "")
            if not re.match(r"-[a-zA-Z-]", word):
                rest.append(word)
            elif name not in known:
                wrong.append(f"{Path(command[-1]).name} takes no {name}")
            elif known[name]:
                value = value if given else words.pop(0) if words else ""
                if name in ("--set", "--grid") and value.split("=")[0] not in KEYS and not is_placeholder(value):
                    wrong.append(f"no key {value.split('=')[0]}")
                elif name in FILE_OPTIONS and value != "all":
                    wrong += self.file(value)
        return wrong, rest

    def wordline(self, words: list[str], whole: bool) -> list[str]:
        command = [str(PROGRAM)]
        if words and words[0] in STUDIES:
            command = [str(ROOT / "scripts/wordline"), words.pop(0)]
        while words and words[0] in help_of(*command)[1]:
            command.append(words.pop(0))
        if help_of(*command)[1] and words and not words[0].startswith("-") and command[-1] != "explore":
            return [] if is_placeholder(words[0]) else [f"wordline has no {' '.join([*command[1:], words[0]])}"]
        wrong, rest = self.options(command, words)
        if command[-1] in ("explain", "statistics"):
            return wrong + [f"{command[-1]} knows no {name}" for name in rest if not self._explains(command[-1], name)]
        if command[-1] not in ("reproduce", "view", "rtl-block"):
            wrong += [line for word in rest for line in self.file(word)]
        drives = len(command) == 2 and command[-1] in (
            "run",
            "check",
            "print-config",
            "snapshot",
            "partition",
            "explore",
        )
        if (command[-1] == "explore" and "--grid" not in words) or (rest and rest[0].startswith("out/")):
            drives = False  # a study, not a drive; or one that the page makes
        if (
            not wrong
            and whole
            and drives
            and rest
            and not any(is_placeholder(word) or is_placeholder(word.rpartition("=")[2]) for word in [rest[0], *words])
        ):
            sets = [word for at, word in enumerate(words) if word == "--set" or words[at - 1] == "--set"]
            done = run(PROGRAM, "check", rest[0], *sets)
            wrong += [done.stderr.strip()] if done.returncode != 0 else []
        return wrong

    @staticmethod
    def _explains(command: str, name: str) -> bool:
        return is_placeholder(name) or name in EXCEPTIONS or run(PROGRAM, command, name).returncode == 0

    def check(self, words: list[str], whole: bool = True) -> list[str]:
        """whole: from a fenced block; a command in a sentence may leave things out."""
        name = re.sub(r"^(\./|(\.\./\w+/))*", "", words[0])
        if name.startswith(("~/", "/tmp/")):  # what the reader has installed or built there
            return self.wordline(list(words[1:]), whole) if name.endswith("/wordline") else []
        rest = words[1:]
        if name in ("wordline", "scripts/wordline") or re.fullmatch(r"build/\w+/wordline", name):
            return self.wordline(list(rest), whole)
        if name == ".venv/bin/python":
            if not rest or not (ROOT / rest[0]).is_file():
                return [f"no script {' '.join(rest[:1])}"]
            return self.options([str(PYTHON), str(ROOT / rest[0])], rest[1:])[0]
        if name.startswith(("scripts/", "testbenches/")) and not re.search(r"[A-Z]{3}", name):
            script = ROOT / name
            if not script.is_file():
                return [f"no script {name}"]
            if not script.read_text().startswith("#!/usr/bin/env python3"):
                return []
            wrong, others = self.options([str(PYTHON), str(script)], rest)
            return wrong + [line for word in others if word.startswith(OWN_FOLDERS) for line in self.file(word)]
        if name.startswith("build/"):
            target = name.split("/")[-1]
            named = any(re.search(rf"\b{target}\b", file.read_text()) for file in ROOT.glob("*/**/CMakeLists.txt"))
            return [] if named or is_placeholder(target) else [f"nothing builds {name}"]
        if name == "ctest" and "-R" in rest:
            tests = re.findall(r"#\d+: (\S+)", run("ctest", "--test-dir", BUILD, "-N").stdout)
            wanted = re.compile(rest[rest.index("-R") + 1])
            # Tests of a program that is not built have no names yet.
            return [] if any(wanted.search(name) or name.endswith("_NOT_BUILT") for name in tests) else ["no such test"]
        wrong = [line for word in rest if word.startswith(OWN_FOLDERS) for line in self.file(word)]
        return wrong if name in (*doc_pages.TOOLS, "ctest") or not whole else [f"what is {name}?"]


@cache
def anchors_of(page: Path) -> set[str]:
    """Of the headings, as GitHub makes them."""
    found: dict[str, int] = {}
    names: set[str] = set()
    for _, line in doc_pages.parse(page)[0]:
        if re.match(r"#+ ", line):
            words = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            names.add(f"{words}-{found[words]}" if words in found else words)
            found[words] = found.get(words, 0) + 1
    return names


def link_is_wrong(page: Path, target: str) -> bool:
    if re.match(r"[a-z]+:", target):
        return False
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    return not file.exists() or bool(anchor and file.suffix == ".md" and anchor not in anchors_of(file))


def key_is_wrong(code: str) -> bool:
    found = DOTTED.fullmatch(code)
    if found is None or found[1] not in SECTIONS or OF_A_FILE.search(found[1] + found[2]):
        return False
    name = (found[1] + found[2]).removesuffix(".*").replace("[]", "")
    known = name in KEYS | PROFILE_KEYS | EXCEPTIONS.keys() or is_statistic(name)
    return not known and not any(map(str.isupper, name.split(".")))


def check(page: Path) -> list[str]:
    """Of a page, or of data that the site shows as a table."""
    prose, blocks = doc_pages.parse(page)
    wrong: list[str] = []
    for number, line in prose:
        words = [f"no target of the link {target}" for target in LINK.findall(line) if link_is_wrong(page, target)]
        for code in re.findall(r"(?<!`)`([^`]+)`(?!`)", line):
            if key_is_wrong(code):
                words.append(f"no key and no statistic: {code}")
            if re.match(r"(\./)?scripts/\w|wordline \w|ctest -R", code):
                commands = doc_pages.commands_of(code)
                words += [f"`{code}`: {text}" for command in commands for text in Commands(set()).check(command, False)]
        wrong += [f"{page.relative_to(ROOT)}:{number}: {text}" for text in words]
    for block in blocks:
        script = block.printed_by or block.script()
        if block.is_commands or block.printed_by:
            for command in doc_pages.commands_of(script):
                for text in Commands(set(re.findall(r"> ?(\S+)", script))).check(command):
                    wrong.append(f"{page.relative_to(ROOT)}:{block.line}: `{' '.join(command)[:60]}`: {text}")
    return wrong


def results_of_another_image() -> list[str]:
    """Results that ran on the cores with firmware that is not this tree's: their columns `iss` are older."""
    own = image_hash(BUILD / "firmware/firmware.elf")
    results = sorted((ROOT / "docs/results").glob("*.json"))
    assert results, "docs/results has none"
    return [path.name for path in results if json.loads(path.read_text())["image"] != own]


def main() -> int:
    if older := results_of_another_image():
        print(
            f"docs/results: {', '.join(older)}: iss columns are of another firmware image; reproduce --pages makes them"
        )
    pages = [*doc_pages.pages(ROOT), *sorted((ROOT / "docs/data").glob("*.csv"))]
    wrong = [line for page in pages for line in check(page)]
    print("\n".join(wrong))
    print(f"{len(pages)} pages, {len(wrong)} things that are not there")
    return 1 if wrong or len(pages) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
