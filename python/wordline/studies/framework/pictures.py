# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of studies. The same numbers give the same bytes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import matplotlib.ticker  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

if TYPE_CHECKING:
    from .rows import Row
    from .space import Axis

COLOURS = ["#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#eeca3b", "#9d755d"]
MARKERS = "osD^vP*X"
_FAILED = "#e8e8e8"
_CHEAPEST = "#d62728"
_LEAST_RATIO, _LARGEST_RATIO = 1 / 1.5, 1.5  # limits of bars of ratios
_LEAST_RANGE = 4.0  # of a logarithmic axis


def save(figure: plt.Figure, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120, metadata={"Software": None}, bbox_inches="tight")
    plt.close(figure)
    return path


def short(number: float) -> str:
    """Three digits: 912, 45.6 k, 1.23 M."""
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if number >= unit:
            return f"{number / unit:.3g}{name}" if number < 1000 * unit else f"{number / unit:.0f}{name}"
    return f"{number:.3g}"


def heat_map(rows: Sequence[Row], axes: Sequence[Axis], workload: str, path: Path) -> Path:
    """IOPS as colour; in each cell IOPS, p99.9, what limits; a frame around the cheapest point within 1 % of the best.
    The first axis goes up, the second to the right, and each combination of the others is a panel."""
    rows = [row for row in rows if row.workload == workload]
    up = axes[0]
    across = axes[1] if len(axes) > 1 else None
    panels = list(itertools.product(*(axis.values for axis in axes[2:])))
    width = len(across.values) if across else 1
    figure, frames = plt.subplots(
        1,
        len(panels),
        squeeze=False,
        sharey=True,
        figsize=((1.55 * width + 1.0) * len(panels) + 1.2, 0.85 * len(up.values) + 1.6),
    )
    top = max((row.iops or 0 for row in rows), default=0) or 1
    colours = matplotlib.colormaps["YlGnBu"]
    for frame, panel in zip(frames[0], panels):
        grid = np.full((len(up.values), width), np.nan)
        for row in rows:
            if any(row.values[axis.key] != value for axis, value in zip(axes[2:], panel)):
                continue
            y = up.values.index(row.values[up.key])
            x = across.values.index(row.values[across.key]) if across else 0
            grid[y, x] = np.nan if row.iops is None else row.iops
            _cell(frame, x, y, row, dark=(row.iops or 0) > 0.55 * top)
        frame.imshow(np.ma.masked_invalid(grid), cmap=colours, vmin=0, vmax=top * 1.1, origin="lower", aspect="auto")
        frame.set_facecolor(_FAILED)
        frame.set_yticks(range(len(up.values)), up.values)
        frame.set_xticks(range(width), across.values if across else [""])
        frame.set_xlabel(across.key if across else "")
        frame.tick_params(length=0)
        for side in frame.spines.values():
            side.set_visible(False)
        frame.set_xticks(np.arange(width + 1) - 0.5, minor=True)
        frame.set_yticks(np.arange(len(up.values) + 1) - 0.5, minor=True)
        frame.grid(which="minor", color="white", linewidth=2)
        frame.tick_params(which="minor", length=0)
        if panel:
            frame.set_title(", ".join(f"{axis.key} = {value}" for axis, value in zip(axes[2:], panel)), fontsize=10)
    frames[0][0].set_ylabel(up.key)
    bar = figure.colorbar(frames[0][-1].images[0], ax=list(frames[0]), pad=0.02, aspect=30)
    bar.set_label("IOPS")
    bar.ax.yaxis.set_major_formatter(lambda value, _: short(value))
    bar.outline.set_visible(False)
    figure.suptitle(
        f"{workload}: IOPS, p99.9 latency, what limits; framed: the cheapest within 1 % of the best",
        x=0.02,
        ha="left",
        fontsize=11,
    )
    return save(figure, path)


def _cell(frame: plt.Axes, x: int, y: int, row: Row, dark: bool) -> None:
    if row.error:
        frame.text(x, y, "failed", ha="center", va="center", color="#777777", fontsize=9)
        return
    tails = [
        f"{name} {tail / 1e6:,.0f} us"
        for name, tail in (("r", row.read_p99_9_ps), ("w", row.write_p99_9_ps))
        if tail is not None
    ]
    if len(tails) == 1:
        tails = [tails[0][2:]]
    colour = "white" if dark else "#222222"
    frame.text(
        x, y + 0.22, short(row.iops or 0), ha="center", va="center", color=colour, fontsize=11, fontweight="bold"
    )
    frame.text(x, y - 0.05, "  ".join(tails), ha="center", va="center", color=colour, fontsize=7)
    frame.text(
        x,
        y - 0.28,
        row.limit_text(),
        ha="center",
        va="center",
        color=colour,
        fontsize=8,
    )
    if row.cheapest:
        frame.add_patch(
            Rectangle((x - 0.47, y - 0.46), 0.94, 0.92, fill=False, edgecolor=_CHEAPEST, linewidth=2.5, zorder=5)
        )


def bars(
    panels: dict[str, dict[str, dict[str, float | None]]], legend: str, ylabel: str, path: Path, *, ratios: bool = False
) -> Path:
    """Groups of bars: {panel: {group: {bar: value}}}; the bars have one colour in all groups, and `legend` heads their
    names. Missing values leave a gap. `ratios`: up and down from 1, a ratio and its inverse equally far; a bar that would
    leave the picture ends at its edge and has its value written there."""
    panels = {name: groups for name, groups in panels.items() if groups}
    names = list(dict.fromkeys(bar for groups in panels.values() for group in groups.values() for bar in group))
    shades = matplotlib.colormaps["viridis_r"](np.linspace(0.12, 0.95, max(2, len(names))))  # sizes, shares
    if ratios:
        shades = matplotlib.colormaps["tab20"].colors
    widest = max((len(groups) for groups in panels.values()), default=1)
    columns = 2 if len(panels) > 1 and widest <= 8 else 1
    lines = -(-len(panels) // columns)
    figure, frames = plt.subplots(
        lines, columns, squeeze=False, sharey=True, figsize=(columns * (1.05 * widest + 1.0), 2.7 * lines + 0.7)
    )
    for frame in frames.flat[len(panels) :]:
        frame.set_visible(False)
    for frame, (title, groups) in zip(frames.flat, panels.items()):
        for place, group in enumerate(groups.values()):
            for number, bar in enumerate(names):
                if (value := group.get(bar)) is not None:
                    at = place + (number + 0.5) / len(names) * 0.84 - 0.42
                    frame.bar(
                        at,
                        value - 1 if ratios else value,
                        0.84 / len(names),
                        bottom=1 if ratios else 0,
                        color=shades[number],
                        label=bar if place == 0 else None,
                    )
                    if ratios and not _LEAST_RATIO < value < _LARGEST_RATIO:
                        edge = _LARGEST_RATIO if value > 1 else _LEAST_RATIO
                        side = "bottom" if value > 1 else "top"
                        frame.text(at, edge, short(value), fontsize=7, ha="center", va=side)
        frame.axhline(1, color="#888888", linewidth=0.8, zorder=0)
        if ratios:
            frame.set_yscale("log", base=2)
            frame.set_ylim(_LEAST_RATIO, _LARGEST_RATIO)
            frame.set_yticks([1 / 1.5, 0.8, 1, 1.25, 1.5], ["0.67", "0.8", "1", "1.25", "1.5"])
            frame.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
        frame.set_xticks(range(len(groups)), list(groups), fontsize=9)
        frame.tick_params(axis="x", length=0, pad=11 if ratios else 3.5)
        frame.set_title(title, fontsize=10, loc="left", pad=14 if ratios else None)
        for side in ("top", "right"):
            frame.spines[side].set_visible(False)
        frame.grid(axis="y", linewidth=0.3)
        frame.set_axisbelow(True)
    for row in frames:
        row[0].set_ylabel(ylabel)
    known: dict[str, object] = {}  # a panel may lack some
    for frame in frames.flat:
        handles, labels = frame.get_legend_handles_labels()
        known |= dict(zip(labels, handles))
    figure.legend(
        known.values(),
        known.keys(),
        title=legend,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
        fontsize=9,
    )
    figure.tight_layout()
    return save(figure, path)


def curves(panels: dict[str, dict[str, dict[float, float | None]]], xlabel: str, ylabel: str, path: Path) -> Path:
    """Lines with marks: {panel: {line: {x: y}}}."""
    panels = {name: lines for name, lines in panels.items() if lines}
    figure, frames = plt.subplots(
        1, max(1, len(panels)), squeeze=False, sharey=True, figsize=(4.6 * max(1, len(panels)) + 0.6, 3.4)
    )
    for frame, (title, lines) in zip(frames[0], panels.items()):
        for number, (name, line) in enumerate(lines.items()):
            known = {x: y for x, y in line.items() if y is not None}
            frame.plot(
                list(known),
                list(known.values()),
                marker="o",
                markersize=4,
                label=name,
                color=COLOURS[number % len(COLOURS)],
            )
        frame.axhline(0, color="#888888", linewidth=0.8, zorder=0)
        frame.set_xlabel(xlabel)
        frame.set_title(title, fontsize=10, loc="left")
        frame.grid(linewidth=0.3)
        for side in ("top", "right"):
            frame.spines[side].set_visible(False)
        frame.legend(frameon=False, fontsize=8)
    frames[0][0].set_ylabel(ylabel)
    figure.tight_layout()
    return save(figure, path)


def errors_of_points(points: list[str], errors: dict[str, list[tuple[str, float]]], path: Path) -> Path:
    """{metric: [(point, error in percent)]}: a line for each point, the first one on top."""
    figure, frame = plt.subplots(figsize=(7.5, 0.9 + 0.3 * len(points)))
    for number, (metric, found) in enumerate(errors.items()):
        if found:
            x, y = [error for _, error in found], [points.index(point) for point, _ in found]
            frame.plot(x, y, MARKERS[number], markersize=5, color=COLOURS[number], label=metric)
    frame.axvline(0, linewidth=0.8, color="black")
    frame.set_yticks(range(len(points)), points, fontsize=7)
    frame.invert_yaxis()
    frame.set_xlabel("error of the model, %", fontsize=8)
    frame.grid(linewidth=0.3)
    frame.tick_params(axis="x", labelsize=7)
    for side in ("top", "right"):
        frame.spines[side].set_visible(False)
    frame.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    figure.tight_layout()
    return save(figure, path)


def measured_and_model(
    panels: dict[str, dict[str, list[tuple[float, float, float]]]], xlabel: str, ylabel: str, path: Path
) -> Path:
    """{panel: {line: [(x, measured, of the model)]}}, both axes logarithmic: dots are measured, lines the model's."""
    wide = min(len(panels), 3)
    rows = -(-len(panels) // wide)
    figure, frames = plt.subplots(rows, wide, squeeze=False, figsize=(4.2 * wide, 2.9 * rows))
    for frame in frames.flat[len(panels) :]:
        frame.set_visible(False)
    for frame, (title, lines) in zip(frames.flat, panels.items()):
        for number, (name, found) in enumerate(lines.items()):
            x, measured, model = zip(*found)
            frame.plot(x, measured, "o", markersize=4, color=COLOURS[number], label=f"{name}, measured")
            frame.plot(x, model, linewidth=1.2, color=COLOURS[number], label="model")
        frame.set_xscale("log", base=2)
        frame.set_yscale("log")
        frame.xaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
        # A miss of some percent looks like one: no panel shows less than a range of four.
        low, high = frame.get_ylim()
        wider = max(_LEAST_RANGE / (high / low), 1) ** 0.5
        frame.set_ylim(low / wider, high * wider)
        frame.yaxis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1, 2, 5)))
        frame.yaxis.set_major_formatter(matplotlib.ticker.EngFormatter(sep=""))
        frame.yaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
        frame.set_xlabel(xlabel, fontsize=8)
        frame.set_ylabel(ylabel, fontsize=8)
        frame.set_title(title, fontsize=9, loc="left")
        frame.grid(linewidth=0.3)
        frame.tick_params(labelsize=7)
        for side in ("top", "right"):
            frame.spines[side].set_visible(False)
        frame.legend(frameon=False, fontsize=7)
    figure.tight_layout()
    return save(figure, path)
