# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Every field of the configuration has a key: a row of a table in models/config names it. That every row moves a field of
its own is the test of the schema (testbenches/models/config/schema_test.cpp).

usage: config_fields_test.py ROOT
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CONFIG = Path(sys.argv.pop(1)) / "models/config"
HEADERS = [CONFIG / "config.h", CONFIG / "nand.h"]


def fields(headers: list[Path]) -> dict[str, set[str]]:
    """Names of the members of every struct, but constants and those that are such structs themselves."""
    listing = subprocess.run(
        [
            "ctags",
            "--languages=C++",
            "--langmap=C++:.h",
            "--kinds-C++=ms",
            "--fields=+sSZt",
            "--output-format=json",
            "-o",
            "-",
            *map(str, headers),
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    tags = [json.loads(line) for line in listing.splitlines()]
    structs = {tag["name"] for tag in tags if tag["kind"] == "struct"}
    found: dict[str, set[str]] = {}
    for tag in tags:
        if re.match("k[A-Z]", tag["name"]):
            continue
        if tag["kind"] == "member" and tag.get("typeref", "").split(":")[-1] not in structs:
            found.setdefault(tag["scope"].split("::")[-1], set()).add(tag["name"])
    return found


def reachable(header: str) -> set[str]:
    """Structs of which Config is made: named in it, or in one of those."""
    bodies = dict(re.findall(r"^struct (\w+)(?: : [^{]*)? \{\n(.*?)^\};", header, re.MULTILINE | re.DOTALL))
    bases = dict(re.findall(r"^struct (\w+) : ([^{]*) \{", header, re.MULTILINE))
    found, rest = set(), ["Config"]
    while rest:
        name = rest.pop()
        if name in found or name not in bodies:
            continue
        found.add(name)
        rest += re.findall(r"\w+", bodies[name] + bases.get(name, ""))
    return found


def without_key(headers: list[Path], rows: str) -> list[str]:
    parts = reachable("".join(header.read_text() for header in headers)) - {"BusMode"}  # of two fields, by one key
    rows = re.sub(r'"(?:[^"\\]|\\.)*"', "", rows)  # names of keys are no fields
    return [
        f"{struct}.{name}"
        for struct, names in sorted(fields(headers).items())
        for name in sorted(names)
        if struct in parts
        and not re.search(rf"\.{name}\b", rows)
        and not (name.endswith("_cycles") and re.search(rf"\bCOST\({name[:-7]},", rows))
    ]


class ConfigFields(unittest.TestCase):
    def test_every_field_has_a_key(self):
        rows = "".join(path.read_text() for path in sorted(CONFIG.glob("schema_*.cpp")))
        self.assertGreater(sum(map(len, fields(HEADERS).values())), 150, "hardly any field was found")
        self.assertEqual(without_key(HEADERS, rows), [])

    def test_a_field_without_a_key_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            header = Path(folder) / "config.h"
            header.write_text("struct Run {\n  int seed, forgotten;\n};\nstruct Config {\n  Run run;\n};\n")
            self.assertEqual(without_key([header], '{"run.forgotten", FIELD(run.seed)}'), ["Run.forgotten"])


if __name__ == "__main__":
    unittest.main()
