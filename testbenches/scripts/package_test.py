# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The wheel that scripts/wheel makes, installed into an empty environment: the typed package and the command run drives
from any folder, and say what the program's own files say.

usage: package_test.py ROOT BUILD
"""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import unittest
from pathlib import Path

ROOT, BUILD = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1)).resolve()
DRIVE, JOB = "configs/ssds/small.toml", "configs/workloads/demo_waves.fio"
FIRST = f"""
import json, wordline
drive = wordline.load("{DRIVE}", {{"cpu.model": "native"}})
result = drive.set({{"channels.count": 1}}).run("{JOB}", out="first")
result.latencies().T.plot(logy=True).figure.savefig("first.png")
study = wordline.explore(drive, {{"channels.count": [1, 2]}}, ["{JOB}"], until="5%", out="study")
again = wordline.explore(drive, {{"channels.count": [1, 2]}}, ["{JOB}"], until="5%", out="study")
with open("trace.csv", "w") as trace:
    trace.writelines(f"{{128166372003061629 + 1000 * i}},host,0,Read,{{4096 * i}},4096,100\\n" for i in range(50))
looped = wordline.explore(drive, {{"channels.count": [1]}}, ["trace.csv"], until="off", trace={{"loop": 3}}, out="looped")
try:
    wordline.explore(drive, {{"channels.count": [1]}}, ["trace.csv"], trace={{"lop": 3}}, out="looped")
except wordline.WordlineError as error:
    no_option = str(error)
other = drive.run("{JOB}", requests=50)
try:
    drive.set({{"channels.cuont": 1}}).config()
except wordline.WordlineError as error:
    refused = str(error)
slowest = result.slowest()
logged = drive.set({{"channels.count": 1}}).run("{JOB}", requests_log=True)
rows = logged.requests()
parts = [name for name in rows if name.endswith("_us") and name not in ("latency_us", "submitted_us", "behind_us")]
try:
    result.requests()
except wordline.WordlineError as error:
    no_log = str(error)
pairs = drive.set({{"host.cores": 2, "host.completion_queues": 1}}).run("{JOB}", requests=50).queues()
stages = [name for name in slowest if name.endswith("_us") and name not in ("latency_us", "submitted_us")]
print(json.dumps(dict(
    log=[len(rows), float(rows["latency_us"].mean()), float((rows[parts].sum(axis=1) - rows["latency_us"]).abs().max())],
    behind=[sorted(set(rows["behind"].dropna()) - set(logged.waits().index)), no_log],
    waits=float(logged.waits()["read"].sum() - logged.stages("read")["waiting_us"].sum()),
    windows=[list(logged.requests_over_time()), len(logged.drive_over_time()), float(logged.drive_over_time()["busy_dies"].max())],
    slow_reads=[list(logged.slowest("read")["op"].unique()), float(logged.slowest("read")["latency_us"].max())],
    where=wordline.__file__, program=str(drive.program.path), channels=[drive["channels.count"], result.folder.name],
    p99=result.read.latency_us["p99"], table_p99=result.latencies().loc["read", "p99"],
    mean=result["ios.read.lat_ps.mean"], stage_sum=float(result.stages("read").sum().sum()),
    iops=result.iops, waf=result.waf, limit=result.limit, ended=int(result.over_time()["read"].sum()),
    energy=result.energy_nj_per_request, dies=float(result.utilisation().loc["dies", "members"]),
    slow=[float(slowest.loc[0, "latency_us"]), float(slowest.loc[0, stages].sum())],
    queues=[len(result.queues()), list(pairs.index), int(pairs["commands"].sum()), pairs["interrupts"].nunique()],
    queue_mean=float((pairs["iops"] * pairs["mean_us"] / 1e6 - pairs["depth"]).abs().max()),
    looped=[looped.results(0)[0].read.count, no_option],
    axis=study.table["channels.count"].tolist(), rows=study.table["iops"].tolist(),
    runs=[study.results(at)[0].iops for at in (0, 1)], cheapest=study.table["cheapest"].tolist(),
    same=study.table.equals(again.table), other=other.read.count + other.write.count, refused=refused,
    report=[result.report().name, study.report().stat().st_size > 1e6],
    differs=wordline.diff(result, other, 5).loc["utilisation.channels.mean", ["a", "b"]].tolist())))
"""


class Places(unittest.TestCase):
    def test_the_program_of_a_clone_right_below_the_root(self):
        with tempfile.TemporaryDirectory() as folder:
            for clone in ("/wordline", folder):
                code = (
                    f"from pathlib import Path; from wordline import places; places.CLONE = Path({clone!r}); "
                    f"places.PACKAGE = places.CLONE / 'python/wordline'; "
                    f"places.BUILT = places.CLONE / 'none'; print(places.program_path())"
                )
                environment = {"PATH": "/nowhere", "PYTHONPATH": str(ROOT / "python")}
                found = subprocess.run(
                    [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
                )
                self.assertIn(found.stdout.strip(), (f"{clone}/none", "/bin/wordline"))


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.wheels = [cls.made(name) for name in ("dist", "again")]
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", cls.folder / "env"], check=True)
        python = cls.folder / "env/bin/python"
        pip = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-index", "--no-deps"]
        subprocess.run([*pip, "--disable-pip-version-check", cls.wheels[0]], check=True)
        # What the wheel depends on comes from here: nothing is loaded. Of this package there is none here.
        site = next((cls.folder / "env/lib").glob("python3*/site-packages"))
        (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
        cls.elsewhere = cls.folder / "elsewhere"
        cls.elsewhere.mkdir()

    @classmethod
    def made(cls, name):
        done = subprocess.run(
            [ROOT / "scripts/wheel", "--build", BUILD, "--out", cls.folder / name], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return Path(done.stdout.strip())

    def run_there(self, name, *words, **environment):
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "WORDLINE"))}
        return subprocess.run(
            [self.folder / "env/bin" / name, *words],
            cwd=self.elsewhere,
            capture_output=True,
            text=True,
            env={**clean, "MPLBACKEND": "agg", **environment},
        )

    def test_the_same_program_gives_the_same_bytes(self):
        self.assertRegex(self.wheels[0].name, r"wordline-[\d.]+-py3-none-linux_\w+\.whl")
        self.assertEqual(*(wheel.read_bytes() for wheel in self.wheels))

    def test_the_package_runs_drives_and_reads_what_they_leave(self):
        done = self.run_there("python", "-c", FIRST)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertTrue(said["where"].startswith(str(self.folder / "env")), said["where"])
        self.assertTrue(said["program"].startswith(str(self.folder / "env")), said["program"])
        result = json.loads((self.elsewhere / "first/result.json").read_text())
        read = result["ios"]["read"]
        self.assertEqual(said["p99"], read["lat_ps"]["p99"] / 1e6)
        self.assertEqual(said["table_p99"], said["p99"])
        self.assertEqual(said["mean"], read["lat_ps"]["mean"])
        self.assertAlmostEqual(said["stage_sum"], read["lat_ps"]["mean"] / 1e6, delta=1e-3)
        self.assertEqual(said["log"][0], requests := sum(ops["count"] for ops in result["ios"].values()))
        self.assertAlmostEqual(
            said["log"][1], sum(ops["lat_ps"]["sum"] for ops in result["ios"].values()) / requests / 1e6, delta=1e-3
        )
        self.assertLess(said["log"][2], 1e-3)
        self.assertEqual(said["behind"][0], [])
        self.assertIn("requests_log=True", said["behind"][1])
        self.assertAlmostEqual(said["waits"], 0, delta=1e-2)
        self.assertIn("read_p99_us", said["windows"][0])
        self.assertGreater(said["windows"][1], 1)
        self.assertGreater(said["windows"][2], 0.1)
        self.assertEqual(said["slow_reads"], [["read"], read["lat_ps"]["max"] / 1e6])
        self.assertAlmostEqual(said["slow"][0], said["slow"][1], delta=1e-3)
        of_one, pairs, commands, kinds = said["queues"]
        self.assertEqual((of_one, pairs, kinds), (0, ["1", "2"], 1))  # one completion queue: the same interrupts
        self.assertGreaterEqual(commands, 50)
        self.assertLess(said["queue_mean"], 1e-3)  # Little's law
        self.assertAlmostEqual(said["iops"], read["iops"] + result["ios"]["write"]["iops"], delta=1e-3)
        self.assertEqual(said["waf"], result["flash"]["waf"])
        self.assertEqual(said["limit"], result["bottleneck"]["resource"])
        self.assertEqual(said["ended"], read["count"])
        requests = read["count"] + result["ios"]["write"]["count"]
        self.assertAlmostEqual(said["energy"], result["energy_pj"]["total"] / requests / 1e3, places=6)
        self.assertEqual(said["dies"], len(result["utilisation"]["dies"]))
        self.assertEqual(said["channels"], [2, "first"])
        self.assertEqual(said["axis"], [1, 2])
        for row, run in zip(said["rows"], said["runs"]):  # of the steady part, and of the whole measurement
            self.assertAlmostEqual(row / run, 1, delta=0.05)
        self.assertEqual(said["cheapest"].count(True), 1)
        self.assertTrue(said["same"])
        self.assertEqual(said["other"], 50)
        self.assertIn("did you mean channels.count?", said["refused"])
        self.assertEqual(said["looped"][0], 150)
        self.assertIn("lop: no such option, expected one of loop, speedup", said["looped"][1])
        self.assertEqual(said["report"], ["report.html", True])
        self.assertEqual(said["differs"][0], round(sum(result["utilisation"]["channels"]), 6))
        self.assertGreater((self.elsewhere / "first.png").stat().st_size, 5000)

    def test_the_command_is_the_program_and_its_python(self):
        done = self.run_there("wordline", "run", DRIVE, "-w", JOB, "--quiet", "--out", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_there("wordline", "report", "run")
        self.assertEqual((done.returncode, done.stdout), (0, "written: run/report.html\n"), done.stderr)
        done = self.run_there("wordline", "check", "nothing.toml")
        self.assertEqual(done.returncode, 2)
        words = ("explore", DRIVE, "--grid", "channels.count=1,2", "-w", "a.fio", "--set", "cpu.model=native")
        (self.elsewhere / "a.fio").write_text("[a]\nrw=randread\nnumber_ios=50\n")
        done = self.run_there("wordline", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_there("wordline", *words, WORDLINE_PROGRAM="/nowhere/wordline")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/wordline: no such program", done.stderr)


if __name__ == "__main__":
    unittest.main()
