# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""python/wordline/studies: `[optimise]` of a study, on a program that makes up its results and on a recorded grid.

usage: explore_optimise_test.py SOURCE_FOLDER [--table]

  --table  only prints how much of the front each sampler finds
"""

import csv
import json
import random
import shutil
import signal
import statistics
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

from explore_bench import Bench
from wordline.studies.framework.exploration import Exploration
from wordline.studies.framework.objectives import Objective, front, is_better
from wordline.studies.framework.optimise import Optimise, search
from wordline.studies.framework.points import Program, StudyError
from wordline.studies.framework.space import Axis, steps_of, values_at

AXES = (
    Axis("channels.count", ("2", "4", "8", "16")),
    Axis("channels.packages", ("1", "2", "4", "8")),
    Axis("nand.cell", ("slc", "mlc", "tlc")),
)
SEEDS = range(1, 11)


class RecordedGrid(unittest.TestCase):
    """Most IOPS, in the worse of two workloads, of the fewest dies: how much of the front do few points find?"""

    @classmethod
    def setUpClass(cls):
        text = (Path(__file__).parent / "explore_cells.csv").read_text()
        rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
        cls.steps = list(steps_of(AXES))
        cls.losses = {}
        for step in cls.steps:
            values = values_at(AXES, step)
            of_it = [row for row in rows if all(row[key] == value for key, value in values.items())]
            cls.losses[step] = (-min(float(row["iops"]) for row in of_it), float(of_it[0]["dies"]))
        cls.front = front(cls.losses)

    def found(self, steps):
        """Share of the front that some point matches: no more dies, and IOPS within 1 %."""
        mine = [self.losses[step] for step in steps]
        matched = [
            any(d <= dies and i <= 0.99 * iops for i, d in mine) for iops, dies in map(self.losses.get, self.front)
        ]
        return sum(matched) / len(matched)

    def share(self, trials, sampler):
        shares = []
        for seed in SEEDS:
            if sampler == "random":
                steps = random.Random(seed).sample(self.steps, trials)
            else:
                objectives = (Objective.parse("iops max", []), Objective.parse("dies min", []))
                asked = Optimise(objectives, sampler, seed, trials)
                known = {step: (None, losses[1]) for step, losses in self.losses.items()}  # used by gp alone
                steps = search(asked, AXES, self.steps, lambda new: {step: self.losses[step] for step in new}, known)
                self.assertEqual(len(steps), trials)
            shares.append(self.found(steps))
        return shares

    def test_half_of_the_grid_finds_its_front(self):
        self.assertEqual(len(self.steps), 48)
        self.assertEqual(len(self.front), 6)
        chance, nsga2, tpe = (self.share(24, sampler) for sampler in ("random", "nsga2", "tpe"))
        self.assertEqual(nsga2[:3], [1.0, 1.0, 1.0])
        self.assertGreater(statistics.fmean(nsga2), 0.9)
        self.assertGreater(statistics.fmean(tpe), 0.9)
        self.assertLess(statistics.fmean(chance), 0.8)

    def test_a_quarter_finds_more_than_chance_but_not_all(self):
        chance, nsga2 = self.share(12, "random"), self.share(12, "nsga2")
        self.assertGreater(statistics.fmean(nsga2), statistics.fmean(chance) + 0.1)
        # docs/exploring.md has the mean of the first.
        self.assertEqual([round(100 * f(nsga2)) for f in (statistics.fmean, min)], [60, 33])
        self.assertEqual([round(100 * f(self.share(18, "nsga2"))) for f in (statistics.fmean, min)], [85, 67])

    def test_the_model_finds_most_of_the_front_with_a_quarter(self):
        """docs/exploring.md has the first. Another BLAS may round otherwise, so a few per cent are free."""
        for trials, mean in ((12, 93), (18, 100)):
            shares = self.share(trials, "gp")
            self.assertAlmostEqual(100 * statistics.fmean(shares), mean, delta=6)
            self.assertGreater(min(shares), 0.6)

    def test_every_point_when_there_are_as_many_trials(self):
        asked = Optimise((Objective.parse("dies min", []),), "nsga2", 3, 1000)
        allowed = self.steps[5:]
        steps = search(asked, AXES, allowed, lambda new: {step: (1.0,) if step[0] else None for step in new})
        self.assertEqual(sorted(steps), allowed)
        # The model goes on where most points fail, and where nothing is known before.
        asked = Optimise((Objective.parse("waf min", []),), "gp", 3, 20)
        steps = search(
            asked, AXES, allowed, lambda new: {step: (2.0 + step[1],) if step[0] == 3 else None for step in new}
        )
        self.assertEqual((len(steps), set(steps) <= set(allowed)), (20, True))


class OptimisedStudies(Bench):
    def setUp(self):
        super().setUp()
        self.study = self.folder / "front.toml"
        self.head = (
            'drive = "drive.toml"\nworkloads = ["read.fio"]\n'
            "[grid]\nchannels.count = [1, 2, 4, 7, 9]\nchannels.packages = [1, 2, 4, 8, 16]\n[optimise]\n"
        )
        self.nsga2 = self.head + 'objectives = ["iops max", "dies min"]\ntrials = 18\n'

    def load(self, text):
        self.study.write_text(text)
        return Exploration.load(self.study, Program(self.program))

    def files(self, folder):
        """The journal has its own times."""
        return {name: content for name, content in super().files(folder).items() if name != "optuna.journal"}

    def test_a_killed_search_goes_on_to_the_same_bytes(self):
        self.study.write_text(self.nsga2)
        code, _, errors = self.wordline(self.study, "-o", "out", "-j", "2")
        self.assertEqual(code, 1)  # 7 fails and 9 is refused
        self.assertIn("18 of 18 points of 25", errors)
        out = self.folder / "out"
        whole = self.files(out)
        self.assertGreater((out / "optuna.journal").stat().st_size, 1000)
        runs = len(self.runs())
        shutil.rmtree(out)
        (self.folder / "runs").unlink()
        (self.folder / "slow").write_text("0.2")
        process = self.explore_study(self.study, "-o", "out", "-j", "1")
        while len(self.runs()) < 4:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        (self.folder / "slow").unlink()
        self.assertEqual(self.wordline(self.study, "-o", "out", "-j", "3")[0], 1)
        self.assertEqual(self.files(out), whole)
        self.assertLessEqual(len(self.runs()), runs + 1)  # the one that was killed ran again
        # And the tables again from what is there.
        (out / "table.json").unlink()
        self.assertEqual(self.wordline("collect", "out")[0], 1)
        self.assertEqual(self.files(out), whole)

    def test_the_front_is_marked(self):
        self.study.write_text(
            self.head.replace(", 7, 9", "") + 'objectives = ["iops max", "dies min"]\nsampler = "grid"\n'
        )
        code, printed, _ = self.wordline(self.study, "-o", "out")
        self.assertEqual(code, 0)
        self.assertIn("Pareto front: 12 of 15 points", printed)
        table = json.loads((self.folder / "out/table.json").read_text())
        best = [
            (row["objectives"]["iops max"], row["objectives"]["dies min"]) for row in table["points"] if row["front"]
        ]
        # 100 IOPS a die up to 1,600: all but points of more than 16 dies, of which equal ones are on it together.
        self.assertEqual(set(best), {(100.0 * dies, dies) for dies in (1, 2, 4, 8, 16)})
        with open(self.folder / "out/table.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["front"] for row in rows].count("true"), len(best))
        self.assertEqual(rows[0]["iops max"], "100.0")

    def test_what_is_wrong_is_named_with_file_and_key(self):
        good = 'objectives = ["iops max"]\n'
        for text, message in (
            ("trials = 4\n", "optimise.objectives: is None, expected a list of texts"),
            (good, "optimise.trials: is 0, expected a whole number of at least 1"),
            (good + "trials = 'many'\n", "optimise.trials: is 'many'"),
            (good + "trials = 4\nseed = -1\n", "optimise.seed: is -1"),
            (good + "trials = 4\nbatch = 1\n", "optimise.batch: is 1, expected a whole number of at least 2"),
            (
                good + "trials = 4\nsampler = 'cma'\n",
                "optimise.sampler: is 'cma', expected one of gp, nsga2, tpe, grid",
            ),
            (good + "trials = 4\nsampler = 'grid'\n", "optimise.trials: the sampler grid runs every point"),
            (good + "trails = 4\n", "optimise: expected a table of objectives, sampler, seed, trials, batch"),
            ("objectives = ['iops']\n", "optimise.objectives: 'iops': expected NAME max or NAME min"),
            ("objectives = ['speed max']\n", "'speed max': no speed; there are iops, bytes_per_s"),
            ("objectives = ['write: iops max']\n", "no workload write, only read"),
        ):
            with self.subTest(text), self.assertRaisesRegex(StudyError, message) as raised:
                self.load(self.head + text)
            self.assertIn(str(self.study), str(raised.exception))
        self.study.write_text(self.head + "objectives = ['gc.none max']\nsampler = 'grid'\n")
        code, _, errors = self.wordline(self.study, "-o", "out")
        self.assertEqual(code, 2)
        self.assertIn("objective 'gc.none max': no statistic gc.none", errors)
        self.study.write_text(self.nsga2)
        code, _, errors = self.wordline("plan", self.study, "-o", "other")
        self.assertEqual(code, 2)
        self.assertIn("a plan needs sampler = 'grid'", errors)
        with mock.patch("importlib.util.find_spec", lambda name: None if name == "optuna" else name):
            code, _, errors = self.wordline(self.study, "-o", "other")
        self.assertEqual(code, 2)
        self.assertIn("has no optuna, which [optimise] needs", errors)

    def test_values_of_objectives(self):
        op = {"count": 4, "iops": 2.0, "bytes_per_s": 8.0, "bytes": 16, "lat_ps": {"p99_9": 7, "mean": 5}}
        none = {"count": 0, "iops": 0.0, "bytes_per_s": 0.0, "bytes": 0, "lat_ps": {"p99_9": 0}}
        result = {
            "ios": {"read": op, "write": none},
            "flash": {"waf": 1.5},
            "energy_pj": {"total": 64},
            "gc": {"copied_share": 0.25},
            "utilisation": {"cores": [1, 2]},
        }
        for text, value in (
            ("iops max", 2.0),
            ("bytes_per_s max", 8.0),
            ("read_p99_9 min", 7),
            ("read_mean min", 5),
            ("write_p99_9 min", None),
            ("waf min", 1.5),
            ("energy min", 4.0),
            ("channels min", 8),
            ("gc.copied_share min", 0.25),
        ):
            self.assertEqual(Objective.parse(text, []).value(result, (16, 8, 3)), value, text)
        with self.assertRaisesRegex(StudyError, "is not one number"):
            Objective.parse("utilisation.cores min", []).value(result, (16, 8, 3))
        iops, tail = Objective.parse("iops max", []), Objective.parse("mix: read_p99_9 min", ["mix"])
        self.assertEqual(iops.worst({"mix": 3.0, "read": 2.0}), -2.0)
        self.assertEqual(iops.worst({"mix": 3.0, "read": None}), None)
        self.assertEqual(tail.worst({"mix": 3.0, "read": 9.0}), 3.0)
        # A latency of reads is one of the workloads that read.
        self.assertEqual(Objective.parse("read_mean min", []).worst({"mix": 3.0, "write": None}), 3.0)
        self.assertTrue(is_better((1, 2), (1, 3)))
        self.assertFalse(is_better((1, 2), (1, 2)))
        self.assertFalse(is_better((1, 3), (2, 1)))
        self.assertEqual(front({"a": (1, 3), "b": (2, 1), "c": (2, 3), "d": None}), {"a", "b"})


def table():
    grid = RecordedGrid()
    RecordedGrid.setUpClass()
    samplers = {"at random": "random", "NSGA-II": "nsga2", "TPE": "tpe", "model (`gp`)": "gp"}
    print("| points run |", " | ".join(samplers), "|")
    print("|---|" + "---:|" * len(samplers))
    for trials, words in ((12, "12, a quarter"), (18, "18"), (24, "24, half")):
        shares = [grid.share(trials, sampler) for sampler in samplers.values()]
        cells = [" %, ".join(f"{100 * f(of):.0f}" for f in (statistics.fmean, min)) + " %" for of in shares]
        print(f"| {words} |", " | ".join(cells), "|")


if __name__ == "__main__":
    if "--table" in sys.argv:
        table()
    else:
        unittest.main()
