// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/workload/permutation.h"

namespace wordline::workload::fio {

/// fio's random map for requests of different lengths: every unit of the region is covered once in a pass. A request
/// takes the next uncovered unit of the pass's random order, and as many behind it as it asks for and are uncovered.
/// Memory: a bit a unit.
class RandomMap {
 public:
  RandomMap() = default;
  RandomMap(std::uint64_t units, std::uint64_t key) : order_(units, key), covered_((units + 63) / 64), left_(units) {}

  /// The first unit of the next request. All were covered: a new pass begins.
  [[nodiscard]] std::uint64_t take() {
    if (left_ == 0) begin_pass();
    std::uint64_t unit = order_(next_++, pass_);
    while (covered(unit)) unit = order_(next_++, pass_);
    return unit;
  }
  /// Covers at most `units` from `first` on, up to the first that is covered already; how many.
  std::uint64_t cover(std::uint64_t first, std::uint64_t units) {
    std::uint64_t n = 0;
    for (; n < units && first + n < order_.size() && !covered(first + n); ++n) {
      covered_[(first + n) / 64] |= std::uint64_t{1} << ((first + n) % 64);
      --left_;
    }
    return n;
  }
  [[nodiscard]] bool all_covered() const { return left_ == 0; }
  void begin_pass() {
    covered_.assign(covered_.size(), 0);
    left_ = order_.size();
    next_ = 0;
    ++pass_;
  }

 private:
  [[nodiscard]] bool covered(std::uint64_t unit) const { return (covered_[unit / 64] >> (unit % 64) & 1U) != 0; }

  Permutation order_;
  std::vector<std::uint64_t> covered_;
  std::uint64_t left_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t pass_ = 0;
};

}  // namespace wordline::workload::fio
