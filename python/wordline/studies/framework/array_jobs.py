# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Scripts that run a plan as a job array of a cluster: all that they need is a folder that every machine sees."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from ...places import CLONE
from .points import Program

_SLURM = """#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --array=0-{last}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --output={logs}/%A_%a.txt
#
# {runs} runs, {per_task} a task. Add what your site asks for (partition, account, time). From {here}:
#   sbatch {script}
# and, when all have ended: wordline explore collect {folder}
set -euo pipefail
cd {here}
task=$SLURM_ARRAY_TASK_ID
{body}"""

_LSF = """#!/bin/bash
#BSUB -J "{name}[1-{tasks}]"
#BSUB -n 1
#BSUB -o {logs}/%J_%I.txt
#
# {runs} runs, {per_task} a task. Add what your site asks for (queue, project, limits). From {here}:
#   bsub < {script}
# and, when all have ended: wordline explore collect {folder}
set -euo pipefail
cd {here}
task=$((LSB_JOBINDEX - 1))  # LSF counts from 1
{body}"""

_SGE = """#!/bin/bash
#$ -S /bin/bash
#$ -N {name}
#$ -t 1-{tasks}
#$ -cwd
#$ -j y
#$ -o {logs}/
#
# {runs} runs, {per_task} a task. Add what your site asks for (queue, project, limits). From {here}:
#   qsub {script}
# and, when all have ended: wordline explore collect {folder}
set -euo pipefail
cd {here}
task=$((SGE_TASK_ID - 1))  # SGE counts from 1
{body}"""

_TEXTS = {"slurm": _SLURM, "lsf": _LSF, "sge": _SGE}
KINDS = tuple(_TEXTS)

_BODY = """first=$((task * {per_task}))
last=$((first + {beyond}))
if ((last > {last_run})); then last={last_run}; fi
exec {command} explore run {folder} --index "$first-$last" -j 1
"""


def write(kind: str, program: Program, study: str, folder: Path, runs: int, per_task: int) -> Path:
    """The script, in the folder of the plan; it goes back to the folder that it was written from, as the plan's names
    count from there."""
    path = folder / f"{kind}.sh"
    logs = folder / "logs"
    logs.mkdir(exist_ok=True)
    tasks = -(-runs // per_task)
    body = _BODY.format(
        per_task=per_task,
        beyond=per_task - 1,
        last_run=runs - 1,
        command=shlex.quote(str(_command(program))),
        folder=shlex.quote(str(folder)),
    )
    text = _TEXTS[kind].format(
        name=re.sub(r"^(?=\d)|[^\w.-]", "_", study),  # SGE wants no digit first
        tasks=tasks,
        last=tasks - 1,
        runs=runs,
        per_task=per_task,
        logs=logs,
        script=shlex.quote(str(path)),
        folder=shlex.quote(str(folder)),
        here=shlex.quote(os.getcwd()),
        body=body,
    )
    path.write_text(text)
    return path


def _command(program: Program) -> Path:
    """What starts `explore`: of a clone its script, installed the program itself."""
    script = CLONE / "scripts/wordline"
    return script if script.is_file() else program.path
