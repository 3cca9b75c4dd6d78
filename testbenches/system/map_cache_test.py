# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A map that is cached (ftl.map_cache), against programs and forms that share no code with it: which look-ups miss, by
a CLOCK worked out here over the log of requests and by Che's approximation of LRU; what a miss takes; what map pages
add to what is written.

usage: map_cache_test.py PROGRAM ROOT
"""

import collections
import csv
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, ROOT = sys.argv.pop(1), Path(sys.argv.pop(1))
SMALL = ROOT / "configs" / "ssds" / "small.toml"
ENTRIES = 1024  # of a map page of 4 KiB
LBAS = 8  # of 512 bytes in a logical page


def misses_of_clock(pages: list[int], frames: int, missed: list[int] | None = None) -> int:
    """The hand takes the first page that was not used since it passed; a page counts as used when it comes."""
    held: list[int | None] = [None] * frames
    used = [False] * frames
    where: dict[int, int] = {}
    hand = misses = 0
    for page in pages:
        if page in where:
            used[where[page]] = True
            continue
        misses += 1
        if missed is not None:
            missed.append(page)
        at = len(where)
        if at == frames:
            while used[hand]:
                used[hand] = False
                hand = (hand + 1) % frames
            at, hand = hand, (hand + 1) % frames
            del where[held[at]]
        held[at], where[page], used[at] = page, at, True
    return misses


def fetches_of_two_levels(pages: list[int], frames: int, copies: int) -> int:
    """Misses of that CLOCK that find a copy in host memory: each page that comes from flash gets one, in the place of
    one that was not fetched since the hand passed it, of which 64 are looked at. With one read at a time the copy is there
    before the next comes."""
    held: list[int | None] = [None] * copies
    used = [False] * copies
    hand = fetched = 0
    missed = []
    misses_of_clock(pages, frames, missed)
    for page in missed:
        if page in held:
            used[held.index(page)] = True
            fetched += 1
            continue
        for _ in range(min(64, copies)):
            at, hand = hand, (hand + 1) % copies
            if not used[at]:
                break
            used[at] = False
        held[at], used[at] = page, False
    return fetched


def miss_ratio_of_lru(pages: list[int], frames: int) -> float:
    """Che, Tung, Wang 2002: a page stays for a time T that is the same for all."""
    share = [count / len(pages) for count in collections.Counter(pages).values()]
    low, high = 0.0, 1e9
    for _ in range(100):
        middle = (low + high) / 2
        held = sum(1 - math.exp(-p * middle) for p in share)
        low, high = (middle, high) if held < frames else (low, middle)
    return sum(p * math.exp(-p * low) for p in share)


class MapCache(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_job(self, job: str, *sets: str, blocks: int = 1024) -> dict:
        (self.folder / "job.fio").write_text(job)
        words = [PROGRAM, "run", str(SMALL), "--workload", str(self.folder / "job.fio"), "-q"]
        words += ["--out", str(self.folder / "out"), "--requests-log", str(self.folder / "log.csv")]
        for key in (f"nand.blocks_per_plane={blocks}", "precondition.fill=sequential", *sets):
            words += ["--set", key]
        done = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / "out" / "result.json").read_text())

    def log(self) -> list[dict]:
        with (self.folder / "log.csv").open() as file:
            return list(csv.DictReader(file))

    def pages(self) -> list[int]:
        return [int(row["lba"]) // LBAS // ENTRIES for row in self.log()]

    def test_misses_are_those_of_clock_and_near_those_of_lru(self) -> None:
        for model in ("native", "iss"):
            for distribution in ("random", "zipf:0.9", "zipf:1.2"):
                for frames in (64, 256):
                    job = f"rw=randread\nbs=4k\nnumber_ios=15000\nnorandommap\nrandom_distribution={distribution}\n"
                    result = self.run_job(f"[a]\n{job}", f"ftl.map_cache={4 * frames}KiB", f"cpu.model={model}")
                    with self.subTest(model=model, distribution=distribution, frames=frames):
                        pages, counted = self.pages(), result["map"]
                        self.assertEqual(counted["hits"] + counted["misses"], len(pages))
                        self.assertEqual(counted["misses"], misses_of_clock(pages, frames))
                        self.assertEqual(counted["loads"], counted["misses"])
                        if frames == 64:  # with more, many a page is met for the first time
                            ratio = counted["misses"] / len(pages)
                            self.assertAlmostEqual(ratio / miss_ratio_of_lru(pages, frames), 1, delta=0.05)

    def test_copies_in_host_memory_are_a_second_level(self) -> None:
        for model in ("native", "iss"):
            for distribution in ("random", "zipf:1.2"):
                for copies in (100, 300, 4096):
                    job = f"rw=randread\nbs=4k\nnumber_ios=12000\nnorandommap\nrandom_distribution={distribution}\n"
                    sets = ("ftl.map_cache=256KiB", f"nvme.hmb={4 * copies}KiB", f"cpu.model={model}")
                    counted = self.run_job(f"[a]\n{job}", *sets)["map"]
                    with self.subTest(model=model, distribution=distribution, copies=copies):
                        pages = self.pages()
                        self.assertEqual(counted["misses"], misses_of_clock(pages, 64))
                        self.assertEqual(counted["fetched"], fetches_of_two_levels(pages, 64, copies))
                        self.assertEqual(counted["loads"] + counted["fetched"], counted["misses"])
                        self.assertEqual(counted["stored"], counted["loads"])
                        self.assertNotIn("spoiled", counted)

    def test_a_copy_takes_what_link_and_dram_take(self) -> None:
        self.run_job("[a]\nrw=randread\nbs=4k\nnumber_ios=6000\nnorandommap\n", "ftl.map_cache=256KiB", "nvme.hmb=4MiB")
        waits = sorted(int(row["queue_map_ps"]) for row in self.log()[3000:] if int(row["queue_map_ps"]) != 0)
        # 4 KiB over the link and into DRAM, two latencies of the link, and rounds of two tasks of the firmware.
        wire = 4096 * (1 + 28 / 256) / 7.876923e9 * 1e12 + 2 * 250e3
        median = waits[len(waits) // 2]
        self.assertGreater(median, wire)
        self.assertLess(median, wire + 6e6)

    def test_a_host_that_gives_less(self) -> None:
        job = "[a]\nrw=randread\nbs=4k\nnumber_ios=4000\nnorandommap\n"
        little = self.run_job(job, "ftl.map_cache=256KiB", "nvme.hmb=64MiB", "host.hmb=512KiB")["map"]
        self.assertEqual(little["fetched"], fetches_of_two_levels(self.pages(), 64, 128))
        self.assertNotIn("fetched", self.run_job(job, "ftl.map_cache=256KiB", "nvme.hmb=64MiB", "host.hmb=0B")["map"])

    def test_a_miss_takes_a_read_of_flash_more(self) -> None:
        self.run_job("[a]\nrw=randread\nbs=4k\nnumber_ios=6000\nnorandommap\n", "ftl.map_cache=256KiB")
        flash = (
            "bus_command_ps",
            "array_ps",
            "queue_bus_ps",
            "bus_data_ps",
            "queue_ecc_ps",
            "ecc_ps",
            "queue_store_ps",
        )
        waits, reads = [], []
        for row in self.log():
            reads.append(sum(int(row[stage]) for stage in flash))
            if int(row["queue_map_ps"]) != 0:
                waits.append(int(row["queue_map_ps"]))
                self.assertEqual(row["behind"], "map" if row["longest_wait"] == "queue_map" else row["behind"])
        self.assertGreater(len(waits), 5000)
        # Beside it, two rounds of the firmware.
        more = sum(waits) / len(waits) - sum(reads) / len(reads)
        self.assertGreater(more, 0)
        self.assertLess(more, 6e6)

    def test_map_pages_are_counted_in_what_is_written(self) -> None:
        """With the whole map in the cache, and nothing collected, nothing but the host's data is written; with a small
        one each look-up that misses brings a map page, which is written when it goes, changed."""
        job = "[a]\nrw=randwrite\nbs=4k\niodepth=4\nnumber_ios=20000\nnorandommap\n"
        large = self.run_job(job, "ftl.map_cache=4MiB", "cpu.model=native")
        self.assertNotIn("sectors_written", large["map"])
        small = self.run_job(job, "ftl.map_cache=256KiB", "cpu.model=native")
        written, loads = small["map"]["sectors_written"], small["map"]["loads"]
        # What is loaded is changed, so it is written before it goes; 64 frames may still have it.
        self.assertGreaterEqual(written, loads - 64)
        self.assertGreater(loads, 20000 * 0.8)
        # Of both, what waits in the buffer at the end is not programmed.
        programs = small["flash"]["programs"] - large["flash"]["programs"]
        self.assertAlmostEqual(programs * 24 / written, 1, delta=0.05)


if __name__ == "__main__":
    unittest.main()
