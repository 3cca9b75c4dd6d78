# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What `wordline validate` says: the tables on a terminal, and the page with its files."""

from __future__ import annotations

import csv
import re
import statistics
from pathlib import Path
from typing import Any

from .framework.sweep import LATENCIES
from .framework.table import columns
from .real_drive import READ_GOALS

PAGE = """# Held against real drives

This page compares the drive files of Wordline with public measurements of drives that can be bought. Every point is in a CSV file. A star
marks the queue depths at which values of the drive file were fitted; all other points are predictions.

{headline}

Authors of other simulators state these errors, on other drives: SwarmIO 7.7 % of IOPS, MQSim 6 to 18 %, FEMU 0.5 to 38 %,
learned models 3 to 37 %.

`./scripts/wordline validate --markdown docs/validation.md` makes this page. `--points FILE` compares the
same drives with the points of a file (columns {columns}, or those of SSD-iq's rates; latencies in us).
`./scripts/wordline fit NAME` repeats a fit; `fit NAME --half` fits every second point and predicts the others.

## A drive of yours

<!-- by hand: minutes -->
```
./scripts/wordline fit MY_SWEEP --half        # fio's JSON results, blktrace's trace, or a CSV file with the columns above
```

This writes `out/fit/MY_SWEEP/drive.toml`, in which each value has a 95 % interval or is marked as assumed, and a report of every
point. Interrupted, it goes on. `--drive FILE` gives what is known of the drive (dies, bus, link; otherwise
`zns_a.toml`). Over-provisioning follows from `--waf` or `--steady`. `--key` names the only keys to fit.

Measure closed loops, each long enough to exceed the write buffer. On a full drive, measure random reads of 4 and 16 KiB at QD 1 to 256
(they give tR, cost of a command, set-up of DMA, bus) and of 128 KiB (link). On a formatted drive, measure writes of 4, 16 and 128 KiB at
QD 1 to 32 (write latency, tPROG). Such a sweep cannot tell dies from planes, or firmware time before a flash read from time after it.

The end of an interval is where the profile likelihood, found by runs, falls to 95 %.
{trials}

"""
HEADLINE = """The table has the median and the worst of the absolute errors in percent; latencies are of reads and writes. Drives of SSD-iq were
measured at given rates, so IOPS are those of saturated writes only. On 7450 MAX, 7450 PRO and P5520 nothing was fitted to these IOPS, but
the over-provisioning of 7450 MAX and P5520 follows from their WAF.

[Repetitions, and other drives of these types; nothing was fitted](data/validation_repetitions.csv)"""
TRIALS = """Intervals should contain 95 of 100 known values. In 100 trials of `fit configs/ssds/zns_a.toml
--trials 100 --emulate`, with `--key` for tR, tPROG, `link.dma_setup` and `nvme.write_latency` (18 points, noise of 3 %, values changed by up
to a quarter), they contain 89, 96, 94 and 94 (all: 90.4 to 95.3 %; emulated answers are off by 0.7 %).
The worst miss is by half an interval."""


def _lines(series: dict[str, Any]) -> list[list[str]]:
    head = ["QD", "kIOPS measured", "model", "error, %"]
    for name, _, _ in LATENCIES:
        title = name.replace("_", ".")
        head += [f"{title} measured, us", "model", "error, %"]
    lines = [head]
    for row in series["points"]:
        line = [f"{row['qd']}{'*' if row['fitted'] else ''}"]
        line += [f"{row['iops']['measured'] / 1000:.2f}", f"{row['iops']['model'] / 1000:.2f}"]
        line += [f"{row['iops']['error']:+.1f}"]
        for name, _, _ in LATENCIES:
            one = row.get(name)
            line += [f"{one['measured']:.1f}", f"{one['model']:.1f}", f"{one['error']:+.1f}"] if one else ["-"] * 3
        lines.append(line)
    return lines


def _in_words(summary: dict[str, float]) -> str:
    p99 = f"; of p99: worst {summary['worst_p99']:.1f} %" if "worst_p99" in summary else ""
    return f"errors of IOPS: median {summary['median_iops']:.1f} %, worst {summary['worst_iops']:.1f} %{p99}"


def _verdict(report: dict[str, Any]) -> str:
    """How the series with a goal come out."""
    found = [text for text in (_verdict_of_reads(report), _verdict_of_writes(report)) if text]
    return " ".join(found) or "No series with a goal was run."


def _names(report: dict[str, Any], operation: str) -> str:
    names = [s["name"] for s in report["series"] if s["operation"] == operation]
    with_goal = [s["name"] for s in report["series"] if s["operation"] == operation and s["goal"]]
    return f"All {operation}s" if with_goal == names else f"{operation.capitalize()}s with a goal"


def _verdict_of_reads(report: dict[str, Any]) -> str:
    summary, goal = report["summary"], report["goal"]
    if not summary:
        return ""
    missed = [name.replace("_", " of ", 1) for name in READ_GOALS if summary.get(name, 0) > goal[name]]
    aims = f"goals: at most {goal['median_iops']:g}, {goal['worst_iops']:g} and {goal['worst_p99']:g} %"
    outcome = "missed: " + ", ".join(missed) if missed else "met"
    verdict = f"{_names(report, 'read')}: {_in_words(summary)} ({aims}; {outcome})."
    if report["predicted"] and report["predicted"] != summary:
        verdict += f" Predicted points: {_in_words(report['predicted'])}."
    return verdict


def _verdict_of_writes(report: dict[str, Any]) -> str:
    writes, goal = report["writes"], report["goal"]
    if not writes:
        return ""
    words = {"steady_iops": "the rate at the greatest depth", "qd1_mean": "the mean latency at QD 1"}
    errors = ", ".join(f"{error:.1f} % for {words[name]} (goal: {goal[name]:g} %)" for name, error in writes.items())
    missed = [words[name] for name, error in writes.items() if error > goal[name]]
    return f"{_names(report, 'write')}: worst error {errors}; {'missed: ' + ', '.join(missed) if missed else 'met'}."


def text_of(report: dict[str, Any]) -> str:
    out = [f"{report['title']}: {report['source']}", ""]
    out += [f"fitted: {entry['key']} = {entry['value']}, on {entry['on']}" for entry in report["fitted"]]
    for series in report["series"]:
        out += ["", f"{series['name']} (* fitted on)"]
        if series["points"]:
            out += [columns(_lines(series)).rstrip(), _in_words(series)]
        if series["cause"]:
            out.append(f"Why: {series['cause']}")
    return "\n".join([*out, "", _verdict(report)])


def data_of(report: dict[str, Any]) -> str:
    """The file of every point, beside the page."""
    return f"data/validation_{report['name']}.csv"


def write_tables(report: dict[str, Any], folder: Path) -> None:
    """The fitted values, and the errors by series, as tables beside the page."""
    fitted = [["key", "value", "fitted to"]]
    for entry in report["fitted"]:
        value = entry["value"]
        fitted.append([entry["key"], " / ".join(value) if isinstance(value, list) else str(value), entry["on"]])
    errors = [["series", "points", "IOPS: median error, %", "worst, %", "p99: worst, %", "goal"]]
    for series in report["series"]:
        if series["points"]:
            found = [f"{series[name]:.1f}" if name in series else "-" for name in READ_GOALS]
            errors.append([series["name"], str(len(series["points"])), *found, "yes" if series["goal"] else "-"])
    (folder / "data").mkdir(exist_ok=True)
    for what, lines in (("fitted", fitted), ("errors", errors)):
        with (folder / f"data/validation_{report['name']}_{what}.csv").open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)


def picture_of(report: dict[str, Any]) -> str:
    return f"images/validation_{report['name']}.png"


def draw(report: dict[str, Any], path: Path) -> None:
    """IOPS of each series by depth; of an open loop latencies by what was offered; of single points their errors."""
    from .framework import pictures  # needs matplotlib

    path.parent.mkdir(exist_ok=True)
    if all(len(series["points"]) == 1 for series in report["series"]):
        rows = {series["name"]: series["points"][0] for series in report["series"]}
        names = {"iops": "IOPS", "p50": "p50", "p99": "p99"}
        errors = {t: [(at, r[n]["error"]) for at, r in rows.items() if n in r] for n, t in names.items()}
        pictures.errors_of_points(list(rows), errors, path)
        return
    names = {"p50": "p50", "p99": "p99", "p99_9": "p99.9"} if report["offered"] else {"iops": "IOPS"}
    panels: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    for series in report["series"]:
        for row in series["points"]:
            lines = panels.setdefault(re.split(", (?:by|QD) ", series["name"])[0], {t: [] for t in names.values()})
            for name, title in names.items():
                lines[title].append((row["qd"], row[name]["measured"], row[name]["model"]))
    x, y = ("thousand requests offered a second", "us") if report["offered"] else ("queue depth", "a second")
    pictures.measured_and_model(panels, x, y, path)


def write_points(report: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        for at, series in enumerate(s for s in report["series"] if s["points"]):
            head, *rows = _lines(series)
            lines.writerows([["series", *head]] * (at == 0) + [[series["name"], *row] for row in rows])


def headline(reports: list[dict[str, Any]]) -> str:
    """A line for each drive, over all of its points; those that nothing was fitted on once more, if they are fewer."""
    names = ("iops", *(name for name, _, _ in LATENCIES if name != "mean"), "waf")
    titles = " | ".join(n.upper() if n in ("iops", "waf") else n.replace("_", ".") for n in names)
    out = [f"| drive | points | fitted values | {titles} |"]
    out.append("|---|--:|--:|" + "--:|" * len(names))
    for report in reports:
        rows = [row for series in report["series"] for row in series["points"]]
        rates_given = report["offered"]
        predicted = [row for row in rows if not row["fitted"]]
        for some, what in ((rows, ""), (predicted if 0 < len(predicted) < len(rows) else [], ", predicted")):
            if some:
                cells = []
                for name in names:
                    # Below saturation the rate of an open loop is what was offered.
                    told = (
                        [row for row in _saturated(report) if row in some] if rates_given and name == "iops" else some
                    )
                    size = [abs(row[name]["error"]) for row in told if name in row]
                    worst = f", {max(size):.{0 if max(size) >= 10 else 1}f}" if len(size) > 1 else ""
                    cells.append(f"{statistics.median(size):.1f}{worst}" if size else "-")
                known = f"[{report['name']}](#{anchor(report)}){what}"
                out.append(f"| {known} | {len(some)} | {len(report['fitted'])} | {' | '.join(cells)} |")
    return "\n".join([*out, "", HEADLINE])


def _saturated(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        max(s["points"], key=lambda row: row["qd"])
        for s in report["series"]
        if s["operation"] == "write" and s["points"]
    ]


def anchor(report: dict[str, Any]) -> str:
    """Of the section, as Markdown makes it of a title."""
    kept = "".join(c for c in report["title"].lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def markdown(report: dict[str, Any]) -> str:
    out = [
        f"## {report['title']}",
        "",
        f"`configs/ssds/{report['name']}.toml`, after {report['source']}.",
    ]
    out += ["", _verdict(report)]
    out += ["", f"[Fitted values](data/validation_{report['name']}_fitted.csv)"]
    out += ["", f"[Errors by series](data/validation_{report['name']}_errors.csv)"]
    for row in (row for series in report["series"] for row in series["points"] if "waf" in row):
        waf = row["waf"]
        out += [
            "",
            f"Write amplification: measured {waf['measured']:.2f}, model {waf['model']:.2f} ({waf['error']:+.1f} %).",
        ]
    out += ["", f"![Measured and modelled]({picture_of(report)})"]
    out += ["", f"[Every point]({data_of(report)})"]
    if causes := [f"- {series['name']}: {series['cause']}." for series in report["series"] if series["cause"]]:
        out += ["", "Largest errors:", "", *causes]
    return "\n".join(out) + "\n"
