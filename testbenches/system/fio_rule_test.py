#!/usr/bin/env python3
# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""fio_rule_test.py PROGRAM ROOT [CYCLES]: what fio's verify would say of drives whose power is cut again and again.

fio writes into each block which write it was (numberio), keeps over a crash which writes had completed (verify_state), and
reads the blocks afterwards: each has to hold the last completed write of it, or one that was submitted later. The same
rule here, by block of 512 bytes, without anything of the oracle or of crash-test: writes come from a trace that is made
here, when they were submitted and completed says timeline.json, what flash holds says the image that a cut leaves, from
whose bytes the newest copy of each logical page is taken. With power.hold_up every completed write is promised. Then
another process mounts the image, writes on, is cut, and so on; some cuts are in the mount. Default: 24 cycles.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import struct
import subprocess
import sys
import tempfile
from collections import defaultdict, deque
from decimal import Decimal
from pathlib import Path

LBA = 512
STALE, MIXED, METADATA = 0xFFFFFFFF, 1 << 63, 3 << 62
USER_KIND, TOMBSTONE_KIND = 0, 1
DRIVES = {
    "word lines": ("cpu.model=native",),
    "pages, modelled cores": ("cpu.model=iss", "nand.program=page"),
    "cube": ("cpu.model=native", "ftl.policy=cube", "nand.program_order=mixed"),
    "two page sizes": (
        "cpu.model=native",
        "ftl.policy=mpnfm",
        "ftl.map=page",
        "ftl.gc_pacing=false",
        "ftl.gc_start_superblocks=2",
        "nand.region.page=4KiB",
        "nand.region.blocks_per_plane=6",
    ),
    "sepbit": ("cpu.model=native", "ftl.policy=sepbit", "nand.blocks_per_plane=40", "ftl.over_provisioning=0.9"),
}
COMMON = (
    "ftl.recovery=scan",
    "power.hold_up=200mJ",
    "nand.program=wordline",
    "nand.blocks_per_plane=24",
    "ftl.over_provisioning=0.6",
    "observe.timeline=true",
    "observe.dies=[0]",
)


class Image:
    """models/precondition/flash_image.h: what flash says of each logical page."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        magic, version, origin, size = struct.unpack_from("<8sIIQ", data)
        assert magic == b"WLFLASH\n" and version == 4 and size == len(data), (magic, version, size)
        dies, planes, blocks, _, per_page, _, self.lpages, lpage_bytes, mixed, metadata = struct.unpack_from(
            "<10I", data, 24
        )
        self.lbas = lpage_bytes // LBA
        at = 64 + origin
        several = [struct.unpack_from("<8Q", data, at + 64 * i) for i in range(mixed)]
        at += 64 * mixed + lpage_bytes * metadata
        self.newest, best = 1, {}
        for _ in range(dies * planes * blocks):
            _, pages, marks = struct.unpack_from("<3I", data, at)
            at += 12
            state = data[at : at + pages]
            at += pages
            stored = list(struct.iter_unpack("<QII", data[at : at + 16 * pages * per_page])) if marks & 1 == 0 else []
            at += 16 * len(stored)
            for i, (token, lpn, record) in enumerate(stored):
                stamps = self.stamps(token, several)
                self.newest = max([self.newest, *(s & 0xFFFFFFFF for s in stamps if s & 0xFFFFFFFF != STALE)])
                kind, sequence = record >> 30, record & 0x3FFFFFFF
                if state[i // per_page] != 0 or lpn >= self.lpages or kind not in (USER_KIND, TOMBSTONE_KIND):
                    continue
                if sequence >= best.get(lpn, (-1, None))[0]:
                    best[lpn] = (sequence, stamps if kind == USER_KIND else (0,) * 8)
        assert at + 32 == len(data), "the image goes on"
        self.content = {lpn: stamps for lpn, (_, stamps) in best.items()}

    @staticmethod
    def stamps(token: int, several: list) -> tuple:
        if token & METADATA == METADATA:
            return (0,) * 8
        if token & MIXED:
            return several[token & ~MIXED]
        lpn, version = token >> 32, token & 0xFFFFFFFF
        return tuple((lpn * 8 + i) << 32 | version if version else 0 for i in range(8))

    def version(self, lba: int) -> int:
        """Of the write that the block holds; 0: zeros."""
        stamp = self.content.get(lba // self.lbas, (0,) * 8)[lba % self.lbas]
        assert stamp == 0 or stamp >> 32 == lba, f"block {lba} holds what was written to block {stamp >> 32}"
        return stamp & 0xFFFFFFFF


@dataclasses.dataclass
class Write:
    lba: int
    blocks: int
    version: int
    submitted: Decimal = Decimal(-1)
    completed: Decimal = Decimal(-1)  # -1: not before the cut


class Cycles:
    def __init__(self, program: str, root: Path, folder: Path, name: str, seed: int) -> None:
        self.words = [program, "run", str(root / "configs/ssds/small.toml")]
        self.sets = [word for key in (*COMMON, *DRIVES[name]) for word in ("--set", key)]
        self.folder, self.name, self.random = folder, name, random.Random(seed)
        self.held: dict[int, int] = {}  # version of each block at the last cut
        self.image, self.newest, self.user_blocks = None, 1, 0
        self.judged, self.mounts, self.on_its_way = 0, 0, 0

    def cycle(self, number: int) -> None:
        writes = self.writes()
        trace, image = self.folder / "trace.csv", self.folder / f"{number % 2}.flash"
        trace.write_text("".join(f"0,W,{w.lba * LBA},{w.blocks * LBA}\n" for w in writes))
        milliseconds = self.random.choice([0.3, 3, 12]) if number % 5 == 4 else self.random.uniform(20, 160)
        words = [*self.words, "--workload", str(trace), "--columns", "time_us,op,offset_bytes,size_bytes", *self.sets]
        depth = self.random.choice([1, 8, 32])
        words += ["--queue-depth", str(depth), "--cut-power", f"{milliseconds * 1000:.3f}us"]
        words += ["--image", str(image), "--out", str(self.folder / "out"), "--quiet"]
        if self.image is not None:
            words += ["--set", f"precondition.flash={self.image}"]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
        self.observe(writes)
        last = max((w.version for w in writes if w.completed >= 0), default=self.newest)
        self.judge(writes, Image(image), last + depth, f"{self.name}, cycle {number}: {' '.join(words)}")
        self.image = image

    def writes(self) -> list[Write]:
        """Half of them on few blocks, a third of parts of logical pages. The timeline names a write by its first block, so
        none has that of one of the 300 before it: a write that as many have overtaken would be a fault of its own."""
        found, recent = [], deque(maxlen=300)
        for i in range(2500):
            lba, blocks = -1, 0
            while lba < 0 or lba in recent:
                pages = 48 if self.random.random() < 0.5 else 5000
                lba, blocks = self.random.randrange(pages) * 8, self.random.choice([8, 8, 8, 16, 32])
                if self.random.random() < 0.33:
                    lba, blocks = lba + self.random.randrange(8), self.random.randrange(1, 12)
            recent.append(lba)
            found.append(Write(lba, blocks, self.newest + 1 + i))
        return found

    def observe(self, writes: list[Write]) -> None:
        """When each was submitted, in the order of the trace, and completed."""
        by_lba = defaultdict(list)
        for event in json.loads((self.folder / "out/timeline.json").read_text(), parse_float=Decimal)["traceEvents"]:
            if event["ph"] == "X" and event["pid"] == 1 and event["name"] == "write":
                by_lba[event["args"]["lba"]].append((event["ts"], event["ts"] + event["dur"]))
        for times in by_lba.values():
            times.sort(reverse=True)
        completed = 0
        for write in writes:
            if times := by_lba.get(write.lba):
                write.submitted, write.completed = times.pop()
                completed += 1
        assert not any(by_lba.values()), "completions of writes that nobody made"
        self.on_its_way += completed != 0

    def judge(self, writes: list[Write], image: Image, last: int, what: str) -> None:
        """`last`: no write with a higher version can have been submitted."""
        writers = defaultdict(list)
        for write in writes:
            for lba in range(write.lba, write.lba + write.blocks):
                writers[lba].append(write)
        for lba in range(image.lpages * image.lbas):
            version = image.version(lba)
            of = writers.get(lba, ())
            begun = self.held.get(lba, 0)
            if version == begun:
                behind = [w for w in of if w.completed >= 0]
                assert not behind, f"lost: block {lba} holds version {version}, {behind[-1]} had completed; {what}"
            else:
                held = next((w for w in of if w.version == version), None)
                assert (
                    held is not None and version <= last
                ), f"corrupt: block {lba} holds version {version}, not written; {what}"
                for w in of:
                    late = held.completed >= 0 and w.completed >= 0 and w.submitted > held.completed
                    assert not late, f"stale: block {lba} holds {held}, {w} had completed later; {what}"
                self.held[lba] = version
            self.judged += bool(of)
        self.newest = max(self.newest, image.newest)
        self.mounts += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("root", metavar="ROOT", type=Path, help="of the sources")
    parser.add_argument(
        "cycles", metavar="CYCLES", type=int, nargs="?", default=24, help="over all drives; default: 24"
    )
    arguments = parser.parse_args()
    program, root, cycles = arguments.program, arguments.root.resolve(), arguments.cycles
    for name in DRIVES:
        with tempfile.TemporaryDirectory() as folder:
            drive = Cycles(program, root, Path(folder), name, seed=len(name))
            for number in range(cycles // len(DRIVES)):
                drive.cycle(number)
            # One cut in five is at the begin, and a mount on modelled cores may take longer than the rest of a life.
            counts = f"{drive.on_its_way} writes on their way in {drive.mounts} mounts, {drive.judged} blocks judged"
            assert (
                drive.judged > 0 and drive.on_its_way > drive.mounts // 16
            ), f"{name}: too few before the cuts: {counts}"
            print(f"{name}: {drive.mounts} cycles, {drive.judged} blocks that had been written, judged", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
