# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A drive and its guest with one clock (`--time lockstep`). Without QEMU: a client that speaks vfio-user and is the plugin,
too. With QEMU 10.1 or later and a kernel (guest.py says where they are looked for): a Linux guest whose fio measures the
drive.

usage: serve_lockstep_test.py PROGRAM ROOT
"""

import json
import os
import random
import select
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from guest import Guest, Missing
from vfio_client import BAR0, GUARD_SECONDS, NO_REPLY, REGION_WRITE, Gone, Memory, Nvme, VfioClient
from vfio_drive import VfioDrive

PROGRAM, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SMALL = str(ROOT / "configs/ssds/small.toml")
PLUGIN = PROGRAM.parent / "wordline_lockstep.so"
HELLO, TIME, STORE = 1, 2, 3
KIB = 1024
MOST_APART = 1_000_000


class Clock:
    """The plugin's end of the clock's socket."""

    def __init__(self, path: Path, version: int = 1, interrupts: bool = True) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.socket.settimeout(GUARD_SECONDS)
        self.now, self.next = 0, 0
        self.vectors = 0
        self.ask(HELLO, version, int(interrupts))

    def ask(self, operation: int, argument: int, ns: int) -> tuple[int, int]:
        data = b""
        try:
            self.socket.sendall(struct.pack("<IIQ", operation, argument, ns))
            while len(data) < 16:
                piece = self.socket.recv(16 - len(data))
                if not piece:
                    raise Gone
                data += piece
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Gone from error
        return struct.unpack("<QQ", data)

    def step(self, until: int | None = None) -> int:
        """To the next instant of the drive, but not beyond `until`; the vectors that are raised there."""
        self.now = max(self.now, self.next if until is None else min(self.next, until))
        self.next, vectors = self.ask(TIME, 0, self.now)
        if not self.now < self.next <= self.now + MOST_APART:
            raise AssertionError(f"at {self.now} ns the drive names {self.next} ns")
        return vectors

    def store(self) -> None:
        self.next, vectors = self.ask(STORE, 0, self.now)
        if vectors:
            raise AssertionError("interrupts at a store")


class Driver(Nvme):
    """The driver of a guest whose clock is `clock`: each access takes `cost` ns of it."""

    COST = 700

    def __init__(self, client: VfioClient, memory: Memory, clock: Clock) -> None:
        self.clock, self.raised, self.latencies = clock, 0, []
        super().__init__(client, memory, vectors=0)

    def create_queues(self, number: int = 1) -> None:
        queue = self.new_queue(number)
        size = (self.ENTRIES - 1) << 16 | number
        self.admin(5, prp1=queue.cq, cdw10=size, cdw11=number << 16 | 3)
        self.admin(1, prp1=queue.sq, cdw10=size, cdw11=number << 16 | 1)

    def spend(self) -> None:
        end = self.clock.now + self.COST
        while self.clock.next < end:
            self.raised |= self.clock.step(end)
        self.clock.now = end

    def ring(self, offset: int, value: int) -> None:
        self.spend()
        super().ring(offset, value)
        self.clock.store()

    def wait_ready(self, ready: int) -> None:
        while True:
            self.raised |= self.clock.step()
            status = self.register(0x1C)
            if status & 2:
                raise AssertionError("CSTS.CFS")
            if status & 1 == ready:
                return

    def wait(self, queue: int, cid: int) -> int:
        begun = self.clock.now
        while cid not in self.done:
            while not self.raised >> queue & 1:
                self.raised |= self.clock.step()
            self.raised &= ~(1 << queue)
            self.latencies.append(self.clock.now - begun)
            self.reap(queue)
        return self.done[cid]


class Machine:
    """A drive, its clock and its driver."""

    def __init__(self, drive: VfioDrive, interrupts: bool = True) -> None:
        self.client = VfioClient(drive.socket)
        self.memory = Memory(1024, 1 << 32)
        self.client.map(self.memory)
        self.clock = Clock(Path(f"{drive.socket}.clock"), interrupts=interrupts)
        self.clock.step()
        self.nvme = Driver(self.client, self.memory, self.clock)

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_: object) -> None:
        self.clock.socket.close()
        self.client.socket.close()
        self.memory.close()


def lockstep(*options: str) -> VfioDrive:
    return VfioDrive(str(PROGRAM), SMALL, "--time", "lockstep", *options)


def latencies(capture: Path, operation: str) -> list[int]:
    """Picoseconds that each of these commands took, in the order in which they came."""
    came, took = {}, {}
    for line in capture.read_text().splitlines():
        match line.split():
            case ["q", at, number, _, kind, _, _, *_] if kind == operation:
                came[number] = int(at)
            case ["a", at, number, "0", _] if number in came:
                took[number] = int(at) - came[number]
    return [took[number] for number in came]


class Busy:
    """The machine has something else to do."""

    def __enter__(self) -> None:
        self.loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])

    def __exit__(self, *_: object) -> None:
        self.loop.kill()
        self.loop.wait()


class Clocks(unittest.TestCase):
    """A client of vfio-user and of the clock, without QEMU."""

    def session(self, pauses: bool) -> tuple[list[int], bytes, dict, list[int], str]:
        chance, folder = random.Random(5), tempfile.TemporaryDirectory()
        with folder, lockstep("--capture", str(Path(folder.name) / "capture")) as drive:
            with Machine(drive) as machine:
                nvme = machine.nvme
                nvme.bring_up()
                buffer, held = machine.memory.allocate(64), {}
                for _ in range(60):
                    if pauses:
                        time.sleep(0.002)
                    place = chance.randrange(64) * 16
                    if held and chance.randrange(2):
                        place = chance.choice(list(held))
                        self.assertEqual(nvme.read(place, 8 * KIB, buffer), held[place])
                    else:
                        held[place] = chance.randbytes(8 * KIB)
                        self.assertEqual(nvme.write(place, held[place], buffer), 0)
                self.assertEqual(nvme.flush(), 0)
                nvme.latencies.clear()
                for place in list(held)[:20]:
                    self.assertEqual(nvme.read(place, 8 * KIB, buffer), held[place])
            code, out, err = drive.wait()
            self.assertEqual(code, 0, err)
            capture = Path(folder.name) / "capture"
            own = latencies(capture, "read")
            result = drive.result()
            del result["provenance"]
            return nvme.latencies, capture.read_bytes(), result, own, out

    def test_the_same_beside_any_load(self) -> None:
        first = self.session(pauses=False)
        with Busy():
            second = self.session(pauses=True)
        self.assertEqual(first[0], second[0])
        self.assertEqual(first[1], second[1])
        self.assertEqual(first[2], second[2])
        self.assertIn("Time: lockstep", first[4])

    def test_a_client_measures_the_drive(self) -> None:
        """From the store to the interrupt, and from the doorbell's arrival to the entry that leaves: the difference is the
        link's."""
        measured, _, _, own, out = self.session(pauses=False)
        own = own[-len(measured) :]
        self.assertEqual(len(measured), 20)
        more = [mine * 1000 - drive for mine, drive in zip(measured, own)]
        self.assertLess(max(more) - min(more), 20_000)  # ps; a nanosecond is the clock's step
        self.assertGreater(min(more), 0)
        self.assertLess(max(more), 3_000_000)
        self.assertIn("Reads  by the drive's clock", out)

    def test_time_stands_still_for_who_does_not_ask(self) -> None:
        with lockstep() as drive:
            with Machine(drive) as machine:
                machine.nvme.enable()
                before = machine.clock.now
                time.sleep(0.2)
                self.assertLessEqual(machine.clock.next, before + MOST_APART)
                machine.nvme.create_queues()
            out = drive.wait()[1]
            reached = float(out.split("clock came to ")[1].split()[0])
            self.assertLess(reached, 0.1)

    def test_interrupts_by_eventfd(self) -> None:
        """As another client would hear of them: never by the clock."""
        with lockstep() as drive:
            with Machine(drive, interrupts=False) as machine:
                event = os.eventfd(0, os.EFD_NONBLOCK)
                machine.client.set_irqs(4 | 32, 0, 1, (event,))
                nvme = machine.nvme
                nvme.enable()
                nvme.submit(0, 6, prp1=nvme.page, cdw10=1)
                for _ in range(200):
                    self.assertEqual(machine.clock.step(), 0)
                self.assertTrue(select.select([event], [], [], 0)[0])
                os.close(event)
            self.assertIn("of which 1 found an eventfd", drive.wait()[1])

    def refused(self, act: object) -> str:
        with lockstep() as drive:
            with Machine(drive) as machine:
                with self.assertRaises(Gone):
                    machine.nvme.enable()
                    act(machine)
                    while True:
                        machine.clock.step()
            code, _, err = drive.wait()
            self.assertEqual(code, 1)
            return err

    def test_a_store_that_was_not_seen(self) -> None:
        def ring(machine: Machine) -> None:
            machine.client.write_region(BAR0, 0x1000, struct.pack("<I", 1))

        self.assertIn("add stores=any", self.refused(ring))

        def ring_twice(machine: Machine) -> None:
            ring(machine)
            ring(machine)
            machine.clock.store()

        self.assertIn("2 doorbells came before the store", self.refused(ring_twice))

    def test_writes_that_nobody_waits_for(self) -> None:
        def post(machine: Machine) -> None:
            machine.client.send(REGION_WRITE, struct.pack("<QIII", 0x1000, BAR0, 4, 1), flags=NO_REPLY)

        self.assertIn('"x-no-posted-writes":true', self.refused(post))

    def test_time_does_not_go_back(self) -> None:
        def back(machine: Machine) -> None:
            machine.clock.now = machine.clock.next = 5

        self.assertIn("has gone back", self.refused(back))

    def test_another_plugin(self) -> None:
        for send in (struct.pack("<IIQ", HELLO, 2, 1), struct.pack("<IIQ", TIME, 0, 5), b"abc"):
            with lockstep() as drive:
                clock = socket.socket(socket.AF_UNIX)
                clock.connect(f"{drive.socket}.clock")
                clock.sendall(send)
                clock.close()
                code, _, err = drive.wait()
                self.assertEqual(code, 1)
                self.assertIn("the guest's clock was let go: it", err)

    def test_options(self) -> None:
        for options, reason in (
            (("--nbd", "s"), "serve by --vfio-user SOCKET"),
            (("--vfio-user", "s", "--doorbells", "polled"), "leave out --doorbells polled"),
            (("--vfio-user", "s", "--capture", "c", "--set", "engines.parse=off"), "engines.parse=on"),
        ):
            done = subprocess.run(
                [PROGRAM, "serve", SMALL, *options, "--time", "lockstep"], capture_output=True, text=True, check=False
            )
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(reason, done.stderr)

    def test_a_capture_is_a_workload(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            capture = Path(name) / "capture"
            with lockstep("--capture", str(capture)) as drive:
                with Machine(drive) as machine:
                    machine.nvme.bring_up()
                    buffer = machine.memory.allocate(64)
                    for place in range(0, 80, 8):
                        self.assertEqual(machine.nvme.write(place, b"w" * 4 * KIB, buffer), 0)
                    self.assertEqual(machine.nvme.read(0, 16 * KIB, buffer), b"w" * 16 * KIB)
                    self.assertEqual(machine.nvme.deallocate(8, 32, buffer), 0)
                    self.assertEqual(machine.nvme.deallocate(3, 4, buffer), 0)  # no page
                self.assertEqual(drive.wait()[0], 0)
            trims = [line.split()[4:] for line in capture.read_text().splitlines() if " trim " in line]
            self.assertEqual(trims, [["trim", str(8 * 512), str(32 * 512)]])
            done = subprocess.run(
                [PROGRAM, "run", SMALL, "--workload", capture, "--out", name],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            again = subprocess.run(
                [PROGRAM, "serve", SMALL, "--replay", capture], capture_output=True, text=True, check=False
            )
            self.assertNotEqual(again.returncode, 0)
            self.assertIn("workload of wordline run", again.stderr)
            ios = json.loads((Path(name) / "result.json").read_text())["ios"]
            self.assertEqual([ios[kind]["count"] for kind in ("read", "write", "trim")], [1, 10, 1])


JOBS = {"randread 1": 600, "randread 4": 600, "randwrite 1": 400}
SIZE = "64m"


def job_of_guest() -> str:
    lines = []
    for name, count in JOBS.items():
        kind, depth = name.split()
        lines.append(f'echo "FIO {name}"')
        lines.append(
            f"fio --name=j --filename=/dev/nvme0n1 --rw={kind} --bs=4k --size={SIZE} --number_ios={count} "
            f"--iodepth={depth} --ioengine=libaio --direct=1 --randseed=7 --norandommap --thread --output-format=json"
        )
        lines.append('echo "FIO end"')
    return "\n".join(lines) + "\n"


class GuestRun:
    """What a guest has printed, and what its drive has kept."""

    def __init__(self, guest: Guest, folder: Path, options: str = "") -> None:
        folder.mkdir()
        command = guest.command("s", "console", PLUGIN, options)
        done = subprocess.run(
            [PROGRAM, "serve", SMALL, "--set", "precondition.fill=sequential", "--vfio-user", "s", "--time", "lockstep"]
            + ["--capture", "capture", "--out", "out", "--run", command],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=GUARD_SECONDS,
            check=False,
        )
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.console = (folder / "console").read_bytes() if (folder / "console").exists() else b""
        self.capture = folder / "capture"
        self.result = (folder / "out" / "result.json").read_bytes() if done.returncode == 0 else b""

    def fio(self, name: str) -> dict:
        text = self.console.decode(errors="replace").split(f"FIO {name}\r\n")[1].split("FIO end")[0]
        job = json.loads(text[text.index("{") :])["jobs"][0]
        return job["read" if "read" in name else "write"]


def percentile(sorted_values: list[int], share: float) -> int:
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * share))]


class Guests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.place.name)
        try:
            cls.guest = Guest(cls.folder, job_of_guest(), ("fio",))
        except Missing as missing:
            cls.place.cleanup()
            raise unittest.SkipTest(str(missing)) from missing
        cls.first = GuestRun(cls.guest, cls.folder / "first")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.place.cleanup()

    def setUp(self) -> None:
        self.assertEqual(self.first.code, 0, self.first.err + self.first.console.decode(errors="replace")[-2000:])
        self.assertIn(b"GUEST end", self.first.console)

    def test_the_same_beside_any_load(self) -> None:
        with Busy():
            second = GuestRun(self.guest, self.folder / "second")
        self.assertEqual(second.console, self.first.console)
        self.assertEqual(second.capture.read_bytes(), self.first.capture.read_bytes())
        self.assertEqual(second.result, self.first.result)

    def test_not_so_by_eventfd(self) -> None:
        """Else the test before proves nothing."""
        one, two = (GuestRun(self.guest, self.folder / name, ",interrupts=eventfd") for name in ("one", "two"))
        self.assertEqual((one.code, two.code), (0, 0), one.err + two.err)
        self.assertNotEqual(one.capture.read_bytes(), two.capture.read_bytes())

    def test_fio_measures_the_drive(self) -> None:
        reads, writes = latencies(self.first.capture, "read"), latencies(self.first.capture, "write")
        own = {"randread 1": reads[-1200:-600], "randread 4": reads[-600:], "randwrite 1": writes[-400:]}
        for name in ("randread 1", "randwrite 1"):
            clat, drive = self.first.fio(name)["clat_ns"], sorted(own[name])
            path = clat["mean"] - sum(drive) / len(drive) / 1000
            print(f"{name}: fio {clat['mean'] / 1000:.2f} us, the drive {sum(drive) / len(drive) / 1e6:.2f} us")
            self.assertGreater(path, 1000)  # ns: what the guest adds ...
            self.assertLess(path, 8000)
            for share, key in ((0.5, "50.000000"), (0.99, "99.000000")):  # ... is the same for all
                expected = percentile(drive, share) / 1000 + path
                self.assertLess(abs(clat["percentile"][key] - expected), 0.05 * expected, f"{name}, p{key}")

    def test_a_run_of_the_same_job(self) -> None:
        """Of the host's costs, what lies between the drive's mean and fio's, and what lies between two commands."""
        fio = self.first.fio("randread 1")
        reads = latencies(self.first.capture, "read")[-1200:-600]
        mean = sum(reads) / len(reads) / 1000
        after = fio["clat_ns"]["mean"] - mean
        before = 1e9 / fio["iops"] - fio["clat_ns"]["mean"]
        job = self.folder / "job.fio"
        job.write_text(
            f"[j]\nrw=randread\nbs=4k\nsize={SIZE}\nnumber_ios={JOBS['randread 1']}\niodepth=1\nioengine=libaio\n"
            "direct=1\nrandseed=7\nnorandommap\nfilename=/dev/nvme0n1\n"
        )
        done = subprocess.run(
            [PROGRAM, "run", SMALL, "--workload", job, "--set", "precondition.fill=sequential"]
            + ["--set", f"host.submission_cost={before:.0f}ns", "--set", f"host.completion_cost={after:.0f}ns"]
            + ["--out", self.folder / "run"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        latency = json.loads((self.folder / "run" / "result.json").read_text())["ios"]["read"]["lat_ps"]
        for key, theirs in (
            ("mean", fio["clat_ns"]["mean"]),
            ("p50", fio["clat_ns"]["percentile"]["50.000000"]),
            ("p99", fio["clat_ns"]["percentile"]["99.000000"]),
        ):
            ours = latency[key] / 1000 - before
            print(f"{key}: fio in the guest {theirs / 1000:.2f} us, wordline run {ours / 1000:.2f} us")
            self.assertLess(abs(ours - theirs), 0.05 * theirs, key)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
