# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Random drives whose firmware mounts what power has left: each runs to its end with every read right, and is cut, shut
down and mounted in turn, and keeps what it has promised.

usage: cut_drives_test.py PROGRAM SOURCE_TREE [--count N] [--seed SEED] [--only I] [--cuts N]
                          [--caching]

Drive number i of a seed is the same whatever N is. A drive that fails is printed as a command.
"""

import argparse
import concurrent.futures
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import drive_runs  # noqa: E402
import random_drives  # noqa: E402
import random_kinds  # noqa: E402

SECONDS = 300  # of CPU time
UNREAD = "could not be corrected (flash.uncorrectable)"  # crash-test's words for what the medium lost before the cut


def job(draw: random.Random) -> str:
    text = "[global]\nioengine=libaio\nnorandommap\n"
    for number in range(draw.randint(1, 3)):
        kind = draw.choice(("randrw", "randwrite", "randtrim", "write"))
        text += (
            f"[job{number}]\nrw={kind}\nbs={draw.choice(('512', '4k', '4k', '16k', '64k'))}\n"
            f"iodepth={draw.choice((1, 4, 32))}\nnumber_ios={draw.randint(200, 1500)}\nio_size=100000%\n"
            + draw.choice(("", "fsync=8\n", "fsync=50\n", "sync=1\n"))
        )
    return text


class Drive:
    def __init__(self, seed: int, number: int, tables: dict, caching: bool):
        self.number = number
        self.sets, _ = random_drives.drive(seed, number, tables)
        draw = random.Random(f"{seed}/{number}/cut")
        random_kinds.recovering(draw, self.sets, tables)
        if caching or number % 4 == 3:
            random_kinds.caching(random.Random(f"{seed}/{number}/caching"), self.sets, tables)
        self.job = job(draw)
        self.cuts = ("--life", str(draw.randint(2, 8)), "--nested", str(draw.randint(0, 3)))
        self.cuts += ("--clean", str(draw.choice((0, 30, 100))), "--seed", str(number))

    def words(self) -> list[str]:
        return [f"{key}={value}" for key, value in self.sets.items()]


def crash_test(runner: drive_runs.Runner, drive: Drive, cuts: int) -> list[str]:
    command = [runner.program, "crash-test", str(runner.root / "configs/ssds/small.toml"), "-w"]
    command += [str(runner.workload(drive.job)), "--cuts", str(cuts), *drive.cuts]
    for one in drive.words():
        command += ["--set", one]
    return command


def cut(runner: drive_runs.Runner, drive: Drive, cuts: int) -> str:
    """What is wrong with it; empty: nothing."""
    try:
        done = drive_runs.run_within(crash_test(runner, drive, cuts), SECONDS, env=runner.environment)
    except subprocess.TimeoutExpired:
        return f"has not ended within {drive_runs.GUARD_SECONDS} s"
    if done.returncode == -signal.SIGXCPU:
        return f"has not ended within {SECONDS} s of CPU time"
    return "" if done.returncode == 0 else f"ends with {done.returncode}: {(done.stdout + done.stderr).strip()[:600]}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("root")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--cuts", type=int, default=8)
    parser.add_argument("--caching", action="store_true", help="all drives with ftl.map_cache, not one of four")
    arguments = parser.parse_args()
    runner = drive_runs.Runner(arguments.program, arguments.root, seconds=SECONDS)
    tables = drive_runs.tables(arguments.program)
    numbers = range(arguments.count) if arguments.only is None else [arguments.only]
    drives = [Drive(arguments.seed, number, tables, arguments.caching) for number in numbers]
    outcomes = runner.all([d.words() for d in drives], [runner.workload(d.job) for d in drives])
    # What the medium has lost is promised all the same, and so is what a drive does not take that can write no more.
    accepted = [d for d, outcome in zip(drives, outcomes) if not outcome.refused and not outcome.errors]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda d: cut(runner, d, arguments.cuts), accepted))
    wrong = [(d, "runs", o.problem) for d, o in zip(drives, outcomes) if o.problem]
    wrong += [(d, "is cut", problem) for d, problem in zip(accepted, found) if problem and UNREAD not in problem]
    print(
        f"seed {arguments.seed}: {len(drives)} drives, {sum(o.refused for o in outcomes)} refused, "
        f"{sum(o.errors > 0 for o in outcomes)} with errors, {len(accepted)} cut, "
        f"{sum(UNREAD in problem for problem in found)} of them with errors by then, {len(wrong)} problems"
    )
    for drive, what, problem in wrong:
        print(f"drive {drive.number} {what}: {problem}\n    {drive.job!r}")
        print(f"    {' '.join(crash_test(runner, drive, arguments.cuts))}")
    if arguments.only is not None and not accepted:
        print(outcomes[0].output)
    return 1 if wrong or (arguments.only is None and 2 * len(accepted) < len(drives)) else 0


if __name__ == "__main__":
    sys.exit(main())
