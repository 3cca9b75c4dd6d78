# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Random drives: geometries, policies, engines, cores, buses, wear and faults. What `check` accepts runs to its end,
every read right.

usage: accepted_drives_test.py PROGRAM SOURCE_TREE [--count N] [--seed SEED] [--harsh] [--recovering] [--caching]
       [--seconds S]

Drive number i of a seed is the same whatever N is, and can be run again alone: --seed SEED --only I. A drive that fails
is printed as a command, without the settings that do not matter. A program under sanitizers or valgrind needs more
seconds for a drive than the usual 120.
"""

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import drive_runs  # noqa: E402
import random_drives  # noqa: E402
import random_kinds  # noqa: E402

SHOWN = 3  # drives that are reduced to what fails


def words(sets: dict) -> list[str]:
    return [f"{key}={value}" for key, value in sets.items()]


def smaller(runner: drive_runs.Runner, sets: dict, job: Path) -> dict:
    """Without the settings that the problem does not need. A drive that does not end is shown as it is: each try takes
    the full time."""
    if "has not ended" in runner.run(words(sets), job).problem:
        return sets
    for key in list(sets):
        less = {other: value for other, value in sets.items() if other != key}
        if runner.run(words(less), job).problem:
            sets = less
    return sets


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("root")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument(
        "--harsh",
        action="store_true",
        help="as few spare superblocks as check takes, a large buffer of GC, dies that fail",
    )
    parser.add_argument("--caching", action="store_true", help="drives with ftl.map_cache")
    parser.add_argument("--recovering", action="store_true", help="drives with ftl.recovery")
    parser.add_argument(
        "--seconds", type=int, default=120, help="of CPU time; a drive that has not ended by then is a problem"
    )
    arguments = parser.parse_args()
    runner = drive_runs.Runner(arguments.program, arguments.root, seconds=arguments.seconds)
    numbers = range(arguments.count) if arguments.only is None else [arguments.only]
    tables = drive_runs.tables(arguments.program)
    drives = [random_drives.drive(arguments.seed, number, tables, arguments.harsh) for number in numbers]
    if arguments.recovering:
        for number, (sets, _) in zip(numbers, drives):
            random_kinds.recovering(random.Random(f"{arguments.seed}/{number}/recovering"), sets, tables)
    if arguments.caching:
        for number, (sets, _) in zip(numbers, drives):
            random_kinds.caching(random.Random(f"{arguments.seed}/{number}/caching"), sets, tables)
    jobs = [runner.workload(text) for _, text in drives]
    outcomes = runner.all([words(sets) for sets, _ in drives], jobs)
    refused = sum(outcome.refused for outcome in outcomes)
    failed = [i for i, outcome in enumerate(outcomes) if outcome.problem]
    collected = sum(outcome.result.get("flash", {}).get("erases", 0) > 0 for outcome in outcomes)
    print(
        f"seed {arguments.seed}: {len(drives)} drives, {len(drives) - refused} run, {refused} refused, "
        f"{sum(outcome.errors > 0 for outcome in outcomes)} with media errors, {collected} with GC, "
        f"{len(failed)} problems"
    )
    for i in failed[:SHOWN]:
        sets = smaller(runner, drives[i][0], jobs[i])
        print(
            f"drive {numbers[i]} {outcomes[i].problem}\n    {' '.join(runner.command(words(sets)))}\n"
            f"    {drives[i][1]!r}"
        )
    if len(failed) > SHOWN:
        print(f"and {len(failed) - SHOWN} more: {[numbers[i] for i in failed[SHOWN:]]}")
    return 1 if failed or (arguments.only is None and refused > max(3, len(drives) // 8)) else 0


if __name__ == "__main__":
    sys.exit(main())
