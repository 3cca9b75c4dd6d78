# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What `wordline new rtl-block` writes is built and run as docs/own_rtl.md says, from an installation: bench, drive, and
what is said of sources that are not in order.

usage: own_rtl_start_test.py CMAKE BUILD
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE, BUILD = sys.argv.pop(1), Path(sys.argv.pop(1))
READS = "[r]\nrw=randread\nbs=4k\nnumber_ios=20\n"
WORN = (
    "precondition.fill=sequential",
    "nand.aging.pe_cycles=2000",
    "nand.aging.retention_days=90",
    "cpu.model=native",
    "ecc.model=rtl",
)
# A signal that nobody reads, a width that does not fit, and ports that are not those of the slot.
SLOPPY = "module sloppy(input clk_i, input [3:0] a_i, output [7:0] count_a_o);\n  assign count_a_o = a_i;\nendmodule\n"


class Start(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        prefix = cls.folder / "prefix"
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        cls.program = prefix / "bin/wordline"
        cls.drive = prefix / "share/wordline/configs/ssds/small.toml"
        (cls.folder / "reads.fio").write_text(READS)

    def run_here(self, *words):
        environment = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
        return subprocess.run(
            list(map(str, words)), cwd=self.folder, capture_output=True, text=True, env=environment, check=False
        )

    def succeeds(self, *words):
        done = self.run_here(*words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def with_block(self, block, *more):
        sets = [word for one in (*WORN, f"ecc.rtl.tier1={block}", *more) for word in ("--set", one)]
        return self.run_here(self.program, "run", self.drive, "-w", "reads.fio", "--quiet", "--out", "out", *sets)

    def test_the_ten_minutes_of_the_page(self):
        said = self.succeeds(self.program, "new", "rtl-block", "ecc_decoder", "mine")
        self.assertIn("cmake -S mine -B mine/build", said)
        again = self.run_here(self.program, "new", "rtl-block", "ecc_decoder", "mine")
        self.assertEqual(again.returncode, 1)
        self.assertIn("mine: is there and not empty", again.stderr)

        # With what the page offers beside: the inside in a waveform, and sources that lint has something to say of.
        project = self.folder / "mine/CMakeLists.txt"
        text = project.read_text().replace("UNITS flips", "TRACE UNITS flips")
        text += "wordline_rtl_block(sloppy SLOT ecc_decoder TOP sloppy SOURCES sloppy.sv TRACE LINT off)\n"
        text += "wordline_rtl_block(strict SLOT ecc_decoder TOP sloppy SOURCES sloppy.sv TRACE)\n"
        text += "set_target_properties(strict PROPERTIES EXCLUDE_FROM_ALL ON)\n"
        project.write_text(text)
        (self.folder / "mine/sloppy.sv").write_text(SLOPPY)
        self.succeeds(CMAKE, "-S", "mine", "-B", "mine/build")
        self.succeeds(CMAKE, "--build", "mine/build")
        bench = self.succeeds("ctest", "--test-dir", "mine/build", "--verbose")
        self.assertIn("40  10 of 10", bench)
        self.assertRegex(bench, r"stalls: [1-9]\d* clocks")

        sets = ("--set", "ecc.model=rtl", "--set", "ecc.rtl.tier1=mine/build/my_decoder.so")
        checked = self.succeeds(self.program, "check", self.drive, *sets)
        self.assertIn("ecc.rtl.tier1: module my_decoder of mine/build/my_decoder.so", checked)
        done = self.with_block("mine/build/my_decoder.so")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads((self.folder / "out/result.json").read_text())
        self.assertEqual(result["check"]["mismatches"], 0)
        tier1 = result["ecc"]["rtl"]["tier1"]
        self.assertGreater(tier1["codewords"], tier1["given_up"])
        self.assertGreater(tier1["count"]["flips"], 100)

        done = self.with_block("mine/build/my_decoder.so", "observe.waves=true")
        self.assertEqual(done.returncode, 0, done.stderr)
        inside = self.succeeds("fst2vcd", "out/ssd.channel0.ecc.tier1.fst")
        self.assertIn("round_q", inside)
        self.assertGreater(inside.count("\n#"), 2 * 292)

        # What Verilator warns of: with LINT off it is built, and the drive says what is missing.
        done = self.run_here(CMAKE, "--build", "mine/build", "--target", "strict")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("%Warning-WIDTH", done.stdout + done.stderr)
        done = self.with_block("mine/build/sloppy.so")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("module sloppy has no port rst_ni; add: input logic rst_ni", done.stderr)

    def test_a_function_call_that_lacks_something_says_what(self):
        for call, said in (
            ("wordline_rtl_block(x SLOT ecc_decoder SOURCES a.sv)", "TOP is missing"),
            ("wordline_rtl_block(x SLOT decoder TOP a SOURCES a.sv)", "no slot decoder; there are: ecc_decoder"),
            ("wordline_rtl_block(x WAVES on SLOT ecc_decoder TOP a SOURCES a.sv)", "unknown: WAVES;on"),
        ):
            folder = self.folder / "wrong"
            folder.mkdir(exist_ok=True)
            (folder / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES NONE)\n"
                f"find_package(Wordline REQUIRED COMPONENTS rtl_block)\n{call}\n"
            )
            done = self.run_here(CMAKE, "-S", folder, "-B", folder / "b", f"-DCMAKE_PREFIX_PATH={self.folder}/prefix")
            self.assertNotEqual(done.returncode, 0, call)
            self.assertIn(said, " ".join(done.stderr.split()))

    def test_each_slot_has_a_start_whose_project_is_whole(self):
        """Their blocks and benches are compiled by testbenches/rtl/slot."""
        for slot, block in (
            ("ecc_encoder", "my_encoder"),
            ("stream_tap", "my_tap"),
            ("read_retry", "my_read_retry"),
            ("apb_block", "my_block"),
            ("flash_sequencer", "my_sequencer"),
            ("engine_parse", "my_parse"),
            ("engine_l2p", "my_l2p"),
            ("engine_victim", "my_victim"),
        ):
            said = self.succeeds(self.program, "new", "rtl-block", slot, slot)
            self.assertIn(f"{slot}/build/{block}.so", said)
            self.succeeds(CMAKE, "-S", slot, "-B", f"{slot}/build")
            for source in re.findall(r"\w+\.(?:sv|vlt)", (self.folder / slot / "CMakeLists.txt").read_text()):
                self.assertTrue((self.folder / slot / source).exists(), f"{slot}: {source}")
            self.assertIn(block, (self.folder / slot / "README.md").read_text())
            bench = BUILD / f"testbenches/rtl/slot/start_{block.removeprefix('my_')}_bench"
            self.assertIn("good", self.succeeds("env", "-C", slot, bench))

    def test_a_bench_in_python_is_written_where_there_is_one(self):
        engines = ("engine_parse", "engine_l2p", "engine_victim")
        for slot in ("ecc_decoder", "ecc_encoder", "stream_tap", "flash_sequencer", *engines):
            said = self.succeeds(self.program, "new", "rtl-block", slot, f"py_{slot}", "--cocotb")
            self.assertIn(f"--record-block {slot}=py_{slot}/recorded.jsonl", said)
            for file in ("cocotb_bench.py", "recorded_bench.py"):
                compile((self.folder / f"py_{slot}" / file).read_text(), file, "exec")
        done = self.run_here(self.program, "new", "rtl-block", "apb_block", "py_apb", "--cocotb")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--cocotb: there is no bench in Python for the slot apb_block", done.stderr)
        self.assertFalse((self.folder / "py_apb").exists())

    @unittest.skipUnless(importlib.util.find_spec("cocotb"), "cocotb cannot be imported: pip install cocotb==1.9.2")
    def test_the_bench_in_python_runs_what_a_drive_has_recorded(self):
        self.succeeds(self.program, "new", "rtl-block", "engine_l2p", "recorded", "--cocotb")
        engines = ("precondition.fill=sequential", "engines.l2p=on", "engines.job=on", "engines.completion=on")
        sets = [word for one in (*engines, "cpu.model=native") for word in ("--set", one)]
        (self.folder / "mixed.fio").write_text("[m]\nrw=randrw\nbs=16k\niodepth=4\nnumber_ios=200\n")
        run = (self.program, "run", self.drive, "-w", "mixed.fio", "--quiet", *sets)
        self.succeeds(*run, "--record-block", "engine_l2p=recorded/good.jsonl")
        bench = (sys.executable, "recorded/cocotb_bench.py")
        said = self.succeeds(*bench, "recorded/good.jsonl")
        self.assertIn("1 of 1 passed", said)
        inside = self.succeeds("fst2vcd", "recorded/my_l2p.fst")
        self.assertIn("looked_up_o", inside)
        self.assertGreater(inside.count("\n#"), 1000)
        # A wrong bit.
        lines = (self.folder / "recorded/good.jsonl").read_text().splitlines()
        place = next(i for i, line in enumerate(lines) if '"write": 0' in line)
        line = json.loads(lines[place])
        line["values"][0] ^= 1
        lines[place] = json.dumps(line)
        (self.folder / "recorded/bad.jsonl").write_text("\n".join(lines) + "\n")
        done = self.run_here(*bench, "recorded/bad.jsonl")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(f"request {place}, clock ", done.stdout)

    def test_a_slot_without_a_start_is_refused(self):
        done = self.run_here(self.program, "new", "rtl-block", "decoder", "other")
        self.assertEqual(done.returncode, 2)
        self.assertIn("ecc_decoder", done.stderr)
        self.assertFalse((self.folder / "other").exists())

    def test_a_folder_that_verilator_cannot_read_is_refused(self):
        for name in ("my block", "a;b", "c:d", "[e]", "f\\g"):
            done = self.run_here(self.program, "new", "rtl-block", "ecc_decoder", name)
            self.assertEqual(done.returncode, 1, name)
            self.assertIn("name a folder without it", done.stderr)
            self.assertFalse((self.folder / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
