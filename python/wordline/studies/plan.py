# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbered list of an exploration's runs, plan.json: made once, after which each run, on whatever machine, and the
tables in the end need nothing but the folder it lies in, and the program."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .exploration import Exploration
from .expression import Condition
from .optimise import Optimise
from .points import Point, Program, StudyError, Workload
from .rows import Cost, Row, cost_of
from .runner import Name, Outcome, Runner, names_of
from .space import Axis, Step, values_at

FILE = "plan.json"
_FORMAT = 1


@dataclasses.dataclass(frozen=True)
class Entry:
    """A run, its name, and what its drive costs; null where the program refuses the drive."""

    point: Point
    name: Name
    cost: Cost | None


@dataclasses.dataclass(frozen=True)
class Plan:
    exploration: Exploration
    program: str  # its hash
    entries: tuple[Entry, ...]

    @staticmethod
    def make(exploration: Exploration, program: Program, steps: Sequence[Step], jobs: int = 0) -> "Plan":
        points = exploration.points(steps)
        drives = list({(point.config, point.sets): point for point in points}.values())
        with ThreadPoolExecutor(jobs or len(os.sched_getaffinity(0))) as pool:  # it waits for the program, each time
            list(pool.map(lambda point: names_of(program, [point]), drives))
        names = names_of(program, points)
        costs = [cost_of(program.effective_config(p)) if isinstance(n, str) else None for p, n in zip(points, names)]
        return Plan(exploration, program.hash, tuple(map(Entry, points, names, costs)))

    def write(self, folder: Path) -> None:
        study = self.exploration
        content = {
            "format": _FORMAT,
            "title": study.title,
            "program": self.program,
            "config": str(study.config),
            "sets": dict(study.sets),
            "axes": [{"key": axis.key, "values": axis.values, "others": dict(axis.others)} for axis in study.axes],
            "constraints": [condition.text for condition in study.constraints],
            "seeds": study.seeds,
            "workloads": [
                {**dataclasses.asdict(workload), "path": str(workload.path) if workload.path else None}
                for workload in study.workloads
            ],
            "optimise": None if study.optimise is None else study.optimise.to_json(),
            "points": [self._entry_to_json(index) for index in range(len(self.entries))],
        }
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f"{FILE}.partial"
        partial.write_text(json.dumps(content, indent=1) + "\n")
        partial.rename(folder / FILE)

    def _entry_to_json(self, index: int) -> dict[str, Any]:
        entry = self.entries[index]
        refused = isinstance(entry.name, StudyError)
        return {
            "index": index,
            "workload": entry.point.workload.name,
            "values": values_at(self.exploration.axes, entry.point.label("step")),
            "seed": entry.point.label("seed"),
            "step": entry.point.label("step"),
            "key": None if refused else entry.name,
            "error": str(entry.name) if refused else None,
            "cost": entry.cost,
        }

    @staticmethod
    def read(folder: Path) -> "Plan":
        path = folder / FILE
        try:
            content = json.loads(path.read_text())
        except OSError as error:
            raise StudyError(
                f"{path}: cannot be read: {error.strerror}; wordline explore plan STUDY -o {folder} writes it"
            ) from error
        except ValueError as error:
            raise StudyError(f"{path}: is not JSON: {error}") from error
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise StudyError(f"{path}: not a plan of this version of wordline; plan again")
        study = Exploration(
            content["title"],
            Path(content["config"]),
            content["sets"],
            tuple(
                Axis(axis["key"], tuple(axis["values"]), tuple((key, tuple(v)) for key, v in axis["others"].items()))
                for axis in content["axes"]
            ),
            tuple(
                Workload(
                    entry["name"],
                    Path(entry["path"]) if entry["path"] else None,
                    entry["text"],
                    entry["suffix"],
                    tuple(entry["options"]),
                )
                for entry in content["workloads"]
            ),
            tuple(content["seeds"]),
            tuple(map(Condition, content["constraints"])),
            Optimise.of_json(content["optimise"], [entry["name"] for entry in content["workloads"]]),
        )
        steps = list(dict.fromkeys(tuple(entry["step"]) for entry in content["points"]))
        entries = [
            Entry(
                point,
                entry["key"] or StudyError(entry["error"]),
                tuple(entry["cost"]) if entry["cost"] else None,
            )
            for point, entry in zip(study.points(steps), content["points"], strict=True)
        ]
        return Plan(study, content["program"], tuple(entries))

    def check(self, program: Program) -> None:
        if program.hash != self.program:
            raise StudyError(f"{FILE}: was made with another build of the program; plan again")

    def points(self) -> list[Point]:
        return [entry.point for entry in self.entries]

    def names(self) -> list[Name]:
        return [entry.name for entry in self.entries]

    def rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        """One for each workload and step; the seeds of a point lie next to each other."""
        runs = len(self.exploration.seeds) or 1
        objectives = self.exploration.objectives()
        found = []
        for begin in range(0, len(self.entries), runs):
            entry = self.entries[begin]
            values = values_at(self.exploration.axes, entry.point.label("step"))
            found.append(Row.of(outcomes[begin : begin + runs], values, entry.cost, self.exploration.seeds, objectives))
        return found


def run_some(plan: Plan, indices: Sequence[int], program: Program, folder: Path, jobs: int) -> list[Outcome]:
    """Runs entries of a plan while other processes, on this machine or others, run others of the same folder."""
    plan.check(program)
    entries = [plan.entries[index] for index in indices]
    points, names = [entry.point for entry in entries], [entry.name for entry in entries]
    for point, name in zip(points, names):
        if isinstance(name, str) and names_of(program, [point]) != [name]:
            raise StudyError(f"{FILE}: a file that the plan names has changed since; plan again")
    with Runner(program, folder, jobs, shared=True) as runner:
        return runner.run_named(points, names)
