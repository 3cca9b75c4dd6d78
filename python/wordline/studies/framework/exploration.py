# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What `wordline explore` is asked for: of a study file, or of the words of the command. docs/exploring.md has every
key of a study file."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .expression import Condition
from .jobs import count_of_jobs, may_go_on
from .objectives import Objective
from .optimise import SAMPLERS, Optimise
from .points import Point, Program, StudyError, Value, Workload, printable, text_of
from .requirements import Requirement
from .space import Axis, Step, combinations, keys_of, steps_of, typed, values_at
from .traces import Options, limited, of_table, with_options

SEED, UNTIL, MOST = "run.seed", "run.until", "run.until_requests"
ROUNDS = ("5%", "1%")  # lengths of the runs of every point, and of those that may be the answer
MOST_RUNS = 1_000_000  # most runs of a study; a list of them is made before the first
_PERCENT = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)%")
_KEYS = (
    "title",
    "drive",
    "workloads",
    "requests",
    "seeds",
    "repeats",
    "settings",
    "grid",
    "zip",
    "constraint",
    "optimise",
    "require",
    "until",
    "trace",
)


@dataclasses.dataclass(frozen=True)
class Exploration:
    """A drive, the values that hold at every point, the axes, and the workloads that each point runs. `seeds`: of
    run.seed; empty: the drive's own. `until`: how narrow the interval of each point is to be, and that of those that may
    be the answer; empty: workloads run as long as they say. `most`: requests of each job, if that is not reached before;
    0: the drive's own limit."""

    title: str
    config: Path
    sets: Mapping[str, str]
    axes: tuple[Axis, ...]
    workloads: tuple[Workload, ...]
    seeds: tuple[int, ...] = ()
    constraints: tuple[Condition, ...] = ()
    optimise: Optimise | None = None
    requirements: tuple[Requirement, ...] = ()
    until: tuple[str, ...] = ROUNDS
    most: int = 0

    @staticmethod
    def load(
        path: Path,
        program: Program,
        requests: int | None = None,
        overrides: Mapping[str, str] | None = None,
        trace: Options | None = None,
    ) -> "Exploration":
        """`requests`, `overrides` and `trace` come before what the file says."""
        reader = _Reader(path)
        found = reader.exploration(requests, overrides or {}, trace or {})
        reader.check_keys(program, found)
        return found

    def rounds(self, program: Program) -> tuple[str, ...]:
        """What run.until is at the points, one round after the other; empty: whatever the drive says."""
        chosen = UNTIL in self.sets or UNTIL in keys_of(self.axes)
        return () if chosen or UNTIL not in program.keys() else self.until

    def count(self, steps: int) -> int:
        """How many runs there are with so many steps."""
        return len(self.workloads) * steps * (len(self.seeds) or 1)

    def check_count(self) -> None:
        """Before a list of them is made. Constraints and samplers choose from all."""
        runs = self.count(combinations(self.axes))
        if runs > MOST_RUNS:
            raise StudyError(
                f"{self.title}: {runs:,} runs, at most {MOST_RUNS:,}: fewer values of an axis, axes that change together "
                "([[zip]]), fewer workloads or seeds"
            )

    def steps(self, program: Program) -> list[Step]:
        """The steps of the points that no constraint excludes."""
        self.check_count()
        named = {key for condition in self.constraints for key in condition.keys}
        own = {key: typed(text) for key, text in self.sets.items()}
        missing = named - own.keys() - set(keys_of(self.axes))
        if missing:  # the drive has a value for each
            drive = _flat(program.effective_config(Point.make(self.config, self.workloads[0], self.sets)))
            own |= {key: drive[key] for key in missing if key in drive}
            for key in sorted(missing - drive.keys()):
                raise StudyError(f"{self.title}: a constraint names {key}, which is no key; see: wordline explain")
        kept = []
        for step in steps_of(self.axes):
            values = own | {key: typed(text) for key, text in values_at(self.axes, step).items()}
            if all(condition.holds(values) for condition in self.constraints):
                kept.append(step)
        if not kept:
            texts = "; ".join(condition.text for condition in self.constraints)
            raise StudyError(f"{self.title}: constraint: no point of the grid is left by {texts}")
        return kept

    def objectives(self) -> tuple[Objective, ...]:
        return self.optimise.objectives if self.optimise else ()

    def points(self, steps: Sequence[Step], until: str = "", most: int = 0) -> list[Point]:
        """Every workload, every step, every seed, in this order. `until`, `most`: as ends() takes them. Labels: step, seed,
        until and most."""
        found = []
        for workload in self.workloads:
            own = until if may_go_on(workload) else ""
            further = self.ends(workload, own, most)
            for step in steps:
                values = {**self.sets, **values_at(self.axes, step), **further}
                for seed in self.seeds or (None,):
                    sets = values if seed is None else {**values, SEED: str(seed)}
                    labels = {"step": step, "seed": seed, "until": own, "most": most}
                    found.append(Point.make(self.config, workload, sets, labels))
        return found

    def ends(self, workload: Workload, until: str, most: int) -> dict[str, str]:
        """What is set for a run that ends by its interval, or after so many requests; 0: as many as the study says."""
        limit = most or (0 if MOST in self.sets else self.most * count_of_jobs(workload))
        return {UNTIL: until, **({MOST: str(limit)} if limit else {})} if until else {}


def checked_workloads(
    workloads: Sequence[Workload], requests: int | None, where: str, trace: Mapping[str, Options] | None = None
) -> tuple[Workload, ...]:
    """`trace`: options of all traces (""), and of those of a name."""
    if requests is not None:
        workloads = [limited(workload, requests) for workload in workloads]
    if len({workload.name for workload in workloads}) != len(workloads):
        raise StudyError(f"{where}: two files have one name; the table tells them apart by it")
    given = trace or {}
    return tuple(
        with_options(workload, {**given.get("", {}), **given.get(workload.name, {})}) for workload in workloads
    )


def checked_until(text: str) -> tuple[str, ...]:
    """`5%`: all points; `5%, 1%`: those that may be the answer further; `snia`: by rounds; `off`: with the workload."""
    parts = tuple(part.strip() for part in text.split(","))
    if parts in (("off",), ("end",)):
        return ()
    if parts == ("snia",) or (len(parts) <= 2 and all(_PERCENT.fullmatch(part) for part in parts)):
        return parts
    raise StudyError(f"until: is {text!r}, expected a share such as 5%, two such as 5%,1%, snia, or off")


def _flat(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Dotted keys: `channels.count = 2` in TOML is a table in a table."""
    found: dict[str, Any] = {}
    for name, value in table.items():
        found |= _flat(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: value}
    return found


class _Reader:
    """A study file, held against what it may say. Files that it names are looked for from where it lies."""

    def __init__(self, path: Path):
        self.path = path
        try:
            self.content = tomllib.loads(path.read_text())
        except OSError as error:
            raise StudyError(f"{path}: cannot be read: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise StudyError(f"{path}: is not TOML: {error}") from error
        except RecursionError as error:
            raise StudyError(f"{path}: brackets or tables lie too deep in each other") from error

    def fail(self, key: str, text: str) -> StudyError:
        return StudyError(f"{self.path}: {key}: {text}")

    def exploration(self, requests: int | None, overrides: Mapping[str, str], trace: Options) -> Exploration:
        for key in self.content:
            if key not in _KEYS:
                hint = "" if "drive" in self.content else "; a drive, not a study, wants --grid and --workload too"
                raise self.fail(key, f"no such key, expected one of {', '.join(_KEYS)}{hint}")
        for key in ("drive", "workloads", "grid"):
            if key not in self.content and (key != "grid" or "zip" not in self.content):
                raise self.fail(key, "missing")
        axes = (*self._grid(), *self._zips())
        sets = {**{key: self._one(f"settings.{key}", value) for key, value in self._table("settings")}, **overrides}
        seeds = self._seeds()
        self._distinct([*keys_of(axes), *sets, *([SEED] if seeds else [])])
        own = self._number("requests", self.content["requests"], 1) if "requests" in self.content else None
        listed = self._list("workloads", self.content["workloads"], str)
        workloads = [self._workload(f"workloads[{at}]", name) for at, name in enumerate(listed)]
        names = [workload.name for workload in workloads]
        found = checked_workloads(workloads, requests or own, f"{self.path}: workloads", self._trace(names, trace))
        return Exploration(
            self._text("title", self.content.get("title", self.path.stem)),
            self._file("drive", self._text("drive", self.content["drive"])),
            sets,
            axes,
            found,
            seeds,
            tuple(self._constraints()),
            self._optimise(names),
            self._require(names),
            self._until(),
            requests or own or 0,
        )

    def check_keys(self, program: Program, exploration: Exploration) -> None:
        """A misspelt key is an error of the file, not a refusal at every point."""
        known = program.keys()
        for key in [*exploration.sets, *keys_of(exploration.axes)]:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                raise self.fail(
                    key, f"the drive has no such key{', perhaps ' + near[0] if near else ''}; see: wordline explain"
                )

    def _table(self, name: str, table: object = None) -> list[tuple[str, Any]]:
        found = self.content.get(name, {}) if table is None else table
        if not isinstance(found, dict):
            raise self.fail(name, f"is {found!r}, expected a table [{name}]")
        return list(_flat(found).items())

    def _grid(self) -> list[Axis]:
        axes = [Axis(key, self._values(f"grid.{key}", values)) for key, values in self._table("grid")]
        if "grid" in self.content and not axes:
            raise self.fail("grid", "has no key, so there is nothing to vary")
        for axis in axes:
            if len(set(axis.values)) != len(axis.values):
                raise self.fail(f"grid.{axis.key}", "a value stands twice")
        return axes

    def _zips(self) -> list[Axis]:
        tables = self.content.get("zip", [])
        axes = []
        for table in tables if isinstance(tables, list) else [tables]:
            columns = [(key, self._values(f"zip.{key}", values)) for key, values in self._table("zip", table)]
            if len(columns) < 2:
                raise self.fail(
                    "zip", "expected two keys or more, which change together; one alone belongs into [grid]"
                )
            (key, values), *others = columns
            for other, column in others:
                if len(column) != len(values):
                    raise self.fail(
                        f"zip.{other}", f"has {len(column)} values and {key} has {len(values)}: they change together"
                    )
            if len(set(values)) != len(values):
                raise self.fail(f"zip.{key}", "a value stands twice; the first key names the step: put another first")
            axes.append(Axis(key, values, tuple(others)))
        return axes

    def _constraints(self) -> list[Condition]:
        tables = self.content.get("constraint", [])
        if not isinstance(tables, list):
            raise self.fail("constraint", 'expected [[constraint]] with holds = "..."')
        found = []
        for at, table in enumerate(tables):
            name = f"constraint[{at}]"
            if not isinstance(table, dict) or set(table) != {"holds"} or not isinstance(table["holds"], str):
                raise self.fail(name, 'expected one key: holds = "channels.count * channels.packages <= 64"')
            try:
                found.append(Condition(table["holds"]))
            except StudyError as error:
                raise self.fail(f"{name}.holds", str(error)) from error
        return found

    def _optimise(self, workloads: Sequence[str]) -> Optimise | None:
        table = self.content.get("optimise")
        if table is None:
            return None
        known = [field.name for field in dataclasses.fields(Optimise)]
        if not isinstance(table, dict) or any(key not in known for key in table):
            raise self.fail("optimise", f"expected a table of {', '.join(known)}, and is {table!r}")
        texts = self._list("optimise.objectives", table.get("objectives"), str)
        try:
            objectives = tuple(Objective.parse(text, workloads) for text in texts)
        except StudyError as error:
            raise self.fail("optimise.objectives", str(error)) from error
        asked = Optimise(objectives, **{key: value for key, value in table.items() if key != "objectives"})
        if asked.sampler not in SAMPLERS:
            raise self.fail("optimise.sampler", f"is {asked.sampler!r}, expected one of {', '.join(SAMPLERS)}")
        if asked.chooses:
            self._number("optimise.trials", asked.trials, 1)
        elif "trials" in table:
            raise self.fail("optimise.trials", "the sampler grid runs every point")
        self._number("optimise.seed", asked.seed, 0)
        if "batch" in table:
            self._number("optimise.batch", asked.batch, 1 if asked.sampler == "gp" else 2)
        return asked

    def _require(self, workloads: Sequence[str]) -> tuple[Requirement, ...]:
        """read_iops = ">= 1e6"; of one workload: "mix: read_iops" = ">= 1e6"."""
        table = self.content.get("require", {})
        if not isinstance(table, dict):
            raise self.fail("require", 'expected a table [require] with lines such as read_iops = ">= 1e6"')
        try:
            pairs = [(key, self._text(key, value)) for key, value in _flat(table).items()]
            return tuple(Requirement.parse(f"{key} {value}", workloads) for key, value in pairs)
        except StudyError as error:
            raise self.fail("require", str(error)) from error

    def _until(self) -> tuple[str, ...]:
        value = self.content.get("until")
        if value is None:
            return ROUNDS
        texts = value if isinstance(value, list) else [value]
        try:
            return checked_until(",".join(self._text("until", text) for text in texts))
        except StudyError as error:
            raise StudyError(f"{self.path}: {error}") from error

    def _trace(self, workloads: list[str], words: Options) -> dict[str, dict[str, str]]:
        """`words`: of the command, which come before the file's."""
        try:
            found = of_table(self.content.get("trace", {}), workloads)
        except StudyError as error:
            raise self.fail("trace", str(error)) from error
        return {name: {**options, **words} for name, options in found.items()}

    def _seeds(self) -> tuple[int, ...]:
        if "repeats" in self.content and "seeds" in self.content:
            raise self.fail("repeats", "seeds are given too; one of them says it: repeats = 3 is seeds = [1, 2, 3]")
        if "repeats" in self.content:
            repeats = self._number("repeats", self.content["repeats"], 1)
            if repeats > MOST_RUNS:
                raise self.fail("repeats", f"is {repeats:,}, expected at most {MOST_RUNS:,}")
            return tuple(range(1, repeats + 1))
        if "seeds" not in self.content:
            return ()
        seeds = self._list("seeds", self.content["seeds"], int)
        if len(set(seeds)) != len(seeds):
            raise self.fail("seeds", "a seed stands twice")
        return tuple(self._number("seeds", seed, 0) for seed in seeds)

    def _distinct(self, keys: Sequence[str]) -> None:
        for at, key in enumerate(keys):
            if key in keys[:at]:
                raise self.fail(
                    key, "is set twice: settings, grid, zip and seeds may each name it, but only one of them"
                )

    def _list(self, key: str, value: object, kind: type) -> list[Any]:
        if not isinstance(value, list) or not value or any(type(entry) is not kind for entry in value):
            words = {str: "texts", int: "whole numbers"}[kind]
            raise self.fail(key, f"is {value!r}, expected a list of {words}, at least one")
        return value

    def _values(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not value:
            raise self.fail(key, f"is {value!r}, expected a list of values, at least one")
        return tuple(self._one(key, entry) for entry in value)

    def _one(self, key: str, value: object) -> str:
        fine: tuple[type, ...] = (bool, int, float, str)
        whole = isinstance(value, list) and all(isinstance(entry, fine) for entry in value)
        if not whole and not isinstance(value, fine):
            raise self.fail(
                key, f"{value!r} is no value of a key, expected a number, a text, true, false or a list of such"
            )
        found: Value = value  # type: ignore[assignment]
        text = text_of(found)
        if not printable(text):
            raise self.fail(key, f"{text!r} has a NUL or bytes that are no text, which no value may have")
        return text

    def _text(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value or not printable(value):
            raise self.fail(key, f"is {value!r}, expected a text")
        return value

    def _number(self, key: str, value: object, least: int) -> int:
        if type(value) is not int or value < least:
            raise self.fail(key, f"is {value!r}, expected a whole number of at least {least}")
        return value

    def _file(self, key: str, name: str) -> Path:
        if not printable(name):
            raise self.fail(key, f"{name!r} is no name of a file")
        path = Path(os.path.normpath(self.path.parent / name))
        if not path.is_file():
            raise self.fail(key, f"no file {path}; names count from the folder of the study")
        return path

    def _workload(self, key: str, name: str) -> Workload:
        return Workload.of_file(self._file(key, name))
