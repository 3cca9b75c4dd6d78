# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/ are executed from the first cell to the last; they have assertions of their own. Kept
without outputs, so that a change of results is no change of the file.

usage: notebooks_test.py ROOT BUILD
"""

import os
import sys
import tempfile
import unittest
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT, BUILD = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1)).resolve()
os.environ |= {
    "PYTHONPATH": str(ROOT / "python"),
    "PYTHONDONTWRITEBYTECODE": "1",
    "WORDLINE_PROGRAM": str(BUILD / "wordline"),
    "JUPYTER_PLATFORM_DIRS": "1",
}


def executed(notebook):
    with tempfile.TemporaryDirectory() as folder:
        where = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=1200, startup_timeout=1200, kernel_name="python3", resources=where).execute()
    return notebook


class Notebooks(unittest.TestCase):
    def test_each_runs_to_its_last_cell(self):
        books = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
        self.assertEqual(len(books), 2)
        for path in books:
            with self.subTest(path.name):
                notebook = nbformat.read(path, as_version=4)
                nbformat.validate(notebook)
                code = [cell for cell in notebook.cells if cell.cell_type == "code"]
                self.assertFalse(any(cell.outputs or cell.execution_count for cell in code), "outputs are not kept")
                executed(notebook)
                self.assertTrue(all(cell.execution_count for cell in code))
                kinds = [kind for cell in code for output in cell.outputs for kind in output.get("data", ())]
                self.assertIn("image/png", kinds)
                self.assertIn("text/html", kinds)

    def test_a_cell_that_fails_is_found(self):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("assert 1 > 2")])
        with self.assertRaises(CellExecutionError):
            executed(notebook)


if __name__ == "__main__":
    unittest.main()
