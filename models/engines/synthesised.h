// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/config/config.h"
#include "models/engines/table/engine_table.h"

/// The engines of rtl/engines as Yosys has them: rtl/sizes.table, which a test holds this to.
namespace wordline::engines {

/// Of a flip-flop against a NAND2: DFFPOSX1 has 96 and NAND2X1 24 of area in the OSU018 library (Debian's
/// qflow-tech-osu018). Source: the library.
inline constexpr std::uint32_t kGatesPerFlipFlop = 4;

struct Synthesised {
  EngineId id;
  const char* block;
  std::uint32_t depth;  // with which it was
  std::uint32_t gates, flip_flops, memory_bits;
  double estimate_before;  // NAND2 equivalents: what its row had before it was written in RTL

  /// NAND2 equivalents, memories apart.
  [[nodiscard]] constexpr std::uint32_t gate_equivalents() const { return gates + kGatesPerFlipFlop * flip_flops; }
};
inline constexpr std::array kSynthesised{
    Synthesised{EngineId::kParse, "parse", 1, 5242, 601, 0, 512 * 8 + 5000},
    Synthesised{EngineId::kL2p, "l2p_lookup", 16, 4721, 1179, 0, 160 * 8 * 16 + 4500},
    Synthesised{EngineId::kVictim, "victim_selector", 2, 1642, 252, 0, 96 * 8 * 2 + 1000},
};
/// Null: it was not.
[[nodiscard]] constexpr const Synthesised* synthesised(EngineId id) {
  for (const Synthesised& block : kSynthesised) {
    if (block.id == id) return &block;
  }
  return nullptr;
}

/// What an estimate of gates may be in truth, as factors of it: from what the estimates of the synthesised engines
/// were.
struct Factors {
  double low = 1, high = 1;
};
inline constexpr Factors kTruthOfEstimates = [] {
  Factors out{kSynthesised[0].gate_equivalents() / kSynthesised[0].estimate_before, 0};
  for (const Synthesised& block : kSynthesised) {
    const double factor = block.gate_equivalents() / block.estimate_before;
    if (factor < out.low) out.low = factor;
    if (factor > out.high) out.high = factor;
  }
  return out;
}();
/// Of one engine: 1 when it was synthesised.
[[nodiscard]] constexpr Factors truth_of(EngineId id) {
  return synthesised(id) != nullptr ? Factors{} : kTruthOfEstimates;
}

}  // namespace wordline::engines
