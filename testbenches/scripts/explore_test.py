# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""python/wordline/studies: the runner of points and `explore`, on a program that is a script and makes up its results.

usage: explore_test.py SOURCE_FOLDER
"""

import csv
import hashlib
import json
import signal
import struct
import subprocess
import time
import unittest

from explore_bench import Bench
from wordline.studies.framework import jobs
from wordline.studies.framework.points import Point, Program, StudyError, Workload, image_hash
from wordline.studies.framework.runner import Runner
from wordline.studies.framework.space import Axis


class Studies(Bench):
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

    def test_states_are_made_once_for_all_points(self):
        workload = Workload.of_file(self.workload)
        fills = ("none", "sequential", "random", "steady")
        points = [Point.make(self.config, workload, {"precondition.fill": fill}) for fill in fills]
        points.append(Point.make(self.config, workload, {"precondition.file": "one.state"}))
        out = self.folder / "out"
        self.assertFalse(any(outcome.failed for outcome in self.run_points(points)))
        shared = (self.folder / "states").read_text().split()
        self.assertEqual(shared, [str(out / "states")] * 3)  # what costs nothing to make is not kept
        self.assertFalse((out / "states").exists())  # gone with the end of the study
        # Tasks of a job array share them, and do not take them from each other.
        points = [Point.make(self.config, workload, {"precondition.fill": "steady", "run.seed": 2})]
        with Runner(Program(self.program), out, 1, shared=True) as runner:
            runner.run(points)
        self.assertTrue((out / "states").is_dir())

    def test_states_stay_in_a_folder_of_their_own(self):
        kept = self.folder / "kept"
        words = ("--grid", "channels.count=1", "--set", "precondition.fill=steady", "--states", str(kept))
        code, _, _ = self.explored(*words, out="one")
        self.assertEqual(code, 0)
        self.assertEqual(set((self.folder / "states").read_text().split()), {str(kept)})
        self.assertTrue(kept.is_dir())
        self.assertFalse((self.folder / "one/states").exists())
        code, _, errors = self.explored(*words, "--cluster", "dask", out="two")
        self.assertEqual(code, 2)
        self.assertIn("leave out --states", errors)

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
        for name in ("table.csv", "table.json", "read.svg"):
            self.assertEqual((self.folder / "out" / name).read_bytes(), (self.folder / "whole" / name).read_bytes())

    def test_interrupt_ends_the_runs_and_says_how_to_go_on(self):
        (self.folder / "slow").write_text("20")
        process = self.explore("--grid", "channels.count=1,2,4")
        while len(self.runs()) < 2:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=1200)
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

    def test_an_image_is_named_by_what_it_loads(self):
        def image(name, code, debug):
            header = b"\x7fELF\x01\x01".ljust(24, b"\0") + struct.pack("<II", 0x100, 52)
            header = header.ljust(42, b"\0") + struct.pack("<HH", 32, 1)
            segment = struct.pack("<8I", 1, 84, 0x100, 0x100, len(code), len(code), 5, 4)
            path = self.folder / name
            path.write_bytes(header.ljust(52, b"\0") + segment + code + debug)
            return image_hash(path)

        here = image("here.elf", b"code", b"/here/start.S")
        self.assertEqual(image("there.elf", b"code", b"/some/where/else/start.S"), here)
        self.assertNotEqual(image("other.elf", b"edoc", b"/here/start.S"), here)
        (self.folder / "text").write_text("no image")
        self.assertEqual(image_hash(self.folder / "text"), hashlib.sha256(b"no image").hexdigest())

    def test_wrong_requests_are_refused(self):
        for words, message in (
            (["--grid", "channels.count"], "expected KEY=VALUE"),
            (["--grid", "a.b=1,1"], "stands twice"),
            (["--grid", "channels.count=9"], "no point ran. The first: error: channels.count is 9"),
        ):
            code, _, errors = self.explored(*words)
            self.assertEqual(code, 2)
            self.assertIn(message, errors)
        self.assertEqual(Axis.parse("cpu.task_core=[0,0,0],[0,1,2]").values, ("[0,0,0]", "[0,1,2]"))

    def test_shortened_jobs(self):
        self.workload.write_text("[global]\nbs=4k\nnumber_ios=9\n[a]\nio_size=5%\nrw=read\n[b]\nnumber_ios=7\n")
        text = jobs.shortened(Workload.of_file(self.workload), 100).text
        self.assertEqual(text, "[global]\nbs=4k\n[a]\nnumber_ios=100\nrw=read\n[b]\nnumber_ios=100\n")


if __name__ == "__main__":
    unittest.main()
