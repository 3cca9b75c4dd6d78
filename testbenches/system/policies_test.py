# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Every FTL policy on both core models, with as little and as much hardware as it can live with: nothing is lost, and both
core models agree.

usage: policies_test.py PROGRAM ROOT
"""

import re
import sys
import unittest

from drive_runs import Runner, streams, tables

PROGRAM, ROOT = sys.argv.pop(1), sys.argv.pop(1)
FULL = ("precondition.fill=sequential",)
# Four writes of five go to a fifth of the drive.
JOB = (
    "[global]\nbs=4k\nnorandommap\niodepth=16\n"
    "[hot]\nrw=randrw\nrwmixread=30\nsize=20%\nnumber_ios=150000\n"
    "[cold]\nrw=randrw\nrwmixread=30\nnumber_ios=15000\n"
)
AGREEMENT = 0.12  # of IOPS and of mean latencies: on so small a drive, one victim more or less is several percent
MORE_SEEDS = (2, 3, 4)


TABLES = tables(PROGRAM)
ENGINES = tuple(name for name in TABLES["engines"] if name not in ("parse", "retry"))


def room(policy: str) -> tuple[str, ...]:
    """What small.toml lacks for it. Where more superblocks are open, one victim more or less decides over many others
    with the rest that it has."""
    row = TABLES["policies"][policy]
    sets: tuple[str, ...] = ()
    if streams(row) > 2:
        sets += ("ftl.over_provisioning=0.25",)
    if row["chooses_word_lines"]:
        sets += ("nand.program_order=mixed",)
    if row["small_pages"]:
        sets += ("nand.region.blocks_per_plane=24", "ftl.map=page", "ftl.gc_pacing=false")
    return sets


class Policies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runner = Runner(PROGRAM, ROOT, JOB, seconds=90)

    def engines_of(self, policy: str) -> list[str]:
        """All engines but those that `check` refuses with the policy, and those that need them, by the reason that it
        gives."""
        on = set(ENGINES)
        while True:
            outcome = self.runner.run(
                [*FULL, *room(policy), f"ftl.policy={policy}", *(f"engines.{name}=on" for name in sorted(on))]
            )
            if not outcome.refused:
                self.assertEqual(outcome.problem, "", policy)
                return sorted(on)
            refused = set(re.findall(r"engines\.(\w+) = on with (?:ftl\.policy|engines\.)", outcome.output))
            self.assertTrue(refused, outcome.output)
            on -= refused

    def test_lose_nothing_and_agree(self):
        names = list(TABLES["policies"])
        self.assertIn("page_hot_cold", names)
        rows = [
            (policy, engines, model)
            for policy in names
            for engines in ((), tuple(self.engines_of(policy)))
            for model in ("native", "iss")
        ]
        self.assertTrue({"ppb+cube", "cube+agcr", "ppb+agcr"} <= set(names), names)
        found = dict(zip(rows, self.results(rows, seed=1)))
        apart = [row[:2] for row in rows if row[2] == "native" and self.furthest({1: found}, *row[:2])[0] > AGREEMENT]
        # One victim more or less is several percent of one seed, and less of the mean of some.
        more = [(*row, model) for row in apart for model in ("native", "iss")]
        by_seed = {1: found, **{seed: dict(zip(more, self.results(more, seed))) for seed in MORE_SEEDS if more}}
        for policy, engines in apart:
            difference, where = self.furthest(by_seed, policy, engines)
            self.assertLess(difference, AGREEMENT, f"{policy}, {len(engines)} engines, {where}")

    def results(self, rows: list, seed: int) -> list[dict]:
        outcomes = self.runner.all(
            [
                [
                    *FULL,
                    *room(policy),
                    f"ftl.policy={policy}",
                    f"cpu.model={model}",
                    f"run.seed={seed}",
                    *(f"engines.{name}=on" for name in engines),
                ]
                for policy, engines, model in rows
            ]
        )
        for row, outcome in zip(rows, outcomes):
            self.assertEqual(outcome.problem, "", f"{row}: {outcome.output}")
            self.assertEqual(outcome.errors, 0, row)
            self.assertGreater(outcome.result["gc"]["superblocks"], 10, row)
        return [outcome.result for outcome in outcomes]

    def furthest(self, by_seed: dict, policy: str, engines: tuple) -> tuple[float, str]:
        """Most by which the two models of the cores differ in a mean over the seeds, and in what."""
        differences = []
        for op in ("read", "write"):
            for name, what in (
                ("IOPS", lambda r: r["ios"][op]["iops"]),
                ("mean latency", lambda r: r["ios"][op]["lat_ps"]["mean"]),
            ):
                native, iss = (
                    sum(what(found[policy, engines, model]) for found in by_seed.values())
                    for model in ("native", "iss")
                )
                differences.append((abs(native / iss - 1), f"{op} {name}"))
        return max(differences)

    def test_classes_of_moved_data_leave_room_for_each_other(self):
        """With two classes a drained superblock waits for the last sectors of both: no healthy drive may end read-only."""
        engines = [f"engines.{name}=on" for name in ("l2p", "buffer", "job", "completion", "gc")]
        for outcome in self.runner.all(
            [
                [*FULL, "ftl.policy=page_hot_cold", *engines, "cpu.model=native", f"run.seed={seed}"]
                for seed in range(1, 9)
            ]
        ):
            self.assertEqual(outcome.problem, "", outcome.output)
            self.assertEqual(outcome.errors, 0)

    def test_policies_refuse_engines_with_the_reason(self):
        for policy, engine in (
            ("page_fifo", "victim"),
            ("page_hot_cold", "copy"),
            ("ppb", "l2p"),
            ("cube", "copy"),
            ("agcr", "l2p"),
            ("agcr", "copy"),
            ("ppb+cube", "l2p"),
            ("cube+agcr", "copy"),
            ("ppb+agcr", "l2p"),
            ("mpnfm", "gc"),
        ):
            outcome = self.runner.run([*room(policy), f"ftl.policy={policy}", f"engines.{engine}=on"])
            self.assertTrue(outcome.refused)
            self.assertIn(
                f"engines.{engine} = on with ftl.policy = {policy}, expected engines.{engine} = off or ftl.policy =",
                outcome.output,
            )


if __name__ == "__main__":
    unittest.main()
