// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/units/quantity.h"

namespace wordline::results {

/// Time in each stage, summed over requests. Recent ones are summed in 64 bits, which the compiler adds several at a
/// time, and are carried over before they could be too many.
///
/// Accuracy: exact.
class StageSums {
 public:
  static constexpr std::size_t kMost = 32;

  /// `times` of `stages` stages, none of them negative, which sum to `latency`.
  void add(const Picoseconds* times, std::size_t stages, Picoseconds latency) {
    if (latency.count() > kMostRecent - recent_latency_) carry();
    recent_latency_ += latency.count();
    for (std::size_t i = 0; i < stages; ++i) recent_[i] += times[i].count();
  }
  [[nodiscard]] unsigned __int128 of(std::size_t stage) const {
    return carried_[stage] + static_cast<std::uint64_t>(recent_[stage]);
  }

 private:
  static constexpr std::int64_t kMostRecent = INT64_MAX;

  void carry() {
    for (std::size_t i = 0; i < kMost; ++i) carried_[i] += static_cast<std::uint64_t>(recent_[i]);
    recent_ = {};
    recent_latency_ = 0;
  }

  std::array<std::int64_t, kMost> recent_{};
  std::int64_t recent_latency_ = 0;  // no stage's sum is greater
  std::array<unsigned __int128, kMost> carried_{};
};

}  // namespace wordline::results
