# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A die dies at any instant of a run: small drives with parity over dies, writing, reading and collecting. Nothing is
lost, nothing read is wrong, whatever the die and the instant are.

usage: dead_die_test.py PROGRAM SOURCE_TREE [--drives N] [--places N] [--seed SEED] [--only I]

Each drive is run once with all dies, for its length, then once for each place: a die, and an instant of that length.
"""

import argparse
import dataclasses
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import drive_runs  # noqa: E402

POLICIES = ("page_greedy", "page_cost_benefit", "page_d_choices", "page_fifo", "page_hot_cold", "sepbit")
CLASSES_OF_MOVES = ("page_hot_cold", "sepbit")  # which static wear levelling refuses
SHOWN = 5


@dataclasses.dataclass(frozen=True)
class Drive:
    sets: tuple[str, ...]
    job: str
    dies: int


def drawn(seed: int, number: int) -> Drive:
    draw = random.Random(f"{seed}/{number}")
    channels, packages = draw.choice(((1, 4), (2, 2), (2, 3), (4, 1), (4, 2)))
    dies = channels * packages
    policy = draw.choice(POLICIES)
    levelling = ("fifo", "dynamic") if policy in CLASSES_OF_MOVES else ("fifo", "dynamic", "static")
    sets = {
        "channels.count": channels,
        "channels.packages": packages,
        "channels.dies_per_package": 1,
        **draw.choice(({}, {"channels.suspend": "both"}, {"channels.suspend": "both", "channels.suspended_by": "all"})),
        "nand.planes": draw.choice((1, 2)),
        "nand.page": "4KiB",
        "nand.spare": "552B",
        "nand.layers": draw.choice((2, 4)),
        "nand.wls_per_layer": 2,
        "nand.blocks_per_plane": draw.choice((32, 40)),
        "nand.aging.pe_cycles": draw.choice((0, 0, 3000)),
        "cpu.model": "native" if draw.random() < 0.9 else "iss",
        "engines.retry": draw.choice(("on", "off")),
        "ftl.parity": "dies",
        "ftl.policy": policy,
        # A drive that has lost a die needs room to write on: of n - 1 dies with data n - 2 are left.
        "ftl.over_provisioning": round(draw.choice((1.8, 2.2)) * (dies - 1) / (dies - 2) - 1, 3),
        "ftl.gc_start_superblocks": 3,
        "ftl.write_buffer": draw.choice(("1MiB", "4MiB")),
        "ftl.gc_pacing": draw.choice(("true", "false")),
        "ftl.admission": draw.choice(("free", "mean_rate")),
        "ftl.who_waits": draw.choice(("writes", "both")),
        "ftl.wear_levelling": draw.choice(levelling),
        "precondition.fill": draw.choice(("none", "sequential", "sequential")),
        "run.seed": number,
    }
    size = draw.choice(("4k", "8k", "512-32k"))
    bs = f"bsrange={size}" if "-" in size else f"bs={size}"
    job = f"[global]\nnorandommap\n[mixed]\nrw=randrw\n{bs}\nrwmixread=40\niodepth={draw.choice((1, 8, 32))}\n"
    job += f"io_size={draw.choice((60, 120))}%\n[all]\nstonewall\nrw=read\nbs=64k\niodepth=4\nsize=100%\n"
    return Drive(tuple(f"{key}={value}" for key, value in sets.items()), job, dies)


def places(drive: Drive, seed: int, number: int, count: int, simulated_ps: int) -> list[tuple[str, ...]]:
    draw = random.Random(f"{seed}/{number}/places")
    return [
        (
            f"nand.faults.dead_dies=[{draw.randrange(drive.dies)}]",
            f"nand.faults.dead_at=[{draw.randrange(simulated_ps)}ps]",
        )
        for _ in range(count)
    ]


def problem_of(outcome: drive_runs.Outcome) -> str:
    if outcome.refused:
        return f"is refused: {outcome.output.strip()[:300]}"
    if outcome.problem:
        return outcome.problem
    if outcome.errors:
        return f"has {outcome.errors} requests with media errors"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("root")
    parser.add_argument("--drives", type=int, default=4)
    parser.add_argument("--places", type=int, default=8, help="of each drive")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    arguments = parser.parse_args()
    runner = drive_runs.Runner(arguments.program, arguments.root, seconds=120)
    failed, outcomes = [], []

    def note(outcome: drive_runs.Outcome, sets, job: Path, drive: Drive) -> bool:
        problem = problem_of(outcome)
        if problem:
            failed.append((problem, runner.command(sets, job), drive.job))
        return not problem

    numbers = range(arguments.drives) if arguments.only is None else [arguments.only]
    for number in numbers:
        drive = drawn(arguments.seed, number)
        job = runner.workload(drive.job)
        whole = runner.run(drive.sets, job)
        if not note(whole, drive.sets, job, drive):
            continue
        where = places(drive, arguments.seed, number, arguments.places, whole.result["simulated_ps"])
        sets = [[*drive.sets, *at] for at in where]
        for one, outcome in zip(sets, runner.all(sets, [job] * len(sets))):
            note(outcome, one, job, drive)
            outcomes.append(outcome)

    def total(section: str, key: str) -> int:
        return sum(outcome.result.get(section, {}).get(key, 0) for outcome in outcomes)

    given_up, rebuilt = total("parity", "dead_dies"), total("parity", "rebuilds")
    moved, collected = total("parity", "rebuild_superblocks"), total("flash", "erases")
    print(
        f"seed {arguments.seed}: {len(outcomes)} places in {len(numbers)} drives, {given_up} dies given up, {rebuilt} reads "
        f"rebuilt, {moved} superblocks written anew, {collected} blocks erased, {len(failed)} problems"
    )
    for problem, command, job in failed[:SHOWN]:
        print(f"{problem}\n    {' '.join(command)}\n    {job!r}")
    return 1 if failed or given_up == 0 or rebuilt == 0 or moved == 0 or collected == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
