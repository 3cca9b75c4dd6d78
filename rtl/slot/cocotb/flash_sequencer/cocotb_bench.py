# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""my_sequencer from Python (cocotb 1.9, Verilator) with the segments of a drive's channel: the cycles at its pins, what
a die latches, and what comes out of the block have to be those of the drive. R/B_n is high, and the die answers with
the times of the registers; whether the waits are long enough is for the drive to check.

usage: python3 cocotb_bench.py RECORDING
"""

import cocotb
from recorded_bench import Block, read_recording, run

COMMAND, DATA_IN, DATA_OUT, STATUS, SET_FEATURES, GET_FEATURES, FEATURE_OUT, RESET = range(8)
READ_PREAMBLE, READ_LATENCY, WARM_UP = 14, 15, 17  # registers


class Die:
    """What the pins say, and what the die drives."""

    def __init__(self, line):
        self.sdr = bool(line["registers"][0] & 1)
        self.latency = 0 if self.sdr else line["registers"][READ_LATENCY]
        page = line["kind"] in (DATA_IN, DATA_OUT)
        self.warm_up = line["registers"][WARM_UP] if page and not self.sdr else 0
        self.repeat = 1 if page or self.sdr else 2  # status and parameters: on both edges of DQS
        self.data = bytes.fromhex(line["data"])
        self.cycles, self.latched = [], []
        self.asked = 0
        self.strobes = {}  # bytes by the clock in which they are driven
        self.preamble = not self.sdr and line["registers"][READ_PREAMBLE] != 0
        self.dqs = int(self.preamble)
        self.before = (1, 1, 0)

    def drive(self, block):
        byte = self.strobes.pop(block.clocks, None)
        if byte is None:
            return
        if not self.sdr:
            self.dqs ^= 1
        block.set(dq_i=byte, dqs_i=self.dqs)

    def look(self, block):
        """After a clock."""
        if block.get("ce_no") == 0xFF:
            self.before = (1, 1, 0)
            return
        we, re, dqs = (block.get(name) for name in ("we_no", "re_no", "dqs_o"))
        we_before, re_before, dqs_before = self.before
        self.before = (we, re, dqs)
        cle, ale, dq = block.get("cle_o"), block.get("ale_o"), block.get("dq_o")
        if we and not we_before:
            if cle or ale:
                self.cycles.append((0x100 if cle else 0x200) | dq)
            else:
                self.latched.append(dq)
        if block.get("dqs_oe_o") and dqs != dqs_before:
            self.latched.append(dq)
        if re == re_before or (self.sdr and re):
            return
        if self.preamble:  # the die drives DQS low from now on
            self.preamble = False
            self.dqs = 0
            block.set(dqs_i=0)
            return
        index = (self.asked - self.warm_up) // self.repeat
        self.asked += 1
        self.strobes[block.clocks + self.latency] = self.data[index] if 0 <= index < len(self.data) else 0


async def write(block, address, word):
    block.set(psel_i=1, pwrite_i=1, pstrb_i=15, paddr_i=address, pwdata_i=word)
    await block.settle()
    await block.edge()
    block.set(penable_i=1)
    while True:
        await block.settle()
        ready, error = block.get("pready_o"), block.get("pslverr_o")
        await block.edge()
        if ready:
            break
    block.set(psel_i=0, penable_i=0, pwrite_i=0)
    assert not error, f"pslverr_o with register {address:02x}h"


async def carry(block, line):
    """From the offer to done."""
    die = Die(line)
    names = ("kind", "chip", "die", "opcode", "confirm", "addresses", "address", "bytes")
    parameters = int.from_bytes(bytes.fromhex(line["parameters"]), "little")
    block.set(segment_parameters_i=parameters, **{f"segment_{name}_i": line[name] for name in names})
    sends = line["kind"] == DATA_IN
    block.set(segment_valid_i=1, s_axis_tvalid_i=sends, dqs_i=die.dqs)
    sent, out, begin = 0, [], block.clocks
    while True:
        block.set(s_axis_tdata_i=die.data[sent] if sends and sent < len(die.data) else 0)
        die.drive(block)
        await block.settle()
        taken = block.get("segment_valid_i") and block.get("segment_ready_o")
        moved = block.get("s_axis_tvalid_i") and block.get("s_axis_tready_o")
        await block.edge()
        if taken:
            block.set(segment_valid_i=0)
        if moved:
            sent += 1
            block.set(s_axis_tvalid_i=sent < len(die.data))
        await block.settle()
        die.look(block)
        if block.get("m_axis_tvalid_o"):
            out.append(block.get("m_axis_tdata_o"))
            last = len(out) == line["bytes"]
            assert block.get("m_axis_tlast_o") == last, f"m_axis_tlast_o with byte {len(out)} of {line['bytes']}"
        if block.get("done_o"):
            break
        assert block.clocks - begin < 2_000_000, "done_o does not come"
    check(block, line, die, out)


def check(block, line, die, out):
    kind = line["kind"]
    shown = [f"{cycle:03x}h" for cycle in die.cycles]
    assert die.cycles == line["cycles"], f"cycles {shown}, expected {[f'{cycle:03x}h' for cycle in line['cycles']]}"
    assert not block.get("done_short_o"), "done_short_o"
    if kind == DATA_IN:
        latched = bytes(die.latched[die.warm_up : die.warm_up + line["bytes"]])
        assert latched == die.data, f"the die has latched other bytes: {place(latched, die.data)}"
    if kind == SET_FEATURES:
        parameters = bytes(die.latched[:: die.repeat])
        assert parameters.hex() == line["parameters"], f"parameters {parameters.hex()}, expected {line['parameters']}"
    if kind == DATA_OUT:
        assert bytes(out) == die.data, f"other bytes have come out: {place(bytes(out), die.data)}"
    if kind in (STATUS, FEATURE_OUT):
        count = 1 if kind == STATUS else 4
        result = block.get("done_data_o").to_bytes(4, "little")[:count]
        assert result == die.data[:count], f"done_data_o has {result.hex()}, expected {die.data[:count].hex()}"


def place(got, right):
    """The first difference."""
    first = next((i for i, (a, b) in enumerate(zip(got, right)) if a != b), min(len(got), len(right)))
    return f"byte {first} of {len(right)} ({len(got)} came)"


@cocotb.test()
async def recorded_segments_are_carried(dut):
    inputs = ("psel_i", "penable_i", "pwrite_i", "pstrb_i", "paddr_i", "pwdata_i", "segment_valid_i", "segment_kind_i",
              "segment_chip_i", "segment_die_i", "segment_opcode_i", "segment_confirm_i", "segment_addresses_i",
              "segment_address_i", "segment_bytes_i", "segment_parameters_i", "s_axis_tvalid_i", "s_axis_tdata_i",
              "dq_i", "dqs_i")  # fmt: skip
    block = Block(dut, **{name: 0 for name in inputs}, rb_ni=0xFF)
    await block.reset()
    await block.reset()
    kinds = [0] * 8
    written = None
    lines = read_recording("flash_sequencer")
    for number, line in enumerate(lines):
        if line["registers"] != written:
            written = line["registers"]
            for index, word in enumerate(written):
                await write(block, 4 * index, word)
        try:
            await carry(block, line)
        except AssertionError as error:
            raise AssertionError(f"segment {number + 1}, clock {block.clocks}: {error}") from error
        kinds[line["kind"]] += 1
    names = ("commands", "data in", "data out", "status", "SET FEATURES", "GET FEATURES", "answers of it", "RESET")
    dut._log.info("%d segments: %s", len(lines), ", ".join(f"{n} {name}" for n, name in zip(kinds, names) if n))
    assert lines


if __name__ == "__main__":
    raise SystemExit(run("my_sequencer", ["lint.vlt", "my_sequencer.sv"]))
