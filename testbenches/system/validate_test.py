# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline validate`: errors and goals worked out by hand, points from a file, and refusals that name their place.

usage: validate_test.py PROGRAM ROOT
"""

import argparse
import contextlib
import dataclasses
import io
import json
import re
import sys
import tempfile
import tomllib
import unittest
import unittest.mock
from pathlib import Path

PROGRAM, ROOT = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "python"))

from wordline.studies import fit, real_drive, sweep_fit, validate, validation_page  # noqa: E402
from wordline.studies.framework.points import Point, Program, StudyError, Workload  # noqa: E402
from wordline.studies.framework.runner import Runner  # noqa: E402

HEAD = """title = "A drive"
source = "a test"
device = "d"
[goal]
median_iops = 3.0
worst_iops = 8.0
worst_p99 = 12.0
steady_iops = 10.0
qd1_mean = 10.0
[[fitted]]
key = "channels.rate"
on = "nothing"
series = "reads"
"""
SERIES = """[[series]]
name = "reads"
rw = "randread"
bs = "4k"
requests = 300
requests_per_qd = 0
fitted_at = [1]
goal = true
sets = {{ "cpu.model" = "native", "precondition.fill" = "sequential" }}
points = [{points}]
"""
CSV = "device,op,bs,zones,qd,iops,mean_us,p50_us,p99_us,p99_9_us\n"


def point(qd: int, iops: float, p99: float) -> str:
    return f"{{ qd = {qd}, iops = {iops}, mean = 100.0, p50 = 100.0, p99 = {p99}, p99_9 = 100.0 }}"


class Validate(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = Path(self.scratch.name)
        for folder in ("validation", "ssds"):
            (self.root / "configs" / folder).mkdir(parents=True)
        small = json.dumps(str(ROOT / "configs/ssds/small.toml"))
        (self.root / "configs/ssds/x.toml").write_text(f"extends = {small}\n")

    def file(self, text: str) -> None:
        (self.root / "configs/validation/x.toml").write_text(text)

    def run_it(self, **given: object) -> tuple[int, list[dict]]:
        options = {"names": ["x"], "points": None, "device": "", "markdown": None, "jobs": 1, **given}
        options |= {"json": self.root / "report.json", "out": self.root / "out"}
        code = validate.command(Program(PROGRAM), argparse.Namespace(**options), self.root)
        return code, json.loads((self.root / "report.json").read_text())

    def test_errors_goals_and_fitted_points(self) -> None:
        self.file(HEAD + SERIES.format(points=f"{point(1, 1000.0, 100.0)}, {point(4, 1000.0, 100.0)}"))
        code, (report,) = self.run_it()
        self.assertEqual(code, 0)
        rows = report["series"][0]["points"]
        self.assertEqual([(row["qd"], row["fitted"]) for row in rows], [(1, True), (4, False)])
        for row in rows:
            self.assertAlmostEqual(row["iops"]["error"], (row["iops"]["model"] / 1000 - 1) * 100, places=1)
        # The same drive as it comes out, but for what is added: so the errors are those that were added.
        models = [(row["qd"], row["iops"]["model"], row["p99"]["model"]) for row in rows]
        for slower, worse, missed in ((1.02, 1.1, "met"), (1.04, 1.1, "median of iops"), (1.0, 1.2, "worst of p99")):
            points = ", ".join(point(qd, iops * slower, p99 * worse) for qd, iops, p99 in models)
            self.file(HEAD + SERIES.format(points=points))
            _, (report,) = self.run_it(markdown=self.root / "page.md")
            summary = report["summary"]
            self.assertAlmostEqual(summary["worst_iops"], (1 - 1 / slower) * 100, places=1)
            self.assertAlmostEqual(summary["worst_p99"], (1 - 1 / worse) * 100, places=1)
            self.assertIn(missed, validation_page.text_of(report).splitlines()[-1])
            page = (self.root / "page.md").read_text()
            fitted = (self.root / "data/validation_x_fitted.csv").read_text().splitlines()
            self.assertEqual(fitted[1], f"channels.rate,{report['fitted'][0]['value']},nothing")
            errors = (self.root / "data/validation_x_errors.csv").read_text().splitlines()
            self.assertIn(f",2,{summary['median_iops']:.1f},{summary['worst_iops']:.1f},", errors[1])
            for name in ("fitted", "errors"):
                self.assertIn(f"(data/validation_x_{name}.csv)", page)
            data = (self.root / f"data/validation_{report['name']}.csv").read_text().splitlines()
            self.assertEqual(data[0].split(",")[:3], ["series", "QD", "kIOPS measured"])
            self.assertEqual([line.split(",")[1] for line in data[1:]], ["1*", "4"])

    def test_what_is_not_published_has_no_error(self) -> None:
        """A point without percentiles, a series without a goal, and single points, whose picture shows errors."""
        bare = (
            SERIES.format(points="{ qd = 2, iops = 1000.0 }").replace('"reads"', '"bare"').replace("goal = true\n", "")
        )
        self.file(HEAD + SERIES.format(points=point(1, 1000.0, 100.0)) + bare.replace("[1]", "[]"))
        code, (report,) = self.run_it(markdown=self.root / "page.md")
        self.assertEqual(code, 0)
        with_goal, without = report["series"]
        self.assertEqual(set(without["points"][0]), {"qd", "fitted", "iops"})
        self.assertEqual(report["summary"]["worst_p99"], with_goal["worst_p99"])
        self.assertNotIn("worst_p99", without)
        self.assertIn("Reads with a goal: errors of IOPS: median", validation_page.text_of(report))
        errors = (self.root / "data/validation_x_errors.csv").read_text().splitlines()
        self.assertTrue(errors[1].startswith("reads,1,") and errors[1].endswith(",yes"), errors[1])
        self.assertTrue(errors[2].startswith("bare,1,") and errors[2].endswith(",-,-"), errors[2])
        drawn = []
        with unittest.mock.patch("wordline.studies.framework.pictures.save", lambda figure, _: drawn.append(figure)):
            validation_page.draw(report, self.root / "x.png")
        marks = {line.get_label(): line.get_xydata().tolist() for line in drawn[0].axes[0].get_lines()}
        first, second = (series["points"][0]["iops"]["error"] for series in report["series"])
        self.assertEqual(marks["IOPS"], [[first, 0.0], [second, 1.0]])
        self.assertEqual(marks["p50"], [[with_goal["points"][0]["p50"]["error"], 0.0]])

    # 6,000 reads with 256 in flight end with 256 of them that have no others beside them, and as many writes begin with a
    # write buffer that takes them all: fio's minutes have neither.
    def test_a_rate_is_that_of_the_middle_of_a_run(self) -> None:
        series = real_drive.Series("r", "randread", "4k", 6000, 0, (), True, "", 1, "", {}, ())
        measured = real_drive.Measured(256, 1000.0, {name: 1.0 for name, _, _ in real_drive.LATENCIES})
        with Runner(Program(PROGRAM), self.root / "rate", 1) as runner:
            for rw, off in (("randread", 0.01), ("randwrite", 0.02)):
                sets = {"cpu.model": "native", "precondition.fill": "sequential"}
                one = dataclasses.replace(series, rw=rw, requests=6000, sets=sets)
                (outcome,) = runner.run([real_drive.point_of(ROOT / "configs/ssds/small.toml", one, measured, {})])
                result = outcome.result()
                plain = result["ios"][one.operation]["iops"]
                rate = real_drive.rate_of(one, result)
                self.assertEqual(rate, result["ios"][one.operation]["interval"]["iops"]["value"])
                self.assertGreater(abs(rate / plain - 1), off, f"{rw}: {plain} in all, {rate} in the middle")
                row = validate._compared(one, measured, result)
                self.assertEqual(row["iops"]["model"], round(rate, 3))

    def test_points_of_a_file(self) -> None:
        self.file(HEAD + SERIES.format(points=point(1, 1000.0, 100.0)))
        table = self.root / "points.csv"
        table.write_text(
            CSV
            + "d,randread,4096,1,2,2000,1,2,3,4\n"
            + "d,randread,4096,2,8,9,9,9,9,9\n"  # of two jobs
            + "other,randread,4096,1,8,9,9,9,9,9\n"
            + "d,randread,16384,1,8,9,9,9,9,9\n"
        )
        code, (report,) = self.run_it(points=table)
        self.assertEqual(code, 0)
        (row,) = report["series"][0]["points"]
        self.assertEqual(
            (row["qd"], row["fitted"], row["iops"]["measured"], row["p99"]["measured"]), (2, False, 2000, 3)
        )

    def test_points_of_several_jobs_and_a_format(self) -> None:
        table = self.root / "points.csv"
        table.write_text(
            CSV.replace("device,", "device,format,")
            + "d,f0,writerand,4096,2,8,5000,1,2,3,4\n"
            + "d,f1,writerand,4096,2,8,6000,1,2,3,4\n"
            + "d,f1,writerand,4096,1,8,7000,1,2,3,4\n"
        )
        series = real_drive.Series("w", "randwrite", "4k", 100, 0, (), True, "", 2, "f1", {}, ())
        (measured,) = real_drive.points_of(table, "d", series)
        self.assertEqual((measured.qd, measured.iops), (8, 6000))
        text = real_drive.point_of(ROOT / "configs/ssds/small.toml", series, measured, {}).workload.text
        for line in ("numjobs=2", "number_ios=50", "offset_increment="):
            self.assertIn(line, text)

    def test_jobs_that_read_in_pieces(self) -> None:
        """Requests of a piece in order, pieces at random, whole ones."""
        one = SERIES.format(points=point(4, 1000.0, 100.0)).replace('"randread"', '"read"')
        self.file(HEAD + one.replace("goal = true", 'jobs = 2\npiece = "96k"'))
        validation = real_drive.Validation.named(self.root, "x")
        (series,) = validation.series
        text = real_drive.point_of(self.root / "configs/ssds/x.toml", series, series.points[0], {}).workload.text
        for line in ("rw=randread:24", "blockalign=96k", "norandommap", "numjobs=2"):
            self.assertIn(line, text)
        for wrong in (one.replace("goal = true", 'piece = "98k"'), one.replace('"read"', '"randread"\npiece = "96k"')):
            self.file(HEAD + wrong)
            with self.assertRaisesRegex(StudyError, "x.toml: series reads: piece: 9[68]k: expected whole requests"):
                real_drive.Validation.named(self.root, "x")

    def test_an_open_loop(self) -> None:
        """Rates are what was offered, latencies those of the job, without what came before it."""
        one = "{ qd = 4, iops = 3960, p50 = 10.0, p99 = 20.0, p99_9 = 30.0, reads = 5000, waf = 2.0 }"
        series = SERIES.replace("fitted_at = [1]", "fitted_at = []\noffered = true").format(points=one)
        self.file(HEAD + series.replace("randread", "randwrite") + series.replace('"reads"', '"beside them"'))
        code, (report,) = self.run_it(markdown=self.root / "page.md")
        self.assertEqual(code, 0)
        (writes,), (reads,) = (s["points"] for s in report["series"])
        self.assertAlmostEqual(writes["iops"]["error"], 0, delta=3)
        self.assertAlmostEqual(reads["iops"]["model"] / 5000, 1, delta=0.03)
        self.assertGreater(reads["p50"]["model"], 20)  # from flash
        self.assertNotIn("mean", writes)
        page = (self.root / "page.md").read_text()
        self.assertRegex(page, r"\| \[x\]\(#a-drive\) \| 2 \| 1 \| \d+\.\d \|")
        self.assertIn("Write amplification: measured 2.00, model ", page)
        self.assertGreater((self.root / "images/validation_x.png").stat().st_size, 1000)
        text = real_drive._open_loop(real_drive.Measured(10, 9900, {}, 5050)).text
        for line in ("rate_iops=9900", "rate_iops=5050", "iodepth=443", "stonewall"):
            self.assertIn(line, text)

    def test_repetitions_of_an_open_loop_in_a_file(self) -> None:
        """Two repetitions of a rate are held against one run; a rate that was not given has one of its own."""
        one = "{ qd = 4, iops = 3960, p50 = 10.0, p99 = 20.0, p99_9 = 30.0, reads = 5000 }"
        series = SERIES.replace("fitted_at = [1]", "fitted_at = [4]\noffered = true").format(points=one)
        self.file(HEAD + series.replace("randread", "randwrite") + series.replace('"reads"', '"beside them"'))
        table = self.root / "offered.csv"
        head = ",".join(real_drive.OFFERED_COLUMNS) + "\n"
        rows = "d,4000,5040,3900,100,200,300,10,20,30\nd,4000,5050,4000,110,210,310,11,21,31\n"
        table.write_text(head + rows + "e,4000,1,1,1,1,1,1,1,1\nd,2000,5020,1980,90,190,290,9,19,29\n")
        code, (report,) = self.run_it(points=table)
        self.assertEqual(code, 0)
        writes, reads = (s["points"] for s in report["series"])
        self.assertEqual([(r["qd"], r["iops"]["measured"], r["fitted"]) for r in writes],
                         [(2, 1980, False), (4, 3900, False), (4, 4000, False)])  # fmt: skip
        self.assertEqual([r["p99"]["measured"] for r in reads], [190, 200, 210])
        self.assertEqual([r["p99_9"]["measured"] for r in writes], [29, 30, 31])
        self.assertEqual(len({r["p99"]["model"] for r in writes}), 2)
        _, (second,) = self.run_it(points=table, device="e")
        self.assertEqual([len(s["points"]) for s in second["series"]], [1, 1])
        for row, words in (
            ("d,4500,1,1,1,1,1,1,1,1\n", "offered.csv:2: offered_total_per_s = 4500: expected whole thousands"),
            ("d,4000,1,1,1,x,1,1,1,1\n", "offered.csv:2: could not convert"),
            ("e,4000,1,1,1,1,1,1,1,1\n", "offered.csv: no points of device d in any series of x"),
        ):
            table.write_text(head + row)
            with self.assertRaisesRegex(StudyError, words):
                self.run_it(points=table)
        table.write_text("device,rep\n")
        with self.assertRaisesRegex(StudyError, "offered.csv:1: no column offered_total_per_s"):
            self.run_it(points=table)
        with self.assertRaisesRegex(StudyError, "add --points FILE"):
            self.run_it(device="e")

    def test_verdict_of_writes(self) -> None:
        rows = [
            {"qd": qd, "iops": {"error": iops}, "mean": {"error": mean}}
            for qd, iops, mean in ((1, 30.0, -11.0), (4, -20.0, 2.0), (8, -9.0, 3.0))
        ]
        self.assertEqual(validate._of_writes([rows]), {"steady_iops": 9.0, "qd1_mean": 11.0})
        self.assertEqual(validate._of_writes([[]]), {})

    def test_fit_finds_the_value_that_the_points_were_made_with(self) -> None:
        depths = (1, 4, 16, 64)
        self.file(HEAD + SERIES.format(points=", ".join(point(qd, 1000.0, 100.0) for qd in depths)))
        _, (report,) = self.run_it()
        made = [(row["qd"], row["iops"]["model"]) for row in report["series"][0]["points"]]
        self.file(HEAD + SERIES.format(points=", ".join(point(qd, iops, 100.0) for qd, iops in made)))
        printed = self.fit(start=["channels.rate=500MT/s"], half=True)
        rate = re.search(r"^channels.rate +500MT/s +([0-9.]+)MT/s +([0-9.]+) %$", printed, re.MULTILINE)
        self.assertIsNotNone(rate, printed)
        self.assertAlmostEqual(float(rate[1]) / 800, 1, delta=0.02)  # what small.toml has
        self.assertRegex(printed, r"predicted: 2 points, median of the absolute errors [01]\.\d %")
        for wrong, words in (
            ({"start": ["channels.count=4"]}, "expected KEY=VALUE of a key that is fitted: channels.rate"),
            ({"key": ["channels.speed"]}, "--key channels.speed: no such key"),
            ({"key": ["ftl.policy"]}, "expected a number with a unit"),
            ({"rounds": 0}, "--rounds 0: expected 1 or more"),
            ({"half": True, "key": ["channels.rate", "cpu.clock", "dram.bandwidth"]}, "2 points cannot tell 3 values"),
        ):
            with self.assertRaisesRegex(StudyError, words):
                self.fit(**wrong)

    def test_a_sweep_becomes_a_drive(self) -> None:
        """The sweep of small.toml, whose tR is made known again; a killed search goes on with the runs it has."""
        places = [("randread", 4096, qd) for qd in (1, 2, 4, 8, 16)] + [("randread", 16384, qd) for qd in (1, 2, 4, 8)]
        plan = [sweep_fit.Repeated(sweep_fit.Place(rw, size, 1, qd), 1.0, {}, None) for rw, size, qd in places]
        small = json.dumps(str(ROOT / "configs/ssds/small.toml"))
        truth, start = self.root / "truth.toml", self.root / "start.toml"
        for path, sensed in ((truth, 60), (start, 40)):
            times = f'mode = "pinned"\nt_r = ["{sensed}us"]\nt_prog = ["1ms"]\nt_bers = "4ms"\n'
            path.write_text(f"extends = {small}\n[nand.timing]\n{times}")
        native = {"cpu.model": "native"}
        with Runner(Program(PROGRAM), self.root / "made", 2) as runner:
            made = sweep_fit.Fitting(runner, truth, {**native, "run.seed": 7}, [], plan)
            rates = [sweep_fit.rate_of(sweep_fit.series_of(p)[0], r)
                     for p, r in zip(plan, made.results([(p, []) for p in plan], sweep_fit.Quiet))]  # fmt: skip
        rows = [f"d,{rw},{size},1,{qd},{iops},,,,\n" for (rw, size, qd), iops in zip(places, rates)]
        source = self.root / "mine.csv"
        source.write_text(CSV + "".join(rows))
        options = {"name": str(source), "drive": start, "key": ["nand.timing.t_r"], "device": "", "waf": 1.853}
        options |= {"trials": None, "emulate": False, "steady": None, "rounds": 6, "jobs": 2, "half": True}
        printed, runs = [], []
        for _ in range(2):
            words = io.StringIO()
            with contextlib.redirect_stdout(words), contextlib.redirect_stderr(io.StringIO()):
                fit.command(Program(PROGRAM), argparse.Namespace(out=self.root / "fit", **options), self.root)
            printed.append(words.getvalue())
            runs.append({path.name: path.stat().st_mtime_ns for path in (self.root / "fit/mine/points").iterdir()})
        self.assertEqual(runs[0], runs[1], "the second search runs nothing again")
        self.assertRegex(printed[0], r"predicted: 3 points; iops median")
        self.assertIn("derived: ftl.over_provisioning = 0.438", printed[0])
        drive = tomllib.loads((self.root / "fit/mine/drive.toml").read_text())
        config = Program(PROGRAM).effective_config(Point.make(self.root / "fit/mine/drive.toml", Workload(""), {}))
        self.assertEqual(config["nand"]["timing"]["t_r"], drive["nand"]["timing"]["t_r"])
        self.assertAlmostEqual(float(drive["nand"]["timing"]["t_r"][0][:-2]) / 60, 1, delta=0.03)
        self.assertIn("# fitted, 95 %", (self.root / "fit/mine/drive.toml").read_text())
        self.assertEqual(len((self.root / "fit/mine/points.csv").read_text().splitlines()), 10)
        for change, refusal in (
            ({"drive": self.root / "none.toml"}, "none.toml: no such file"),
            ({"waf": 0.5}, "--waf 0.5: expected more than 1"),
            ({"key": ["channels.speed"]}, "--key channels.speed: no such key"),
            ({"name": str(self.root / "gone")}, "gone: no such folder or file"),
        ):
            with self.assertRaisesRegex(StudyError, refusal):
                fit.command(
                    Program(PROGRAM), argparse.Namespace(out=self.root / "fit", **{**options, **change}), self.root
                )

    def fit(self, **given: object) -> str:
        options = {"name": "x", "points": None, "key": [], "start": [], "half": False, "rounds": 6, "jobs": 1}
        options |= {"writes": False, "trials": None, "emulate": False, **given}
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            fit.command(Program(PROGRAM), argparse.Namespace(out=self.root / "fit", **options), self.root)
        return printed.getvalue()

    def test_refusals_name_their_place(self) -> None:
        good = HEAD + SERIES.format(points=point(1, 1000.0, 100.0))
        table = self.root / "points.csv"
        for text, rows, words in (
            (good.replace("worst_p99 = 12.0\n", ""), None, "x.toml: worst_p99 is missing"),
            (good.replace("goal = true", "gaol = true"), None, "x.toml: series reads: gaol: no such key"),
            (good.replace("qd = 1", "qd = true and"), None, "x.toml: "),
            (good.replace("p50 = ", "p05 = "), None, "x.toml: series reads: point: p05: no such key"),
            (good, "device,op\n", "points.csv:1: no column bs"),
            (good, CSV + "d,randread,4096,1,2,fast,1,2,3,4\n", "points.csv:2: "),
            (good, CSV + "d,randwrite,4096,1,2,1,1,2,3,4\n", "no points of device d"),
        ):
            self.file(text)
            if rows is not None:
                table.write_text(rows)
            with self.assertRaisesRegex(StudyError, words):
                self.run_it(points=table if rows is not None else None)
        with self.assertRaisesRegex(StudyError, "y: no file configs/validation/y.toml; there are x"):
            self.run_it(names=["y"])
        self.file(good)
        with self.assertRaisesRegex(StudyError, "no writes of it have a goal, reads have: leave --writes out"):
            self.fit(writes=True)
        with self.assertRaisesRegex(StudyError, "--emulate says how trials are answered: add --trials N"):
            self.fit(emulate=True)
        with self.assertRaisesRegex(StudyError, "--trials is for a drive file: configs/ssds/x.toml"):
            self.fit(trials=2)

    def test_shipped_files(self) -> None:
        for path in sorted((ROOT / "configs/validation").glob("*.toml")):
            validation = real_drive.Validation.read(path)
            self.assertTrue((ROOT / "configs/ssds" / path.name).is_file(), path.name)
            self.assertTrue(any(series.goal for series in validation.series), path.name)
            for series in validation.series:
                depths = [measured.qd for measured in series.points]
                self.assertEqual(depths, sorted(set(depths)), series.name)
                self.assertLessEqual(set(series.fitted_at), set(depths), series.name)


if __name__ == "__main__":
    unittest.main()
