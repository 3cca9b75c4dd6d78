# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What a drive cannot exceed, whatever its firmware does: for random accesses of one size over the whole drive, from times
and widths of the configuration. A point that cannot meet a requirement by this needs no run.

Each bound is an upper one always, and so leaves out what a run may avoid: the transfer while a die is read, waits, GC,
retries. Where a key makes reads faster by an amount that is not known from here, there is no bound.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .measures import OF_OPERATION
from .points import StudyError, Workload
from .requirements import Requirement

_SLACK = 0.97  # share of the mean tR: a run meets page types by chance
_STORED = 2324 / 2048  # bytes of a codeword over those of the user
_BITS = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}
_UNITS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9}
_UNITS |= {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9}
_UNITS |= {"B/s": 1.0, "MT/s": 1e6, "GT/s": 1e9, "kT/s": 1e3, "T/s": 1.0, "MiB/s": 2.0**20, "GiB/s": 2.0**30}
# Of a job whose accesses are random over the whole drive, with each of these set in any way.
_HARMLESS = {"norandommap", "number_ios", "ioengine", "direct", "rate_iops", "rate_process", "time_based", "runtime",
             "ramp_time", "randrepeat", "randseed", "group_reporting", "thread", "io_size", "filename", "name"}  # fmt: skip
_COUNTED = {"rw", "bs", "iodepth", "numjobs", "rwmixread", "rwmixwrite"}
_READS = {"randread": 1.0, "randwrite": 0.0, "randrw": None}


def number(text: Any) -> float:
    """A value of the configuration in seconds, bytes, or a second."""
    if isinstance(text, (int, float)):
        return float(text)
    found = re.fullmatch(r"([\d.]+)\s*([A-Za-z/]*)", text)
    if not found or (found[2] and found[2] not in _UNITS):
        raise StudyError(f"{text}: no number with a unit that is known here")
    return float(found[1]) * _UNITS.get(found[2], 1.0)


@dataclasses.dataclass(frozen=True)
class Job:
    """Random accesses of one size, any place of the drive as likely as any other. `depth`: in flight at most."""

    reads: float  # share of the requests
    bytes: int
    depth: int

    @staticmethod
    def of(workload: Workload) -> "Job | None":
        """Null: it is another kind of workload, of which nothing is known here."""
        if workload.path is not None and workload.path.suffix != ".fio":
            return None
        text = workload.path.read_text(errors="replace") if workload.path else workload.text
        options: dict[str, str] = {}
        sections = 0
        for line in map(str.strip, text.splitlines()):
            if not line or line[0] in "#;":
                continue
            if line.startswith("["):
                sections += line.lower() != "[global]"
                continue
            key, _, value = line.partition("=")
            options[{"readwrite": "rw", "blocksize": "bs"}.get(key.strip(), key.strip())] = value.strip()
        if sections != 1 or options.keys() - _HARMLESS - _COUNTED or options.get("rw") not in _READS:
            return None
        size = re.fullmatch(r"(\d+)([kKmM]?)", options.get("bs", "4k"))
        counts = [options.get(key, "1") for key in ("iodepth", "numjobs")]
        if not size or not all(count.isdigit() for count in counts):
            return None
        reads = _READS[options["rw"]]
        if reads is None:
            share = options.get("rwmixread") or str(100 - int(options.get("rwmixwrite", "50")))
            if not share.isdigit() or not 0 < int(share) < 100:
                return None
            reads = int(share) / 100
        unit = {"": 1, "k": 1024, "m": 1 << 20}[size[2].lower()]
        return Job(reads, int(size[1]) * unit, int(counts[0]) * int(counts[1]))


@dataclasses.dataclass(frozen=True)
class Bound:
    """What one request of the mix takes of a resource, as the share of a second that it is busy: at most 1 / `load`
    requests a second."""

    name: str
    load: float

    @property
    def most(self) -> float:
        return 1 / self.load if self.load else float("inf")


@dataclasses.dataclass(frozen=True)
class Limits:
    """The limits of a drive with a job."""

    job: Job
    bounds: tuple[Bound, ...]
    t_r: tuple[float, ...]  # tR of page types, of which each is as likely; empty: not known
    hits: float  # share of reads that may need no flash

    @staticmethod
    def of(config: Mapping[str, Any], job: Job, steady: bool) -> "Limits | None":
        """`steady`: the write buffer swallows nothing of what is measured. Null: nothing is known."""
        fill = config["precondition"]
        if job.bytes < 4096 or job.bytes % 4096 or (fill["fill"] == "none" and not fill["file"]):
            return None  # reads of an empty drive need no flash
        nand, channels, ftl = config["nand"], config["channels"], config["ftl"]
        if nand["region"]["blocks_per_plane"] or nand["layer_speed"]["read"] != 1 or channels["read_ahead"] != "0B":
            return None
        dies = channels["count"] * channels["packages"] * channels["dies_per_package"]
        page = number(nand["page"])
        bits = _BITS[nand["cell"]]
        blocks = nand["blocks_per_plane"] // nand.get("scale_down", 1)
        raw = dies * nand["planes"] * blocks * nand["layers"] * nand["wls_per_layer"] * bits * page
        user = raw / (1 + ftl["over_provisioning"])
        buffers = sum(number(ftl[name]) for name in ("write_buffer", "read_buffer", "gc_buffer"))
        # Reads that share a sense, and those of data in a buffer.
        hits = job.depth * nand["planes"] * page / user + buffers / user
        if hits > 0.5:
            return None
        return Limits(job, _bounds(config, job, steady, dies, hits), _read_times(config), hits)

    @property
    def most(self) -> float:
        """IOPS of all operations."""
        return min((bound.most for bound in self.bounds), default=float("inf"))

    def against(self, requirement: Requirement) -> str:
        """Why no run of it can meet the requirement; empty: one may."""
        name, limit = requirement.name, requirement.limit
        asked = OF_OPERATION.fullmatch(name)
        share = {"iops": 1.0, "read_iops": self.job.reads, "write_iops": 1 - self.job.reads}.get(name)
        if requirement.at_least and share:
            for bound in self.bounds:
                if limit / share > bound.most:
                    return f"{name} {limit:,.0f} needs {100 * limit / share * bound.load:.0f} % of {bound.name}"
        if not requirement.at_least and asked and asked[1] == "read" and self.job.reads and self.t_r:
            return self._too_slow(asked[2], limit * 1e-12, requirement)
        return ""

    def _too_slow(self, name: str, limit: float, requirement: Requirement) -> str:
        """Requests that need flash take tR at least."""
        slow = [t for t in self.t_r if t > limit]
        share = (1 - self.hits) * len(slow) / len(self.t_r)
        quantile = re.fullmatch(r"p(\d\d)(?:_(\d+))?", name)
        mean = (1 - self.hits) * _SLACK * sum(self.t_r) / len(self.t_r)
        if (quantile and share > 2 * (1 - float(f"0.{quantile[1]}{quantile[2] or ''}"))) or (
            name == "mean" and mean > limit
        ):
            floor = min(slow) if quantile else mean
            return f"{requirement.name} {requirement.shown(requirement.limit)} is below tR ({floor * 1e6:.0f} us)"
        return ""


def _read_times(config: Mapping[str, Any]) -> tuple[float, ...]:
    nand = config["nand"]
    timing = nand["timing"]
    bits = _BITS[nand["cell"]]
    if timing["mode"] == "pinned" and timing["t_r"]:
        times = tuple(map(number, timing["t_r"]))
        return times if len(times) == bits else times * bits if len(times) == 1 else ()
    if timing["mode"] == "derived":
        senses = timing["senses_per_page"] or [1] * bits
        once = number(timing["t_precharge"]) + number(timing["t_discharge"])
        return tuple(once + count * number(timing["t_sense"]) for count in senses)
    return ()


def _bounds(config: Mapping[str, Any], job: Job, steady: bool, dies: int, hits: float) -> tuple[Bound, ...]:
    nand, channels, link = config["nand"], config["channels"], config["link"]
    misses = (1 - hits) * job.reads
    writes = (1 - hits) * (1 - job.reads) if steady and config["ftl"]["write_back"] else 0.0
    times = _read_times(config)
    # Where classes of data lie in pages of their own, those that are read may be the fast ones.
    mixed = config["ftl"]["policy"].startswith("page_")
    t_r = 0.0 if not times else _SLACK * sum(times) / len(times) if mixed else min(times)
    # Any blocks of a die's planes share a sense, so waiting reads of a die meet by page number alone.
    together = nand["planes"] if channels["pair_planes"] and nand["plane_blocks"] == "any" else 1
    pages = -(-job.bytes // (number(nand["page"]) * nand["planes"]))  # at least: neighbours are sensed together
    program = writes * job.bytes * _program_time(config)
    stored = (misses + writes) * job.bytes * _STORED
    # Through the buffer, in and out: data of a read that needs flash, and of a write that reaches it.
    buffered = (misses + job.reads + writes + 1 - job.reads) * job.bytes
    found = [
        Bound(f"{dies} dies", (misses * pages * t_r / together + program) / dies),
        Bound(f"{channels['count']} channels", stored / (channels["count"] * number(channels["rate"]))),
        Bound("the DRAM", buffered / number(config["dram"]["bandwidth"])),
        Bound("the link", max(job.reads, 1 - job.reads) * job.bytes / number(link["bandwidth"])),
        Bound(f"{job.depth} requests in flight", misses * t_r / job.depth if together == 1 else 0.0),
    ]
    return tuple(bound for bound in found if bound.load > 0)


def _program_time(config: Mapping[str, Any]) -> float:
    """Seconds of a die for each byte; 0: not known."""
    nand = config["nand"]
    timing = nand["timing"]
    if timing["mode"] != "pinned" or not timing["t_prog"] or nand["layer_speed"]["program"] != 1:
        return 0.0
    times = list(map(number, timing["t_prog"]))
    unit = nand["planes"] * number(nand["page"])
    if nand["program"] == "wordline":
        return min(times) / (unit * _BITS[nand["cell"]])
    return min(times) / unit


def ruled_out(
    config: Mapping[str, Any], workloads: Sequence[Workload], requirements: Sequence[Requirement], steady: bool
) -> str:
    """Why a drive meets the requirements with none of its runs; empty: it may."""
    for workload in workloads:
        job = Job.of(workload)
        limits = Limits.of(config, job, steady) if job else None
        for requirement in requirements if limits else ():
            if requirement.workload in (None, workload.name) and (reason := limits.against(requirement)):
                return f"{workload.name}: {reason}" if len(workloads) > 1 else reason
    return ""
