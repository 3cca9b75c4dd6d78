// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/riscv/insn.h"
#include "models/riscv/translate/guest_registers.h"

namespace wordline::riscv::translate {

/// Code for an instruction that computes a register from registers and a constant (Li to Rev8). False: not one of them,
/// or one that this host has no instruction for. Uses eax, ecx, and edx for divisions.
[[nodiscard]] bool emit_arithmetic(const GuestRegisters& registers, Op op, const Insn& insn);

/// emit_arithmetic() changes edx.
[[nodiscard]] constexpr bool uses_edx(Op op) {
  return op == Op::kDiv || op == Op::kDivu || op == Op::kRem || op == Op::kRemu || op == Op::kClz || op == Op::kCtz;
}

}  // namespace wordline::riscv::translate
