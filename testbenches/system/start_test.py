# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline new drive|nand|policy`: the starts are accepted, run and compile; what is there already is left alone.

usage: start_test.py PROGRAM ROOT BUILD RISCV_GCC
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

PROGRAM, ROOT, BUILD, RISCV_GCC = (Path(sys.argv.pop(1)).resolve() for _ in range(4))
os.environ["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"
JOB = "[job]\nrw=randrw\nbs=4k\niodepth=16\nnorandommap\nnumber_ios=400\n"


class Starts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def wordline(self, *words, program=PROGRAM):
        return subprocess.run([program, *words], cwd=self.folder, capture_output=True, text=True)

    def succeeds(self, *words, **options):
        done = self.wordline(*words, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_drive_is_accepted_and_runs(self):
        self.assertIn("wordline check mine/drive.toml", self.succeeds("new", "drive", "mine/drive.toml"))
        self.assertIn("mine/drive.toml: valid", self.succeeds("check", "mine/drive.toml"))
        # It says itself how much flash it describes.
        drive = self.folder / "mine/drive.toml"
        raw = self.succeeds("check", drive).split(" raw")[0].split(", ")[-1]
        self.assertIn(f"{raw} raw", drive.read_text())
        (self.folder / "job.fio").write_text(JOB)
        self.succeeds("run", drive, "-w", "job.fio", "--quiet", "--out", "out")
        result = json.loads((self.folder / "out/result.json").read_text())
        self.assertEqual((result["status"], result["check"]["mismatches"]), ("completed", 0))
        drive.write_text("mine = 1\n")
        done = self.wordline("new", "drive", drive)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("is there already", done.stderr)
        self.assertEqual(drive.read_text(), "mine = 1\n")

    def test_classes_of_drives(self):
        listed = [line.split() for line in self.succeeds("new", "drive", "--list").splitlines()]
        self.assertGreaterEqual(len(listed), 6)
        (self.folder / "job.fio").write_text(JOB)
        for name, *words in listed:
            self.assertGreater(len(words), 3, name)
            self.succeeds("new", "drive", "--class", name, f"{name}.toml")
            self.succeeds("run", f"{name}.toml", "-w", "job.fio", "--quiet", "--out", "out")
            self.assertEqual(json.loads((self.folder / "out/result.json").read_text())["status"], "completed")
        for words, refusal in (
            (("--class", "tape", "x.toml"), "tape: no class of drives"),
            ((listed[0][0],), f"is a class of drives: wordline new drive {listed[0][0]}.toml --class {listed[0][0]}"),
            ((), "file is required"),
        ):
            done = self.wordline("new", "drive", *words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(refusal, done.stderr)

    def test_a_device_is_accepted_alone_and_in_a_drive(self):
        self.succeeds("new", "nand", "device.toml")
        self.assertIn("device.toml: valid", self.succeeds("check", "device.toml"))
        (self.folder / "drive.toml").write_text('extends = "device.toml"\n[channels]\ncount = 1\n')
        device = tomllib.loads((self.folder / "device.toml").read_text())["nand"]
        found = tomllib.loads(self.succeeds("print-config", "drive.toml"))["nand"]
        for name in ("cell", "layers", "page"):
            self.assertEqual(found[name], device[name])

    def test_a_driver_of_a_block_keeps_a_state_that_is_small(self):
        """For both models of a core; one that is too large is refused by name."""
        self.succeeds("new", "rtl-block", "apb_block", "mine")
        driver = self.folder / "mine/driver.c"
        flags = ["-std=c11", "-ffreestanding", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
        found = [f"-iquote{folder}" for folder in (ROOT, BUILD / "generated")]
        machine = ["-march=rv32imac", "-misa-spec=2.2", "-mabi=ilp32", "-DWL_OWN_DRIVER"]
        compilers = [[RISCV_GCC, *machine, *flags, *found, driver], ["cc", "-DWL_NATIVE", *flags, *found, driver]]
        for compiler in compilers:
            done = subprocess.run(compiler, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        text = driver.read_text()
        for size, fits in ((1020, True), (1021, False)):  # beside the number of rounds
            driver.write_text(
                text.replace("struct wl_own_state {", f"struct wl_own_state {{\n  uint8_t table[{size}];")
            )
            for compiler in compilers:
                done = subprocess.run(compiler, capture_output=True, text=True)
                self.assertEqual(done.returncode == 0, fits, done.stderr)
                if not fits:
                    self.assertIn("struct wl_own_state is larger than WL_OWN_STATE_LIMIT", done.stderr)

    def test_a_policy_compiles_runs_and_has_its_row(self):
        """In a tree that has only what the command reads."""
        tree = self.folder / "tree"
        for folder in ("build/release", "models/firmware/policy"):
            (tree / folder).mkdir(parents=True)
        shutil.copy(PROGRAM, tree / "build/release/wordline")
        (tree / "configs").symlink_to(ROOT / "configs")
        rows = tree / "models/firmware/policy/policies.def"
        shutil.copy(ROOT / "models/firmware/policy/policies.def", rows)
        program = tree / "build/release/wordline"
        self.succeeds("new", "policy", "mine", program=program)
        self.assertIn('WL_POLICY(mine, "mine", ', rows.read_text())
        source = rows.with_name("mine.c")
        # The table of the tree comes first, so the header declares what the file defines.
        found = [f"-iquote{folder}" for folder in (tree, ROOT, BUILD / "generated")]
        flags = ["-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wmissing-declarations", "-DWL_NATIVE"]
        done = subprocess.run(["cc", *flags, *found, source], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.runs_in_the_place_of("page_fifo", tree, rows)
        for name, message in (
            ("mine", "has a policy of this name already"),
            ("page_greedy", "has a policy of this name already"),
            ("My-Policy", "expected lower-case letters"),
            ("9lives", "expected lower-case letters"),
        ):
            done = self.wordline("new", "policy", name, program=program)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.stderr)
        self.assertEqual(rows.read_text().count("WL_POLICY(mine,"), 1)
        alone = self.folder / "wordline"  # neither clone nor installation
        shutil.copy(PROGRAM, alone)
        for words in (("policy", "other"), ("drive", "other.toml")):
            done = self.wordline("new", *words, program=alone)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("run " + ("this from a clone" if words[0] == "policy" else "it from a build"), done.stderr)

    def runs_in_the_place_of(self, other, tree, rows):
        """The program knows the names that it was built with: in an image of its own the new policy takes one of them."""
        changed = re.sub(rf'WL_POLICY\({other}, "{other}"', f'WL_POLICY(mine, "{other}"', rows.read_text())
        changed, removed = re.subn(r'^WL_POLICY\(mine, "mine",.*(\n .*)*\n', "", changed, flags=re.MULTILINE)
        self.assertEqual(removed, 1)
        before = rows.read_text()
        rows.write_text(changed)
        firmware = ROOT / "models/firmware"
        sources = [*firmware.rglob("*.c"), firmware / "image/start.S", rows.with_name("mine.c")]
        machine = ["-march=rv32imac", "-misa-spec=2.2", "-mabi=ilp32", "-mcmodel=medany"]
        flags = ["-std=c11", "-O1", "-ffreestanding", "-nostdlib", "-nostartfiles", "-static", "-fno-common"]
        flags += [
            "-fno-tree-loop-distribute-patterns",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-isystem",
            firmware / "image/freestanding",
        ]
        flags += ["-T", firmware / "image/link.ld", "-Wl,--build-id=none"]
        found = [f"-iquote{folder}" for folder in (tree, ROOT, BUILD / "generated")]
        elf = self.folder / "mine.elf"
        compiler = [RISCV_GCC, *machine, *flags, *found, "-o", elf, *sources, "-lgcc"]
        done = subprocess.run(compiler, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows.write_text(before)
        job = "[job]\nrw=randrw\nbssplit=4k/50:32k/50\nnumber_ios=30000\niodepth=16\nrandom_distribution=zipf:1.1\n"
        (self.folder / "mixed.fio").write_text(job)
        results = []
        for image in ([], ["--firmware", elf]):
            sets = [
                "cpu.model=iss",
                f"ftl.policy={other}",
                "precondition.fill=sequential",
                "ftl.over_provisioning=0.25",
            ]
            options = [word for key in sets for word in ("--set", key)]
            drive = ROOT / "configs/ssds/small.toml"
            self.succeeds("run", drive, "-w", "mixed.fio", "--quiet", "--out", "out", *options, *image)
            results.append(json.loads((self.folder / "out/result.json").read_text()))
        for result in results:
            self.assertEqual((result["status"], result["check"]["mismatches"]), ("completed", 0))
            self.assertGreater(result["gc"]["superblocks"], 10)
        self.assertNotEqual(results[0]["flash"], results[1]["flash"])


if __name__ == "__main__":
    unittest.main()
