# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""my_victim from Python (cocotb 1.9, Verilator) with the searches of a drive, the table of superblocks as it was then:
each has to find what the model has found. Memory answers at times.

usage: python3 cocotb_bench.py RECORDING
"""

import random

import cocotb
from recorded_bench import Block, read_recording, run

SETTINGS = ("superblock_table", "superblock_stride", "superblocks", "victim")


class Memory:
    """The table, and the answer: done, superblock."""

    def __init__(self, line):
        self.line = line
        self.victim = [line["done"], 0]
        self.answers = []

    def access(self, write, address, word):
        line = self.line
        place = (address - line["victim"]) // 4
        if place in (0, 1):
            if write:
                self.victim[place] = word
            self.answers.append(self.victim[place])
            return
        superblock, offset = divmod(address - line["superblock_table"], line["superblock_stride"])
        known = 0 <= superblock < line["superblocks"] and not write
        assert known, f"a {'write' if write else 'read'} at {address:x}h"
        self.answers.append(line["heads"][2 * superblock + offset // 4] if offset < 8 else 0)


async def search(block, line):
    """From the command to the interrupt: how many clocks."""
    memory = Memory(line)
    begin = block.clocks
    block.set(enable_i=1, search_i=1, search_from_i=line["from"], **{name + "_i": line[name] for name in SETTINGS})
    while True:
        ready = random.random() < 0.75
        answer = bool(memory.answers) and random.random() < 0.75
        block.set(mem_ready_i=ready, mem_answer_i=answer, mem_rdata_i=memory.answers.pop(0) if answer else 0)
        await block.settle()
        if ready and block.get("mem_valid_o"):
            memory.access(block.get("mem_write_o"), block.get("mem_address_o"), block.get("mem_wdata_o"))
        ended = block.get("irq_o")
        assert not block.get("refused_o") and not block.get("failed_o"), "refused_o or failed_o"
        if ended:
            right = [line["done"] + 1, line["superblock"]]
            assert memory.victim == right, f"done and superblock are {memory.victim}, expected {right}"
        await block.edge()
        block.set(search_i=0)
        if ended:
            return block.clocks - begin
        assert block.clocks - begin < 5_000_000, "no interrupt"


@cocotb.test()
async def recorded_searches_find_the_same(dut):
    random.seed(1)
    inputs = ("enable_i", "search_i", "search_from_i", "mem_ready_i", "mem_answer_i", "mem_error_i", "mem_rdata_i")
    block = Block(dut, **{name: 0 for name in inputs})
    await block.reset()
    clocks = 0
    lines = read_recording("engine_victim")
    for number, line in enumerate(lines):
        try:
            clocks += await search(block, line)
        except AssertionError as error:
            raise AssertionError(f"search {number + 1}, clock {block.clocks}: {error}") from error
    dut._log.info("%d searches in %d clocks", len(lines), clocks)
    assert lines


if __name__ == "__main__":
    raise SystemExit(run("my_victim", ["lint.vlt", "my_victim.sv"]))
