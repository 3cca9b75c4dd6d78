// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Registers of the host (x86-64) while translated code runs. Private to models/riscv/translate.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "models/riscv/hart_state.h"

namespace wordline::riscv::translate {

namespace x86 = asmjit::x86;

// rbp: HartState and kBias, so that all of it is within a byte's reach. r10, r11: cycles and instructions, as the
// interpreter counts them inside a block: with the whole block's. rax, rcx and rdx are free for each instruction; rdx
// may keep the host address of the memory that was used last.
constexpr std::int32_t kBias = 64;
constexpr x86::Gpq kState = x86::rbp;
constexpr x86::Gpq kCycles = x86::r10;
constexpr x86::Gpq kInstructions = x86::r11;

/// A member of HartState, by its offset.
inline x86::Mem state_at(std::size_t offset, std::uint32_t bytes) {
  return x86::Mem(kState, static_cast<std::int32_t>(offset) - kBias, bytes);
}

/// The registers of the guest: nine that compressed instructions and the calling convention favour live in host
/// registers, the others in HartState.
class GuestRegisters {
 public:
  struct Placed {
    std::uint8_t guest;
    x86::Gpd host;
  };
  /// sp, s0, s1, a0, a1: kept by functions of the host. a2 to a5: not kept.
  static const std::array<Placed, 9>& placed();
  static constexpr std::size_t kKept = 5;  // the first of placed()

  explicit GuestRegisters(x86::Assembler& assembler) : a(assembler) {}

  static x86::Mem home(unsigned reg) { return state_at(offsetof(HartState, x) + 4 * reg, 4); }
  /// Null: not in a host register.
  static const x86::Gpd* host(unsigned reg);
  /// To read: a register, memory, or the constant 0.
  static asmjit::Operand source(unsigned reg);
  /// In a register; `scratch` when it is in none.
  x86::Gpd in_register(unsigned reg, const x86::Gpd& scratch) const;
  /// Where to make what finish() takes: the register itself, or eax.
  static x86::Gpd target(unsigned rd) { return host(rd) != nullptr ? *host(rd) : x86::eax; }
  /// `from` is the new value.
  void finish(unsigned rd, const x86::Gpd& from) const;
  void set(unsigned rd, std::uint32_t value) const;
  /// eax = register + constant
  void address(unsigned reg, std::uint32_t offset) const;

  x86::Assembler& a;
};

}  // namespace wordline::riscv::translate
