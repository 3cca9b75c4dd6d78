#!/usr/bin/env python3
# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""timeline_test.py PROGRAM ROOT: a timeline (observe.timeline) is JSON, tells what result.json tells, and each way of a
command passes through slices that are there."""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

HOST, FIRMWARE, CHANNELS, DIES, DECODERS = 1, 2, 3, 4, 5
JOB = "[job]\nrw={rw}\nbs={bs}\nnorandommap\niodepth=8\nnumber_ios={count}\nrwmixread=70\n"
DRIVE = ("precondition.fill=sequential", "channels.count=2", "channels.packages=2", "channels.dies_per_package=1")


def run(program: str, root: Path, folder: Path, config: str, job: str, sets: tuple[str, ...]) -> tuple[dict, str]:
    folder.mkdir()
    workload = folder / "job.fio"
    workload.write_text(job)
    words = [program, "run", root / "configs/ssds" / config, "--workload", workload, "--out", folder / "out"]
    for setting in sets:
        words += ["--set", setting]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "out/result.json").read_text()), done.stdout


def picoseconds(microseconds: Decimal) -> int:
    ps = microseconds * 1_000_000
    assert ps == int(ps), microseconds
    return int(ps)


class Trace:
    def __init__(self, path: Path) -> None:
        events = json.loads(path.read_text(), parse_float=Decimal)["traceEvents"]
        self.slices = defaultdict(list)  # by track: (from, to, name, arguments)
        self.ways = defaultdict(list)  # by id: (phase, track, time)
        self.names, self.last = {}, ""
        for event in events:
            track = (event["pid"], event["tid"] - 1)
            match event["ph"]:
                case "X":
                    begin = picoseconds(event["ts"])
                    assert event["dur"] > 0 or event["name"] == "complete", event
                    self.slices[track].append(
                        (begin, begin + picoseconds(event["dur"]), event["name"], event.get("args"))
                    )
                case "s" | "t" | "f":
                    self.ways[event["id"]].append((event["ph"], track, picoseconds(event["ts"])))
                case "M" if event["name"] == "thread_name":
                    self.names[track] = event["args"]["name"]
                case "i":
                    self.last = event["name"]

    def check(self) -> None:
        """Slices of a row do not overlap, but for stages within commands; ways go forward, through slices."""
        assert set(self.slices) <= set(self.names), set(self.slices) - set(self.names)
        for track, slices in self.slices.items():
            outer = sorted(s for s in slices if track[0] != HOST or s[3] and "stage_ps" in s[3])
            for before, after in zip(outer, outer[1:]):
                assert before[1] <= after[0], (self.names[track], before, after)
        by_track = {track: sorted(slices) for track, slices in self.slices.items()}
        for number, way in self.ways.items():
            phases = "".join(phase for phase, _, _ in way)
            assert phases == "s" + "t" * (len(way) - 2) + "f", phases
            assert [at for _, _, at in way] == sorted(at for _, _, at in way), way
            for _, track, at in way:
                assert any(begin <= at <= end for begin, end, _, _ in by_track[track]), (number, track, at, way)

    def commands(self) -> list:
        return [
            (track, s)
            for track in self.slices
            if track[0] == HOST
            for s in self.slices[track]
            if s[3] and "stage_ps" in s[3]
        ]

    def against(self, result: dict) -> int:
        """The slowest requests of result.json are commands of the timeline, with the same stages."""
        by_time = {(s[0], s[1] - s[0], s[3].get("die", -1)): (track, s) for track, s in self.commands()}
        for slow in result["slowest"]:
            track, command = by_time[slow["submitted_ps"], slow["latency_ps"], slow["die"]]
            stages = {name: time for name, time in slow["stage_ps"].items() if time}
            assert command[3]["stage_ps"] == stages, (command, stages)
            drawn = defaultdict(int)
            for begin, end, name, arguments in self.slices[track]:
                if command[0] <= begin and end <= command[1] and not (arguments and "stage_ps" in arguments):
                    drawn[name] += end - begin
            waits = ("queue_core", "queue_buffer", "queue_order", "queue_resume")
            for name, time in stages.items():
                if name not in waits:
                    assert drawn[name] == time, (name, drawn, stages)
            assert sum(drawn[n] for n in waits) == sum(stages.get(n, 0) for n in waits), (drawn, stages)
            assert sum(drawn.values()) == slow["latency_ps"]
        return len(result["slowest"])


def way_of_read(trace: Trace, channels: int) -> None:
    """A read of flash goes from its row over a core, the bus and the die that its arguments name, to the decoder."""
    rows = {track: name for track, name in trace.names.items()}
    starts = {way[0][1]: [] for way in trace.ways.values()}
    for way in trace.ways.values():
        starts[way[0][1]].append(way)
    seen = 0
    for track, (begin, end, name, arguments) in trace.commands():
        if name != "read" or "die" not in arguments or "array" not in arguments["stage_ps"]:
            continue
        way = next(w for w in starts[track] if begin <= w[0][2] <= end)
        processes = [t[0] for _, t, _ in way]
        places = [p for p in (HOST, FIRMWARE, CHANNELS, DIES, CHANNELS, DECODERS, FIRMWARE, HOST)]
        at = 0
        for process in processes:  # in this order, with others between
            at += at < len(places) and process == places[at]
        assert at == len(places), (processes, arguments)
        die = arguments["die"]
        assert (DIES, 2 * die) in [t for _, t, _ in way]
        assert (CHANNELS, die % channels) in [t for _, t, _ in way]
        assert rows[DIES, 2 * die].startswith(f"die {die}: channel {die % channels}, die {die // channels}")
        seen += 1
    assert seen > 100, seen


def main() -> int:
    program, root = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        top = Path(scratch)
        reads = JOB.format(rw="randread", bs="4k", count=300)
        quick = (*DRIVE, "cpu.model=native")
        plain, _ = run(program, root, top / "plain", "small.toml", reads, quick)
        asked = (*quick, "observe.timeline=true")
        result, _ = run(program, root, top / "reads", "small.toml", reads, asked)
        for each in (plain, result):
            del each["provenance"]
        assert plain == result, "a timeline changes a result"
        trace = Trace(top / "reads/out/timeline.json")
        trace.check()
        assert trace.against(result) == 16
        assert len(trace.commands()) >= 300 and trace.last == "end of the run", trace.last
        way_of_read(trace, channels=2)

        # Equal runs, equal bytes; beside a waveform the same.
        run(program, root, top / "again", "small.toml", reads, (*asked, "observe.waves=true"))
        one, other = ((top / name / "out/timeline.json").read_bytes() for name in ("reads", "again"))
        assert one == other

        # Reads and writes of several pages, cores of their own, GC; a retry in hardware and one in firmware.
        cases = {
            "mixed": ("small.toml", JOB.format(rw="randrw", bs="64k", count=150), (*DRIVE, "cpu.cores=3")),
            "retry": ("retry.toml", JOB.format(rw="randread", bs="4k", count=30), ()),
            "attempts": ("retry.toml", JOB.format(rw="randread", bs="4k", count=30), ("engines.retry=off",)),
        }
        for name, (config, job, sets) in cases.items():
            result, _ = run(program, root, top / name, config, job, (*sets, "observe.timeline=true"))
            trace = Trace(top / name / "out/timeline.json")
            trace.check()
            trace.against(result)
            tracks = {(process, thread % 2) for process, thread in trace.slices if process == DIES}
            assert ((DIES, 1) in tracks) == (name != "mixed"), tracks

        # A scope: one die, its bus and its decoder. A window. A limit.
        run(program, root, top / "die", "small.toml", reads, (*asked, "observe.dies=[3]"))
        trace = Trace(top / "die/out/timeline.json")
        trace.check()
        assert {t for t in trace.slices if t[0] == DIES} == {(DIES, 6)}
        assert {t for t in trace.slices if t[0] == CHANNELS} == {(CHANNELS, 1)}
        whole, printed = run(
            program, root, top / "limit", "small.toml", reads, (*asked, "observe.timeline_limit=64KiB")
        )
        assert (top / "limit/out/timeline.json").stat().st_size <= 64 * 1024
        trace = Trace(top / "limit/out/timeline.json")
        assert "observe.timeline_limit = 65536 bytes" in trace.last and trace.commands(), trace.last
        assert "timeline.json ends at" in printed, printed
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
