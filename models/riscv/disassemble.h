// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace wordline::riscv {

/// "sw a0, 16(zero)": what the hart makes of the word at `pc`; compressed instructions (the low half counts then) as
/// what they expand to. Targets of jumps and branches as addresses. "illegal" for what the hart does not have.
[[nodiscard]] std::string disassemble(std::uint32_t raw, std::uint32_t pc);

/// Name of an integer register in the calling convention: "zero", "ra", ... "t6".
[[nodiscard]] const char* register_name(unsigned index);

/// "store access fault"; the causes that hart.h lists.
[[nodiscard]] const char* cause_name(std::uint32_t cause);

}  // namespace wordline::riscv
