# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""python/wordline/studies/framework/bounds.py: no run is faster than what it says no drive can exceed, over random drives and jobs;
and points that cannot meet a requirement by it are not run.

usage: explore_bounds_test.py SOURCE_FOLDER PROGRAM [--drives N] [--seed N]
"""

import argparse
import contextlib
import io
import json
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

PARSER = argparse.ArgumentParser(description=__doc__)
PARSER.add_argument("source", type=Path)
PARSER.add_argument("program", type=Path)
PARSER.add_argument("--drives", type=int, default=40)
PARSER.add_argument("--seed", type=int, default=1)
ASKED, sys.argv[1:] = PARSER.parse_known_args()
ROOT, PROGRAM = ASKED.source.resolve(), ASKED.program.resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))

from wordline.studies import __main__  # noqa: E402
from wordline.studies.framework import bounds, jobs  # noqa: E402
from wordline.studies.framework.points import Point, Program, Workload  # noqa: E402
from wordline.studies.framework.requirements import Requirement  # noqa: E402

DRIVES = ("small", "ref_tlc32", "fast_slc", "default", "slc_4gib")


def drive(draw):
    """A shipped drive with other widths and times."""
    values = {
        "cpu.model": "native",
        "cpu.clock": draw.choice(["500MHz", "1GHz", "100GHz", "1000GHz"]),
        "precondition.fill": "sequential",
        "nand.blocks_per_plane": draw.choice([60, 100, 214]),
        "ftl.over_provisioning": draw.choice([0.3, 0.5]),
        "channels.count": draw.choice([1, 2, 4, 8]),
        "channels.packages": draw.choice([1, 2, 4]),
        "channels.rate": draw.choice(["200MT/s", "400MT/s", "800MT/s", "1200MT/s", "2400MT/s"]),
        "channels.pair_planes": draw.choice(["true", "false"]),
        "channels.cache_read": draw.choice(["true", "false"]),
        "nand.plane_blocks": draw.choice(["same", "any"]),
        "link.bandwidth": draw.choice(["500MB/s", "2GB/s", "8GB/s"]),
        "dram.bandwidth": draw.choice(["1GB/s", "3GB/s", "12.8GB/s"]),
        "run.seed": draw.randrange(1, 1000),
    }
    if draw.random() < 0.5:  # parts that hold a drive back go, so that the bound is near
        values |= {f"engines.{name}": "on" for name in ("parse", "l2p", "job", "completion", "buffer")}
    return ROOT / f"configs/ssds/{draw.choice(DRIVES)}.toml", values


def job(draw):
    kind = draw.choice(["randread", "randread", "randrw"])
    more = {"rwmixread": draw.choice([50, 70, 95])} if kind == "randrw" else {}
    depth = draw.choice([1, 8, 32, 64, 256])
    return jobs.fio("job", rw=kind, bs=draw.choice(["4k", "8k", "16k", "64k"]), iodepth=depth, number_ios=1500,
                    norandommap=True, **more)  # fmt: skip


class Bounds(unittest.TestCase):
    def test_no_run_is_faster(self):
        draw = random.Random(ASKED.seed)
        program = Program(PROGRAM)
        bounded, nearest = 0, 0.0
        with tempfile.TemporaryDirectory() as scratch:
            for number in range(ASKED.drives):
                config, values = drive(draw)
                workload = job(draw)
                point = Point.make(config, workload, values)
                if self.is_refused(program, point):
                    continue
                found = bounds.Job.of(workload)
                limits = bounds.Limits.of(program.effective_config(point), found, steady=False)
                if limits is None:
                    continue
                file = Path(scratch) / "job.fio"
                file.write_text(workload.text)
                out = Path(scratch) / str(number)
                words = program.run_command(point, file, out, Path(scratch) / "states")
                done = subprocess.run(words, env=program.environment, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads((out / "result.json").read_text())
                iops = sum(op["iops"] for op in result["ios"].values())
                reads = result["ios"]["read"]
                with self.subTest(point=point.title(), job=workload.text):
                    # Of a mix the job draws its share of reads, so reads alone are held against theirs.
                    self.assertLessEqual(reads["iops"], 1.001 * limits.most * found.reads, limits)
                    for name in ("p50", "p99", "mean"):
                        at = Requirement.parse(f"read_{name} <= {reads['lat_ps'][name]:.0f}ps", ["job"])
                        self.assertEqual(limits.against(at), "")
                bounded += 1
                nearest = max(nearest, iops / limits.most)
        print(
            f"{bounded} of {ASKED.drives} drives have a bound; the nearest run reaches {100 * nearest:.1f} % of its own"
        )
        self.assertGreater(bounded, ASKED.drives / 2)
        self.assertGreater(nearest, 0.8, "bounds that nothing comes near rule out nothing")

    @staticmethod
    def is_refused(program, point):
        try:
            program.effective_config(point)
        except bounds.StudyError:
            return True
        return False

    def test_jobs_of_which_nothing_is_known(self):
        text = "[global]\nbs=4k\n[job]\nrw=randrw\nrwmixread=70\niodepth=8\nnumjobs=2\nnorandommap\n"
        self.assertEqual(bounds.Job.of(Workload("j", text=text)), bounds.Job(0.7, 4096, 16))
        for more in (
            "size=1g\n",
            "random_distribution=zipf:1.1\n",
            "[other]\nrw=randread\n",
            "rw=read\n",
            "bs=4k,8k\n",
        ):
            self.assertIsNone(bounds.Job.of(Workload("j", text=text + more)), more)
        self.assertIsNone(bounds.Job.of(Workload("t", Path("some.csv"))))

    def test_what_cannot_meet_it_is_not_run(self):
        with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
            Path("read.fio").write_text("[read]\nrw=randread\nbs=4k\niodepth=64\nnumber_ios=800\nnorandommap\n")
            words = ["wordline", "explore", str(ROOT / "configs/ssds/ref_tlc32.toml"), "-w", "read.fio", "--grid"]
            words += ["channels.count=1,2,8", "--set", "cpu.model=native", "--set", "precondition.fill=sequential"]
            words += ["--require", "read_iops >= 420000", "--until", "5%", "--program", str(PROGRAM)]
            code, printed, errors = self.call(words)
            self.assertEqual(code, 3, errors)
            self.assertIn("2 of 3 points cannot meet the requirement, and are not run (--all runs them):", errors)
            # 420,000 x 65 us x 0.97 on four dies.
            self.assertRegex(errors, r"channels.count=1: read_iops 420,000 needs 66\d % of 4 dies")
            self.assertIn("1 fail, 2 were ruled out before a run", printed)
            table = json.loads(Path("out/explore/table.json").read_text())
            self.assertEqual(len(table["points"]), 1)
            self.assertEqual([point["values"] for point in table["not_run"]],
                             [{"channels.count": "1"}, {"channels.count": "2"}])  # fmt: skip
            self.assertEqual(self.call([*words, "--all"])[0], 3)
            self.assertEqual(len(json.loads(Path("out/explore/table.json").read_text())["points"]), 3)
            code, printed, errors = self.call([*words, "--require", "read_p99_99 <= 80us"])
            self.assertEqual(code, 3)
            self.assertIn("read_p99_99 80 us is below tR (85 us)", errors)
            self.assertIn("Requirement: none meets it: 0 meet it, 0 are not decided, 0 fail, 3 were ruled out", printed)

    @staticmethod
    def call(words):
        printed, errors = io.StringIO(), io.StringIO()
        with mock.patch("sys.argv", words), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
            return __main__.main(), printed.getvalue(), errors.getvalue()


if __name__ == "__main__":
    unittest.main()
