# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbered list of an exploration's runs, plan.json: made once, after which each run, on whatever machine, and the
tables in the end need nothing but the folder it lies in, and the program."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .exploration import MOST, Exploration
from .expression import Condition
from .optimise import Optimise
from .points import Point, Program, StudyError, Workload, write_text
from .requirements import parsed
from .rows import Cost, Row, cost_of
from .runner import Name, Outcome, Runner, names_of
from .space import Axis, Step, values_at

FILE = "plan.json"
_FORMAT = 2


@dataclasses.dataclass(frozen=True)
class Entry:
    """A run, its name, and what its drive costs; null where the program refuses the drive."""

    point: Point
    name: Name
    cost: Cost | None


@dataclasses.dataclass(frozen=True)
class Plan:
    """`unneeded`: points of the study that are not in it, and why: they cannot meet its requirements, or cost more."""

    exploration: Exploration
    program: str  # its hash
    entries: tuple[Entry, ...]
    unneeded: Mapping[Step, str] = dataclasses.field(default_factory=dict)

    @staticmethod
    def make(
        exploration: Exploration, program: Program, steps: Sequence[Step], until: str = "", most: int = 0
    ) -> "Plan":
        """`until`, `most`: how every run ends."""
        points = exploration.points(steps, until, most)
        names = names_of(program, points)
        costs = [cost_of(program.effective_config(p)) if isinstance(n, str) else None for p, n in zip(points, names)]
        return Plan(exploration, program.hash, tuple(map(Entry, points, names, costs)))

    def further(self, program: Program, entries: Sequence[int], until: str) -> "Plan":
        """The same plan, but these entries run until their intervals are so narrow."""
        changed = list(self.entries)
        points = {}
        for index in entries:
            point = self.entries[index].point
            step, seed = point.label("step"), point.label("seed")
            given = self.exploration.sets
            sets = {key: given.get(key, value) if key == MOST else value for key, value in point.sets}
            if MOST not in given:
                sets.pop(MOST, None)
            sets |= self.exploration.ends(point.workload, until, 0)
            labels = {"step": step, "seed": seed, "until": until, "most": 0}
            points[index] = Point.make(point.config, point.workload, sets, labels)
        for index, name in zip(points, names_of(program, list(points.values()))):
            changed[index] = Entry(points[index], name, self.entries[index].cost)
        return dataclasses.replace(self, entries=tuple(changed))

    def refusals(self) -> dict[str, int]:
        """Why the program refuses points, and how many: without where the value stands, which differs."""
        found: dict[str, int] = {}
        for name in self.names():
            if isinstance(name, StudyError):
                first = str(name).splitlines()[0]
                reason = first.partition("error: ")[2] or first
                found[reason] = found.get(reason, 0) + 1
        return found

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
            "require": [requirement.text for requirement in study.requirements],
            "until": study.until,
            "most": study.most,
            "unneeded": [{"step": step, "reason": reason} for step, reason in self.unneeded.items()],
            "points": [self._entry_to_json(index) for index in range(len(self.entries))],
        }
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f"{FILE}.partial"
        write_text(partial, json.dumps(content, indent=1) + "\n")
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
            "until": entry.point.label("until"),
            "most": entry.point.label("most"),
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
            parsed(content["require"], [entry["name"] for entry in content["workloads"]]),
            tuple(content["until"]),
            content["most"],
        )
        unneeded = {tuple(entry["step"]): entry["reason"] for entry in content["unneeded"]}
        return Plan(study, content["program"], _entries(study, content["points"]), unneeded)

    def check(self, program: Program) -> None:
        if program.hash != self.program:
            raise StudyError(f"{FILE}: was made with another build of the program; plan again")

    def points(self) -> list[Point]:
        return [entry.point for entry in self.entries]

    def names(self) -> list[Name]:
        return [entry.name for entry in self.entries]

    def rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        """One entry for each workload and step; the seeds of a point lie next to each other."""
        runs = len(self.exploration.seeds) or 1
        objectives = self.exploration.objectives()
        found = []
        for begin in range(0, len(self.entries), runs):
            entry = self.entries[begin]
            values = values_at(self.exploration.axes, entry.point.label("step"))
            of_it, until = outcomes[begin : begin + runs], entry.point.label("until")
            seeds, wanted = self.exploration.seeds, self.exploration.requirements
            found.append(Row.of(of_it, values, entry.cost, seeds, objectives, wanted, until))
        return found


def _entries(study: Exploration, listed: Sequence[Mapping[str, Any]]) -> tuple[Entry, ...]:
    """As write() has them."""
    steps = list(dict.fromkeys(tuple(entry["step"]) for entry in listed))
    ends = dict.fromkeys((entry["until"], entry["most"]) for entry in listed)
    points = {end: study.points(steps, *end) for end in ends}
    if any(len(of_it) != len(listed) for of_it in points.values()):
        raise StudyError(f"{FILE}: not every point of the study is in it; plan again")
    return tuple(
        Entry(
            points[entry["until"], entry["most"]][index],
            entry["key"] or StudyError(entry["error"]),
            tuple(entry["cost"]) if entry["cost"] else None,
        )
        for index, entry in enumerate(listed)
    )


def run_some(plan: Plan, indices: Sequence[int], program: Program, folder: Path, jobs: int) -> list[Outcome]:
    """Runs entries of a plan while other processes, on this machine or others, run others of the same folder."""
    plan.check(program)
    entries = [plan.entries[index] for index in indices]
    points, names = [entry.point for entry in entries], [entry.name for entry in entries]
    for name, now in zip(names, names_of(program, points)):
        if isinstance(name, str) and now != name:
            raise StudyError(f"{FILE}: a file that the plan names has changed since; plan again")
    with Runner(program, folder, jobs, shared=True) as runner:
        return runner.run_named(points, names)
