# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands of the documentation do what the pages show: each block of commands is run in a copy of the tree, and what it
prints is compared with the lines that the page prints (testbenches/scripts/doc_pages.py says which these are).

usage: docs_commands_test.py [--rewrite] ROOT BUILD SCRATCH [PAGE...]

Blocks behind <!-- by hand: REASON --> are left out. No window opens: gtkwave is one here that looks for its files.

--rewrite puts what is printed into the pages in place of what they show (testbenches/scripts/doc_rewrite.py).
A block of which a line is printed no more, not even with other numbers, is left as it is, and is wrong.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
import doc_pages  # noqa: E402
import doc_rewrite  # noqa: E402
from doc_pages import Block  # noqa: E402

# A block that takes longer is named at the end, and is no failure: the same block takes twice the time on busy cores.
LONG_CPU_SECONDS = 30
VIEWER = """#!/bin/bash
for word; do
  [[ $word == -* || -e $word ]] || { echo "gtkwave: no $word" >&2; exit 1; }
done
"""


def make_tree(root: Path, build: Path, scratch: Path) -> dict[str, str]:
    """Links to what the commands read; pictures and pages are copied, since some commands write them. The environment."""
    shutil.rmtree(scratch, ignore_errors=True)
    for folder in ("build", "bin"):
        (scratch / folder).mkdir(parents=True)
    (scratch / "build/release").symlink_to(build)
    for entry in root.iterdir():
        if entry.name not in ("build", "docs", "out", ".git"):
            (scratch / entry.name).symlink_to(entry)
    shutil.copytree(root / "docs", scratch / "docs")
    (scratch / "bin/gtkwave").write_text(VIEWER)
    (scratch / "bin/gtkwave").chmod(0o755)
    return os.environ | {
        "PATH": f"{scratch / 'bin'}:{os.environ['PATH']}",
        "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1",
        "LC_ALL": "C.UTF-8",
        "MPLBACKEND": "agg",
        "DISPLAY": ":0",  # for the viewer here, which opens no window
        "PYTHONPATH": str(root / "python"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def shown_for(blocks: list[Block], at: int) -> list[tuple[int, str]]:
    """The lines that the page shows as the output of block `at`, with their numbers."""
    block = blocks[at]
    if block.printed_by:
        return block.numbered()
    if block.has_prompts or at + 1 == len(blocks):
        return block.printed()
    following = blocks[at + 1]
    shows = following.section == block.section and not (following.language or following.is_commands)
    return following.numbered() if shows and not (following.by_hand or following.printed_by) else []


def first_difference(shown: list[str], printed: list[str]) -> str:
    """Every line that is shown is printed, in the order of the page."""
    rest = iter([line.rstrip() for line in printed])
    for line in (line.rstrip() for line in shown):
        if doc_rewrite.says_something(line) and line not in rest:
            return f"not printed, or not here: {line}"
    return ""


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rewrite", action="store_true", help="put what is printed into the pages")
    for name in ("root", "build", "scratch"):
        parser.add_argument(name, type=lambda word: Path(word).resolve())
    parser.add_argument("pages", nargs="*", type=lambda word: Path(word).resolve())
    arguments = parser.parse_args()
    root, scratch = arguments.root, arguments.scratch
    environment = make_tree(root, arguments.build, scratch)
    failures = run = compared = 0
    long = []
    for page in arguments.pages or doc_pages.pages(root):
        blocks = doc_pages.parse(page)[1]
        for at, block in enumerate(blocks):
            runs = block.printed_by or block.is_python or (block.is_commands and not block.has_placeholders)
            if not runs or block.by_hand:
                continue
            before = cpu_seconds()
            command = ["bash", "-euo", "pipefail", "-c", block.printed_by or block.script()]
            if block.is_python:
                command = [str(scratch / ".venv/bin/python"), "-c", "\n".join(block.lines)]
            done = subprocess.run(command, cwd=scratch, env=environment, stdout=-1, stderr=subprocess.STDOUT, text=True)
            seconds = cpu_seconds() - before
            shown, printed, says = shown_for(blocks, at), done.stdout.splitlines(), ""
            wrong = first_difference([line for _, line in shown], printed)
            if done.returncode != 0:
                wrong = f"exit code {done.returncode}: " + "\n".join(printed[-8:])
            elif wrong and arguments.rewrite:
                wrong, says = doc_rewrite.rewrite(page, shown, printed)
            run, compared = run + 1, compared + bool(shown)
            failures += bool(wrong)
            if seconds > LONG_CPU_SECONDS:
                long.append(f"{page.name}:{block.line}")
            print(
                f"{page.name}:{block.line}: {seconds:.1f} CPU seconds{', compared' if shown else ''}. {wrong or says}",
                flush=True,
            )
    if long:
        print(f"more than {LONG_CPU_SECONDS} CPU seconds, a reader waits: {', '.join(long)}")
        print("<!-- by hand: so long --> omits a block")
    print(f"{run} blocks run, {compared} compared with what the page shows, {failures} wrong")
    return 1 if failures or not run else 0


if __name__ == "__main__":
    sys.exit(main())
