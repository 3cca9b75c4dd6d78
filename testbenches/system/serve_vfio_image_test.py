# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A drive behind vfio-user that keeps what its client has written (--image): from one server to the next, after
SIGKILL, after a Format, for the other door, and when the disk does not take it.

usage: serve_vfio_image_test.py PROGRAM ROOT
"""

import random
import resource
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from kept_bytes import BLOCK, Model
from served_drive import FLUSH as NBD_FLUSH
from served_drive import WRITE as NBD_WRITE
from served_drive import Client, ServedDrive
from vfio_client import GUARD_SECONDS
from vfio_drive import Host, VfioDrive

ROOT = Path(sys.argv.pop(2))
PROGRAM = sys.argv.pop(1)
SMALL = str(ROOT / "configs/ssds/small.toml")
BLOCKS = 20000
FUA = 1 << 30
WRITE_FAULT = 0x280


class Blocks:
    """A client that reads and writes anywhere, for a Model."""

    def __init__(self, drive: VfioDrive) -> None:
        self.host = Host(drive)
        self.nvme, self.buffer = self.host.nvme, self.host.buffer

    def __enter__(self) -> "Blocks":
        return self

    def __exit__(self, *error: object) -> None:
        self.host.__exit__(*error)

    def read(self, offset: int, length: int) -> bytes:
        return self.nvme.read(offset // BLOCK, length, self.buffer)

    def write(self, first: int, data: bytes, flags: int = 0) -> int:
        self.host.memory.write(self.buffer, data)
        prp1, prp2 = self.nvme.prps(self.buffer, len(data))
        return self.nvme.wait(
            1, self.nvme.submit(1, 1, prp1=prp1, prp2=prp2, cdw10=first, cdw12=len(data) // BLOCK - 1 | flags)
        )

    def copy(self, first: int, length: int, to: int) -> int:
        self.host.memory.write(self.buffer, struct.pack("<QQHHIQ", 0, first, length - 1, 0, 0, 0))
        return self.nvme.wait(1, self.nvme.submit(1, 0x19, prp1=self.buffer, cdw10=to))


class Images(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        self.image = self.path / "image"
        self.chance = random.Random(12)

    def serve(self, *options: str) -> VfioDrive:
        return VfioDrive(PROGRAM, SMALL, "--image", str(self.image), *options)

    def act(self, client: Blocks, model: Model, count: int) -> None:
        """Commands that change blocks, and flushes, one after the other."""
        nvme = client.nvme
        for _ in range(count):
            length = self.chance.choice([1, 3, 8, 8, 8, 32, 64])
            first, to = (self.chance.randrange(BLOCKS - length) for _ in range(2))
            data = self.chance.randbytes(length * BLOCK)
            match self.chance.randrange(10):
                case 0:
                    self.assertEqual(nvme.flush(), 0)
                    model.flushed()
                case 1:
                    zeroes = nvme.submit(1, 8, cdw10=first, cdw12=length - 1 | self.chance.choice([0, 1 << 25]))
                    self.assertEqual(nvme.wait(1, zeroes), 0)
                    model.write(first, bytes(length * BLOCK))
                case 2:
                    self.assertEqual(nvme.deallocate(first, length, client.buffer), 0)
                    begin, end = (first + 7) // 8 * 8, (first + length) // 8 * 8  # pages in part keep their data
                    if begin < end:
                        model.write(begin, bytes((end - begin) * BLOCK))
                case 3:
                    self.assertEqual(client.write(first, data, FUA), 0)
                    model.write(first, data, safe=True)
                case 4:
                    held = client.read(first * BLOCK, length * BLOCK)
                    self.assertEqual(client.copy(first, length, to), 0)
                    model.write(to, held)
                case _:
                    self.assertEqual(client.write(first, data), 0)
                    model.write(first, data)

    def test_from_one_server_to_the_next(self) -> None:
        model = Model()
        for turn in range(3):
            with self.serve() as drive:
                with Blocks(drive) as client:
                    model.check(self, client)
                    self.act(client, model, 250)
                    model.flushed()
                code, _, err = drive.end()
                self.assertEqual((code, err), (0, ""))
                erases = drive.result()["blocks"]["erases_max"]
            self.assertTrue(self.image.with_name(f"image.state-{turn + 1}").exists())
            self.assertFalse(self.image.with_name(f"image.state-{turn}").exists())
        before = self.image.stat()
        with self.serve() as drive:  # nothing is written: nothing changes
            with Blocks(drive) as client:
                model.check(self, client)
            self.assertEqual(drive.end()[0], 0)
            self.assertGreaterEqual(drive.result()["blocks"]["erases_max"], erases)
        self.assertEqual(self.image.stat().st_mtime_ns, before.st_mtime_ns)

    def test_killed_at_any_time(self) -> None:
        model, err = Model(), ""
        for turn in range(6):
            safe = str(turn > 2).lower()
            with self.serve("--set", "nvme.namespaces=[0.5, 0.5]", "--set", f"ftl.power_safe={safe}") as drive:
                with Blocks(drive) as client:
                    model.check(self, client)
                    self.act(client, model, 120)
                    if turn % 2:
                        # Many at once, of which nobody hears whether they are done.
                        for i in range(20):
                            first, data = self.chance.randrange(BLOCKS - 8), self.chance.randbytes(8 * BLOCK)
                            at = client.buffer + 8 * i * BLOCK
                            client.host.memory.write(at, data)
                            client.nvme.submit(1, 1, prp1=at, cdw10=first, cdw12=7)
                            model.write(first, data)
                    err += drive.kill()
        self.assertIn("requests were written again", err)

    def test_what_is_promised_without_a_flush(self) -> None:
        """A drive whose write cache is safe says that there is none."""
        data = self.chance.randbytes(64 * BLOCK)
        with self.serve() as drive, Blocks(drive) as client:
            self.assertEqual(client.nvme.identify(1)[525] & 1, 0)
            self.assertEqual(client.write(100, data), 0)
            self.assertEqual(client.nvme.deallocate(104, 8, client.buffer), 0)
            drive.kill()
        with self.serve() as drive, Blocks(drive) as client:
            self.assertEqual(
                client.read(100 * BLOCK, len(data)), data[: 4 * BLOCK] + bytes(8 * BLOCK) + data[12 * BLOCK :]
            )

    def test_a_format_and_a_sanitize_leave_nothing(self) -> None:
        for kill in (True, False):
            for erase in ({"opcode": 0x80, "nsid": 1}, {"opcode": 0x84, "cdw10": 2}):
                data = self.chance.randbytes(16 * BLOCK)
                with self.serve("--time", "wall") as drive, Blocks(drive) as client:
                    self.assertEqual(client.write(0, data, FUA), 0)
                    client.nvme.admin(**erase)
                    while client.nvme.wait(1, client.nvme.transfer(2, 0, BLOCK, client.buffer)):
                        pass  # the Sanitize goes on
                    self.assertEqual(client.write(8, data[: 8 * BLOCK], FUA), 0)
                    if kill:
                        drive.kill()
                    else:
                        self.assertEqual(drive.end()[0], 0)
                with self.serve() as drive, Blocks(drive) as client:
                    self.assertEqual(client.read(0, 16 * BLOCK), bytes(8 * BLOCK) + data[: 8 * BLOCK])
                    self.assertEqual(drive.end()[0], 0)

    def test_the_other_door(self) -> None:
        first, second = (self.chance.randbytes(64 * BLOCK) for _ in range(2))
        with self.serve() as drive, Blocks(drive) as client:
            self.assertEqual(client.write(1000, first), 0)
            self.assertEqual(client.nvme.flush(), 0)
            drive.kill()
        with ServedDrive(PROGRAM, SMALL, "--image", str(self.image)) as drive, Client(drive.socket) as client:
            self.assertEqual(client.read(1000 * BLOCK, len(first)), first)
            self.assertEqual(client.do(NBD_WRITE, 2000 * BLOCK, data=second), 0)
            self.assertEqual(client.do(NBD_FLUSH), 0)
            drive.kill()
        with self.serve() as drive, Blocks(drive) as client:
            self.assertEqual(client.read(1000 * BLOCK, len(first)), first)
            self.assertEqual(client.read(2000 * BLOCK, len(second)), second)
            self.assertEqual(drive.end()[0], 0)

    def refused(self, *options: str) -> str:
        command = [
            PROGRAM,
            "serve",
            SMALL,
            "--vfio-user",
            str(self.path / "other"),
            "--image",
            str(self.image),
            *options,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=GUARD_SECONDS, check=False)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        return done.stderr

    def test_what_is_refused_and_left_alone(self) -> None:
        self.assertIn("add --set engines.parse=on", self.refused("--set", "engines.parse=off"))
        self.assertIn(
            "nvme.metadata=none", self.refused("--set", "nvme.metadata=separate", "--set", "nvme.lba_size=4KiB")
        )
        self.assertIn("parity", self.refused("--set", "ftl.parity=dies"))
        self.image.write_bytes(b"holiday pictures" * 10)
        self.assertIn("no image of a served drive", self.refused())
        self.assertEqual(self.image.read_bytes(), b"holiday pictures" * 10)
        self.image.unlink()
        with self.serve() as drive, Blocks(drive) as client:
            self.assertEqual(client.write(0, self.chance.randbytes(64 * BLOCK)), 0)
            self.assertIn("another server has it", self.refused())
            self.assertEqual(drive.end()[0], 0)
        self.assertIn(
            "serve it with the configuration it was made with", self.refused("--set", "ftl.over_provisioning=0.3")
        )
        damaged = bytearray(self.image.read_bytes())
        damaged[1000] ^= 1
        self.image.write_bytes(damaged)
        self.assertIn("it is damaged at byte", self.refused())

    def test_a_full_disk_is_told(self) -> None:
        limit = 300_000
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            drive = self.serve("--set", "ftl.power_safe=false")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        with drive:
            with Blocks(drive) as client:
                self.assertEqual(client.write(0, b"d" * 64 * BLOCK, FUA), 0)
                for i in range(8):
                    self.assertEqual(client.write(128 * i + 128, self.chance.randbytes(128 * BLOCK)), 0)
                self.assertEqual(client.nvme.flush(), WRITE_FAULT)
                self.assertEqual(client.write(64, b"e" * BLOCK, FUA), WRITE_FAULT)
                self.assertEqual(client.read(0, 8 * BLOCK), b"d" * 8 * BLOCK)
            self.assertIn("data are not safe", drive.kill())
        with self.serve() as drive, Blocks(drive) as client:
            self.assertEqual(client.read(0, 64 * BLOCK), b"d" * 64 * BLOCK)
            self.assertEqual(drive.end()[0], 0)


if __name__ == "__main__":
    unittest.main()
