# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline fit`: finds the values of a few keys from measured fio points, and says how well the points determine them.

The points are those of configs/validation/NAME.toml, or of --points FILE, in the series of reads that have a goal; with
--writes in those of writes. The IOPS of the
model are brought to those measured: damped least squares (Levenberg-Marquardt) on the logarithms, from the values of the
drive file or of --start. A key that is a list, such as nand.timing.t_r, is scaled as a whole. With --half every second
point of a series is kept aside, and what the drive says of these is a prediction."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .framework.fitted import Fitted
from .framework.table import columns
from .framework.points import Point, Program, StudyError
from .framework.runner import Runner
from .real_drive import Measured, Series, Validation, measured_series, point_of, rate_of, value_of

STEP = 0.02  # step of a key, relative, to see what it changes
DONE = 0.001  # a step that moves no key by more than this share ends the search
LIMIT = math.log(2)  # no step changes a key by more than this factor
UNDETERMINED = 0.25  # a relative standard error beyond this is said


@dataclasses.dataclass(frozen=True)
class Solution:
    """`factors` by key, relative to the start; `errors`: their standard errors, relative, NaN where the points do not
    tell; `residuals`: log(model / measured) of the points that were fitted on."""

    factors: np.ndarray
    errors: np.ndarray
    residuals: np.ndarray
    rounds: int


Residuals = Callable[[list[np.ndarray]], list[np.ndarray]]


def least_squares(residuals: Residuals, count: int, rounds: int) -> Solution:
    """Levenberg-Marquardt in the logarithms of `count` factors. `residuals` answers several sets of factors at once."""
    at = np.zeros(count)
    (here,) = residuals([np.exp(at)])
    damping, used = 1e-3, 0
    slopes = np.zeros((len(here), count))
    for used in range(1, rounds + 1):
        steps = [np.exp(at + math.log1p(STEP) * np.eye(count)[i]) for i in range(count)]
        slopes = np.column_stack([(moved - here) / math.log1p(STEP) for moved in residuals(steps)])
        normal = slopes.T @ slopes
        better = False
        while damping < 1e6:
            weight = np.diag(np.maximum(np.diag(normal), 1e-9))
            step = np.clip(np.linalg.solve(normal + damping * weight, -slopes.T @ here), -LIMIT, LIMIT)
            (there,) = residuals([np.exp(at + step)])
            better = bool(there @ there < here @ here)
            if better:
                at, here, damping = at + step, there, damping / 10
                break
            damping *= 10
            if np.max(np.abs(step)) < DONE:
                break
        if not better or np.max(np.abs(step)) < DONE:
            break
    freedom = len(here) - count
    variance = here @ here / freedom if freedom > 0 else math.nan
    normal = slopes.T @ slopes
    if np.linalg.matrix_rank(normal, tol=1e-6) == count:
        errors = np.sqrt(variance * np.diag(np.linalg.inv(normal)))
    else:
        moves = np.diag(normal) > 1e-6
        errors = np.where(moves & (moves.sum() == 1), np.sqrt(variance / np.maximum(np.diag(normal), 1e-12)), math.nan)
    return Solution(np.exp(at), errors, here, used)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="NAME|FILE",
        help="configs/validation/NAME.toml, with configs/ssds/NAME.toml; or a folder of fio's JSON results, a trace of blktrace, or a CSV file",
    )
    parser.add_argument(
        "--key", action="append", default=[], metavar="KEY", help="fit this key (default: those that the file names)"
    )
    parser.add_argument(
        "--start",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="begin there (default: the drive file's value)",
    )
    parser.add_argument("--points", type=Path, metavar="FILE", help="CSV file whose points are taken instead")
    parser.add_argument("--writes", action="store_true", help="fit on the writes (default: on the reads)")
    parser.add_argument("--half", action="store_true", help="fit on every second point, predict the others")
    parser.add_argument("--drive", type=Path, metavar="TOML", help="of FILE: what is known of it (default: zns_a.toml)")
    parser.add_argument("--device", default="", metavar="NAME", help="of FILE: the rows of this device")
    parser.add_argument("--waf", type=float, metavar="X", help="of FILE: its write amplification, full, random writes")
    parser.add_argument("--steady", type=float, metavar="IOPS", help="of FILE: its steady 4 KiB random writes a second")
    parser.add_argument(
        "--trials",
        type=int,
        metavar="N",
        help="of a drive file: fit sweeps that it makes itself, count what comes back",
    )
    parser.add_argument(
        "--emulate",
        action="store_true",
        help="of --trials: answer without a run where others were near by; says how far off",
    )
    parser.add_argument("--rounds", type=int, default=12, metavar="N", help="at most so many rounds (default: 12)")
    parser.add_argument(
        "-o", "--out", type=Path, default=Path("out/fit"), metavar="DIR", help="folder for all runs (default: out/fit)"
    )
    parser.add_argument(
        "-j", "--jobs", type=int, default=0, metavar="N", help="runs at a time (default: as many as processors)"
    )


def command(program: Program, arguments: argparse.Namespace, root: Path) -> int:
    """Prints the values, their errors, and the points. Returns 0, or 1 when a point failed."""
    if arguments.rounds < 1:
        raise StudyError(f"--rounds {arguments.rounds}: expected 1 or more")
    if arguments.emulate and arguments.trials is None:
        raise StudyError("--emulate says how trials are answered: add --trials N")
    if "/" in arguments.name or Path(arguments.name).exists():
        from . import fit_trials, sweep_fit  # need scipy

        if arguments.trials is not None:
            return fit_trials.command(program, arguments)
        return sweep_fit.command(program, arguments, root)
    if arguments.trials is not None:
        raise StudyError(f"--trials is for a drive file: configs/ssds/{arguments.name}.toml")
    validation = Validation.named(root, arguments.name)
    if arguments.points:
        validation = measured_series(validation, arguments.points)
    wanted, other = ("write", "read") if arguments.writes else ("read", "write")
    series = [s for s in validation.series if s.goal and s.operation == wanted]
    if not series and any(s.goal and s.operation == other for s in validation.series):
        change = "leave --writes out" if arguments.writes else "add --writes"
        raise StudyError(f"{arguments.name}: no {wanted}s of it have a goal, {other}s have: {change}")
    drive = root / "configs/ssds" / f"{arguments.name}.toml"
    keys = fitted_keys(program, validation, series, drive, arguments)
    chosen, kept = split(series, arguments.half)
    if len(chosen) < len(keys):
        raise StudyError(f"{len(chosen)} points cannot tell {len(keys)} values: fewer keys (--key), or more points")

    def at(factors: np.ndarray, places: list[tuple[Series, Measured]]) -> list[Point]:
        sets = {key.key: key.at(factor) for key, factor in zip(keys, factors)}
        return [point_of(drive, s, measured, sets) for s, measured in places]

    with Runner(program, arguments.out / arguments.name, arguments.jobs) as runner:

        def errors(sets: list[np.ndarray], places: list[tuple[Series, Measured]]) -> list[np.ndarray]:
            outcomes = runner.run([point for factors in sets for point in at(factors, places)])
            found = []
            for outcome, (s, measured) in zip(outcomes, places * len(sets)):
                found.append(math.log(rate_of(s, outcome.result()) / measured.iops))
            return list(np.array(found).reshape(len(sets), len(places)))

        solution = least_squares(lambda sets: errors(sets, chosen), len(keys), arguments.rounds)
        predicted = errors([solution.factors], kept)[0] if kept else np.array([])
    print(report(keys, solution, chosen, kept, predicted))
    return 0


def fitted_keys(
    program: Program, validation: Validation, series: list[Series], drive: Path, arguments: argparse.Namespace
) -> list[Fitted]:
    """The keys asked for, or those of the file whose points are in series with a goal."""
    names = {s.name for s in series}
    keys = arguments.key or [f["key"] for f in validation.fitted if f["series"] in names]
    config = program.effective_config(Point.make(drive, point_of(drive, *first(series), {}).workload, {}))
    starts = {}
    for text in arguments.start:
        key, equals, value = text.partition("=")
        if not equals or key not in keys:
            raise StudyError(f"--start {text}: expected KEY=VALUE of a key that is fitted: {', '.join(keys)}")
        starts[key] = [part.strip(" \"'") for part in value[1:-1].split(",")] if value.startswith("[") else value
    found = []
    for key in keys:
        try:
            found.append(Fitted(key, starts.get(key, value_of(config, key))))
        except KeyError as error:
            raise StudyError(f"--key {key}: no such key") from error
        found[-1].at(1.0)
    return found


def first(series: list[Series]) -> tuple[Series, Measured]:
    if not series or not series[0].points:
        raise StudyError("no series with a goal has points")
    return series[0], series[0].points[0]


def split(series: list[Series], half: bool) -> tuple[list[tuple[Series, Measured]], list[tuple[Series, Measured]]]:
    """Points to fit on, and points to predict: with `half` every second of each series, its ends fitted on."""
    chosen, kept = [], []
    for s in series:
        for i, measured in enumerate(s.points):
            (kept if half and i % 2 else chosen).append((s, measured))
    return chosen, kept


def report(
    keys: list[Fitted],
    solution: Solution,
    chosen: list[tuple[Series, Measured]],
    kept: list[tuple[Series, Measured]],
    predicted: np.ndarray,
) -> str:
    lines = [["key", "start", "fitted", "standard error"]]
    for key, factor, error in zip(keys, solution.factors, solution.errors):
        told = f"{error * 100:.1f} %" if math.isfinite(error) else "not determined by these points"
        if math.isfinite(error) and error > UNDETERMINED:
            told += ": these points hardly tell"
        lines.append([key.key, str(key.start), str(key.at(factor)), told])
    out = [columns(lines)]
    for title, places, errors in (("fitted on", chosen, solution.residuals), ("predicted", kept, predicted)):
        if not places:
            continue
        lines = [["series", "QD", "kIOPS measured", "error, %"]]
        for (s, measured), error in zip(places, errors):
            percent = (math.exp(error) - 1) * 100
            lines.append([s.name, str(measured.qd), f"{measured.iops / 1000:.2f}", f"{percent:+.1f}"])
        size = np.abs(np.exp(errors) - 1) * 100
        out += [
            f"{title}: {len(places)} points, median of the absolute errors {np.median(size):.1f} %, worst {max(size):.1f} %"
        ]
        out += [columns(lines)]
    out.append(f"{solution.rounds} rounds; standard errors are those of least squares, from what the points leave over")
    return "\n".join(out)
