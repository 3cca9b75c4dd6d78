# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What Bang et al. (JSTS 13(4), 2013) say of page size, block size and requests, on short runs of their drive: one die
of planar MLC, an entry of the map for each page, a write that ends with its program, one request at a time.

Identifiers in the comments are those of the statements (configs/studies/params.toml has those with figures).

usage: design_parameters_test.py PROGRAM ROOT
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
from wordline.studies.papers.params import geometry, spare  # noqa: E402
from wordline.studies.framework.points import Point, Program, Workload  # noqa: E402
from wordline.studies.framework.runner import Progress, Runner  # noqa: E402

SETS = {"ftl.map": "page", "ftl.write_back": False, "ftl.gc_start_superblocks": 2, "cpu.model": "native",
        "cpu.clock": "1000GHz", "channels.mode": "sdr-0", "channels.t_rc": "60ns", "channels.t_wc": "60ns"}  # fmt: skip
FULL = {"precondition.fill": "sequential"}
T_R, T_BYTE = 60.0, 0.06  # us


def quiet(total, known, jobs):
    return Progress(total, known, jobs, io.StringIO())


def writes(*requests, gap_ms=10):
    """A trace of writes with gaps between them: (first block of 512 bytes, blocks)."""
    lines = [f"{128166372003061629 + 10_000 * gap_ms * i},host,0,Write,{lba * 512},{blocks * 512},0"
             for i, (lba, blocks) in enumerate(requests)]  # fmt: skip
    return Workload("writes", text="\n".join(lines) + "\n", suffix=".csv")


class DesignParameters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.program = Program(PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_all(self, *drives):
        """Results of (workload, keys)."""
        config = ROOT / "configs/ssds/mlc_4gib.toml"
        points = [Point.make(config, workload, {**SETS, **keys}) for workload, keys in drives]
        with Runner(self.program, Path(self.scratch.name)) as runner:
            return [outcome.result() for outcome in runner.run(points, quiet)]

    @staticmethod
    def small(page, block):
        """256 MiB with pages of so many KiB, so many pages a block."""
        keys = geometry(1, page, block)
        return {**keys, "nand.blocks_per_plane": keys["nand.blocks_per_plane"] // 4, **spare(0.85)}

    def test_false_capacity(self):
        # Figure 3, twice as large: writes of 4 KiB at LSA 0, 8 and 32, pages of 4 and of 16 KiB, capacity 48 KiB.
        trace = writes((0, 8), (8, 8), (32, 8))
        small, large = self.run_all((trace, geometry(4, 4, 512)), (trace, geometry(4, 16, 512)))
        self.assertEqual(small["pages"]["host_programs"], 3)
        # params.fig3.case1.free, params.fig3.case1.invalid: 48 - 12 KiB free
        self.assertEqual(small["pages"]["unusable_sectors"], 0)
        pages = large["pages"]
        self.assertEqual(pages["host_programs"] * 16, 48)  # params.fig3.case2.programmed, params.fig3.case2.free
        self.assertEqual(pages["modify_reads"], 1)  # params.fig3.case2.rnm
        used = 3 * 4  # params.fig3.case2.used: 6 KB
        stale = 16  # params.fig3.case2.invalid: one page
        self.assertEqual(pages["unusable_sectors"] * 4 - stale, 48 - stale - used)  # params.fig3.case2.false: 10 KB
        self.assertEqual(pages["unusable_sectors"] * 4 - stale, 2 * 10)
        # params.fig3.case2.gc: the small pages have used a quarter of what the large ones have.
        self.assertLess(small["flash"]["sectors_programmed"], large["flash"]["sectors_programmed"])

    def test_read_and_modify(self):
        drive = {**geometry(4, 16, 512), **FULL}
        requests = ((320, 32), (320, 8), (336, 32), (336, 320))
        aligned, short, stretched, long = self.run_all(*((writes(request), drive) for request in requests))
        self.assertEqual(aligned["pages"]["modify_reads"], 0)  # params.rnm.aligned, params.fig5.cause_rnm
        self.assertEqual(short["pages"]["modify_reads"], 1)  # params.rnm.split: shorter than a page
        self.assertEqual(stretched["pages"]["modify_reads"], 2)  # ... and over two pages
        self.assertEqual(stretched["pages"]["modify_ratio"], 1.0)  # params.eq16.rrnm: pages read and modified / written
        self.assertEqual(long["pages"]["host_programs"], 11)
        self.assertEqual(long["pages"]["modify_reads"], 2)  # params.stats.rnm_ends: the first page and the last
        # params.rnm.cost: t_R, and what is kept goes over the bus, 4,648 bytes by 4 KiB.
        longer = (short["ios"]["write"]["lat_ps"]["mean"] - aligned["ios"]["write"]["lat_ps"]["mean"]) / 1e6
        kept = 3 * 4648 * T_BYTE
        self.assertAlmostEqual(longer, T_R + kept, delta=0.05 * (T_R + kept))

    def test_pages_and_requests(self):
        large = fio("large", rw="randwrite", bs="256k", norandommap=True, iodepth=1, number_ios=64)
        small = fio("small", rw="randwrite", bs="4k", norandommap=True, iodepth=1, number_ios=1000)
        runs = self.run_all(*((job, {**geometry(4, page, 512), **FULL}) for job in (large, small) for page in (4, 32)))
        programs = [run["pages"]["host_programs"] for run in runs]
        rates = [run["ios"]["write"]["bytes_per_s"] for run in runs]
        self.assertEqual(programs[0], 8 * programs[1])  # params.table4.page.large, params.page.too_small
        self.assertLess(rates[0], rates[1])  # params.fig5.large_req, params.table4.length.large
        self.assertGreater(rates[2], rates[3])  # params.table4.length.small, params.table4.rrnm.large
        # params.summary.page_vs_length: of pages that requests fill the larger ones, of parts of pages the smaller ones.
        self.assertEqual(runs[2]["pages"]["modify_ratio"], 0)  # params.table4.page.small
        self.assertEqual(runs[3]["pages"]["modify_ratio"], 1)
        # params.table4.rrnm.small: none, so the larger page is better.
        self.assertEqual(runs[0]["pages"]["modify_ratio"], 0)

    def test_the_mode_or_the_mean(self):
        # Requests of 4 KiB, the mode, and of 28 KiB: 50 % and 90 % of the mode, means of 16 and of 6.4 KiB.
        def mixed(most):
            return writes(*((8 * 64 * i, 8 if i % 10 < most else 56) for i in range(200)), gap_ms=20)

        pages = (4, 16, 64)
        drives = [{**geometry(4, page, 512), **FULL} for page in pages]
        runs = self.run_all(*((trace, drive) for trace in (mixed(5), mixed(9)) for drive in drives))
        times = [run["ios"]["write"]["lat_ps"]["mean"] for run in runs]
        low, high = (dict(zip(pages, found)) for found in (times[:3], times[3:]))
        # params.stats.mean_rule, params.fig6.camera.reason: a low mode ratio, so the mean sets the best page.
        self.assertEqual(min(low, key=low.get), 16, low)
        self.assertEqual(min(high, key=high.get), 4, high)  # params.stats.mode_rule

    def test_pages_that_are_too_large(self):
        # params.page.too_large: writes of 4 KiB, blocks of 1 MiB with pages of 4 and of 32 KiB.
        job = fio("small", rw="randwrite", bs="4k", norandommap=True, iodepth=1, number_ios=20000)
        runs = self.run_all(*((job, {**self.small(page, 1024 // page), **FULL}) for page in (4, 32)))
        fitting, large = (run["blocks"]["superblock_erases"] for run in runs)
        self.assertGreater(fitting, 0)
        self.assertGreater(large, 4 * fitting)

    def test_blocks_and_requests(self):
        # Twice the capacity, so that GC works most of the time.
        sequential = fio("sequential", rw="write", bs="256k", iodepth=1, number_ios=2048)
        random = fio("random", rw="randwrite", bs="32k", norandommap=True, iodepth=1, number_ios=16384)
        drives = [{**self.small(16, block), **FULL} for block in (32, 256)]
        # At random too, but each page once, so R_u is 0: two thirds of an empty drive.
        once = fio("once", rw="randwrite", bs="32k", iodepth=1, number_ios=4096)
        fresh = [self.small(16, block) for block in (32, 256)]
        runs = self.run_all(
            *((job, drive) for job in (sequential, random) for drive in drives), *((once, drive) for drive in fresh)
        )
        rates = [run["ios"]["write"]["bytes_per_s"] for run in runs]
        copies = [run["pages"]["moved_programs"] / run["blocks"]["superblock_erases"] for run in runs[:4]]
        self.assertEqual(copies[:2], [0, 0])
        # params.table4.block.large, params.table4.ru.large, params.gc.ru_effect, params.block.erase,
        # params.fig10.cause: victims without valid pages, so a larger block is erased less often for the same data.
        self.assertGreater(runs[0]["blocks"]["superblock_erases"], 7 * runs[1]["blocks"]["superblock_erases"])
        self.assertGreater(rates[1], rates[0])
        # params.table4.block.small, params.table4.ru.small, params.fig8.cause, params.gc.block_rule: the larger the
        # block, the more valid pages a victim holds, beyond its size.
        self.assertGreater(copies[3], 8 * copies[2])
        self.assertLess(rates[3], rates[2])
        # params.summary.block_factors: updates alone, of a sequential workload, make the block matter; randomness alone,
        # without updates, does not; which way updates make it matter is up to randomness.
        self.assertAlmostEqual(rates[5] / rates[4], 1, delta=0.001)
        self.assertGreater(rates[1] / rates[0], 1.02)
        # params.fig11.gc_link, params.perf.factors: energy goes with what is copied.
        energy = [run["energy_pj"]["total"] / run["ios"]["write"]["bytes"] for run in runs]
        self.assertLess(energy[2], energy[3])
        self.assertLess(energy[1], energy[3])


if __name__ == "__main__":
    unittest.main()
