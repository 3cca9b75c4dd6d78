# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Every key at its least and its greatest value and with each of its words: `check` refuses it with a reason that names
the key, or the drive runs with it.

usage: key_ends_test.py PROGRAM SOURCE_TREE native|iss [--all]      --all prints what is refused, and why
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import drive_runs  # noqa: E402

# What else has to be set so that the key has an effect.
ROOM = ("nand.blocks_per_plane=64", "nand.layers=8")  # for many open superblocks and virtual blocks
SMALL_PAGES = (
    "nand.blocks_per_plane=24",
    "nand.region.blocks_per_plane=6",
    "ftl.policy=mpnfm",
    "ftl.map=page",
    "ftl.gc_pacing=false",
)
PINNED = ("nand.timing.mode=pinned", "nand.timing.t_r=[45us]", "nand.timing.t_prog=[700us]")
SMALL_BLOCKS = ("nand.spare=16KiB",)  # room for the metadata of 512-byte blocks
BESIDE = {
    "nvme.metadata": SMALL_BLOCKS,
    "nvme.protection": (*SMALL_BLOCKS, "nvme.metadata=separate"),
    "host.protection": (*SMALL_BLOCKS, "nvme.metadata=interleaved", "nvme.protection=type2"),
    "channels.suspend_depth": ("channels.suspend=both", "channels.suspended_by=all"),
    "nand.timing.t_r": PINNED,
    "nand.timing.t_prog": PINNED,
    "nand.timing.t_bers": PINNED,
    "nand.faults.moved_references": ("ecc.max_retries=7",),
    "nand.faults.moved_steps": ("ecc.max_retries=7", "nand.faults.moved_references=0.5"),
    "nand.faults.dead_dies": ("nand.faults.dead_at=[1ms]",),
    "nand.faults.dead_at": ("nand.faults.dead_dies=[0]",),
    "cpu.cores": ("cpu.task_core=[0, 0, 0]",),
    "cpu.task_core": ("cpu.cores=8",),
    "ftl.gc_reserve_superblocks": ("ftl.gc_start_superblocks=4",),
    "ftl.agcr.rewrite": ("ftl.policy=agcr", *ROOM, "ftl.idle_after=100us", "ftl.idle_free_superblocks=8"),
    "ftl.agcr.queue": ("ftl.policy=agcr_li",),
    "nand.region.page": SMALL_PAGES,
    "nand.region.blocks_per_plane": SMALL_PAGES,
    "nand.region.pages_per_block": SMALL_PAGES,
    "ftl.map_access": ("ftl.map=page",),
    "ftl.logical_page": ("nand.page=16KiB",),
    "ftl.map_unit": ("ftl.map=page", "nand.planes=4", "nand.page=16KiB"),
    "ftl.policy": ("nand.blocks_per_plane=32", "nand.program_order=mixed"),
    "precondition.wear": ("precondition.fill=random",),
    "ftl.recovery": ("ftl.power_safe=false",),
    "ftl.idle_after": ("ftl.idle_free_superblocks=8",),
    "ftl.idle_free_superblocks": ("ftl.idle_after=1ms",),
    "nvme.ready_time": ("nvme.ready_timeout=10500ms",),
    "nvme.never_ready": ("nvme.ready_timeout=500ms",),
    "nand.blocks_per_plane": ("ftl.over_provisioning=3.0",),
    "nand.cell": ("nand.timing.senses_per_page=[]",),
    "nand.ispp.step": ("nand.ispp.state_loops=1",),
    "nand.ispp.window": ("nand.ispp.state_loops=1",),
    "nand.planes": ("ftl.write_buffer=4MiB", "ftl.gc_buffer=4MiB"),
    **{f"power.{key}": ("power.hold_up=1J",) for key in ("controller", "capacitor_charged", "capacitor_empty")},
    "observe.waves_from": ("observe.waves=true",),
    "observe.waves_to": ("observe.waves=true",),
    "observe.nand": ("observe.waves=true",),
    "observe.channels": ("observe.waves=true",),
    "observe.dies": ("observe.waves=true",),
    **{
        f"observe.trigger_{key}": ("observe.waves=true", "observe.trigger=latency > 0ps")
        for key in ("before", "after", "limit")
    },
}
# What a value is for.
ENDS_WITH = {("nvme.never_ready", "true"): "the controller is not ready (CSTS.RDY) after the 0.5 s of CAP.TO"}
# Flash that is worn, coarsely programmed or read without help may lose data: an error of the flash, not of the model.
MAY_LOSE = ("nand.aging.", "nand.faults.", "nand.ispp.", "ecc.")


def beside(key: str, tables: dict) -> tuple[str, ...]:
    if key in BESIDE:
        return BESIDE[key]
    if key.startswith("engines.") and key.count("_"):
        return tuple(f"engines.{name}=on" for name in tables["engines"])
    sets: tuple[str, ...] = ()
    owner = next(((name, row) for name, row in tables["policies"].items() if key in row["keys"]), None)
    if owner is not None:
        name, row = owner
        sets += (f"ftl.policy={name}",)
        if drive_runs.streams(row) > 2:
            sets += ROOM
        if row["chooses_word_lines"]:
            sets += ("nand.program_order=mixed",)
        if row["small_pages"]:
            sets += SMALL_PAGES
    if key in tables["keys"]:
        other, words = tables["keys"][key]["needs"].split(" = ")
        sets += (f"{other}={words.split(' or ')[0]}",)
    return sets


def settings(key: drive_runs.Key, value: str, model: str, tables: dict) -> tuple[str, ...]:
    chosen = () if key.name == "cpu.model" else (f"cpu.model={model}",)
    return (*drive_runs.TINY, *chosen, *beside(key.name, tables), f"{key.name}={value}")


def main() -> int:
    program, root, model = sys.argv[1:4]
    runner = drive_runs.Runner(program, root)
    tables = drive_runs.tables(program)
    cases = [(key, value, model, tables) for key in drive_runs.keys(program) for value in key.ends()]
    whole = runner.workload(drive_runs.JOB.replace("bs=2560", "bs=4k"))  # a block of 4 KiB has no parts
    jobs = [whole if (key.name, value) == ("nvme.lba_size", "4KiB") else None for key, value, *_ in cases]
    outcomes = runner.all([settings(*case) for case in cases], jobs)
    problems = []
    refused = 0
    for case, outcome in zip(cases, outcomes):
        key, value = case[:2]
        problem = outcome.problem
        expected = ENDS_WITH.get((key.name, value))
        if expected:
            problem = None if problem and expected in problem else f"does not end with: {expected}"
        refused += outcome.refused
        if not problem and outcome.refused and key.name not in outcome.output:
            problem = f"is refused, but the reason does not name the key: {outcome.output.strip()}"
        if not problem and outcome.errors and not key.name.startswith(MAY_LOSE):
            problem = f"loses data: {outcome.result['errors']}"
        if problem:
            problems.append(f"{key.name} = {value}: {problem}\n" f"    {' '.join(runner.command(settings(*case)))}")
        if "--all" in sys.argv and outcome.refused:
            print(f"{key.name} = {value}: {outcome.output.strip()}")
    print(f"{len(cases)} settings: {len(cases) - refused} run, {refused} refused, {len(problems)} problems")
    for problem in problems:
        print(problem)
    return 1 if problems or refused > len(cases) // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
