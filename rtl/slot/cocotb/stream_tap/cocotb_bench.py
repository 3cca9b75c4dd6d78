# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""my_tap from Python (cocotb 1.9, Verilator) with user data as they went over a drive's channel: to the flash and back,
with waits.

usage: python3 cocotb_bench.py RECORDING
"""

import random

import cocotb
from recorded_bench import Block, beats_of, read_recording, run

BEATS = 256


@cocotb.test()
async def recorded_data_come_back(dut):
    random.seed(1)
    block = Block(
        dut,
        s_axis_tvalid_i=0,
        s_axis_tlast_i=0,
        s_axis_tdata_i=0,
        s_axis_tuser_i=0,
        m_axis_tready_i=0,
    )
    await block.reset()
    lines = read_recording("stream_tap")
    for number, line in enumerate(lines):
        data = beats_of(line["data"])
        user = line["half"] << 32 | line["page"]
        dut.s_axis_tuser_i.value = 1 << 33 | user
        stored, _ = await block.through(data, BEATS)
        dut.s_axis_tuser_i.value = user
        back, _ = await block.through(stored, BEATS)
        for beat, (got, expected) in enumerate(zip(back, data)):
            assert got == expected, (
                f"codeword {number} (logical page {line['page']}), clock {block.clocks}, beat {beat}: "
                f"m_axis_tdata_o is {got:016x}, expected {expected:016x}"
            )
    dut._log.info("%d codewords came back", len(lines))
    assert lines


if __name__ == "__main__":
    raise SystemExit(run("my_tap", ["lint.vlt", "my_tap.sv"]))
