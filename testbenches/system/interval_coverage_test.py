#!/usr/bin/env python3
# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""usage: interval_coverage_test.py PROGRAM ROOT [--count N] [--seed S] [--width 5%] [--only KIND] [--quick]

Random drives with random workloads, each run twice: until its numbers are as sure as WIDTH, and several times as long.
How often does the long run lie in the interval of the first, by kind of workload? And how often did a run say that it is
steady whose long run has another rate by more than WIDTH?

Fails when fewer than 93 % lie inside (of a few runs: fewer than chance explains once in a thousand times), or when a run
said so wrongly. --quick: drives with little flash and long runs of three times the length, for the test suite.
"""

import argparse
import collections
import concurrent.futures
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

COVERED = 0.93
LEAST = 2  # times the requests of the short run
SIZES = ("4k", "4k", "8k", "16k")


class Case:
    """A drive and a job, drawn by a seed."""

    def __init__(self, kind: str, seed: str, quick: bool):
        self.kind = kind
        self.draw = random.Random(seed)
        self.quick = quick
        self.base = "small"
        self.trace: tuple[int, float] | None = None  # mean time between requests in us, share of reads
        self.load = 0.0  # of what the drive can serve, for an open loop
        self.keys = {
            "cpu.model": "native",
            "channels.count": self.draw.choice((1, 2, 4, 8)),
            "run.seed": self.draw.randrange(1, 10000),
        }
        self.job: dict[str, object] = {
            "rw": "randread",
            "bs": self.draw.choice(SIZES),
            "iodepth": self.draw.choice((1, 2, 4, 8, 16, 32, 64, 128, 256)),
            "norandommap": 1,
        }
        getattr(self, kind)()

    # Reads of a full drive.
    def _full(self):
        self.keys["precondition.fill"] = "sequential"
        if not self.quick and self.draw.random() < 0.5:
            self.base = "default"

    def reads(self):
        self._full()

    def retries(self):
        self.base = "default"
        self.keys["precondition.fill"] = "sequential"
        self.keys["nand.aging.pe_cycles"] = self.draw.choice((2000, 3000))
        self.keys["nand.aging.retention_days"] = self.draw.choice((180, 365))
        self.job["iodepth"] = self.draw.choice((1, 8, 32))

    def bursts(self):
        self._full()
        self.job.update(
            thinktime=self.draw.choice(("1ms", "3ms")),
            thinktime_blocks=self.draw.choice((100, 500)),
            thinktime_blocks_type="issue",
        )

    def open_loop(self):
        self._full()
        self.load = self.draw.choice((0.5, 0.6, 0.7, 0.8, 0.9, 0.95))
        self.job.update(bs="4k", iodepth=1024, rate_process="poisson")

    def trace_reads(self):
        self.keys["precondition.fill"] = "sequential"
        self.trace = (self.draw.choice((100, 200, 400)), 1.0)

    # Writes to a fresh drive, which come before GC.
    def fresh_writes(self):
        self.base = "default"
        self.job.update(rw="randwrite", bs=self.draw.choice(("4k", "8k")))

    def fresh_mix(self):
        self.fresh_writes()
        self.job.update(rw="randrw", rwmixread=self.draw.choice((30, 50, 70, 90)))

    # Writes to a drive at work.
    def _steady(self):
        self.keys["precondition.fill"] = "steady"
        self.keys["ftl.over_provisioning"] = self.draw.choice((0.15, 0.25, 0.4))

    def gc_writes(self):
        self._steady()
        self.job.update(rw="randwrite", bs=self.draw.choice(("4k", "8k")))

    def gc_mix(self):
        self.gc_writes()
        self.job.update(rw="randrw", rwmixread=self.draw.choice((30, 50, 70)))

    def idle_gc(self):
        self.gc_writes()
        self.job.update(rate_iops=self.draw.choice((500, 1000, 2000)), iodepth=16)

    def skewed_writes(self):
        self.gc_writes()
        self.job["random_distribution"] = f"zipf:{self.draw.choice((0.5, 0.9, 1.2))}"

    def long_writes(self):
        self._steady()
        self.job.update(rw="randwrite", bs=self.draw.choice(("64k", "128k")), iodepth=self.draw.choice((1, 4, 8)))

    def part_writes(self):
        self.gc_writes()
        self.job.update(bs="4k", size=self.draw.choice(("10%", "30%", "50%")), io_size="100000%")

    def large_superblocks(self):
        self._steady()
        if not self.quick:
            self.base = "default"
            self.keys.update({"nand.blocks_per_plane": self.draw.choice((24, 32)), "ftl.over_provisioning": 0.4})
        self.keys["channels.count"] = self.draw.choice((1, 2))
        self.job.update(rw="randwrite", bs="4k", iodepth=32)


KINDS = (
    "reads",
    "retries",
    "bursts",
    "open_loop",
    "trace_reads",
    "fresh_writes",
    "fresh_mix",
    "gc_writes",
    "gc_mix",
    "idle_gc",
    "skewed_writes",
    "long_writes",
    "large_superblocks",
)
# With --only: GC takes more turns than a run has until what is not written any more lies by itself, and their intervals
# hold less often (docs/steady.md).
SLOW_KINDS = ("part_writes",)


class Runs:
    def __init__(self, arguments: argparse.Namespace, folder: Path):
        self.arguments = arguments
        self.folder = folder

    def run(self, case: Case, name: str, keys: dict, job: dict, requests: int) -> dict | str:
        """result.json, or what was said instead."""
        at = self.folder / name
        at.mkdir()
        command = [self.arguments.program, "run", f"{self.arguments.root}/configs/ssds/{case.base}.toml"]
        if case.trace:
            workload = at / "trace.csv"
            mean, reads = case.trace
            draw, time, rows = random.Random(1), 0.0, []
            for _ in range(requests):
                time += draw.expovariate(1 / mean)
                op = "R" if draw.random() < reads else "W"
                rows.append(f"{time:.3f},{op},{draw.randrange(10000) * 4096},4096\n")
            workload.write_text("time_us,op,offset_bytes,size_bytes\n" + "".join(rows))
            command += ["--columns", "time_us,op,offset_bytes,size_bytes"]
        else:
            workload = at / "job.fio"
            workload.write_text("[a]\n" + "".join(f"{key}={value}\n" for key, value in job.items()))
        command += ["-w", str(workload), "-q", "--out", str(at)]
        if keys.get("precondition.fill") == "steady":
            command += ["--states", str(self.folder / "states")]
        for key, value in keys.items():
            command += ["--set", f"{key}={value}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr.strip()[-200:]
        return json.loads((at / "result.json").read_text())

    def compare(self, case: Case, name: str) -> dict | str:
        job = dict(case.job)
        if case.load:
            full = {**job, "iodepth": 256, "number_ios": 20000}
            del full["rate_process"]
            result = self.run(case, name + "_full", case.keys, full, 0)
            if isinstance(result, str):
                return result
            job["rate_iops"] = max(1, int(case.load * result["ios"]["read"]["iops"]))
        until = {"run.until": self.arguments.width, "run.until_requests": 300_000 if case.quick else 3_000_000}
        short = self.run(case, name, {**case.keys, **until}, job, 60_000)
        if isinstance(short, str):
            return short
        steady = short["steady"]
        most = 3 if case.quick else 5
        length = max(most * (steady["since_requests"] + steady["requests"]), 20_000)
        if steady["class"] == "before_gc":
            length = min(length, steady["since_requests"] + steady["requests"] + steady["writes_until_gc"] // 2)
        longer = self.run(
            case,
            name + "_long",
            {**case.keys, "run.until": "0.1%", "run.until_requests": min(length, 6_000_000)},
            job,
            600_000,
        )
        if isinstance(longer, str):
            return longer
        truth = {name: interval["value"] for name, interval in intervals(longer).items()}
        if longer["steady"]["requests"] < LEAST * steady["requests"] and not case.trace:
            # What it says is of a piece that began late, and is no better known than what the short run said.
            whole = {
                **job,
                "number_ios": length,
                "io_size": "100000%",
                "ramp_time": f"{steady['since_ps'] // 1_000_000}us",
            }
            longer = self.run(case, name + "_whole", case.keys, whole, 0)
            if isinstance(longer, str):
                return longer
            truth = plain(longer)
        return {"class": steady["class"], "reason": steady["reason"], "numbers": list(pairs(short, truth))}


NUMBERS = ("mean_ps", "p50_ps", "p99_ps", "p99_9_ps")


def intervals(result: dict) -> dict:
    found = {"iops": result["steady"]["iops"]}
    for op in ("read", "write"):
        for number in NUMBERS:
            found[f"{op} {number}"] = result["ios"][op]["interval"][number]
    return found


def plain(result: dict) -> dict:
    """The numbers of a whole run, whatever it says of how steady it was."""
    ops = [result["ios"][op] for op in ("read", "write")]
    found = {"iops": sum(op["count"] for op in ops) / result["window"]["length_ps"] * 1e12}
    for name, op in zip(("read", "write"), ops):
        for number in NUMBERS:
            of = number.removesuffix("_ps")
            known = op["count"] > 0 and op["beyond"].get(of, 10) >= 10
            found[f"{name} {number}"] = op["lat_ps"][of] if known else None
    return found


def pairs(short: dict, truth: dict):
    """Name, interval of the short run, value of the long one."""
    for name, interval in intervals(short).items():
        if interval["value"] is not None and truth[name] is not None:
            yield name, interval, truth[name]


def too_few(inside: int, of: int) -> bool:
    """Fewer than COVERED, by more than chance explains once in a thousand times where there are few."""
    if of == 0 or inside / of >= COVERED:
        return False
    chance = sum(math.comb(of, k) * COVERED**k * (1 - COVERED) ** (of - k) for k in range(inside + 1))
    return chance < 0.001


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("root")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", default="5%")
    parser.add_argument("--only", choices=KINDS + SLOW_KINDS)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    width = float(arguments.width.rstrip("%")) / 100
    kinds = (arguments.only,) if arguments.only else KINDS

    inside: dict = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    classes: dict = collections.defaultdict(collections.Counter)
    wrong = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = Runs(arguments, Path(folder))

        def one(number: int):
            case = Case(kinds[number % len(kinds)], f"{arguments.seed} {number}", arguments.quick)
            return number, case, runs.compare(case, str(number))

        for number, case, found in pool.map(one, range(arguments.count)):
            if isinstance(found, str):
                classes[case.kind]["refused"] += 1
                print(f"{number} {case.kind}: {found}", flush=True)
                continue
            classes[case.kind][found["class"]] += 1
            if found["class"] not in ("steady", "before_gc"):
                continue
            for name, interval, truth in found["numbers"]:
                held = interval["low"] <= truth <= interval["high"]
                tally = inside[name.rsplit(" ", 1)[-1]][case.kind]
                tally[0] += held
                tally[1] += 1
                off = truth / interval["value"] - 1
                if name == "iops" and abs(off) > width:
                    wrong.append(f"{number} {case.kind}: said {found['class']}, and the long run's rate is {off:+.1%}")
                if not held:
                    half = max(interval["high"] - interval["value"], interval["value"] - interval["low"])
                    print(f"{number} {case.kind} {name}: {off:+.2%}, told +-{half / interval['value']:.2%}", flush=True)

    print()
    failed = bool(wrong)
    for name, by_kind in inside.items():
        held, all_of = (sum(t[i] for t in by_kind.values()) for i in (0, 1))
        rows = ", ".join(f"{kind} {held} of {of}" for kind, (held, of) in sorted(by_kind.items()))
        print(f"{name}: {held} of {all_of} = {held / all_of:.1%} of the long runs lie in the interval ({rows})")
        if name in ("iops", "mean_ps"):
            failed = failed or too_few(held, all_of) or any(too_few(*tally) for tally in by_kind.values())
    for kind, counts in sorted(classes.items()):
        print(f"{kind}: {', '.join(f'{count} {what}' for what, count in counts.most_common())}")
    print(*wrong, sep="\n")
    print(f"{arguments.count} drives, {len(wrong)} of them said steady wrongly, {'FAILED' if failed else 'passed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
