# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""One idea a class: none in models/ and tlm/ with more methods or fields than fit on a page. Beyond it lie parts that
want an owner of their own.

usage: class_sizes_test.py ROOT
"""

import json
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
METHODS = 32  # without constructors, destructors and operators
FIELDS = 26


def sizes(folders: list[Path]) -> tuple[Counter, Counter]:
    """Methods and fields by (file, class), for every class that a file under the folders defines."""
    listing = subprocess.run(
        [
            "ctags",
            "--languages=C++",
            "--langmap=C++:.h.cpp",
            "--kinds-C++=pfmcs",
            "--fields=+sSZ",
            "--output-format=json",
            "--recurse",
            "-o",
            "-",
            *map(str, folders),
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    methods, fields, classes = set(), Counter(), set()
    for line in listing.splitlines():
        tag = json.loads(line)
        name, scope = tag["name"], tag.get("scope", "")
        if tag["kind"] in ("class", "struct"):
            classes.add((tag["path"], f"{scope}::{name}" if scope else name))
        elif tag.get("scopeKind") not in ("class", "struct"):
            continue
        elif tag["kind"] == "member":
            fields[tag["path"], scope] += 1
        elif tag["kind"] in ("prototype", "function"):
            bare = scope.rsplit("::", 1)[-1]
            if name not in (bare, "~" + bare) and not name.startswith("operator"):
                # A set: a definition beside its declaration is the same method.
                methods.add((tag["path"], scope, name, tag.get("signature", "")))
    by_class = Counter((file, scope) for file, scope, _, _ in methods)
    return (Counter({c: by_class[c] for c in classes}), Counter({c: fields[c] for c in classes}))


def large(folders: list[Path]) -> list[str]:
    methods, fields = sizes(folders)
    return [
        f"{file}: {name} has {methods[file, name]} methods and {fields[file, name]} fields; at most {METHODS} and {FIELDS}"
        for file, name in sorted(set(methods) | set(fields))
        if methods[file, name] > METHODS or fields[file, name] > FIELDS
    ]


class ClassSizes(unittest.TestCase):
    def test_no_class_is_larger_than_one_idea(self):
        methods, _ = sizes([ROOT / "models", ROOT / "tlm"])
        self.assertGreater(len(methods), 150, "ctags has found hardly any class")
        self.assertEqual(large([ROOT / "models", ROOT / "tlm"]), [])

    def test_a_large_class_is_found(self):
        def text(methods: int, fields: int) -> str:
            body = [f"  int m{i}(int a, int b) const;" for i in range(methods)]
            body += ["  Wide();", "  ~Wide();", "  Wide& operator=(const Wide&) = delete;", " private:"]
            body += [f"  int f{i}_ = 0;" for i in range(fields)]
            return "namespace n {\nclass Wide {\n public:\n" + "\n".join(body) + "\n};\n}\n"

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "wide.h"
            for methods, fields, found in ((METHODS, FIELDS, 0), (METHODS + 1, 0, 1), (0, FIELDS + 1, 1)):
                file.write_text(text(methods, fields))
                self.assertEqual(len(large([Path(folder)])), found, (methods, fields))


if __name__ == "__main__":
    unittest.main()
