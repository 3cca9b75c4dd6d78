# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The framework of python/wordline/studies: verdicts with intervals over seeds, the pages of papers and the published results.

usage: study_pages_test.py SOURCE_FOLDER
"""

import dataclasses
import json
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

ROOT = Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))

from wordline.studies.framework import page, study, tornado  # noqa: E402
from wordline.studies.framework.full import FullRuns, published  # noqa: E402
from wordline.studies import reproduce  # noqa: E402
from wordline.studies.framework.figures import figures_of, is_about  # noqa: E402
from wordline.studies.framework.points import Point, Workload  # noqa: E402
from wordline.studies.papers import compare_answers as compare  # noqa: E402
from wordline.studies.framework.study import Answer, Figure, NotMeasured, StudyFile  # noqa: E402


def study_file(figures, platform, mechanism):
    texts = ("a", "A", "Paper", "All of it.", "a.md", "empty")
    return StudyFile(*texts, Path("x"), {}, {}, figures, platform, mechanism)


class Figures(unittest.TestCase):
    """`wordline reproduce NAME --figure WORD`."""

    def test_numbers_in_the_words_of_papers(self):
        for where, figures in (
            ("Sec. 6.2, Fig. 23(a)", ["23a"]),
            ("Sec.IV.2, Figs.6 and 7", ["6", "7"]),
            ("Sec. 3.2, Fig. 9(a,b)", ["9a", "9b"]),
            ("Sec. V-B1, Fig. 7/8", ["7", "8"]),
            ("Sec.IV.4, Sec.III.1(1), Fig.11", ["11"]),
            ("Sec. 4.2 (Fig. 20)", ["20"]),
            ("Sec.2.1 footnote 1", []),
        ):
            self.assertEqual(figures_of(where), figures, where)
        for asked, is_it in (
            ("23", True),
            ("23a", True),
            ("Fig. 23(a)", True),
            ("23b", False),
            ("2", False),
            ("sec. 6.2", True),
        ):
            self.assertEqual(is_about("Sec. 6.2, Fig. 23(a)", asked), is_it, asked)

    def test_the_table_has_the_lines_of_the_figure(self):
        row = {"paper": "1", "unit": "", "native": 1, "iss": 1, "difference": "", "cause": "", "note": ""}
        row |= {"interval": "", "interval_iss": "", "state": "", "experiment": ""}
        rows = [
            {**row, "id": "x.a", "where": "Sec. 1, Fig. 5", "verdict": "green"},
            {**row, "id": "x.b", "where": "Sec. 1, Fig. 15", "verdict": "red"},
        ]
        printed = reproduce.table({"title": "T", "paper": "P", "figures": rows}, "5")
        self.assertIn("x.a", printed)
        self.assertNotIn("x.b", printed)
        self.assertTrue(printed.endswith("1 green"))

    def test_a_figure_that_no_paper_has_is_refused_before_anything_runs(self):
        with self.assertRaisesRegex(study.StudyError, "--figure 99: no line of it; there are: .*Fig.12"):
            reproduce._check_figure(["ppb"], "99", ROOT)


class Verdicts(unittest.TestCase):
    def test_a_figure_that_leaves_its_tolerance_becomes_red(self):
        def within(native, iss):
            def value(cpu):
                found = {"native": native, "iss": iss}[cpu]
                if found is None:
                    raise NotMeasured
                return found

            return Answer.within(18.56, 2, value)

        self.assertEqual(within(17.9, 16.6).verdict, "green")
        self.assertEqual(within(17.9, 16.5).verdict, "red")
        self.assertEqual(within(20.57, None).verdict, "red")
        self.assertEqual(within(None, None).verdict, "not measurable")
        self.assertEqual(within(17.9, None).difference, "-0.66")

    def test_report(self):
        figures = {
            name: Figure(name, "headline", "what", "1", "Fig. 1", cause="because") for name in ("a.1", "a.2", "a.3")
        }
        figures["a.4"] = dataclasses.replace(figures["a.1"], id="a.4", input="typed in")
        file = study_file(figures, {"a.p": "as printed | here"}, {"a.m": "No such cells."})
        isolated = Answer(2.0, None, False, experiment="key = 1: 2, key = 2: 1")
        answers = {"a.1": Answer(1.0, 1.0, True, True), "a.2": isolated, "a.4": Answer(1.0, None, True)}
        report = study.judged(file, answers)
        self.assertEqual([row["verdict"] for row in report["figures"]], ["green", "red", "not measurable", "input"])
        self.assertEqual([row["cause"] for row in report["figures"]], ["", "because", "because", "typed in"])
        self.assertEqual([row["state"] for row in report["figures"]], ["empty", "empty", "", ""])
        self.assertEqual(study.why(report["figures"][1]), "because Isolated: key = 1: 2, key = 2: 1.")
        supposed = study.judged(file, {"a.2": dataclasses.replace(isolated, experiment="")})
        self.assertEqual(study.why(supposed["figures"][1]), "Supposed cause: because")
        text = page.every_figure({**report, "quick": True, "original_traces": [], "tables": []})
        self.assertIn("1 green, 1 red, 1 input, 1 not measurable", text)
        self.assertIn("as printed \\| here", text)
        self.assertIn("## Not modelled\n\n| what | why |\n|---|---|\n| `a.m` | No such cells. |\n", text)
        modelled = {**report, "mechanism": {}, "quick": True, "original_traces": [], "tables": []}
        self.assertNotIn("Not modelled", page.every_figure(modelled))
        with self.assertRaisesRegex(study.StudyError, "no figure a.5"):
            study.judged(file, {"a.5": Answer()})

    def test_a_number_is_decided_where_both_ends_of_its_interval_are_judged_alike(self):
        def over(*values):
            return study.over_seeds([Answer.within(10, 3, lambda cpu, v=value: v) for value in values])

        # 9, 10, 11: 10 +- 2.48. 11, 12, 13: 12 +- 2.48, and 13 is where it ends.
        self.assertEqual((over(9.0, 10.0, 11.0).verdict, over(9.0, 10.0, 11.0).interval), ("green", "+-2.5"))
        self.assertEqual(over(11.0, 12.0, 13.0).verdict, "undecided")
        self.assertEqual(over(2.0, 3.0, 4.0).verdict, "red")
        self.assertEqual(over(12.5, 12.5).interval, "")  # the same run: nothing is known of its spread
        # With firmware that costs by its own interval, whatever the other says.
        both = [Answer.within(10, 3, lambda cpu, v=v: 10.0 if cpu == "native" else v) for v in (11.0, 12.0, 13.0)]
        found = study.over_seeds(both)
        self.assertEqual((found.interval, found.interval_iss, found.iss), ("", "+-2.5", 12.0))
        self.assertEqual(found.verdict, "undecided")
        counts = [Answer.of(lambda n: n >= 5, lambda cpu, v=v: v, lambda n: f"{n} of 6") for v in (4, 3, 4)]
        found = study.over_seeds(counts)
        self.assertEqual((found.native, found.interval, found.verdict), ("4 of 6", "3 of 3 seeds", "red"))
        agree = [Answer.of(lambda pair: pair[0] < pair[1], lambda cpu, v=v: v) for v in ((1, 2), (1, 3), (3, 1))]
        self.assertEqual(study.over_seeds(agree[:2]).interval, "2 of 2 seeds")
        self.assertEqual(
            (study.over_seeds(agree).verdict, study.over_seeds(agree).interval), ("undecided", "2 of 3 seeds")
        )

    def test_points_of_a_part_run_again_with_other_seeds(self):
        def point(part, cpu, **sets):
            return Point.make(Path("x"), Workload("w", text=""), sets, {"part": part, "cpu": cpu})

        points = [point("main", "native", **{"run.seed": 1}), point("main", "iss"), point("price", "native")]
        chosen = {"more_seeds": [7], "seeded": ["main"]}
        again = study.with_seeds(points, chosen)[len(points) :]
        self.assertEqual([(dict(p.sets), p.label("more_seed")) for p in again], [({"run.seed": "7"}, 7)])
        again = study.with_seeds(points, {**chosen, "iss_seeded": ["main"]})[len(points) :]
        self.assertEqual([p.label("cpu") for p in again], ["native", "iss"])
        again = study.with_seeds(points, {**chosen, "seeded_where": {"cpu": "iss"}})
        self.assertEqual(len(again), len(points))
        both = {**chosen, "iss_seeded": ["main"], "iss_seeded_where": {"cpu": ["other"]}}
        self.assertEqual([p.label("cpu") for p in study.with_seeds(points, both)[len(points) :]], ["native"])
        both["iss_seeded_where"] = {"cpu": ["other", "iss"], "unknown": 1}
        self.assertEqual([p.label("cpu") for p in study.with_seeds(points, both)[len(points) :]], ["native", "iss"])


class Pages(unittest.TestCase):
    def report(self, **more):
        row = {
            "id": "a.1", "kind": "headline", "where": "Fig. 1", "what": "speed", "condition": "", "paper": "10", "unit": "%",
            "native": 9.5, "interval": "+-0.5", "iss": 9.0, "interval_iss": "+-1", "difference": "", "state": "empty",
            "verdict": "green", "cause": "", "experiment": "", "note": "",
        }  # fmt: skip
        return {
            "study": "a", "title": "A", "paper": "P", "summary": "Here {a.1}.", "page": "a.md", "figures": [row],
            "platform": {}, "mechanism": {}, "quick": True, "image": "0123456789abcdef", "original_traces": [], "pictures": [], "tables": [], **more,
        }  # fmt: skip

    def full_run(self, **changed):
        """Of the report, with other values in its row."""
        report = self.report(quick=False, image="fedcba9876543210")
        report["figures"][0] |= changed
        return FullRuns({"a": published(report)})

    def test_the_front_page_has_a_line_for_each_headline(self):
        text = page.front([self.report()], FullRuns())
        self.assertIn("| figure | paper | here | verdict |", text)
        self.assertIn("| `a.1` | 10 % | 9.5 +-0.5 % | green |", text)
        self.assertNotIn("Here 9.5", text)
        self.assertIn("image `0123456789ab`", text)
        self.assertIn("No study has a full run yet.", " ".join(text.split()))
        other = self.report(study="b", image="aaaaaaaaaaaaaaaa")
        self.assertIn(
            "image `0123456789ab, aaaaaaaaaaaa`", " ".join(page.front([self.report(), other], FullRuns()).split())
        )
        with self.assertRaisesRegex(study.StudyError, "a.toml: summary: no figure a.2"):
            page.results(self.report(summary="{a.2}"), FullRuns())

    def test_a_full_run_stands_beside_the_quick_one(self):
        both = [self.report(), self.report(study="b")]
        run = self.full_run(native=9.9, interval="+-0.1")
        self.assertIn("*Full run* (of a alone)", " ".join(page.front(both, run).split()))
        texts = [page.results(report, run) for report in both]
        self.assertIn("| `a.1` | speed | 10 % | 9.5 +-0.5 % | 9.9 +-0.1 % | 9 +-1 | green |  |", texts[0])
        self.assertIn("| `a.1` | speed | 10 % | 9.5 +-0.5 % | 9 +-1 | green |  |", texts[1])
        red = self.full_run(native=2.0, interval="+-0.1", verdict="red")
        other = page.front(both, red)
        self.assertIn("| 9.5 +-0.5 % | 2 +-0.1 %: red | 9 +-1 | green |", page.results(both[0], red))
        self.assertIn("1 of 1 figures", " ".join(other.split()))
        of_paper = " ".join(page.results(self.report(), red).split())
        self.assertIn("image `fedcba987654`): 1 red; 1 figure has another verdict than here", of_paper)
        self.assertIn("| 9.5 +-0.5 % | 2 +-0.1 %: red |", of_paper)
        self.assertIn("There is no full run of this study", " ".join(page.results(self.report(study="b"), red).split()))

    def test_a_detail_whose_verdict_changes_in_the_full_run_is_listed(self):
        report = self.report()
        report["figures"][0]["kind"] = "detail"
        self.assertNotIn("a.1", page.details(report, FullRuns()))
        text = page.details(report, self.full_run(native=2.0, interval="", verdict="red"))
        self.assertIn("| `a.1` | speed | 10 % | 9.5 +-0.5 % | green | 2 % | red |", text)

    def test_a_full_run_keeps_what_was_measured_alone(self):
        runs = self.full_run(cause="words", native=9.9)
        self.assertNotIn("cause", runs.figure("a", "a.1"))
        self.assertNotIn("summary", runs.reports["a"])
        self.assertEqual((runs.image("a"), runs.figure("a", "a.1")["native"]), ("fedcba9876543210", 9.9))
        self.assertIsNone(runs.figure("a", "a.2"))  # the study asks for it since

    def test_full_and_quick_results_do_not_take_each_others_place(self):
        with tempfile.TemporaryDirectory() as scratch:
            pages, runs = Path(scratch) / "docs", Path(scratch) / "runs"
            pages.mkdir()
            runs.mkdir()
            (pages / "a.md").write_text(f"{page.BEGIN}\n{page.END}\n")
            (runs / "a.png").write_text("quick")
            quick, whole = self.report(pictures=["a.png"]), self.report(quick=False, pictures=["a.png"])
            whole["figures"][0]["native"] = 9.9
            for first, second in ((quick, whole), (whole, quick)):
                for report in (first, second):
                    (runs / "a.png").write_text("quick" if report["quick"] else "full")
                    reproduce.put(report, runs, pages)
                with mock.patch.object(reproduce, "STUDIES", ("a",)):
                    reproduce.publish(pages)
                self.assertEqual((pages / "images/a.png").read_text(), "quick")
                self.assertIn("| 9.5 +-0.5 % | 9.9 +-0.5 % | 9 +-1 |", (pages / "a.md").read_text())
                self.assertIn("| `a.1` | 10 % | 9.5 +-0.5 % | green |", (pages / "papers.md").read_text())

    def test_a_cause_stands_once(self):
        rows = [
            {**self.report()["figures"][0], "id": f"a.{n}", "verdict": "red", "cause": "Because."} for n in (1, 2, 3)
        ]
        rows[0]["experiment"] = "key 1: 2, key 2: 3"
        report = self.report(figures=rows, summary="")
        short = page.results(report, FullRuns())
        self.assertIn("\n1. Because.\n", short)
        self.assertNotIn("Isolated", short)
        text = " ".join(page.details(report, FullRuns()).split())
        self.assertIn("1. Because. Isolated for `a.1`: key 1: 2, key 2: 3. Supposed for `a.2`, `a.3`.", text)
        self.assertEqual(text.count("Because."), 1)

    def test_the_page_has_the_headlines_and_the_site_the_rest(self):
        rows = [
            {**self.report()["figures"][0], "note": "seen here"},
            {**self.report()["figures"][0], "id": "a.2", "kind": "detail", "verdict": "red", "cause": "Because."},
        ]
        tables = [{"title": "By volume", "text": "Words.", "head": ["x"], "rows": [[1]]}]
        report = self.report(figures=rows, tables=tables)
        short, rest = page.results(report, FullRuns()), page.details(report, FullRuns())
        self.assertIn("<!-- details: a -->", short)
        for only_there in ("seen here", "`a.2`", "1. Supposed cause: Because.", "### By volume"):
            self.assertNotIn(only_there, short)
            self.assertIn(only_there, rest)
        self.assertIn("| `a.1` | speed |", short)

    def test_results_take_the_place_of_those_before(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "a.md"
            path.write_text(f"# A\n\n{page.BEGIN}\nold\n{page.END}\n\nAfter.\n")
            page.put(self.report(), FullRuns(), path)
            text = path.read_text()
            self.assertTrue(text.startswith("# A\n") and text.endswith(f"{page.END}\n\nAfter.\n"))
            self.assertNotIn("old", text)
            self.assertIn("image `0123456789ab`", text)
            path.write_text("# A\n")
            with self.assertRaisesRegex(study.StudyError, "expected one line"):
                page.put(self.report(), FullRuns(), path)

    def test_swings_are_sorted_by_width(self):
        swings = [tornado.Swing("a", {"1": 9.0, "2": 10.0}), tornado.Swing("b", {"1": 2.0, "2": 10.0, "3": None})]
        table = tornado.tornado("x", "%", swings, lambda value: value > 8)
        self.assertEqual(table["rows"], [["b", "2 (1)", "10 (2)", "2"], ["a", "9 (1)", "10 (2)", "all"]])


class Comparison(unittest.TestCase):
    def answers(self, limit):
        """Of drives that do so much of what the one without an idea does, with a latency of 1 s at the light load."""

        def get(variant, part, **_):
            own = variant != "conventional"
            op = {"iops": 1000.0 * (limit if own else 1), "count": 1, "lat_ps": {"mean": 1e12 if own else 1e9}}
            return {"ios": {"read": op, "write": op}}

        names = ("conventional", "cube")
        asked = SimpleNamespace(workloads=["OLTP"], seeds=[1, 2, 3], variants={n: compare.VARIANTS[n] for n in names})
        return compare.Answers(asked, SimpleNamespace(get=get))

    def test_a_drive_at_its_limit_has_no_latency(self):
        near, far = self.answers(0.31), self.answers(0.9)
        self.assertEqual((near.keeps_up("cube"), far.keeps_up("cube")), (False, True))
        self.assertEqual(near.spread("open", "write_mean", "cube"), "overloaded")
        self.assertTrue(far.spread("open", "write_mean", "cube").startswith("99900"))
        self.assertTrue(near.spread("closed", "iops", "cube").startswith("-69"))
        self.assertEqual(near._best("open", "write_mean", -1).note, "")
        self.assertIn("Last: cube", far._best("open", "write_mean", -1).note)

    def test_a_gain_by_dies_is_against_the_same_number_of_dies_and_cores(self):
        def get(variant, dies, cores, **_):
            gain = {(2, 1): 1.2, (2, 3): 1.25, (32, 1): 0.9}  # the other has not run
            if (dies, cores) not in gain:
                raise NotMeasured
            iops = 500.0 * dies * (gain[dies, cores] if variant == "cube" else 1)
            busy = {"cores": [0.1, dies / 40], "dies": [0.5, 1.0]}
            return {"ios": {"read": {"iops": iops}, "write": {"iops": 0.0}}, "utilisation": busy}

        asked = SimpleNamespace(iss_workloads=["OLTP"], seeds=[1], scale=[[1, 2], [8, 4]], variants=compare.VARIANTS)
        rows = compare.Answers(asked, SimpleNamespace(get=get))._by_dies()["rows"]
        found = {tuple(row[:2]): row[3:] for row in rows if row[2] == "cube"}
        self.assertEqual(found[2, 1], [1200, "+20.0", 10, 75])
        self.assertEqual(found[2, 3], [1250, "+25.0", 10, 75])
        self.assertEqual(found[32, 1], [14400, "-10.0", 80, 75])
        self.assertEqual(found[32, 3], [None] * 4)


class Published(unittest.TestCase):
    """docs/results and the pages that are made of it."""

    def test_pages_are_those_of_the_results(self):
        reports = [json.loads((ROOT / f"docs/results/{name}.json").read_text()) for name in reproduce.STUDIES]
        images = {report["image"] for report in reports}
        self.assertEqual(len(images), 1, "results of several firmware images")
        full = FullRuns.read(ROOT / "docs/results")
        self.assertEqual((ROOT / "docs/papers.md").read_text(), page.front(reports, full), "docs/papers.md")
        for report in reports:
            text = (ROOT / "docs" / report["page"]).read_text()
            self.assertTrue(
                page.results(report, full) in text, f"docs/{report['page']}: make it with reproduce --pages"
            )
            for picture in report["pictures"]:
                self.assertTrue((ROOT / "docs/images" / picture).is_file(), picture)

    def test_full_runs_are_of_figures_that_the_studies_have(self):
        full = FullRuns.read(ROOT / "docs/results")
        self.assertLessEqual(set(full.reports), set(reproduce.STUDIES))
        for name, report in full.reports.items():
            file = StudyFile.read(ROOT / f"configs/studies/{name}.toml", quick=False)
            self.assertFalse(report["quick"], name)
            self.assertRegex(report["image"], "^[0-9a-f]{64}$", name)
            self.assertLessEqual({row["id"] for row in report["figures"]}, set(file.figures), name)

    def test_the_front_page_is_short(self):
        self.assertLessEqual(len((ROOT / "docs/papers.md").read_text().splitlines()), 120)

    def test_texts_of_studies_are_those_of_the_results(self):
        """What a study's file says without a run is not older in the results."""
        for name in reproduce.STUDIES:
            file = StudyFile.read(ROOT / f"configs/studies/{name}.toml", quick=True)
            report = json.loads((ROOT / f"docs/results/{name}.json").read_text())
            self.assertEqual((report["title"], report["summary"]), (file.title, file.summary), name)
            for row in report["figures"]:
                figure = file.figures[row["id"]]
                self.assertEqual((row["what"], row["paper"]), (figure.what, figure.paper), row["id"])
                if row["verdict"] in ("red", "undecided"):
                    self.assertEqual(row["cause"], figure.cause, row["id"])


if __name__ == "__main__":
    unittest.main()
