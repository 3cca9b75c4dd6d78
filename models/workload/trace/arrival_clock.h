// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "models/units/quantity.h"

namespace wordline::workload {

/// The times of a trace as times of a run: from the first record on, divided by the speed-up, never going back. The
/// order of the file is the order of submission, so a record with an earlier time arrives with the one before it.
class ArrivalClock {
 public:
  ArrivalClock(std::uint64_t ps_per_tick, double speedup);

  /// Arrival of the next record; nothing when it is more than 106 days after the first.
  [[nodiscard]] std::optional<Picoseconds> arrival(std::uint64_t ticks);
  [[nodiscard]] Picoseconds last() const { return last_; }
  /// Records with a time before that of their predecessor.
  [[nodiscard]] std::uint64_t out_of_order() const { return out_of_order_; }

 private:
  std::uint64_t ps_per_tick_;
  std::uint64_t speedup_millionths_;
  std::optional<std::uint64_t> first_;
  Picoseconds last_{};
  std::uint64_t out_of_order_ = 0;
};

}  // namespace wordline::workload
