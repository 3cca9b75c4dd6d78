# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""my_parse from Python (cocotb 1.9, Verilator) with the submission queue entries of a drive, its namespaces as
they were then: what it says of each has to be what the model has said. Memory answers at times.

usage: python3 cocotb_bench.py RECORDING
"""

import random

import cocotb
from recorded_bench import Block, read_recording, run

SETTINGS = ("max_blocks", "lpage_shift", "cmb", "cmb_first", "cmb_pages")
FIELDS = ("op", "way", "fua", "first", "blocks", "lpn", "lpages", "ranges")  # beside status and pages


def check(block, line):
    assert block.get("answer_tag_o") == line["tag"], "answer_tag_o"
    said = {"status": block.get("answer_status_o")}
    if line["status"] == 0:  # the rest says something only then
        said.update({name: block.get(f"answer_{name}_o") for name in FIELDS})
        # Any number above two is a list of PRPs.
        said["pages"] = 0 if block.get("answer_sgl_o") else min(block.get("answer_pages_o"), 3)
    for name, value in said.items():
        assert value == line[name], f"answer_{name}_o is {value:x}h, expected {line[name]:x}h"


async def parse(block, line):
    """One entry, from its offer to its answer: how many clocks."""
    answers = []
    begin = block.clocks
    block.set(namespace_table_i=0, **{name + "_i": line[name] for name in SETTINGS})
    entry = sum(dword << 32 * place for place, dword in enumerate(line["entry"]))
    block.set(entry_valid_i=1, entry_tag_i=line["tag"], entry_i=entry)
    while True:
        ready, answer_ready = random.random() < 0.75, random.random() < 0.75
        answer = bool(answers) and random.random() < 0.75
        block.set(mem_ready_i=ready, answer_ready_i=answer_ready)
        block.set(mem_answer_i=answer, mem_rdata_i=answers.pop(0) if answer else 0)
        await block.settle()
        if ready and block.get("mem_valid_o"):
            address = block.get("mem_address_o")
            assert address % 8 == 0 and address // 8 < len(line["table"]), f"a read at {address:x}h"
            answers.append(line["table"][address // 8])
        accepted = block.get("entry_ready_o")
        ended = answer_ready and block.get("answer_valid_o")
        if ended:
            check(block, line)
        await block.edge()
        if accepted:
            block.set(entry_valid_i=0)
        if ended:
            return block.clocks - begin
        assert block.clocks - begin < 200_000, "no answer"


@cocotb.test()
async def recorded_entries_are_parsed(dut):
    random.seed(1)
    inputs = ("entry_valid_i", "mem_ready_i", "mem_answer_i", "mem_error_i", "mem_rdata_i", "answer_ready_i")
    block = Block(dut, **{name: 0 for name in inputs})
    await block.reset()
    clocks = 0
    lines = read_recording("engine_parse")
    for number, line in enumerate(lines):
        try:
            clocks += await parse(block, line)
        except AssertionError as error:
            raise AssertionError(f"entry {number + 1}, clock {block.clocks}: {error}") from error
    dut._log.info("%d entries in %d clocks", len(lines), clocks)
    assert lines


if __name__ == "__main__":
    raise SystemExit(run("my_parse", ["lint.vlt", "nvme_pkg.sv", "parse.sv", "my_parse.sv"]))
