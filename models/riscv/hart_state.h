// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wordline::riscv {

constexpr unsigned kTags = 64;      // values of ObservationCsrs::tag
constexpr unsigned kContexts = 32;  // values of ObservationCsrs::context

/// What a program says of itself by the observation CSRs (observation.h).
struct Observations {
  // The cycles of each tag: those at its ends less those at its beginnings; the current one has not ended.
  std::uint64_t cycles[kTags] = {};
  std::uint64_t entries[kTags] = {};
  std::uint64_t reported_tags = ~std::uint64_t{0};  // bit n: the probe sees writes of tag n
  std::uint32_t tag = 0, context = 0;
  std::uint32_t reported_contexts = 1;  // 0: the probe does not see contexts
};

/// What an instruction of a hart reads and writes most. A plain struct: translated code reaches it by offsets from one
/// host register.
struct HartState {
  std::uint64_t cycles = 0, instructions = 0;
  std::uint64_t limit = 0;  // block entries compare with nothing else: run until cycles reaches it; 0 = poll
  std::uint32_t pc = 0;
  std::uint32_t x[33] = {};  // [32]: where writes to x0 go
  Observations observed;
};

}  // namespace wordline::riscv
