# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A real drive: its public measurements, as configs/validation/NAME.toml or a CSV file has them, and the runs of the
model that answer them."""

from __future__ import annotations

import csv
import dataclasses
import tomllib
from pathlib import Path
from typing import Any

from .framework.jobs import fio
from .framework.measures import measure
from .framework.points import Point, StudyError, Workload
from .framework.sweep import CSV_COLUMNS, LATENCIES, OPERATIONS

# In percent. Of reads: every point. Of writes: the rate at the greatest depth, and the mean latency at QD 1.
READ_GOALS, WRITE_GOALS = ("median_iops", "worst_iops", "worst_p99"), ("steady_iops", "qd1_mean")
SUFFIX = {"k": 1 << 10, "m": 1 << 20}
OFFERED_LATENCIES = {
    "read": {"p50": "read_qd1_p50_us", "p99": "read_p99_us", "p99_9": "read_p99_9_us"},
    "write": {"p50": "write_p50_us", "p99": "write_p99_us", "p99_9": "write_p99_9_us"},
}
OFFERED_COLUMNS = ["device", "offered_total_per_s", "reads_per_s", "writes_per_s"]
OFFERED_COLUMNS += [column for of_kind in OFFERED_LATENCIES.values() for column in of_kind.values()]
POINT_KEYS = {"qd", "iops", "reads", "waf", *(name for name, _, _ in LATENCIES)}


@dataclasses.dataclass(frozen=True)
class Measured:
    """A point of a real drive. Latencies in us, by name, those that were published. `reads`: of an open loop, those
    offered beside the writes; `waf`: write amplification, if it is known."""

    qd: int
    iops: float
    latency: dict[str, float]
    reads: int = 0
    waf: float | None = None


@dataclasses.dataclass(frozen=True)
class Series:
    """Points at one block size, by queue depth of each of `jobs` jobs side by side. `requests`: at least so many a
    point; `offered`: points are thousands of writes and reads offered a second in `qd`, of an open loop; `goal`:
    whether the goals of the file count for it; `size`: what the requests go round, as fio has it, empty: the drive;
    `piece`: what a job reads in order before it goes on at random, empty: all; `format`: that of the namespace in a CSV
    file, empty: any; `cause`: why it misses.
    """

    name: str
    rw: str
    bs: str
    requests: int
    requests_per_qd: int
    fitted_at: tuple[int, ...]
    goal: bool
    cause: str
    jobs: int
    format: str
    sets: dict[str, Any]
    points: tuple[Measured, ...]
    offered: bool = False
    size: str = ""
    piece: str = ""

    @property
    def operation(self) -> str:
        return "read" if "read" in self.rw else "write"

    @property
    def bytes(self) -> int:
        return _bytes(self.bs)


def _bytes(size: str) -> int:
    return int(size[:-1]) * SUFFIX[size[-1]]


@dataclasses.dataclass(frozen=True)
class Validation:
    """configs/validation/NAME.toml."""

    name: str
    title: str
    source: str
    device: str
    goal: dict[str, float]
    fitted: tuple[dict[str, str], ...]
    series: tuple[Series, ...]

    @staticmethod
    def named(root: Path, name: str) -> "Validation":
        known = known_names(root)
        if name not in known:
            raise StudyError(f"{name}: no file configs/validation/{name}.toml; there are {', '.join(known)}")
        return Validation.read(root / "configs/validation" / f"{name}.toml")

    @staticmethod
    def read(path: Path) -> "Validation":
        """Errors name the file and the key."""
        try:
            text = tomllib.loads(path.read_text())
            return Validation(
                path.stem,
                text["title"],
                text["source"],
                text["device"],
                {name: float(text["goal"][name]) for name in (*READ_GOALS, *WRITE_GOALS)},
                tuple({name: entry[name] for name in ("key", "on", "series")} for entry in text["fitted"]),
                tuple(_series(entry) for entry in text["series"]),
            )
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise StudyError(f"{path}: {error}") from error
        except KeyError as error:
            raise StudyError(f"{path}: {error.args[0]} is missing") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise StudyError(f"{path}: {error}") from error


def known_names(root: Path) -> list[str]:
    return sorted(path.stem for path in (root / "configs/validation").glob("*.toml"))


def _series(entry: dict[str, Any]) -> Series:
    of_points = {key for p in entry["points"] for key in p}
    if unknown := of_points - POINT_KEYS:
        raise ValueError(f"series {entry['name']}: point: {sorted(unknown)[0]}: no such key")
    points = tuple(
        Measured(
            int(p["qd"]),
            float(p["iops"]),
            {name: float(p[name]) for name, _, _ in LATENCIES if name in p},
            int(p.get("reads", 0)),
            float(p["waf"]) if "waf" in p else None,
        )
        for p in entry["points"]
    )
    known = {field.name for field in dataclasses.fields(Series)}
    if unknown := set(entry) - known:
        raise ValueError(f"series {entry['name']}: {sorted(unknown)[0]}: no such key")
    return Series(
        entry["name"],
        entry["rw"],
        entry["bs"],
        int(entry["requests"]),
        int(entry["requests_per_qd"]),
        tuple(entry["fitted_at"]),
        bool(entry.get("goal", False)),
        entry.get("cause", ""),
        int(entry.get("jobs", 1)),
        entry.get("format", ""),
        dict(entry.get("sets", {})),
        points,
        bool(entry.get("offered", False)),
        entry.get("size", ""),
        _piece(entry),
    )


def _piece(entry: dict[str, Any]) -> str:
    piece = str(entry.get("piece", ""))
    if piece and (entry["rw"] not in ("read", "write") or _bytes(piece) % _bytes(entry["bs"])):
        raise ValueError(f"series {entry['name']}: piece: {piece}: expected whole requests of rw = read or write")
    return piece


def points_of(path: Path, device: str, series: Series) -> tuple[Measured, ...]:
    """The points in a CSV file of this device, operation, block size, number of jobs, and format, if the file has a
    column for it, by queue depth."""
    wanted = (device, OPERATIONS.get(series.rw, series.rw), str(series.jobs), series.bytes)
    try:
        with path.open(newline="") as file:
            rows = csv.DictReader(file)
            if missing := [column for column in CSV_COLUMNS if column not in (rows.fieldnames or ())]:
                raise StudyError(f"{path}:1: no column {missing[0]}, expected {','.join(CSV_COLUMNS)}")
            found = {}
            for row in rows:
                try:
                    same = (row["device"], row["op"], row["zones"], int(row["bs"])) == wanted
                    if same and (not series.format or row.get("format", series.format) == series.format):
                        latency = {name: float(row[column]) for name, column, _ in LATENCIES}
                        found[int(row["qd"])] = Measured(int(row["qd"]), float(row["iops"]), latency)
                except (TypeError, ValueError) as error:
                    raise StudyError(f"{path}:{rows.line_num}: {error}") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{path}: {error}") from error
    return tuple(found[qd] for qd in sorted(found))


def offered_points(path: Path, device: str, series: Series) -> tuple[Measured, ...]:
    """The same of an open loop, in a CSV file with OFFERED_COLUMNS. Repetitions of a rate stand side by side, and are
    answered by one run: as many reads are offered as with the rate that the series has, else as in the first of them.
    """
    kind = series.operation
    reads = {p.qd: p.reads for p in series.points}
    found = []
    try:
        with path.open(newline="") as file:
            rows = csv.DictReader(file)
            if missing := [column for column in OFFERED_COLUMNS if column not in (rows.fieldnames or ())]:
                raise StudyError(f"{path}:1: no column {missing[0]}, expected {','.join(OFFERED_COLUMNS)}")
            for row in rows:
                if row["device"] != device:
                    continue
                try:
                    offered = int(row["offered_total_per_s"])
                    if offered < 1000 or offered % 1000:
                        raise ValueError(f"offered_total_per_s = {offered}: expected whole thousands")
                    latency = {name: float(row[column]) for name, column in OFFERED_LATENCIES[kind].items()}
                    beside = reads.setdefault(offered // 1000, int(row["reads_per_s"]))
                    found.append(Measured(offered // 1000, float(row[f"{kind}s_per_s"]), latency, beside))
                except (TypeError, ValueError) as error:
                    raise StudyError(f"{path}:{rows.line_num}: {error}") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{path}: {error}") from error
    return tuple(sorted(found, key=lambda p: p.qd))


def measured_series(validation: Validation, path: Path, device: str = "") -> Validation:
    """The comparison with the points of a CSV file; nothing was fitted on these. `device`: another one than the file of
    measurements names, such as a second drive of the type."""
    wanted = device or validation.device
    taken = [
        dataclasses.replace(s, points=(offered_points if s.offered else points_of)(path, wanted, s), fitted_at=())
        for s in validation.series
    ]
    series = tuple(s for s in taken if s.points)
    if not series:
        raise StudyError(f"{path}: no points of device {wanted} in any series of {validation.name}")
    return dataclasses.replace(validation, series=series)


def point_of(drive: Path, series: Series, measured: Measured, sets: dict[str, Any]) -> Point:
    """The run that answers a measured point."""
    if series.offered:
        return Point.make(drive, _open_loop(measured), {**series.sets, **sets})
    requests = max(series.requests, series.requests_per_qd * measured.qd) // series.jobs
    options = {"ioengine": "libaio", "rw": series.rw, "bs": series.bs, "iodepth": measured.qd}
    random = {"norandommap": True} if series.rw.startswith("rand") else {}
    if series.piece:
        options["rw"] = f"rand{series.rw}:{_bytes(series.piece) // series.bytes}"
        random = {"norandommap": True, "blockalign": series.piece}
    # The beginnings of the jobs lie on different dies.
    apart = {"numjobs": series.jobs, "offset_increment": "34603872k"} if series.jobs > 1 else {}
    around = {"size": series.size, "io_size": requests * series.bytes} if series.size else {}
    name = f"{series.rw}_{series.bs}_qd{measured.qd}" + (f"_jobs{series.jobs}" if series.jobs > 1 else "")
    workload = fio(name, **options, **random, **apart, **around, number_ios=requests)
    return Point.make(drive, workload, {**series.sets, **sets})


def _open_loop(measured: Measured) -> Workload:
    """As SSD-iq does (PVLDB 18, 2025): 4 KiB random writes, 448 in flight at most, and 32 reads at most. Before what is
    measured half a second as fast as the drive can."""
    common = {"ioengine": "libaio", "bs": "4k", "norandommap": True, "time_based": True}
    writes = {"rw": "randwrite", "iodepth": 443, **common}
    paced = {**common, "rate_process": "poisson", "ramp_time": "500ms", "runtime": 2}
    parts = [
        fio("before", **writes, runtime="500ms"),
        fio("write", stonewall=True, **{**writes, **paced}, rate_iops=round(measured.qd * 990)),
        fio("read", rw="randread", iodepth=32, **paced, rate_iops=measured.reads),
    ]
    return Workload(f"offered_{measured.qd}k", text="".join(part.text for part in parts))


def value_of(config: dict[str, Any], key: str) -> Any:
    for part in key.split("."):
        config = config[part]
    return config


def rate_of(series: Series, result: dict[str, Any]) -> float:
    """What fio would say of a run of minutes: without the write buffer that fills up and the last requests in flight,
    which are a good part of a run of some thousand."""
    if series.offered:
        return float(job_of(series, result)["iops"])
    found = measure(result, f"{series.operation}_iops", ())
    if found is None:
        raise StudyError(f"{series.name}: the run has no {series.operation}")
    return found.value


def job_of(series: Series, result: dict[str, Any]) -> dict[str, Any]:
    """Of an open loop the job of this operation, without what came before it."""
    return next(job for job in result["jobs"] if job["name"] == series.operation)
