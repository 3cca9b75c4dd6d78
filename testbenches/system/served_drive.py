# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A drive that `wordline serve` lets programs use, for tests, and a client that can say what no client should."""

import json
import os
import signal
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path

OPTION_MAGIC = b"IHAVEOPT"
REQUEST_MAGIC = 0x25609513
READ, WRITE, DISCONNECT, FLUSH, TRIM, ZEROES = 0, 1, 2, 3, 4, 6
FUA = 1
EIO, EINVAL, ENOSPC = 5, 22, 28

# Of wall time: for what stands still. Nothing is judged by it: a busy machine makes all of this slow.
GUARD_SECONDS = 1200


class ServedDrive:
    """`wordline serve` in a folder of its own, ready for clients."""

    def __init__(self, program: str, drive: str, *options: str, folder: Path | None = None) -> None:
        self._own = None
        if folder is None:
            self._own = tempfile.TemporaryDirectory()
            folder = Path(self._own.name)
        self.folder = folder
        self.socket = folder / "s"
        self.uri = f"nbd+unix:///?socket={self.socket}"
        self.process = subprocess.Popen(
            [program, "serve", drive, "--nbd", str(self.socket), "--out", str(folder / "out"), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        first = self.process.stdout.readline()
        if not first.startswith("Serving "):
            raise RuntimeError(f"the drive is not served: {first}{self.process.stderr.read()}")

    def __enter__(self) -> "ServedDrive":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        if self._own is not None:
            self._own.cleanup()

    def resident_kib(self) -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])
        raise RuntimeError("no VmRSS")

    def end(self) -> tuple[int, str, str]:
        """Ends the server as a user does: exit code, and what it has printed."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=GUARD_SECONDS)
        return self.process.returncode, out, err

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def result(self) -> dict:
        return json.loads((self.folder / "out" / "result.json").read_text())


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=GUARD_SECONDS, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


class Client:
    """An NBD client with simple replies, one request at a time unless told otherwise."""

    def __init__(self, path: Path, go: bool = True, patience: float = GUARD_SECONDS) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))  # waits while many others come
        self.socket.settimeout(patience)
        self.cookie = 0
        if go:
            self.receive(18)
            self.socket.sendall(struct.pack(">I", 3) + option(1))
            self.size, self.flags = struct.unpack(">QH", self.receive(10))

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise EOFError(f"the server has closed after {len(data)} of {count} bytes")
            data += piece
        return data

    def send(self, kind: int, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0) -> int:
        self.cookie += 1
        self.socket.sendall(request(kind, offset, length or len(data), flags, self.cookie) + data)
        return self.cookie

    def answer(self) -> tuple[int, int]:
        magic, error, cookie = struct.unpack(">IIQ", self.receive(16))
        if magic != 0x67446698:
            raise AssertionError(f"an answer begins with {magic:x}")
        return error, cookie

    def do(self, kind: int, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0) -> int:
        """Error of a request that returns no data."""
        self.send(kind, offset, length, data, flags)
        return self.answer()[0]

    def read(self, offset: int, length: int) -> bytes:
        self.send(READ, offset, length)
        error, _ = self.answer()
        if error:
            raise OSError(error, "read")
        return self.receive(length)


def option(number: int, data: bytes = b"", length: int | None = None) -> bytes:
    return OPTION_MAGIC + struct.pack(">II", number, len(data) if length is None else length) + data


def request(kind: int, offset: int, length: int, flags: int = 0, cookie: int = 1, magic: int = REQUEST_MAGIC) -> bytes:
    return struct.pack(">IHHQQI", magic, flags, kind, cookie, offset, length)


def wait_for(what: object) -> None:
    """Until the function says true."""
    end = time.monotonic() + GUARD_SECONDS
    while not what():
        if time.monotonic() > end:
            raise AssertionError("it does not come")
        time.sleep(0.01)
