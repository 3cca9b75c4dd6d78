# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A reader that goes away (`| head`), a full disk behind standard output, and a terminal of 80 columns, for every command
of scripts/wordline; the first two for every other script, too.

usage: pipe_test.py ROOT
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
DOOR = "./scripts/wordline"
DRIVE, JOB = "configs/ssds/small.toml", "configs/workloads/demo_waves.fio"
# What each command prints much by; of the others their help.
LONG = {
    "explain": ["explain"],
    "statistics": ["statistics"],
    "onfi": ["onfi"],
    "check": ["check", DRIVE],
    "print-config": ["print-config", DRIVE],
}


def commands() -> list[str]:
    said = subprocess.run([DOOR, "--help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z][a-z-]+)  ", said.split("Subcommands:")[1], re.M)


def with_closed_pipe(words: list[str], program: str = DOOR) -> subprocess.CompletedProcess:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run([program, *words], cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)


def on_terminal(words: list[str], columns: int) -> str:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen([DOOR, *words], cwd=ROOT, stdin=follower, stdout=follower, stderr=subprocess.STDOUT)
    os.close(follower)
    said = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    process.wait()
    os.close(leader)
    return said.decode().replace("\r\n", "\n")


class Pipes(unittest.TestCase):
    def test_a_reader_that_goes_away_is_no_error_of_ours(self):
        known = commands()
        self.assertLessEqual(
            {"run", "explain", "explore", "report", "diff", "reproduce", "validate", "fit"}, set(known)
        )
        for command in known:
            done = with_closed_pipe(LONG.get(command, [command, "--help"]))
            self.assertEqual(done.stderr, "", command)
            self.assertIn(done.returncode, (-13, 141), command)

    def test_runs_and_tables_too(self):
        with tempfile.TemporaryDirectory() as folder:
            run = ["run", DRIVE, "-w", JOB, "--set", "cpu.model=native"]
            for name in "ab":
                subprocess.run([DOOR, *run, "-q", "--out", f"{folder}/{name}"], cwd=ROOT, check=True)
            for words in (
                run,
                ["diff", f"{folder}/a", f"{folder}/b"],
                ["view", f"{folder}/a", "--slowest", "--print"],
                ["explore", DRIVE, "--grid", "channels.count=1,2", "-w", JOB, "--out", f"{folder}/study"],
            ):
                done = with_closed_pipe(words)
                self.assertNotIn("Traceback", done.stderr, words[0])
                self.assertNotEqual(done.returncode, 0, words[0])

    def test_a_full_disk_is_said(self):
        for words in (["explain"], ["report", "--help"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([DOOR, *words], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr, r"^wordline: standard output: cannot be written")

    def test_eighty_columns(self):
        words = ["run", DRIVE, "-w", JOB, "--set", "cpu.model=native"]
        more = [["--help"], ["run", "--help"], ["explain", "nand"], ["check", DRIVE]]
        for said in (on_terminal(words, 80), *(on_terminal(other, 80) for other in more)):
            self.assertNotRegex(said, r"[\x00-\x08\x0e-\x1f]")  # no control codes, so no colours: NO_COLOR or not
            for line in said.splitlines():
                if " " in line.strip():
                    self.assertLessEqual(len(line), 80, line)
        self.assertIn("p99.99", on_terminal(words, 80))

    def test_eighty_columns_of_a_comparison(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            for name, channels in (("a", "1"), ("b", "2")):
                run = [
                    "run",
                    DRIVE,
                    "-w",
                    JOB,
                    "--set",
                    f"channels.count={channels}",
                    "-q",
                    "--out",
                    f"{folder}/{name}",
                ]
                subprocess.run([DOOR, *run], cwd=ROOT, check=True)
            said = on_terminal(["diff", f"{folder}/a", f"{folder}/b"], 80)
            self.assertIn("channels.count", said)
            for line in said.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_eighty_columns_of_a_study(self):
        """In parts below each other, each with the axes; in a file every row is one line."""
        grid = ["--grid", "channels.count=1,2", "--requests", "2000", "--until", "off"]
        with tempfile.TemporaryDirectory() as folder:
            words = ["explore", DRIVE, *grid, "-w", JOB, "--out", f"{folder}/study"]
            said = on_terminal(words, 80)
            for line in said.replace("\r", "\n").splitlines():
                if " " in line.strip() and folder not in line:
                    self.assertLessEqual(len(line), 80, line)
            self.assertEqual(len(re.findall(r"^channels\.count  ", said, re.M)), 3, said)
            piped = subprocess.run([DOOR, *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout
            (head,) = re.findall(r"^channels\.count  .*$", piped, re.M)
            for column in ("IOPS", "read us p50/p99/p99.9/p99.99", "write us p50/p99/p99.9/p99.99", "WAF", "limit"):
                self.assertIn(column, head)
                self.assertRegex(said, rf"(?m)^channels\.count  (.*  )? *{re.escape(column)}")

    def test_a_waveform_without_a_display(self):
        with tempfile.TemporaryDirectory() as folder:
            run = ["run", DRIVE, "-w", JOB, "--set", "cpu.model=native", "--set", "observe.waves=true", "-q"]
            subprocess.run([DOOR, *run, "--out", folder], cwd=ROOT, check=True)
            none = {name: text for name, text in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
            for words in ([], ["--slowest", "--op", "read"]):
                done = subprocess.run(
                    [DOOR, "view", folder, *words], cwd=ROOT, capture_output=True, text=True, env=none
                )
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"gtkwave -f {folder}/waves.fst -a {folder}/", done.stderr)

    def test_messages_name_the_program_as_it_was_called(self):
        done = subprocess.run([DOOR, "explain", "cpu.no"], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        known = subprocess.run([DOOR, "explain", "dram"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        self.assertIn("dram.latency", known)
        done = subprocess.run([DOOR, "explain", "moon phase"], cwd=ROOT, capture_output=True, text=True)
        self.assertIn(f"all keys: {DOOR} explain", done.stderr)


class Scripts(unittest.TestCase):
    """What lies in scripts/ and can be called; the door to the program is above."""

    # What prints without running anything, besides its help.
    LONG = {"formal": ["--list"], "mutate": ["--list"]}

    def scripts(self) -> list[str]:
        found = [path for path in sorted((ROOT / "scripts").iterdir()) if path.is_file() and os.access(path, os.X_OK)]
        self.assertGreater(len(found), 20)
        return [f"./scripts/{path.name}" for path in found if path.name != "wordline"]

    def calls(self) -> list[tuple[str, list[str]]]:
        return [(script, ["--help"]) for script in self.scripts()] + [
            (f"./scripts/{name}", words) for name, words in self.LONG.items()
        ]

    def test_each_says_what_it_does(self):
        """And does nothing else: `scripts/setup --help` installs nothing."""
        for script in self.scripts():
            done = subprocess.run([script, "--help"], cwd=ROOT, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), script)
            self.assertGreater(len(done.stdout.split()), 20, script)

    def test_words_that_a_script_does_not_take_are_refused(self):
        for script in ("./scripts/setup", "./scripts/test", "./scripts/demo"):
            done = subprocess.run([script, "moon"], cwd=ROOT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, script)
            self.assertIn("nstalls what is missing", done.stdout, script)

    def test_a_reader_that_goes_away_is_no_error_of_theirs(self):
        for script, words in self.calls():
            done = with_closed_pipe(words, script)
            self.assertNotRegex(done.stderr, "Traceback|Exception|BrokenPipe", script)
            self.assertNotEqual(done.returncode, 0, script)

    def test_a_full_disk_is_said(self):
        for script, words in self.calls():
            with open("/dev/full", "w") as full:
                done = subprocess.run([script, *words], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertNotIn("Traceback", done.stderr, script)
            self.assertIn("o space left on device", done.stderr, script)
            self.assertNotEqual(done.returncode, 0, script)


if __name__ == "__main__":
    unittest.main()
