# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the benches in cocotb_bench.py share: a recording of the drive, clock, streams, Verilator with an FST."""

import argparse
import json
import os
import random
from pathlib import Path

from cocotb.triggers import Timer

HERE = Path(__file__).resolve().parent


def read_recording(slot):
    """The lines of the file of `wordline run --record-block SLOT=FILE` that run() was given."""
    path = os.environ["WORDLINE_RECORDING"]
    with open(path, encoding="utf-8") as file:
        head = json.loads(file.readline())
        if head != {"slot": slot, "version": 1}:
            raise SystemExit(f"{path}: says {head}, expected a recording of {slot}, version 1")
        lines = [json.loads(line) for line in file]
    most = int(os.environ["WORDLINE_MOST"])
    return lines[:most] if most else lines


def beats_of(text):
    return [int(beat, 16) for beat in text.split()]


class Block:
    """A block and its clock: set inputs, settle(), look at outputs, edge()."""

    def __init__(self, dut, **inputs):
        self.dut = dut
        self.clocks = 0
        dut.clk_i.value = 0
        dut.rst_ni.value = 0
        self.set(**inputs)

    def set(self, **inputs):
        for name, value in inputs.items():
            getattr(self.dut, name).value = int(value)

    def get(self, name):
        return int(getattr(self.dut, name).value)

    async def settle(self):
        await Timer(1, "ns")

    async def edge(self):
        self.dut.clk_i.value = 1
        await Timer(1, "ns")
        self.dut.clk_i.value = 0
        self.clocks += 1

    async def reset(self):
        for _ in range(2):
            await self.settle()
            await self.edge()
        self.dut.rst_ni.value = 1

    async def through(self, beats, count):
        """A packet in, `count` beats out, both at once; both ends wait at times. The beats, and tuser's values."""
        sent, out, users = 0, [], []
        offered = False  # a beat that is offered stays
        has_user = hasattr(self.dut, "m_axis_tuser_o")
        begin = self.clocks
        while len(out) < count:
            offered = sent < len(beats) and (offered or random.random() < 0.9)
            ready = random.random() < 0.9
            self.set(
                s_axis_tvalid_i=offered,
                s_axis_tdata_i=beats[sent] if offered else 0,
                s_axis_tlast_i=offered and sent + 1 == len(beats),
                m_axis_tready_i=ready,
            )
            await self.settle()
            taken = offered and self.get("s_axis_tready_o")
            if ready and self.get("m_axis_tvalid_o"):
                out.append(self.get("m_axis_tdata_o"))
                users.append(self.get("m_axis_tuser_o") if has_user else 0)
                assert self.get("m_axis_tlast_o") == (len(out) == count), f"clock {self.clocks}: m_axis_tlast_o"
            await self.edge()
            if taken:
                sent += 1
                offered = False
            assert self.clocks - begin < 200_000, f"clock {self.clocks}: beat {len(out)} does not come"
        self.set(s_axis_tvalid_i=0, m_axis_tready_i=0)
        return out, users


def run(top, sources):
    """Builds the block with Verilator and runs the tests of cocotb_bench.py on it; the exit code."""
    from cocotb.runner import get_results, get_runner

    parser = argparse.ArgumentParser(description=f"{top} with what a drive gave to the block of its slot")
    parser.add_argument("recording", help="file of wordline run --record-block SLOT=FILE")
    parser.add_argument("--most", type=int, default=0, help="so many lines of it; 0: all")
    options = parser.parse_args()
    recording = Path(options.recording).resolve()
    if not recording.is_file():
        raise SystemExit(f"{recording}: no such file; wordline run --record-block SLOT=FILE writes it")
    # The FST: Verilator writes it when it was built for one, and only if the test asks for waves, too.
    runner = get_runner("verilator")
    runner.build(
        verilog_sources=[HERE / source for source in sources],
        hdl_toplevel=top,
        build_args=["--trace-fst"],
        build_dir=HERE / "build/cocotb",
        waves=True,
        always=True,
    )
    fst = HERE / f"{top}.fst"
    results = runner.test(
        test_module="cocotb_bench",
        hdl_toplevel=top,
        test_dir=HERE,
        waves=True,
        test_args=["--trace-file", str(fst)],
        results_xml=str(HERE / "build/cocotb/results.xml"),
        extra_env={"WORDLINE_RECORDING": str(recording), "WORDLINE_MOST": str(options.most)},
    )
    tests, failed = get_results(results)
    print(f"{tests - failed} of {tests} passed; the waveform is {fst}")
    return 1 if failed or not tests else 0
