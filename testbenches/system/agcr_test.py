# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What Li et al. (FAST 2016) say of read and write costs, on short runs of one chip of their drive.

Identifiers in the comments are those of the statements (docs/agcr.md).

usage: agcr_test.py PROGRAM ROOT
"""

import io
import sys
import unittest
from pathlib import Path

PROGRAM, ROOT = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))

import tempfile  # noqa: E402

from wordline.studies.framework.jobs import fio  # noqa: E402
from wordline.studies.framework.points import Point, Program, Workload  # noqa: E402
from wordline.studies.framework.runner import Progress, Runner  # noqa: E402

# One chip, firmware that takes no time.
SETS = {"channels.count": 1, "channels.packages": 1, "cpu.model": "native", "cpu.clock": "1000GHz",
        "precondition.fill": "none"}  # fmt: skip
UNIT = 4  # logical pages of a program: 4 planes
ASSUMED = {"ftl.agcr.read_levels": "assumed"}
STEPS = ("coarse", "default", "fine")


def quiet(total, known, jobs):
    return Progress(total, known, jobs, io.StringIO())


def trace(*requests):
    """(seconds after the one before, Read or Write, first logical page, logical pages)."""
    lines, at = [], 128166372003061629
    for after, op, page, pages in requests:
        at += round(after * 1e7)
        lines.append(f"{at},host,0,{op},{page * 4096},{pages * 4096},0")
    return Workload("accesses", text="\n".join(lines) + "\n", suffix=".csv")


def every(op, count, after=0.005, pages=UNIT):
    return [(after, op, i * pages, pages) for i in range(count)]


def latency(result, op):
    """Mean, in microseconds."""
    return result["ios"][op]["lat_ps"]["mean"] / 1e6


class Agcr(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.program = Program(PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_all(self, *drives):
        """Results of (workload, keys)."""
        config = ROOT / "configs/ssds/agcr_mlc.toml"
        points = [Point.make(config, workload, {**SETS, **keys}) for workload, keys in drives]
        with Runner(self.program, Path(self.scratch.name)) as runner:
            return [outcome.result() for outcome in runner.run(points, quiet)]

    def test_a_coarser_step_is_a_shorter_program_and_more_bit_errors(self):
        # agcr.cost.write_step, agcr.cost.ispp, agcr.cost.low_write, agcr.cost.high_write: pages of both kinds in turn.
        work = trace(*every("Write", 64), *every("Read", 64))
        found = dict(zip(STEPS, self.run_all(*((work, {"ftl.agcr.classes": step}) for step in STEPS))))
        for step, result in found.items():
            self.assertEqual(result["steps"]["programmed"], {step: 64 * UNIT})
            self.assertEqual(result["steps"]["read"], {step: 64 * UNIT})
        write = {step: latency(found[step], "write") for step in STEPS}
        self.assertAlmostEqual(write["default"] - write["coarse"], 150, delta=5)
        self.assertAlmostEqual(write["fine"] - write["default"], 175, delta=10)  # LSB pages 150, MSB pages 200
        errors = {step: found[step]["ecc"]["bit_errors_corrected"] for step in STEPS}
        self.assertGreater(errors["coarse"], 1.05 * errors["default"])
        self.assertGreater(errors["default"], 1.01 * errors["fine"])
        for step in STEPS:  # agcr.cost.ldpc: as many bit errors as these cost no sense
            self.assertEqual(found[step]["flash"]["soft_reads"], 0)
            self.assertAlmostEqual(latency(found[step], "read"), latency(found["default"], "read"), delta=3)

    def test_assumed_reads_cost_as_many_senses_and_transfers(self):
        # agcr.cost.read_parts, agcr.cost.fixed_by_write: 1, 2, 5 senses, each with a transfer.
        work = trace(*every("Write", 32), *every("Read", 32, pages=1))
        found = self.run_all(*((work, {"ftl.agcr.classes": step, **ASSUMED}) for step in ("fine", "default", "coarse")))
        fine, default, coarse = (latency(result, "read") for result in found)
        one = found[0]["flash"]["reads"]
        self.assertEqual([result["flash"]["reads"] for result in found], [one, 2 * one, 5 * one])
        self.assertGreater(fine, 60 + 4096 / 400)  # tR, and the bus of 400 MT/s
        self.assertLess(fine, 90)
        self.assertAlmostEqual((coarse - default) / (default - fine), 3, delta=0.6)

    def test_the_ideal_case_is_the_bound(self):
        # agcr.ideal: all coarse, and all reads with one sense.
        work = trace(*every("Write", 32), *every("Read", 32))
        ideal, *others = self.run_all(
            (work, {"ftl.agcr.classes": "coarse", **ASSUMED, "ftl.agcr.coarse_senses": 1}),
            *((work, {"ftl.agcr.classes": step, **ASSUMED}) for step in STEPS))  # fmt: skip
        for result in others:
            self.assertLessEqual(latency(ideal, "read"), 1.01 * latency(result, "read"))
            self.assertLessEqual(latency(ideal, "write"), 1.001 * latency(result, "write"))

    def test_what_is_read_again_and_again_is_written_finely_in_idle_time(self):
        # agcr.rewrite.rule, agcr.rewrite.idle: before the pause the data are read as coarse, behind it as fine.
        reads = every("Read", 16, after=0.001)
        work = trace(*every("Write", 16, after=0.001), *reads, *reads, (0.5, "Read", 0, UNIT), *reads)
        keys = {**ASSUMED, "ftl.idle_after": "10ms"}
        none, coarse = self.run_all((work, {**ASSUMED}), (work, {**keys, "ftl.agcr.rewrite": "coarse"}))
        self.assertEqual(none["gc"]["idle_sectors"], 0)
        self.assertEqual(coarse["gc"]["idle_sectors"], 16 * UNIT)
        self.assertEqual(coarse["steps"]["programmed"], {"coarse": 16 * UNIT, "fine": 16 * UNIT})
        self.assertEqual(coarse["steps"]["read"], {"coarse": 32 * UNIT, "fine": 17 * UNIT})
        self.assertEqual(coarse["flash"]["waf_parts"]["padding"], 0)
        self.assertEqual(latency(none, "write"), latency(coarse, "write"))
        self.assertLess(latency(coarse, "read"), 0.85 * latency(none, "read"))

    def test_li_programs_finely_when_the_chip_is_idle(self):
        # agcr.li.rule: one request at a time finds the chip idle, many do not.
        keys = {"ftl.policy": "agcr_li"}
        deep = fio("deep", rw="randwrite", bs="16k", iodepth=16, size="4m", number_ios=200)
        alone, queued, longer = self.run_all(
            (fio("alone", rw="randwrite", bs="16k", iodepth=1, size="4m", number_ios=200), keys),
            (deep, keys), (deep, {**keys, "ftl.agcr.queue": 64}))  # fmt: skip
        self.assertEqual(list(alone["steps"]["programmed"]), ["fine"])
        self.assertGreater(queued["steps"]["programmed"]["coarse"], 20 * queued["steps"]["programmed"]["fine"])
        self.assertEqual(list(longer["steps"]["programmed"]), ["fine"])


if __name__ == "__main__":
    unittest.main()
