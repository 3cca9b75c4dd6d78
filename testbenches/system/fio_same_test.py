#!/usr/bin/env python3
# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What arrives of a job is what fio itself sends: fio runs each job on a sparse file and writes an iolog, the program runs it
on a small drive and logs its requests.

Requests in order are equal. Random ones are drawn by other numbers: equal are how many there are, how many of each
operation and size within what draws of this number differ by, how many places are touched, and the region. Trims are not
asked: fio sends them to devices alone. Without fio the test is skipped.

usage: fio_same_test.py PROGRAM ROOT
"""

from __future__ import annotations

import collections
import csv
import math
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, ROOT = sys.argv.pop(1), Path(sys.argv.pop(1))
SMALL = ROOT / "configs" / "ssds" / "small.toml"
FIO = shutil.which("fio")
REGION = 16 << 20

IN_ORDER = (
    "rw=read",
    "rw=write\nbs=64k",
    "rw=read\nbs=1Mi",
    "rw=write\nbs=4ki",
    "rw=write\nbs=8kb",
    "rw=read\nbs=4k,8k\nsize=4m",
    "rw=read:12k",
    "rw=read:12k\nio_size=16m",
    "rw=write:64k\nbs=16k",
    "rw=read:-8k",
    "rw=read\nio_size=4m",
    "rw=read\nio_size=40m\nbs=64k",
    "rw=write\nnumber_ios=100",
    "rw=write\nloops=3\nsize=1m",
    "rw=read\noffset=4m\nsize=4m",
    "rw=read\nzonemode=strided\nzonesize=256k\nzoneskip=256k\nzonerange=256k\nbs=64k",
    "rw=read\nblocksize=128k\nkb_base=1024",
    "rw=write\nbs=48k",
)
RANDOM = (
    "rw=randread",
    "rw=randwrite\nbs=64k",
    "rw=randread\nnorandommap",
    "rw=randrw\nrwmixread=70",
    "rw=randrw\nrwmixwrite=10\nbs=8k",
    "rw=rw\nrwmixread=30",
    "rw=randread:8",
    "rw=randread\nbsrange=4k-64k",
    "rw=randwrite\nbssplit=4k/10:64k/40:128k/50",
    "rw=randwrite\nbssplit=64k/30:128k/40:32k/30",
    "rw=randread\nbssplit=4k/50:16k/50\nnorandommap",
    "rw=randread\nrandom_generator=lfsr",
    "rw=randread\nrandom_distribution=zipf:1.2\nnorandommap",
    "rw=randread\nrandom_distribution=zipf:1.2:0.5\nnorandommap",
    "rw=randread\nrandom_distribution=pareto:0.2\nnorandommap",
    "rw=randread\nrandom_distribution=normal:10\nnorandommap",
    "rw=randread\nrandom_distribution=zoned:50/5:30/15:20/80\nnorandommap",
    "rw=randread\nio_size=40m",
)


def region(job: str) -> str:
    """The options of a job, which has a size of its own or the whole region."""
    return job + "\n" if re.search(r"(^|\n)size=", job) else f"size={REGION}\n{job}\n"


@unittest.skipUnless(FIO, "fio is not installed: what it sends cannot be asked (apt-get install fio)")
class Same(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.folder = Path(scratch.name)
        self.addCleanup(scratch.cleanup)

    def of_fio(self, job: str) -> list[tuple[str, int, int]]:
        log, file, device = self.folder / "io.log", self.folder / "job.fio", self.folder / "device"
        with device.open("wb") as sparse:
            sparse.truncate(4 * REGION)  # more than the job's region, as a drive has
        log.unlink(missing_ok=True)
        file.write_text(f"[a]\nfilename={device}\n{region(job)}ioengine=psync\nwrite_iolog={log}\n")
        run = subprocess.run([FIO, file], capture_output=True, text=True, timeout=1200, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        rows = (line.split()[1:] for line in log.read_text().splitlines())  # the time, and the name, go
        fields = (row[-3:] for row in rows if len(row) == 4)
        return [(op, int(offset), int(size)) for op, offset, size in fields if op in ("read", "write", "trim")]

    def of_program(self, job: str) -> list[tuple[str, int, int]]:
        log, file = self.folder / "requests.csv", self.folder / "own.fio"
        file.write_text(f"[a]\n{region(job)}ioengine=psync\n")
        run = subprocess.run(
            [PROGRAM, "run", SMALL, "--set", "cpu.model=native", "-w", file, "-q", "--requests-log", log],
            capture_output=True,
            text=True,
            timeout=1200,
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        with log.open() as lines:
            rows = [(row["op"], int(row["lba"]) * 512, int(row["bytes"])) for row in csv.DictReader(lines)]
        return [row for row in rows if row[0] != "flush"]

    def test_in_order(self) -> None:
        for job in IN_ORDER:
            with self.subTest(job=job):
                self.assertEqual(self.of_program(job), self.of_fio(job))

    def test_random(self) -> None:
        for job in RANDOM:
            with self.subTest(job=job):
                theirs, ours = self.of_fio(job), self.of_program(job)
                # Of requests of different lengths their number is drawn, too.
                several = "split" in job or "range" in job
                self.assertAlmostEqual(len(ours), len(theirs), delta=0.1 * len(theirs) if several else 0)
                kinds = [collections.Counter((op, size) for op, _, size in requests) for requests in (theirs, ours)]
                for kind in kinds[0] | kinds[1]:
                    spread = 5 * math.sqrt(max(kinds[0][kind], kinds[1][kind], 4))
                    self.assertAlmostEqual(kinds[1][kind], kinds[0][kind], delta=spread, msg=str(kind))
                places = [len({offset for _, offset, _ in requests}) for requests in (theirs, ours)]
                self.assertAlmostEqual(places[1], places[0], delta=max(8, 0.1 * places[0]))
                ends = [max(offset + size for _, offset, size in requests) for requests in (theirs, ours)]
                self.assertLessEqual(max(ends), REGION)


if __name__ == "__main__":
    unittest.main()
