# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What a served drive shows of itself while it works (`serve --live`, `wordline top`), and that nobody who watches
changes what is simulated.

usage: serve_live_test.py PROGRAM ROOT
"""

import json
import re
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from served_drive import WRITE, GUARD_SECONDS, Client, ServedDrive
from vfio_drive import Host, VfioDrive

ROOT = Path(sys.argv.pop(2))
PROGRAM = sys.argv.pop(1)
SMALL = str(ROOT / "configs/ssds/small.toml")


class Live(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.live = str(Path(scratch.name) / "live")

    def top(self, *options: str) -> subprocess.CompletedProcess[str]:
        command = [PROGRAM, "top", *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=GUARD_SECONDS)

    def test_frames_add_up_to_what_the_clients_did(self) -> None:
        with ServedDrive(PROGRAM, SMALL, "--live", self.live) as drive, Client(drive.socket) as client:
            watching = subprocess.Popen([PROGRAM, "top", "--json", self.live], stdout=subprocess.PIPE, text=True)
            frames = [json.loads(watching.stdout.readline())]  # the server knows of it
            for block in range(300):
                client.do(WRITE, 4096 * block, 4096, b"w" * 4096)
                client.read(4096 * block, 4096)
            while sum(frame["reads"]["requests"] for frame in frames[1:]) < 300:
                frames.append(json.loads(watching.stdout.readline()))
            self.assertEqual(drive.end()[0], 0)
            self.assertEqual(watching.wait(timeout=GUARD_SECONDS), 0)
            watching.stdout.close()
            for name in ("reads", "writes"):
                self.assertEqual(sum(frame[name]["requests"] for frame in frames[1:]), 300, name)
                self.assertEqual(sum(frame[name]["bytes"] for frame in frames[1:]), 300 * 4096, name)
            self.assertEqual(frames[-1]["clients"], 1)
            busy = [frame for frame in frames if frame["reads"]["requests"] != 0]
            self.assertTrue(busy)
            for frame in busy:
                self.assertGreater(frame["reads"]["p50_us"], 1)
                self.assertGreaterEqual(frame["reads"]["max_us"], frame["reads"]["p99_us"])
            slowest = drive.result()["ios"]["read"]["lat_ps"]["max"] * 1e-6
            self.assertAlmostEqual(max(frame["reads"]["max_us"] for frame in busy) / slowest, 1, delta=0.02)
            self.assertFalse(Path(self.live).exists())

    def test_the_same_is_simulated_whoever_watches(self) -> None:
        results = []
        for watched in (False, True):
            with ServedDrive(PROGRAM, SMALL, "--live", self.live) as drive, Client(drive.socket) as client:
                watchers = [socket.socket(socket.AF_UNIX) for _ in range(70 if watched else 0)]
                for one in watchers:
                    one.connect(self.live)
                if watched:
                    watchers[0].send(b"text\n")
                    self.assertIn(b"per second", watchers[0].recv(4096))
                    self.assertIn(b"simulated_s", watchers[1].recv(4096))
                for block in range(200):
                    client.do(WRITE, 4096 * block, 4096, b"w" * 4096)
                for one in watchers[::2]:
                    one.close()
                self.assertEqual(drive.end()[0], 0)
                for one in watchers:
                    one.close()
                results.append((drive.folder / "out" / "result.json").read_text())
        first, second = (json.loads(text) for text in results)
        for result in (first, second):
            result.pop("wordline", None)
        self.assertEqual(first["ios"], second["ios"])
        self.assertEqual(first["simulated_ps"], second["simulated_ps"])

    def test_the_drive_knows_the_latencies_of_a_foreign_host(self) -> None:
        with VfioDrive(PROGRAM, SMALL, "--live", self.live) as drive:
            watching = subprocess.Popen([PROGRAM, "top", "--json", self.live], stdout=subprocess.PIPE, text=True)
            frames = [json.loads(watching.stdout.readline())]  # the server knows of it
            with Host(drive) as host:
                for block in range(20):
                    self.assertEqual(host.nvme.write(8 * block, b"w" * 4096, host.buffer), 0)
                    self.assertEqual(len(host.nvme.read(8 * block, 4096, host.buffer)), 4096)
                while sum(frame["reads"]["requests"] for frame in frames[1:]) < 20:
                    frames.append(json.loads(watching.stdout.readline()))
            code, out, _ = drive.end()
            self.assertEqual((code, watching.wait(timeout=GUARD_SECONDS)), (0, 0))
            watching.stdout.close()
        slowest = float(re.search(r"Reads .* max ([\d.]+)", out)[1])
        busy = [frame["reads"] for frame in frames if frame["reads"]["requests"]]
        for reads in busy:
            self.assertTrue(1 < reads["p50_us"] <= reads["p99_us"] <= reads["max_us"], reads)
        self.assertAlmostEqual(max(reads["max_us"] for reads in busy) / slowest, 1, delta=0.02)

    def test_text_is_a_screen(self) -> None:
        with ServedDrive(PROGRAM, SMALL, "--live", self.live) as drive:
            shown = self.top("--once", self.live)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertTrue(shown.stdout.startswith("small.toml: served "), shown.stdout)
            for word in ("p99 us", "reads", "writes", "write amplification", "superblocks free"):
                self.assertIn(word, shown.stdout)
            self.assertLessEqual(max(map(len, shown.stdout.splitlines())), 80)
            self.assertNotIn("\x1b", shown.stdout)
            self.assertEqual(drive.end()[0], 0)

    def test_the_socket_of_clients_is_not_taken(self) -> None:
        for option in ("--nbd", "--vfio-user"):
            command = [PROGRAM, "serve", SMALL, option, self.live, "--live", self.live]
            served = subprocess.run(command, capture_output=True, text=True, timeout=GUARD_SECONDS)
            self.assertEqual(served.returncode, 2)
            self.assertIn(f"--live {self.live}: clients find the drive there; give another path", served.stderr)

    def test_what_is_no_such_socket_is_named(self) -> None:
        for path, why in (
            (self.live, "No such file"),
            ("/" + 200 * "x", "too long"),
            (str(ROOT / "README.md"), "refused"),
        ):
            shown = self.top(path)
            self.assertEqual(shown.returncode, 2)
            self.assertIn(f"wordline top: {path}: ", shown.stderr)
            self.assertIn(why, shown.stderr)
            self.assertIn("--live SOCKET", shown.stderr)


if __name__ == "__main__":
    unittest.main()
