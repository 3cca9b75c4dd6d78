# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline explore`: a grid of configurations on some workloads; IOPS, tails, what limits each point, and the cheapest
that is good enough. Of a study file, or of a drive with --grid and --workload."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .framework import array_jobs, bounds, cluster, rounds, traces, what_if
from .framework.exploration import MOST_RUNS, SEED, Exploration, checked_until, checked_workloads
from .framework.heat_map import heat_map
from .framework.index import FILE as INDEX
from .framework.index import write as write_index
from .framework.objectives import Losses
from .framework.optimise import JOURNAL, Optimise, search, write_journal
from .framework.plan import FILE, Plan, run_some
from .framework.points import Program, StudyError, Workload, write_text
from .framework.requirements import Answer, answer, parsed
from .framework.rows import COST, Row, candidates, cost_of, losses_of, with_front, write_csv
from .framework.runner import Outcome, Progress, Runner
from .framework.space import Axis, Step, keys_of, values_at
from .framework.table import folded, front_table, table
from .framework.verdict import GOOD_ENOUGH, with_verdict

_MOST_ASKED = 4000  # configurations of a search
_MOST_SAID = 5  # reasons, notes

STEPS = {
    "plan": "write the numbered list of runs of a study, and scripts for job arrays",
    "run": "run points of a plan, any number of processes at a time",
    "collect": "make the tables of a plan's runs",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path, metavar="STUDY|CONFIG", help="study file; or a drive, with --grid and -w")
    parser.add_argument(
        "--grid",
        action="append",
        default=[],
        metavar="KEY=A,B,...",
        help="an axis of the grid; several: every combination",
    )
    parser.add_argument(
        "-w",
        "--workload",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="workload; several: each of them",
    )
    _add_overrides(parser)
    parser.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="CONDITION",
        help="what the drive must do, as 'read_iops >= 1e6' or 'read_p99_99 <= 1ms'; several: all of them. The answer is "
        "the cheapest point that does",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="with --require: run points, too, that cannot meet it by their times and widths",
    )
    parser.add_argument(
        "--until",
        metavar="SHARE[,SHARE]",
        help="how narrow the 95 %% interval of IOPS is to be at every point, and at those that may be the answer (default: "
        "5%%,1%%); snia; off: workloads run as long as they say",
    )
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for the table, the pictures and all runs (default: out/STUDY; of a drive, out/explore)",
    )
    _add_jobs(parser)
    parser.add_argument(
        "--states",
        type=Path,
        metavar="DIR",
        help="folder that keeps the states which drives begin with for further studies (default: DIR/states of --out, "
        "which goes with the end)",
    )
    parser.add_argument(
        "--what-if",
        action="store_true",
        help="afterwards, of the cheapest good point: what twice of each resource would gain (DIR/what_if)",
    )
    parser.add_argument(
        "--cluster",
        metavar="dask[=ADDRESS]",
        help="run on workers of Dask: N on this machine (-j N), or those of the scheduler at ADDRESS (tcp://HOST:8786)",
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    steps = "".join(f"\n  {name:<10}{text}" for name, text in STEPS.items())
    parser.epilog = f"Subcommands:{steps}\n\nA study file is described in docs/exploring.md."


def add_step_arguments(step: str, parser: argparse.ArgumentParser) -> None:
    if step == "plan":
        parser.add_argument("study", type=Path, metavar="STUDY", help="study file")
        _add_overrides(parser)
        parser.add_argument(
            "-o",
            "--out",
            type=Path,
            metavar="DIR",
            help="folder of the plan and of all that follows (default: out/STUDY)",
        )
        parser.add_argument("--slurm", action="store_true", help="write DIR/slurm.sh too, a job array for sbatch")
        parser.add_argument("--lsf", action="store_true", help="write DIR/lsf.sh too, a job array for bsub")
        parser.add_argument(
            "--sge", action="store_true", help="write DIR/sge.sh too, a job array for qsub (Grid Engine)"
        )
        parser.add_argument(
            "--per-task", type=int, default=1, metavar="N", help="runs of one task of the job array (default: 1)"
        )
        return
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the plan")
    if step == "run":
        parser.add_argument(
            "--index", metavar="I|I-J", help="the run of this number, or the runs from I to J (default: all)"
        )
        _add_jobs(parser)


def _add_overrides(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="overrides the configuration at every point"
    )
    parser.add_argument(
        "--requests", type=int, metavar="N", help="requests of each job of a fio job file, or of a profile"
    )
    parser.add_argument(
        "--repeats", type=int, metavar="N", help="run each point with run.seed 1 to N: its row is their mean"
    )
    traces.add_arguments(parser)


def _add_jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-j", "--jobs", type=int, default=0, metavar="N", help="runs at a time (default: as many as processors)"
    )


def _overrides(arguments: argparse.Namespace) -> dict[str, str]:
    sets = {}
    for text in arguments.set:
        key, equals, value = text.partition("=")
        if not equals:
            raise StudyError(f"--set {text}: expected KEY=VALUE")
        sets[key] = value
    if arguments.requests is not None and arguments.requests < 1:
        raise StudyError("--requests: expected at least 1")
    return sets


def _of_words(arguments: argparse.Namespace) -> Exploration:
    """A drive, --grid and --workload."""
    for option, given in (("--grid", arguments.grid), ("--workload", arguments.workload)):
        if not given:
            raise StudyError(f"{option}: missing; a drive needs --grid and --workload, a study file neither")
    axes = [Axis.parse(text) for text in arguments.grid]
    if len({axis.key for axis in axes}) != len(axes):
        raise StudyError("--grid: a key stands twice")
    sets = _overrides(arguments)
    workloads = [Workload.of_file(path) for path in arguments.workload]
    given = {"": traces.of_words(arguments)}
    found = checked_workloads(workloads, arguments.requests, "--workload", given)
    most = arguments.requests or 0
    return Exploration("explore", arguments.config, sets, tuple(axes), found, most=most)


def _of_file(path: Path, program: Program, arguments: argparse.Namespace) -> Exploration:
    return Exploration.load(path, program, arguments.requests, _overrides(arguments), traces.of_words(arguments))


def _repeated(study: Exploration, arguments: argparse.Namespace) -> Exploration:
    """--repeats replaces what a file says."""
    if arguments.repeats is None:
        return study
    if not 1 <= arguments.repeats <= MOST_RUNS:
        raise StudyError(f"--repeats {arguments.repeats}: expected 1 to {MOST_RUNS:,}")
    if SEED in study.sets or SEED in keys_of(study.axes):
        raise StudyError(f"--repeats: {SEED} is set, too; one of them says it")
    return dataclasses.replace(study, seeds=tuple(range(1, arguments.repeats + 1)))


def _with_words(study: Exploration, arguments: argparse.Namespace) -> Exploration:
    """--require adds to what a file requires, --until replaces what it says."""
    if arguments.require:
        words = parsed(arguments.require, [workload.name for workload in study.workloads])
        study = dataclasses.replace(study, requirements=(*study.requirements, *words))
    if arguments.until is not None:
        study = dataclasses.replace(study, until=checked_until(arguments.until))
    return _repeated(study, arguments)


def command(program: Program, arguments: argparse.Namespace) -> int:
    """Plans, runs and collects. Returns the exit code: 1 if a point failed; with requirements, 3 if no point meets them, 4
    if that is not decided."""
    if arguments.grid or arguments.workload:
        exploration = _of_words(arguments)
        folder = arguments.out or Path("out/explore")
    else:
        exploration = _of_file(arguments.config, program, arguments)
        folder = arguments.out or Path("out") / arguments.config.stem
    exploration = _with_words(exploration, arguments)
    if arguments.cluster is not None:
        if arguments.states is not None:
            raise StudyError("--cluster: the machines share the states in the folder of the study; leave out --states")
        return _on_cluster(exploration, program, folder, arguments)
    plan, outcomes = carry_out(exploration, program, folder, arguments.jobs, arguments.all, arguments.states)
    code = collect(plan, outcomes, folder)
    if arguments.what_if:
        print(what_if.of_chosen(with_verdict(plan.rows(outcomes)), outcomes, program, folder))
    return code


def carry_out(
    exploration: Exploration,
    program: Program,
    folder: Path,
    jobs: int = 0,
    run_all: bool = False,
    states: Path | None = None,
) -> tuple[Plan, list[Outcome]]:
    """Runs what the folder does not have yet, on this machine. `run_all`: also what cannot meet the requirements.
    `states`: as Runner has it."""
    with Runner(program, folder, jobs, states=states) as runner:
        steps = exploration.steps(program)
        first, *further = exploration.rounds(program) or ("",)
        unneeded: dict[Step, str] = {}
        if exploration.optimise is not None and exploration.optimise.chooses:
            steps = _search(exploration, exploration.optimise, steps, runner, folder, first)
            plan = Plan.make(exploration, program, steps, first)
            plan.write(folder)
            return plan, runner.run_named(plan.points(), plan.names(), _Trials)
        if exploration.requirements and not run_all:
            unneeded = _impossible(exploration, program, steps, bool(first))
            steps = [step for step in steps if step not in unneeded]
        plan = Plan.make(exploration, program, steps, first)
        _say_refusals(plan)
        plan.write(folder)
        if exploration.requirements and steps and not run_all:
            plan, outcomes, dearer = rounds.cheapest_first(exploration, [first, *further], program, runner, steps)
            unneeded |= {step: rounds.DEARER for step in dearer}
        else:
            plan, outcomes = rounds.carry_out(plan, further, program, runner)
        plan = dataclasses.replace(plan, unneeded=unneeded)
        plan.write(folder)
        return plan, outcomes


def _impossible(study: Exploration, program: Program, steps: Sequence[Step], steady: bool) -> dict[Step, str]:
    points = {step: study.points([step])[0] for step in steps}
    program.ask(list(points.values()))
    found: dict[Step, str] = {}
    for step, point in points.items():
        try:
            config = program.effective_config(point)
        except StudyError:
            continue  # refused: told with the others
        reason = bounds.ruled_out(config, study.workloads, study.requirements, steady)
        if reason:
            found[step] = reason
    if found:
        lines = [f"{len(found)} of {len(steps)} points cannot meet the requirement, and are not run (--all runs them):"]
        for step, reason in list(found.items())[:_MOST_SAID]:
            where = ", ".join(f"{key}={value}" for key, value in values_at(study.axes, step).items())
            lines.append(f"  {where}: {reason}")
        lines += [f"  and {len(found) - _MOST_SAID} more"] if len(found) > _MOST_SAID else []
        print("\n".join(lines), file=sys.stderr, flush=True)
    return found


def _say_refusals(plan: Plan) -> None:
    """Before the first run, which may take hours."""
    reasons = plan.refusals()
    if not reasons or len(plan.entries) == sum(reasons.values()):  # all points are refused: the error of the command
        return
    print(f"{sum(reasons.values())} of {len(plan.entries)} runs are refused:", file=sys.stderr)
    for reason, count in sorted(reasons.items(), key=lambda it: -it[1])[:_MOST_SAID]:
        print(f"  {count}: {reason}", file=sys.stderr)
    if len(reasons) > _MOST_SAID:
        print(f"  and {len(reasons) - _MOST_SAID} more reasons", file=sys.stderr)
    sys.stderr.flush()


def _on_cluster(exploration: Exploration, program: Program, folder: Path, arguments: argparse.Namespace) -> int:
    address = cluster.address_of(arguments.cluster)
    if exploration.optimise is not None and exploration.optimise.chooses:
        raise StudyError("--cluster: a study whose points depend on answers, by [optimise], runs on this machine")
    plan = _first_round(exploration, program)
    with Runner(program, folder):
        plan.write(folder)
    cluster.run(plan, program, folder, arguments.jobs, address)
    with Runner(program, folder) as runner:
        return collect(plan, runner.outcomes(plan.points(), plan.names()), folder)


def _first_round(exploration: Exploration, program: Program) -> Plan:
    """What can be planned before there are answers."""
    until = next(iter(exploration.rounds(program)), "")
    plan = Plan.make(exploration, program, exploration.steps(program), until)
    _say_refusals(plan)
    return plan


class _Trials(Progress):
    """Says nothing of single runs: the search says what is done."""

    def __init__(self, total: int, known: int, jobs: int):
        super().__init__(total, 0, jobs)

    def step(self, outcome: Outcome | None = None) -> None:
        pass


def _search(
    study: Exploration, asked: Optimise, steps: Sequence[Step], runner: Runner, folder: Path, until: str
) -> list[Step]:
    """The points that the sampler chose, in the order of its trials; they have run."""
    done = 0

    def evaluate(batch: Sequence[Step]) -> dict[Step, Losses | None]:
        nonlocal done
        plan = Plan.make(study, runner.program, batch, until)
        rows = plan.rows(runner.run_named(plan.points(), plan.names(), _Trials))
        done += len(batch)
        print(f"{done} of {min(asked.trials, len(steps))} points of {len(steps)}", file=sys.stderr, flush=True)
        losses = losses_of(rows, asked.objectives)
        return {step: losses[tuple(values_at(study.axes, step).values())] for step in batch}

    known = _known(study, asked, steps, runner.program) if asked.sampler == "gp" else {}
    if known:
        steps = [step for step in steps if step in known]
    answers = search(asked, study.axes, steps, evaluate, known)
    write_journal(asked, study.axes, answers, study.title, folder / JOURNAL)
    return list(answers)


def _known(
    study: Exploration, asked: Optimise, steps: Sequence[Step], program: Program
) -> dict[Step, list[float | None]]:
    """The losses that are known of each point that the program does not refuse, by its configuration alone. Nothing for
    a grid so large that asking would take as long as running."""
    found: dict[Step, list[float | None]] = {}
    if len(steps) <= _MOST_ASKED:
        program.ask([study.points([step])[0] for step in steps])
    for step in steps if len(steps) <= _MOST_ASKED else ():
        try:
            cost = cost_of(program.effective_config(study.points([step])[0]))
        except StudyError:
            continue
        found[step] = [objective.known(cost) for objective in asked.objectives]
    return found


def step_command(step: str, program: Program, arguments: argparse.Namespace) -> int:
    if step == "plan":
        return _plan(program, arguments)
    plan = Plan.read(arguments.folder)
    if step == "collect":
        with Runner(program, arguments.folder) as runner:
            return collect(plan, runner.outcomes(plan.points(), plan.names()), arguments.folder)
    indices = _indices(arguments.index, len(plan.entries))
    failed = 0
    for index, outcome in zip(indices, run_some(plan, indices, program, arguments.folder, arguments.jobs)):
        if outcome.failed:
            failed += 1
            print(f"point {index}: {outcome.point.title()}: {outcome.error}", file=sys.stderr)
    return 1 if failed else 0


def _plan(program: Program, arguments: argparse.Namespace) -> int:
    exploration = _repeated(_of_file(arguments.study, program, arguments), arguments)
    folder = arguments.out or Path("out") / arguments.study.stem
    if arguments.per_task < 1:
        raise StudyError("--per-task: expected at least 1")
    if exploration.optimise is not None and exploration.optimise.chooses:
        raise StudyError(
            f"{arguments.study}: optimise.sampler = {exploration.optimise.sampler} chooses points by the answers of "
            "others, so there is no list of them before; a plan needs sampler = 'grid'"
        )
    plan = _first_round(exploration, program)
    with Runner(program, folder):  # nobody runs points of another plan there
        plan.write(folder)
    refused = sum(not isinstance(name, str) for name in plan.names())
    print(
        f"{folder / FILE}: {len(plan.entries)} runs, 0 to {len(plan.entries) - 1}"
        + (f"; {refused} are refused" * bool(refused))
    )
    for kind in array_jobs.KINDS:
        if getattr(arguments, kind):
            print(
                "written:",
                array_jobs.write(kind, program, arguments.study.stem, folder, len(plan.entries), arguments.per_task),
            )
    return 0


def _indices(text: str | None, count: int) -> Sequence[int]:
    if text is None:
        return range(count)
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if first > last or last >= count:
        raise StudyError(f"--index {text}: expected a number from 0 to {count - 1}, or two as in 0-{count - 1}")
    return range(first, last + 1)


def collect(plan: Plan, outcomes: Sequence[Outcome], folder: Path) -> int:
    """Prints the table, writes it, and a heat map for each workload."""
    study = plan.exploration
    rows, found = write_tables(plan, outcomes, folder)
    print(table(rows, study.axes))
    if study.optimise is not None:
        print(front_table(rows, study.axes, study.objectives()))
    for note, count in list(_notes(outcomes).items())[:_MOST_SAID]:
        print(folded(f"note ({count} of {len(outcomes)} runs): {note}"))
    if found:
        print(found.text())
    drawn = [heat_map(rows, study.axes, workload.name, folder / f"{workload.name}.svg") for workload in study.workloads]
    files = [*(folder / name for name in ("table.csv", "table.json", INDEX)), *drawn]
    print(folded(f"written: {', '.join(map(str, files))}"))
    if found and (found.state == "met" or not _failed(plan, outcomes)):
        return found.exit_code
    return 1 if any(row.error for row in rows) else 0


def _failed(plan: Plan, outcomes: Sequence[Outcome]) -> bool:
    """Whether a point failed that the program did not refuse."""
    return any(outcome.failed and isinstance(name, str) for name, outcome in zip(plan.names(), outcomes))


def _notes(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """What the program noted about runs, each text once, and how often."""
    counted = Counter(note for outcome in outcomes if not outcome.failed for note in outcome.notes())
    return dict(sorted(counted.items(), key=lambda it: (-it[1], it[0])))


def write_tables(plan: Plan, outcomes: Sequence[Outcome], folder: Path) -> tuple[list[Row], Answer | None]:
    """table.csv, table.json and the index."""
    study = plan.exploration
    rows = plan.rows(outcomes)
    if rows and all(row.error for row in rows):
        raise StudyError(f"no point ran. The first: {rows[0].error}")
    rows = with_verdict(rows)
    if study.optimise is not None:
        rows = with_front(rows, study.objectives())
    found = None
    if study.requirements:
        asked = candidates(rows, study.requirements)
        if not asked and not plan.unneeded:
            names = ", ".join(requirement.text for requirement in study.requirements)
            raise StudyError(f"require: no workload has every number of {names}")
        dearer = sum(why == rounds.DEARER for why in plan.unneeded.values())
        found = answer(asked, len(plan.unneeded) - dearer, dearer)
    write_csv(rows, study.axes, folder / "table.csv")
    content = {
        "title": study.title,
        "config": str(study.config),
        "sets": study.sets,
        "axes": {axis.key: axis.values for axis in study.axes},
        "cost": COST,
        "good_enough": GOOD_ENOUGH,
        "optimise": None if study.optimise is None else study.optimise.to_json(),
        "require": [requirement.text for requirement in study.requirements],
        "answer": found.to_json() if found else None,
        "not_run": [{"values": values_at(study.axes, step), "reason": why} for step, why in plan.unneeded.items()],
        "notes": [{"text": text, "runs": count} for text, count in _notes(outcomes).items()],
        "points": [row.to_json() for row in rows],
    }
    write_text(folder / "table.json", json.dumps(content, indent=2) + "\n")
    write_index(plan, outcomes, rows, folder)
    return rows, found
