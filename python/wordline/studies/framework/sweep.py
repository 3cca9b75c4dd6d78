# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A sweep of a real drive as its owner has it: a folder of fio's JSON results, a trace, or a CSV file of points."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .points import StudyError
from .traced import is_trace, read_trace

OPERATIONS = {"randwrite": "writerand"}  # as the source of the project's points writes them; others have fio's name
ALSO = {"writerand": "randwrite"}
KINDS = ("randread", "read", "randwrite", "write")
# Of a point: name in a validation file, column of a CSV file, key of ios.OP in result.json (latencies in ps).
LATENCIES = (("mean", "mean_us", "mean"), ("p50", "p50_us", "p50"), ("p99", "p99_us", "p99"),
             ("p99_9", "p99_9_us", "p99_9"))  # fmt: skip
CSV_COLUMNS = ("device", "op", "bs", "zones", "qd", "iops", *(column for _, column, _ in LATENCIES))
PERCENTILES = {"p50": "50.000000", "p99": "99.000000", "p99_9": "99.900000"}
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "kib": 1 << 10, "mib": 1 << 20, "kb": 1 << 10, "mb": 1 << 20}


@dataclasses.dataclass(frozen=True)
class Place:
    """Where in a sweep a point lies: what fio did, with so many bytes a request, in so many jobs, each so deep."""

    rw: str
    bytes: int
    jobs: int
    qd: int


@dataclasses.dataclass(frozen=True)
class Repeated:
    """A point, of one or several runs: the means; `spread`: relative standard deviation of the IOPS, if there are several."""

    place: Place
    iops: float
    latency: dict[str, float]  # us, by name; those that the source has
    spread: float | None


@dataclasses.dataclass(frozen=True)
class Sweep:
    points: tuple[Repeated, ...]
    left_out: tuple[str, ...]  # and why

    @property
    def spread(self) -> float | None:
        """Of repetitions, over all points."""
        found = [p.spread for p in self.points if p.spread is not None]
        return math.sqrt(statistics.fmean(s * s for s in found)) if found else None


def size_of(text: str) -> int:
    """Of fio's bs: 4k, 4096, 128KiB."""
    text = text.strip().lower()
    digits = text.rstrip("kmib")
    if not digits.isdigit() or text[len(digits) :] not in UNITS:
        raise ValueError(f"bs = {text}: expected one size, as 4k")
    return int(digits) * UNITS[text[len(digits) :]]


def read_sweep(path: Path, device: str = "") -> Sweep:
    """Raises StudyError with file and place."""
    if path.is_file() and path.suffix != ".json":
        found = _of_trace(path) if is_trace(path) else _of_csv(path, device)
    else:
        found = _of_fio(path)
    if not found[0]:
        raise StudyError(f"{path}: no points that can be fitted" + "".join(f"\n  {text}" for text in found[1][:5]))
    return Sweep(tuple(_means(found[0])), tuple(found[1]))


def _means(found: Iterable[tuple[Place, float, dict[str, float]]]) -> list[Repeated]:
    runs: dict[Place, list[tuple[float, dict[str, float]]]] = {}
    for place, iops, latency in found:
        runs.setdefault(place, []).append((iops, latency))
    points = []
    for place in sorted(runs, key=lambda p: (KINDS.index(p.rw), p.bytes, p.jobs, p.qd)):
        rates = [iops for iops, _ in runs[place]]
        names = set.intersection(*(set(latency) for _, latency in runs[place]))
        latency = {name: statistics.fmean(of[name] for _, of in runs[place]) for name in sorted(names)}
        spread = statistics.stdev(rates) / statistics.fmean(rates) if len(rates) > 1 else None
        points.append(Repeated(place, statistics.fmean(rates), latency, spread))
    return points


Found = tuple[list[tuple[Place, float, dict[str, float]]], list[str]]


def _of_csv(path: Path, device: str) -> Found:
    points, devices, formats = [], set(), {}  # type: ignore[var-annotated]
    try:
        with path.open(newline="") as file:
            rows = csv.DictReader(file)
            if missing := [column for column in CSV_COLUMNS if column not in (rows.fieldnames or ())]:
                raise StudyError(f"{path}:1: no column {missing[0]}, expected {','.join(CSV_COLUMNS)}")
            for row in rows:
                if device and row["device"] != device:
                    continue
                devices.add(row["device"])
                try:
                    op = row["op"] or ""
                    place = Place(ALSO.get(op, op), int(row["bs"]), int(row["zones"]), int(row["qd"]))
                    if place.rw not in KINDS:
                        raise ValueError(f"op = {op}: expected one of {', '.join(KINDS)}")
                    latency = {name: _positive(row, column) for name, column, _ in LATENCIES if row[column]}
                    points.append((_checked(place), _positive(row, "iops"), latency))
                except (TypeError, ValueError) as error:
                    raise StudyError(f"{path}:{rows.line_num}: {error}") from error
                before = formats.setdefault(place, row.get("format"))
                if before != row.get("format"):
                    raise StudyError(
                        f"{path}:{rows.line_num}: {op} of {place.bytes} bytes at QD {place.qd} is there in the formats "
                        f"{before} and {row['format']}: keep the rows of one"
                    )
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{path}: {error}") from error
    if len(devices) > 1:
        raise StudyError(f"{path}: has {', '.join(sorted(devices))}: name one with --device")
    return points, [] if devices or not device else [f"device {device}: no row has it"]


def _of_trace(path: Path) -> Found:
    stretches, left_out = read_trace(path)
    return [(_checked(Place(s.rw, s.bytes, 1, s.qd)), s.iops, s.latency) for s in stretches], left_out


def _positive(row: dict[str, str], column: str) -> float:
    value = float(row[column])
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{column} = {row[column]}: expected a number above 0")
    return value


def _checked(place: Place) -> Place:
    if place.bytes < 512 or place.bytes % 512 or place.jobs < 1 or not 1 <= place.qd <= 65536:
        raise ValueError(f"bs = {place.bytes}, {place.jobs} jobs, QD {place.qd}: out of range")
    return place


def _of_fio(path: Path) -> Found:
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*.json") if file.is_file())
    if not path.exists():
        raise StudyError(f"{path}: no such folder or file")
    if not files:
        raise StudyError(f"{path}: no *.json in it; fio writes them with --output-format=json --output=NAME.json")
    points: list[tuple[Place, float, dict[str, float]]] = []
    left_out: list[str] = []
    for file in files:
        result = _json_of(file)
        if not isinstance(result.get("jobs"), list):
            left_out.append(f"{file}: no result of fio: it has no list of jobs")
            continue
        groups: dict[Any, list[dict[str, Any]]] = {}
        for number, job in enumerate(result["jobs"]):
            if not isinstance(job, dict):
                raise StudyError(f"{file}: jobs[{number}] is no object")
            groups.setdefault(job.get("groupid", number), []).append(job)
        for jobs in groups.values():
            try:
                points.append(_point_of(jobs, result.get("global options") or {}))
            except LeftOut as why:
                left_out.append(f"{file}: {jobs[0].get('jobname', '')}: {why}")
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise StudyError(f"{file}: job {jobs[0].get('jobname', '')}: {error}") from error
    return points, left_out


class LeftOut(Exception):
    """A job that no closed loop of one kind of request is."""


def _json_of(file: Path) -> dict[str, Any]:
    """fio may write warnings before the object."""
    try:
        text = file.read_text()
        begin = text.find("{")
        found = json.JSONDecoder().raw_decode(text, begin)[0] if begin >= 0 else None
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise StudyError(f"{file}: {error}: cut off, or not written with --output-format=json?") from error
    if not isinstance(found, dict):
        raise StudyError(f"{file}: no JSON object")
    return found


def _point_of(jobs: list[dict[str, Any]], common: dict[str, Any]) -> tuple[Place, float, dict[str, float]]:
    options = [{**common, **(job.get("job options") or {})} for job in jobs]
    if errors := [job["error"] for job in jobs if job.get("error")]:
        raise LeftOut(f"ended with error {errors[0]}")
    kinds = {(o.get("rw", o.get("readwrite", "read")), str(o.get("bs", o.get("blocksize", "4k"))),
              int(o.get("iodepth", 1))) for o in options}  # fmt: skip
    if len(kinds) != 1:
        raise LeftOut("its jobs differ in rw, bs or iodepth")
    ((rw, bs, depth),) = kinds
    if rw not in KINDS:
        raise LeftOut(f"rw={rw}: only {', '.join(KINDS)} are fitted")
    if limited := [key for key in ("rate", "rate_iops", "thinktime") if any(key in o for o in options)]:
        raise LeftOut(f"{limited[0]} limits it: only closed loops are fitted")
    if options[0].get("ioengine") in ("sync", "psync", "pvsync", "pvsync2", "vsync"):
        depth = 1  # whatever was asked for
    operation = "read" if "read" in rw else "write"
    count = len(jobs) if len(jobs) > 1 else int(options[0].get("numjobs", 1))
    parts = [job[operation] for job in jobs]
    iops = sum(float(part["iops"]) for part in parts)
    if not (math.isfinite(iops) and iops > 0):
        raise LeftOut("no requests")
    latency: dict[str, float] = {}
    # Of several jobs a mean of percentiles would be none.
    if mean := statistics.fmean(float((part.get("lat_ns") or {}).get("mean", 0)) for part in parts):
        latency["mean"] = mean / 1000
    if len(parts) == 1:
        for key in ("lat_ns", "clat_ns"):
            table = (parts[0].get(key) or {}).get("percentile") or {}
            for name, column in PERCENTILES.items():
                if name not in latency and table.get(column):
                    latency[name] = float(table[column]) / 1000
    return _checked(Place(rw, size_of(bs), count, depth)), iops, latency
