// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "models/nand/plan.h"

namespace wordline::nand {

/// Voltage of one step of a reference offset or of the distance of soft senses: one unit of the threshold-voltage
/// scale.
inline constexpr double kReferenceStepMillivolts = 12.5;

/// How a page is sensed. Default-constructed: the default references, each once.
struct ReadParameters {
  std::uint8_t step = 0;                         // step of the retry table; 0 = default references
  std::uint8_t senses = 1;                       // senses of each reference: 1 = hard; 2, 3, 5 or 7 = soft
  std::uint8_t delta = 4;                        // distance of neighbouring soft senses, in reference steps
  bool slc_mode = false;                         // the one reference of a block in SLC mode
  std::array<std::int8_t, kMaxStates> offset{};  // added to reference r, in reference steps; entry 0 is unused

  [[nodiscard]] bool shifted() const {
    for (const std::int8_t o : offset) {
      if (o != 0) return true;
    }
    return false;
  }
  friend bool operator==(const ReadParameters& a, const ReadParameters& b) {
    return a.step == b.step && a.senses == b.senses && a.delta == b.delta && a.offset == b.offset &&
           a.slc_mode == b.slc_mode;
  }
  friend bool operator!=(const ReadParameters& a, const ReadParameters& b) { return !(a == b); }
};

/// What `senses` senses per reference say of a bit: the bin it falls into, and how likely the bit is right or wrong
/// there. Bin 0 lies outside all sensed intervals, bins 1 .. senses - 1 are the intervals between neighbouring levels,
/// from below. Right and wrong are those of the sense in the middle (the lower of two), so `wrong` of all bins together
/// is the rate of a hard read there. Both sum to 1 over the bins; the log-likelihood ratio of a bin is ln(right /
/// wrong).
struct SoftChannel {
  unsigned bins = 0;
  std::array<double, 8> right{};
  std::array<double, 8> wrong{};

  /// Errors per bit of the sense in the middle.
  [[nodiscard]] double error_rate() const {
    double sum = 0;
    for (unsigned i = 0; i < bins; ++i) sum += wrong[i];
    return sum;
  }
  /// Bits of information per bit read: what a decoder can at most use.
  [[nodiscard]] double information() const {
    double sum = 0;
    for (unsigned i = 0; i < bins; ++i) {
      const double all = right[i] + wrong[i];
      if (!(right[i] > 0)) continue;
      sum += all + right[i] * std::log2(right[i] / all) + (wrong[i] > 0 ? wrong[i] * std::log2(wrong[i] / all) : 0);
    }
    return sum;
  }
};

}  // namespace wordline::nand
