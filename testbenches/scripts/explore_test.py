# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""scripts/studies: the runner of points and `explore`, on a program that is a script and makes up its results.

usage: explore_test.py SOURCE_FOLDER
"""

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))

from studies import explore, jobs  # noqa: E402
from studies.points import Point, Program, StudyError, Workload  # noqa: E402
from studies.runner import Runner  # noqa: E402

# Knows three keys. channels.count = 9 is refused, 7 fails, 6 dies; IOPS = 100 x dies, but never more than 1,600. Notes
# each run in `runs`, and waits as long as the file `slow` says.
PROGRAM = """#!{python} -S
import json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
keys = {{"channels.count": "1", "channels.packages": "1", "run.seed": "1"}}
keys.update(sys.argv[i + 1].split("=", 1) for i, word in enumerate(sys.argv) if word == "--set")
count, packages = int(keys["channels.count"]), int(keys["channels.packages"])
if count == 9:
    print("error: channels.count is 9, expected less", file=sys.stderr)
    sys.exit(2)
if sys.argv[1] == "print-config":
    print(f"[run]\\nseed = {{keys['run.seed']}}  # default\\n[cpu]\\ncores = 3\\n"
          f"[channels]\\ncount = {{count}}\\npackages = {{packages}}\\ndies_per_package = 1")
    sys.exit(0)
open(os.path.join(here, "runs"), "a").write(f"{{count}}x{{packages}}\\n")
if os.path.exists(os.path.join(here, "slow")):
    time.sleep(float(open(os.path.join(here, "slow")).read()))
out = sys.argv[sys.argv.index("--out") + 1]
if count == 7:
    print("wordline: data mismatch at LBA 7", file=sys.stderr)
    sys.exit(1)
if count == 6:
    os.kill(os.getpid(), 9)
iops = min(100.0 * count * packages, 1600.0)
op = {{"count": 10, "iops": iops, "bytes_per_s": 4096 * iops, "lat_ps": {{"p99_9": 5000000}}}}
none = {{"count": 0, "iops": 0.0, "bytes_per_s": 0.0, "lat_ps": {{"p99_9": 0}}}}
limit = {{"resource": "dies", "utilisation": 0.97, "next": "cores", "sentence": "Limit: dies."}}
json.dump({{"ios": {{"read": op, "write": none}}, "flash": {{"waf": None}}, "bottleneck": limit}},
          open(os.path.join(out, "result.json"), "w"))
"""


class Studies(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.program = self.folder / "wordline"
        self.program.write_text(PROGRAM.format(python=sys.executable))
        self.program.chmod(0o755)
        self.config = self.folder / "drive.toml"
        self.config.write_text("")
        self.workload = self.folder / "read.fio"
        self.workload.write_text("[read]\nrw=randread\n")

    def runs(self):
        path = self.folder / "runs"
        return path.read_text().split() if path.exists() else []

    def points(self, *counts, packages=(1,)):
        workload = Workload.of_file(self.workload)
        return [
            Point.make(self.config, workload, {"channels.count": count, "channels.packages": number})
            for count in counts
            for number in packages
        ]

    def run_points(self, points, out="out"):
        with Runner(Program(self.program), self.folder / out, 2) as runner:
            return runner.run(points)

    def explore(self, *words, out="out", **options):
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "studies",
                "explore",
                self.config,
                "-w",
                self.workload,
                "--out",
                self.folder / out,
                "--program",
                self.program,
                "--jobs",
                "2",
                *words,
            ],
            env={**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options
        )

    def explored(self, *words, out="out"):
        process = self.explore(*words, out=out)
        printed, errors = process.communicate(timeout=30)
        return process.returncode, printed, errors

    def test_results_are_kept_and_run_once(self):
        first = self.run_points(self.points(1, 2, 1))
        self.assertEqual(sorted(self.runs()), ["1x1", "2x1"])  # equal points are one run
        second = self.run_points(self.points(1, 2, 4))
        self.assertEqual(sorted(self.runs()), ["1x1", "2x1", "4x1"])
        self.assertEqual(first[1].result(), second[1].result())
        self.assertEqual(second[2].result()["ios"]["read"]["iops"], 400.0)

    def test_what_the_result_depends_on_names_the_point(self):
        program = Program(self.program)
        keys = {program.key(point) for point in self.points(1, 2)}
        seeded = Point.make(self.config, Workload.of_file(self.workload), {"channels.count": 1, "run.seed": 2})
        keys.add(program.key(seeded))
        faster = Workload("read", self.workload, options=("--speedup", "2"))
        keys.add(program.key(Point.make(self.config, faster, {"channels.count": 1})))
        self.workload.write_text("[read]\nrw=read\n")
        keys.add(program.key(self.points(1)[0]))
        with open(self.program, "a") as file:
            file.write("# another build\n")
        keys.add(Program(self.program).key(self.points(1)[0]))
        self.assertEqual(len(keys), 6)
        # Labels and a value that is the default do not count.
        labelled = Point.make(
            self.config, Workload.of_file(self.workload), {"channels.count": 1, "run.seed": 1}, {"axis": 3}
        )
        self.assertIn(Program(self.program).key(labelled), keys)

    def test_failed_points_stay_as_rows(self):
        fine, refused, failed, killed = self.run_points(self.points(1, 9, 7, 6))
        self.assertFalse(fine.failed)
        self.assertEqual(refused.error, "error: channels.count is 9, expected less")
        self.assertEqual(failed.error, "wordline: data mismatch at LBA 7")
        self.assertIn("SIGKILL", killed.error)
        with self.assertRaisesRegex(StudyError, "channels.count=7.*data mismatch"):
            failed.result()
        self.run_points(self.points(1, 7, 6))
        # The program's verdict is kept, a kill is tried again.
        self.assertEqual(sorted(self.runs()), ["1x1", "6x1", "6x1", "7x1"])

    def test_a_killed_exploration_goes_on_to_the_same_bytes(self):
        grid = ["--grid", "channels.count=1,2,4,7", "--grid", "channels.packages=1,2"]
        code, whole, _ = self.explored(*grid, out="whole")
        self.assertEqual(code, 1)  # one row failed
        (self.folder / "runs").unlink()
        (self.folder / "slow").write_text("0.3")
        process = self.explore(*grid)
        while len(self.runs()) < 4:  # two are done, two are running
            time.sleep(0.01)
        process.kill()
        process.communicate()
        (self.folder / "slow").unlink()
        before = len(self.runs())
        code, printed, errors = self.explored(*grid)
        self.assertEqual(code, 1)
        self.assertIn("points are known from before", errors)
        self.assertLess(len(self.runs()) - before, 8)
        self.assertEqual(printed.replace("/out/", "/whole/"), whole)
        for name in ("table.csv", "table.json", "read.png"):
            self.assertEqual((self.folder / "out" / name).read_bytes(), (self.folder / "whole" / name).read_bytes())

    def test_interrupt_ends_the_runs_and_says_how_to_go_on(self):
        (self.folder / "slow").write_text("20")
        process = self.explore("--grid", "channels.count=1,2,4")
        while len(self.runs()) < 2:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130)
        self.assertIn("the same command goes on from here", errors)
        self.assertNotIn("Traceback", errors)
        self.assertEqual(list((self.folder / "out/points").iterdir()), [])
        processes = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn(str(self.program), processes)

    def test_one_study_at_a_time_in_a_folder(self):
        with Runner(Program(self.program), self.folder / "out"):
            with self.assertRaisesRegex(StudyError, "another study is using this folder"):
                Runner(Program(self.program), self.folder / "out")

    def test_the_cheapest_within_one_percent_of_the_best(self):
        code, printed, _ = self.explored("--grid", "channels.count=2,8,16", "--grid", "channels.packages=1,2,4")
        self.assertEqual(code, 0)
        with open(self.folder / "out/table.csv") as file:
            rows = {(row["channels.count"], row["channels.packages"]): row for row in csv.DictReader(file)}
        self.assertEqual(len(rows), 9)
        # 1,600 IOPS need 16 dies: 8 channels of 2 are cheaper than 16 of one.
        self.assertEqual([key for key, row in rows.items() if row["cheapest"] == "true"], [("8", "2")])
        self.assertEqual(rows["8", "2"]["dies"], "16")
        self.assertEqual(rows["2", "4"]["iops"], "800.0")
        self.assertEqual((rows["2", "4"]["limit"], rows["2", "4"]["write_p99_9_ps"]), ("dies", ""))
        self.assertIn("channels.count=8, channels.packages=2: 16 dies on 8 channels", printed)
        table = json.loads((self.folder / "out/table.json").read_text())
        self.assertEqual(len(table["points"]), 9)

    def test_another_commit_of_the_same_program_runs_nothing_again(self):
        def build(revision, code=b"code"):
            record = b"revision of wordline: " + revision.ljust(96 - 22, b"\0")
            self.program.write_bytes(b"#!/bin/sh\n# " + record + code)
            return Program(self.program).hash

        self.assertEqual(build(b"3f2a91c"), build(b"v1.2-4-g77ab01d-dirty"))
        self.assertNotEqual(build(b"3f2a91c"), build(b"3f2a91c", b"other code"))
        first = build(b"3f2a91c")
        (self.folder / "firmware").mkdir()
        (self.folder / "firmware/firmware.elf").write_text("other firmware")
        self.assertNotEqual(build(b"3f2a91c"), first)

    def test_wrong_requests_are_refused(self):
        for words, message in (
            (["--grid", "channels.count"], "expected KEY=VALUE"),
            (["--grid", "a.b=1,1"], "stands twice"),
            (["--grid", "channels.count=9"], "no point ran. The first: error: channels.count is 9"),
        ):
            code, _, errors = self.explored(*words)
            self.assertEqual(code, 2)
            self.assertIn(message, errors)
        self.assertEqual(explore.Axis.parse("cpu.task_core=[0,0,0],[0,1,2]").values, ("[0,0,0]", "[0,1,2]"))

    def test_shortened_jobs(self):
        self.workload.write_text("[global]\nbs=4k\nnumber_ios=9\n[a]\nio_size=5%\nrw=read\n[b]\nnumber_ios=7\n")
        text = jobs.shortened(Workload.of_file(self.workload), 100).text
        self.assertEqual(text, "[global]\nbs=4k\n[a]\nnumber_ios=100\nrw=read\n[b]\nnumber_ios=100\n")


if __name__ == "__main__":
    unittest.main()
