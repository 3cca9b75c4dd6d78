// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wordline::riscv {

/// What an instruction of a hart reads and writes most. A plain struct: translated code reaches it by offsets from one
/// host register.
struct HartState {
  std::uint64_t cycles = 0, instructions = 0;
  std::uint64_t limit = 0;  // block entries look at nothing else: run until cycles reaches it; 0 = look around
  std::uint32_t pc = 0;
  std::uint32_t x[33] = {};  // [32]: where writes to x0 go
};

}  // namespace wordline::riscv
