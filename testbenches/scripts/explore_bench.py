# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What tests of `wordline explore` share: a program that is a script and makes up its results, and the command."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

if "--help" in sys.argv[1:]:
    print(sys.modules["__main__"].__doc__)
    sys.exit(0)
ROOT = Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))

from wordline.studies import __main__  # noqa: E402
from wordline.studies.framework.points import Point, Program, Workload  # noqa: E402
from wordline.studies.framework.runner import Runner  # noqa: E402

# Knows six keys. channels.count = 9 is refused, 7 fails, 6 dies; IOPS = 100 x dies, half of it for TLC, but never more
# than 1,600, and 10 more for each further seed. Notes each run in `runs`, and waits as long as the file `slow` says. The
# file `result.json` beside it, JSON by "COUNTxPACKAGES" and "", is put over each result; with a file `intervals` it knows
# run.until, which half of each interval then is.
PROGRAM = """#!{python} -S
import json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
keys = {{"channels.count": "1", "channels.packages": "1", "run.seed": "1", "nand.cell": "slc",
        "precondition.fill": "none", "precondition.file": "", "run.until": "end", "run.until_requests": "20000000"}}
if not os.path.exists(os.path.join(here, "intervals")):
    del keys["run.until"], keys["run.until_requests"]
if sys.argv[1] == "explain":
    schema = {{}}
    for key in keys:
        table, _, name = key.partition(".")
        schema.setdefault(table, {{"properties": {{}}}})["properties"][name] = {{}}
    print(json.dumps({{"properties": schema}}))
    sys.exit(0)


def config_of(sets):
    found = {{**keys, **dict(text.split("=", 1) for text in sets)}}
    count, packages = int(found["channels.count"]), int(found["channels.packages"])
    if count == 9:
        return None
    return {{"run": {{"seed": int(found["run.seed"]), "until": found.get("run.until"),
                     "until_requests": found.get("run.until_requests")}}, "cpu": {{"cores": 3}},
            "channels": {{"count": count, "packages": packages, "dies_per_package": 1}},
            "nand": {{"cell": found["nand.cell"]}},
            "precondition": {{"fill": found["precondition.fill"], "overwrites": 0.0, "file": found["precondition.file"]}}}}


if sys.argv[1] == "print-config":
    open(os.path.join(here, "asked"), "a").write("asked\\n")
    for line in open(sys.argv[sys.argv.index("--points") + 1]):
        config = config_of(json.loads(line))
        refused = {{"error": "error: channels.count is 9, expected less"}}
        print(json.dumps({{"config": config}} if config else refused))
    sys.exit(0)
if "WORDLINE_STUDY" in os.environ:
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG
config = config_of([sys.argv[i + 1] for i, word in enumerate(sys.argv) if word == "--set"])
count, packages = config["channels"]["count"], config["channels"]["packages"]
until = config["run"]["until"]
open(os.path.join(here, "runs"), "a").write(f"{{count}}x{{packages}}" + (f":{{until}}" if until else "") + "\\n")
open(os.path.join(here, "words"), "a").write(" ".join(sys.argv[1:]) + "\\n")
if "--states" in sys.argv:
    states = sys.argv[sys.argv.index("--states") + 1]
    os.makedirs(states, exist_ok=True)
    open(os.path.join(here, "states"), "a").write(f"{{states}}\\n")
if os.path.exists(os.path.join(here, "slow")):
    time.sleep(float(open(os.path.join(here, "slow")).read()))
out = sys.argv[sys.argv.index("--out") + 1]
if count == 7:
    print("wordline: data mismatch at LBA 7", file=sys.stderr)
    sys.exit(1)
if count == 6:
    os.kill(os.getpid(), 9)
if os.path.exists(os.path.join(here, "notes")):
    open(os.path.join(out, "notes.txt"), "w").write(open(os.path.join(here, "notes")).read())
a_die = 50.0 if config["nand"]["cell"] == "tlc" else 100.0
iops = min(a_die * count * packages, 1600.0) + 10 * (config["run"]["seed"] - 1)
lat = {{"mean": 2000000, "p50": 1000000, "p99": 4000000, "p99_9": 5000000, "p99_99": 6000000}}
op = {{"count": 10, "bytes": 40960, "iops": iops, "bytes_per_s": 4096 * iops, "lat_ps": lat}}
none = {{"count": 0, "bytes": 0, "iops": 0.0, "bytes_per_s": 0.0, "lat_ps": {{name: 0 for name in lat}}}}
limit = {{"resource": "dies", "utilisation": 0.97, "next": "cores", "sentence": "Limit: dies."}}
result = {{"ios": {{"read": op, "write": none}}, "flash": {{"waf": None}}, "bottleneck": limit}}
if until:
    half = 0.01 * float(until.strip("%")) if "%" in until else 0.03


    def near(value):
        return {{"value": value, "low": value * (1 - half), "high": value * (1 + half)}}


    result["steady"] = {{"class": "steady", "reached": 1, "reason": None, "iops": near(iops)}}
    op["interval"] = {{"iops": near(iops), **{{f"{{name}}_ps": near(ps) for name, ps in lat.items()}}}}
    op["beyond"] = {{"p99_9": 40, "p99_99": 4}}


def put(over, into):
    for name, value in over.items():
        if isinstance(value, dict) and isinstance(into.get(name), dict):
            put(value, into[name])
        else:
            into[name] = value


if os.path.exists(os.path.join(here, "result.json")):
    own = json.load(open(os.path.join(here, "result.json")))
    for name in ("", f"{{count}}x{{packages}}"):
        put(own.get(name, {{}}), result)
json.dump(result, open(os.path.join(out, "result.json"), "w"))
"""


class Bench(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.program = self.folder / "wordline"
        self.program.write_text(PROGRAM.format(python=sys.executable))
        self.program.chmod(0o755)
        self.config = self.folder / "drive.toml"
        self.config.write_text("")
        self.workload = self.folder / "read.fio"
        self.workload.write_text("[read]\nrw=randread\n")

    def runs(self):
        path = self.folder / "runs"
        return path.read_text().split() if path.exists() else []

    def points(self, *counts, packages=(1,)):
        workload = Workload.of_file(self.workload)
        return [
            Point.make(self.config, workload, {"channels.count": count, "channels.packages": number})
            for count in counts
            for number in packages
        ]

    def run_points(self, points, out="out"):
        with Runner(Program(self.program), self.folder / out, 2) as runner:
            return runner.run(points)

    def explore(self, *words, out="out", **options):
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "wordline",
                "explore",
                self.config,
                "-w",
                self.workload,
                "--out",
                self.folder / out,
                "--program",
                self.program,
                "--jobs",
                "2",
                *words,
            ],
            env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def explored(self, *words, out="out"):
        process = self.explore(*words, out=out)
        printed, errors = process.communicate(timeout=1200)
        return process.returncode, printed, errors

    def wordline(self, *words):
        """The command in this process, which has imported already what takes a second to import."""
        printed, errors = io.StringIO(), io.StringIO()
        with mock.patch("sys.argv", ["wordline", "explore", *map(str, words), "--program", str(self.program)]):
            with contextlib.chdir(self.folder), redirect_stdout(printed), redirect_stderr(errors):
                code = __main__.main()
        return code, printed.getvalue(), errors.getvalue()

    def files(self, folder):
        """Every file of a study with its bytes, but for locks."""
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        }

    def explore_study(self, *words):
        """The same in a process of its own, which may be killed."""
        return subprocess.Popen(
            [sys.executable, "-m", "wordline", "explore", *words, "--program", self.program],
            env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
