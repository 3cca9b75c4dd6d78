# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A study holds the figures of a paper against the drive: its file (configs/studies/NAME.toml) has device, settings and
every figure; its module (NAME.py) makes the points and answers the figures from their results."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from .curves import Curves
from .points import StudyError
from .runner import Outcome
from .workload_statistics import WorkloadStatistics

GREEN, RED, UNMEASURABLE = "green", "red", "not measurable"
FOUND = "found"  # of a question that no paper has answered
KINDS = ("headline", "detail")

CPUS: dict[str, dict[str, Any]] = {
    # Papers charge no firmware: native cores so fast that theirs takes no time.
    "native": {"cpu.model": "native", "cpu.clock": "1000GHz"},
    "iss": {"cpu.model": "iss"},
}


@dataclasses.dataclass(frozen=True)
class Figure:
    """A statement of the paper. `paper` is what it prints; `cause` says why it is red, or why it is not measurable."""

    id: str
    kind: str
    what: str
    paper: str
    where: str
    condition: str = ""
    unit: str = ""
    cause: str = ""


@dataclasses.dataclass(frozen=True)
class StudyFile:
    """configs/studies/NAME.toml."""

    name: str
    title: str
    paper: str
    config: Path
    sets: dict[str, Any]
    parameters: dict[str, Any]
    figures: dict[str, Figure]
    platform: dict[str, str]
    mechanism: dict[str, str]  # what the paper says about how things work and the drive does not model: why

    @staticmethod
    def read(path: Path, quick: bool) -> "StudyFile":
        """With `quick`, the table [quick] replaces parameters of [full]. Errors name the file and the key."""
        try:
            text = tomllib.loads(path.read_text())
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise StudyError(f"{path}: {error}") from error
        known = {"title", "paper", "config", "sets", "full", "quick", "figure", "platform", "mechanism"}
        if unknown := set(text) - known:
            raise StudyError(f"{path}: {sorted(unknown)[0]}: no such key, expected one of {', '.join(sorted(known))}")
        figures: dict[str, Figure] = {}
        for entry in text["figure"]:
            try:
                figure = Figure(**entry)
            except TypeError as error:
                raise StudyError(f"{path}: figure {entry.get('id', '?')}: {error}") from error
            if figure.kind not in KINDS:
                raise StudyError(f"{path}: figure {figure.id}: kind is {figure.kind}, expected {' or '.join(KINDS)}")
            if figure.id in figures:
                raise StudyError(f"{path}: figure {figure.id} stands twice")
            figures[figure.id] = figure
        root = path.resolve().parents[2]
        parameters = {**text["full"], **(text.get("quick", {}) if quick else {})}
        return StudyFile(
            path.stem,
            text["title"],
            text["paper"],
            root / text["config"],
            text.get("sets", {}),
            parameters,
            figures,
            text.get("platform", {}),
            text.get("mechanism", {}),
        )


class NotMeasured(Exception):
    """The points that a figure needs did not run, or failed."""


def ask(question: Callable[..., Any], *arguments: Any) -> Any:
    """The value of a question to the results; None when it was not measured."""
    try:
        return question(*arguments)
    except NotMeasured:
        return None


@dataclasses.dataclass(frozen=True)
class Answer:
    """What the drive says to a figure, with free firmware (`native`) and with firmware that costs its instructions
    (`iss`). None: not measured with that. `fits` says whether the value is what the paper prints."""

    native: float | str | None = None
    iss: float | str | None = None
    fits_native: bool | None = None
    fits_iss: bool | None = None
    difference: str = ""
    note: str = ""  # what was seen, beside the cause in the study's file
    question: bool = False  # there is nothing that it should be

    @property
    def verdict(self) -> str:
        if self.question and (self.native is not None or self.iss is not None):
            return FOUND
        judged = [fits for fits in (self.fits_native, self.fits_iss) if fits is not None]
        if not judged:
            return UNMEASURABLE
        return GREEN if all(judged) else RED

    @staticmethod
    def of(
        fits: Callable[[Any], bool],
        value: Callable[[str], Any],
        show: Callable[[Any], float | str] = lambda value: value,
        paper: float | None = None,
        note: str = "",
    ) -> "Answer":
        """Asks with both models of the cores, and judges both values alike. With `paper`, a number, the difference of
        the native value is said."""
        native, iss = (ask(value, cpu) for cpu in CPUS)
        return Answer(
            None if native is None else show(native),
            None if iss is None else show(iss),
            None if native is None else fits(native),
            None if iss is None else fits(iss),
            "" if paper is None or native is None else f"{native - paper:+.3g}",
            note,
        )

    @staticmethod
    def within(paper: float, tolerance: float, value: Callable[[str], float], note: str = "") -> "Answer":
        """Green when no further than `tolerance` from what the paper prints, in its unit."""
        return Answer.of(lambda found: abs(found - paper) <= tolerance, value, lambda v: round(v, 3), paper, note)


UNANSWERED = Answer()


class Results:
    """The outcomes of a study by the labels of their points; beside them what the NAND model says of the device, and
    what the workloads are like."""

    def __init__(self, outcomes: Iterable[Outcome], curves: Curves, workloads: WorkloadStatistics):
        self.curves, self.workloads = curves, workloads
        self._found = {frozenset(outcome.point.labels): outcome for outcome in outcomes}
        self._read: dict[frozenset, dict[str, Any]] = {}

    def get(self, **labels: Any) -> dict[str, Any]:
        """Raises NotMeasured when there is no such point, or it failed."""
        name = frozenset(labels.items())
        outcome = self._found.get(name)
        if outcome is None or outcome.failed:
            raise NotMeasured
        if name not in self._read:
            self._read[name] = outcome.result()
        return self._read[name]

    def failed(self) -> list[Outcome]:
        return [outcome for outcome in self._found.values() if outcome.failed]


def judged(study: StudyFile, answers: dict[str, Answer]) -> dict[str, Any]:
    """The study's JSON: every figure with its answer."""
    if unknown := set(answers) - set(study.figures):
        raise StudyError(f"{study.name}.toml: no figure {sorted(unknown)[0]}, but it has an answer")
    rows = []
    for figure in study.figures.values():
        answer = answers.get(figure.id, UNANSWERED)
        cause = "" if answer.verdict in (GREEN, FOUND) else figure.cause or "not explained"
        rows.append(
            {
                "id": figure.id,
                "kind": figure.kind,
                "where": figure.where,
                "what": figure.what,
                "condition": figure.condition,
                "paper": figure.paper,
                "unit": figure.unit,
                "native": answer.native,
                "iss": answer.iss,
                "difference": answer.difference,
                "verdict": answer.verdict,
                "cause": cause,
                "note": answer.note,
            }
        )
    return {
        "study": study.name,
        "title": study.title,
        "paper": study.paper,
        "figures": rows,
        "platform": study.platform,
        "mechanism": study.mechanism,
    }


def counts(rows: Sequence[dict[str, Any]]) -> str:
    return ", ".join(
        f"{number} {verdict}"
        for verdict in (GREEN, RED, FOUND, UNMEASURABLE)
        if (number := sum(row["verdict"] == verdict for row in rows))
    )


def shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def markdown(report: dict[str, Any]) -> str:
    """The study's part of docs/papers.md."""
    rows = report["figures"]
    lines = [
        f"## {report['title']}",
        "",
        f"{report['paper']}. `wordline reproduce {report['study']}{' --quick' if report['quick'] else ''}`: "
        f"{counts(rows)}.",
        "",
    ]
    if report["original_traces"]:
        lines += [f"With the original traces for {', '.join(report['original_traces'])}.", ""]
    for name in report.get("pictures", []):
        lines += [f"![{report['study']}: {Path(name).stem}](images/{name})", ""]
    for section in report.get("tables", []):
        lines += [
            f"### {section['title']}",
            "",
            section["text"],
            "",
            "| " + " | ".join(section["head"]) + " |",
            "|" + "---|" * len(section["head"]),
        ]
        lines += ["| " + " | ".join(shown(value) for value in row) + " |" for row in section["rows"]]
        lines.append("")
    lines += [
        "### Every figure",
        "",
        "| figure | what, in the paper | paper | native | iss | difference | verdict | cause, remark |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        what = f"{row['what']} ({row['where']}{'; ' + row['condition'] if row['condition'] else ''})"
        remark = " ".join(text for text in (row["cause"], row["note"]) if text)
        paper = f"{row['paper']} {row['unit']}".strip()
        lines.append(
            f"| `{row['id']}` | {_cell(what)} | {_cell(paper)} | {shown(row['native'])} | {shown(row['iss'])} | "
            f"{row['difference']} | {row['verdict']} | {_cell(remark)} |"
        )
    lines += _by_name("The paper's platform", "here", report["platform"])
    if report["mechanism"]:
        lines += _by_name("Not modelled", "why", report["mechanism"])
    return "\n".join(lines) + "\n"


def _by_name(title: str, head: str, texts: dict[str, str]) -> list[str]:
    rows = [f"| `{name}` | {_cell(text)} |" for name, text in texts.items()]
    return ["", f"### {title}", "", f"| what | {head} |", "|---|---|", *rows]


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
