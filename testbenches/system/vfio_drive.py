# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A drive that `wordline serve --vfio-user` lets a client use, for tests."""

import json
import mmap
import os
import signal
import subprocess
import tempfile
from pathlib import Path

from vfio_client import BAR0, GUARD_SECONDS, PAGE, Memory, Nvme, VfioClient


class VfioDrive:
    """The server in a folder of its own, ready for a client. What it prints goes to files: nobody has to read it."""

    def __init__(self, program: str, drive: str, *options: str) -> None:
        self._own = tempfile.TemporaryDirectory()
        self.folder = Path(self._own.name)
        self.socket = self.folder / "s"
        self._out, self._err = self.folder / "stdout", self.folder / "stderr"
        with self._out.open("w") as out, self._err.open("w") as err:
            self.process = subprocess.Popen(
                [program, "serve", drive, "--vfio-user", str(self.socket), "--out", str(self.folder / "out"), *options],
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        while "Serving" not in self._out.read_text():
            if self.process.poll() is not None:
                raise RuntimeError(f"the drive is not served: {self._err.read_text()}")

    def __enter__(self) -> "VfioDrive":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._own.cleanup()

    def end(self) -> tuple[int, str, str]:
        """Ends the server as a user does: exit code, and what it has printed."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self) -> tuple[int, str, str]:
        self.process.wait(GUARD_SECONDS)
        return self.process.returncode, self._out.read_text(), self._err.read_text()

    def kill(self) -> str:
        """What it has printed to the standard error."""
        self.process.kill()
        self.process.wait()
        return self._err.read_text()

    def result(self) -> dict:
        return json.loads((self.folder / "out" / "result.json").read_text())


class Host:
    """A client with memory and a driver."""

    def __init__(self, drive: VfioDrive, by_file: bool = True, seal: bool = True, vectors: int = 2) -> None:
        self.client = VfioClient(drive.socket)
        self.memory = Memory(1024, 1 << 32, seal)
        self.client.map(self.memory, by_file)
        doorbells = None
        _, flags, _, files = self.client.region(BAR0)
        if flags & 4:
            doorbells = mmap.mmap(files[0], PAGE, offset=PAGE)
            os.close(files[0])
        self.nvme = Nvme(self.client, self.memory, vectors, doorbells)
        self.nvme.bring_up()
        self.buffer = self.memory.allocate(64)

    def __enter__(self) -> "Host":
        return self

    def __exit__(self, *_: object) -> None:
        self.client.socket.close()
        self.nvme.close()
        self.memory.close()
