# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Compile the SystemRDL description and write the C header, the C++ and SystemVerilog constants and the HTML reference.

In the description, @engines@ stands for the engines behind the registers ENGINES, from the rows of their table.

usage: export.py wordline.rdl engine_rows.h OUTDIR
"""

import re
import sys
from pathlib import Path

from peakrdl_cheader.exporter import CHeaderExporter
from peakrdl_html import HTMLExporter
from systemrdl import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, RegfileNode, RegNode


def access_of(field: FieldNode) -> str:
    """What software can do with a field: a value of Access."""
    if field.get_property("onwrite") is not None:
        assert field.get_property("onwrite").name == "woclr", f"{field.get_path()}: an effect of writing without a name"
        return "kClearByOne"
    software = field.get_property("sw").name
    names = {"rw": "kReadWrite", "r": "kRead", "w": "kWrite"}
    assert software in names, f"{field.get_path()}: sw = {software}"
    return names[software]


ACCESS = """/// What a field takes and gives, for checks of it: everything that a register has beside them reads as 0.
enum class Access : std::uint8_t { kReadWrite, kRead, kWrite, kClearByOne };
struct Field {
  const char* name;
  std::uint32_t offset, stride, count;  // of the register in its block; count 1: no array
  std::uint32_t mask, reset;            // reset: in place
  Access access;
  std::uint32_t most;        // a larger value is kept as this one; 0: all are kept
  std::uint32_t zero_every;  // of an array: in every so-manieth register it stays 0; 0: in none
  bool with_bit_0;           // reads as 0 while bit 0 of its register is 0
};"""


def table(block: RegfileNode) -> list[str]:
    """The fields of a block, by address."""
    rows = []
    for reg in block.children():
        stride, count = (reg.array_stride, reg.array_dimensions[0]) if reg.is_array else (4, 1)
        for field in reg.children():
            mask = ((1 << field.width) - 1) << field.low
            reset = (field.get_property("reset") or 0) << field.low
            most = field.get_property("most", default=None) or 0
            zero_every = field.get_property("zero_every", default=None) or 0
            with_bit_0 = "true" if field.get_property("with_bit_0", default=False) else "false"
            assert zero_every == 0 or reg.is_array, f"{field.get_path()}: zero_every, and no array"
            rows.append(
                f'    {{"{reg.inst_name}.{field.inst_name}", 0x{reg.raw_address_offset:x}, {stride}, {count}, 0x{mask:x}, '
                f"0x{reset:x}, Access::{access_of(field)}, {most}, {zero_every}, {with_bit_0}}},"
            )
    return [f"inline constexpr std::array<Field, {len(rows)}> kFields{{{{", *rows, "}};"]


def constants(top: AddrmapNode) -> str:
    """C++ constants: address of every register (arrays: first element and stride), mask and shift of every field."""
    lines = [
        "// Generated from wordline.rdl. Do not edit.",
        "#pragma once",
        "#include <array>",
        "#include <cstdint>",
        "namespace wordline::registers {",
        ACCESS,
    ]
    for block in top.children(unroll=False):
        lines.append(f"namespace {block.inst_name.lower()} {{")
        base = block.raw_address_offset
        lines.append(f"inline constexpr std::uint32_t kBase = 0x{base:x};")
        stride, count = (block.array_stride, block.array_dimensions[0]) if block.is_array else (block.size, 1)
        lines.append(f"inline constexpr std::uint32_t kStride = 0x{stride:x};")
        lines.append(f"inline constexpr std::uint32_t kCount = {count};")
        for reg in block.children():
            assert isinstance(reg, RegNode)
            name = reg.inst_name.lower()
            lines.append(f"inline constexpr std::uint32_t {name} = 0x{reg.raw_address_offset:x};")
            if reg.is_array:
                lines.append(f"inline constexpr std::uint32_t {name}_stride = 0x{reg.array_stride:x};")
                lines.append(f"inline constexpr std::uint32_t {name}_count = {reg.array_dimensions[0]};")
            for field in reg.children():
                assert isinstance(field, FieldNode)
                full = f"{name}_{field.inst_name.lower()}"
                mask = ((1 << field.width) - 1) << field.low
                lines.append(f"inline constexpr std::uint32_t {full}_mask = 0x{mask:x};")
                lines.append(f"inline constexpr std::uint32_t {full}_shift = {field.low};")
                lines.append(f"inline constexpr std::uint32_t {full}_reset = 0x{field.get_property('reset') or 0:x};")
        lines += table(block)
        lines.append("}")
    lines.append("}")
    return "\n".join(lines) + "\n"


def package(block: RegfileNode) -> str:
    """SystemVerilog package of one block: word index and reset value of every register, bounds of every field."""
    block_name = block.inst_name.lower()
    lines = [
        "// Generated from wordline.rdl. Do not edit.",
        f"package {block_name}_registers_pkg;",
    ]
    for reg in block.children():
        assert isinstance(reg, RegNode)
        name = reg.inst_name.upper()
        reset = 0
        for field in reg.children():
            assert isinstance(field, FieldNode)
            reset |= (field.get_property("reset") or 0) << field.low
        # Of arrays, the first element.
        lines.append(f"  localparam logic [9:0] {name} = 10'h{reg.raw_address_offset // 4:x};")
        lines.append(f"  localparam logic [31:0] {name}_RESET = 32'h{reset:x};")
        if reg.is_array:
            assert reg.array_stride == 4
            lines.append(f"  localparam logic [9:0] {name}_COUNT = 10'd{reg.array_dimensions[0]};")
        for field in reg.children():
            full = f"{name}_{field.inst_name.upper()}"
            lines.append(f"  localparam int unsigned {full}_LSB = {field.low};")
            lines.append(f"  localparam int unsigned {full}_MSB = {field.high};")
    lines.append("endpackage")
    return "\n".join(lines) + "\n"


def engines(rows: str) -> str:
    """Bit and name of every engine behind ENGINES, by bit: "0 L2P lookup, 1 write buffer, ..."."""
    row = r'^WL_ENGINE_ROW\(\w+, \w+, (\d+), "\w+", "([^"]+)", Home::(\w+),'
    found = re.findall(row, rows, re.MULTILINE)
    assert len(found) == len(
        re.findall(r"^WL_ENGINE_ROW\(", rows, re.MULTILINE)
    ), "a row does not begin as the others do"
    return ", ".join(
        f"{bit} {what}" for bit, what, home in sorted(found, key=lambda f: int(f[0])) if home == "kEngineBlock"
    )


def main() -> None:
    source, rows, out = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    description = Path(source).read_text()
    assert "@engines@" in description
    completed = out / Path(source).name
    completed.write_text(description.replace("@engines@", engines(Path(rows).read_text())))
    compiler = RDLCompiler()
    compiler.compile_file(str(completed))
    root = compiler.elaborate()
    CHeaderExporter().export(root, str(out / "wordline_regs.h"))
    (out / "wordline_regs.hpp").write_text(constants(root.top))
    (out / "ecc_registers_pkg.sv").write_text(package(root.top.get_child_by_name("ECC")))
    HTMLExporter().export(root, str(out / "html"), title="Wordline registers")


main()
