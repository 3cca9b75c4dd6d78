# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""scripts/guest: what a Linux guest and its tools say of the drive is what the drive says of itself. Without QEMU 10.1 or
a kernel (guest.py says where they are looked for) only what it refuses is tried.

usage: serve_guest_test.py PROGRAM ROOT
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from guest import Guest, Missing

PROGRAM, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SMALL = str(ROOT / "configs/ssds/small.toml")
GUARD_SECONDS = 900
LINK_NS = 20_000  # from the driver's making of a command to its doorbell's arrival, and back

NVME_JOB = """
dd if=/dev/zero of=/dev/nvme0n1 bs=64k count=32 oflag=direct 2>&1
dd if=/dev/nvme0n1 of=/dev/null bs=64k count=16 iflag=direct 2>&1
show() { echo "SHOW $*"; nvme "$@" 2>&1; echo "CODE $?"; }
show id-ctrl /dev/nvme0 -o json
show id-ns /dev/nvme0n1 -o json
show read /dev/nvme0n1 -s 999999999 -c 7 -z 4096 -d /tmp/nothing
show set-feature /dev/nvme0 -f 6 -v 0
show smart-log /dev/nvme0 -o json
show error-log /dev/nvme0 -e 4 -o json
show fw-log /dev/nvme0 -o json
show get-feature /dev/nvme0 -f 6
show sanitize-log /dev/nvme0 -o json
show telemetry-log /dev/nvme0 -g 1 -o /tmp/telemetry
show flush /dev/nvme0n1
"""


def run_guest(folder: Path, job: str, *options: str, **environment: str) -> subprocess.CompletedProcess:
    (folder / "job.sh").write_text(job)
    return subprocess.run(
        [
            sys.executable,
            ROOT / "scripts/guest",
            folder / "job.sh",
            SMALL,
            "--wordline",
            PROGRAM,
            "--out",
            folder / "out",
        ]
        + list(options),
        capture_output=True,
        text=True,
        timeout=GUARD_SECONDS,
        check=False,
        env=os.environ | environment,
    )


class Refusals(unittest.TestCase):
    def test_what_is_missing_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for environment, reason in (
                ({"WORDLINE_QEMU": "no-such-qemu"}, "install qemu-system-x86"),
                ({"WORDLINE_QEMU": "true"}, "vfio-user needs QEMU 10.1 or later"),
            ):
                done = run_guest(folder, "true\n", **environment)
                self.assertEqual(done.returncode, 1)
                self.assertIn(reason, done.stderr)
            done = run_guest(folder, "true\n", "--wordline", str(folder / "wordline"), WORDLINE_QEMU="no-such-qemu")
            self.assertEqual(done.returncode, 1)
            (folder / "job.sh").unlink()
            done = subprocess.run(
                [sys.executable, ROOT / "scripts/guest", folder / "job.sh", SMALL],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 1)
            self.assertIn("job.sh", done.stderr)


class Guests(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def run_job(self, job: str, programs: tuple[str, ...], *options: str) -> tuple[str, dict]:
        try:
            Guest(self.folder, job, programs)
        except Missing as missing:
            self.skipTest(str(missing))
        named = [word for program in programs for word in ("--program", program)]
        done = run_guest(self.folder, job, *named, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout, json.loads((self.folder / "out/result.json").read_text())

    def captured(self, kind: str) -> list[tuple[int, int]]:
        """From the doorbell's arrival to the completion entry, of each command of this kind, ns."""
        came, found = {}, []
        for line in (self.folder / "out/capture").read_text().splitlines():
            words = line.split()
            if words[0] == "q" and words[4] == kind:
                came[words[2]] = int(words[1]) // 1000
            elif words[0] == "a" and words[2] in came:
                found.append((came[words[2]], int(words[1]) // 1000))
        return found

    def test_the_slowest_fsync(self) -> None:
        """The tutorial's job, with fewer rows: each command that the guest's kernel names within its slowest fsync is in
        the drive's record, at the same nanoseconds but for the link and the driver."""
        job = "rows=25\n" + (ROOT / "examples/guest_fsync/job.sh").read_text()
        printed, result = self.run_job(
            job, ("sqlite3", "mkfs.ext4"), "--set", "ftl.power_safe=false", "--set", "precondition.fill=steady"
        )
        slowest = re.search(r"the slowest:\n([\d.]+) us: from (\d+) to (\d+) ns", printed)
        self.assertIsNotNone(slowest, printed)
        begun, ended = int(slowest[2]), int(slowest[3])
        self.assertAlmostEqual(float(slowest[1]), (ended - begun) / 1000, delta=0.1)
        issued = dict(re.findall(r"nvme_setup_cmd: qid=1, cmdid=(\d+), (flush|write|read)", printed))
        times = {}
        for at, event, command in re.findall(r" (\d+): nvme_(setup_cmd|complete_rq): qid=1, cmdid=(\d+)", printed):
            times.setdefault(command, {})[event] = int(at)
        whole = {command: at for command, at in times.items() if len(at) == 2 and command in issued}
        self.assertGreater(len(whole), 1, printed)
        self.assertIn("flush", issued.values(), printed)
        origin = round(float(re.search(r"Its 0 is ([\d.]+) ms of the drive's time", printed)[1]) * 1e6)
        for command, at in whole.items():
            near = [
                (came - origin, left - origin)
                for came, left in self.captured(issued[command])
                if at["setup_cmd"] < came - origin < left - origin < at["complete_rq"]
            ]
            self.assertTrue(near, f"{command}: {at}")
            self.assertLess(min(at["complete_rq"] - left for _, left in near), LINK_NS)
        flushes = result["slowest_of"]["flush"]["requests"]
        measured = self.captured("flush")
        self.assertEqual(result["ios"]["flush"]["count"], len(measured))
        longest = max(left - came for came, left in measured)
        self.assertAlmostEqual(flushes[0]["latency_ps"] / 1000, longest, delta=1)
        self.assertEqual(sum(flushes[0]["stage_ps"].values()), flushes[0]["latency_ps"])
        self.assertGreater(flushes[0]["stage_ps"]["program"], flushes[0]["latency_ps"] // 2)
        view = subprocess.run(
            [PROGRAM, "view", self.folder / "out", "--slowest", "--op", "flush", "--print"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertIn("slowest 1: flush", view.stdout)
        self.assertIn("run the same with --set observe.waves=true", view.stderr)

    def test_nvme_cli_agrees(self) -> None:
        printed, result = self.run_job(NVME_JOB, ("nvme",), "--set", "ftl.power_safe=false")
        said = {
            words: (text, int(code))
            for words, text, code in re.findall(r"^SHOW (.*)\n((?:.*\n)*?)CODE (\d+)$", printed, re.MULTILINE)
        }
        self.assertEqual(len(said), 11, printed)

        def answer(name: str) -> tuple[str, int]:
            return next(value for words, value in said.items() if words.startswith(name))

        def table(name: str) -> dict:
            text, code = answer(name)
            self.assertEqual(code, 0, text)
            return json.loads(text)

        controller, namespace, smart = table("id-ctrl"), table("id-ns"), table("smart-log")
        self.assertEqual(controller["mn"].strip(), "Wordline SSD model")
        self.assertEqual(controller["vwc"] & 1, 1)
        blocks = int(re.search(r"\(([\d.]+) GB\)", printed)[1].replace(".", "")) * 10_000_000 / 512
        self.assertAlmostEqual(namespace["nsze"], blocks, delta=10_000_000 / 512)
        self.assertEqual(int(controller["tnvmcap"]), namespace["nsze"] * 512)
        ios, drive = result["ios"], result["drive"]
        self.assertEqual(int(smart["host_read_commands"]), ios["read"]["count"])
        self.assertEqual(int(smart["host_write_commands"]), ios["write"]["count"])
        self.assertEqual(ios["write"]["count"], 32)
        self.assertEqual(int(smart["data_units_read"]), math.ceil(drive["bytes_read"] / 512_000))
        self.assertEqual(int(smart["data_units_written"]), math.ceil(drive["bytes_written"] / 512_000))
        self.assertEqual(answer("read")[1] and "LBA Out of Range" in answer("read")[0], True)
        self.assertIn("Feature Not Changeable", answer("set-feature")[0])
        self.assertEqual(int(smart["num_err_log_entries"]), 2)
        self.assertIn("; 2 ended with an error", printed)
        errors = [entry for entry in table("error-log")["errors"] if entry["error_count"]]
        self.assertEqual([entry["error_count"] for entry in errors], [2, 1])
        self.assertEqual((errors[1]["sqid"], errors[1]["lba"]), (1, 999999999))
        self.assertIn("1.0", answer("fw-log")[0])
        self.assertIn("value:0x00000001", answer("get-feature")[0])
        self.assertEqual(answer("sanitize-log")[1], 0)
        self.assertEqual(answer("telemetry-log")[1], 0)
        self.assertEqual((answer("flush")[1], ios["flush"]["count"]), (0, len(self.captured("flush"))))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
