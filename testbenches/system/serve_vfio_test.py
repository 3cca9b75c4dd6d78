# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The drive's NVMe controller behind vfio-user, for a client that shares no code with the server: discovery, commands,
interrupts, memory by file and by message, resets, clients that come and go.

usage: serve_vfio_test.py PROGRAM ROOT [--resets N] [--seed N]
"""

import argparse
import errno
import json
import os
import random
import select
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from vfio_client import (
    BAR0,
    BAR4,
    CONFIG,
    DEVICE_INFO,
    DEVICE_RESET,
    IRQ_INFO,
    PAGE,
    REGION_READ,
    REGION_WRITE,
    Memory,
    Refused,
    VfioClient,
)
from vfio_drive import Host, VfioDrive

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("root", type=Path)
parser.add_argument("--resets", type=int, default=20)
parser.add_argument("--seed", type=int, default=1)
ARGUMENTS = parser.parse_args()
SMALL = str(ARGUMENTS.root / "configs/ssds/small.toml")
KIB = 1024


class Discovery(unittest.TestCase):
    def test_a_function_as_a_driver_expects_it(self) -> None:
        with VfioDrive(ARGUMENTS.program, SMALL) as drive:
            with VfioClient(drive.socket) as client:
                self.assertEqual(client.minor, 1)
                self.assertGreaterEqual(json.loads(client.capabilities)["capabilities"]["max_data_xfer_size"], 65536)
                info = struct.unpack("<4I", client.ask(DEVICE_INFO, struct.pack("<4I", 16, 0, 0, 0))[0])
                self.assertEqual(info, (16, 3, 9, 5))
                self.assertGreaterEqual(client.region(BAR0)[0], 16 * KIB)
                vectors = struct.unpack("<4I", client.ask(IRQ_INFO, struct.pack("<4I", 16, 0, 2, 0))[0])[3]
                self.assertEqual(vectors, 64)
                space = client.read_region(CONFIG, 0, 256)
                self.assertEqual(space[9:12], bytes((2, 8, 1)))
                self.assertEqual(self.capabilities(space).keys(), {0x01, 0x10, 0x11})
                self.msix(client, space, vectors)
                self.bars(client)
                self.assertEqual(client.read_region(BAR0, 8, 4), struct.pack("<I", 0x20000))
            self.assertEqual(drive.end()[0], 0)

    def capabilities(self, space: bytes) -> dict[int, int]:
        found, at = {}, space[0x34]
        while at:
            found[space[at]], at = at, space[at + 1]
        return found

    def msix(self, client: VfioClient, space: bytes, vectors: int) -> None:
        at = self.capabilities(space)[0x11]
        control, table, pending = struct.unpack_from("<HII", space, at + 2)
        self.assertEqual((control & 0x7FF) + 1, vectors)
        self.assertEqual((table & 7, pending & 7), (BAR4, BAR4))
        self.assertGreaterEqual(client.region(BAR4)[0], (pending & ~7) + 8)
        client.write_region(CONFIG, at + 2, struct.pack("<H", 0x8000))
        self.assertEqual(client.read_region(CONFIG, at + 3, 1), b"\x80")

    def bars(self, client: VfioClient) -> None:
        """A driver finds the sizes by writing ones."""
        client.write_region(CONFIG, 0x10, b"\xff" * 8)
        low, high = struct.unpack("<II", client.read_region(CONFIG, 0x10, 8))
        size = ~((high << 32 | low) & ~0xF) + 1 & (1 << 64) - 1
        self.assertEqual((size, low & 0xF), (client.region(BAR0)[0], 4))
        client.write_region(CONFIG, 0, b"\0\0\0\0")
        self.assertEqual(client.read_region(CONFIG, 9, 3), bytes((2, 8, 1)))

    def test_options(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            base = [ARGUMENTS.program, "serve", SMALL, "--vfio-user", f"{folder}/s"]
            for more, word in (
                (["--image", f"{folder}/i", "--capture", f"{folder}/c"], "--capture"),
                (["--image", f"{folder}/i", "--set", "engines.parse=off"], "engines.parse=on"),
                (["--capture", f"{folder}/c", "--set", "engines.parse=off"], "engines.parse=on"),
                (["--set", "host.model=direct"], "host.model"),
                (["--set", "nvme.metadata=separate"], "nvme.metadata"),
                (["--nbd", f"{folder}/n"], "--nbd"),
                (["--doorbells", "seen"], "--doorbells"),
            ):
                done = subprocess.run(base + more, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(word, done.stderr)


class Commands(unittest.TestCase):
    def exercise(self, host: Host, seed: int, interrupts: bool = True) -> None:
        nvme, chance = host.nvme, random.Random(seed)
        self.assertIn(b"Wordline", nvme.identify(1))
        blocks = int.from_bytes(nvme.identify(0, 1)[:8], "little")
        written = {}
        for count in (512, 4 * KIB, 8 * KIB, 64 * KIB, 3 * 512):
            lba, buffer = chance.randrange(0, blocks - 256, 8), host.buffer + chance.choice((0, 512, 2048))
            written[lba] = chance.randbytes(count)
            self.assertEqual(nvme.write(lba, written[lba], buffer), 0)
        self.assertEqual(nvme.flush(), 0)
        for lba, data in written.items():
            self.assertEqual(nvme.read(lba, len(data), host.buffer + 512), data)
            host.memory.write(host.buffer, data)
            self.assertEqual(nvme.wait(1, nvme.transfer(5, lba, len(data), host.buffer)), 0)  # Compare
            host.memory.write(host.buffer, bytes(len(data)))
            self.assertEqual(nvme.wait(1, nvme.transfer(5, lba, len(data), host.buffer)), 0x285)
        if interrupts:
            self.assertGreater(nvme.interrupts, 10)
        self.copy_and_deallocate(host, chance)

    def copy_and_deallocate(self, host: Host, chance: random.Random) -> None:
        nvme, data = host.nvme, chance.randbytes(4 * KIB)
        self.assertEqual(nvme.write(4096, data, host.buffer), 0)
        host.memory.write(host.buffer, struct.pack("<QQHHIIHH", 0, 4096, 7, 0, 0, 0, 0, 0))
        self.assertEqual(nvme.wait(1, nvme.submit(1, 0x19, prp1=host.buffer, cdw10=8192)), 0)
        self.assertEqual(nvme.write(4096, bytes(4 * KIB), host.buffer), 0)
        self.assertEqual(nvme.read(8192, 4 * KIB, host.buffer), data)
        host.memory.write(host.buffer, struct.pack("<IIQ", 0, 8, 8192))
        self.assertEqual(nvme.wait(1, nvme.submit(1, 9, prp1=host.buffer, cdw11=4)), 0)  # Dataset Management
        self.assertEqual(nvme.read(8192, 4 * KIB, host.buffer), bytes(4 * KIB))

    def check(self, *options: str, **kind: bool) -> str:
        with VfioDrive(ARGUMENTS.program, SMALL, *options) as drive:
            with Host(drive, **kind) as host:
                self.exercise(host, 3, kind.get("vectors", 1) != 0)
                asked = host.client.asked
            code, out, err = drive.end()
            self.assertEqual(code, 0, err)
            self.assertEqual(asked > 0, not kind.get("by_file", True))
            return out

    def test_trapped_doorbells(self) -> None:
        out = self.check()
        self.assertIn("Doorbells: trapped", out)
        self.assertIn("Time: free", out)

    def test_polled_doorbells(self) -> None:
        self.assertIn("Doorbells: polled", self.check("--doorbells", "polled"))

    def test_memory_by_messages(self) -> None:
        self.check(by_file=False)

    def test_memory_that_could_shrink(self) -> None:
        self.check(seal=False)

    def test_any_range_is_as_in_an_array(self) -> None:
        """Writes, Write Zeroes and deallocations of any blocks of 512 bytes, against an array of bytes."""
        chance, blocks = random.Random(ARGUMENTS.seed), 512
        held = bytearray(blocks * 512)
        with VfioDrive(ARGUMENTS.program, SMALL, "--set", "ftl.map=page") as drive:
            with Host(drive) as host:
                nvme = host.nvme
                for _ in range(600):
                    count = chance.randrange(1, 41)
                    first = chance.randrange(blocks - count)
                    at, end = first * 512, (first + count) * 512
                    match chance.randrange(4):
                        case 0:
                            held[at:end] = chance.randbytes(count * 512)
                            self.assertEqual(nvme.write(first, bytes(held[at:end]), host.buffer), 0)
                        case 1:
                            zeroes = nvme.submit(1, 8, cdw10=first, cdw12=count - 1 | chance.choice([0, 1 << 30]))
                            self.assertEqual(nvme.wait(1, zeroes), 0)
                            held[at:end] = bytes(count * 512)
                        case 2:
                            self.assertEqual(nvme.deallocate(first, count, host.buffer), 0)
                            at, end = (at + 4095) // 4096 * 4096, end // 4096 * 4096  # parts of 4 KiB stay
                            if at < end:
                                held[at:end] = bytes(end - at)
                        case _:
                            self.assertEqual(nvme.read(first, count * 512, host.buffer), held[at:end])
                for first in range(0, blocks, 64):
                    found = nvme.read(first, 32 * KIB, host.buffer)
                    self.assertEqual(found, held[first * 512 : (first + 64) * 512])
            code, out, err = drive.end()
            self.assertEqual(code, 0, err)
            self.assertIn("; 0 ended with an error", out)

    def test_a_deallocation_of_all_blocks(self) -> None:
        """It keeps a core busy for longer than an endless loop may."""
        with VfioDrive(ARGUMENTS.program, SMALL, "--set", "cpu.watchdog=2ms") as drive:
            with Host(drive) as host:
                nvme = host.nvme
                blocks = int.from_bytes(nvme.identify(0, 1)[:8], "little")
                self.assertEqual(nvme.write(blocks - 8, b"d" * 4 * KIB, host.buffer), 0)
                self.assertEqual(nvme.deallocate(0, blocks, host.buffer), 0)
                self.assertEqual(nvme.read(blocks - 8, 4 * KIB, host.buffer), bytes(4 * KIB))
            code, _, err = drive.end()
            self.assertEqual(code, 0, err)

    def test_names_agree(self) -> None:
        """What a tool such as nvme-cli prints of one drive, from different places."""
        with VfioDrive(ARGUMENTS.program, SMALL) as drive:
            with Host(drive) as host:
                nvme, space = host.nvme, host.client.read_region(CONFIG, 0, 256)
                controller, namespace, descriptors = nvme.identify(1), nvme.identify(0, 1), nvme.identify(3, 1)
                self.assertEqual(controller[0:2], space[0:2])
                self.assertEqual(controller[2:4], space[0x2C:0x2E])
                self.assertEqual(descriptors[0:2], b"\1\x08")
                self.assertEqual(descriptors[4:12], namespace[120:128])
                self.assertEqual(namespace[120:123], controller[75:72:-1])  # OUI
                self.assertEqual(nvme.wait(1, nvme.submit(1, 2, prp1=host.buffer, cdw10=(1 << 32) - 1)) & 0xFF, 0x80)
                self.assertEqual(nvme.admin(2, prp1=host.buffer, cdw10=15 << 16 | 1), 0)
                entry = host.memory.read(host.buffer, 64)
                self.assertEqual((entry[31], entry[63]), (2, 1))  # Read; version of the entry
                self.assertEqual(struct.unpack_from("<QI", entry, 16), ((1 << 32) - 1, 1))
            self.assertEqual(drive.end()[0], 0)

    def test_without_interrupts(self) -> None:
        self.check(vectors=0)

    def test_by_the_clock(self) -> None:
        self.assertIn("Time: wall", self.check("--time", "wall"))
        self.assertIn("Time: dilated", self.check("--time", "dilated:20", "--doorbells", "polled"))

    def test_the_same_in_every_run(self) -> None:
        results = []
        for _ in range(2):
            with VfioDrive(ARGUMENTS.program, SMALL) as drive:
                with Host(drive) as host:
                    for i in range(100):
                        self.assertEqual(host.nvme.write(8 * i, os.urandom(4 * KIB), host.buffer), 0)
                        host.nvme.read(8 * (i // 2), 4 * KIB, host.buffer)
                self.assertEqual(drive.end()[0], 0)
                result = drive.result()
                results.append({key: result[key] for key in ("drive", "flash", "firmware") if key in result})
        self.assertEqual(results[0], results[1])
        self.assertTrue(results[0])

    def test_masked_vectors(self) -> None:
        with VfioDrive(ARGUMENTS.program, SMALL) as drive:
            with Host(drive) as host:
                host.client.set_irqs(1 | 8, 1, 1)  # mask
                cid = host.nvme.submit(1, 0)
                while not host.nvme.reap(1):
                    host.nvme.register(0x1C)
                self.assertFalse(select.select([host.nvme.events[1]], [], [], 0)[0])
                host.client.set_irqs(1 | 16, 1, 1)
                self.assertEqual(os.eventfd_read(host.nvme.events[1]), 1)
                self.assertEqual(host.nvme.wait(1, cid), 0)
                host.client.set_irqs(2 | 32, 0, 2, data=b"\0\1")  # trigger one by hand
                self.assertEqual(os.eventfd_read(host.nvme.events[1]), 1)
            self.assertEqual(drive.end()[0], 0)


class Resets(unittest.TestCase):
    acknowledged = cut_off = at = 0

    def test_nothing_acknowledged_is_lost(self) -> None:
        """Resets of each kind while writes are under way, and after each a look at what was acknowledged."""
        chance = random.Random(ARGUMENTS.seed)
        with VfioDrive(ARGUMENTS.program, SMALL) as drive:
            with Host(drive) as host:
                held: dict[int, set[bytes]] = {}
                for turn in range(ARGUMENTS.resets):
                    self.turn(host, chance, held, turn)
            code, out, err = drive.end()
            self.assertEqual(code, 0, err)
            self.assertIn(" resets", out)
            print(f"{self.acknowledged} writes were acknowledged, {self.cut_off} were under way")
            self.assertGreater(min(self.acknowledged, self.cut_off), ARGUMENTS.resets // 4)

    def turn(self, host: Host, chance: random.Random, held: dict[int, set[bytes]], turn: int) -> None:
        """Doorbell, some reads of a register, and the reset are sent at once: so the reset comes at one instant of the
        drive's time."""
        nvme, writes = host.nvme, {}
        places = chance.sample(range(64), 12)
        for i, place in enumerate(places):
            data = chance.randbytes(4 * KIB)
            host.memory.write(host.buffer + i * PAGE, data)
            writes[nvme.transfer(1, place * 8, 4 * KIB, host.buffer + i * PAGE, ring=False)] = (place, data)
        client, express = host.client, self.express(host.client)
        client.cork()
        sent = [client.send(REGION_WRITE, struct.pack("<QIII", 0x1008, BAR0, 4, nvme.queues[1].tail))]
        for _ in range(chance.randrange(150)):
            sent.append(client.send(REGION_READ, struct.pack("<QII", 0x1C, BAR0, 4)))
        if turn % 4 == 0:
            sent.append(client.send(DEVICE_RESET))
        elif turn % 4 == 1:  # function level reset
            sent.append(client.send(REGION_WRITE, struct.pack("<QIIH", express + 8, CONFIG, 2, 0x8000)))
        else:  # CC.EN, NSSR
            offset, value = ((0x14, 0), (0x20, 0x4E564D65))[turn % 2]
            sent.append(client.send(REGION_WRITE, struct.pack("<QIII", offset, BAR0, 4, value)))
        client.uncork()
        for number in sent:
            client.answer(number)
        self.assertEqual(nvme.register(0x1C) & ~0x10, 0)  # all but NSSRO
        nvme.reap(1)
        for cid, (place, data) in writes.items():
            if nvme.done.get(cid) == 0:
                held[place] = {data}
                self.acknowledged += 1
            else:
                held[place] = held.get(place, {bytes(4 * KIB)}) | {data}
                self.cut_off += 1
        nvme.bring_up()
        for place in places:
            found = nvme.read(place * 8, 4 * KIB, host.buffer)
            self.assertIn(found, held[place], f"block {place} after reset {turn}")
            held[place] = {found}

    def express(self, client: VfioClient) -> int:
        """Where the capability of PCI Express is."""
        if self.at == 0:
            space = client.read_region(CONFIG, 0, 256)
            self.at = space[0x34]
            while space[self.at] != 0x10:
                self.at = space[self.at + 1]
        return self.at

    def test_the_next_client_finds_the_data(self) -> None:
        """Clients that leave in the middle, killed or not, and one that comes while another is there."""
        data = random.Random(7).randbytes(64 * KIB)
        with VfioDrive(ARGUMENTS.program, SMALL) as drive:
            with Host(drive) as host:
                self.assertEqual(host.nvme.write(0, data, host.buffer), 0)
                with self.assertRaises(Refused) as refused:
                    VfioClient(drive.socket)
                self.assertEqual(refused.exception.errno, errno.EBUSY)
                self.assertEqual(host.nvme.read(0, len(data), host.buffer), data)
                for i in range(16):
                    host.nvme.transfer(1, 1024 + 8 * i, 4 * KIB, host.buffer)
            code = (
                "import sys; sys.argv=['']\nfrom vfio_client import *\n"
                f"c=VfioClient({str(drive.socket)!r}); m=Memory(1024,1<<32); c.map(m); n=Nvme(c,m); n.bring_up()\n"
                "b=m.allocate(4)\n"
                "for i in range(20): n.transfer(1, 2048+8*i, 4096, b)\n"
                "print('under way', flush=True)\nimport time; time.sleep(1e6)\n"
            )
            killed = subprocess.Popen(
                [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent
            )
            self.assertEqual(killed.stdout.readline(), "under way\n")
            killed.kill()
            killed.wait()
            killed.stdout.close()
            with Host(drive, vectors=0) as host:
                self.assertEqual(host.nvme.read(0, len(data), host.buffer), data)
            code, out, err = drive.end()
            self.assertEqual(code, 0, err)
            self.assertIn("3 clients", out)
            self.assertIn("1 clients were refused", out)

    def test_once(self) -> None:
        with VfioDrive(ARGUMENTS.program, SMALL, "--once") as drive:
            with Host(drive):
                pass
            self.assertEqual(drive.wait()[0], 0)


class Memories(unittest.TestCase):
    def test_queues_and_data_that_are_not_there(self) -> None:
        with VfioDrive(ARGUMENTS.program, SMALL) as drive:
            with Host(drive) as host:
                nvme = host.nvme
                self.assertEqual(nvme.wait(1, nvme.submit(1, 1, prp1=0x10000, cdw12=0)), 4)  # Data Transfer Error
                self.assertEqual(nvme.wait(1, nvme.submit(1, 2, prp1=0x10000, cdw12=7)), 4)
                self.assertEqual(nvme.wait(1, nvme.submit(1, 2, prp1=host.buffer, prp2=0x10000, cdw12=63)) & 0xFF, 4)
                self.assertNotEqual(nvme.admin(6, prp1=0x10000, cdw10=1, check=False), 0)
                host.client.unmap(host.memory.address, host.memory.size)
                nvme.set_register(0x1000, 5)
                while not nvme.register(0x1C) & 2:  # CSTS.CFS
                    pass
                host.client.map(host.memory)
                nvme.bring_up()
                self.assertEqual(nvme.write(0, b"x" * 512, host.buffer), 0)
            code, out, err = drive.end()
            self.assertEqual(code, 0, err)
            self.assertIn("memory that the client has not mapped", out)

    def test_maps(self) -> None:
        with VfioDrive(ARGUMENTS.program, SMALL) as drive:
            with VfioClient(drive.socket) as client, open(os.devnull, "rb") as null:
                memory = Memory(16, 1 << 20)
                client.map(memory)

                def refused(address: int, size: int, offset: int = 0, flags: int = 3, fd: int = memory.fd) -> int:
                    with self.assertRaises(Refused) as raised:
                        client.ask(2, struct.pack("<IIQQQ", 32, flags, offset, address, size), (fd,) if fd >= 0 else ())
                    return raised.exception.errno

                self.assertEqual(refused(1 << 20, PAGE), errno.EEXIST)
                self.assertEqual(refused((1 << 20) - PAGE, 2 * PAGE), errno.EEXIST)
                self.assertEqual(refused((1 << 20) + 15 * PAGE, PAGE, fd=-1), errno.EEXIST)
                self.assertEqual(refused(1 << 30, 17 * PAGE), errno.ERANGE)
                self.assertEqual(refused(1 << 30, PAGE, 16 * PAGE), errno.ERANGE)
                self.assertEqual(refused(1 << 30, PAGE, (1 << 64) - PAGE), errno.ERANGE)
                self.assertEqual(refused(1 << 30, 100), errno.EINVAL)
                self.assertEqual(refused(1 << 30, PAGE, 5), errno.EINVAL)
                self.assertEqual(refused(1 << 30, 0), errno.EINVAL)
                self.assertEqual(refused(1 << 30, PAGE, flags=64), errno.EINVAL)
                self.assertEqual(refused((1 << 64) - PAGE, 2 * PAGE, fd=-1), errno.EINVAL)
                self.assertEqual(refused(1 << 30, PAGE, fd=null.fileno()), errno.EINVAL)
                for address, size, error in (
                    (1 << 20, PAGE, errno.EINVAL),
                    ((1 << 20) + PAGE, 15 * PAGE, errno.EINVAL),
                    (1 << 30, PAGE, errno.ENOENT),
                    (0, 0, errno.EINVAL),
                ):
                    with self.assertRaises(Refused) as raised:
                        client.unmap(address, size)
                    self.assertEqual(raised.exception.errno, error)
                client.unmap(1 << 20, 16 * PAGE)
                client.map(memory)
                client.unmap(0, 0, 2)  # all
                client.map(memory)
            self.assertEqual(drive.end()[0], 0)

    def test_a_file_that_shrinks(self) -> None:
        with VfioDrive(ARGUMENTS.program, SMALL) as drive:
            with Host(drive, seal=False) as host:
                other = Memory(8, 1 << 40, seal=False)
                host.client.map(other)
                self.assertEqual(host.nvme.wait(1, host.nvme.submit(1, 1, prp1=other.address)), 0)
                os.ftruncate(other.fd, 0)
                self.assertEqual(host.nvme.wait(1, host.nvme.submit(1, 1, prp1=other.address)), 4)
                self.assertEqual(host.nvme.wait(1, host.nvme.submit(1, 2, prp1=other.address)), 4)
                self.assertEqual(os.fstat(other.fd).st_size, 0)
            self.assertEqual(drive.end()[0], 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
