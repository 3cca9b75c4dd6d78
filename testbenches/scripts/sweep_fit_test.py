# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""`wordline fit FILE`: sweeps as fio and CSV files have them, refusals that name their place, and a search whose intervals
hold the values that made the points, on functions whose answer is known.

usage: sweep_fit_test.py ROOT
"""

import json
import struct
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
from wordline.studies.framework.emulator import CHECKED, TOLERANCE, Emulator  # noqa: E402
from wordline.studies.framework.identify import identify  # noqa: E402
from wordline.studies.framework.points import StudyError  # noqa: E402
from wordline.studies.framework.sweep import CSV_COLUMNS, Place, Repeated, read_sweep, size_of  # noqa: E402
from wordline.studies.sweep_fit import over_provisioning, split, turnaround  # noqa: E402

DEPTHS = np.array([1.0, 2, 4, 8, 16, 32, 64, 128, 256])


def drive(x: np.ndarray) -> np.ndarray:
    """log IOPS of a closed loop at two sizes: array, bus and link, with soft knees. The values are their logarithms."""
    array, bus, link = 60 * np.exp(x[0]), 10 * np.exp(x[1]), 2.5 * np.exp(x[2])
    out = []
    for pages in (1, 4):
        alone, limit = DEPTHS / (array + bus * pages), 1 / (link * pages)
        out.append(alone / (1 + (alone / limit) ** 4) ** 0.25)
    return np.log(np.concatenate(out))


def asked(measured: np.ndarray, of: object = drive):  # type: ignore[no-untyped-def]
    return lambda sets: [of(x) - measured for x, _ in sets]  # type: ignore[operator]


EVERY = np.ones((3, 18), bool)


class Search(unittest.TestCase):
    def test_intervals_hold_the_values_that_made_the_points(self) -> None:
        """Noise of 3 %. Of 300 values 285 are to be within; fewer than 270 happen in less than one case of 10,000."""
        within = 0
        for trial in range(100):
            random = np.random.default_rng(trial)
            truth = random.uniform(-0.25, 0.25, 3)
            found = identify(asked(drive(truth) + random.normal(0, 0.03, 18)), EVERY)
            within += sum(e.low <= t <= e.high for e, t in zip(found.values, truth))
            self.assertTrue(0.01 < found.noise < 0.06, found.noise)
        self.assertGreaterEqual(within, 270)
        self.assertLess(within, 300)  # intervals so wide that nothing leaves them say nothing

    def test_a_value_that_no_point_tells_is_said_to_be_so(self) -> None:
        found = identify(asked(drive(np.zeros(3)), lambda x: drive(np.array([x[0], x[1], 0.0]))), EVERY)
        self.assertEqual([e.identified for e in found.values], [True, True, False])

    def test_two_that_act_alike_are_not_told_apart(self) -> None:
        found = identify(asked(drive(np.zeros(3)), lambda x: drive(np.array([x[0] + x[1], 0.0, x[2]]))), EVERY)
        self.assertEqual([e.identified for e in found.values], [False, False, True])

    def test_a_value_that_does_not_limit_has_one_end(self) -> None:
        """A link so wide that the points say only how narrow it is not."""
        shape = lambda x: drive(np.array([x[0], x[1], x[2] - 6]))  # noqa: E731
        found = identify(asked(shape(np.zeros(3)) + np.random.default_rng(1).normal(0, 0.01, 18), shape), EVERY)
        self.assertFalse(found.values[2].identified)

    def test_where_either_of_two_engines_may_limit_both_cases_are_within(self) -> None:
        """The points say that the slower one takes 1.2 of its time at the start, not which it is."""
        shape = lambda x: np.full(18, -max(x[0], x[1]))  # noqa: E731
        for true in ((0.2, -0.3), (-0.3, 0.2)):
            measured = shape(np.array(true)) + np.random.default_rng(2).normal(0, 0.03, 18)
            found = identify(asked(measured, shape), np.ones((2, 18), bool))
            for estimate, value in zip(found.values, true):
                self.assertLess(estimate.low, value)
                self.assertGreater(estimate.high, 0.15)
                self.assertLess(estimate.high, 0.4)
                self.assertFalse(estimate.identified)

    def test_points_that_the_model_cannot_meet_do_not_pull(self) -> None:
        measured = drive(np.array([0.2, -0.1, 0.1]))
        measured[-2:] -= 0.8
        found = identify(asked(measured), EVERY)
        for estimate, true in zip(found.values[:1], (0.2,)):
            self.assertLess(abs(estimate.value - true), 0.05)


class Emulated(unittest.TestCase):
    def emulator(self) -> Emulator:
        def run(sets):  # type: ignore[no-untyped-def]
            return [np.where(mask, np.exp(drive(x)), np.nan) for x, mask in sets]

        return Emulator(run, EVERY)

    def test_it_answers_as_the_model_within_its_tolerance(self) -> None:
        """Of what it answers without a run; the values come in clouds, as those of fits do."""
        emulator = self.emulator()
        random = np.random.default_rng(3)
        off = []
        for x in random.uniform(-0.25, 0.25, (150, 3)):
            before = emulator.ran
            (rates,) = emulator.rates([(x, np.ones(18, bool))])
            if emulator.ran == before:
                off += list(np.log(rates) - drive(x))
        self.assertGreater(len(off), 500)
        self.assertLess(np.sqrt(np.mean(np.square(off))), 2 * TOLERANCE)
        self.assertLess(emulator.ran, emulator.answers / 4)
        self.assertGreater(len(emulator.checks), (emulator.answers - emulator.ran) // CHECKED - 2)
        self.assertLess(emulator.deviation(), 2 * TOLERANCE)

    def test_what_it_has_seen_it_answers_exactly_and_what_no_mask_names_not_at_all(self) -> None:
        emulator = self.emulator()
        x, mask = np.array([0.1, -0.1, 0.2]), np.arange(18) < 2
        (first,) = emulator.rates([(x, mask)])
        (again,) = emulator.rates([(x, mask)])
        self.assertEqual(emulator.ran, 2)
        self.assertTrue(np.allclose(first[:2], np.exp(drive(x))[:2], rtol=1e-12))
        self.assertTrue(np.allclose(first[:2], again[:2], rtol=1e-12))
        self.assertTrue(np.isnan(first[2:]).all())

    def test_a_fit_finds_the_same_intervals_with_it(self) -> None:
        """Values and ends of four fits: off by a few percent of the interval, as steps for derivatives are small."""
        emulator = self.emulator()
        off = []
        for trial in range(4):
            random = np.random.default_rng(trial)
            measured = drive(random.uniform(-0.25, 0.25, 3)) + random.normal(0, 0.03, 18)
            by_runs = identify(asked(measured), EVERY)
            emulated = identify(lambda sets: [np.log(rates) - measured for rates in emulator.rates(sets)], EVERY)
            for a, b in zip(by_runs.values, emulated.values):
                off += [abs(getattr(a, e) - getattr(b, e)) / (a.high - a.low) for e in ("value", "low", "high")]
        self.assertLess(np.mean(off), 0.1)


class Sweeps(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)

    def fio(self, name: str, jobs: list[dict], before: str = "") -> None:
        (self.folder / f"{name}.json").write_text(before + json.dumps({"global options": {"bs": "4k"}, "jobs": jobs}))

    def job(self, iops: float = 1000.0, operation: str = "read", **options: object) -> dict:
        part = {"iops": iops, "lat_ns": {"mean": 90000.0}, "clat_ns": {"percentile": {"99.000000": 150000}}}
        return {"jobname": "j", "job options": {"rw": "randread", "iodepth": "8", **options}, operation: part}

    def test_results_of_fio(self) -> None:
        self.fio("a", [self.job()], "fio: a warning\n")
        self.fio("b", [self.job(3000.0, bs="16KiB")])
        self.fio("mixed", [self.job(rw="randrw")])
        self.fio("paced", [self.job(rate_iops="5000")])
        found = read_sweep(self.folder)
        self.assertEqual(
            [p.place for p in found.points], [Place("randread", 4096, 1, 8), Place("randread", 16384, 1, 8)]
        )
        self.assertEqual(found.points[0].latency, {"mean": 90.0, "p99": 150.0})
        self.assertEqual(len(found.left_out), 2)
        self.assertIn("rw=randrw: only", found.left_out[0])
        self.assertIn("rate_iops limits it", found.left_out[1])

    def test_jobs_side_by_side_and_repetitions(self) -> None:
        jobs = [{**self.job(500.0), "groupid": 0} for _ in range(4)]
        self.fio("a", jobs)
        self.fio("b", [{**job, "read": {**job["read"], "iops": 550.0}} for job in jobs])
        (point,) = read_sweep(self.folder).points
        self.assertEqual((point.place.jobs, point.iops), (4, 2100.0))
        self.assertAlmostEqual(point.spread or 0, 0.0673, places=3)

    def test_what_is_wrong_names_its_place(self) -> None:
        def refused(text: str, name: str = "x.json") -> str:
            (self.folder / name).write_text(text)
            with self.assertRaises(StudyError) as raised:
                read_sweep(self.folder / name)
            return str(raised.exception)

        head = ",".join(CSV_COLUMNS) + "\n"
        self.assertIn("x.json: ", refused('{"jobs": [{"jobname":'))
        self.assertIn("no result of fio", refused("{}"))
        self.assertIn("job j: 'read'", refused('{"jobs": [{"jobname": "j", "job options": {"rw": "randread"}}]}'))
        self.assertIn("p.csv:1: no column device", refused("a,b\n", "p.csv"))
        self.assertIn("p.csv:2: iops = -5", refused(head + "d,read,4096,1,1,-5,1,1,1,1\n", "p.csv"))
        self.assertIn("p.csv:2: iops = nan", refused(head + "d,read,4096,1,1,nan,1,1,1,1\n", "p.csv"))
        self.assertIn("p.csv:2: op = trim", refused(head + "d,trim,4096,1,1,5,1,1,1,1\n", "p.csv"))
        two = head + "d,read,4096,1,1,5,1,1,1,1\ne,read,4096,1,1,5,1,1,1,1\n"
        self.assertIn("has d, e: name one with --device", refused(two, "p.csv"))
        with self.assertRaisesRegex(StudyError, "no such folder or file"):
            read_sweep(self.folder / "nowhere")

    def test_sizes(self) -> None:
        self.assertEqual([size_of(text) for text in ("4k", "4096", "128KiB", "1M")], [4096, 4096, 131072, 1 << 20])
        for wrong in ("4k-16k", "k", "", "4x"):
            with self.assertRaisesRegex(ValueError, "expected one size"):
                size_of(wrong)

    def test_what_is_derived(self) -> None:
        # The closed form at two drives whose telemetry is published.
        self.assertAlmostEqual(over_provisioning(1.853), 0.438, places=3)
        self.assertAlmostEqual(over_provisioning(3.25), 0.195, places=3)
        points = [Repeated(Place("read", 4096, 1, qd), qd / 10.5e-6, {"mean": 10.0}, None) for qd in (1, 2, 4, 8)]
        self.assertAlmostEqual(turnaround(points) or 0, 0.5)
        chosen, kept = split(points, True)
        self.assertEqual([p.place.qd for p in chosen], [1, 4, 8])
        self.assertEqual([p.place.qd for p in kept], [2])


class Loop:
    """A host that keeps `qd` requests in flight on a drive that takes `service` ns for each, `lanes` at a time."""

    def __init__(self, qd: int, service: float, lanes: int, turnaround: float = 3000.0):
        self.qd, self.service, self.lanes, self.turnaround = qd, service, lanes, turnaround

    def requests(self, begin: float, count: int, seed: int) -> list[tuple[int, int]]:
        """Issue and completion of each."""
        random = np.random.default_rng(seed)
        lanes, ends, out = [begin] * self.lanes, [], []
        for i in range(count):
            issue = begin + i if i < self.qd else sorted(ends)[i - self.qd] + self.turnaround
            lane = int(np.argmin(lanes))
            lanes[lane] = max(lanes[lane], issue) + self.service * random.uniform(0.9, 1.1)
            ends.append(lanes[lane])
            out.append((int(issue), int(lanes[lane])))
        return out


def events(
    found: list[tuple[int, int]], rwbs: str, sectors: list[int], count: int
) -> list[tuple[int, str, str, int, int]]:
    return sorted(
        (at, action, rwbs, sector, count)
        for (issue, done), sector in zip(found, sectors)
        for at, action in ((issue, "D"), (done, "C"))
    )


def text_of(rows: list[tuple[int, str, str, int, int]]) -> str:
    lines = [f"259,0  1  {n}  {at // 10**9}.{at % 10**9:09d}  77  {what}  {rwbs} {sector} + {count} [fio]"
             for n, (at, what, rwbs, sector, count) in enumerate(rows, 1)]  # fmt: skip
    return "\n".join([lines[0], "259,0  1  2  0.000000001  77  U   N [fio] 1", *lines[1:], "Total (259,0):", ""])


def binary_of(rows: list[tuple[int, str, str, int, int]], order: str) -> bytes:
    out = b""
    for n, (at, what, rwbs, sector, count) in enumerate(rows):
        action = {"D": 7, "C": 8}[what] | (1 << 17 if "W" in rwbs else 1 << 16) | 1 << 24
        out += struct.pack(
            order + "IIQQIIIIIHH", 0x65617407, n, at, sector, count * 512, action, 77, 259 << 20, 1, 0, 3
        )
        out += b"abc"
    return out


class Traces(unittest.TestCase):
    def read(self, content: str | bytes):  # type: ignore[no-untyped-def]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace"
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            return read_sweep(path)

    def rows(self) -> list[tuple[int, str, str, int, int]]:
        random = np.random.default_rng(5)
        scattered = [int(s) * 8 for s in random.integers(0, 1 << 20, 2000)]
        in_order = [10_000_000 + 256 * i for i in range(1000)]
        return [
            *events(Loop(1, 60_000, 16).requests(0, 2000, 1), "RS", scattered, 8),
            *events(Loop(32, 60_000, 16).requests(5e9, 2000, 2), "R", scattered, 8),
            *events(Loop(4, 40_000, 1).requests(9e9, 1000, 3), "WS", in_order, 256),
        ]

    def test_closed_loops_are_points(self) -> None:
        for content in (text_of(self.rows()), binary_of(self.rows(), "<"), binary_of(self.rows(), ">")):
            sweep = self.read(content)
            self.assertEqual(
                [p.place for p in sweep.points],
                [Place("randread", 4096, 1, 1), Place("randread", 4096, 1, 32), Place("write", 131072, 1, 4)],
            )
            alone, deep, writes = sweep.points
            self.assertAlmostEqual(alone.iops, 1e9 / 63_000, delta=1e9 / 63_000 * 0.01)
            self.assertAlmostEqual(alone.latency["mean"], 60, delta=0.5)
            self.assertLess(alone.latency["p99"], 66)
            self.assertAlmostEqual(deep.iops, 16 / 60e-6, delta=16 / 60e-6 * 0.02)
            self.assertAlmostEqual(deep.latency["mean"], 32 / deep.iops * 1e6 - 3, delta=3)
            self.assertAlmostEqual(writes.iops, 25_000, delta=250)
            self.assertNotIn("p99_9", writes.latency)
            self.assertEqual(sweep.left_out, ())

    def test_what_is_no_closed_loop_is_left_out_and_said(self) -> None:
        paced = [(at, at + 300_000) for at in range(20 * 10**9, 21 * 10**9, 1_000_000)]
        few = [(at, at + 900) for at in range(22 * 10**9, 22 * 10**9 + 100_000, 1000)]
        rows = events(paced, "R", [8 * (i * 7919 % 100_003) for i in range(1000)], 8)
        with self.assertRaisesRegex(StudyError, r"0.3 in flight on the average and 1 at times, no closed loop"):
            self.read(text_of(rows))
        sweep = self.read(text_of(self.rows()[:4000] + rows + events(few, "W", [8 * i for i in range(100)], 8)))
        self.assertEqual(len(sweep.points), 1)
        self.assertIn("fewer than 500 of one kind and size follow each other", sweep.left_out[-1])

    def test_half_in_order_is_neither(self) -> None:
        loop = Loop(1, 60_000, 1).requests(0, 1000, 1)
        sectors = [8 * (i // 2 * 7919 % 100_003 * 10 + i % 2) for i in range(1000)]
        with self.assertRaisesRegex(StudyError, "neither sequential nor random"):
            self.read(text_of(events(loop, "R", sectors, 8)))

    def test_what_is_wrong_with_a_trace_names_its_place(self) -> None:
        good = binary_of(self.rows(), "<")
        for content, reason in (
            (good[:-20], f"byte {len(good) - 51}: is cut short"),
            (good[:51] + b"junk" + good[51:], "byte 51: no record of blktrace"),
            (text_of([row for row in self.rows() if row[1] == "D"]), "no request with issue and completion"),
            (text_of(self.rows()).replace("259,0  1  9 ", "8,0  1  9 "), "has requests of 259,0, 8,0"),
        ):
            with self.assertRaisesRegex(StudyError, reason):
                self.read(content)


if __name__ == "__main__":
    unittest.main()
