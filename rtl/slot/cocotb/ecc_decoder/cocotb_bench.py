# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""my_decoder from Python (cocotb 1.9, Verilator) with codewords as a drive has read them: what it calls a success
has to be the codeword that was written.

usage: python3 cocotb_bench.py RECORDING
"""

import random

import cocotb
from recorded_bench import Block, beats_of, read_recording, run

BEATS = 292


@cocotb.test()
async def recorded_codewords_are_decoded(dut):
    random.seed(1)
    block = Block(
        dut,
        max_iterations_i=0,
        s_axis_tvalid_i=0,
        s_axis_tlast_i=0,
        s_axis_tdata_i=0,
        m_axis_tready_i=0,
    )
    await block.reset()
    decoded = given_up = errors = 0
    lines = read_recording("ecc_decoder")
    for number, line in enumerate(lines):
        dut.max_iterations_i.value = line["iterations"]
        right = beats_of(line["right"])
        out, users = await block.through(beats_of(line["in"]), BEATS)
        where = f"codeword {number} (logical page {line['page']}, {line['errors']} errors), clock {block.clocks}"
        assert len(set(users)) == 1, f"{where}: m_axis_tuser_o is not the same on all beats"
        if not users[0] >> 8 & 1:
            given_up += 1
            assert line["errors"], f"{where}: a codeword without errors was given up"
            continue
        decoded += 1
        errors += line["errors"]
        for beat, (got, expected) in enumerate(zip(out, right)):
            assert got == expected, f"{where}, beat {beat}: m_axis_tdata_o is {got:016x}, expected {expected:016x}"
    dut._log.info("%d decoded, %d wrong bits in these; %d given up", decoded, errors, given_up)
    assert lines


if __name__ == "__main__":
    raise SystemExit(run("my_decoder", ["lint.vlt", "ldpc_base_pkg.sv", "my_decoder.sv"]))
