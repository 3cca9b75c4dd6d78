// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::cpu {

/// Busy time of a core by time. The width of an interval doubles whenever the time does not fit into kIntervals, so the
/// trace stays small; the sum over the intervals is exact.
class BusyTrace {
 public:
  static constexpr std::size_t kIntervals = 512;

  /// The core is busy from `from` to `to`; any order.
  void add(Picoseconds from, Picoseconds to);
  [[nodiscard]] Picoseconds width() const { return width_; }
  /// Busy time in each interval of width() from time 0; ends with the last one that is not idle.
  [[nodiscard]] const std::vector<Picoseconds>& busy() const { return busy_; }
  /// The trace in intervals of `width`, which is this width times a power of two, or this one.
  void widen(Picoseconds width);

 private:
  void double_width();
  Picoseconds width_{1'000'000};
  std::vector<Picoseconds> busy_;
};

}  // namespace wordline::cpu
