# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A drive that `wordline serve --vfio-user` lets a client use, for tests."""

import json
import signal
import subprocess
import tempfile
from pathlib import Path

from vfio_client import GUARD_SECONDS


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

    def result(self) -> dict:
        return json.loads((self.folder / "out" / "result.json").read_text())
