# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""scripts/setup on systems that it was not made for: says so, says what to do, and installs nothing where it cannot.

usage: setup_test.py SOURCE_FOLDER
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
TOOLS = ("bash", "env", "dirname")


class Setup(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/setup", self.folder / "scripts/setup")

    def run_on(self, release):
        """Where there are no tools but these, so no apt."""
        file = self.folder / "os-release"
        if release is not None:
            file.write_text(release)
        tools = self.folder / "bin"
        tools.mkdir()
        for tool in TOOLS:
            (tools / tool).symlink_to(shutil.which(tool))
        environment = {**os.environ, "PATH": str(tools), "WORDLINE_OS_RELEASE": str(file)}
        return subprocess.run([self.folder / "scripts/setup"], capture_output=True, text=True, env=environment)

    def test_another_system_is_named_and_the_packages_are_listed(self):
        done = self.run_on('ID=fedora\nVERSION_ID=42\nPRETTY_NAME="Fedora Linux 42"\n')
        self.assertEqual(done.returncode, 1)
        self.assertIn("this is Fedora Linux 42; Wordline is built and tested on Debian 12", done.stderr)
        self.assertIn('docker run --rm -it -v "$PWD":/wordline -w /wordline debian:12 ./scripts/test', done.stderr)
        self.assertIn(
            "has no apt, so nothing is installed. Packages, by their Debian names: build-essential", done.stderr
        )
        self.assertFalse((self.folder / ".venv").exists())

    def test_a_system_without_a_name(self):
        done = self.run_on(None)
        self.assertEqual(done.returncode, 1)
        self.assertIn("this is an unknown system", done.stderr)

    def test_another_debian_is_another_system(self):
        done = self.run_on('ID=debian\nVERSION_ID=13\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n')
        self.assertIn("this is Debian GNU/Linux 13 (trixie)", done.stderr)


if __name__ == "__main__":
    unittest.main()
