# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Engines in gates against the modelled ones, on whole drives: the shipped drives, and random ones. Both must give the
same result.json, but for what gates alone count. The modelled engines have the gates' times by default; shipped drives
with others get them.

usage: gates_drives_test.py PROGRAM SOURCE_TREE [--count N] [--seed SEED] [--only I] [--systems NAME...] [--seconds S]

A drive that differs is printed as a command. At the end one drive gets a modelled parser that takes a clock more: a
comparison that does not see that has failed.
"""

import argparse
import concurrent.futures
import copy
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import drive_runs  # noqa: E402
import random_drives  # noqa: E402

GATES = {"engines.model": "rtl"}
MODEL = {"nvme.coalescing_ticks": "true"}
# The defaults, which gates do not refuse.
DEFAULT_TIMES = {
    "engines.parse_latency": "16ns",
    "engines.parse_interval": "18ns",
    "engines.parse_depth": 1,
    "nvme.completion_time": "14ns",
}
CHAIN = ("l2p", "job", "completion", "buffer")
# What the parser in gates does not know, and the times of engines that are in gates.
REFUSED = ("nvme.metadata", "nvme.protection", "host.protection", "ftl.fdp.", "engines.parse_", "engines.l2p_",
           "engines.victim_", "engines.rtl.", "nvme.completion_time", "nvme.coalescing_ticks")  # fmt: skip
SYSTEM_JOB = (
    "[global]\nnorandommap\n"
    "[mixed]\nrw=randrw\nbs=4k\niodepth=16\nnumber_ios=1500\nsize=8m\n"
    "[long]\nrw=randrw\nbs=64k\niodepth=4\nnumber_ios=60\nsize=8m\n"
    "[trim]\nrw=randtrim\nbs=8k\nnumber_ios=60\nsize=8m\n"
)
SHOWN = 3


class Run:
    """One run of the program; `refused`, or a problem, or its result."""

    def __init__(self, command: list[str], seconds: int):
        self.result: dict = {}
        self.problem = ""
        self.refused = False
        with tempfile.TemporaryDirectory() as out:
            with open(Path(out) / "stderr", "w+", errors="replace") as said:
                child = subprocess.Popen([*command, "--quiet", "--out", out], stdout=subprocess.DEVNULL, stderr=said)
                resource.prlimit(child.pid, resource.RLIMIT_CPU, (seconds, seconds + 5))
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
                self.cpu = usage.ru_utime + usage.ru_stime
                said.seek(0)
                text = said.read().strip()
            if child.returncode == 2:
                self.refused = True
                self.problem = text[:500]
            elif child.returncode == -signal.SIGXCPU:
                self.problem = f"has not ended within {seconds} s of CPU time"
            elif child.returncode != 0:
                self.problem = f"ends with {child.returncode}: {text[:500]}"
            else:
                self.result = json.loads((Path(out) / "result.json").read_text())
                if self.result["check"]["mismatches"] != 0:
                    self.problem = f"{self.result['check']['mismatches']} mismatches"


def without_gates(result: dict) -> dict:
    """Without what gates alone count, and what says with which settings it was run."""
    kept = copy.deepcopy(result)
    kept["wordline"].pop("config_sha256")
    kept.pop("provenance", None)
    for engine in kept.get("engines", {}).values():
        if isinstance(engine, dict):
            engine.pop("clocks", None)
    for name in ("xor_additions", "xor_clocks"):
        kept.get("parity", {}).pop(name, None)
    return kept


def differences(a, b, place="") -> list[str]:
    if isinstance(a, dict) and isinstance(b, dict):
        names = sorted(a.keys() | b.keys())
        return [found for name in names for found in differences(a.get(name), b.get(name), f"{place}.{name}")]
    return [] if a == b else [f"{place[1:]}: {a} in gates, {b} in the model"]


class Drive:
    def __init__(self, name: str, file: str, job: str, tries: list[dict]):
        self.name, self.file, self.job, self.tries = (
            name,
            file,
            job,
            tries,
        )  # tries: settings, the first accepted counts
        self.problem = ""
        self.refused = False
        self.sets: dict = {}
        self.gates = self.model = None


class Comparison:
    def __init__(self, program: str, root: str, seconds: int):
        self.program, self.root, self.seconds = program, Path(root), seconds
        self.scratch = tempfile.TemporaryDirectory()

    def command(self, drive: Drive, sets: dict) -> list[str]:
        job = Path(self.scratch.name) / f"{drive.name}.fio"
        job.write_text(drive.job)
        words = [self.program, "run", str(self.root / "configs/ssds" / drive.file), "--workload", str(job)]
        for key, value in sets.items():
            words += ["--set", f"{key}={value}"]
        return words

    def run(self, drive: Drive, sets: dict) -> Run:
        return Run(self.command(drive, sets), self.seconds)

    def compare(self, drive: Drive) -> Drive:
        for sets in drive.tries:
            drive.sets = sets
            drive.gates = self.run(drive, sets | GATES)
            if not drive.gates.refused:
                break
        if drive.gates.refused:
            drive.refused = True
            return drive
        drive.model = self.run(drive, drive.sets | MODEL)
        found = [run.problem for run in (drive.gates, drive.model) if run.problem]
        if not found:
            found = differences(without_gates(drive.gates.result), without_gates(drive.model.result))
        if found:
            drive.problem = "; ".join(found[:4]) + (f" and {len(found) - 4} more" if len(found) > 4 else "")
        return drive


def random_drive(seed: int, number: int, tables: dict) -> Drive:
    """Drive `number` of accepted_drives_test.py with its engines in gates, and more of them."""
    sets, job = random_drives.drive(seed, number, tables)
    draw = random.Random(f"{seed}/{number}/gates")
    for key in [key for key in sets if key.startswith(REFUSED)]:
        sets.pop(key)
    sets |= {"host.model": "nvme", "engines.parse": "on"}
    if sets.get("host.completion") != "polling" and draw.random() < 0.6:
        sets |= {
            "host.coalescing_entries": draw.choice((2, 3, 9, 200)),
            "host.coalescing_time": draw.choice(("100us", "100us", "300us")),
        }
    chain = {f"engines.{name}": "on" for name in CHAIN}
    buffers = {key: f"{max(16, int(sets[key][:-3]))}KiB" for key in ("ftl.write_buffer", "ftl.gc_buffer")}
    buffers["ftl.read_buffer"] = f"{max(256, int(sets['ftl.read_buffer'][:-3]))}KiB"
    victim = {"engines.victim": "on", "ftl.policy": "page_greedy"}
    tries = [sets | chain | buffers, sets]
    if sets["ftl.policy"] in random_drives.ROW_POLICIES and draw.random() < 0.7:
        tries = [sets | chain | buffers | victim, sets | victim, *tries]
    return Drive(f"drive {number}", "small.toml", job, tries)


def system(name: str, tables: dict) -> Drive:
    """A shipped drive, with all engines that it takes in gates."""
    on = {f"engines.{engine}": "on" for engine in ("parse", *CHAIN)}
    host = {"host.model": "nvme"} | DEFAULT_TIMES
    coalesced = {"host.coalescing_entries": 4, "host.coalescing_time": "100us"}
    return Drive(
        name,
        name,
        SYSTEM_JOB,
        [
            on | {"engines.victim": "on"} | host | coalesced,
            on | host | coalesced,
            {"engines.parse": "on"} | host | coalesced,
            {"engines.parse": "on"} | host,
        ],
    )


def tell(drives: list[Drive]) -> None:
    """What the drives have had in gates, and what that costs."""
    counted: dict[str, int] = {}
    clocks = 0
    coalesced = sum(int(drive.sets.get("host.coalescing_entries", 1)) > 1 for drive in drives)
    for drive in drives:
        for name, engine in drive.gates.result.get("engines", {}).items():
            if isinstance(engine, dict) and "clocks" in engine:
                counted[name] = counted.get(name, 0) + engine["operations"]
                clocks += engine["clocks"]
        parity = drive.gates.result.get("parity", {})
        counted["xor"] = counted.get("xor", 0) + parity.get("xor_additions", 0)
        clocks += parity.get("xor_clocks", 0)
    print("operations in gates: " + ", ".join(f"{name} {count:,}" for name, count in sorted(counted.items())))
    gates, model = (sum(run.cpu for run in runs) for runs in
                    ([drive.gates for drive in drives], [drive.model for drive in drives]))  # fmt: skip
    print(
        f"{coalesced} drives with coalesced completions; CPU time {gates:.1f} s with gates, {model:.1f} s without; "
        f"{clocks:,} clocks of requests in gates"
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("root")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--systems", nargs="*", metavar="NAME", help="shipped drives; none: all")
    parser.add_argument("--seconds", type=int, default=300, help="of CPU time, for each run")
    arguments = parser.parse_args()
    tables = drive_runs.tables(arguments.program)
    comparison = Comparison(arguments.program, arguments.root, arguments.seconds)
    os.environ["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"
    if arguments.systems is not None:
        names = arguments.systems or sorted(
            file.name for file in (Path(arguments.root) / "configs/ssds").glob("*.toml")
        )
        what = "shipped drives"
        drives = [system(name, tables) for name in names]
    else:
        numbers = range(arguments.count) if arguments.only is None else [arguments.only]
        what = f"seed {arguments.seed}"
        drives = [random_drive(arguments.seed, number, tables) for number in numbers]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        drives = list(pool.map(comparison.compare, drives))
    refused = [drive for drive in drives if drive.refused]
    run = [drive for drive in drives if not drive.refused]
    failed = [drive for drive in run if drive.problem]
    print(
        f"{what}: {len(drives)} drives, {len(run)} run in gates and as the model, {len(refused)} refused, "
        f"{len(run) - len(failed)} have the same result.json, {len(failed)} do not"
    )
    tell([drive for drive in run if not drive.problem])
    for drive in failed[:SHOWN]:
        print(f"{drive.name}: {drive.problem}\n    {' '.join(comparison.command(drive, drive.sets | GATES))}\n"
              f"    {drive.job!r}")  # fmt: skip
    if len(failed) > SHOWN:
        print(f"and {len(failed) - SHOWN} more: {[drive.name for drive in failed[SHOWN:]]}")
    for drive in refused[:SHOWN] if len(refused) > max(3, len(drives) // 8) else []:
        print(f"{drive.name} is refused: {drive.gates.problem}")
    blind = False
    good = [drive for drive in run if not drive.problem]
    if good:
        slower = comparison.run(good[0], good[0].sets | MODEL | {"engines.parse_latency": "18ns"})
        blind = not differences(without_gates(good[0].gates.result), without_gates(slower.result))
        print("a modelled parser that takes a clock more is " + ("not seen" if blind else "seen"))
    wrong = failed or blind or not run or (arguments.only is None and len(refused) > max(3, len(drives) // 8))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
