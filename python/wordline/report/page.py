# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes one HTML file that opens without a network: verdict, numbers and charts of a run, of `wordline explore`, or of
`wordline reproduce`. The same folder gives the same file, byte for byte."""

from __future__ import annotations

import base64
import functools
import html as markup
import importlib.util
import sys
import zlib
from pathlib import Path
from typing import Any

from ..places import requirements
from .files import ReportError, read_text
from .run import as_json

FOLDER = Path(__file__).resolve().parent / "page"
SCRIPTS = (
    "base.js",
    "charts.js",
    "table.js",
    "run_numbers.js",
    "run_latency.js",
    "run_time.js",
    "run_stages.js",
    "run_resources.js",
    "run_flash.js",
    "run.js",
    "parallel.js",
    "measures.js",
    "explore.js",
    "reproduce.js",
    "diff.js",
    "main.js",
)


@functools.cache
def plotly() -> str:
    """The script of Plotly that its package brings along, packed: a third of the size. The package itself, slow to
    import, is not needed."""
    found = importlib.util.find_spec("plotly")
    path = Path(found.origin).parent / "package_data/plotly.min.js" if found and found.origin else None
    if path is None or not path.is_file():
        raise ReportError(
            f"{sys.executable} has no plotly: install the packages of {requirements()}, or name a "
            "Python that has them by WORDLINE_PYTHON"
        )
    return base64.b64encode(zlib.compress(path.read_bytes(), 9)).decode()


def html(made: dict[str, Any]) -> str:
    """`made`: what the page shows, with `title` and `lead` as text. Nothing of it is taken for markup: text is escaped
    here, and the scripts set text only."""
    parts = {
        "title": markup.escape(made["title"]),
        "lead": markup.escape(made["lead"]),
        "style": read_text(FOLDER / "page.css"),
        "data": in_script(as_json(made)),
        "plotly": plotly(),
        "script": "\n".join(read_text(FOLDER / name) for name in SCRIPTS),
    }
    text = read_text(FOLDER / "page.html")
    pieces = text.split("@@")  # text, name, text, name, ...
    return "".join(parts[piece] if at % 2 else piece for at, piece in enumerate(pieces))


def in_script(text: str) -> str:
    """JSON that cannot end the element it stands in, nor begin a comment there."""
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
