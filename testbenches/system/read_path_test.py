# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""channels.read_ahead and channels.page_engine in whole drives: what they gain and cost.

usage: read_path_test.py PROGRAM ROOT
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, ROOT = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))


class ReadPath(unittest.TestCase):
    def run_it(self, rw: str, bs: str, depth: int, requests: int, *sets: str) -> dict:
        """The result of a small drive that is full."""
        with tempfile.TemporaryDirectory() as folder:
            job = Path(folder) / "job.fio"
            job.write_text(f"[job]\nioengine=libaio\nrw={rw}\nbs={bs}\niodepth={depth}\nnumber_ios={requests}\n")
            words = [PROGRAM, "run", ROOT / "configs/ssds/small.toml", "--workload", job, "--quiet", "--out", folder]
            for value in ("cpu.model=native", "precondition.fill=sequential", *sets):
                words += ["--set", value]
            done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return json.loads((Path(folder) / "result.json").read_text())

    def mean(self, *words: object) -> float:
        return self.run_it(*words)["ios"]["read"]["lat_ps"]["mean"] * 1e-6

    def test_reads_in_order_find_their_pages(self) -> None:
        alone = self.mean("read", "4k", 1, 300)
        ahead = self.mean("read", "4k", 1, 300, "channels.read_ahead=256KiB")
        self.assertGreater(alone, 40)
        self.assertLess(ahead, alone / 3)

    def test_the_page_engine_bounds_what_is_read(self) -> None:
        # 20 us a sector: 4 KiB 50,000 a second, 16 KiB 12,500.
        for bs, bound in (("4k", 50000), ("16k", 12500)):
            result = self.run_it("randread", bs, 32, 1500, "channels.page_engine=20us")
            rate = result["ios"]["read"]["iops"]
            self.assertGreater(rate, 0.9 * bound)
            self.assertLess(rate, 1.02 * bound)
            self.assertAlmostEqual(result["utilisation"]["page_engine"], rate / bound, delta=0.02)
            self.assertEqual(result["bottleneck"]["resource"], "page_engine")
            self.assertRegex(result["bottleneck"]["sentence"], "^Limit: the page engine is busy [0-9]+ % of the time")


if __name__ == "__main__":
    unittest.main()
