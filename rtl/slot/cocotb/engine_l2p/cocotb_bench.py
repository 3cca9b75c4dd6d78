# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""my_l2p from Python (cocotb 1.9, Verilator) with the lookups of a drive, map and states as they were then: each answer
has to be the one that the model gave. Memories answer at times.

usage: python3 cocotb_bench.py RECORDING
"""

import random

import cocotb
from recorded_bench import Block, read_recording, run

STATES, STATE_BYTES, LOOKUP_BYTES, LOOKUP_PAGES = 1024, 16, 256, 32


def words(values):
    """A wide port, the lowest word first."""
    return sum(value << 32 * place for place, value in enumerate(values))


class Memories:
    """What the block finds during one request, and what it writes."""

    def __init__(self, line):
        self.line = line
        flat = line["states"]  # opened, closed, changes of each page
        self.states = {(line["lpn"] + i) % STATES: flat[3 * i : 3 * i + 3] for i in range(len(flat) // 3)}
        self.first = line["lpn"] & ~15  # the first map entry of the first burst
        self.written = {}  # words of the answer, by offset
        self.answers, self.beats = [], []

    def access(self, write, address, word):
        offset = address - self.line["lpage_states"]
        if 0 <= offset < STATES * STATE_BYTES:
            state = self.states[offset // STATE_BYTES]
            if write:
                state[0] = word
            self.answers.append(state[:3] + [0])
            return
        assert write, f"a read at {address:x}h"
        self.put(address, word)
        self.answers.append([0] * 4)

    def put(self, address, word):
        offset = address - self.line["lookups"] - self.line["tag"] * LOOKUP_BYTES
        assert 0 <= offset < LOOKUP_BYTES, f"a write at {address:x}h"
        self.written[offset // 4] = word

    def burst(self, address):
        first = (address - self.line["map_base"]) // 4 - self.first
        entries = self.line["map"][first : first + 16]
        assert len(entries) == 16, f"a burst at {address:x}h"
        self.beats += [entries[i : i + 4] for i in range(0, 16, 4)]

    def check(self, flags):
        line = self.line
        if line["write"]:
            got = [self.states[(line["lpn"] + i) % STATES][0] for i in range(len(line["opened"]))]
            assert got == line["opened"], f"the counts are {got}, expected {line['opened']}"
            assert flags["refused"] == flags["failed"] == 0, flags
            return
        for i, (value, changes) in enumerate(zip(line["values"], line["changes"])):
            got = self.written.get(i), self.written.get(LOOKUP_PAGES + i)
            assert got == (value, changes), f"logical page {line['lpn'] + i}: {got}, expected {(value, changes)}"
        assert flags == {"refused": 0, "failed": 0, "written": line["written"]}, flags


async def serve(block, line):
    """One request, from its offer to its answer: how many clocks."""
    memories = Memories(line)
    begin = block.clocks
    settings = ("map_base", "map_lpages", "map_initial", "lookups", "lpage_states")
    block.set(**{name + "_i": line[name] for name in settings})
    block.set(**{"request_" + name + "_i": line[name] for name in ("write", "tag", "lpn", "lpages")})
    block.set(request_valid_i=1)
    beat = False  # one is offered, and stays
    while True:
        ready = {name: random.random() < 0.75 for name in ("mem", "dram", "value", "answer")}
        block.set(**{name + "_ready_i": on for name, on in ready.items()})
        answer = bool(memories.answers) and random.random() < 0.75
        block.set(mem_answer_i=answer, mem_rdata_i=words(memories.answers.pop(0)) if answer else 0)
        beat = bool(memories.beats) and (beat or random.random() < 0.75)
        block.set(beat_valid_i=beat, beat_i=words(memories.beats[0]) if beat else 0)
        await block.settle()
        taken = {name: on and block.get(name + "_valid_o") for name, on in ready.items()}
        if taken["mem"]:
            memories.access(block.get("mem_write_o"), block.get("mem_address_o"), block.get("mem_wdata_o"))
        if taken["dram"]:
            memories.burst(block.get("dram_address_o"))
        if taken["value"]:
            memories.put(block.get("value_address_o"), block.get("value_o"))
        if beat and block.get("beat_ready_o"):
            memories.beats.pop(0)
            beat = False
        accepted = block.get("request_ready_o")
        if taken["answer"]:
            assert block.get("answer_tag_o") == line["tag"], "answer_tag_o"
            memories.check({name: block.get(f"answer_{name}_o") for name in ("refused", "failed", "written")})
        await block.edge()
        if accepted:
            block.set(request_valid_i=0)
        if taken["answer"]:
            return block.clocks - begin
        assert block.clocks - begin < 200_000, "no answer"


@cocotb.test()
async def recorded_lookups_are_answered(dut):
    random.seed(1)
    inputs = ("mem_ready_i", "mem_answer_i", "mem_error_i", "dram_ready_i", "beat_valid_i", "beat_error_i")
    inputs += ("value_ready_i", "answer_ready_i", "request_valid_i")
    block = Block(dut, **{name: 0 for name in inputs})
    await block.reset()
    clocks = 0
    lines = read_recording("engine_l2p")
    for number, line in enumerate(lines):
        try:
            clocks += await serve(block, line)
        except AssertionError as error:
            raise AssertionError(f"request {number + 1}, clock {block.clocks}: {error}") from error
    dut._log.info("%d requests in %d clocks", len(lines), clocks)
    assert lines


if __name__ == "__main__":
    raise SystemExit(run("my_l2p", ["lint.vlt", "my_l2p.sv"]))
