# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""scripts/limit_decoder: tables of decoders that are stopped early.

usage: limit_decoder_test.py ROOT
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
TABLE = ROOT / "models/ecc/decoders/decoder.table"
HAND_MADE = """# by hand
limits 1461 11641
correlation 0.3
10 0.5 1:2,3-10:2,140-147:4 0.25 583:1,1165:1,1166:1
20 1 967:1 0 1747:4
soft 2 wrong 0.1 1 right 0.1 0
10 0 583:3,1747:1
"""


def rows(text: str) -> list[list[str]]:
    return [words for line in text.splitlines() if (words := line.partition("#")[0].split())]


class LimitDecoder(unittest.TestCase):
    def made(self, *arguments: object) -> str:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out.table"
            program = [sys.executable, "-B", ROOT / "scripts/limit_decoder", *map(str, arguments), out]
            subprocess.run(program, check=True)
            return out.read_text()

    def test_without_limits_nothing_changes(self):
        self.assertEqual(rows(self.made()), rows(TABLE.read_text()))

    def test_words_that_take_longer_fail(self):
        with tempfile.NamedTemporaryFile("w", suffix=".table") as file:
            file.write(HAND_MADE)
            file.flush()
            found = rows(self.made("--bit-flipping", 1, "--min-sum", 2, file.name))
        self.assertEqual(found, rows("limits 74 1165\ncorrelation 0.3\n"
                                     "10 0.75 1:2,3-10:2 0.5 583:1,1165:1\n"  # half of the words that were left
                                     "20 1 967:1 1 1747:4\n"  # nobody asks for the clocks of failures
                                     "soft 2 wrong 0.1 1 right 0.1 0\n"
                                     "10 0.25 583:3\n"))  # fmt: skip

    def test_the_weak_table_is_made_by_it(self):
        self.assertEqual(self.made("--bit-flipping", 2, "--min-sum", 3),
                         (ROOT / "configs/ecc/bf2_ms3.table").read_text())  # fmt: skip


if __name__ == "__main__":
    unittest.main()
