# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints the reference of all registers as Markdown.

usage: registers.py build/release/generated/registers/wordline.rdl
"""

from __future__ import annotations

import sys

from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegfileNode, RegNode

HEAD = """# Registers

Every register that firmware sees, from `models/registers/wordline.rdl` (SystemRDL). The same description makes the C header of the
firmware, the constants of the models and the SystemVerilog package, so these cannot differ.
"""


def cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|").replace("<", "&lt;")


def access(field: FieldNode) -> str:
    written = field.get_property("onwrite")
    software = field.get_property("sw").name
    return f"{software}, 1 clears" if written is not None and written.name == "woclr" else str(software)


def bits(field: FieldNode) -> str:
    return str(field.low) if field.low == field.high else f"{field.high}:{field.low}"


def register(reg: RegNode) -> list[str]:
    count = f"[{reg.array_dimensions[0]}]" if reg.is_array else ""
    place = f"`0x{reg.raw_address_offset:x}`" + (f", every `0x{reg.array_stride:x}`" if reg.is_array else "")
    rows = [f"### {reg.inst_name}{count}", "", f"Offset {place}. {cell(reg.get_property('desc'))}", ""]
    rows += ["| bits | field | access | reset | what it is |", "|---|---|---|---|---|"]
    for field in reg.children():
        rows.append(
            f"| {bits(field)} | `{field.inst_name}` | {access(field)} | {field.get_property('reset') or 0:#x} "
            f"| {cell(field.get_property('desc'))} |"
        )
    return [*rows, ""]


def main() -> None:
    compiler = RDLCompiler()
    compiler.compile_file(sys.argv[1])
    blocks = list(compiler.elaborate().top.children(unroll=False))
    print(HEAD)
    print("| block | address | blocks | what it is |\n|---|---|---|---|")
    for block in blocks:
        assert isinstance(block, RegfileNode)
        count = f"{block.array_dimensions[0]}, every `0x{block.array_stride:x}`" if block.is_array else "1"
        what = block.get_property("desc") or f"{len(list(block.children(unroll=False)))} registers"
        name = f"[{block.inst_name}](#{block.inst_name.lower()})"
        print(f"| {name} | `0x{block.raw_address_offset:x}` | {count} | {cell(what)} |")
    for block in blocks:
        print(f"\n## {block.inst_name}\n")
        for reg in block.children(unroll=False):
            print("\n".join(register(reg)))


main()
