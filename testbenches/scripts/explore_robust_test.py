# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline explore` with damaged folders, hostile studies, outputs that cannot be written, and the options of traces; on a
program that is a script and makes up its results.

usage: explore_robust_test.py SOURCE_FOLDER
"""

import hashlib
import os
import re
import subprocess
import sys
import time
import unittest
from pathlib import Path

from explore_bench import ROOT, Bench
from wordline.studies.framework.points import StudyError, Workload
from wordline.studies.framework.traces import with_options

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}


class DamagedPoints(Bench):
    grid = ("--grid", "channels.count=1,2,4")

    def setUp(self):
        super().setUp()
        self.assertEqual(self.explored(*self.grid)[0], 0)
        self.whole = self.files(self.folder / "out")
        self.result = next((self.folder / "out/points").iterdir()) / "result.json"

    def test_a_damaged_result_is_run_again(self):
        good = self.result.read_text()
        for damage in (
            b"",
            good[: len(good) // 2].encode(),
            b"{}",
            b"\xff\xfe",
            good.replace('"count": 10', '"count": 11').encode(),
        ):
            with self.subTest(damage=damage[:9]):
                before = len(self.runs())
                self.result.write_bytes(damage)
                code, _, errors = self.explored(*self.grid)
                self.assertEqual(code, 0, errors)
                self.assertIn(
                    f"{self.result.parent}: its result is damaged, or was changed since the run: run again", errors
                )
                self.assertEqual(len(self.runs()) - before, 1)
                self.assertEqual(self.files(self.folder / "out"), self.whole)
        self.result.unlink()
        self.explored(*self.grid)
        self.assertEqual(self.files(self.folder / "out"), self.whole)

    def test_without_its_digest_it_is_run_again(self):
        (self.result.parent / "result.sha256").unlink()
        self.explored(*self.grid)
        self.assertEqual(self.files(self.folder / "out"), self.whole)

    def test_the_digest_is_that_of_sha256sum(self):
        digest, name = (self.result.parent / "result.sha256").read_text().split()
        self.assertEqual((digest, name), (hashlib.sha256(self.result.read_bytes()).hexdigest(), "result.json"))

    def test_collect_runs_nothing_and_says_so(self):
        before = len(self.runs())
        self.result.write_text("{}")
        code, printed, errors = self.wordline("collect", self.folder / "out")
        self.assertEqual(code, 1)
        self.assertIn("its result is damaged, or was changed since the run; the command that runs it", printed)
        self.assertNotIn("Traceback", errors)
        self.assertEqual(len(self.runs()), before)


class HostileStudies(Bench):
    def refused(self, text, message, seconds=5):
        """`seconds`: of CPU time."""
        study = self.folder / "study.toml"
        study.write_text(text)
        begin = time.process_time()
        code, _, errors = self.wordline(study)
        self.assertLess(time.process_time() - begin, seconds)
        self.assertEqual(code, 2)
        self.assertIn(message, errors)
        self.assertEqual(errors.count("\n"), 1, errors)
        self.assertEqual(self.runs(), [])

    def study(self, more="", grid="channels.count = [1, 2]"):
        return f'drive = "drive.toml"\nworkloads = ["read.fio"]\n{more}\n[grid]\n{grid}\n'

    def test_runs_are_counted_before_they_are_listed(self):
        self.refused(self.study("repeats = 1000000000"), "repeats: is 1,000,000,000, expected at most 1,000,000")
        keys = ("channels.count", "channels.packages", "run.seed", "precondition.fill", "nand.cell")
        grid = "\n".join(f"{key} = {list(range(59))}" for key in keys)
        self.refused(self.study(grid=grid), "study: 714,924,299 runs, at most 1,000,000: fewer values of an axis")
        seeds = "repeats = 900000\n"
        self.refused(self.study(seeds), "study: 1,800,000 runs, at most 1,000,000")

    def test_deep_and_unprintable(self):
        self.refused(self.study(grid=f"channels.count = {'[' * 500}1{']' * 500}"), "too deep")
        self.refused(self.study(f"[[constraint]]\nholds = \"{'(' * 900}1{')' * 900} == 1\""), "study.toml")
        self.refused(self.study(grid='channels.count = ["1\\u0000"]'), "grid.channels.count: '1\\x00' has a NUL")
        self.refused(
            'drive = "dri\\u0000ve.toml"\nworkloads = ["read.fio"]\n[grid]\nchannels.count = [1]\n', "drive: is 'dri"
        )
        self.refused(
            'drive = "drive.toml"\nworkloads = ["re\\u0000ad.fio"]\n[grid]\nchannels.count = [1]\n', "workloads[0]"
        )

    def test_a_name_that_is_no_text(self):
        name = os.fsdecode(b"re\xffad.fio")
        (self.folder / name).write_text("[read]\nrw=randread\n")
        words = [sys.executable, "-m", "wordline", "explore", self.config, "-w", self.folder / name, "--grid"]
        words += ["channels.count=1", "--program", self.program, "--out", self.folder / "out"]
        done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("this name is no UTF-8 text", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)


class Outputs(Bench):
    def command(self, shell):
        words = f"{sys.executable} -m wordline explore {self.config} -w {self.workload} --program {self.program}"
        return subprocess.run(
            ["bash", "-c", f"set -o pipefail; {words} --out {self.folder}/out --grid channels.count=1,2 {shell}"],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=False,
        )

    def test_a_reader_that_has_gone(self):
        done = self.command("| true")
        self.assertNotIn("Traceback", done.stderr)
        self.assertNotIn("Exception", done.stderr)
        self.assertTrue((self.folder / "out/table.json").is_file())

    @unittest.skipUnless(Path("/dev/full").exists(), "no /dev/full")
    def test_a_full_disk_behind_the_output(self):
        done = self.command("> /dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be written", done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_a_write_that_fails_names_the_file(self):
        for name in ("table.csv", "table.json", "plan.json.partial", "index.sqlite.partial", "read.svg"):
            with self.subTest(name):
                folder = self.folder / name
                (folder / name).mkdir(parents=True)
                done = subprocess.run(
                    [
                        *(sys.executable, "-m", "wordline", "explore", self.config, "-w", self.workload, "--grid"),
                        *("channels.count=1", "--program", self.program, "--out", folder),
                    ],
                    env=ENVIRONMENT,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertIn(done.returncode, (1, 2))
                self.assertNotIn("Traceback", done.stderr)
                self.assertRegex(
                    done.stderr, rf"wordline[^\n]*: {re.escape(str(folder))}/{re.escape(name)}[^\n]*cannot be written"
                )


class Traces(Bench):
    def test_options_of_run(self):
        trace = self.folder / "some.csv"
        trace.write_text("0,R,0,4096\n")
        words = ("--loop", "3", "--speedup", "2.5", "--queue-depth", "8", "--trace-format", "columns")
        words += ("--columns", "time_us,op,offset_bytes,size_bytes", "--addresses", "scale")
        code, _, errors = self.wordline(
            self.config,
            "-w",
            trace,
            "-w",
            self.workload,
            "--grid",
            "channels.count=1",
            "--out",
            self.folder / "out",
            *words,
        )
        self.assertEqual(code, 0, errors)
        lines = (self.folder / "words").read_text().splitlines()
        of_trace, of_job = sorted(lines, key=lambda line: "some.csv" not in line)
        self.assertIn(
            "--loop 3 --speedup 2.5 --queue-depth 8 --trace-format columns "
            "--columns time_us,op,offset_bytes,size_bytes --addresses scale",
            of_trace,
        )
        self.assertNotIn("--loop", of_job)

    def test_of_a_study_file_and_of_one_workload(self):
        for name in ("a.csv", "b.csv"):
            (self.folder / name).write_text("0,R,0,4096\n")
        study = self.folder / "study.toml"
        text = 'drive = "drive.toml"\nworkloads = ["a.csv", "b.csv"]\n[grid]\nchannels.count = [1]\n'
        study.write_text(text + "[trace]\nspeedup = 2\n[trace.b]\nloop = 4\nspeedup = 3\n")
        self.assertEqual(self.wordline(study)[0], 0)
        a, b = sorted((self.folder / "words").read_text().splitlines(), key=lambda line: "b.csv" in line)
        self.assertIn("--speedup 2", a)
        self.assertNotIn("--loop", a)
        self.assertIn("--speedup 3 --loop 4", b)
        for more, message in (
            ("[trace]\nlop = 2\n", "trace: lop: no such option, expected one of loop"),
            ("[trace.c]\nloop = 2\n", "trace: c: no workload of this name, only a, b"),
            ("[trace]\nloop = true\n", "trace: loop: is True, expected a number or a text"),
        ):
            study.write_text(text + more)
            self.assertIn(message, self.wordline(study)[2])

    def test_a_profile_takes_its_own_options_only(self):
        profile = Workload("p", Path("p.toml"))
        self.assertEqual(with_options(profile, {"loop": "2", "speedup": "3"}).options, ("--speedup", "3"))
        self.assertEqual(with_options(Workload("j", text="[j]\n"), {"speedup": "3"}).options, ())
        with self.assertRaises(StudyError):
            Workload.of_file(self.folder / "no such file")


if __name__ == "__main__":
    unittest.main()
