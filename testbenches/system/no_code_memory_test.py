# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A host that gives no memory for translated code (hardened kernels): firmware is interpreted, with the same results,
and whoever asked for translation reads why it was not.

usage: no_code_memory_test.py PROGRAM ROOT
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, ROOT = sys.argv.pop(1), Path(sys.argv.pop(1))
SMALL = ROOT / "configs" / "ssds" / "small.toml"
JOB = "[job]\nioengine=libaio\nrw=randrw\nbs=4k\niodepth=8\nnumber_ios=500\n"
NO_SUCH_CALL, SKIPPED = 3, 77

# PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN (Linux 6.3): from here on no mapping becomes executable that was not. Lasts over
# exec.
REFUSES = f"""
import ctypes, os, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) != 0:
    sys.exit({NO_SUCH_CALL})
os.execv(sys.argv[1], sys.argv[1:])
"""
NOTE = (
    "cpu.translate = true, but the firmware was interpreted: "
    "this host gives no memory that is both writable and executable"
)


class NoCodeMemory(unittest.TestCase):
    def run_drive(self, refuses: bool, *more: str) -> tuple[str, dict]:
        """What it prints, and result.json without where it is from."""
        with tempfile.TemporaryDirectory() as folder:
            job, out = Path(folder) / "job.fio", Path(folder) / "out"
            job.write_text(JOB)
            words = [PROGRAM, "run", str(SMALL), "--set", "cpu.model=iss", *more]
            words += ["--workload", str(job), "--out", str(out)]
            if refuses:
                words = [sys.executable, "-c", REFUSES, *words]
            done = subprocess.run(words, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads((out / "result.json").read_text())
            del result["provenance"]
            return done.stdout, result

    def test_interpreted_and_said(self) -> None:
        printed, result = self.run_drive(True, "--set", "cpu.translate=true")
        self.assertIn(NOTE, printed)
        translated, same = self.run_drive(False, "--set", "cpu.translate=true")
        self.assertNotIn("interpreted", translated)
        self.assertEqual(result, same)

    def test_who_did_not_ask_is_not_bothered(self) -> None:
        self.assertNotIn("interpreted", self.run_drive(True)[0])


if __name__ == "__main__":
    probe = subprocess.run([sys.executable, "-c", REFUSES, "/bin/true"])
    if probe.returncode == NO_SUCH_CALL:
        print("this kernel cannot refuse executable memory (PR_SET_MDWE, Linux 6.3)")
        sys.exit(SKIPPED)
    unittest.main()
