# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A folder from which Verilator cannot read is refused in a sentence, before anything is built.

usage: plain_path_test.py ROOT
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()


def asked_of(folder: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as scratch:
        script = Path(scratch) / "ask.cmake"
        script.write_text(
            f"include({ROOT}/cmake/PlainPath.cmake)\nwordline_require_plain_path(/usr/src [==[{folder}]==])\n"
        )
        return subprocess.run(["cmake", "-P", script], capture_output=True, text=True)


class PlainPath(unittest.TestCase):
    def test_plain_folders_pass(self):
        for folder in ("/wordline", "/home/a_b/my-drive+2.0/@x~1", "/home/josé/ドライブ"):
            self.assertEqual(asked_of(folder).returncode, 0, folder)

    def test_others_are_named_with_the_character(self):
        for folder, character in (("/tmp/a b", " "), ("/x/$y", "$"), ("/x:y", ":"), ("/x[y", "["), ("/x\\y", "\\")):
            done = asked_of(folder)
            self.assertNotEqual(done.returncode, 0, folder)
            said = " ".join(done.stderr.split())
            self.assertIn(f'cannot read sources from "{folder}"', said)
            self.assertIn(f'no "{character}"', said)


if __name__ == "__main__":
    unittest.main()
