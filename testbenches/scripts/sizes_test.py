# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""scripts/sizes: what it reads from the tools, what it keeps, and how it refuses; docs/data/rtl_sizes.csv is of
rtl/sizes.table. Yosys itself runs by hand.

usage: sizes_test.py SOURCES BUILD
"""

import csv
import importlib.machinery
import importlib.util
import math
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1])
BUILD = Path(sys.argv[2])
SCRIPT = ROOT / "scripts/sizes"
loader = importlib.machinery.SourceFileLoader("sizes", str(SCRIPT))
spec = importlib.util.spec_from_loader("sizes", loader)
sizes = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
loader.exec_module(sizes)

TABLE = {
    line.split()[0]: line.split()[1:]
    for line in (ROOT / "rtl/sizes.table").read_text().splitlines()
    if not line.startswith("#")
}


def run(*options):
    return subprocess.run([sys.executable, str(SCRIPT), *options], capture_output=True, text=True, check=False)


class Readers(unittest.TestCase):
    def test_delay_of_abc(self):
        said = 'WireLoad = "none"  Gates =   5391 ( 15.3 %)   Cap = 27.4 ff   Area = 165560.00   '
        said += "Delay =  7812.34 ps  ( 1.2 %)"
        self.assertEqual(sizes.delay_ns("ABC command line\n" + said), 7.8)
        with self.assertRaisesRegex(sizes.Failed, "tells no delay: Empty network"):
            sizes.delay_ns("Empty network.\n")

    def test_cells_of_an_fpga(self):
        of_ecp5 = {
            "LUT4": 9,
            "CCU2C": 2,
            "TRELLIS_FF": 5,
            "PFUMX": 4,
            "TRELLIS_DPR16X4": 3,
            "DP16KD": 1,
            "MULT18X18D": 1,
        }
        self.assertEqual(list(sizes.fpga_cells("ecp5", of_ecp5).values()), [9, 5, 2, 3, 1, 1])
        of_xc7 = {"LUT2": 1, "LUT6": 2, "MUXF7": 9, "FDRE": 4, "FDSE": 1, "CARRY4": 3, "RAM64M": 2, "RAM64X1D": 1}
        of_xc7 |= {"RAM32X1D": 1, "RAMB18E1": 2, "RAMB36E1": 1, "DSP48E1": 1, "BUFG": 1, "RAM32M": 1, "INV": 1}
        self.assertEqual(list(sizes.fpga_cells("xc7", of_xc7).values()), [4, 5, 3, 5, 3, 1])

    def test_smallest_nand2(self):
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "cells.lib"
            library.write_text(
                "cell (NAND2X2) { area : 40; }\ncell (NAND2X1) {\n  area : 24;\n}\ncell (INVX1) { area : 16; }\n"
            )
            self.assertEqual(sizes.nand2_area(library), 24)
            library.write_text("cell (INVX1) { area : 16; }\n")
            with self.assertRaisesRegex(sizes.Failed, "no cell NAND2"):
                sizes.nand2_area(library)


class Kept(unittest.TestCase):
    def test_what_was_not_measured_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "sizes.csv"
            row = {"block": "parse", "gates": 10, "flip-flops": 2, "bits of memory": 0, "longest path": 7, "GE": 18}
            sizes.keep_data([row | {"ns": 1.5, "ecp5 LUT": 4, "xc7 LUT": 3}], data)
            sizes.keep_data([row | {"GE": 20}, row | {"block": "a"}], data)
            with data.open(newline="", encoding="utf-8") as file:
                a, parse = csv.DictReader(file)
            self.assertEqual((a["block"], a["estimate_before_ge"], a["delay_ns"]), ("a", "", ""))
            self.assertEqual(
                (parse["ge"], parse["delay_ns"], parse["ecp5_lut4"], parse["xc7_lut"]), ("20", "1.5", "4", "3")
            )
            self.assertEqual(parse["estimate_before_ge"], "9096")

    def test_data_of_the_pages_are_those_of_the_table(self):
        with (ROOT / "docs/data/rtl_sizes.csv").open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            rows = {row["block"]: row for row in reader}
        self.assertEqual(reader.fieldnames, list(sizes.IN_DATA))
        self.assertEqual(sorted(rows), sorted(TABLE))
        for block, (gates, flip_flops, bits, depth) in TABLE.items():
            row = rows[block]
            self.assertEqual(
                (row["flip_flops"], row["memory_bits"], row["depth_gates"]), (flip_flops, bits, depth), block
            )
            self.assertEqual(int(row["ge"]), int(gates) + 4 * int(flip_flops), block)
            if row["mapped_ge"]:
                self.assertTrue(
                    0.8 < int(row["mapped_ge"]) / int(row["ge"]) < 1.5, f"{block}: mapped {row['mapped_ge']}"
                )

    def test_estimates_are_those_of_the_program(self):
        source = (ROOT / "models/engines/synthesised.h").read_text()
        found = {
            block: sum(math.prod(map(int, term.split(" * "))) for term in before.split(" + "))
            for block, before in re.findall(r'"(\w+)", (?:\d+, ){4}([0-9* +]+)\}', source)
        }
        self.assertEqual(found, sizes.ESTIMATES_BEFORE)


class Refusals(unittest.TestCase):
    def refused(self, words, *options):
        done = run("--build", str(BUILD), *options)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr, words)

    def test_what_is_not_there(self):
        self.refused("no_such_top: no such top, expected of .*parse", "--only", "no_such_top")
        self.refused("--liberty /no/such.lib: no such file", "--liberty", "/no/such.lib")
        self.refused("no cell NAND2", "--liberty", str(SCRIPT))
        done = run("--build", "/no/such/folder")
        self.assertEqual(done.returncode, 1)
        self.assertIn("lists no sources; build first", done.stderr)

    def test_options(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--fpga", "--csv", "--liberty FILE", "--table"):
            self.assertIn(option, done.stdout)
        self.assertEqual(run("--famly", "ecp5").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
