# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline explore` as it answers: requirements, intervals and what they decide, rounds, what is steady; on a program that
is a script and makes up its results.

usage: explore_answer_test.py SOURCE_FOLDER
"""

import csv
import json
import unittest

from explore_bench import Bench
from wordline.studies.framework import requirements, verdict
from wordline.studies.framework.exploration import checked_until
from wordline.studies.framework.measures import Measure, Steady, measure
from wordline.studies.framework.points import StudyError
from wordline.studies.framework.requirements import Requirement
from wordline.studies.framework.rows import Row


def wanted(text):
    return Requirement.parse(text, ["read", "mix"])


class Requirements(unittest.TestCase):
    def test_units_and_names(self):
        for text, limit in (
            ("read_iops >= 1e6", 1e6),
            ("iops >= 1,000,000", 1e6),
            ("write_iops >= 430k", 430e3),
            ("read_p99_99 <= 1ms", 1e9),
            ("mix: write_mean <= 12.5 us", 12.5e6),
            ("bytes_per_s >= 3.2GB/s", 3.2e9),
            ("waf <= 2.5", 2.5),
            ("dies <= 64", 64),
            ("gc.copied_share <= 0.4", 0.4),
        ):
            with self.subTest(text):
                self.assertAlmostEqual(wanted(text).limit, limit)
        for text, message in (
            ("read_iops > 5", "expected NAME >= NUMBER"),
            ("read_p99 <= 5", "expected a time with its unit"),
            ("read_p98 <= 5us", "no read_p98; there are iops"),
            ("iops >= 5us", "5us is no limit of iops"),
            ("other: iops >= 5", "no workload other, only read, mix"),
        ):
            with self.subTest(text), self.assertRaisesRegex(StudyError, message):
                wanted(text)
        texts = [one.text for one in requirements.parsed(["iops >= 1,000, waf <= 2", "dies<=8"], ["read"])]
        self.assertEqual(texts, ["iops >= 1,000", "waf <= 2", "dies<=8"])

    def test_the_interval_decides(self):
        steady = Steady("steady")
        least, most = wanted("iops >= 100"), wanted("read_p99 <= 1us")
        for requirement, number, state in (
            (least, Measure(110, 101, 119, True), "met"),
            (least, Measure(110, 99, 121, True), "not decided"),
            (least, Measure(95, 89, 101, True), "not decided"),
            (least, Measure(95, 91, 99, True), "failed"),
            (least, Measure(110), "met"),  # no interval is known of it at all
            (least, Measure(110, None, None, True), "not decided"),
            (most, Measure(9e5, 8e5, 9.9e5, True), "met"),
            (most, Measure(9e5, 8e5, None, True), "not decided"),  # too short for the upper end
            (most, Measure(2e6, 1.5e6, None, True), "failed"),
        ):
            with self.subTest(requirement=requirement.text, number=number):
                self.assertEqual(requirement.state(number, steady), state)

    def test_what_is_not_steady_meets_nothing(self):
        number = Measure(110, 101, 119, True)
        states = {name: wanted("iops >= 100").state(number, Steady(name)) for name in ("", "before_gc", "not_steady")}
        self.assertEqual(states, {"": "met", "before_gc": "not decided", "not_steady": "not decided"})
        self.assertEqual(wanted("iops >= 100").state(Measure(95, 91, 99, True), Steady("not_steady")), "not decided")
        self.assertEqual(wanted("iops >= 100").state(Measure(60, 55, 65, True), Steady("not_steady")), "failed")
        self.assertEqual(wanted("iops >= 100").state(Measure(95, 91, 99, True), Steady("before_gc")), "failed")
        self.assertEqual(wanted("iops >= 100").state(Measure(95, 91, 99, True), Steady("steady")), "failed")
        self.assertEqual(wanted("read_p99 <= 1s").state(Measure(1e3, 1e3, 1e3, True), Steady("overload")), "failed")
        self.assertEqual(wanted("dies <= 64").state(Measure(64), Steady("not_steady")), "met")

    def test_sentences(self):
        requirement = wanted("read_iops >= 1e6")

        def judged(number, name="steady", reason=""):
            steady = Steady(name, reason)
            return requirements.Judged(requirement, "mix", number, steady, requirement.state(number, steady)).sentence

        self.assertEqual(
            judged(Measure(1084000, 1071000, 1097000, True)),
            "meets read_iops >= 1,000,000: 1,084,000 (1,071,000 to 1,097,000), margin +8 %",
        )
        self.assertEqual(
            judged(Measure(1010000, 990000, 1030000, True)),
            "not decided read_iops >= 1,000,000: 1,010,000 (990,000 to 1,030,000), margin +1 %",
        )
        self.assertIn("fails read_iops >= 1,000,000: 750,000", judged(Measure(750000)))
        self.assertIn("(interval not known), margin -25 %", judged(Measure(750000)))
        self.assertIn("; before GC: 9 more", judged(Measure(2e6, 2e6, 2e6, True), "before_gc", "9 more"))
        few = wanted("read_p99_99 <= 1ms")
        number = Measure(9e8, 8e8, None, True, few=True)
        text = requirements.Judged(few, "mix", number, Steady(), few.state(number, Steady())).sentence
        self.assertIn("900 us (800 us to not known), of fewer than 10 samples beyond it", text)


class Answers(Bench):
    """Dies x 100 IOPS, each with an interval of what run.until asked for."""

    grid = ("--grid", "channels.count=1,2,4,8", "--grid", "channels.packages=1,2")

    def setUp(self):
        super().setUp()
        (self.folder / "intervals").write_text("")

    def results(self, **points):
        (self.folder / "result.json").write_text(json.dumps(points))

    def table(self):
        return json.loads((self.folder / "out/table.json").read_text())

    def rows(self):
        return {"x".join(row["values"].values()): row for row in self.table()["points"]}

    def explored(self, *words, out="out"):
        return super().explored(*(words or self.grid), out=out)

    def test_the_cheapest_that_meets_it(self):
        code, printed, errors = self.explored(*self.grid, "--require", "read_iops >= 500", "--require", "dies <= 12")
        self.assertEqual(code, 0, errors)
        self.assertIn(
            "Requirement: the cheapest that meets it is channels.count=4, channels.packages=2 (8 dies on 4 channels, "
            "3 cores); of the points, 1 meet it, 0 are not decided, 5 fail, 2 cost more and were not run.",
            printed,
        )
        self.assertIn("  meets read_iops >= 500: 800 (792 to 808), margin +60 %", printed)
        self.assertIn("  meets dies <= 12: 8, margin +33 %", printed)
        answer = self.table()["answer"]
        self.assertEqual((answer["state"], answer["values"]["channels.packages"]), ("met", "2"))
        with open(self.folder / "out/table.csv") as file:
            states = [row["read_iops >= 500"] for row in csv.DictReader(file)]
        self.assertEqual(states, ["failed"] * 5 + ["met"])
        dearer = [(point["values"]["channels.count"], point["reason"]) for point in self.table()["not_run"]]
        self.assertEqual(dearer, [("8", "costs more than a point that meets the requirement")] * 2)
        before = self.files(self.folder / "out")
        self.assertEqual(self.wordline("collect", self.folder / "out")[0], 0)
        self.assertEqual(self.files(self.folder / "out"), before)
        # What fails by 5 % already is run no further.
        self.assertEqual([run for run in self.runs() if run.endswith(":1%")], ["4x2:1%"])
        # Everything, if it is asked for, and then the folder has the rest; the answer is the same.
        code, printed, _ = self.explored(
            *self.grid, "--require", "read_iops >= 500", "--require", "dies <= 12", "--all"
        )
        self.assertEqual(code, 0)
        self.assertIn("the points, 2 meet it, 0 are not decided, 6 fail.", printed)
        self.assertEqual((len(self.table()["points"]), self.table()["not_run"]), (8, []))
        self.assertEqual(self.table()["answer"]["values"], answer["values"])

    def test_none_and_not_decided(self):
        code, printed, _ = self.explored(*self.grid, "--require", "iops >= 2000")
        self.assertEqual(code, 3)
        self.assertIn("none meets it. The nearest is channels.count=8, channels.packages=2", printed)
        self.assertIn("  fails iops >= 2,000: 1,600 (1,520 to 1,680), margin -20 %", printed)
        code, printed, _ = self.explored(*self.grid, "--require", "iops >= 1590")
        self.assertEqual(code, 4)
        self.assertIn("not decided. The cheapest that may meet it is channels.count=8, channels.packages=2", printed)
        self.assertIn("not decided iops >= 1,590: 1,600 (1,584 to 1,616), margin +1 %", printed)

    def test_a_cheaper_point_that_may_meet_it_is_named(self):
        # 4x2 is left with a wide interval whatever is asked.
        self.results(**{"4x2": {"ios": {"read": {"interval": {"iops": {"value": 800, "low": 700, "high": 900}}}}}})
        code, printed, _ = self.explored(*self.grid, "--require", "read_iops >= 750")
        self.assertEqual(code, 0)
        self.assertIn("the cheapest that meets it is channels.count=8, channels.packages=1", printed)
        self.assertIn("  cheaper, and not decided: channels.count=4, channels.packages=2", printed)

    def test_points_that_take_long_are_probed(self):
        """What is not steady after a probe, and may meet it, goes on; what fails already does not."""
        slow = {"steady": {"class": "not_steady", "reason": "3 of 16 superblocks"}}
        self.results(**{"2x1": slow, "4x1": slow, "4x2": {}})
        code, printed, errors = self.explored(
            *self.grid, "--require", "read_iops >= 410", "--set", "run.until_requests=60000000"
        )
        self.assertEqual(code, 0, errors)
        ends = {}
        for line in (self.folder / "words").read_text().splitlines():
            point = "x".join(word[-1] for word in line.split() if word.startswith("channels."))
            limit = [word for word in line.split() if word.startswith("run.until_requests")]
            ends.setdefault(point, []).append(limit[-1].partition("=")[2])
        self.assertEqual(ends["2x1"], ["1500000"])  # 200 IOPS
        self.assertEqual(ends["4x1"], ["1500000", "60000000"])  # 400 of a drive that is not steady
        self.assertEqual(ends["4x2"], ["1500000", "60000000"])  # steady by the probe, so that only 1 % is left
        self.assertIn("cheaper, and not decided: channels.count=4, channels.packages=1\n", printed)
        before = self.files(self.folder / "out")
        self.assertEqual(self.wordline("collect", self.folder / "out")[0], 0)
        self.assertEqual(self.files(self.folder / "out"), before)

    def test_exit_codes_when_points_failed(self):
        words = ("--grid", "channels.count=1,7,9", "--require")
        self.assertEqual(self.explored(*words, "iops >= 90")[0], 0)  # one meets it, whatever failed
        self.assertEqual(self.explored(*words, "iops >= 900")[0], 1)  # the one that failed might
        words = ("--grid", "channels.count=1,9", "--require")
        self.assertEqual(self.explored(*words, "iops >= 900")[0], 3)  # a refused one cannot be built
        code, _, errors = self.explored(*words, "write_iops >= 5")
        self.assertEqual(code, 2)
        self.assertIn("require: no workload has every number of write_iops >= 5", errors)

    def test_rounds(self):
        """5 % of 1,600 and of 800 IOPS do not meet: only those that may be the best go on."""
        code, printed, errors = self.explored()
        self.assertEqual(code, 0)
        runs = self.runs()
        self.assertEqual(sorted(run for run in runs if run.endswith(":5%")), sorted(f"{c}x{p}:5%" for c in (1, 2, 4, 8)
                                                                                   for p in (1, 2)))  # fmt: skip
        self.assertEqual([run for run in runs if run.endswith(":1%")], ["8x2:1%"])
        self.assertIn("1 of 8 runs may be the answer: further, to 1%", errors)
        rows = self.rows()
        self.assertEqual({key: row["until"] for key, row in rows.items() if row["until"] != "5%"}, {"8x2": "1%"})
        self.assertAlmostEqual(rows["8x2"]["interval"]["iops"], 16)
        self.assertAlmostEqual(rows["8x1"]["interval"]["iops"], 40)
        self.assertIn("+-1.0 %", printed)
        # The same again from what the folder has, and from the plan.
        before = self.files(self.folder / "out")
        self.explored()
        self.assertEqual(len(self.runs()), len(runs))
        self.assertEqual(self.files(self.folder / "out"), before)
        self.assertEqual(self.wordline("collect", self.folder / "out")[0], 0)
        self.assertEqual(self.files(self.folder / "out"), before)

    def test_an_interval_that_is_narrow_already_is_left(self):
        self.results(**{"8x2": {"steady": {"iops": {"value": 1600, "low": 1590, "high": 1610}}}})
        self.explored()
        self.assertEqual([run for run in self.runs() if run.endswith(":1%")], [])

    def test_until_is_chosen(self):
        self.explored("--grid", "channels.count=1,2", "--until", "off")
        self.explored("--grid", "channels.count=1,2", "--until", "2.5%")
        self.explored("--grid", "channels.count=1,2", "--set", "run.until=7%")
        self.assertEqual(sorted(self.runs()), ["1x1:2.5%", "1x1:7%", "1x1:end", "2x1:2.5%", "2x1:7%", "2x1:end"])
        self.assertEqual(
            [checked_until(text) for text in ("5%,1%", "snia", "off", "end")], [("5%", "1%"), ("snia",), (), ()]
        )
        for text in ("5", "1%,2%,3%", "", "snia,1%"):
            with self.assertRaisesRegex(StudyError, "expected a share such as 5%"):
                checked_until(text)

    def test_requests_end_a_run_that_does_not_get_there(self):
        self.workload.write_text("[a]\nrw=randread\n[b]\nrw=randread\n")
        self.explored("--grid", "channels.count=1", "--requests", "700")
        words = (self.folder / "words").read_text().splitlines()
        self.assertEqual(len(words), 2)
        for line in words:
            self.assertIn("--set run.until_requests=1400", line)

    def test_jobs_with_an_end_of_their_own_run_to_it(self):
        self.workload.write_text("[a]\nrw=randread\n[b]\nstonewall\nrw=randread\n")
        code, _, errors = self.explored("--grid", "channels.count=1,2")
        self.assertEqual((code, sorted(self.runs())), (0, ["1x1:end", "2x1:end"]), errors)
        self.assertEqual({row["until"] for row in self.rows().values()}, {""})
        before = self.files(self.folder / "out")
        self.assertEqual(self.wordline("collect", self.folder / "out")[0], 0)
        self.assertEqual(self.files(self.folder / "out"), before)

    def test_not_distinguishable(self):
        near = {"value": 1550, "low": 1530, "high": 1570}
        self.results(**{"8x1": {"steady": {"iops": {**near, "high": 1590}}}, "4x2": {"steady": {"iops": near}}})
        _, printed, _ = self.explored()
        rows = self.rows()
        # 1,600 +-16 and 1,560 +-30 are 40 apart, within the root of 16 and 30 squared; 50 are not within 16 and 20.
        self.assertFalse(rows["8x1"]["alike"])  # 1,550 (1,530 to 1,590)
        self.assertFalse(rows["4x2"]["alike"])
        self.results(**{"8x1": {"steady": {"iops": {"value": 1585, "low": 1570, "high": 1600}}}})
        _, printed, _ = self.explored(out="again")
        table = json.loads((self.folder / "again/table.json").read_text())
        alike = ["x".join(row["values"].values()) for row in table["points"] if row["alike"]]
        self.assertEqual(alike, ["8x1"])
        self.assertIn(
            "~best: not distinguishable from the best by their intervals: channels.count=8, channels.packages=1.",
            printed,
        )
        self.assertIn("stroke-dasharray", (self.folder / "again/read.svg").read_text())
        self.assertNotIn("stroke-dasharray", (self.folder / "out/read.svg").read_text())

    def test_what_is_not_steady_has_no_rank(self):
        reason = {"class": "not_steady", "reached": False, "reason": "3 of 16 superblocks"}
        self.results(**{"8x2": {"steady": reason}, "8x1": {"steady": {"class": "before_gc", "reached": False}}})
        _, printed, _ = self.explored()
        rows = self.rows()
        self.assertEqual([key for key, row in rows.items() if row["best"]], ["4x2"])
        self.assertEqual(rows["8x1"]["versus_best"], {})
        self.assertIn("no rank: channels.count=8, channels.packages=2: not steady: 3 of 16 superblocks.", printed)
        self.assertIn("1 before GC: not compared with steady ones.", printed)
        self.results(**{"": {"steady": {"class": "before_gc", "reason": "9,000 more writes"}}})
        _, printed, _ = self.explored(out="again")
        self.assertIn("All compared points are before GC: their rates fall when it begins: 9,000 more writes.", printed)

    def test_percentiles_of_few_samples_are_marked(self):
        _, printed, _ = self.explored()
        self.assertIn("1.0/4.0/5.0/~6.0", printed)  # four samples beyond p99.99
        self.assertIn("~ before a percentile: fewer than 10 samples beyond it.", printed)
        self.assertEqual(self.rows()["1x1"]["few"], ["read_p99_99_ps"])
        self.assertIn("r 4 / ~6 us", (self.folder / "out/read.svg").read_text())

    def test_refused_points_are_told_before_the_first_run(self):
        (self.folder / "slow").write_text("20")
        process = self.explore("--grid", "channels.count=1,9", "--grid", "channels.packages=1,2")
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        lines = [process.stderr.readline() for _ in range(2)]
        process.terminate()
        process.wait()
        self.assertEqual(lines, ["2 of 4 runs are refused:\n", "  2: channels.count is 9, expected less\n"])
        asked = (self.folder / "asked").read_text().split()
        self.assertEqual(len(asked), 1, "one call of the program for all configurations")

    def test_notes_are_told_once(self):
        (self.folder / "notes").write_text("6,999 of 6,999 addresses wrapped\n")
        _, printed, _ = self.explored("--grid", "channels.count=1,2")
        self.assertEqual(printed.count("6,999 of 6,999"), 1)
        self.assertIn("note (2 of 2 runs): 6,999 of 6,999 addresses wrapped", printed)
        self.assertEqual(self.table()["notes"], [{"text": "6,999 of 6,999 addresses wrapped", "runs": 2}])


class Pairs(unittest.TestCase):
    def row(self, *iops, seeds=(1, 2, 3), **more):
        return Row("read", {}, "", iops=sum(iops) / len(iops), seeds=seeds, of_seeds=iops, **more)

    def test_equal_seeds_are_compared_seed_by_seed(self):
        best = self.row(1000, 1100, 1200, interval={"iops": 248})
        near = self.row(990, 1089, 1188, interval={"iops": 246})
        found = verdict.difference(near, best)
        self.assertTrue(found["paired"])
        # 10, 11, 12 less: 11 +-2.48 of 1,100; unpaired it would be +-349.
        self.assertAlmostEqual(found["difference"], -0.01)
        self.assertAlmostEqual(found["high"], (-11 + 2.484) / 1100, places=5)
        marked = verdict.with_verdict([best, near])
        self.assertEqual([row.alike for row in marked], [False, False])
        self.assertTrue(marked[0].best)
        other = verdict.difference(self.row(990, 1089, 1188, seeds=(4, 5, 6), interval={"iops": 246}), best)
        self.assertFalse(other["paired"])
        self.assertLess(other["low"], 0)
        self.assertGreater(other["high"], 0)

    def test_without_intervals_nothing_is_said(self):
        self.assertEqual(verdict.difference(Row("read", {}, "", iops=9.0), Row("read", {}, "", iops=10.0)), {})


class Measures(unittest.TestCase):
    def test_the_steady_part_counts(self):
        op = {
            "count": 9,
            "iops": 100.0,
            "lat_ps": {"p99": 5},
            "interval": {"iops": {"value": 90, "low": 80, "high": 95}},
        }
        found = measure({"ios": {"read": op}}, "read_iops", (1, 1, 1))
        self.assertEqual((found.value, found.low, found.high, found.known), (90, 80, 95, True))
        tail = {"p99_ps": {"value": 7, "low": 6, "high": 8}}  # of another histogram
        found = measure({"ios": {"read": {**op, "interval": tail}}}, "read_p99", (1, 1, 1))
        self.assertEqual((found.value, found.low, found.high), (5, 5, 8))
        plain = measure({"ios": {"read": {**op, "interval": None}}}, "read_iops", (1, 1, 1))
        self.assertEqual((plain.value, plain.known), (100.0, False))
        self.assertIsNone(measure({"ios": {"read": {**op, "count": 0}}}, "read_iops", (1, 1, 1)))


if __name__ == "__main__":
    unittest.main()
