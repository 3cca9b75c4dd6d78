// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/results/finished_request.h"

namespace wordline::results {

/// Requests completed in windows of equal length from the begin of the measurement on. Windows are
/// short at first; when there are too many, two become one. So a run of any length has between kMost / 2 and kMost
/// windows (fewer when it is shorter than these), and memory is bounded.
class RateSeries {
 public:
  static constexpr std::size_t kMost = 128;
  static constexpr Picoseconds kShortest{20'000'000};  // 20 us

  /// Before the first add().
  void begin(Picoseconds at) { begin_ = at; }
  void add(const FinishedRequest& request) {
    if (request.completed < from_ || request.completed >= to_) {
      if (request.completed < begin_) return;
      enter(request.completed);
    }
    ++windows_[present_][static_cast<std::size_t>(request.op)];
  }

  [[nodiscard]] Picoseconds begin() const { return begin_; }
  [[nodiscard]] Picoseconds width() const { return width_; }
  [[nodiscard]] std::size_t windows() const { return windows_.size(); }
  /// Requests of `op` that completed in each window.
  [[nodiscard]] std::vector<std::uint64_t> completed(Op op) const;

 private:
  using Window = std::array<std::uint64_t, kOpCount>;  // requests

  void enter(Picoseconds at);
  void halve();

  Picoseconds begin_{};
  Picoseconds width_ = kShortest;
  std::vector<Window> windows_;
  std::size_t present_ = 0;    // window of the last request
  Picoseconds from_{}, to_{};  // its borders
};

}  // namespace wordline::results
