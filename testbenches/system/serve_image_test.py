# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A served drive that keeps what was written (--image): from one server to the next, after SIGKILL, and when the disk does
not take it.

usage: serve_image_test.py PROGRAM ROOT
"""

import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from kept_bytes import BLOCK, Model
from served_drive import EIO, FLUSH, FUA, TRIM, WRITE, ZEROES, GUARD_SECONDS, Client, ServedDrive, run, wait_for

ROOT = Path(sys.argv.pop(2))
PROGRAM = sys.argv.pop(1)
SMALL = str(ROOT / "configs/ssds/small.toml")
BLOCKS = 20000


class Images(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        self.image = self.path / "image"
        self.chance = random.Random(11)

    def serve(self, *options: str) -> ServedDrive:
        return ServedDrive(PROGRAM, SMALL, "--image", str(self.image), *options, folder=self.path)

    def act(self, client: Client, model: Model, count: int) -> None:
        """Writes, trims, zeros and flushes one after the other."""
        for _ in range(count):
            length = self.chance.choice([1, 3, 8, 8, 8, 32, 64])
            first = self.chance.randrange(BLOCKS - length)
            match self.chance.randrange(10):
                case 0:
                    self.assertEqual(client.do(FLUSH), 0)
                    model.flushed()
                case 1:
                    self.assertEqual(
                        client.do(ZEROES, first * BLOCK, length * BLOCK, flags=self.chance.choice([0, 2])), 0
                    )
                    model.write(first, bytes(length * BLOCK))
                case 2:
                    first, length = first // 8 * 8, 8
                    self.assertEqual(client.do(TRIM, first * BLOCK, length * BLOCK), 0)
                    model.write(first, bytes(length * BLOCK))
                case 3:
                    data = self.chance.randbytes(length * BLOCK)
                    self.assertEqual(client.do(WRITE, first * BLOCK, data=data, flags=FUA), 0)
                    model.write(first, data, safe=True)
                case _:
                    data = self.chance.randbytes(length * BLOCK)
                    self.assertEqual(client.do(WRITE, first * BLOCK, data=data), 0)
                    model.write(first, data)
        # Where the last write is a part of a page, counts of firmware and DMA may differ when the run ends.
        self.assertEqual(client.do(WRITE, 0, data=bytes(4096)), 0)
        model.write(0, bytes(4096))

    def test_from_one_server_to_the_next(self) -> None:
        model = Model()
        for _ in range(3):
            with self.serve() as drive:
                with Client(drive.socket) as client:
                    model.check(self, client)
                    self.act(client, model, 400)
                code, _, err = drive.end()
                self.assertEqual((code, err), (0, ""))
                model.flushed()  # an end in order keeps all
                self.assertEqual(len(list(self.path.glob("image.state-*"))), 1)
        # Nothing new: nothing is written.
        before = self.image.stat()
        with self.serve() as drive:
            with Client(drive.socket) as client:
                model.check(self, client)
            self.assertEqual(drive.end()[0], 0)
            self.assertGreater(drive.result()["blocks"]["erases_max"] + 1, 0)
        self.assertEqual(self.image.stat().st_mtime_ns, before.st_mtime_ns)

    def test_killed_at_any_time(self) -> None:
        model = Model()
        for turn in range(6):
            with self.serve() as drive:
                with Client(drive.socket) as client:
                    model.check(self, client)
                    self.act(client, model, 150)
                    if turn % 2:
                        # Many at once, of which nobody hears whether they are done.
                        for _ in range(200):
                            first, data = self.chance.randrange(BLOCKS - 8), self.chance.randbytes(8 * BLOCK)
                            client.send(WRITE, first * BLOCK, data=data)
                            model.write(first, data)
                        time.sleep(self.chance.random() * 0.004)
                if turn == 3:
                    self.assertEqual(drive.end()[0], 0)
                else:
                    drive.kill()
        with self.serve() as drive, Client(drive.socket) as client:
            model.check(self, client)
            code, _, err = drive.end()
            self.assertEqual(code, 0)
            self.assertIn("requests were written again", err)

    def files(self) -> Path:
        folder = self.path / "files"
        folder.mkdir()
        for i in range(40):
            (folder / f"file{i}").write_bytes(self.chance.randbytes(self.chance.choice([0, 10, 5000, 400_000])))
        return folder

    def check_file_system(self, files: Path, disk: Path) -> None:
        run("/sbin/e2fsck", "-fn", str(disk))
        for file in files.iterdir():
            run("/sbin/debugfs", "-R", f"dump {file.name} {self.path / 'dumped'}", str(disk))
            self.assertEqual((self.path / "dumped").read_bytes(), file.read_bytes(), file.name)

    def test_a_file_system_outlives_the_server(self) -> None:
        files, disk = self.files(), self.path / "disk"
        with disk.open("wb") as empty:
            empty.truncate(64 << 20)
        run("/sbin/mkfs.ext4", "-q", "-F", "-d", str(files), str(disk))
        with self.serve() as drive:
            run("nbdcopy", "--flush", str(disk), drive.uri)
            drive.kill()
        with self.serve() as drive:
            run("nbdcopy", drive.uri, str(self.path / "back"))
            self.assertEqual(drive.end()[0], 0)
        self.check_file_system(files, self.path / "back")

    def test_a_file_system_is_made_on_the_drive(self) -> None:
        """By nbdfuse, which shows the drive as a file: where the system lets it."""
        files, mount = self.files(), self.path / "mount"
        mount.mkdir()
        with self.serve() as drive:
            fuse = subprocess.Popen(["nbdfuse", str(mount / "disk"), drive.uri], stderr=subprocess.PIPE, text=True)
            try:
                try:
                    wait_for(lambda: (mount / "disk").exists() or fuse.poll() is not None)
                finally:
                    if fuse.poll() is not None:
                        self.skipTest(f"nbdfuse cannot mount here: {fuse.stderr.read().strip()}")
                run("/sbin/mkfs.ext4", "-q", "-F", "-d", str(files), str(mount / "disk"))
                self.check_file_system(files, mount / "disk")
            finally:
                for command in (["umount", str(mount)], ["fusermount3", "-u", str(mount)]):
                    if (
                        shutil.which(command[0])
                        and subprocess.run(command, capture_output=True, check=False).returncode == 0
                    ):
                        break
                fuse.terminate()
                fuse.communicate()
            self.assertEqual(drive.end()[0], 0)
        with self.serve() as drive:
            run("nbdcopy", drive.uri, str(self.path / "back"))
            self.assertEqual(drive.end()[0], 0)
        self.check_file_system(files, self.path / "back")

    def test_a_record_that_is_not_whole(self) -> None:
        with self.serve() as drive:
            with Client(drive.socket) as client:
                self.assertEqual(client.do(WRITE, 0, data=b"a" * 4096, flags=FUA), 0)
                self.assertEqual(client.do(WRITE, 4096, data=b"b" * 4096, flags=FUA), 0)
            drive.kill()
        whole = self.image.read_bytes()
        self.image.write_bytes(whole[:-100])
        with self.serve() as drive:
            with Client(drive.socket) as client:
                self.assertEqual(client.read(0, 8192), b"a" * 4096 + bytes(4096))
                self.assertEqual(client.do(WRITE, 8192, data=b"c" * 4096, flags=FUA), 0)
            drive.kill()
            self.assertIn("no whole record", drive.process.stderr.read())
        with self.serve() as drive, Client(drive.socket) as client:
            self.assertEqual(client.read(0, 12288), b"a" * 4096 + bytes(4096) + b"c" * 4096)
            self.assertEqual(drive.end()[0], 0)

    def refused(self, *options: str) -> str:
        command = [PROGRAM, "serve", SMALL, "--nbd", str(self.path / "other"), "--image", str(self.image), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=GUARD_SECONDS, check=False)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        return done.stderr

    def test_what_is_no_image_is_refused_and_left_alone(self) -> None:
        self.image.write_bytes(b"holiday pictures" * 10)
        self.assertIn("no image of a served drive", self.refused())
        self.assertEqual(self.image.read_bytes(), b"holiday pictures" * 10)
        self.image.unlink()
        with self.serve() as drive:
            with Client(drive.socket) as client:
                self.assertEqual(client.do(WRITE, 0, data=self.chance.randbytes(65536)), 0)
            self.assertIn("another server has it", self.refused())
            self.assertEqual(drive.end()[0], 0)
        self.assertIn("it is of a drive of", self.refused("--set", "ftl.over_provisioning=0.3"))
        self.assertIn("parity", self.refused("--set", "ftl.parity=dies"))
        damaged = bytearray(self.image.read_bytes())
        damaged[1000] ^= 1
        self.image.write_bytes(damaged)
        self.assertIn("it is damaged at byte", self.refused())
        self.image.with_name("image.state-1").unlink()
        self.assertIn("image.state-1", self.refused())

    def test_a_full_disk_is_told(self) -> None:
        limit = 300_000
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            drive = self.serve()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        with drive:
            with Client(drive.socket) as client:
                self.assertEqual(client.do(WRITE, 0, data=b"d" * 65536, flags=FUA), 0)
                self.assertEqual(client.do(WRITE, 65536, data=self.chance.randbytes(limit // 512 * 512)), 0)
                self.assertEqual(client.do(FLUSH), EIO)
                self.assertEqual(client.read(0, 4096), b"d" * 4096)
            drive.kill()
            self.assertIn("data are not safe", drive.process.stderr.read())
        with self.serve() as drive, Client(drive.socket) as client:
            self.assertEqual(client.read(0, 65536), b"d" * 65536)
            self.assertEqual(drive.end()[0], 0)


if __name__ == "__main__":
    unittest.main()
