# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of others use the simulated drive as a block device: libnbd's tools, QEMU's and fio, several at once.

usage: serve_test.py PROGRAM ROOT
"""

import json
import random
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from served_drive import (
    EINVAL,
    ENOSPC,
    FLUSH,
    FUA,
    READ,
    TRIM,
    WRITE,
    ZEROES,
    GUARD_SECONDS,
    Client,
    ServedDrive,
    run,
    wait_for,
)

ROOT = Path(sys.argv.pop(2))
PROGRAM = sys.argv.pop(1)
SMALL = str(ROOT / "configs/ssds/small.toml")
MIB = 1 << 20


class Tools(unittest.TestCase):
    def test_nbdinfo_sees_what_the_drive_is(self) -> None:
        with ServedDrive(PROGRAM, SMALL) as drive:
            info = json.loads(run("nbdinfo", "--json", drive.uri))
            [export] = info["exports"]
            self.assertTrue(info["structured"])
            self.assertEqual(export["block_size_minimum"], 512)
            self.assertEqual(export["block_size_preferred"], 4096)
            for can in ("can_flush", "can_fua", "can_multi_conn", "can_trim", "can_zero", "can_df"):
                self.assertTrue(export[can], can)
            self.assertFalse(export["is_read_only"])
            self.assertEqual(int(run("nbdinfo", "--size", drive.uri)), export["export-size"])
            with Client(drive.socket) as client:
                self.assertEqual(client.size, export["export-size"])
            self.assertEqual(drive.end()[0], 0)

    def test_block_status_is_what_was_written(self) -> None:
        with ServedDrive(PROGRAM, SMALL) as drive:
            run(
                "qemu-io",
                "-f",
                "raw",
                "-c",
                "write -P 7 1M 64k",
                "-c",
                "write -z 2M 64k",
                "-c",
                "discard 1M 16k",
                drive.uri,
            )
            end = int(run("nbdinfo", "--size", drive.uri))
            borders = (0, MIB + 16 * 1024, MIB + 64 * 1024, 2 * MIB, 2 * MIB + 64 * 1024, end)
            kinds = (3, 0, 3, 2, 3)  # hole and zeros, data, ..., zeros
            expected = [{"offset": a, "length": b - a, "type": kind} for a, b, kind in zip(borders, borders[1:], kinds)]
            found = [
                {key: extent[key] for key in ("offset", "length", "type")}
                for extent in json.loads(run("nbdinfo", "--map", "--json", drive.uri))
            ]
            self.assertEqual(found, expected)
            self.assertEqual(drive.end()[0], 0)

    def test_bytes_come_back(self) -> None:
        with ServedDrive(PROGRAM, SMALL) as drive:
            sent, back = drive.folder / "sent", drive.folder / "back"
            data = random.Random(1).randbytes(12 * MIB)
            sent.write_bytes(data)
            run("nbdcopy", str(sent), drive.uri)
            run("nbdcopy", drive.uri, str(back))
            self.assertEqual(back.read_bytes()[: len(data)], data)
            self.assertEqual(back.read_bytes()[len(data) :].strip(b"\0"), b"")
            # QEMU's own client: structured replies, holes.
            run("qemu-img", "convert", "-f", "raw", "-O", "raw", drive.uri, str(drive.folder / "third"))
            self.assertEqual((drive.folder / "third").read_bytes(), back.read_bytes())
            run(
                *("qemu-io", "-f", "raw"),
                *("-c", "write -P 0x5a 1M 64k", "-c", "read -P 0x5a 1M 64k"),
                *("-c", "write -z -u 1M 32k", "-c", "read -P 0 1M 32k", "-c", "read -P 0x5a 1056k 32k"),
                *("-c", "write -z 1058k 5k", "-c", "read -P 0 1058k 5k", "-c", "read -P 0x5a 1063k 1k"),
                *("-c", "discard 1M 64k", "-c", "read -P 0 1M 64k", "-c", "write -f -P 7 512 512", "-c", "flush"),
                drive.uri,
            )
            code, out, err = drive.end()
            self.assertEqual(code, 0, err)
            self.assertIn(" 0 mismatches", out)
            self.assertIn("0 of them with an error", out)

    def test_fio_verifies(self) -> None:
        with ServedDrive(PROGRAM, SMALL) as drive:
            job = ["--ioengine=nbd", f"--uri={drive.uri}", "--rw=randwrite", "--bs=4k,4k,4k", "--size=24m"]
            verify = ["--verify=crc32c", "--do_verify=1", "--verify_fatal=1", "--verify_state_save=0"]
            out = run("fio", "--name=v", *job, "--iodepth=32", *verify, "--output-format=json")
            [result] = json.loads(out[out.index("{") :])["jobs"]
            self.assertEqual(result["error"], 0)
            self.assertEqual(result["read"]["total_ios"], 24 * MIB // 4096)
            code, out, err = drive.end()
            self.assertEqual(code, 0, err)
            numbers = drive.result()
            self.assertEqual(numbers["check"]["mismatches"], 0)

    def test_ten_clients(self) -> None:
        with ServedDrive(PROGRAM, SMALL, "--set", "host.cores=3") as drive:
            job = ["--ioengine=nbd", f"--uri={drive.uri}", "--rw=randwrite", "--bsrange=512-16k", "--size=2m"]
            spread = ["--numjobs=10", "--offset_increment=4m", "--iodepth=8", "--group_reporting"]
            verify = ["--verify=crc32c", "--do_verify=1", "--verify_fatal=1", "--verify_state_save=0"]
            out = run("fio", "--name=ten", *job, *spread, *verify, "--bs_unaligned=0", "--output-format=json")
            self.assertEqual([each["error"] for each in json.loads(out[out.index("{") :])["jobs"]], [0])
            code, out, err = drive.end()
            self.assertEqual(code, 0, err)
            self.assertIn(" 0 mismatches", out)


class Answers(unittest.TestCase):
    def test_what_the_device_has_not_is_refused(self) -> None:
        with ServedDrive(PROGRAM, SMALL, "--set", "nvme.lba_size=4KiB") as drive, Client(drive.socket) as client:
            self.assertEqual(client.do(WRITE, client.size, data=bytes(4096)), ENOSPC)
            self.assertEqual(client.do(ZEROES, client.size - 4096, 8192), ENOSPC)
            self.assertEqual(client.do(READ, client.size, 4096), EINVAL)
            self.assertEqual(client.do(TRIM, client.size, 4096), EINVAL)
            self.assertEqual(client.do(READ, 512, 4096), EINVAL)
            self.assertEqual(client.do(WRITE, 0, data=bytes(512)), EINVAL)
            self.assertEqual(client.do(5, 0, 4096), EINVAL)
            self.assertEqual(client.do(WRITE, 0, data=b"x" * 4096, flags=FUA), 0)
            self.assertEqual(client.do(ZEROES, 0, 4096, flags=FUA), 0)
            self.assertEqual(client.read(0, 4096), bytes(4096))
            self.assertEqual(client.do(FLUSH), 0)

    def test_a_read_that_fails_is_an_error_of_its_client_alone(self) -> None:
        worn = ["--set", "precondition.fill=sequential"]
        for key in ("nand.aging.pe_cycles=5000", "nand.aging.retention_days=3650"):
            worn += ["--set", key]
        with (
            ServedDrive(PROGRAM, SMALL, *worn, "--set", "host.on_error=count") as drive,
            Client(drive.socket) as client,
        ):
            errors = 0
            for block in range(64):
                try:
                    client.read(block * 65536, 4096)
                except OSError as error:
                    self.assertEqual(error.errno, 5)
                    errors += 1
            self.assertGreater(errors, 0)
            self.assertEqual(client.do(WRITE, 0, data=b"y" * 4096), 0)
            self.assertEqual(client.read(0, 4096), b"y" * 4096)
            code, out, _ = drive.end()
            self.assertEqual(code, 0)
            self.assertIn(f"{errors} of them with an error", out)

    def test_ends_with_its_last_client_and_answers_all(self) -> None:
        with ServedDrive(PROGRAM, SMALL, "--once") as drive:
            with Client(drive.socket) as client:
                cookies = {client.send(WRITE, i * 4096, data=b"z" * 4096) for i in range(200)}
                client.socket.shutdown(1)  # says nothing more
                answered = {client.answer()[1] for _ in cookies}
                self.assertEqual(answered, cookies)
            code, _, err = drive.wait()
            self.assertEqual(code, 0, err)
            self.assertEqual(drive.result()["ios"]["write"]["count"], 200)
            self.assertFalse(drive.socket.exists())


class Programs(unittest.TestCase):
    def serve(self, command: str, *options: str) -> subprocess.CompletedProcess:
        words = [PROGRAM, "serve", SMALL, "--quiet", "--run", command, *options]
        return subprocess.run(words, capture_output=True, text=True, timeout=GUARD_SECONDS, check=False)

    def test_the_server_ends_with_the_program(self) -> None:
        done = self.serve('nbdinfo --size "$uri" && exit 3')
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertGreater(int(done.stdout), 100 * MIB)
        self.assertEqual(self.serve("kill -9 $$").returncode, 128 + 9)
        self.assertEqual(self.serve("true").returncode, 0)

    def test_the_program_ends_with_the_server(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            pid = Path(name) / "pid"
            command = [
                PROGRAM,
                "serve",
                SMALL,
                "--quiet",
                "--run",
                f"echo $$ >{pid}.new; mv {pid}.new {pid}; exec sleep 1000",
            ]
            server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            wait_for(pid.exists)
            server.terminate()
            self.assertEqual(server.wait(timeout=GUARD_SECONDS), 0)
            self.assertFalse(Path("/proc", pid.read_text().strip()).exists())


class Refusals(unittest.TestCase):
    def refused(self, *options: str, code: int = 2) -> str:
        with tempfile.TemporaryDirectory() as folder:
            command = [PROGRAM, "serve", SMALL, *(o.replace("FOLDER", folder) for o in options)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=GUARD_SECONDS, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            return done.stderr

    def test_what_cannot_be_served(self) -> None:
        self.assertIn("expected --nbd SOCKET", self.refused())
        self.assertIn("dilated:N", self.refused("--nbd", "FOLDER/s", "--time", "dilated:0"))
        self.assertIn(
            "cpu.model=native", self.refused("--nbd", "FOLDER/s", "--set", "cpu.model=iss", "--set", "cpu.quantum=0ns")
        )
        flash = ["--set", "ftl.recovery=scan", "--set", "ftl.power_safe=false", "--set", "precondition.flash=x"]
        self.assertIn("precondition.flash is for a run", self.refused("--nbd", "FOLDER/s", *flash))
        self.assertIn("cannot be read: give", self.refused("--replay", "FOLDER/none", code=1))
        self.assertIn("cannot be written: give", self.refused("--nbd", "FOLDER/s", "--capture", "FOLDER/no/c", code=1))
        self.assertIn("where you may write", self.refused("--nbd", "FOLDER/s", "--image", "FOLDER/no/i", code=1))
        self.assertIn("run.until", self.refused("--nbd", "FOLDER/s", "--set", "run.until=1%"))
        self.assertIn("host.on_error=count", self.refused("--nbd", "FOLDER/s", "--set", "host.on_error=stop"))
        self.assertIn("1 to 107 bytes", self.refused("--nbd", "FOLDER/" + "s" * 200, code=1))
        self.assertIn("No such file", self.refused("--nbd", "FOLDER/none/s", code=1))

    def test_a_socket_is_taken_over_only_from_the_dead(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "file").write_text("mine")
            self.assertIn("no socket", self.refused("--nbd", str(folder / "file"), code=1))
            self.assertEqual((folder / "file").read_text(), "mine")
            with ServedDrive(PROGRAM, SMALL, folder=folder) as first:
                self.assertIn("another server", self.refused("--nbd", str(first.socket), code=1))
                first.kill()
                self.assertTrue(first.socket.exists())
            with ServedDrive(PROGRAM, SMALL, folder=folder) as second, Client(second.socket) as client:
                self.assertGreater(client.size, 0)


class Time(unittest.TestCase):
    def test_no_answer_comes_early(self) -> None:
        """The clock of a client against the drive's own record of the same reads."""
        for mode, factor in (("wall", 1), ("dilated:20", 20)):
            with ServedDrive(PROGRAM, SMALL, "--set", "precondition.fill=sequential", "--time", mode) as drive:
                times: list[float] = []
                with Client(drive.socket) as client:
                    for i in range(100):
                        begin = time.perf_counter()
                        client.read(i * 65536, 4096)
                        times.append(time.perf_counter() - begin)
                code, out, err = drive.end()
                self.assertEqual(code, 0, err)
                measured = drive.result()["ios"]["read"]["lat_ps"]
                self.assertGreater(min(times), factor * measured["min"] * 0.999e-12)
                self.assertGreater(sum(times) / len(times), factor * measured["mean"] * 0.999e-12)
                self.assertIn(f"Time: {mode.split(':')[0]}", out)
                self.assertIn("Answers left late", out)

    def test_requests_beside_each_other_do_not_wait_for_each_other(self) -> None:
        """Eight reads of eight dies' worth of pages at once take far less than eight reads in a row."""
        with ServedDrive(PROGRAM, SMALL, "--set", "precondition.fill=sequential", "--time", "dilated:200") as drive:
            with Client(drive.socket) as client:
                for i in range(160):
                    client.send(READ, i * 65536, 4096)
                for _ in range(160):
                    self.assertEqual(client.answer()[0], 0)
                    client.receive(4096)
            code, _, err = drive.end()
            self.assertEqual(code, 0, err)
            latency = drive.result()["ios"]["read"]["lat_ps"]
            # They arrive within a moment of the dilated time, so they queue on the dies: more than one is in flight.
            self.assertGreater(latency["max"], 3 * latency["min"])


if __name__ == "__main__":
    unittest.main()
