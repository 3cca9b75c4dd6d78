# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""cmake/Revision.cmake on clones, archives and plain copies of sources.

usage: revision_test.py ROOT CMAKE
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, CMAKE = Path(sys.argv.pop(1)), sys.argv.pop(1)


@unittest.skipUnless(shutil.which("git"), "needs git")
class Revision(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.sources = self.copy("sources")

    def copy(self, name):
        folder = self.folder / name
        (folder / "cmake").mkdir(parents=True)
        for file in (".gitattributes", "cmake/Revision.cmake", "cmake/revision.txt"):
            shutil.copy(ROOT / file, folder / file)
        # In an archive that git made, the commit stands here already.
        text = re.sub(r"^[0-9a-f]+$", "$Format:%h$", (folder / "cmake/revision.txt").read_text(), flags=re.MULTILINE)
        (folder / "cmake/revision.txt").write_text(text)
        return folder

    def git(self, *words):
        named = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false"]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        done = subprocess.run(
            ["git", "-C", self.sources, *named, *words], capture_output=True, check=True, env=environment
        )
        return done.stdout

    def commit(self):
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "sources")
        return self.git("rev-parse", "--short", "HEAD").decode().strip()

    def change(self):
        with open(self.sources / "cmake/Revision.cmake", "a") as file:
            file.write("# changed\n")

    def revision(self, sources):
        made = self.folder / "made/revision.cpp"
        subprocess.run(
            [CMAKE, f"-DSOURCE={sources}", f"-DOUTPUT={made}", "-P", sources / "cmake/Revision.cmake"],
            check=True,
            env={**os.environ, "GIT_DIR": "/nowhere"},  # as in a hook of another repository
        )
        return re.search(r'\[96\] = "revision of wordline: (.*)";', made.read_text())[1]

    def test_a_clone_says_its_commit_and_whether_it_was_changed(self):
        commit = self.commit()
        self.assertEqual(self.revision(self.sources), commit)
        self.change()
        self.assertEqual(self.revision(self.sources), f"{commit}-dirty")
        self.git("checkout", "--", ".")
        self.git("tag", "--annotate", "v1.2", "--message", "a release")
        self.assertEqual(self.revision(self.sources), "v1.2")

    def test_the_source_is_written_when_the_revision_changed_only(self):
        self.commit()
        self.revision(self.sources)
        made = self.folder / "made/revision.cpp"
        os.utime(made, (1, 1))
        self.revision(self.sources)
        self.assertEqual(made.stat().st_mtime, 1)
        self.change()
        self.revision(self.sources)
        self.assertGreater(made.stat().st_mtime, 1)

    def test_an_archive_of_git_says_its_commit(self):
        commit = self.commit()
        archive = self.folder / "archive"
        archive.mkdir()
        subprocess.run(["tar", "-x", "-C", archive], input=self.git("archive", "HEAD"), check=True)
        self.assertEqual(self.revision(archive), commit)

    def test_other_copies_are_unknown_also_below_another_repository(self):
        self.assertEqual(self.revision(self.sources), "unknown")
        self.commit()
        self.assertEqual(self.revision(self.copy("sources/below")), "unknown")


if __name__ == "__main__":
    unittest.main()
