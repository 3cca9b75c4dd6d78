# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients that break the NBD protocol, or leave in the middle of it: the server ends their connection and nothing else.
A good client beside them gets its data throughout.

usage: serve_hostile_test.py PROGRAM ROOT [--messages N] [--seed N]
"""

import argparse
import random
import socket
import struct
import sys
import threading
import unittest
from pathlib import Path

from served_drive import (
    GUARD_SECONDS,
    DISCONNECT,
    EINVAL,
    FLUSH,
    READ,
    REQUEST_MAGIC,
    TRIM,
    WRITE,
    ZEROES,
    Client,
    ServedDrive,
    option,
    request,
    wait_for,
)

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("root", type=Path)
parser.add_argument("--messages", type=int, default=4000)
parser.add_argument("--seed", type=int, default=1)
ARGUMENTS = parser.parse_args()
SMALL = str(ARGUMENTS.root / "configs/ssds/small.toml")
FLAGS = struct.pack(">I", 3)
KIB = 1024


def closes(path: Path, data: bytes) -> bool:
    """The server ends a connection on which this comes."""
    with Client(path, go=False) as client:
        client.receive(18)
        try:
            client.socket.sendall(data)
            while client.socket.recv(65536):
                pass
        except (BrokenPipeError, ConnectionResetError):
            pass
        except TimeoutError:
            return False
        return True


class Neighbour(threading.Thread):
    """A good client that writes and reads until told to end."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.over, self.rounds, self.problem = path, False, 0, ""

    def run(self) -> None:
        chance = random.Random(5)
        held: dict[int, bytes] = {}
        try:
            with Client(self.path) as client:
                while not self.over:
                    block = chance.randrange(256)
                    held[block] = chance.randbytes(4 * KIB)
                    if client.do(WRITE, (32 << 20) + block * 4 * KIB, data=held[block]):
                        raise AssertionError("a write failed")
                    block = chance.choice(list(held))
                    if client.read((32 << 20) + block * 4 * KIB, 4 * KIB) != held[block]:
                        raise AssertionError(f"block {block} has changed")
                    self.rounds += 1
        except Exception as error:  # for the thread that asks
            self.problem = repr(error)


class Hostile(unittest.TestCase):
    def setUp(self) -> None:
        self.drive = ServedDrive(ARGUMENTS.program, SMALL)
        self.neighbour = Neighbour(self.drive.socket)
        self.neighbour.start()
        wait_for(lambda: self.neighbour.rounds > 0 or self.neighbour.problem)  # it is let in before a crowd comes

    def tearDown(self) -> None:
        """Whatever a test has done: the neighbour has noticed nothing, and the drive ends in order."""
        rounds = self.neighbour.rounds
        wait_for(lambda: self.neighbour.rounds >= rounds + 10 or self.neighbour.problem)
        self.neighbour.over = True
        self.neighbour.join()
        with self.drive:
            code, out, err = self.drive.end()
        self.assertEqual(self.neighbour.problem, "")
        self.assertEqual(code, 0, err)
        self.assertIn(" 0 mismatches", out)

    def test_what_is_no_nbd(self) -> None:
        path = self.drive.socket
        self.assertTrue(closes(path, struct.pack(">I", 0xFFFFFFFF)))
        self.assertTrue(closes(path, b"GET / HTTP/1.1\r\n\r\n"))
        self.assertTrue(closes(path, FLAGS + bytes(16)))
        self.assertTrue(closes(path, FLAGS + option(6, length=0xFFFFFFFF)))
        self.assertTrue(closes(path, FLAGS + option(1, length=0xFFFFFFFF)))
        self.assertTrue(closes(path, FLAGS + option(1, b"x" * 4096)))
        self.assertTrue(closes(path, FLAGS + option(1) + request(READ, 0, 512, magic=REQUEST_MAGIC + 1)))
        self.assertTrue(closes(path, FLAGS + option(1) + request(WRITE, 0, 0xFFFFFFFF)))
        self.assertTrue(closes(path, FLAGS + option(1) + request(DISCONNECT, 0, 0)))
        self.assertTrue(closes(path, FLAGS + option(2)))

    def test_halves(self) -> None:
        """Connections that end anywhere in what a good client sends."""
        whole = FLAGS + option(8) + option(7, bytes(6)) + request(WRITE, 0, 4 * KIB) + b"h" * 4 * KIB
        whole += request(READ, 0, 64 * KIB) + request(FLUSH, 0, 0) + request(READ, 0, 4 * KIB)
        for end in [*range(0, 120), *range(120, len(whole), 397), len(whole)]:
            with Client(self.drive.socket, go=False) as client:
                client.socket.sendall(whole[:end])

    def test_stays_of_its_size_whatever_is_asked(self) -> None:
        """Clients that ask for gigabytes and read nothing, or begin writes that they never end."""
        before = self.drive.resident_kib()
        crowd = []
        for i in range(8):
            client = Client(self.drive.socket)
            client.socket.setblocking(False)
            crowd.append(client)
            try:
                for _ in range(2000):
                    if i % 2:
                        client.socket.send(request(READ, 0, 32 << 20))
                    else:
                        client.socket.send(request(WRITE, 0, 32 << 20) + bytes(100 * KIB))
            except BlockingIOError:
                pass
        with Client(self.drive.socket) as client:
            self.assertEqual(client.do(WRITE, 0, data=b"c" * 512), 0)
            self.assertEqual(client.read(0, 512), b"c" * 512)
        self.assertLess(self.drive.resident_kib() - before, 8 * (3 * 64 + 32) * KIB)
        for client in crowd:
            client.socket.close()

    def test_many_connections(self) -> None:
        crowd = []
        for _ in range(400):
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(self.drive.socket))
            client.settimeout(GUARD_SECONDS)
            crowd.append(client)
        greeted = 0
        for client in crowd:
            try:
                greeted += client.recv(18) != b""
            except ConnectionResetError:
                pass
        self.assertLessEqual(greeted, 256)
        self.assertGreater(greeted, 200)
        for client in crowd:
            client.close()

        def room() -> bool:
            try:
                with Client(self.drive.socket) as client:
                    return client.size > 0
            except (EOFError, ConnectionResetError, BrokenPipeError):
                return False

        wait_for(room)

    def test_refused_commands_leave_the_stream_in_step(self) -> None:
        with Client(self.drive.socket) as client:
            for kind in (*range(8, 40), 5, 7, 65535):
                self.assertEqual(client.do(kind, 0, 512), EINVAL)
            for flag in range(1, 16):
                self.assertEqual(client.do(WRITE, 0, data=bytes(512), flags=1 << flag), EINVAL)
            self.assertEqual(client.do(FLUSH), 0)

    def test_fuzz(self) -> None:
        """Messages with random parts, on a few connections at a time; some are good, most are not."""
        chance = random.Random(ARGUMENTS.seed)
        numbers = [0, 1, 2, 511, 512, 4096, 65536, 1 << 20, 32 << 20, (32 << 20) + 512, 0x7FFFFFFF, 0xFFFFFFFF]
        sent = 0
        while sent < ARGUMENTS.messages:
            with Client(self.drive.socket, go=False) as client:
                data = FLAGS if chance.random() < 0.95 else chance.randbytes(4)
                kept = set()  # where offsets and lengths lie: changed, they could name what is the neighbour's
                for _ in range(chance.randrange(4)):
                    body = bytes(6) if chance.random() < 0.5 else chance.randbytes(chance.randrange(40))
                    length = chance.choice(numbers) if chance.random() < 0.05 else None
                    data += option(chance.choice([1, 2, 3, 5, 6, 7, 8, 9, 10, chance.randrange(1 << 32)]), body, length)
                    sent += 1
                if chance.random() < 0.9:
                    data += option(chance.choice([1, 7]), b"" if chance.random() < 0.1 else bytes(6))
                    data += option(7, bytes(6))
                    sent += 2
                for _ in range(chance.randrange(30)):
                    kind = chance.choice(
                        [READ, WRITE, FLUSH, TRIM, ZEROES, ZEROES, READ, WRITE, chance.randrange(65536)]
                    )
                    length = chance.choice(numbers[:7]) if chance.random() < 0.9 else chance.choice(numbers)
                    # The first 32 MiB: the rest is the neighbour's.
                    offset = chance.randrange(32 << 11) * 512 if chance.random() < 0.9 else chance.randrange(1 << 64)
                    length = min(length, max(0, (32 << 20) - offset)) if offset < 1 << 30 else length
                    flags = chance.choice([0, 0, 0, 1, 2, 4, chance.randrange(65536)])
                    kept.update(range(len(data) + 16, len(data) + 28))
                    data += request(kind, offset, length, flags, chance.randrange(1 << 64))
                    if kind == WRITE and length <= 1 << 20 and chance.random() < 0.95:
                        data += chance.randbytes(16) * (length // 16)
                    sent += 1
                if chance.random() < 0.3:
                    data = bytearray(data)
                    for _ in range(chance.randrange(1, 5)):
                        if (at := chance.randrange(len(data))) not in kept:
                            data[at] = chance.randrange(256)
                if chance.random() < 0.3:
                    data = data[: chance.randrange(len(data))]
                # Who sends and reads nothing waits for the server, which waits for him once it owes him much.
                client.socket.settimeout(0.5)
                try:
                    client.socket.sendall(data)
                    client.socket.settimeout(GUARD_SECONDS)
                    if chance.random() < 0.5:
                        client.socket.shutdown(socket.SHUT_WR)
                        while client.socket.recv(1 << 20):
                            pass
                except TimeoutError:
                    self.assertEqual(client.socket.gettimeout(), 0.5, "the server says nothing, and does not close")
                except OSError:  # the server has closed
                    pass


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
