# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""A die dies at any instant of a mount, or has died before: small drives with parity over dies and hold-up energy, whose
power fails as they write and collect, once or twice. Nothing is lost, nothing read is wrong, each promise is kept.

usage: dead_mount_test.py PROGRAM SOURCE_TREE [--drives N] [--cuts N] [--places N] [--seed SEED] [--only I] [--unsafe]

Each drive is cut at `cuts` instants; flash as each cut has left it is mounted once with all dies, for the length of the
mount, then once for each place: a die, and an instant of the mount. With --unsafe drives have no hold-up energy: they
are mounted with all dies, and the die dies behind the mount.
"""

import argparse
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import random
import re
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import dead_die_test  # noqa: E402
import drive_runs  # noqa: E402

SECONDS = 120  # of CPU time, each run
SHOWN = 5
GROWN_BAD, DEAD = 2, 4  # marks of a block in an image
COUNTS = ("rebuilt_sectors", "dead_dies", "rebuild_superblocks")


def sets_of(seed: int, number: int, safe: bool) -> tuple[dead_die_test.Drive, list[str]]:
    drive = dead_die_test.drawn(seed, number)
    sets = dict(one.split("=", 1) for one in drive.sets)
    sets |= {"ftl.recovery": "scan", "nand.program": "wordline", "precondition.fill": "none"}
    sets |= {"ftl.power_safe": "true", "power.hold_up": "4J"} if safe else {"ftl.power_safe": "false"}
    # Of two or four rows and more of a superblock the closing record takes one.
    sets["ftl.over_provisioning"] = round(1.35 * (1 + float(sets["ftl.over_provisioning"])) - 1, 3)
    if number % 3 == 0:  # long enough for superblocks to be used again, by a drive that has lost a die
        drive = dataclasses.replace(drive, job=re.sub("io_size=[0-9]+%", "io_size=400%", drive.job))
    return drive, [f"{key}={value}" for key, value in sets.items()]


class Lives:
    def __init__(self, program: str, root: str):
        self.runner = drive_runs.Runner(program, root, seconds=SECONDS)
        self.folder = Path(self.runner.scratch.name)

    def run(self, sets: list[str], job: Path, more: list[str]) -> tuple[str, dict]:
        """What is wrong with it, and its results."""
        command = [*self.runner.command(sets, job), *more, "--quiet"]
        if "--cut-power" in more:
            command.remove("--verify-all")
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            try:
                done = drive_runs.run_within(
                    [*command, "--out", out], SECONDS, errors="replace", env=self.runner.environment
                )
            except drive_runs.subprocess.TimeoutExpired:
                return f"does not end: {' '.join(command)}", {}
            if done.returncode != 0:
                return f"ends with {done.returncode}: {done.stderr.strip()[:400]}\n    {' '.join(command)}", {}
            result = json.loads((Path(out) / "result.json").read_text())
            cut = Path(out) / "power_cut.json"
            if cut.exists():
                result["cut"] = json.loads(cut.read_text())
        errors = sum(sum(kinds.values()) for kinds in result.get("errors", {}).values())
        if errors or result["check"]["mismatches"]:
            return f"{errors} media errors, {result['check']['mismatches']} mismatches\n    {' '.join(command)}", result
        if sum(result.get("cut", {}).get("broken_promises", {}).values()):
            return f"breaks promises: {result['cut']['broken_promises']}\n    {' '.join(command)}", result
        return "", result


def dead(die: int, at_ps: int) -> list[str]:
    return [f"nand.faults.dead_dies=[{die}]", f"nand.faults.dead_at=[{at_ps}ps]"]


def answers_again(image: Path) -> None:
    """As if the die had been given up though it answers: its cells are as it left them (models/precondition/flash_image.h)."""
    data = bytearray(image.read_bytes())
    origin = struct.unpack_from("<I", data, 12)[0]
    dies, planes, blocks, _, per_page, _, _, lpage_bytes, mixed, metadata = struct.unpack_from("<10I", data, 24)
    at = 64 + origin + 64 * mixed + lpage_bytes * metadata
    for _ in range(dies * planes * blocks):
        pages, marks = struct.unpack_from("<2I", data, at + 4)
        if marks & DEAD:
            struct.pack_into("<I", data, at + 8, marks & ~(DEAD | GROWN_BAD))
        at += 12 + pages + 16 * pages * per_page
    assert at + 32 == len(data), "the image goes on"
    image.write_bytes(data[:at] + hashlib.sha256(data[:at]).digest())


def place(lives: Lives, drive, sets: list[str], job: Path, image: Path, mount_ps: int, draw: random.Random, safe: bool):
    """A die dies in the mount, or behind it. Half of the drives are cut once more, in the mount or behind it."""
    at = draw.randrange(int(1.2 * mount_ps)) if safe else mount_ps + draw.randrange(5 * mount_ps)
    dies = [*sets, *dead(draw.randrange(drive.dies), at)]
    counts = dict.fromkeys(COUNTS, 0)
    from_image = [*dies, f"precondition.flash={image}"]
    if draw.random() < 0.5:
        again = Path(f"{image}.{draw.getrandbits(48)}")
        cut = 1 + draw.randrange(2 * mount_ps if safe else at)
        problem, result = lives.run(from_image, job, ["--cut-power", f"{cut}ps", "--image", str(again)])
        for key in COUNTS:
            counts[key] += result.get("parity", {}).get(key, 0)
        if problem:
            return problem, counts
        from_image = [*dies, f"precondition.flash={again}"]
        problem, result = lives.run(from_image, job, [])
        if not problem:
            again.unlink()
    else:
        problem, result = lives.run(from_image, job, [])
    for key in COUNTS:
        counts[key] += result.get("parity", {}).get(key, 0)
    return problem, counts


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("root")
    parser.add_argument("--drives", type=int, default=4)
    parser.add_argument("--cuts", type=int, default=2, help="of each drive")
    parser.add_argument("--places", type=int, default=4, help="of each cut")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--unsafe", action="store_true")
    arguments = parser.parse_args()
    lives = Lives(arguments.program, arguments.root)
    problems, places = [], 0
    sums = dict.fromkeys(COUNTS, 0)

    def of_drive(number: int):
        found, counted, tried = [], dict.fromkeys(COUNTS, 0), 0
        drive, sets = sets_of(arguments.seed, number, not arguments.unsafe)
        draw = random.Random(f"{arguments.seed}/{number}/mounts")
        job = jobs[number]
        problem, whole = lives.run(sets, job, [])
        if problem:
            return [problem], counted, tried
        for cut in range(arguments.cuts):
            image = lives.folder / f"{number}.{cut}.flash"
            at = draw.randrange(whole["simulated_ps"] // 8, whole["simulated_ps"])
            # A third has lost the die before; half of these dies answer the mount all the same.
            before = not arguments.unsafe and draw.random() < 0.3
            first = [*sets, *dead(draw.randrange(drive.dies), draw.randrange(at))] if before else sets
            problem, _ = lives.run(first, job, ["--cut-power", f"{at}ps", "--image", str(image)])
            mounted = {}
            if not problem and before and draw.random() < 0.5:
                answers_again(image)
            if not problem:
                problem, mounted = lives.run([*sets, f"precondition.flash={image}"], job, [])
            if problem:
                found.append(problem)
                continue
            tried += before
            for _ in range(0 if before else arguments.places):
                mount_ps = mounted["recovery"]["mount_time"]
                problem, counts = place(lives, drive, sets, job, image, mount_ps, draw, not arguments.unsafe)
                tried += 1
                if problem:
                    found.append(problem)
                for key in COUNTS:
                    counted[key] += counts[key]
            if not found:
                image.unlink()
        return found, counted, tried

    numbers = range(arguments.drives) if arguments.only is None else [arguments.only]
    # Drives share job files, which nobody writes while another reads.
    jobs = {n: lives.runner.workload(sets_of(arguments.seed, n, not arguments.unsafe)[0].job) for n in numbers}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found, counted, tried in pool.map(of_drive, numbers):
            problems += found
            places += tried
            for key in COUNTS:
                sums[key] += counted[key]
    print(
        f"seed {arguments.seed}: {places} places in {len(numbers)} drives, {sums['dead_dies']} dies given up, "
        f"{sums['rebuilt_sectors']} logical pages rebuilt, {sums['rebuild_superblocks']} superblocks written anew, "
        f"{len(problems)} problems"
    )
    for problem in problems[:SHOWN]:
        print(problem)
    return 1 if problems or sums["dead_dies"] == 0 or sums["rebuilt_sectors"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
