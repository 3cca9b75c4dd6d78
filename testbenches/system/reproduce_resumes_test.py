# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A study that was killed in the middle goes on from its points, and leaves the same figures, pictures and page, byte for
byte, as one that nobody disturbed; one whose points fail publishes nothing. The study is that of design parameters, of a
few small runs.

usage: reproduce_resumes_test.py PROGRAM ROOT
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM, ROOT = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1)).resolve()

SMALL = """
[quick]
capacity_gib = 1
pages = [4, 8, 16]
profile_pages = [4, 8, 16]
blocks = [128, 512]
lengths = [4]
block_lengths = [4, 32, 256]
utilisations = [0.9]
block_utilisations = [0.9]
table_3_utilisations = [0.9]
states = []
more_seeds = [2]
seeded = ["page"]
volume_mib = 1
gain_volumes = [1]
profile_mib = 4
profiles_on_iss = false
"""
# Of the tree in this folder, since a study's file says where its configurations are.
COMMAND = """
import argparse, sys
from pathlib import Path
from wordline.studies import reproduce
from wordline.studies.framework.points import Program
parser = argparse.ArgumentParser()
reproduce.add_arguments(parser)
sys.exit(reproduce.command(Program(Path(sys.argv[1])), parser.parse_args(sys.argv[2:]), Path(".")))
"""


class Resumes(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        shutil.copytree(ROOT / "configs", self.folder / "configs")
        study = self.folder / "configs/studies/params.toml"
        text, changed = re.subn(
            r"\n\[quick\]\n.*?(?=\n\[\[figure\]\])", SMALL, study.read_text(), count=1, flags=re.DOTALL
        )
        self.assertEqual(changed, 1)
        study.write_text(text)

    def reproduce(self, name, program=PROGRAM):
        """Into OUT/NAME and the pages of NAME_docs."""
        pages = self.folder / f"{name}_docs"
        if not pages.is_dir():
            shutil.copytree(ROOT / "docs", pages)
        words = ["params", "--quick", "-j", "2", "-o", self.folder / name, "--pages", pages]
        return subprocess.Popen(
            [sys.executable, "-c", COMMAND, program, *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def points(self, name):
        """That have run."""
        folders = self.folder.glob(f"{name}/params/points/*")
        return {folder.name for folder in folders if folder.suffix != ".partial"}

    def left(self, name):
        """Every file beside the points, and all pages, by name."""
        study, pages = self.folder / name / "params", self.folder / f"{name}_docs"
        files = [file for file in study.iterdir() if file.is_file() and file.name != ".lock"]
        files += [file for file in pages.rglob("*") if file.is_file()]
        return {str(file.relative_to(self.folder)).replace(name, "NAME", 1): file.read_bytes() for file in files}

    def test_killed_in_the_middle_it_leaves_the_same_bytes(self):
        whole = self.reproduce("whole")
        _, errors = whole.communicate(timeout=1200)
        self.assertEqual(whole.returncode, 0, errors)
        total = self.points("whole")

        killed = self.reproduce("killed")
        while len(self.points("killed")) < len(total) // 3 and killed.poll() is None:
            time.sleep(0.01)
        killed.kill()
        killed.communicate()
        kept = self.points("killed")
        self.assertGreaterEqual(len(kept), len(total) // 3)
        self.assertLess(len(kept), len(total), "it was over before it was killed")

        resumed = self.reproduce("killed")
        _, errors = resumed.communicate(timeout=1200)
        self.assertEqual(resumed.returncode, 0, errors)
        known = re.match(rf"(\d+) of {len(total)} points are known from before", errors)
        self.assertTrue(known, errors)
        self.assertGreaterEqual(int(known[1]), len(kept))
        self.assertEqual(self.points("killed"), total)
        ones, others = self.left("whole"), self.left("killed")
        self.assertEqual(set(ones), set(others))
        self.assertEqual([name for name in ones if ones[name] != others[name]], [])
        self.assertIn("NAME_docs/results/params.json", ones)
        self.assertNotEqual(ones["NAME_docs/params.md"], (ROOT / "docs/params.md").read_bytes())

    def test_a_study_whose_points_fail_publishes_nothing(self):
        study = self.folder / "configs/studies/params.toml"
        study.write_text(study.read_text().replace("profiles_on_iss = false", "profiles_on_iss = true"))
        alone = self.folder / "alone/wordline"  # without the image that the cores would execute
        alone.parent.mkdir()
        shutil.copy(PROGRAM, alone)
        run = self.reproduce("failed", alone)
        _, errors = run.communicate(timeout=1200)
        self.assertEqual(run.returncode, 1, errors)
        self.assertRegex(errors, r"params: its pages are left as they are, since \d+ points failed")
        self.assertIn("no firmware image", errors)
        for page in (self.folder / "failed_docs").rglob("*"):
            if page.is_file():
                self.assertEqual(
                    page.read_bytes(), (ROOT / "docs" / page.relative_to(self.folder / "failed_docs")).read_bytes()
                )


if __name__ == "__main__":
    unittest.main()
