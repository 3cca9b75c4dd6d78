# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""fio job files on a drive: what fio would report of a run agrees with result.json, and what the jobs ask for happens.

usage: fio_test.py PROGRAM ROOT
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, ROOT = sys.argv.pop(1), Path(sys.argv.pop(1))
SMALL = ROOT / "configs" / "ssds" / "small.toml"


class Fio(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def wordline(self, *arguments: str | Path) -> subprocess.CompletedProcess:
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=1200)

    def run_job(self, text: str, *more: str, fio: str = "--fio-json") -> tuple[dict, dict]:
        """result.json, and the same as fio writes it."""
        job = self.write("job.fio", text)
        out, fio_file = self.folder / "out", self.folder / "fio.json"
        run = self.wordline(
            "run", SMALL, "--set", "cpu.model=native", "--workload", job, "--out", out, "-q", fio, fio_file, *more
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads((out / "result.json").read_text()), json.loads(fio_file.read_text())

    def test_numbers_are_those_of_the_result(self) -> None:
        result, fio = self.run_job(
            "[a]\nioengine=libaio\nrw=randrw\nrwmixread=70\nbs=4k\niodepth=16\nnumber_ios=3000\n"
            "fsync=100\ndescription=both\n"
        )
        self.assertEqual(fio["fio version"], "fio-3.33")
        (job,) = fio["jobs"]
        self.assertEqual((job["jobname"], job["error"], job["desc"]), ("a", 0, "both"))
        self.assertEqual(job["job options"]["rwmixread"], "70")
        for op in ("read", "write"):
            ours, theirs = result["ios"][op], job[op]
            self.assertGreater(ours["count"], 500)
            self.assertEqual(theirs["total_ios"], ours["count"])
            self.assertEqual(theirs["io_bytes"], ours["bytes"])
            self.assertEqual(theirs["io_kbytes"], ours["bytes"] // 1024)
            self.assertAlmostEqual(theirs["iops"] / ours["iops"], 1, places=5)
            self.assertAlmostEqual(theirs["bw_bytes"] / ours["bytes_per_s"], 1, places=5)
            self.assertAlmostEqual(theirs["bw"] * 1024 / ours["bytes_per_s"], 1, places=3)
            for latency in ("clat_ns", "lat_ns"):
                self.assertEqual(theirs[latency]["N"], ours["count"])
                for name in ("min", "max"):
                    self.assertAlmostEqual(theirs[latency][name], ours["lat_ps"][name] / 1000, delta=1)
                for name in ("mean", "stddev"):
                    self.assertAlmostEqual(theirs[latency][name], ours["lat_ps"][name] / 1000, delta=0.01)
            for percent, name in (("50.000000", "p50"), ("99.000000", "p99"), ("99.990000", "p99_99")):
                self.assertAlmostEqual(theirs["clat_ns"]["percentile"][percent], ours["lat_ps"][name] / 1000, delta=1)
        self.assertEqual(job["sync"]["total_ios"], result["ios"]["flush"]["count"])
        self.assertEqual(job["trim"]["total_ios"], 0)
        self.assertAlmostEqual(sum(job["iodepth_level"].values()), 100, places=3)
        self.assertGreater(job["iodepth_level"]["16"], 30)  # each FLUSH empties the queue
        shares = [share for part in ("latency_ns", "latency_us", "latency_ms") for share in job[part].values()]
        self.assertAlmostEqual(sum(shares), 100, places=3)
        self.assertEqual((job["usr_cpu"], job["ctx"]), (0, 0))

    def test_bins_of_all_latencies(self) -> None:
        text = "[a]\nrw=randread\nbs=4k\nnumber_ios=500\n[b]\nstonewall\nrw=write\nbs=8k\nnumber_ios=200\n"
        result, fio = self.run_job(text, fio="--fio-json-plus")
        for job, op in zip(fio["jobs"], ("read", "write")):
            clat = job[op]["clat_ns"]
            self.assertEqual(sum(clat["bins"].values()), clat["N"])
            for value in map(int, clat["bins"]):
                self.assertGreaterEqual(value, clat["min"] * 0.98)
                self.assertLessEqual(value, clat["max"] * 1.02)
        self.assertEqual(
            [job[op]["total_ios"] for job, op in zip(fio["jobs"], ("read", "write"))],
            [job["requests"] for job in result["jobs"]],
        )
        first = (self.folder / "fio.json").read_bytes()
        self.run_job(text, fio="--fio-json-plus")
        self.assertEqual((self.folder / "fio.json").read_bytes(), first)

    def test_jobs_of_a_group_are_reported_as_one(self) -> None:
        result, fio = self.run_job(
            "[global]\nbs=4k\nrw=randread\nnumber_ios=100\n[a]\nnumjobs=3\ngroup_reporting\n"
            "[b]\nnew_group\nnumjobs=2\n"
        )
        self.assertEqual([job["jobname"] for job in fio["jobs"]], ["a", "b", "b"])
        self.assertEqual([job["groupid"] for job in fio["jobs"]], [0, 1, 1])
        self.assertEqual([job["read"]["total_ios"] for job in fio["jobs"]], [300, 100, 100])
        self.assertEqual(len(result["jobs"]), 5)
        self.assertEqual(fio["global options"], {"bs": "4k", "rw": "randread", "number_ios": "100"})

    def test_stonewalled_jobs_do_not_overlap_and_have_their_own_results(self) -> None:
        result, _ = self.run_job(
            "[global]\nioengine=libaio\niodepth=8\nbs=4k\nsize=4m\n[w]\nrw=write\n"
            "[r]\nstonewall\nrw=randread\n[t]\nstonewall\nrw=randtrim\n"
        )
        write, read, trim = result["jobs"]
        self.assertGreaterEqual(read["begin_ps"], write["end_ps"])
        self.assertGreaterEqual(trim["begin_ps"], read["end_ps"])
        self.assertEqual([job["requests"] for job in result["jobs"]], [1024] * 3)

    def test_a_rate_is_met(self) -> None:
        result, fio = self.run_job(
            "[a]\nioengine=libaio\nrw=randread\nbs=4k\niodepth=8\nrate_iops=2000\nnumber_ios=1000\n"
            "[b]\nstonewall\nrw=write\nbs=16k\nrate=8m\nsize=4m\n"
        )
        a, b = result["jobs"]
        self.assertAlmostEqual(a["iops"] / 2000, 1, delta=0.01)
        self.assertAlmostEqual(b["bytes_per_s"] / (8 << 20), 1, delta=0.01)
        self.assertAlmostEqual(fio["jobs"][0]["read"]["iops"] / 2000, 1, delta=0.01)

    def test_flushes_are_counted(self) -> None:
        for options, flushes in (
            ("fsync=32", 8),
            ("fdatasync=64", 4),
            ("end_fsync=1", 1),
            ("fsync=100\nend_fsync=1", 3),
            ("fsync_on_close=1\nloops=2", 2),
        ):
            result, fio = self.run_job(f"[a]\nioengine=libaio\nrw=write\nbs=4k\nsize=1m\niodepth=4\n{options}\n")
            self.assertEqual(result["ios"]["flush"]["count"], flushes, options)
            self.assertEqual(fio["jobs"][0]["sync"]["total_ios"], flushes, options)
            self.assertEqual(fio["jobs"][0]["sync"]["lat_ns"]["N"], flushes, options)

    def test_every_kind_of_option_at_once_keeps_all_data(self) -> None:
        result, _ = self.run_job(
            "[global]\nioengine=libaio\niodepth=8\nsize=2m\n"
            "[split]\nrw=randrw\nbssplit=512/20:4k/50:12k/30\nverify=crc32c\nverify_backlog=32\n"
            "[tw]\nrw=randtrimwrite\nbs=4k\nsync=1\n"
            "[loops]\nstonewall\nrw=randwrite\nbsrange=512-16k\nloops=3\nverify=md5\nfsync=50\n"
            "[think]\nrw=read:4k\nbs=4k\nthinktime=50\nthinktime_blocks=8\n"
            "[flow1]\nstonewall\nrw=write\nbs=4k\nflow=1\nnumber_ios=200\n[flow3]\nrw=read\nbs=4k\nflow=3\n",
            "--verify-all",
        )
        self.assertEqual(result["status"], "completed")
        self.assertEqual(result["check"]["mismatches"], 0)
        self.assertGreater(result["ios"]["trim"]["count"], 100)

    def test_a_job_that_does_nothing(self) -> None:
        result, fio = self.run_job("[a]\nrw=write\nbs=4k\nsize=1m\ncreate_only=1\n")
        self.assertEqual(result["status"], "completed")
        self.assertEqual(fio["jobs"][0]["write"]["total_ios"], 0)

    def test_check_says_what_will_happen_or_why_not(self) -> None:
        good = self.write("good.fio", "[a]\nioengine=libaio\nrw=randread\nbs=4k\niodepth=4\nsize=1m\ndirect=1\n")
        bad = self.write("bad.fio", "[a]\nioengine=net\nbs=4k\n")
        trace = self.write(
            "t.csv", "128166372003061629,src1,0,Write,4096,8192,100\n" "128166372013061629,src1,0,Read,0,4096,100\n"
        )
        both = self.wordline("workload", "check", good, bad, trace)
        self.assertEqual(both.returncode, 1)
        lines = both.stdout.splitlines()
        self.assertIn("    randread, blocks of 4k, 4 in flight", lines)
        self.assertIn("    1 MiB, 256 requests", lines)
        self.assertIn(f"  note: {good}: no effect in a simulated drive: direct", lines)
        self.assertIn(f"{bad}: refused", lines)
        self.assertIn(
            f"  {bad}:2: error: fio option 'ioengine=net' is refused: it sends over a network; no drive takes " "part",
            lines,
        )
        self.assertIn("  requests arrive at their times", lines)
        self.assertEqual(lines[-1], "2 of 3 workloads run on a drive of 1 TiB")
        alone = self.wordline("workload", "check", good, trace, "--capacity", "512KiB")
        self.assertEqual(alone.returncode, 0)
        self.assertIn("the job has what is left, 512 KiB", alone.stdout)
        self.assertEqual(self.wordline("workload", "check", self.folder / "none.fio").returncode, 1)

    def test_a_missing_folder_for_the_json_is_an_error(self) -> None:
        job = self.write("job.fio", "[a]\nrw=read\nbs=4k\nnumber_ios=1\n")
        run = self.wordline(
            "run", SMALL, "--set", "cpu.model=native", "-w", job, "-q", "--fio-json", self.folder / "none" / "fio.json"
        )
        self.assertEqual(run.returncode, 1)
        self.assertIn("fio.json: cannot be written", run.stderr)


if __name__ == "__main__":
    unittest.main()
