# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Which folder may include which: the layers of ARCHITECTURE.md, and blocks that shall stay of use outside of this drive.

usage: layers_test.py ROOT
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))

# Includes in quotes name a path from the root, or one that is generated: registers/.
MODELS = ("models/", "registers/", "ecc/")
RULES = {
    "models": MODELS,
    "models/riscv": ("models/riscv/", "models/units/"),  # a general instruction-set model
    "models/units": ("models/units/",),
}
SYSTEMC = {"systemc", "systemc.h", "tlm", "tlm.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def breaches(text: str, allowed: tuple[str, ...]) -> list[str]:
    """Includes of a source text that reach elsewhere. A name without a folder is a generated header or a sibling."""
    found = []
    for own, system in INCLUDE.findall(text):
        if (own and "/" in own and not own.startswith(allowed)) or system in SYSTEMC or system.startswith("tlm_"):
            found.append(own or system)
    return found


class Layers(unittest.TestCase):
    def test_folders_keep_to_their_layer(self):
        for folder, allowed in RULES.items():
            files = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".c", ".cpp", ".in", ".S")]
            self.assertGreater(len(files), 2, f"{folder}: no sources here")
            for path in files:
                with self.subTest(file=str(path.relative_to(ROOT))):
                    self.assertEqual(breaches(path.read_text(), allowed), [])

    def test_a_breach_is_found(self):
        text = '#include "models/riscv/hart.h"\n#include <cstdint>\n# include "models/firmware/contract/ring.h"\n#include <systemc>\n'
        self.assertEqual(breaches(text, RULES["models/riscv"]), ["models/firmware/contract/ring.h", "systemc"])
        self.assertEqual(
            breaches('#include "tlm/cpu/core.h"\n#include <tlm_utils/x.h>\n', MODELS),
            ["tlm/cpu/core.h", "tlm_utils/x.h"],
        )


if __name__ == "__main__":
    unittest.main()
