# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""scripts/soak: what it runs comes out the same for the same seed, and the first failure ends it, with all that is
needed to see it again. A program that plays the drive stands in for the real one.

usage: soak_test.py SOURCE_FOLDER
"""

import json
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True

# Behaves by run.seed, which is the number of the drive.
PROGRAM = """#!{python}
import json, sys, time
from pathlib import Path
words = sys.argv
if words[1:] == ["explain", "--tables"]:
    policy = {{"host_streams": 1, "move_streams": 1, "chooses_word_lines": False, "small_pages": False, "refuses": [], "keys": []}}
    engines = {{name: {{"needs": [], "timed": True, "maps_lpages": False}} for name in ("parse", "job", "retry", "victim")}}
    print(json.dumps({{"policies": {{"page_greedy": policy}}, "engines": engines}}))
    sys.exit(0)
faults = {faults!r}
number = int([w.split("=")[1] for w in words if w.startswith("run.seed=")][0])
out = Path(words[words.index("--out") + 1])
with open({log!r}, "a") as log:
    log.write(json.dumps(words[1:]) + "\\n")
if faults.get(str(number)) == "hangs":
    time.sleep(600)
if faults.get(str(number)) == "spins":
    while True:
        pass
if number == 1:
    print("error: ftl.map is none, expected sector", file=sys.stderr)
    sys.exit(2)
out.mkdir(parents=True)
runs = len([line for line in open({log!r}) if f"run.seed={{number}}\\"" in line])
result = {{
    "status": "completed",
    "provenance": {{"command": words[1:]}},
    "simulated_ps": 5 * 10**9,
    "check": {{"mismatches": 7 if faults.get(str(number)) == "mismatch" else 0}},
    "ios": {{"write": {{"count": 5 + (runs if faults.get(str(number)) == "changes" else 0)}}}},
    "flash": {{"erases": 2}},
    "errors": {{"write": {{"write_protected": 1}}}},
}}
(out / "result.json").write_text(json.dumps(result))
if faults.get(str(number)) == "crash":
    print("it burns")
    sys.exit(3)
"""


class Soak(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.log = self.folder / "log"

    def start(self, *options, **faults):
        program = self.folder / "wordline"
        faults = {number[1:]: what for number, what in faults.items()}
        program.write_text(PROGRAM.format(python=sys.executable, log=str(self.log), faults=faults))
        program.chmod(0o755)
        words = ["--program", str(program), "--out", str(self.folder / "kept"), "--jobs", "1", *options]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([sys.executable, ROOT / "scripts/soak", *words], **streams)

    def soak(self, *options, **faults):
        soak = self.start(*options, **faults)
        printed = soak.communicate()
        return subprocess.CompletedProcess(soak.args, soak.returncode, *printed)

    def commands(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def test_counts_what_it_ran(self):
        done = self.soak("--count", "10", "--seed", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        last = done.stdout.splitlines()[-1]
        self.assertRegex(last, r"seed 3: 9 drives run \(1 refused with a reason, 2 run twice\), 45 .*nothing found")
        self.assertIn("0 with media errors", last)
        self.assertEqual(len(self.commands()), 12)

    def test_ends_when_the_time_is_over(self):
        done = self.soak("--minutes", "0.001")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing found", done.stdout)

    def test_ended_early_it_says_what_it_ran(self):
        soak = self.start(_4="hangs")
        while not self.log.exists() or len(self.commands()) < 6:  # 0 twice, 1, 2, 3, 4
            self.assertIsNone(soak.poll())
            time.sleep(0.02)
        soak.terminate()
        printed, _ = soak.communicate()
        self.assertEqual(soak.returncode, 130)
        self.assertIn("ended early: 3 drives run (1 refused with a reason, 1 run twice)", printed)

    def test_one_drive_is_the_same_again(self):
        for _ in range(2):
            self.assertEqual(self.soak("--only", "5").returncode, 0)
        first, second = ([word for word in words if "/" not in word] for words in self.commands())
        self.assertEqual(first, second)

    def test_the_first_failure_ends_it_and_is_kept(self):
        for what, said in (("mismatch", "is completed, 7 mismatches"), ("crash", "ends with 3")):
            done = self.soak("--seed", "9", _2=what)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"drive 2 {said}", done.stdout)
            self.assertIn("again: scripts/soak --seed 9 --only 2\n", done.stdout)
            self.assertEqual(len(list((self.folder / "kept").glob("workload.*"))), 1)
            self.assertIn("run.seed=2", (self.folder / "kept/command.txt").read_text())
        self.assertIn("it burns", (self.folder / "kept/printed.txt").read_text())
        with_waves = self.commands()[-1]
        self.assertIn("observe.waves=true", with_waves)
        self.assertIn("observe.waves_from=4000000000ps", with_waves)  # the last millisecond

    def test_a_run_may_take_so_much_cpu_time(self):
        done = self.soak("--cpu-seconds", "0.5", _2="spins")
        self.assertEqual(done.returncode, 1)
        self.assertIn("drive 2 has not ended within 0.5 s of CPU time", done.stdout)
        self.assertIn("with a waveform it takes more than 1.5 s", done.stdout)

    def test_other_bytes_are_a_failure(self):
        done = self.soak("--seed", "9", _0="changes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("drive 0 gives other bytes when it runs again", done.stdout)

    def test_bad_options(self):
        for words in (("--minutes", "0"), ("--jobs", "0"), ("--count", "0"), ("--cpu-seconds", "0")):
            self.assertEqual(self.soak(*words).returncode, 2)


if __name__ == "__main__":
    unittest.main()
