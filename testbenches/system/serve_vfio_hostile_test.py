# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients that break the vfio-user protocol, or NVMe behind it: they get errors, or lose their connection, and the next
client finds the drive and its data as they were.

usage: serve_vfio_hostile_test.py PROGRAM ROOT [--messages N] [--seed N]
"""

import argparse
import errno
import os
import random
import socket
import struct
import sys
import unittest
from pathlib import Path

from vfio_client import (
    BAR0,
    BAR4,
    CONFIG,
    DEVICE_INFO,
    DMA_MAP,
    DMA_UNMAP,
    IRQ_INFO,
    MSIX,
    PAGE,
    REGION_INFO,
    REGION_READ,
    REGION_WRITE,
    REPLY,
    SET_IRQS,
    VERSION,
    Gone,
    Memory,
    Nvme,
    Refused,
    VfioClient,
)
from vfio_drive import VfioDrive

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("root", type=Path)
parser.add_argument("--messages", type=int, default=10000)
parser.add_argument("--seed", type=int, default=1)
ARGUMENTS = parser.parse_args()
SMALL = str(ARGUMENTS.root / "configs/ssds/small.toml")
KEPT = random.Random(9).randbytes(64 * 1024)
KEPT_LBA = 200000


class Hostile(unittest.TestCase):
    """Each test begins with data on the drive and ends by reading them, as a new client."""

    def setUp(self) -> None:
        self.drive = VfioDrive(ARGUMENTS.program, SMALL)
        self.good(lambda nvme, buffer: self.assertEqual(nvme.write(KEPT_LBA, KEPT, buffer), 0))

    def tearDown(self) -> None:
        with self.drive:
            if self.drive.process.poll() is None:
                self.good(lambda nvme, buffer: self.assertEqual(nvme.read(KEPT_LBA, len(KEPT), buffer), KEPT))
            code, _, err = self.drive.end()
            self.assertEqual(code, 0, err[-2000:])

    def good(self, act: object) -> None:
        with VfioClient(self.drive.socket) as client:
            memory = Memory(64, 1 << 20)
            client.map(memory)
            nvme = Nvme(client, memory)
            try:
                nvme.bring_up()
                act(nvme, memory.allocate(32))
            finally:
                nvme.close()
                memory.close()

    def ends(self, data: bytes, negotiate: bool = True, fds: tuple[int, ...] = ()) -> None:
        """The server ends a connection on which this comes."""
        with VfioClient(self.drive.socket, negotiate) as client:
            with self.assertRaises(Gone):
                client.send_raw(data, fds)
                while True:
                    client.message()

    def test_framing(self) -> None:
        for size in (0, 1, 15, 1 << 21, 0xFFFFFFFF):
            self.ends(struct.pack("<HHIII", 1, REGION_READ, size, 0, 0))
        self.ends(struct.pack("<HHIII", 1, REGION_READ, 16, REPLY, 0))  # a reply to nothing
        self.ends(struct.pack("<HHIII", 1, REGION_READ, 16, 7, 0))
        self.ends(b"GET / HTTP/1.1\r\nHost: me\r\n\r\n", negotiate=False)
        self.ends(struct.pack("<HHIII", 1, DEVICE_INFO, 32, 0, 0) + bytes(16), negotiate=False)
        self.ends(struct.pack("<HHIIIHH", 1, VERSION, 20, 0, 0, 1, 0), negotiate=False)
        self.ends(struct.pack("<HHIII", 1, VERSION, 16, 0, 0), negotiate=False)
        self.ends(struct.pack("<HHIIIHH", 1, VERSION, 23, 0, 0, 0, 0) + b"{{{", negotiate=False)
        self.ends(struct.pack("<HHIIIHH", 1, VERSION, 20, 0, 0, 0, 0))  # twice
        with open(os.devnull, "rb") as null:
            self.ends(struct.pack("<HHIII", 1, DEVICE_INFO, 16, 0, 0), fds=(null.fileno(),) * 9)

    def test_halves(self) -> None:
        """Connections that end anywhere in what a good client sends."""
        whole = struct.pack("<HHIIIHH", 1, VERSION, 20, 0, 0, 0, 0)
        whole += struct.pack("<HHIIIQII", 2, REGION_WRITE, 36, 0, 0, 0x14, BAR0, 4) + struct.pack("<I", 0x460001)
        for cut in range(len(whole)):
            with VfioClient(self.drive.socket, False) as client:
                client.send_raw(whole[:cut])

    def test_wrong_sizes_and_numbers(self) -> None:
        with VfioClient(self.drive.socket) as client:

            def refused(command: int, body: bytes, error: int = errno.EINVAL) -> None:
                with self.assertRaises(Refused) as raised:
                    client.ask(command, body)
                self.assertEqual(raised.exception.errno, error, (command, body))

            for command in (0, 6, 14, 15, 16, 99, 65535, 11, 12):
                refused(command, bytes(64), errno.ENOTSUP)
            for command in (
                DMA_MAP,
                DMA_UNMAP,
                DEVICE_INFO,
                REGION_INFO,
                IRQ_INFO,
                SET_IRQS,
                REGION_READ,
                REGION_WRITE,
            ):
                for size in (0, 1, 7, 11):
                    refused(command, bytes(size))
            refused(REGION_INFO, struct.pack("<IIIIQQ", 32, 0, 9, 0, 0, 0))
            refused(REGION_INFO, struct.pack("<IIIIQQ", 31, 0, 0, 0, 0, 0))
            refused(IRQ_INFO, struct.pack("<IIII", 16, 0, 5, 0))
            for offset, region, count in (
                (0, 9, 4),
                (16384, BAR0, 1),
                (16383, BAR0, 2),
                (1 << 63, BAR0, 4),
                ((1 << 64) - 1, CONFIG, 4),
                (0, CONFIG, 4097),
                (0, BAR0, 0xFFFFFFFF),
                (0, 1, 4),
            ):
                refused(REGION_READ, struct.pack("<QII", offset, region, count))
            refused(REGION_WRITE, struct.pack("<QII", 0, BAR4, 8) + bytes(4))
            refused(REGION_WRITE, struct.pack("<QII", 0, BAR4, 4) + bytes(8))
            refused(REGION_WRITE, struct.pack("<QII", 0x15, BAR0, 4) + bytes(4))
            refused(REGION_WRITE, struct.pack("<QII", 0x14, BAR0, 2) + bytes(2))
            for start, count in ((64, 1), (0, 65), (0xFFFFFFFF, 1), (1, 0xFFFFFFFF)):
                refused(SET_IRQS, struct.pack("<5I", 20, 1 | 32, MSIX, start, count))
            refused(SET_IRQS, struct.pack("<5I", 20, 1 | 32, 0, 0, 1))
            refused(SET_IRQS, struct.pack("<5I", 20, 2 | 32, MSIX, 0, 4) + bytes(3))
            refused(SET_IRQS, struct.pack("<5I", 20, 3 | 32, MSIX, 0, 1) + bytes(1))
            with open(os.devnull, "wb") as null, self.assertRaises(Refused):
                client.set_irqs(4 | 32, 0, 1, (null.fileno(),))
            # Whole registers in pieces, and more than there are.
            self.assertEqual(client.read_region(BAR0, 9, 2), struct.pack("<I", 0x20000)[1:3])
            self.assertEqual(len(client.read_region(BAR0, 0, 16384)), 16384)

    def test_an_event_that_is_full(self) -> None:
        with VfioClient(self.drive.socket) as client:
            event = os.eventfd(0)
            os.eventfd_write(event, (1 << 64) - 2)
            client.set_irqs(4 | 32, 0, 1, (event,))
            client.set_irqs(1 | 32, 0, 1)
            os.close(event)

    def test_memory_that_lies(self) -> None:
        """A client that answers the drive's messages with errors, too little, or not at all."""
        for lie in range(4):
            with VfioClient(self.drive.socket) as client:
                memory = Memory(64, 1 << 20)
                client.map(memory, by_file=False)
                nvme = Nvme(client, memory)
                nvme.bring_up()

                def serve(number: int, command: int, body: bytes) -> None:
                    if lie == 0:
                        client.send_raw(struct.pack("<HHIII", number, command, 16, REPLY | 32, errno.EFAULT))
                    elif lie == 1:
                        client.send_raw(struct.pack("<HHIII", number, command, 20, REPLY, 0) + bytes(4))
                    elif lie == 2:
                        client.send_raw(struct.pack("<HHIII", number + 1 & 0xFFFF, command, 16, REPLY, 0))
                    else:
                        client.socket.shutdown(socket.SHUT_RDWR)
                        raise Gone

                client.serve = serve
                try:
                    nvme.set_register(0x1000, 9)
                    while not nvme.register(0x1C) & 2:
                        pass
                except Gone:
                    self.assertIn(lie, (2, 3))
                nvme.close()
                memory.close()

    def test_fuzz(self) -> None:
        """Messages made by chance, of which most are nearly good, on many connections."""
        chance = random.Random(ARGUMENTS.seed)
        sent = answered = refused = gone = 0
        while sent < ARGUMENTS.messages:
            with VfioClient(self.drive.socket) as client:
                fuzz = Fuzz(client, chance)
                try:
                    for _ in range(chance.randrange(1, 400)):
                        sent += 1
                        try:
                            fuzz.one()
                            answered += 1
                        except Refused:
                            refused += 1
                except Gone:
                    gone += 1
                fuzz.close()
            self.assertIsNone(self.drive.process.poll(), f"the server has ended after message {sent}")
        print(f"{sent} messages: {answered} answered, {refused} refused, {gone} connections ended by the server")
        self.assertGreater(min(answered, refused), sent // 20)


class Fuzz:
    """A client that does what chance says. It leaves the blocks of `KEPT` alone where it commands writes by itself; what
    it puts into queues by chance may write anywhere, so these queues are of commands that do not write."""

    def __init__(self, client: VfioClient, chance: random.Random) -> None:
        self.client, self.chance = client, chance
        self.memory = Memory(32, 1 << 20)
        self.event = os.eventfd(0, os.EFD_NONBLOCK)
        self.fill()
        client.map(self.memory)
        if chance.random() < 0.7:
            self.enable()

    def close(self) -> None:
        os.close(self.event)
        self.memory.close()

    def fill(self) -> None:
        """Queue entries: reads, flushes, Identify, creation of queues, with fields that are nearly good."""
        chance = self.chance
        for at in range(0, self.memory.size, 64):
            opcode = chance.choice(
                (0, 2, 2, 2, 5, 1 if at < PAGE else 2, 6, 0xA, 0x0C, 4, chance.choice((0x10, 0x7F, 0xFF)))
            )
            entry = struct.pack(
                "<BBHI",
                opcode,
                chance.choice((0, 0, 0, 0x40, 0x80, 3)),
                at // 64,
                chance.choice((0, 1, 1, 1, 2, 0xFFFFFFFF)),
            )
            entry += struct.pack("<QQQQ", 0, 0, self.address(), self.address())
            entry += struct.pack(
                "<6I", *(self.number(32) if chance.random() < 0.2 else chance.randrange(0x40) for _ in range(6))
            )
            self.memory.write(self.memory.address + at, entry)

    def enable(self) -> None:
        base = self.memory.address
        for offset, value, size in (
            (0x14, 0, 4),
            (0x24, 0x003F003F, 4),
            (0x28, base, 8),
            (0x30, base + 8 * PAGE, 8),
            (0x14, 0x460001, 4),
        ):
            self.client.write_region(BAR0, offset, value.to_bytes(size, "little"))
        self.client.set_irqs(4 | 32, 0, 1, (self.event,))

    def number(self, bits: int) -> int:
        chance = self.chance
        edge = chance.choice((0, 1, (1 << bits) - 1, 1 << (bits - 1), 1 << chance.randrange(bits)))
        return (
            (edge + chance.choice((-1, 0, 0, 1))) % (1 << bits) if chance.random() < 0.5 else chance.getrandbits(bits)
        )

    def address(self) -> int:
        if self.chance.random() < 0.8:
            return self.memory.address + self.chance.randrange(self.memory.size) // 512 * 512
        return self.number(64)

    def one(self) -> None:
        chance = self.chance
        kind = chance.randrange(12)
        if kind < 3:  # doorbells
            self.client.write_region(
                BAR0,
                0x1000 + 4 * chance.randrange(chance.choice((2, 8, 130))),
                struct.pack("<I", chance.randrange(64) if chance.random() < 0.9 else self.number(32)),
            )
        elif kind == 3:  # registers; what formats and sanitizes is no register
            offset = chance.choice(
                (0x0C, 0x10, 0x14, 0x1C, 0x20, 0x24, 0x28, 0x30, 0x50, 0x2000, chance.randrange(0, 0x4000, 4))
            )
            value = chance.choice((0, 0x460001, 0x464001, 0x4E564D65, self.number(32)))
            self.client.write_region(BAR0, offset, struct.pack("<I", value))
        elif kind == 4:
            self.enable()
        elif kind == 5:
            region = chance.choice((BAR0, BAR4, CONFIG))
            self.client.read_region(region, chance.randrange(4096), chance.randrange(1, 64))
        elif kind == 6:
            self.client.write_region(CONFIG, chance.randrange(256), chance.randbytes(chance.randrange(1, 8)))
        elif kind == 7:
            body = struct.pack(
                "<IIQQQ",
                32,
                chance.choice((3, 3, 1, 2, self.number(32))),
                chance.choice((0, PAGE, self.number(64))),
                chance.choice((self.address() // PAGE * PAGE, self.number(64))),
                chance.choice((PAGE, 8 * PAGE, self.memory.size, self.number(64))),
            )
            self.client.ask(DMA_MAP, body, (self.memory.fd,))
        elif kind == 8:
            whole = chance.random() < 0.5
            address, size = (self.memory.address, self.memory.size) if whole else (self.address(), self.number(64))
            self.client.ask(DMA_UNMAP, struct.pack("<IIQQ", 24, chance.choice((0, 0, 1, 2)), address, size))
        elif kind == 9:
            self.fill()
            body = struct.pack(
                "<5I", 20, self.number(6), chance.choice((MSIX, self.number(3))), self.number(6), self.number(7)
            )
            self.client.ask(
                SET_IRQS, body + chance.randbytes(chance.randrange(64)), (self.event,) * chance.randrange(3)
            )
        elif kind == 10 and chance.random() < 0.2:
            self.client.reset()
        else:
            command = chance.choice(
                (DMA_MAP, DMA_UNMAP, DEVICE_INFO, REGION_INFO, IRQ_INFO, SET_IRQS, REGION_READ, self.number(16))
            )
            if command == VERSION:
                command = DEVICE_INFO
            self.client.ask(command, chance.randbytes(chance.choice((0, 8, 16, 20, 24, 32, 100))))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
