# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Pages of the studies of papers: the front page with every headline, the results within the page of each paper, and the
list of every figure that a study leaves beside its runs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .points import StudyError
from .full import FullRuns
from .study import FOUND, GREEN, INPUT, UNMEASURABLE, counts, shown, why

BEGIN, END = "<!-- results -->", "<!-- end of results -->"
DETAILS = "<!-- details: {study} -->"  # where the site has details()
_WIDTH = 140
_MOST = 60  # characters of a cell of the front page

Report = dict[str, Any]
Row = dict[str, Any]


def here(row: Row) -> str:
    """What the drive says with free firmware, with its interval and unit."""
    value = row["iss"] if row["native"] is None and row["verdict"] == FOUND else row["native"]
    text = _with_interval(f"{value:.3g}" if isinstance(value, float) else shown(value), row["interval"])
    unit = row["unit"].split(" (")[0] if isinstance(value, (int, float)) else ""
    return f"{text} {'%' if unit.startswith('%') else unit}".strip()


def in_full(row: Row, full: FullRuns, study: str) -> str:
    """What the full run says to a figure of the quick one, and its verdict where that is another."""
    other = full.figure(study, row["id"])
    if other is None:
        return "-"
    value = here({**row, **other})
    return value if other["verdict"] == row["verdict"] else f"{value}: {other['verdict']}"


def _with_interval(text: str, interval: str) -> str:
    if not interval:
        return text
    return f"{text} {interval}" if interval.startswith("+-") else f"{text} ({interval})"


def _on_cores(row: Row) -> str:
    return _with_interval(shown(row["iss"]), row["interval_iss"])


def _paper(row: Row) -> str:
    return f"{row['paper']} {row['unit']}".strip()


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _cut(text: str) -> str:
    text = _cell(text)
    return text if len(text) <= _MOST else text[: _MOST - 3].rstrip() + "..."


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)]


def summary(report: Report) -> str:
    """The study's words, each {ID} replaced by what the drive says to that figure."""
    known = {row["id"]: row for row in report["figures"]}

    def value(found: re.Match) -> str:
        if found[1] not in known:
            raise StudyError(f"{report['study']}.toml: summary: no figure {found[1]}")
        return here(known[found[1]])

    return " ".join(re.sub(r"\{([\w.]+)\}", value, report["summary"]).split())


def front(reports: Sequence[Report], full: FullRuns) -> str:
    """docs/papers.md: one line for each headline."""
    image = ", ".join(dict.fromkeys(report["image"][:12] for report in reports))
    headlines = [row for report in reports for row in report["figures"] if row["kind"] == "headline"]
    papers = [row for row in headlines if row["verdict"] != FOUND]
    lines = [
        "# Published papers on this drive",
        "",
        *textwrap.wrap(
            f"The headlines of five papers beside what this drive shows: {counts(papers)}, of {len(papers)}. *Here*: firmware "
            "that takes no time, as the papers assume, with the 95 % interval over seeds. Green: as the paper prints it. Red: "
            "not. Undecided: the interval holds both. Input: it fits since it was put in. The page of each paper has the answer "
            f"in words, the full run, the same firmware on the cores (image `{image}`) and the causes; `docs/results/` has "
            f"every figure. {_runs_in_full(reports, full)}",
            _WIDTH,
        ),
        "",
        "    ./scripts/wordline reproduce all --quick --pages   # makes this page and those of the papers; or a NAME alone",
        "    ./scripts/wordline reproduce NAME --pages          # the full run of a study, about an hour; shown beside the quick one",
    ]
    for report in reports:
        rows = [row for row in report["figures"] if row["kind"] == "headline" and row["verdict"] != FOUND]
        lines += ["", f"## [{report['title']}]({report['page']})", ""]
        if not rows:
            lines += textwrap.wrap(summary(report), _WIDTH)
            continue
        cells = [[f"`{r['id']}`", _cut(_paper(r)), _cut(here(r)), r["verdict"]] for r in rows]
        lines += _table(["figure", "paper", "here", "verdict"], cells)
    return "\n".join(lines) + "\n"


def _values(row: Row, full: FullRuns, study: str) -> list[str]:
    """What the drive says: quick, in the full run if there is one, on cores."""
    return [here(row), *([in_full(row, full, study)] if study in full else []), _on_cores(row)]


def _runs_in_full(reports: Sequence[Report], full: FullRuns) -> str:
    """Which studies have a full run, and how often it says something else."""
    have = [report for report in reports if report["study"] in full]
    if not have:
        return "No study has a full run yet."
    names = ", ".join(report["study"] for report in have)
    of = "" if len(have) == len(reports) else f" (of {names} alone)"
    rows = [row for report in have for row in report["figures"] if full.figure(report["study"], row["id"])]
    other = sum(len(full.others(report)) for report in have)
    return (
        f"*Full run*{of}: longer, larger drives, with its verdict where it is another: {other} of {len(rows)} figures."
    )


def _causes(rows: Sequence[Row], isolated: bool = True) -> tuple[list[str], dict[str, int]]:
    """Each cause once, if so asked with the runs that isolate it, and its number for each figure."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if why(row):
            groups.setdefault(row["cause"], []).append(row)
    numbers = {row["id"]: number for number, group in enumerate(groups.values(), 1) for row in group}
    return [_cause(group) if isolated else _cause_alone(group) for group in groups.values()], numbers


def _cause_alone(rows: Sequence[Row]) -> str:
    """Without its runs; a cause of which no run says anything is supposed."""
    return f"{'' if any(row['experiment'] for row in rows) else 'Supposed cause: '}{rows[0]['cause']}"


def _cause(rows: Sequence[Row]) -> str:
    """Of one or several figures."""
    if len({why(row) for row in rows}) == 1:
        return why(rows[0])
    shown_by: dict[str, list[str]] = {}
    for row in rows:
        shown_by.setdefault(row["experiment"], []).append(f"`{row['id']}`")
    supposed = shown_by.pop("", [])
    texts = [f"Isolated for {', '.join(names)}: {experiment}." for experiment, names in shown_by.items()]
    return " ".join([rows[0]["cause"], *texts, *([f"Supposed for {', '.join(supposed)}."] if supposed else [])])


def results(report: Report, full: FullRuns) -> str:
    """The part of a paper's page that the study makes; the site puts details() where its mark is."""
    rows, study = report["figures"], report["study"]
    headlines = [row for row in rows if row["kind"] == "headline"]
    texts, numbers = _causes([row for row in headlines if row["verdict"] != INPUT], isolated=False)
    lines = [
        BEGIN,
        "",
        "## Results",
        "",
        *textwrap.wrap(summary(report), _WIDTH),
        "",
        *textwrap.wrap(
            f"Verdicts of the quick run (`./scripts/wordline reproduce {study} --quick --pages`, firmware image "
            f"`{report['image'][:12]}`): {counts(rows)}. {_full_run(report, full)} "
            f"[results/{study}.json](results/{study}.json) has every figure.",
            _WIDTH,
        ),
        "",
    ]
    if report["original_traces"]:
        lines += [f"With the original traces for {', '.join(report['original_traces'])}.", ""]
    for name in report["pictures"]:
        lines += [f"![{study}: {Path(name).stem}](images/{name})", ""]
    head = ["figure", "what", "paper", *_columns(full, study), "verdict", "why"]
    lines += _table(head, [_line(row, full, study, numbers, seen=False) for row in headlines])
    if texts:
        lines += ["", *_list_of(texts)]
    return "\n".join([*lines, "", DETAILS.format(study=study), "", END])


def details(report: Report, full: FullRuns) -> str:
    """All that a study has measured beside its headlines, for the site."""
    rows, study = report["figures"], report["study"]
    headlines = [row for row in rows if row["kind"] == "headline"]
    others = [
        row for row in rows if row["kind"] != "headline" and row["verdict"] not in (GREEN, INPUT, UNMEASURABLE, FOUND)
    ]
    texts, numbers = _causes([*headlines, *others])
    head = ["figure", "what", "paper", *_columns(full, study), "state", "verdict", "why", "seen"]
    lines = [
        "### Headlines, with what was seen",
        "",
        "*Here* is the mean over seeds where an interval stands beside it; *seen*, *why* and the tables are of the first seed.",
        "",
        *_table(head, [_line(row, full, study, numbers) for row in headlines]),
    ]
    if others:
        lines += ["", "### Details that are not green", ""]
        lines += _table(head, [_line(row, full, study, numbers) for row in others])
    changed = [(row, other) for row, other in full.others(report) if row not in headlines and row not in others]
    if changed:
        lines += ["", "### Details that are green here and not in the full run, or the other way round", ""]
        lines += _table(
            ["figure", "what", "paper", "here", "verdict", "full run", "verdict"],
            [
                [f"`{row['id']}`"]
                + [_cell(text) for text in (row["what"], _paper(row), here(row), row["verdict"])]
                + [_cell(text) for text in (here({**row, **other}), other["verdict"])]
                for row, other in changed
            ],
        )
    if texts:
        lines += ["", "### Why", "", *_list_of(texts)]
    for section in report["tables"]:
        lines += ["", *_section(section, "###")]
    return "\n".join(lines)


def _columns(full: FullRuns, study: str) -> list[str]:
    """What _values() gives."""
    return ["here", "full run", "iss"] if study in full else ["here", "iss"]


def _list_of(texts: Sequence[str]) -> list[str]:
    return [
        line
        for number, text in enumerate(texts, 1)
        for line in textwrap.wrap(f"{number}. {text}", _WIDTH, subsequent_indent="   ")
    ]


def _section(section: dict[str, Any], level: str) -> list[str]:
    """A table of a study. With `detail` it stands in the list of every figure alone."""
    rows = [[_cell(shown(value)) for value in row] for row in section["rows"]]
    text = textwrap.wrap(section["text"], _WIDTH)
    return [f"{level} {section['title']}", "", *text, "", *_table(section["head"], rows)]


def _full_run(report: Report, full: FullRuns) -> str:
    """Whether there is one, and what it says."""
    study = report["study"]
    command = f"`./scripts/wordline reproduce {study} --pages`"
    if study not in full:
        return f"There is no full run of this study: {command} makes it, in about an hour of a processor."
    rows = [row for row in (full.figure(study, figure["id"]) for figure in report["figures"]) if row is not None]
    other = len(full.others(report))
    return (
        f"Verdicts of the full run ({command}, firmware image `{full.image(study)[:12]}`): {counts(rows)}; "
        f"{other or 'no'} figure{'s have' if other != 1 else ' has'} another verdict than here."
    )


def _line(row: Row, full: FullRuns, study: str, numbers: dict[str, int], seen: bool = True) -> list[str]:
    """A figure's row; with its state and what was seen on the site alone."""
    number = str(numbers.get(row["id"], ""))
    what = f"{row['what']}{' (' + row['condition'] + ')' if row['condition'] and seen else ''}"
    last = [row["state"], row["verdict"], number, row["note"]] if seen else [row["verdict"], number]
    return [f"`{row['id']}`", *map(_cell, [what, _paper(row), *_values(row, full, study), *last])]


def put(report: Report, full: FullRuns, page: Path) -> None:
    """Replaces the results within a paper's page."""
    text = page.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise StudyError(
            f"{page}: expected one line {BEGIN} and, after it, one line {END}, which the results go between"
        )
    before, _, rest = text.partition(BEGIN)
    page.write_text(before + results(report, full) + rest.partition(END)[2])


def every_figure(report: Report) -> str:
    """The list that a study leaves beside its runs."""
    rows = report["figures"]
    lines = [
        f"# {report['title']}",
        "",
        f"{report['paper']}. `wordline reproduce {report['study']}{' --quick' if report['quick'] else ''}`: {counts(rows)}.",
        "",
        *_table(
            ["figure", "what, in the paper", "paper", "here", "iss", "difference", "state", "verdict", "why", "seen"],
            [
                [
                    f"`{row['id']}`",
                    _cell(f"{row['what']} ({row['where']}{'; ' + row['condition'] if row['condition'] else ''})"),
                    _cell(_paper(row)),
                    _cell(here(row)),
                    _cell(_on_cores(row)),
                    row["difference"],
                    row["state"],
                    row["verdict"],
                    _cell(why(row)),
                    _cell(row["note"]),
                ]
                for row in rows
            ],
        ),
    ]
    for title, head, texts in (
        ("The paper's platform", "here", report["platform"]),
        ("Not modelled", "why", report["mechanism"]),
    ):
        if texts:
            lines += ["", f"## {title}", ""]
            lines += _table(["what", head], [[f"`{name}`", _cell(text)] for name, text in texts.items()])
    for section in report["tables"]:
        lines += ["", *_section(section, "##")]
    return "\n".join(lines) + "\n"
