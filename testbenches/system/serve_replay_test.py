# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What clients did, done again without them: the same results to the last picosecond, in each mode of time.

usage: serve_replay_test.py PROGRAM ROOT
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from served_drive import FLUSH, WRITE, GUARD_SECONDS, Client, ServedDrive, run

ROOT = Path(sys.argv.pop(2))
PROGRAM = sys.argv.pop(1)
SMALL = str(ROOT / "configs/ssds/small.toml")


class Replays(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        self.capture = self.path / "capture"

    def serve_fio(self, *options: str) -> dict:
        with ServedDrive(PROGRAM, SMALL, "--capture", str(self.capture), *options, folder=self.path) as drive:
            job = ["--ioengine=nbd", f"--uri={drive.uri}", "--rw=randrw", "--bs=4k", "--size=16m", "--iodepth=16"]
            run("fio", "--name=a", *job, "--numjobs=3", "--offset_increment=16m", "--number_ios=700", "--fsync=100")
            code, _, err = drive.end()
            self.assertEqual(code, 0, err)
            return self.result("out")

    def replay(self, *options: str, code: int = 0) -> subprocess.CompletedProcess:
        command = [PROGRAM, "serve", SMALL, "--replay", str(self.capture), "--out", str(self.path / "again"), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=GUARD_SECONDS, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def result(self, name: str) -> dict:
        """All but the command line, which is another one."""
        result = json.loads((self.path / name / "result.json").read_text())
        del result["provenance"]["command"]
        return result

    def test_free(self) -> None:
        served = self.serve_fio("--set", "host.cores=2")
        self.assertIn("answers are those of the capture", self.replay("--set", "host.cores=2").stdout)
        self.assertEqual(self.result("again"), served)
        self.assertGreater(served["ios"]["read"]["count"], 500)
        self.assertGreater(served["ios"]["flush"]["count"], 3)

    def test_with_its_waveform(self) -> None:
        served = self.serve_fio()
        waves = ["--set", "observe.waves=true", "--set", "observe.timeline=true"]
        self.replay(*waves)
        self.assertEqual(self.result("again"), served)
        self.assertGreater((self.path / "again/waves.fst").stat().st_size, 50_000)
        self.assertIn("traceEvents", json.loads((self.path / "again/timeline.json").read_text()))
        view = [PROGRAM, "view", "--slowest", "--op", "write", "--print", str(self.path / "again")]
        self.assertIn("write", subprocess.run(view, capture_output=True, text=True, check=True).stdout)

    def test_dilated(self) -> None:
        served = self.serve_fio("--time", "dilated:10")
        self.replay()
        self.assertEqual(self.result("again"), served)

    def test_on_the_instruction_set_model(self) -> None:
        served = self.serve_fio("--set", "cpu.model=iss")
        self.replay("--set", "cpu.model=iss")
        self.assertEqual(self.result("again"), served)

    def test_the_capture_is_a_trace(self) -> None:
        served = self.serve_fio()
        command = [PROGRAM, "run", SMALL, "--workload", str(self.capture), "--out", str(self.path / "run"), "--quiet"]
        subprocess.run(command, check=True)
        for op in ("read", "write", "flush"):
            self.assertEqual(self.result("run")["ios"][op]["count"], served["ios"][op]["count"])

    def test_of_a_server_that_was_killed(self) -> None:
        with ServedDrive(PROGRAM, SMALL, "--capture", str(self.capture), folder=self.path) as drive:
            with Client(drive.socket) as client:
                for i in range(3000):
                    self.assertEqual(client.do(WRITE, i * 4096, data=bytes([i % 256]) * 4096), 0)
                self.assertEqual(client.do(FLUSH), 0)
            drive.kill()
        self.assertGreater(self.capture.read_text().count("\nq "), 500)
        self.replay()
        self.assertGreater(self.result("again")["ios"]["write"]["count"], 500)

    def test_what_differs_is_said(self) -> None:
        self.serve_fio()
        self.assertIn("another configuration", self.replay("--set", "run.seed=77", code=2).stderr)
        lines = self.capture.read_text().splitlines(keepends=True)
        answer = next(i for i, line in enumerate(lines) if line.startswith("a "))
        words = lines[answer].split()
        words[1] = str(int(words[1]) + 1)
        self.capture.write_text("".join([*lines[:answer], " ".join(words) + "\n", *lines[answer + 1 :]]))
        self.assertIn("the replay differs from the capture in 1 of", self.replay(code=1).stderr)
        # A request less: all that comes behind it may come at other times.
        request = next(i for i, line in enumerate(lines) if line.startswith("q "))
        self.capture.write_text("".join([*lines[:request], *lines[request + 1 :]]))
        self.assertIn("the replay differs", self.replay(code=1).stderr)
        self.capture.write_text("".join([*lines[:2], "q now 1 2 read 0 512\n"]))
        self.assertIn(f"{self.capture}:3: error: expected a time in ps", self.replay(code=1).stderr)


if __name__ == "__main__":
    unittest.main()
