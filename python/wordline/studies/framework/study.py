# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A study holds the figures of a paper against the drive: its file (configs/studies/NAME.toml) has device, settings and
every figure; its module (NAME.py) makes the points and answers the figures from their results."""

from __future__ import annotations

import copy
import dataclasses
import statistics
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .curves import Curves
from .points import Point, StudyError
from .runner import Outcome
from .samples import half_interval
from .workload_statistics import WorkloadStatistics

GREEN, RED, UNMEASURABLE = "green", "red", "not measurable"
UNDECIDED = "undecided"  # the interval over seeds holds values that fit and values that do not
INPUT = "input"  # it fits because it was put in
FOUND = "found"  # what is found on a question that no paper has answered
VERDICTS = (GREEN, RED, UNDECIDED, INPUT, FOUND, UNMEASURABLE)
KINDS = ("headline", "detail")

CPUS: dict[str, dict[str, Any]] = {
    # Papers charge no firmware: native cores so fast that theirs takes no time.
    "native": {"cpu.model": "native", "cpu.clock": "1000GHz"},
    "iss": {"cpu.model": "iss"},
}


@dataclasses.dataclass(frozen=True)
class Figure:
    """A statement of the paper. `paper` is what it prints; `cause` says why it does not fit, or why it is not measurable;
    `input`, where the model was given the very number, or what the number follows from."""

    id: str
    kind: str
    what: str
    paper: str
    where: str
    condition: str = ""
    unit: str = ""
    cause: str = ""
    input: str = ""


@dataclasses.dataclass(frozen=True)
class StudyFile:
    """configs/studies/NAME.toml."""

    name: str
    title: str
    paper: str
    summary: str  # what holds, what does not, and why; {ID} stands for what the drive says to a figure
    page: str  # page of docs, that has a part for the results
    state: str  # state of the drive when the requests begin, where an answer does not say another
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
        known = {"title", "paper", "summary", "page", "state", "config", "sets", "full", "quick", "figure"}
        known |= {"platform", "mechanism"}
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
            text["summary"],
            text["page"],
            text["state"],
            root / text["config"],
            text.get("sets", {}),
            parameters,
            figures,
            text.get("platform", {}),
            text.get("mechanism", {}),
        )


SEED = "more_seed"  # label of a point that runs again with another seed


def with_seeds(points: Iterable[Point], chosen: Mapping[str, Any]) -> list[Point]:
    """The points, and some of them once more for each of the seeds `more_seeds` of a study's parameters: those of the parts
    `seeded` with free firmware, those of `iss_seeded` with firmware that costs. `seeded_where`, `iss_seeded_where`: values of
    labels, or lists of them, of which points with these labels have to have one."""
    found, seeds = list(points), chosen["more_seeds"]
    parts = {"native": chosen["seeded"], "iss": chosen.get("iss_seeded", ())}
    where = {"native": chosen.get("seeded_where", {}), "iss": chosen.get("iss_seeded_where", {})}

    def wanted(point: Point) -> bool:
        labels = dict(point.labels)
        cpu = labels["cpu"]
        return labels["part"] in parts[cpu] and all(
            label not in labels or labels[label] in (value if isinstance(value, list) else [value])
            for label, value in where[cpu].items()
        )

    again = [point for point in found if wanted(point)]
    for seed in seeds:
        for point in again:
            sets = tuple(entry for entry in point.sets if entry[0] != "run.seed") + (("run.seed", str(seed)),)
            found.append(dataclasses.replace(point, sets=sets, labels=(*point.labels, (SEED, seed))))
    return found


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
    state: str = ""  # state of the drive when the requests begin, where it is not the study's
    # The run that isolates the cause: what was changed, and the value before and after. None: the cause is supposed.
    experiment: str = ""
    interval: str = ""  # interval of the native value, 95 % over seeds
    interval_iss: str = ""
    undecided: bool = False
    measured: Any = dataclasses.field(default=None, repr=False, compare=False)  # the native value as it is judged
    measured_iss: Any = dataclasses.field(default=None, repr=False, compare=False)
    judge: Callable[[Any], bool] | None = dataclasses.field(default=None, repr=False, compare=False)
    show: Callable[[Any], Any] | None = dataclasses.field(default=None, repr=False, compare=False)
    paper: float | None = None

    @property
    def verdict(self) -> str:
        if self.question and (self.native is not None or self.iss is not None):
            return FOUND
        judged = [fits for fits in (self.fits_native, self.fits_iss) if fits is not None]
        if not judged:
            return UNMEASURABLE
        if self.undecided:
            return UNDECIDED
        return GREEN if all(judged) else RED

    @staticmethod
    def of(
        fits: Callable[[Any], bool],
        value: Callable[[str], Any],
        show: Callable[[Any], float | str] = lambda value: value,
        paper: float | None = None,
        note: str = "",
        **more: Any,
    ) -> "Answer":
        """Asks with both models of the cores, and judges both values alike. With `paper`, a number, the difference of
        the native value is said. `more`: further fields of the answer."""
        native, iss = (ask(value, cpu) for cpu in CPUS)
        return Answer(
            None if native is None else show(native),
            None if iss is None else show(iss),
            None if native is None else fits(native),
            None if iss is None else fits(iss),
            "" if paper is None or native is None else f"{native - paper:+.3g}",
            note,
            measured=native,
            measured_iss=iss,
            judge=fits,
            show=show,
            paper=paper,
            **more,
        )

    @staticmethod
    def within(paper: float, tolerance: float, value: Callable[[str], float], note: str = "", **more: Any) -> "Answer":
        """Green when no further than `tolerance` from what the paper prints, in its unit."""
        return Answer.of(
            lambda found: abs(found - paper) <= tolerance, value, lambda v: round(v, 3), paper, note, **more
        )


UNANSWERED = Answer()


def over_seeds(answers: Sequence[Answer]) -> Answer:
    """One answer of those of several seeds, that of the study's own seed first. A number becomes the mean with its 95 %
    interval (Student's t), and is decided where both ends of the interval are judged alike; what is counted, or no number,
    is decided where all seeds are judged alike."""
    first, judge = answers[0], answers[0].judge
    changed: dict[str, Any] = {"undecided": first.undecided}
    for value, fits, interval, measured in _FIELDS:
        if judge is None or getattr(first, fits) is None:
            continue
        seen = _over_seeds([getattr(answer, measured) for answer in answers], judge)
        if seen is None:
            continue
        found, changed[fits], changed[interval], decided = seen
        changed["undecided"] |= not decided
        if changed[interval].startswith("+-"):
            changed[value] = first.show(found) if first.show else found
            if value == "native" and first.paper is not None:
                changed["difference"] = f"{found - first.paper:+.3g}"
    return dataclasses.replace(first, **changed)


# Of an answer, with free firmware and with firmware that costs: the value, whether it fits, its interval, what is judged.
_FIELDS = (
    ("native", "fits_native", "interval", "measured"),
    ("iss", "fits_iss", "interval_iss", "measured_iss"),
)


def _over_seeds(measured: Sequence[Any], judge: Callable[[Any], bool]) -> tuple[Any, bool, str, bool] | None:
    """Mean or first value, whether it fits, its interval or how many seeds agree, and whether that is decided. None: there
    is nothing to tell over seeds."""
    values = [value for value in measured if value is not None]
    if len(values) < 2 or all(value == values[0] for value in values):
        return None
    if not all(isinstance(value, float) for value in values):  # a count is no measure: its mean would be none
        verdicts = [judge(value) for value in values]
        agree = sum(verdict == verdicts[0] for verdict in verdicts)
        return values[0], verdicts[0], f"{agree} of {len(values)} seeds", agree == len(values)
    mean, half = statistics.fmean(values), half_interval(values)
    decided = len({judge(mean - half), judge(mean), judge(mean + half)}) == 1
    return mean, judge(mean), f"+-{half:.2g}", decided


class Results:
    """The outcomes of a study by the labels of their points; beside them what the NAND model says of the device, and
    what the workloads are like."""

    def __init__(self, outcomes: Iterable[Outcome], curves: Curves, workloads: WorkloadStatistics):
        self.curves, self.workloads = curves, workloads
        self._found = {frozenset(outcome.point.labels): outcome for outcome in outcomes}
        self._read: dict[frozenset, dict[str, Any]] = {}
        self._more: int | None = None

    def of_seed(self, seed: int) -> "Results":
        """The results, but of points that also ran with this seed (`with_seeds`), those runs."""
        other = copy.copy(self)
        other._more = seed
        return other

    def get(self, **labels: Any) -> dict[str, Any]:
        """Raises NotMeasured when there is no such point, or it failed."""
        name = frozenset(labels.items())
        if self._more is not None and name | {(SEED, self._more)} in self._found:
            name |= {(SEED, self._more)}
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
    return {
        "study": study.name,
        "title": study.title,
        "paper": study.paper,
        "summary": study.summary,
        "page": study.page,
        "figures": [_row(study, figure, answers.get(figure.id, UNANSWERED)) for figure in study.figures.values()],
        "platform": study.platform,
        "mechanism": study.mechanism,
    }


def _row(study: StudyFile, figure: Figure, answer: Answer) -> dict[str, Any]:
    verdict = answer.verdict
    if figure.input and verdict in (GREEN, UNDECIDED):
        verdict = INPUT
    cause = {INPUT: figure.input, GREEN: "", FOUND: ""}.get(verdict, figure.cause or "not explained")
    measured = verdict in (GREEN, RED, UNDECIDED, FOUND)
    return {
        "id": figure.id,
        "kind": figure.kind,
        "where": figure.where,
        "what": figure.what,
        "condition": figure.condition,
        "paper": figure.paper,
        "unit": figure.unit,
        "native": answer.native,
        "interval": answer.interval,
        "iss": answer.iss,
        "interval_iss": answer.interval_iss,
        "difference": answer.difference,
        "state": (answer.state or study.state) if measured else "",
        "verdict": verdict,
        "cause": cause,
        "experiment": answer.experiment,
        "note": answer.note,
    }


def why(row: dict[str, Any]) -> str:
    """The cause of a verdict with the runs that isolate it. What no run isolates is said to be supposed."""
    if row["verdict"] not in (RED, UNDECIDED):
        return row["cause"]
    shown_by = f"Isolated: {row['experiment']}." if row["experiment"] else ""
    return " ".join(filter(None, ("" if shown_by else "Supposed cause:", row["cause"], shown_by)))


def counts(rows: Sequence[dict[str, Any]]) -> str:
    return ", ".join(
        f"{number} {verdict}" for verdict in VERDICTS if (number := sum(row["verdict"] == verdict for row in rows))
    )


def shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
