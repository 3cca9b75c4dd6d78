# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline fit DRIVE.toml --trials N`: how often the values of a drive that is known come back.

In each trial every value is moved by up to a quarter, the drive is measured by runs with a seed of their own and longer
ones, each rate gets noise of 3 %, and the fit begins at the drive file. It does not know what moved.

The fit is that of `fit FILE`. It asks the model some two thousand times, in all trials near the same values: with
--emulate an emulator answers where it can (framework/emulator.py), and what it was off is told.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from pathlib import Path

import numpy as np
from scipy.stats import beta

from .framework.emulator import TOLERANCE, Emulator
from .framework.identify import identify
from .framework.points import Program, StudyError
from .framework.runner import Runner
from .framework.sweep import Place, Repeated
from .framework.table import columns
from .sweep_fit import Fitting, Quiet, fitted_keys, title

MOVED, NOISE = 0.25, 0.03
SMALL = {
    "nand.blocks_per_plane": 128,
    "cpu.model": "native",
}  # its times are those of the whole drive, its fill is short
PLAN = tuple(
    [Place("randread", 4096, 1, qd) for qd in (1, 4, 16, 64, 256)]
    + [Place("randread", 16384, 1, qd) for qd in (1, 8, 32, 128)]
    + [Place("randread", 131072, 1, qd) for qd in (1, 4, 32)]
    + [Place("write", 4096, 1, qd) for qd in (1, 4)]
    + [Place("write", 16384, 1, qd) for qd in (1, 16)]
    + [Place("write", 131072, 1, qd) for qd in (8, 32)]
)


def command(program: Program, arguments: argparse.Namespace) -> int:
    drive = Path(arguments.name).resolve()
    if arguments.trials < 1:
        raise StudyError(f"--trials {arguments.trials}: expected 1 or more")
    plan = [Repeated(place, 1.0, {}, None) for place in PLAN]
    derived = {key: (value, "") for key, value in SMALL.items()}
    keys, candidates = fitted_keys(program, drive, derived, plan, arguments.key)
    matters = np.array([[p.place.rw in c.of for p in plan] for c in candidates])
    within = np.zeros(len(keys), int)
    identified = np.zeros(len(keys), int)
    told = np.zeros(len(keys), int)
    widths: list[list[float]] = [[] for _ in keys]
    rows: list[list[str]] = []
    every = 0
    with Runner(program, arguments.out / f"{drive.stem}_trials", arguments.jobs) as runner:
        model = Fitting(runner, drive, SMALL, keys, plan)
        emulator = Emulator(lambda sets: model.rates(sets, Quiet), matters)
        rates_of = emulator.rates if arguments.emulate else emulator.run
        for trial in range(1, arguments.trials + 1):
            random = np.random.default_rng(trial)
            truth = random.uniform(-MOVED, MOVED, len(keys))
            real = Fitting(runner, drive, {**SMALL, "run.seed": 1000 + trial}, keys, plan, longer=2)
            (rates,) = real.rates([(truth, np.ones(len(plan), bool))], Quiet)
            noisy = rates * np.exp(random.normal(0, NOISE, len(plan)))
            found = identify(
                lambda sets: [np.log(rates / noisy) for rates in rates_of(sets)], matters, arguments.rounds
            )
            every += all(e.low <= true <= e.high for e, true in zip(found.values, truth))
            for k, estimate in enumerate(found.values):
                inside = estimate.low <= truth[k] <= estimate.high
                within[k] += inside
                identified[k] += estimate.identified
                told[k] += inside and estimate.identified
                if estimate.identified:
                    widths[k].append((estimate.high - estimate.low) / 2)
                factors = (truth[k], estimate.value, estimate.low, estimate.high)
                rows.append([str(trial), keys[k].key, *(f"{math.exp(v):.4f}" for v in factors)])
            write_rows(rows, runner.folder / "trials.csv")
            answered = (
                f"; {emulator.ran} of {emulator.answers} answers by runs, emulated ones off by "
                f"{100 * emulator.deviation():.2f} %"
            )
            print(
                f"trial {trial}: {within.sum()} of {trial * len(keys)} values within their intervals, "
                f"{identified.sum()} identified, {told.sum()} of these within{answered if arguments.emulate else ''}",
                file=sys.stderr,
                flush=True,
            )
    count = arguments.trials
    lines = [["key", "within", "95 % interval of the share, %", "identified", "of these within", "interval, +- %"]]
    for k, key in enumerate(keys):
        width = f"{100 * math.expm1(float(np.median(widths[k]))):.1f}" if widths[k] else "-"
        share = of_share(int(within[k]), count)
        lines.append([key.key, f"{within[k]} of {count}", share, str(identified[k]), str(told[k]), width])
    total = int(within.sum())
    lines.append(["all", f"{total} of {count * len(keys)}", "-", str(identified.sum()), str(told.sum()), "-"])
    print(columns(lines).rstrip())
    print(
        f"{count} trials of {len(plan)} points with noise of {100 * NOISE:.0f} %: "
        f"{total} of {count * len(keys)} values lie within their 95 % intervals; all {len(keys)} of a trial in {every}"
    )
    if emulator.answers:
        lines = [["point", "QD", "runs", "checked", "emulated answers off by, %"]]
        for p, point in enumerate(plan):
            off = f"{100 * emulator.deviation(p):.2f}" if emulator.checked(p) else "-"
            runs, checked = emulator.runs(p), len(emulator.checked(p))
            lines.append([title(point.place), str(point.place.qd), str(runs), str(checked), off])
        print(columns(lines).rstrip())
        print(
            f"{emulator.ran} of {emulator.answers} answers of the model are runs; of the others, which the emulator "
            f"held to be within {100 * TOLERANCE:g} %, {len(emulator.checks)} were run: "
            f"off by {100 * emulator.deviation():.2f} %"
        )
    return 0


def write_rows(rows: list[list[str]], path: Path) -> None:
    """Factors on the values of the drive file: a miss of an interval can be looked into."""
    with path.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["trial", "key", "true", "found", "low", "high"])
        lines.writerows(rows)


def of_share(within: int, count: int) -> str:
    """Clopper and Pearson's interval."""
    low = beta.ppf(0.025, within, count - within + 1) if within else 0.0
    high = beta.ppf(0.975, within + 1, count - within) if within < count else 1.0
    return f"{100 * low:.0f} to {100 * high:.0f}"
