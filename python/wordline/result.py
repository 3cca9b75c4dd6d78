# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What a run has left, as numbers with units and as tables."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .report import difference, page
from .report.files import write_text
from .report.run import read as page_of
from .report.run import read_result

if TYPE_CHECKING:
    import pandas

PS_PER_US = 1e6
PERCENTILES = ("p50", "p80", "p90", "p95", "p99", "p99_9", "p99_99")


@dataclasses.dataclass(frozen=True)
class Operation:
    """Requests of one kind: read, write, trim or flush. Of a kind without requests, every number is 0."""

    count: int
    bytes: int
    iops: float  # 1/s, over the measurement
    bytes_per_s: float
    latency_us: Mapping[str, float]  # min, mean, stddev, max, p50 ... p99_99

    @staticmethod
    def of(values: Mapping[str, Any]) -> "Operation":
        latency = {name: ps / PS_PER_US for name, ps in values["lat_ps"].items() if name != "sum"}
        return Operation(values["count"], values["bytes"], values["iops"], values["bytes_per_s"], latency)


@dataclasses.dataclass(frozen=True)
class Result:
    """`data` is result.json as it is (`wordline statistics KEY` says what a number counts); `folder` has the other files
    of the run."""

    folder: Path
    data: Mapping[str, Any] = dataclasses.field(repr=False)
    kept: Any = dataclasses.field(default=None, repr=False, compare=False)  # what removes a folder that nobody named

    def __getitem__(self, name: str) -> Any:
        """A statistic by its dotted name, in the unit that the name says: result["ios.read.lat_ps.p99_9"]."""
        found: Any = self.data
        for part in name.split("."):
            if not isinstance(found, Mapping) or part not in found:
                raise KeyError(f"{name}: no such statistic; see: wordline statistics")
            found = found[part]
        return found

    def operation(self, name: str) -> Operation:
        return Operation.of(self[f"ios.{name}"])

    @property
    def read(self) -> Operation:
        return self.operation("read")

    @property
    def write(self) -> Operation:
        return self.operation("write")

    @property
    def iops(self) -> float:
        """Requests of all operations a second of simulated time."""
        return sum(values["iops"] for values in self["ios"].values())

    @property
    def bytes_per_s(self) -> float:
        """Bytes that the host moved a second of simulated time."""
        return sum(values["bytes_per_s"] for values in self["ios"].values())

    @property
    def waf(self) -> float | None:
        """Write amplification: bytes programmed over bytes that the host wrote; None without writes."""
        return self["flash.waf"]

    @property
    def energy_nj_per_request(self) -> float:
        """The energy of the flash for each request, in nJ: arrays, bus and standby."""
        count = sum(values["count"] for values in self["ios"].values())
        return self["energy_pj.total"] / 1e3 / count if count else 0.0

    @property
    def limit(self) -> str:
        """The resource that limits the drive: dies, cores, channels, link, ..."""
        return self["bottleneck.resource"]

    @property
    def limit_sentence(self) -> str:
        """The bottleneck in words, with what would be next."""
        return self["bottleneck.sentence"]

    def latencies(self) -> pandas.DataFrame:
        """A row for each operation that there was; mean, percentiles and maximum in microseconds."""
        columns = ("mean", *PERCENTILES, "max")
        rows = {name: Operation.of(values).latency_us for name, values in self["ios"].items() if values["count"]}
        return _frame({name: [row[column] for column in columns] for name, row in rows.items()}, columns)

    def stages(self, operation: str = "read") -> pandas.DataFrame:
        """The mean request of an operation, stage by stage: waiting and service in microseconds."""
        found = {
            stage["stage"]: [stage["waiting_ps"] / PS_PER_US, stage["service_ps"] / PS_PER_US]
            for stage in self[f"stages.{operation}.mean"]
        }
        return _frame(found, ("waiting_us", "service_us"))

    def utilisation(self) -> pandas.DataFrame:
        """Busy shares, 0 to 1, of the measurement: least, mean and most of the members of each resource."""
        found = {}
        for name, shares in self["utilisation"].items():
            members = shares if isinstance(shares, list) else [shares]
            if members:
                found[name] = [len(members), min(members), sum(members) / len(members), max(members)]
        return _frame(found, ("members", "least", "mean", "most"))

    def queues(self) -> pandas.DataFrame:
        """A row for each queue pair of the host, from 1 on: commands, iops, mean_us, p99_us, depth, fetched,
        completion_queue and interrupts, as `wordline statistics queues` explains them. Empty for a host with one pair.
        """
        plain = ("commands", "iops", "depth", "fetched", "completion_queue", "interrupts")
        rows = {
            str(number): [queue[name] for name in plain]
            + [queue["lat_ps"][name] / PS_PER_US for name in ("mean", "p99")]
            for number, queue in enumerate(self.data.get("queues", ()), 1)
        }
        return _frame(rows, (*plain, "mean_us", "p99_us"))

    def placement(self) -> pandas.DataFrame:
        """A row for each placement handle, from 0 on, and one called `shared`, of superblocks in which GC puts data of
        any: host_sectors, copied_sectors, victims, erased and valid_share, as `wordline statistics placement` explains
        them. Empty for a drive without `ftl.fdp.handles`."""
        names = ("host_sectors", "copied_sectors", "victims", "erased", "valid_share")
        found = self.data.get("placement", ())
        rows = {
            "shared" if number + 1 == len(found) else str(number): [row[name] for name in names]
            for number, row in enumerate(found)
        }
        return _frame(rows, names)

    def over_time(self) -> pandas.DataFrame:
        """Requests that ended in each window, a column for each operation; the index is the window's begin in
        microseconds from the begin of the measurement."""
        import pandas

        width = self["series.width_ps"] / PS_PER_US
        frame = pandas.DataFrame({op: counts for op, counts in self["series.completed"].items() if counts})
        frame.index = pandas.Index([at * width for at in range(len(frame))], name="time_us")
        return frame

    def slowest(self) -> pandas.DataFrame:
        """The slowest requests: op, latency_us, submitted_us, lba (blocks of 512 bytes), bytes, die (-1: none), and
        what each stage took in microseconds."""
        import pandas

        rows = []
        for request in self["slowest"]:
            stages = {f"{name}_us": ps / PS_PER_US for name, ps in request["stage_ps"].items()}
            plain = {name: request[name] for name in ("op", "lba", "bytes", "die")}
            times = {f"{name}_us": request[f"{name}_ps"] / PS_PER_US for name in ("latency", "submitted")}
            rows.append({**plain, **times, **stages})
        return pandas.DataFrame(rows)

    def report(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Writes the page of `wordline report`, report.html in the folder of the run unless named; gives its path."""
        file = Path(path) if path is not None else self.folder / "report.html"
        write_text(file, page.html(page_of(self.folder)))
        return file


def read(folder: str | os.PathLike[str]) -> Result:
    """The result of a run that has ended: the folder of `wordline run --out`, or one of a study's points."""
    return Result(Path(folder), read_result(Path(folder)))


def diff(a: Result, b: Result, least_percent: float = 1.0) -> pandas.DataFrame:
    """Numbers of result.json that differ by `least_percent` or more, the weightiest first, as `wordline diff` lists
    them: a, b, and b over a."""
    found = difference.compare(a.folder, b.folder, least_percent)
    return _frame({row.name: [row.a, row.b, row.ratio] for row in found.numbers}, ("a", "b", "ratio"))


def _frame(rows: Mapping[str, list[Any]], columns: tuple[str, ...]) -> pandas.DataFrame:
    import pandas

    return pandas.DataFrame.from_dict(rows, orient="index", columns=list(columns))
