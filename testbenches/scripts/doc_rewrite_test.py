# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""docs_commands_test.py --rewrite: pages get what their commands print now, and keep what was chosen by hand.

usage: doc_rewrite_test.py ROOT BUILD
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import doc_rewrite

ROOT, BUILD = (Path(sys.argv.pop(1)) for _ in range(2))

PAGE = """# A page

<!-- printed by: printf 'IOPS 1,250 of 9\\n' -->
```
IOPS 999 of 9
```

## Behind a command

- In a list:

  ```sh
  printf '%s\\n' head 'core 0 [####.]  80 %' 'row 1  10' 'row 2  20' 'row 3  30' 'mean 1.02 ms'
  ```

  ```
  head
  ...
  row 2      7

  mean 999.8 us
  ```

## Prompts

```console
$ printf 'a %d\\n' \\
    5
a 4
$ printf 'b 1   \\nc 2\\n'
b 0
c 2
```

## Python

```python
print("x =", 3)
```

```
x = 2
```
"""
WANTED = (
    PAGE.replace("IOPS 999", "IOPS 1,250")
    .replace("row 2      7", "row 2  20")
    .replace("  mean 999.8 us", "  mean 1.02 ms")
    .replace("\na 4", "\na 5")
    .replace("\nb 0", "\nb 1")
    .replace("x = 2", "x = 3")
)


class Rewrite(unittest.TestCase):
    def run_page(self, text: str, *options: str) -> tuple[int, str, str]:
        """Exit code, what is said, and the page afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text(text)
            program = [sys.executable, "-B", ROOT / "testbenches/system/docs_commands_test.py", *options]
            done = subprocess.run([*program, ROOT, BUILD, f"{folder}/scratch", page], capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr, page.read_text()

    def test_every_kind_of_block(self):
        code, said, page = self.run_page(PAGE, "--rewrite")
        self.assertEqual(code, 0, said)
        self.assertEqual(page, WANTED)
        self.assertIn("4 blocks run, 4 compared with what the page shows, 0 wrong", said)
        self.assertIn("2 of 3 lines rewritten", said)
        self.assertEqual(self.run_page(WANTED)[0], 0)

    def test_only_when_asked_for(self):
        code, said, page = self.run_page(PAGE)
        self.assertEqual((code, page), (1, PAGE))
        self.assertIn("4 wrong", said)

    def test_a_block_with_a_line_that_is_gone_is_left(self):
        text = "```\nprintf 'a 1\\nb 2\\n'\n```\n\n```\na 0\nc 2\n```\n"
        code, said, page = self.run_page(text, "--rewrite")
        self.assertEqual((code, page), (1, text))
        self.assertIn("page.md:2: 0.0 CPU seconds, compared. left as it is, nothing printed is like: c 2", said)

    def test_what_a_failing_command_prints_is_not_taken(self):
        text = "```\nprintf 'a 1\\n' && cat absent\n```\n\n```\na 0\n```\n"
        code, said, page = self.run_page(text, "--rewrite")
        self.assertEqual((code, page), (1, text))
        self.assertIn("exit code 1", said)

    def test_order_and_common_numbers_choose(self):
        rows = ["1 10 100", "2 20 200", "4 40 400", "8 80 800"]
        self.assertEqual(doc_rewrite.partners(["2 21 201", "8 81 801"], rows), [rows[1], rows[3]])
        self.assertEqual(doc_rewrite.partners(["9 9 9", "8 80 9"], rows), [rows[0], rows[3]])
        with self.assertRaises(doc_rewrite.NoPartner):
            doc_rewrite.partners(["b 1", "a 1"], ["a 2", "b 2"])

    def test_skeletons(self):
        for a, b in (
            ("busy  [##..]  9 %", "busy [###.] 10 %"),
            ("mean 999.8 us.", "mean 1.002 ms."),
            ("252,253 IOPS +-0.1 %", "1,252,253 IOPS +-12 %"),
        ):
            self.assertEqual(doc_rewrite.skeleton(a), doc_rewrite.skeleton(b))
        for a, b in (("1 core c", "1 core"), ("94-200 dies", "34.2 dies"), ("IOPS 1", "MB/s 1")):
            self.assertNotEqual(doc_rewrite.skeleton(a), doc_rewrite.skeleton(b))


if __name__ == "__main__":
    unittest.main()
