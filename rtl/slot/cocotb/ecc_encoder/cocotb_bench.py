# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""my_encoder from Python (cocotb 1.9, Verilator) with information as a drive has encoded it: the codeword has to be the
model's.

usage: python3 cocotb_bench.py RECORDING
"""

import random

import cocotb
from recorded_bench import Block, beats_of, read_recording, run

BEATS = 292


@cocotb.test()
async def recorded_information_is_encoded(dut):
    random.seed(1)
    block = Block(dut, s_axis_tvalid_i=0, s_axis_tlast_i=0, s_axis_tdata_i=0, m_axis_tready_i=0)
    await block.reset()
    lines = read_recording("ecc_encoder")
    for number, line in enumerate(lines):
        out, _ = await block.through(beats_of(line["in"]), BEATS)
        for beat, (got, expected) in enumerate(zip(out, beats_of(line["right"]))):
            assert got == expected, (
                f"codeword {number} (logical page {line['page']}), clock {block.clocks}, beat {beat}: "
                f"m_axis_tdata_o is {got:016x}, expected {expected:016x}"
            )
    dut._log.info("%d codewords", len(lines))
    assert lines


if __name__ == "__main__":
    raise SystemExit(run("my_encoder", ["lint.vlt", "ldpc_base_pkg.sv", "my_encoder.sv"]))
