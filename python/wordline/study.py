# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Many drives at once: what `wordline explore` runs, as tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .drive import Drive, PathLike, workload_of
from .places import program_path, shipped
from .report import explored, page
from .report.files import write_text
from .result import Result, read
from .studies.explore import carry_out, write_tables
from .studies.framework.exploration import Exploration, checked_until, checked_workloads
from .studies.framework.points import Program, StudyError, Value, text_of
from .studies.framework.requirements import parsed
from .studies.framework.rows import flat
from .studies.framework.space import Axis, keys_of, typed
from .studies.framework.traces import of_table

if TYPE_CHECKING:
    import pandas


@dataclasses.dataclass(frozen=True)
class Study:
    """A study that has run. `folder` has table.csv, table.json, index.sqlite and the folder of each run. `answer`: of a
    study with requirements, which point meets them: `state`, the chosen point's `values`, and `text`."""

    folder: Path
    table: pandas.DataFrame
    answer: Mapping[str, Any] | None
    runs: tuple[tuple[str, ...], ...] = dataclasses.field(repr=False)

    def results(self, row: int) -> list[Result]:
        """The results of a row of the table: one for each seed."""
        return [read(self.folder / run) for run in self.runs[row]]

    def report(self, path: PathLike | None = None) -> Path:
        """Writes the page of `wordline report`, report.html in the folder of the study unless named; gives its path."""
        file = Path(path) if path is not None else self.folder / "report.html"
        write_text(file, page.html(explored.read(self.folder)))
        return file


def explore(
    study: PathLike | Drive,
    grid: Mapping[str, Sequence[Value]] | None = None,
    workloads: Sequence[PathLike] = (),
    *,
    seeds: Sequence[int] = (),
    requests: int | None = None,
    out: PathLike = "out/explore",
    jobs: int = 0,
    require: Sequence[str] = (),
    until: str | None = None,
    trace: Mapping[str, Any] | None = None,
) -> Study:
    """Runs a study file (docs/exploring.md), or a drive at every combination of the grid's values on each workload.
    What `out` has already is not run again.

    The table has columns for workload and axes, then iops (1/s), bytes_per_s, latencies in picoseconds (`_ps`), waf, what
    limits, `error` of a point that failed, and half of 95 % intervals in the columns `+-`; `cheapest` marks the fewest
    dies within 1 % of the best, `alike` what cannot be told from the best.

    seeds: run.seed of each point; a row is then the mean.
    require: what a drive must do, as "read_iops >= 1e6"; points that cannot by their times and widths are not run.
    until: how narrow the intervals are to be, as "5%", "5%,1%" or "off".
    requests: of each job of a fio job file, instead of its own number.
    jobs: runs at a time, 0: as many as processors.
    trace: how traces are read, as [trace] of a study file: {"loop": 20, "queue_depth": 16, "NAME": {"speedup": 2}}.
    """
    if isinstance(study, Drive):
        if not grid or not workloads:
            raise StudyError("explore: a drive needs a grid and workloads; a study file neither")
        axes = tuple(Axis(key, tuple(map(text_of, values))) for key, values in grid.items())
        given = [workload_of(path, requests) for path in workloads]
        options = of_table(trace or {}, [workload.name for workload in given])
        asked = checked_workloads(given, None, "workloads", options)
        program = study.program
        exploration = Exploration("explore", study.path, study.settings, axes, asked, tuple(seeds), most=requests or 0)
    elif grid or workloads or seeds or trace:
        raise StudyError("explore: a study file says itself what its grid, workloads, seeds and traces are")
    else:
        program = Program(program_path())
        exploration = Exploration.load(shipped(study), program, requests)
    if require:
        wanted = parsed(require, [workload.name for workload in exploration.workloads])
        exploration = dataclasses.replace(exploration, requirements=(*exploration.requirements, *wanted))
    if until is not None:
        exploration = dataclasses.replace(exploration, until=checked_until(until))
    folder = Path(out)
    plan, outcomes = carry_out(exploration, program, folder, jobs)
    rows, found = write_tables(plan, outcomes, folder)
    import pandas

    head, lines = flat(rows, exploration.axes)
    keys = [head.index(key) for key in keys_of(exploration.axes)]
    for line in lines:
        for at in keys:
            line[at] = typed(line[at])
    answer = found.to_json() if found else None
    return Study(folder, pandas.DataFrame(lines, columns=head), answer, tuple(row.runs for row in rows))
