# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""python/wordline/studies: study files of `explore`, plans for job arrays, on a program that makes up its results.

usage: explore_study_test.py SOURCE_FOLDER
"""

import contextlib
import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import termios
import unittest

from explore_bench import ROOT, Bench
from wordline.studies.framework import samples
from wordline.studies.framework.exploration import Exploration
from wordline.studies.framework.expression import Condition
from wordline.studies.framework.points import Program, StudyError


class StudyFiles(Bench):
    def setUp(self):
        super().setUp()
        self.study = self.folder / "cells.toml"
        self.head = 'drive = "drive.toml"\nworkloads = ["read.fio"]\n'
        self.grid = "[grid]\nchannels.count = [1, 2, 4]\n"

    def load(self, text):
        self.study.write_text(text)
        return Exploration.load(self.study, Program(self.program))

    def rows(self, out):
        with open(self.folder / out / "table.csv") as file:
            return list(csv.DictReader(file))

    def test_grid_zip_and_constraints(self):
        found = self.load(
            self.head
            + self.grid
            + '[zip]\nnand.cell = ["slc", "tlc"]\nchannels.packages = [1, 2]\n'
            + '[[constraint]]\nholds = "channels.count * channels.packages <= 4"\n'
            + "[[constraint]]\nholds = \"not (nand.cell == 'slc' and channels.count in (1, 2))\"\n"
        )
        points = found.points(found.steps(Program(self.program)))
        self.assertEqual(
            [dict(point.sets) for point in points],
            [
                {"channels.count": count, "nand.cell": cell, "channels.packages": packages}
                for count, cell, packages in (("1", "tlc", "2"), ("2", "tlc", "2"), ("4", "slc", "1"))
            ],
        )

    def test_a_constraint_may_name_a_key_that_only_the_drive_has(self):
        text = self.head + self.grid + '[[constraint]]\nholds = "channels.count < cpu.cores"\n'
        self.assertEqual(len(self.load(text).steps(Program(self.program))), 2)
        with self.assertRaisesRegex(StudyError, "cpu.croes, which is no key"):
            self.load(text.replace("cpu.cores", "cpu.croes")).steps(Program(self.program))

    def test_what_is_wrong_is_named_with_file_and_key(self):
        head, grid = self.head, self.grid
        for text, message in (
            ("drive = [", "cells.toml: is not TOML"),
            (head + grid + "[gird]\n", "gird: no such key, expected one of title, drive"),
            ("[channels]\ncount = 2\n", "channels: no such key.*a drive, not a study, wants --grid and --workload"),
            (grid + 'drive = "drive.toml"\n', "grid.drive|drive: missing"),
            ('workloads = ["read.fio"]\n' + grid, "drive: missing"),
            (head, "grid: missing"),
            (head + "[grid]\n", "grid: has no key"),
            (head + "[grid]\nchannels.count = []\n", r"grid.channels.count: is \[\], expected a list of values"),
            (head + "[grid]\nchannels.count = 4\n", "grid.channels.count: is 4, expected a list"),
            (head + "[grid]\nchannels.count = [1, 1]\n", "grid.channels.count: a value stands twice"),
            (head + "[grid]\nchannels.count = [{a = 1}]\n", "is no value of a key"),
            (
                head + "[grid]\nchannels.cuont = [1]\n",
                "channels.cuont: the drive has no such key, perhaps channels.count",
            ),
            (head + grid + "[settings]\nchannels.count = 1\n", "channels.count: is set twice"),
            (head + "seeds = [1]\n" + grid + "[settings]\nrun.seed = 1\n", "run.seed: is set twice"),
            (head + "seeds = [1, 1]\n" + grid, "seeds: a seed stands twice"),
            (head + "seeds = []\n" + grid, "seeds: is .., expected a list of whole numbers"),
            (head + "seeds = [true]\n" + grid, "seeds: is .True., expected a list of whole numbers"),
            (head + "seeds = [1]\nrepeats = 2\n" + grid, "repeats: seeds are given too"),
            (head + "repeats = 0\n" + grid, "repeats: is 0, expected a whole number of at least 1"),
            (head + "requests = '5'\n" + grid, "requests: is '5', expected a whole number"),
            (head.replace("read.fio", "write.fio") + grid, r"workloads\[0\]: no file .*write.fio; names count from"),
            (head.replace('"read.fio"', '"read.fio", "read.fio"') + grid, "two files have one name"),
            (head + grid + "[zip]\nnand.cell = ['slc']\n", "zip: expected two keys or more"),
            (
                head + grid + "[zip]\nnand.cell = ['slc']\nchannels.packages = [1, 2]\n",
                "zip.channels.packages: has 2 values and nand.cell has 1",
            ),
            (head + grid + "[constraint]\nholds = 'a < 1'\n", r"expected \[\[constraint\]\]"),
            (head + grid + "[[constraint]]\nhold = 'a < 1'\n", r"constraint\[0\]: expected one key: holds"),
            (head + grid + "[[constraint]]\nholds = 'a <'\n", r"constraint\[0\].holds: .* is no expression"),
        ):
            with self.subTest(text), self.assertRaisesRegex(StudyError, message) as raised:
                self.load(text)
            self.assertIn(str(self.study), str(raised.exception))
        with self.assertRaisesRegex(StudyError, "constraint: no point of the grid is left by channels.count > 9"):
            self.load(head + grid + "[[constraint]]\nholds = 'channels.count > 9'\n").steps(Program(self.program))
        self.study.write_text(head + grid + "[gird]\n")
        code, _, errors = self.wordline(self.study)
        self.assertEqual(code, 2)
        self.assertIn("cells.toml: gird: no such key", errors)

    def test_conditions_are_walked_and_never_evaluated(self):
        values = {"a": 6, "b.c": 4, "t": "40us", "flag": True}
        for text, holds in (
            ("a * b.c + 1 == 25", True),
            ("1 < b.c < a", True),
            ("1 < b.c < 4", False),
            ("-a // 4 == -2 and a % 4 == 2 and a / 4 == 1.5", True),
            ("t == '40us' or a < 0", True),
            ("t in ('10us', '60us')", False),
            ("a not in [1, 2]", True),
            ("flag and not a < 3", True),
            ("a == 6 or 1 / (a - 6) > 0", True),
        ):
            self.assertEqual(Condition(text).holds(values), holds, text)
        self.assertEqual(Condition("a * b.c < c.d.e").keys, {"a", "b.c", "c.d.e"})
        for text in (
            "__import__('os').system('true')",
            "a ** 9 < 1",
            "a if flag else b",
            "[a for a in (1,)] == 1",
            "(a := 3) > 1",
            "a.b().c > 1",
            "f'{a}' == ''",
            "a[0] > 1",
            "lambda: a",
            "1 < 2 < None",
            "a & 1 == 1",
        ):
            with self.assertRaisesRegex(StudyError, "is not allowed here"):
                Condition(text)
        for text, message in (
            ("a + 1", "is a value, expected a condition"),
            ("a <", "is no expression"),
            ("a < 1; a", "is no expression"),
            ("(" * 3000, "is no expression"),
        ):
            with self.assertRaisesRegex(StudyError, message):
                Condition(text)
        for text, message in (
            ("t < '60us'", "t is '40us', expected a number"),
            ("a / (b.c - 4) > 1", "divides by zero"),
            ("not a", "a is 6, expected true or false"),
            ("a in t", "expected a group in brackets"),
        ):
            with self.assertRaisesRegex(StudyError, message):
                Condition(text).holds(values)

    def test_means_and_intervals_over_seeds(self):
        # 12.706, 4.303, 2.776, 2.228: the table of any book.
        for freedom, t in ((1, 12.706), (2, 4.303), (4, 2.776), (10, 2.228), (1000, 1.962)):
            self.assertAlmostEqual(samples.quantile(freedom), t, places=3)
        self.study.write_text(self.head + "repeats = 3\n" + self.grid)
        code, printed, _ = self.wordline(self.study, "-o", "out")
        self.assertEqual(code, 0)
        self.assertEqual(sorted(self.runs()), ["1x1"] * 3 + ["2x1"] * 3 + ["4x1"] * 3)
        rows = self.rows("out")
        # Seeds give 100, 110, 120: a mean of 110, a deviation of 10.
        self.assertEqual([row["iops"] for row in rows], ["110.0", "210.0", "410.0"])
        self.assertAlmostEqual(float(rows[0]["iops +-"]), 4.30265 * 10 / 3**0.5, places=3)
        self.assertIn("+-22.6 %", printed)
        row = json.loads((self.folder / "out/table.json").read_text())["points"][0]
        self.assertEqual((row["seeds"], len(row["runs"])), ([1, 2, 3], 3))
        self.assertEqual(row["interval"]["read_p99_9_ps"], 0.0)
        for run in row["runs"]:
            self.assertTrue((self.folder / "out" / run / "result.json").is_file())

    def test_repeats_on_the_command_line(self):
        self.study.write_text(self.head + "seeds = [7]\n" + self.grid)
        self.assertEqual(self.wordline(self.study, "-o", "out", "--repeats", "3")[0], 0)
        self.assertEqual([row["iops"] for row in self.rows("out")], ["110.0", "210.0", "410.0"])
        words = (self.folder / "drive.toml", "-w", self.folder / "read.fio", "-o", "out2", "--repeats")
        for more, said in (
            (("0", "--grid", "channels.count=1"), "--repeats 0: expected 1 to 1,000,000"),
            (("2", "--grid", "run.seed=1,2"), "--repeats: run.seed is set, too"),
        ):
            code, _, errors = self.wordline(*words, *more)
            self.assertEqual(code, 2)
            self.assertIn(said, errors)

    def test_the_line_says_how_long_and_what_is_best(self):
        self.study.write_text(self.head + self.grid)
        leader, follower = os.openpty()
        termios.tcsetwinsize(follower, (24, 60))
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "60",
        }
        words = [sys.executable, "-m", "wordline", "explore", self.study, "-o", "out", "-j1", "--program", self.program]
        subprocess.run(words, env=environment, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=follower, check=True)
        os.close(follower)
        said = os.read(leader, 1 << 16).decode().replace("\r\n", "\r").split("\r")
        os.close(leader)
        lines = [line.rstrip() for line in said if "points" in line]
        self.assertRegex(lines[0], r"^1 of 3 points, \d+ s left, best so far 100 IOPS: channels.*\.\.\.$|=1$")
        self.assertRegex(lines[2], r"^3 of 3 points, best so far 400 IOPS: channels\.count=4$")
        self.assertLess(max(map(len, said)), 60)

    def test_unknown_words_are_answered_by_their_command(self):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        words = [sys.executable, "-m", "wordline", "explore", self.study, "--repaets", "3"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("wordline explore: error: unknown: --repaets 3; did you mean --repeats?", done.stderr)

    def test_the_index_has_points_values_and_results(self):
        self.study.write_text(self.head + "repeats = 2\n[grid]\nchannels.count = [1, 4, 7, 9]\n")
        self.assertEqual(self.wordline(self.study, "-o", "out")[0], 1)
        with contextlib.closing(sqlite3.connect(self.folder / "out/index.sqlite")) as index:
            ask = lambda query: index.execute(query).fetchall()  # noqa: E731
            self.assertEqual(ask("SELECT value FROM study WHERE name = 'title'"), [("cells",)])
            self.assertEqual(
                ask(
                    "SELECT v.value, p.seed, r.value FROM points p JOIN point_values v USING (point)"
                    " JOIN results r USING (point) WHERE r.name = 'ios.read.iops' ORDER BY point"
                ),
                [(1, 1, 100.0), (1, 2, 110.0), (4, 1, 400.0), (4, 2, 410.0)],
            )
            self.assertEqual(
                ask("SELECT point, error, key IS NULL FROM points WHERE error IS NOT NULL ORDER BY point"),
                [(4, "wordline: data mismatch at LBA 7", 0), (5, "wordline: data mismatch at LBA 7", 0)]
                + [(number, "error: channels.count is 9, expected less", 1) for number in (6, 7)],
            )
            self.assertEqual(ask('SELECT "channels.count", iops FROM rows WHERE best'), [(4, 405.0)])

    def test_a_seed_that_fails_fails_its_row(self):
        self.study.write_text(self.head + "seeds = [4, 5]\n[grid]\nchannels.count = [1, 7]\n")
        code, printed, _ = self.wordline(self.study, "-o", "out")
        self.assertEqual(code, 1)
        self.assertEqual(self.rows("out")[1]["error"], "seed 4: wordline: data mismatch at LBA 7")
        self.assertRegex(printed, r"7 +failed +seed 4")

    def test_the_same_bytes_whichever_way_the_points_were_run(self):
        self.study.write_text(self.head + "repeats = 2\n[grid]\nchannels.count = [1, 7, 9]\n")
        out = self.folder / "out"
        self.assertEqual(self.wordline(self.study, "-o", "out", "-j", "2")[0], 1)
        whole = self.files(out)
        self.assertIn("table.json", whole)
        self.assertEqual(sum(name.endswith("result.json") for name in whole), 2)
        for jobs in ([["--index", "4-5"], *(["--index", str(index)] for index in range(4))], [["-j", "2"]]):
            shutil.rmtree(out)
            code, printed, _ = self.wordline("plan", self.study, "-o", "out")
            self.assertEqual(code, 0)
            self.assertIn("6 runs, 0 to 5; 2 are refused", printed)
            for words in jobs:
                self.wordline("run", "out", *words)
            self.assertEqual(self.wordline("collect", "out")[0], 1)
            self.assertEqual(self.files(out), whole)

    def test_jobs_of_one_plan_run_beside_each_other(self):
        self.study.write_text(self.head + self.grid)
        self.wordline("plan", self.study, "-o", "out")
        (self.folder / "slow").write_text("1")
        words = [sys.executable, "-m", "wordline", "explore", "run", "out", "--program", self.program, "--index"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        jobs = [
            subprocess.Popen([*words, index], env=environment, cwd=self.folder, stderr=subprocess.PIPE)
            for index in ("0", "1", "0-1", "2")
        ]
        self.wordline("run", "out", "--index", "2")
        code, _, errors = self.wordline(self.study, "-o", "out")  # while the others run
        if any(job.poll() is None for job in jobs):
            self.assertEqual((code, "another study is using this folder" in errors), (2, True))
        for job in jobs:
            job.communicate()
            self.assertEqual(job.returncode, 0)
        self.assertEqual(sorted(self.runs()), ["1x1", "2x1", "4x1"])

    def test_a_plan_is_held_against_what_it_was_made_of(self):
        self.study.write_text(self.head + self.grid)
        self.assertEqual(self.wordline("plan", self.study, "-o", "out")[0], 0)
        for words, message in (
            (["run", "out", "--index", "3"], "--index 3: expected a number from 0 to 2"),
            (["run", "out", "--index", "2-1"], "--index 2-1: expected"),
            (["run", "out", "--index", "x"], "--index x: expected"),
            (["run", "elsewhere"], "elsewhere/plan.json: cannot be read: .*explore plan STUDY -o elsewhere writes it"),
            (["collect", "out"], "no point ran. The first: has not run yet"),
            (["plan", self.folder / "none.toml"], "none.toml: cannot be read"),
            ([self.study, "--grid", "channels.count=2"], "--workload: missing"),
        ):
            code, _, errors = self.wordline(*words)
            self.assertEqual(code, 2, errors)
            self.assertRegex(errors, message)
        self.assertEqual(self.wordline("run", "out", "--index", "1")[0], 0)
        code, _, _ = self.wordline("collect", "out")
        self.assertEqual(code, 1)
        self.assertEqual([row["error"] for row in self.rows("out")], ["has not run yet", "", "has not run yet"])
        self.workload.write_text("[read]\nrw=read\n")
        self.assertIn("a file that the plan names has changed", self.wordline("run", "out", "--index", "0")[2])
        with open(self.program, "a") as file:
            file.write("# another build\n")
        self.assertIn("another build of the program; plan again", self.wordline("run", "out", "--index", "0")[2])

    def test_scripts_of_job_arrays_run_every_point(self):
        self.study.write_text(self.head + "[grid]\nchannels.count = [1, 2, 3, 4, 5]\n")
        folder = self.folder / "my runs"  # a name that needs quotes
        words = ("plan", self.study, "-o", folder, "--slurm", "--lsf", "--sge", "--per-task", "2")
        self.assertEqual(self.wordline(*words)[0], 0)
        slurm, lsf = (folder / "slurm.sh").read_text(), (folder / "lsf.sh").read_text()
        self.assertIn("#SBATCH --array=0-2\n", slurm)
        self.assertIn('#BSUB -J "cells[1-3]"\n', lsf)
        self.assertIn("\n#$ -N cells\n#$ -t 1-3\n", (folder / "sge.sh").read_text())
        stand_in = self.folder / "stand_in"  # instead of scripts/wordline, whose program is the real one
        stand_in.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m wordline "$@" --program "{self.program}"\n')
        stand_in.chmod(0o755)
        for name, variable, tasks in (
            ("slurm", "SLURM_ARRAY_TASK_ID", (0, 1, 2)),
            ("lsf", "LSB_JOBINDEX", (1, 2, 3)),
            ("sge", "SGE_TASK_ID", (1, 2, 3)),
        ):
            shutil.rmtree(folder / "points")
            script = folder / f"{name}.sh"
            script.write_text(script.read_text().replace(str(ROOT / "scripts/wordline"), str(stand_in)))
            if shutil.which("shellcheck"):
                subprocess.run(["shellcheck", script], check=True)
            for task in tasks:
                environment = {"PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1", variable: str(task)}
                subprocess.run(["bash", script], check=True, env={**os.environ, **environment}, capture_output=True)
            self.assertEqual(len(list((folder / "points").iterdir())), 5)


if __name__ == "__main__":
    unittest.main()
