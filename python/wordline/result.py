# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What a run has left, as numbers with units and as tables."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import WordlineError
from .report import difference, page
from .report.files import write_text
from .report.run import read as page_of
from .report.run import read_result

if TYPE_CHECKING:
    import pandas

PS_PER_US = 1e6
LOGS = ("requests.csv", "requests.csv.gz")
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

    def slowest(self, operation: str | None = None) -> pandas.DataFrame:
        """The slowest requests, of all or of one operation: op, latency_us, submitted_us, lba (blocks of 512 bytes),
        bytes, die (-1: none), what each stage took in microseconds, and `behind`, what it waited behind the longest
        (docs/latency.md)."""
        import pandas

        by_operation = self.data.get("slowest_of", {})
        found = self["slowest"] if operation is None else by_operation.get(operation, {}).get("requests", [])
        rows = []
        for request in found:
            stages = {f"{name}_us": ps / PS_PER_US for name, ps in request["stage_ps"].items()}
            plain = {name: request.get(name, operation) for name in ("op", "lba", "bytes", "die")}
            times = {f"{name}_us": request[f"{name}_ps"] / PS_PER_US for name in ("latency", "submitted")}
            rows.append({**plain, **times, **stages, "behind": request.get("behind")})
        return pandas.DataFrame(rows)

    def waits(self) -> pandas.DataFrame:
        """What the mean request of each operation waited behind, in microseconds: a row for each cause, the columns the
        operations. A column sums to the waiting of stages()."""
        counts = {name: values["count"] for name, values in self["ios"].items() if values["count"]}
        causes = {
            cause: [self[f"waits.{op}.total_ps.{cause}"] / PS_PER_US / count for op, count in counts.items()]
            for cause in self["waits.read.total_ps"]
        }
        return _frame(causes, tuple(counts))

    def requests(self) -> pandas.DataFrame:
        """Every request of the measurement, a row each in the order of completion, from requests.csv or requests.csv.gz
        in the folder of the run: what `run(..., requests_log=True)` and `--requests-log DIR/requests.csv.gz` write.
        Times are in microseconds (submitted_us, latency_us, a column for each stage, behind_us); `die` is missing where
        no flash was read, `dies` a text of all of them, `longest_wait` the stage and `behind` what it waited behind."""
        import pandas

        found = [path for name in LOGS if (path := self.folder / name).is_file()]
        if not found:
            raise WordlineError(
                f"{self.folder}: has no log of its requests; run with requests_log=True, or with "
                f"--requests-log {self.folder / LOGS[-1]}"
            )
        types = {"die": "Int64", "dies": "string", "op": "category", "longest_wait": "category", "behind": "category"}
        frame = pandas.read_csv(found[0], dtype=types)
        for name in [name for name in frame if name.endswith("_ps")]:
            frame[name] = frame[name] / PS_PER_US
        return frame.rename(columns=lambda name: name.removesuffix("_ps") + "_us" if name.endswith("_ps") else name)

    def requests_over_time(self) -> pandas.DataFrame:
        """Requests by window of the run: for each operation its iops, p50_us, p99_us and max_us, as read_p99_us; then
        in_flight and retries. The index is the window's begin in microseconds from the begin of the measurement."""
        import pandas

        series = self["series"]
        width = series["width_ps"] / PS_PER_US
        columns = {}
        for op, counts in series["completed"].items():
            if not counts:
                continue
            columns[f"{op}_iops"] = [count / width * PS_PER_US for count in counts]
            for name in ("p50", "p99", "max"):
                columns[f"{op}_{name}_us"] = [ps / PS_PER_US for ps in series["lat_ps"][op][name]]
        columns |= {name: series[name] for name in ("in_flight", "retries")}
        frame = pandas.DataFrame(columns)
        frame.index = pandas.Index([at * width for at in range(len(frame))], name="time_us")
        return frame

    def drive_over_time(self) -> pandas.DataFrame:
        """What the drive did by window: bytes_written, bytes_programmed, waf, gc_copied, gc_superblocks, erases, and
        busy shares as busy_dies. The index is the window's begin in microseconds from the begin of the measurement."""
        import pandas

        found = self["over_time"]
        ends = [ps / PS_PER_US for ps in found["end_ps"]]
        columns = {name: values for name, values in found.items() if name not in ("end_ps", "busy")}
        columns |= {f"busy_{name}": values for name, values in found["busy"].items()}
        return pandas.DataFrame(columns, index=pandas.Index([0.0, *ends][: len(ends)], name="time_us"))

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
