# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of the configuration: every shipped file meets it, and what it refuses `wordline check` refuses, too.

usage: json_schema_test.py PROGRAM ROOT
"""

import json
import random
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

import jsonschema

PROGRAM, ROOT = sys.argv.pop(1), Path(sys.argv.pop(1))
SMALL = ROOT / "configs/ssds/small.toml"
# What people write for a value, right or wrong.
VALUES = (0, 1, -1, 3, 0.5, 2.0, 1e30, True, "on", "4KiB", "45us", "45 us", "1.5GHz", "800MT/s", "3V", "2ms", "qlc", "")
VALUES += ([], [1], ["45us", "65us", "85us"], [1, 2, 3], [True], {"on": True}, "0-50%: 90d", "45 parsec", "1e3us")


def printed_schema() -> dict:
    done = subprocess.run([PROGRAM, "explain", "--json-schema"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


class JsonSchema(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.schema = printed_schema()
        jsonschema.Draft202012Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft202012Validator(cls.schema)

    def keys(self, table: dict | None = None, prefix: str = "") -> dict[str, dict]:
        """Every key of a table and those below it."""
        found: dict[str, dict] = {}
        for name, value in (table or self.schema)["properties"].items():
            inner = value["anyOf"][0] if name == "region" else value
            if "properties" in inner:
                found |= self.keys(inner, f"{prefix}{name}.")
            else:
                found[prefix + name] = value
        return found

    def refused(self, content: dict) -> list[str]:
        return [error.message for error in self.validator.iter_errors(content)]

    def test_every_shipped_file_meets_it(self) -> None:
        files = sorted(path for folder in ("ssds", "nand") for path in (ROOT / "configs" / folder).glob("*.toml"))
        self.assertGreater(len(files), 15)
        for path in files:
            self.assertEqual(self.refused(tomllib.loads(path.read_text())), [], path)

    def test_every_effective_configuration_meets_it_and_no_key_is_missing(self) -> None:
        done = subprocess.run([PROGRAM, "print-config", str(SMALL)], capture_output=True, text=True, check=True)
        content = tomllib.loads(done.stdout)
        self.assertEqual(self.refused(content), [])

        def names(table: dict, prefix: str = "") -> set[str]:
            found = set()
            for key, value in table.items():
                found |= names(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key}
            return found

        self.assertEqual(names(content) | {"extends"}, set(self.keys()))

    def test_defaults_meet_it(self) -> None:
        for name, key in self.keys().items():
            if "default" in key:
                self.assertEqual(list(jsonschema.Draft202012Validator(key).iter_errors(key["default"])), [], name)
                self.assertIn("Expected: ", key["description"], name)

    def test_what_it_refuses_is_refused(self) -> None:
        draw = random.Random(11)
        names = [name for name in self.keys() if name != "extends"]
        drawn = [(name, value) for name in names for value in draw.sample(VALUES, 2)]
        drawn += [("cpu.coers", 3), ("nand.timng.t_r", "45us"), ("channels", 8)]
        refused = 0
        with tempfile.TemporaryDirectory() as folder:
            for name, value in drawn:
                content: object = value
                for part in reversed(name.split(".")):
                    content = {part: content}
                if not self.refused(content):
                    continue
                refused += 1
                table, _, key = name.rpartition(".")
                path = Path(folder) / "drive.toml"
                head = f"[{table}]\n" if table else ""
                path.write_text(f"extends = {toml(str(SMALL))}\n{head}{key} = {toml(value)}\n")
                done = subprocess.run([PROGRAM, "check", str(path)], capture_output=True, text=True)
                self.assertNotEqual(done.returncode, 0, f"{name} = {toml(value)}")
                # Of a table that is unknown the message names the table.
                named = rf"drive.toml:\d+:\d+: .*({re.escape(key)}|{re.escape(table)})"
                self.assertRegex(done.stderr, named, f"{name} = {toml(value)}")
        self.assertGreater(refused, len(names))

    def test_wrong_words_are_refused(self) -> None:
        for name, value in (("cell", "xlc"), ("layers", 0), ("page", "16 parsec"), ("page", 16384), ("laiers", 48)):
            self.assertNotEqual(self.refused({"nand": {name: value}}), [], name)
        self.assertEqual(self.refused({"nand": {"region": [{"page": "4KiB"}]}}), [])
        self.assertNotEqual(self.refused({"nand": {"region": [{"page": "4KiB"}, {"page": "2KiB"}]}}), [])


if __name__ == "__main__":
    unittest.main()
