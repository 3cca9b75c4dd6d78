# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the page of reproduced papers shows: every figure of figures.json, the tables, and the pictures."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from ..studies.framework.study import VERDICTS
from .files import ReportError, need, read_json

MADE_BY = "./scripts/wordline reproduce NAME --out DIR"
NEEDED = ("id", "what", "paper", "native", "iss", "verdict", "cause")


def folders(folder: Path) -> list[Path]:
    """The folder of one study, or those of all studies in the folder of `reproduce`."""
    if (folder / "figures.json").exists():
        return [folder]
    return sorted(path.parent for path in folder.glob("*/figures.json"))


def read(folder: Path) -> dict[str, Any]:
    studies = [read_study(path) for path in folders(folder)]
    figures = [figure for study in studies for figure in study["figures"]]
    counts = {verdict: sum(figure["verdict"] == verdict for figure in figures) for verdict in ORDER}
    counted = ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number)
    return {
        "kind": "reproduce",
        "title": studies[0]["title"] if len(studies) == 1 else "Published papers on this drive",
        "lead": f"{len(figures)} figures: {counted}.",
        "studies": studies,
    }


ORDER = VERDICTS  # every figure has one, so that the counts sum to them


def read_study(folder: Path) -> dict[str, Any]:
    path = folder / "figures.json"
    study = read_json(path, MADE_BY)
    need(study, ("study", "title", "paper", "figures"), path, MADE_BY)
    for number, figure in enumerate(study["figures"]):
        need(figure, NEEDED, Path(f"{path}, figure {number}"), MADE_BY)
    pictures = [{"name": name, "png": picture(folder, name, path)} for name in study.get("pictures", [])]
    return {**study, "pictures": pictures}


def picture(folder: Path, name: str, path: Path) -> str:
    if Path(name).name != name:
        raise ReportError(f"{path}: picture {name} lies outside of the folder; make it again: {MADE_BY}")
    try:
        return base64.b64encode((folder / name).read_bytes()).decode()
    except OSError as error:
        raise ReportError(f"{folder / name}: cannot be read: {error.strerror}; make it again: {MADE_BY}") from error
