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
import numpy as np  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

if TYPE_CHECKING:
    from .explore import Axis, Row

COLOURS = ["#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#eeca3b", "#9d755d"]
_FAILED = "#e8e8e8"
_CHEAPEST = "#d62728"


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
    figure, frames = plt.subplots(1, len(panels), squeeze=False, sharey=True,
                                  figsize=((1.55 * width + 1.0) * len(panels) + 1.2, 0.85 * len(up.values) + 1.6))
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
    figure.suptitle(f"{workload}: IOPS, p99.9 latency, what limits; framed: the cheapest within 1 % of the best",
                    x=0.02, ha="left", fontsize=11)
    return save(figure, path)


def _cell(frame: plt.Axes, x: int, y: int, row: Row, dark: bool) -> None:
    if row.error:
        frame.text(x, y, "failed", ha="center", va="center", color="#777777", fontsize=9)
        return
    tails = [f"{name} {tail / 1e6:,.0f} us"
             for name, tail in (("r", row.read_p99_9_ps), ("w", row.write_p99_9_ps)) if tail is not None]
    if len(tails) == 1:
        tails = [tails[0][2:]]
    colour = "white" if dark else "#222222"
    frame.text(x, y + 0.22, short(row.iops or 0), ha="center", va="center", color=colour, fontsize=11,
               fontweight="bold")
    frame.text(x, y - 0.05, "  ".join(tails), ha="center", va="center", color=colour, fontsize=7)
    frame.text(x, y - 0.28, f"{row.limit} {100 * (row.limit_busy or 0):.0f} %", ha="center", va="center", color=colour,
               fontsize=8)
    if row.cheapest:
        frame.add_patch(Rectangle((x - 0.47, y - 0.46), 0.94, 0.92, fill=False, edgecolor=_CHEAPEST, linewidth=2.5,
                                  zorder=5))
