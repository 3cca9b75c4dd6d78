# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""scripts/compare_builds on programs that are shell scripts and leave a result.json written by hand.

usage: compare_builds_test.py scripts/compare_builds
"""

import importlib.machinery
import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(sys.argv.pop(1))

# Notes its arguments, and leaves the files beside it in the folder that --out names.
PROGRAM = """#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/arguments"
while [ "$1" != --out ]; do shift; done
cp "$here/result.json" "$here/config.toml" "$2"
[ ! -f "$here/waves.fst" ] || cp "$here/waves.fst" "$2"
"""
FAILS = "#!/bin/sh\necho 'first line' >&2\necho 'wordline: data mismatch at LBA 7' >&2\nexit 1\n"

RESULT = {
    "wordline": {"seed": 1, "config_sha256": "aa"},
    "ios": {"read": {"count": 100, "lat_ps": {"mean": 1000}}},
    "stages": {"read": {"mean": [{"stage": "submit", "service_ps": 5}, {"stage": "array", "service_ps": 7}]}},
    "check": {"reads_checked": 100},
}


def compare_builds_module():
    loader = importlib.machinery.SourceFileLoader("compare_builds", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module  # its dataclasses look themselves up
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


class CompareBuilds(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for name in ("before", "after"):
            self.build(name, RESULT)

    def build(self, name, result, program=PROGRAM, config="[cpu]\ncores = 3\n"):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        (folder / "wordline").write_text(program)
        (folder / "wordline").chmod(0o755)
        (folder / "result.json").write_text(json.dumps(result))
        (folder / "config.toml").write_text(config)

    def changed(self, **changes):
        """RESULT with values replaced or added, by dotted name with __ for the dots."""
        result = json.loads(json.dumps(RESULT))
        for name, value in changes.items():
            *path, last = name.split("__")
            inner = result
            for part in path:
                inner = inner[part]
            inner[last] = value
        return result

    def run_script(self, *arguments, only="native_mix"):
        command = [
            sys.executable,
            str(SCRIPT),
            str(self.folder / "before"),
            str(self.folder / "after"),
            "--only",
            only,
            *arguments,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def arguments(self, name):
        return (self.folder / name / "arguments").read_text()

    def test_identical(self):
        code, text = self.run_script()
        self.assertEqual(code, 0, text)
        self.assertIn("native_mix: identical\n1 of 1 runs agree", text)
        self.assertEqual(self.arguments("before").count("--set cpu.model=native"), 1)

    def test_added_keys_are_listed_and_accepted(self):
        self.build(
            "after",
            self.changed(check__mismatches=0, wordline__config_sha256="bb"),
            config="[cpu]\ncores = 3\nway = 1\n",
        )
        code, text = self.run_script()
        self.assertEqual(code, 0, text)
        self.assertIn("    added: check.mismatches\n", text)
        self.assertIn("    added: config.cpu.way\n", text)
        self.assertNotIn("sha256", text)

    def test_where_a_result_is_from_is_no_difference(self):
        before = {**RESULT, "provenance": {"revision": "3f2a91c", "command": ["before/wordline", "run"]}}
        after = {**RESULT, "provenance": {"revision": "77ab01d-dirty", "command": ["after/wordline", "run", "-q"]}}
        self.build("before", before)
        self.build("after", after)
        code, text = self.run_script()
        self.assertEqual(code, 0, text)
        self.assertIn("native_mix: identical", text)
        self.build("before", RESULT)  # a build that said nothing of it
        self.assertIn("native_mix: identical", self.run_script()[1])
        self.build("before", before)
        self.build("after", RESULT)
        self.assertIn("native_mix: identical", self.run_script()[1])

    def test_a_key_that_is_gone_is_a_change(self):
        self.build("after", self.changed(check={}))
        code, text = self.run_script()
        self.assertEqual(code, 1, text)
        self.assertIn("    removed: check.reads_checked\n", text)

    def test_a_changed_value_is_shown_with_both(self):
        result = self.changed()
        result["stages"]["read"]["mean"][1]["service_ps"] = 8
        self.build("after", result)
        code, text = self.run_script()
        self.assertEqual(code, 1, text)
        self.assertIn(
            "native_mix: DIFFERENT\n    changed: stages.read.mean.array.service_ps: 7 -> 8\n0 of 1 runs agree", text
        )

    def test_another_type_is_a_change(self):
        self.build("after", self.changed(wordline__seed=1.0))
        self.assertIn("wordline.seed: 1 -> 1.0", self.run_script()[1])

    def test_another_configuration_is_a_change(self):
        self.build("after", RESULT, config="[cpu]\ncores = 4\n")
        code, text = self.run_script()
        self.assertEqual(code, 1, text)
        self.assertIn("config.cpu.cores: 3 -> 4", text)

    def test_a_run_that_fails(self):
        self.build("after", RESULT, program=FAILS)
        code, text = self.run_script()
        self.assertEqual(code, 1, text)
        self.assertIn("native_mix: RUN FAILED", text)
        self.assertIn("after/wordline: exit code 1", text)
        self.assertIn("data mismatch at LBA 7", text)

    def test_a_run_without_result(self):
        self.build("after", RESULT, program="#!/bin/sh\n")
        code, text = self.run_script()
        self.assertEqual(code, 1, text)
        self.assertIn("result.json", text)

    def test_no_program(self):
        (self.folder / "after" / "wordline").unlink()
        code, text = self.run_script()
        self.assertEqual(code, 2, text)
        self.assertIn("no program here", text)

    def test_no_such_run(self):
        code, text = self.run_script(only="native_mxi")
        self.assertEqual(code, 2, text)
        self.assertIn("native_mxi", text)

    def test_waveforms_are_compared(self):
        (self.folder / "before" / "waves.fst").write_bytes(b"\x00same length")
        code, text = self.run_script(only="native_waves")
        self.assertEqual(code, 1, text)
        self.assertIn("no waveform: ", text)
        (self.folder / "after" / "waves.fst").write_bytes(b"\x01same length")
        self.assertEqual(self.run_script(only="native_waves")[0], 1)
        (self.folder / "after" / "waves.fst").write_bytes(b"\x00same length")
        self.assertEqual(self.run_script(only="native_waves")[0], 0)

    def test_tolerance_is_for_numbers_of_iss_runs(self):
        self.build("after", self.changed(ios__read__lat_ps={"mean": 1010}))
        self.assertEqual(self.run_script("--tolerance", "2", only="native_mix")[0], 1)
        self.assertEqual(self.run_script(only="iss_mix")[0], 1)
        self.assertEqual(self.run_script("--tolerance", "0.5", only="iss_mix")[0], 1)
        code, text = self.run_script("--tolerance", "2", only="iss_mix")
        self.assertEqual(code, 0, text)
        self.assertIn(
            "iss_mix: within tolerance\n    largest difference 0.990 %: ios.read.lat_ps.mean: 1000 -> 1010", text
        )

    def test_tolerance_leaves_requests_and_checks_exact(self):
        for changes in ({"ios__read__count": 101}, {"check__reads_checked": 99}, {"wordline__seed": 2}):
            self.build("after", self.changed(**changes))
            code, text = self.run_script("--tolerance", "90", only="iss_mix")
            self.assertEqual(code, 1, text)

    def test_firmware_goes_to_both_on_the_instruction_set_model(self):
        image = self.folder / "image.elf"
        image.write_text("")
        self.run_script("--firmware", str(image), only="iss_mix")
        self.run_script("--firmware", str(image), only="native_mix")
        for name in ("before", "after"):
            lines = self.arguments(name).splitlines()
            self.assertIn(f"--firmware {image}", lines[0])
            self.assertNotIn("--firmware", lines[1])
        self.assertEqual(self.run_script("--firmware", str(self.folder / "nowhere"))[0], 2)

    def test_renamed_keys(self):
        module = compare_builds_module()
        renamed = {"engines.victim": "engines.selector", "a": "b", "engines.victim.busy": "engines.selector.use"}
        found = module.compare(
            {"engines.victim.busy": 1, "engines.victim.operations": 2, "a": 3, "ab": 4},
            {"engines.selector.use": 1, "engines.selector.operations": 5, "b": 3, "ab": 4},
            renamed,
            0.0,
        )
        self.assertEqual((found.added, found.removed), ([], []))
        self.assertEqual(found.changed, ["engines.selector.operations: 2 -> 5"])

    def test_a_renamed_key_of_the_configuration_is_set_by_the_name_that_each_knows(self):
        module = compare_builds_module()
        program = module.Program.find(str(self.folder / "before"), {"cpu.way": "cpu.old_way"})
        program.run(module.Run("native_x", "x.toml", "[a]\n", ("cpu.way=2",)), self.folder / "out", None)
        self.assertIn("--set cpu.old_way=2", self.arguments("before"))

    def test_every_run_has_a_name_of_its_own_and_a_model(self):
        runs = compare_builds_module().RUNS
        self.assertEqual(len({run.name for run in runs}), len(runs))
        self.assertEqual({run.cpu for run in runs}, {"native", "iss"})


if __name__ == "__main__":
    unittest.main()
