# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs of tiny drives: whatever `check` accepts has to run, and what it refuses it has to explain."""

import concurrent.futures
import dataclasses
import hashlib
import json
import math
import os
import re
import resource
import signal
import subprocess
import tempfile
from pathlib import Path

# 12 MiB of flash that some hundred requests overwrite until GC begins.
TINY = (
    "channels.count=1",
    "channels.packages=1",
    "channels.dies_per_package=2",
    "nand.blocks_per_plane=16",
    "nand.layers=2",
    "nand.wls_per_layer=2",
    "ftl.over_provisioning=1.0",
    "ftl.gc_start_superblocks=3",
)
JOB = (
    "[global]\nnorandommap\n"
    "[mixed]\nrw=randrw\nbs=4k\niodepth=8\nnumber_ios=60\n"
    "[parts]\nrw=randrw\nbs=2560\niodepth=2\nnumber_ios=20\n"
    "[trim]\nrw=randtrim\nbs=8k\nnumber_ios=10\n"
    "[long]\nrw=randwrite\nbs=128k\niodepth=2\nnumber_ios=110\n"
)


@dataclasses.dataclass(frozen=True)
class Key:
    name: str
    expected: str  # "a whole number from 1 to 64", "one of: off, on"

    def ends(self) -> list[str]:
        """The values at the ends of what the key accepts, and each of its words."""
        if self.expected == "true or false":
            return ["true", "false"]
        if words := re.fullmatch(r"one of: (.*)", self.expected):
            return words[1].split(", ")
        if ends := re.search(r"from (\S+) to (\S+)$", self.expected):
            values = [ends[1], ends[2]]
            if sizes := re.match(r"a list of (\d+)(?: to (\d+))?, each", self.expected):
                counts = range(int(sizes[1]), int(sizes[2] or sizes[1]) + 1)
                return [f"[{', '.join([value] * count)}]" for value in values for count in counts]
            return values
        return []  # a text: a file


def keys(program: str) -> list[Key]:
    """As `wordline explain` lists them."""
    text = subprocess.run([program, "explain"], check=True, capture_output=True, text=True).stdout
    found = []
    for block in text.strip().split("\n\n"):
        name = block.split("\n", 1)[0]
        value = re.search(r"^  value +(.*?)(?: \([^()]*\))?$", block, re.MULTILINE)
        found.append(Key(name, value[1]))
    return found


def tables(program: str) -> dict:
    """Policies, engines and keys, with what each needs beside it."""
    done = subprocess.run([program, "explain", "--tables"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def streams(policy: dict) -> int:
    """Superblocks that a policy writes at a time, a row of tables()."""
    return policy["host_streams"] + policy["move_streams"]


@dataclasses.dataclass(frozen=True)
class Outcome:
    refused: bool
    problem: str = ""  # empty: refused with a reason, or run to its end
    output: str = ""
    result: dict = dataclasses.field(default_factory=dict)

    @property
    def errors(self) -> int:
        """Requests that ended with a media error."""
        return sum(sum(kinds.values()) for kinds in self.result.get("errors", {}).values())


# Of wall time: a drive that stands still, on a machine that does other work.
GUARD_SECONDS = 1200


def run_within(command: list[str], seconds: float, **options) -> subprocess.CompletedProcess:
    """As subprocess.run, with a limit of CPU time: the outcome does not hang on what else the machine does. A run that is
    over the limit ends by SIGXCPU, one that stands still by subprocess.TimeoutExpired."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) as child:
        limit = math.ceil(seconds)
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (limit, limit + 5))
        try:
            printed, errors = child.communicate(timeout=GUARD_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
    return subprocess.CompletedProcess(command, child.returncode, printed, errors)


class Runner:
    """`seconds`: of CPU time, for each run."""

    def __init__(self, program: str, root: str, job: str = JOB, seconds: float = 30):
        self.program, self.root, self.seconds = program, Path(root), seconds
        self.scratch = tempfile.TemporaryDirectory()
        self.job = Path(self.scratch.name) / "job.fio"
        self.job.write_text(job)
        self.environment = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}

    def workload(self, text: str, suffix: str = ".fio") -> Path:
        path = Path(self.scratch.name) / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}{suffix}"
        path.write_text(text)
        return path

    def command(self, sets, job: Path | None = None) -> list[str]:
        words = [
            self.program,
            "run",
            str(self.root / "configs/ssds/small.toml"),
            "--workload",
            str(job or self.job),
            "--verify-all",
        ]
        for one in sets:
            words += ["--set", one]
        return words

    def run(self, sets, job: Path | None = None) -> Outcome:
        with tempfile.TemporaryDirectory(dir=self.scratch.name) as out:
            try:
                command = [*self.command(sets, job), "--quiet", "--out", out]
                done = run_within(command, self.seconds, errors="replace", env=self.environment)
            except subprocess.TimeoutExpired:
                return Outcome(False, f"has not ended within {GUARD_SECONDS} s")
            if done.returncode == -signal.SIGXCPU:
                return Outcome(False, f"has not ended within {self.seconds} s of CPU time")
            if done.returncode == 2:
                explained = "error: " in done.stderr
                return Outcome(True, "" if explained else "is refused without a reason", done.stderr)
            if done.returncode != 0:
                return Outcome(False, f"ends with {done.returncode}: {done.stderr.strip()[:500]}", done.stderr)
            result = json.loads((Path(out) / "result.json").read_text())
        if result["status"] != "completed" or result["check"]["mismatches"] != 0:
            problem = f"is {result['status']}, {result['check']['mismatches']} mismatches"
            return Outcome(False, problem, done.stderr, result)
        return Outcome(False, "", done.stderr, result)

    def all(self, many, jobs=None) -> list[Outcome]:
        """The outcomes, in the order of the lists of settings; `jobs`: a workload for each."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(self.run, many, jobs or [None] * len(many)))
