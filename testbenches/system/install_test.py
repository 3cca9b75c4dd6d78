# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` leaves, moved to another folder: the program runs from anywhere, and a SystemC program of
somebody else is built against the library and gives the program's numbers.

usage: install_test.py CMAKE BUILD ROOT
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE, BUILD, ROOT = sys.argv.pop(1), Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
JOB = "[reads]\nrw=read\nbs=4k\niodepth=8\nnumber_ios=1000\n"  # as testbenches/consumer/main.cpp asks for


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        folder = Path(scratch.name)
        first, cls.prefix = folder / "first", folder / "a moved prefix"
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", first], check=True, stdout=subprocess.DEVNULL)
        first.rename(cls.prefix)
        cls.program = cls.prefix / "bin/wordline"
        cls.elsewhere = folder / "elsewhere"
        cls.elsewhere.mkdir()
        (cls.elsewhere / "reads.fio").write_text(JOB)

    def run_in(self, folder, *words, **environment):
        environment = {**os.environ, **environment}
        words = list(map(str, words))
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, env=environment, check=False)

    def result(self, *words, program=None):
        out = self.elsewhere / "out"
        done = self.run_in(self.elsewhere, program or self.program, "run", *words, "--quiet", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((out / "result.json").read_text())

    def test_the_program_finds_firmware_and_configurations_from_anywhere(self):
        """The drive extends files beside it; it and the job are named as in a clone."""
        words = ("configs/ssds/small.toml", "-w", "configs/workloads/demo_waves.fio", "--set", "cpu.model=iss")
        result = self.result(*words)
        self.assertEqual(result["status"], "completed")
        self.assertGreater(result["firmware_instructions"], 1000)
        self.assertEqual(result["provenance"]["command"][:2], [str(self.program), "run"])
        # By a link, as in /usr/local/bin.
        link = self.elsewhere / "linked"
        link.symlink_to(self.program)
        linked = self.result(*words, program=link)
        del result["provenance"], linked["provenance"]
        self.assertEqual(result, linked)
        # A file from here comes before an installed one.
        (self.elsewhere / "configs/ssds").mkdir(parents=True)
        (self.elsewhere / "configs/ssds/small.toml").write_text("[channels]\ncuont = 1\n")
        done = self.run_in(self.elsewhere, self.program, "check", "configs/ssds/small.toml")
        shutil.rmtree(self.elsewhere / "configs")
        self.assertEqual(done.returncode, 2)
        self.assertIn("channels.count", done.stderr)
        done = self.run_in(self.elsewhere, self.program, "check", "configs/ssds/smalll.toml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("configs/ssds/smalll.toml", done.stderr)

    def test_no_image_is_an_error_that_says_where_it_was_looked_for(self):
        program = self.elsewhere / "alone/bin/wordline"
        program.parent.mkdir(parents=True)
        shutil.copy(self.program, program)
        drive = self.prefix / "share/wordline/configs/ssds/small.toml"
        words = (program, "run", drive, "-w", "reads.fio", "--quiet")
        done = self.run_in(self.elsewhere, *words, "--set", "cpu.model=iss")
        self.assertEqual(done.returncode, 1)
        for part in ("no firmware image", str(program.parent), "alone/share/wordline/firmware", "--firmware FILE"):
            self.assertIn(part, done.stderr)
        image = self.prefix / "share/wordline/firmware/firmware.elf"
        done = self.run_in(self.elsewhere, *words, "--set", "cpu.model=iss", "--firmware", image)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("explore", self.run_in(self.elsewhere, program, "--help").stdout)

    def test_studies_run_with_a_python_that_has_their_packages(self):
        drive = self.prefix / "share/wordline/configs/ssds/small.toml"
        words = (self.program, "explore", drive, "--grid", "channels.count=1,2", "-w", "reads.fio")
        words += ("--set", "cpu.model=native", "--out", "explored")
        done = self.run_in(self.elsewhere, *words, WORDLINE_PYTHON=sys.executable)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list((self.elsewhere / "explored/points").iterdir())), 2)
        for folder in ("explored", f"explored/points/{next((self.elsewhere / 'explored/points').iterdir()).name}"):
            done = self.run_in(self.elsewhere, self.program, "report", folder, WORDLINE_PYTHON=sys.executable)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("</html>", (self.elsewhere / folder / "report.html").read_text())
        runs = sorted((self.elsewhere / "explored/points").iterdir())
        done = self.run_in(self.elsewhere, self.program, "diff", *runs, WORDLINE_PYTHON=sys.executable)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("channels.count", done.stdout)
        done = self.run_in(self.elsewhere, *words, WORDLINE_PYTHON="/nowhere/python3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot start /nowhere/python3", done.stderr)
        bare = self.elsewhere / "bare"
        bare.write_text(f'#!/bin/sh\nexec {sys._base_executable} -S "$@"\n')
        bare.chmod(0o755)
        done = self.run_in(self.elsewhere, *words, WORDLINE_PYTHON=str(bare))
        self.assertEqual(done.returncode, 0, "explore needs no package")
        done = self.run_in(self.elsewhere, self.program, "report", "explored", WORDLINE_PYTHON=str(bare))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"install the packages of {self.prefix}/share/wordline/scripts/requirements.txt", done.stderr)

    def test_a_program_of_somebody_else_gives_the_same_numbers(self):
        build = self.elsewhere / "consumer"
        source = ROOT / "testbenches/consumer"
        configure = (CMAKE, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=")
        for step in (configure, (CMAKE, "--build", build)):
            done = self.run_in(self.elsewhere, *step)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for cpu in ("iss", "native"):
            drive = self.prefix / "share/wordline/configs/ssds/small.toml"
            done = self.run_in(self.elsewhere, build / "consumer", drive, f"cpu.model={cpu}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"first request at \d+ ps\n")
            printed = re.search(r"(\d+) reads, mean latency (\d+) ps\n", done.stdout)
            result = self.result(drive, "-w", "reads.fio", "--set", f"cpu.model={cpu}")
            read = result["ios"]["read"]
            self.assertEqual((int(printed[1]), int(printed[2])), (read["count"], read["lat_ps"]["mean"]))
            self.assertEqual(read["count"], 1000)
        done = self.run_in(self.elsewhere, build / "consumer", drive, "channels.cuont=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean channels.count?", done.stderr)
        for word in ("waves", "timeline"):
            done = self.run_in(self.elsewhere, build / "consumer", drive, f"observe.{word}=true")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"observe.{word} = true: error: needs a folder; name it in DriveOptions::out", done.stderr)
        trigger = ("observe.waves=true", "observe.trigger=latency > 1ms")
        done = self.run_in(self.elsewhere, build / "consumer", drive, *trigger)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("observe.trigger: error: finds its windows in a run before", done.stderr)
        self.assert_recorded(build / "consumer", drive)

    def assert_recorded(self, program: Path, drive: Path):
        """A program of somebody else's records the waveform and the timeline of its drive, and prints the same."""
        out = self.elsewhere / f"{program.name}_waves"
        out.mkdir()
        plain = self.run_in(self.elsewhere, program, drive, "cpu.model=native")
        both = ("observe.waves=true", "observe.timeline=true")
        done = self.run_in(self.elsewhere, program, drive, "cpu.model=native", f"out={out}", *both)
        self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), done.stderr)
        vcd = subprocess.run(["fst2vcd", out / "waves.fst"], capture_output=True, text=True, check=True).stdout
        self.assertGreater(vcd.count("\n#"), 1000, "instants at which something changes")
        self.assertTrue("microop" in vcd, "the dies are there")
        self.assertGreater(len(json.loads((out / "timeline.json").read_text())["traceEvents"]), 1000)

    def assert_memory_takes_its_time(self, program: Path, drive: Path):
        """A memory that waits 300 ns and one that annotates them: the same latencies, with one command at a time."""
        printed, p50 = {}, {}
        for memory in ("waits:300", "annotates:300", "annotates:600"):
            words = ("cpu.model=native", "depth=1", f"memory={memory}")
            done = self.run_in(self.elsewhere, program, drive, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            printed[memory] = done.stdout.replace("Info: /OSCI/SystemC: Simulation stopped by user.", "")
            p50[memory] = {
                op: float(re.search(rf"1000 {op}s: p50 ([0-9.]+) us", done.stdout)[1]) for op in ("write", "read")
            }
        self.assertEqual(printed["waits:300"], printed["annotates:300"])
        # A write waits for its entry, its data and its completion entry; a read for its entry, its data and its
        # completion entry.
        # Both so long that the core sleeps meanwhile.
        longer = {op: p50["annotates:600"][op] - p50["waits:300"][op] for op in ("write", "read")}
        self.assertAlmostEqual(longer["write"], 0.900, delta=0.002)
        self.assertAlmostEqual(longer["read"], 0.900, delta=0.002)
        done = self.run_in(self.elsewhere, program, drive, "memory=sleeps:300")
        self.assertEqual(done.returncode, 2)
        self.assertIn("memory=sleeps:300: expected waits:NS or annotates:NS", done.stderr)

    def built(self, name: str) -> Path:
        """An example with a project of its own, built against the installation."""
        build = self.elsewhere / name
        configure = (CMAKE, "-S", ROOT / "examples" / name, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        for step in (configure, (CMAKE, "--build", build)):
            done = self.run_in(self.elsewhere, *step)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return build / name

    def test_two_drives_share_the_port_of_a_switch(self):
        program = self.built("switch")
        configs = self.prefix / "share/wordline/configs/ssds"
        for weights in (("1", "1"), ("1", "3"), ("2", "1")):
            done = self.run_in(self.elsewhere, program, configs / "small.toml", configs / "default.toml", *weights)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"apart by [01]\.\d\d % at most")

    def test_drives_of_one_program_do_not_meet(self):
        program = self.built("two_drives")
        for cpu in ("native", "iss"):
            files = {}
            for threads in (1, 4):
                folder = self.elsewhere / f"together_{cpu}_{threads}"
                folder.mkdir()
                done = self.run_in(self.elsewhere, program, folder, threads, "4", f"cpu.model={cpu}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.count("completed"), 4)
                files[threads] = [json.loads((folder / f"drive{i}.json").read_text()) for i in range(4)]
            self.assertEqual(files[1], files[4])
            self.assertNotEqual(files[1][0]["ios"], files[1][1]["ios"], "two configurations")
            self.assertEqual(files[1][0]["ios"], files[1][2]["ios"], "and the first once more")
        folder = self.elsewhere / "together_refused"
        folder.mkdir()
        done = self.run_in(self.elsewhere, program, folder, 2, 2, "cpu.model=iss", "cpu.quantum=0ns")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cpu.quantum = 0: error: such a core is a thread of the SystemC kernel", done.stderr)

    def test_a_host_of_somebody_elses_reaches_the_drive_by_sockets(self):
        build = self.elsewhere / "own_host"
        configure = (CMAKE, "-S", ROOT / "examples/own_host", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        for step in ((*configure, "-DCMAKE_BUILD_TYPE=Debug"), (CMAKE, "--build", build)):
            done = self.run_in(self.elsewhere, *step)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        p50 = {}
        for sets in (("cpu.model=iss",), ("cpu.model=native",), ("cpu.model=native", "link.latency=20us")):
            drive = self.prefix / "share/wordline/configs/ssds/small.toml"
            done = self.run_in(self.elsewhere, build / "own_host", drive, *sets)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Wordline SSD model is ready at ", done.stdout)
            self.assertRegex(done.stdout, r"1000 reads: p50 [0-9.]+ us, p99 [0-9.]+ us\n")
            p50[sets] = float(re.search(r"1000 writes: p50 ([0-9.]+) us", done.stdout)[1])
            # 2,000 doorbells for submissions and as many for completions, and those of the bring-up.
            accesses, moved = re.search(r"(\d+) accesses .* (\d+) bytes", done.stdout).groups()
            self.assertGreaterEqual(int(accesses), 4000 + 6 + 6)
            self.assertGreaterEqual(int(moved), 2000 * (4096 + 64 + 16) + 4096)
        # Doorbell, entry there and back, data there and back, completion: six times; the drive waits for nothing else.
        longer = p50[("cpu.model=native", "link.latency=20us")] - p50[("cpu.model=native",)]
        self.assertGreater(longer, 5 * 19)
        self.assertLess(longer, 6.5 * 20)
        # A reset with reads in flight: the reads behind it find what was written.
        for kind in ("function", "subsystem"):
            reset = self.run_in(self.elsewhere, build / "own_host", drive, "cpu.model=native", f"reset={kind}")
            self.assertEqual(reset.returncode, 0, reset.stderr)
            self.assertEqual(reset.stdout.count("is ready at"), 2)
            self.assertIn("1000 reads: p50", reset.stdout)
        # The host's ticks do not change the drive's times, or are refused.
        native = self.run_in(self.elsewhere, build / "own_host", drive, "cpu.model=native")
        finer = self.run_in(self.elsewhere, build / "own_host", drive, "resolution=1fs", "cpu.model=native")
        self.assertEqual((finer.returncode, finer.stdout), (0, native.stdout))
        for word, ticks in (("10ps", "10 ps"), ("1ns", "1 ns")):
            coarser = self.run_in(self.elsewhere, build / "own_host", drive, f"resolution={word}")
            self.assertEqual(coarser.returncode, 2)
            self.assertIn(f"the time resolution of this simulation is {ticks}, expected 1 ps", coarser.stderr)
        self.assert_recorded(build / "own_host", drive)
        self.assert_memory_takes_its_time(build / "own_host", drive)
        done = self.run_in(self.elsewhere, build / "own_host", drive, "host.model=direct")
        self.assertEqual(done.returncode, 2)
        self.assertIn("host.model: error: a drive with a host of your own has an NVMe controller", done.stderr)


if __name__ == "__main__":
    unittest.main()
