# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""my_tap from Python, with cocotb 1.8 and Verilator, beside bench.cpp: data to the flash and back, with waits.

usage: python3 -m pip install cocotb==1.8.1; python3 cocotb_bench.py
"""

import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

BEATS = 256
HERE = Path(__file__).resolve().parent


async def source(dut, beats, user):
    """Offers each beat until it is taken, and waits at times."""
    dut.s_axis_tuser_i.value = user
    for i, beat in enumerate(beats):
        while random.random() < 0.1:
            await FallingEdge(dut.clk_i)
        dut.s_axis_tvalid_i.value = 1
        dut.s_axis_tdata_i.value = beat
        dut.s_axis_tlast_i.value = int(i + 1 == BEATS)
        taken = False
        while not taken:
            await RisingEdge(dut.clk_i)
            taken = bool(dut.s_axis_tready_o.value)
            await FallingEdge(dut.clk_i)
        dut.s_axis_tvalid_i.value = 0


async def sink(dut):
    beats = []
    while len(beats) < BEATS:
        dut.m_axis_tready_i.value = int(random.random() < 0.9)
        await RisingEdge(dut.clk_i)
        if dut.m_axis_tvalid_o.value and dut.m_axis_tready_i.value:
            beats.append(int(dut.m_axis_tdata_o.value))
            assert bool(dut.m_axis_tlast_o.value) == (len(beats) == BEATS)
        await FallingEdge(dut.clk_i)
    dut.m_axis_tready_i.value = 0
    return beats


async def through(dut, beats, user):
    offering = cocotb.start_soon(source(dut, beats, user))
    got = await sink(dut)
    await offering
    return got


@cocotb.test()
async def data_come_back(dut):
    random.seed(1)
    for pin in ("s_axis_tvalid_i", "s_axis_tlast_i", "s_axis_tdata_i", "s_axis_tuser_i", "m_axis_tready_i", "rst_ni"):
        getattr(dut, pin).value = 0
    cocotb.start_soon(Clock(dut.clk_i, 2, units="ns").start())
    for _ in range(2):
        await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    for page in range(4):
        data = [random.getrandbits(64) for _ in range(BEATS)]
        stored = await through(dut, data, 1 << 33 | page)
        assert stored != data
        assert await through(dut, stored, page) == data, f"page {page}"
    assert int(dut.count_written_o.value) == 4 * BEATS
    assert int(dut.count_read_o.value) == 4 * BEATS


if __name__ == "__main__":
    from cocotb.runner import get_results, get_runner

    runner = get_runner("verilator")
    runner.build(
        verilog_sources=[HERE / "lint.vlt", HERE / "my_tap.sv"],
        hdl_toplevel="my_tap",
        build_dir=HERE / "build/cocotb",
        always=True,
    )
    tests, failed = get_results(runner.test(test_module="cocotb_bench", hdl_toplevel="my_tap", test_dir=HERE))
    print(f"{tests - failed} of {tests} passed")
    raise SystemExit(failed != 0 or tests == 0)
