# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Points of a drive from a trace of it: what blktrace has recorded, as its binary file or as the default text of
blkparse. Issue (D) and completion (C) of a request give its latency; stretches in which the host has kept as many
requests of one kind and size in flight are points of a closed loop, and all else is left out, with a sentence."""

from __future__ import annotations

import dataclasses
import re
import statistics
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from .points import StudyError

LEAST = 500  # requests of a stretch: with fewer the 99th percentile is that of a handful
SECTOR = 512
# struct blk_io_trace of linux/blktrace_api.h: magic, sequence, time in ns, sector, bytes, action, pid, device, cpu, error,
# and how many bytes follow.
RECORD = "IIQQIIIIIHH"
MAGIC = 0x65617407  # with version 7
ISSUE, COMPLETE, WRITE = 7, 8, 1 << 17  # action's low half; category of writes in its high half
DISCARD, PASSED = 1 << 29, 1 << 25  # categories of what is no read or write of data: deallocation, commands of programs
LINE = re.compile(
    r"\s*(?P<device>\d+,\d+)\s+\d+\s+\d+\s+(?P<time>\d+\.\d+)\s+\d+\s+(?P<action>[A-Z]{1,2})\s+(?P<rwbs>[A-Z]+)\s+"
    r"(?P<sector>\d+) \+ (?P<count>\d+)(?:\s|$)"
)
BEGIN = re.compile(rb"\s*\d+,\d+\s+\d+\s+\d+\s+\d+\.\d{6,9}\s+\d+\s+[A-Z]{1,2}\s+[A-Z]+(\s|$)")


@dataclasses.dataclass
class Request:
    issued: int  # ns
    is_read: bool
    bytes: int
    sector: int
    depth: int  # in flight at its issue, with it
    done: int = 0  # ns; 0: not seen


@dataclasses.dataclass(frozen=True)
class Event:
    at: int  # ns
    is_issue: bool
    is_read: bool
    device: str
    sector: int
    bytes: int


@dataclasses.dataclass(frozen=True)
class Stretch:
    """A closed loop: what requests did, their bytes and depth, requests a second, latencies in us."""

    rw: str
    bytes: int
    qd: int
    iops: float
    latency: dict[str, float]


def is_trace(path: Path) -> bool:
    """Whether a file begins as blktrace or blkparse write it."""
    with path.open("rb") as file:
        begin = file.read(4096)
    if len(begin) >= 4 and any(struct.unpack(order + "I", begin[:4])[0] == MAGIC for order in "<>"):
        return True
    return BEGIN.match(begin) is not None


def read_trace(path: Path) -> tuple[list[Stretch], list[str]]:
    """The closed loops of a trace, and what was left out. Raises StudyError with file and place."""
    requests = _requests(path, _events(path))
    if not requests:
        raise StudyError(
            f"{path}: no request with issue and completion (actions D and C): trace with blktrace -a issue -a complete"
        )
    stretches: list[Stretch] = []
    left_out: list[str] = []
    short = 0
    for alike in _alike(requests):
        if len(alike) < LEAST:
            short += len(alike)
            continue
        found = _stretch_of(alike)
        if isinstance(found, Stretch):
            stretches.append(found)
        else:
            left_out.append(f"{path}: {found}")
    if short:
        left_out.append(
            f"{path}: {short} of {len(requests)} requests: fewer than {LEAST} of one kind and size follow each other"
        )
    return stretches, left_out


def _events(path: Path) -> Iterator[Event]:
    with path.open("rb") as file:
        begin = file.read(4)
    for order in "<>":
        if len(begin) == 4 and struct.unpack(order + "I", begin)[0] == MAGIC:
            return _binary(path, order)
    return _text(path)


def _binary(path: Path, order: str) -> Iterator[Event]:
    record = struct.Struct(order + RECORD)
    data = path.read_bytes()
    at = 0
    while at < len(data):
        if at + record.size > len(data):
            raise StudyError(f"{path}: byte {at}: is cut short")
        magic, _, time, sector, size, action, _, device, _, _, more = record.unpack_from(data, at)
        if magic != MAGIC:
            raise StudyError(f"{path}: byte {at}: no record of blktrace; merge the processors' files with blkparse -d")
        at += record.size + more
        what = action & 0xFFFF
        if what in (ISSUE, COMPLETE) and size and not action & (DISCARD | PASSED):
            name = f"{device >> 20},{device & 0xFFFFF}"
            yield Event(time, what == ISSUE, not action & WRITE, name, sector, size)


def _text(path: Path) -> Iterator[Event]:
    try:
        with path.open() as file:
            for number, line in enumerate(file, 1):
                found = LINE.match(line)
                if found is None:
                    if number == 1:
                        raise StudyError(f"{path}:1: neither a CSV file of points nor the default text of blkparse")
                    continue  # U, P and m have no sectors; the summary stands at the end
                if found["action"] not in ("D", "C") or not ("R" in found["rwbs"] or "W" in found["rwbs"]):
                    continue
                seconds, fraction = found["time"].split(".")
                yield Event(
                    int(seconds) * 1_000_000_000 + int(fraction.ljust(9, "0")[:9]),
                    found["action"] == "D",
                    "R" in found["rwbs"],
                    found["device"],
                    int(found["sector"]),
                    int(found["count"]) * SECTOR,
                )
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: {error}") from error


def _requests(path: Path, events: Iterable[Event]) -> list[Request]:
    """Those that are complete, in the order of their issue."""
    flying: dict[tuple[bool, int, int], list[Request]] = {}
    requests: list[Request] = []
    devices: set[str] = set()
    depth = 0
    # Files of several processors that were merged by hand need not be in order.
    for event in sorted(events, key=lambda e: (e.at, e.is_issue)):
        if not event.bytes:
            continue
        devices.add(event.device)
        key = (event.is_read, event.sector, event.bytes)
        if event.is_issue:
            depth += 1
            requests.append(Request(event.at, event.is_read, event.bytes, event.sector, depth))
            flying.setdefault(key, []).append(requests[-1])
        elif flying.get(key):
            flying[key].pop(0).done = event.at
            depth -= 1
    if len(devices) > 1:
        raise StudyError(f"{path}: has requests of {', '.join(sorted(devices))}: keep one device's")
    return [r for r in requests if r.done > r.issued]


def _alike(requests: list[Request]) -> Iterator[list[Request]]:
    """Stretches of one direction and size without a pause: the host has asked again before ten times the latency."""
    begin = 0
    for i in range(1, len(requests) + 1):
        ends = i == len(requests)
        if not ends:
            last, now = requests[i - 1], requests[i]
            ends = (now.is_read, now.bytes) != (last.is_read, last.bytes)
            ends = ends or now.issued - max(last.done, last.issued) > 10 * (last.done - last.issued)
        if ends:
            yield requests[begin:i]
            begin = i


def _name(alike: list[Request], rw: str = "") -> str:
    kind = rw or ("read" if alike[0].is_read else "write")
    return f"{len(alike)} requests ({kind}, {alike[0].bytes} bytes) from {alike[0].issued * 1e-9:.3f} s on"


def _stretch_of(alike: list[Request]) -> Stretch | str:
    """The point, or why there is none."""
    followed, ends = 0, {alike[0].sector + alike[0].bytes // SECTOR}
    recent = [alike[0].sector + alike[0].bytes // SECTOR]
    for request in alike[1:]:
        followed += request.sector in ends
        recent.append(request.sector + request.bytes // SECTOR)
        ends.add(recent[-1])
        if len(recent) > 256:
            ends.discard(recent.pop(0))
    share = followed / len(alike)
    if 0.1 < share < 0.9:
        return f"{_name(alike)}: {share:.0%} follow another, neither sequential nor random"
    rw = ("read" if share >= 0.9 else "randread") if alike[0].is_read else ("write" if share >= 0.9 else "randwrite")
    depths = np.array([request.depth for request in alike])
    latency = np.array([request.done - request.issued for request in alike], dtype=float)
    qd = int(np.percentile(depths, 99))
    span = max(request.done for request in alike) - alike[0].issued
    busy = float(latency.sum()) / span / qd  # Little: how much of the depth was in use
    if busy < 0.5:
        return f"{_name(alike, rw)}: {busy * qd:.1f} in flight on the average and {qd} at times, no closed loop"
    names = (("p50", 50), ("p99", 99), ("p99_9", 99.9))
    figures = {name: float(np.percentile(latency, at)) / 1000 for name, at in names if len(alike) * (100 - at) >= 500}
    figures["mean"] = statistics.fmean(latency) / 1000
    return Stretch(rw, alike[0].bytes, qd, len(alike) / span * 1e9, figures)
