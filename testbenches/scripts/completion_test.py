# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""scripts/completion.bash offers what the program knows, after each kind of word.

usage: completion_test.py ROOT PROGRAM
"""

import subprocess
import sys
import unittest
from pathlib import Path

ROOT, PROGRAM = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1)).resolve()


def offered(*words, program=PROGRAM):
    """For the last of the words, which is not ended yet."""
    script = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wordline; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script, "bash", ROOT / "scripts/completion.bash", program, *words],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


class Completion(unittest.TestCase):
    def test_commands_options_keys_and_statistics(self):
        self.assertEqual(offered("ru"), ["run"])
        self.assertLessEqual({"run", "check", "explain", "workload", "new"}, set(offered("")))
        self.assertEqual(sorted(offered("new", "")), ["drive", "nand", "policy", "rtl-block"])
        self.assertEqual(offered("workload", "st"), ["stats"])
        self.assertEqual(offered("run", "a.toml", "--work"), ["--workload"])
        self.assertIn("--slowest", offered("view", "-"))
        self.assertEqual(offered("run", "a.toml", "--set", "channels.cou"), ["channels.count="])
        self.assertEqual(offered("explain", "ftl.over"), ["ftl.over_provisioning"])
        self.assertIn("flash.waf", offered("statistics", "flash."))

    def test_values_of_keys(self):
        """In one word, or broken at the "=" as bash does."""
        self.assertEqual(offered("run", "a.toml", "--set", "channels.suspend", "=", "pro"), ["program"])
        self.assertEqual(offered("run", "a.toml", "--set", "channels.suspend=pro"), ["channels.suspend=program"])
        all_of_them = {"never", "program", "erase", "both"}
        self.assertEqual(set(offered("run", "a.toml", "--set", "channels.suspend", "=")), all_of_them)
        self.assertEqual(set(offered("run", "a.toml", "--set", "channels.suspend", "=", "")), all_of_them)
        policies = set(offered("explore", "a.toml", "--grid", "ftl.policy", "="))
        self.assertLessEqual({"page_greedy", "sepbit", "ppb+cube"}, policies)
        self.assertEqual(set(offered("run", "a.toml", "--set", "ftl.gc_pacing", "=")), {"true", "false"})
        self.assertEqual(offered("run", "a.toml", "--set", "ftl.gc_buffer", "="), [])
        self.assertEqual(offered("run", "a.toml", "--set", "ftl.no_such_key", "="), [])

    def test_choices_of_options(self):
        self.assertEqual(offered("run", "a.toml", "--addresses", ""), ["wrap", "scale", "error"])
        self.assertEqual(offered("run", "a.toml", "--addresses", "=", "w"), ["wrap"])
        self.assertEqual(offered("run", "a.toml", "--trace-format", "blk"), ["blkparse", "blktrace"])
        self.assertEqual(offered("serve", "a.toml", "--time", ""), ["free", "wall", "dilated:", "lockstep"])
        self.assertEqual(offered("run", "a.toml", "--queue-depth", ""), [])

    def test_words_that_stand_alone(self):
        """Of the commands that are Python, which only the script knows."""
        self.assertEqual(offered("reproduce", "p", program=ROOT / "scripts/wordline"), ["params", "ppb"])

    def test_each_once(self):
        words = offered("run", "a.toml", "--")
        self.assertEqual(len(words), len(set(words)), words)

    def test_files_are_left_to_the_shell(self):
        for words in (("run", "con"), ("run", "a.toml", "--workload", "con"), ("check", "")):
            self.assertEqual(offered(*words), [])


if __name__ == "__main__":
    unittest.main()
