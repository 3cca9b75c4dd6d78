// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "models/firmware/contract/observation.h"
#include "models/units/quantity.h"

namespace wordline::observe {

/// Who waited for which pool (a buffer, free space, job ids) and when: for each kind of waiter (wl_waiter) stretches of
/// time, which do not overlap, since the first in line waits for one thing at a time.
///
/// Accuracy: exact, as the firmware marks it. A waiter behind the first one waits for the same pool by definition.
class PoolWaits {
 public:
  /// `waiter` waits for `pool` from `at` on, WL_POOL_NONE: it goes on. `at` does not go back for one waiter.
  void set(unsigned waiter, unsigned pool, Picoseconds at);
  /// Time in [from, to) in which `waiter` waited, for whatever pool.
  [[nodiscard]] Picoseconds overlap(unsigned waiter, Picoseconds from, Picoseconds to) const {
    const Line& line = lines_.at(waiter);
    const bool none = line.pool == WL_POOL_NONE && (line.past.empty() || line.past.back().to <= from);
    return none ? Picoseconds(0) : line.overlap(from, to);
  }
  /// Times by pool.
  using ByPool = std::array<Picoseconds, WL_POOL_COUNT>;
  /// Adds the same by pool to `times`. A write that waits for a slot of the write buffer while a full program unit
  /// waits for free space or a job id waits for those: no slot comes free before.
  void add_by_pool(unsigned waiter, Picoseconds from, Picoseconds to, ByPool& times) const;
  /// Time until `at` in which `waiter` waited for `pool`.
  [[nodiscard]] Picoseconds total(unsigned waiter, unsigned pool, Picoseconds at) const;
  /// Stretches that ended before `at` are not asked for any more.
  void forget_before(Picoseconds at);
  /// Stretches that are remembered.
  [[nodiscard]] std::size_t remembered() const;

 private:
  struct Stretch {
    Picoseconds from, to;
    unsigned pool;
  };
  struct Line {
    unsigned pool = WL_POOL_NONE;
    Picoseconds since{};
    std::vector<Stretch> past;  // in order of time
    std::array<Picoseconds, WL_POOL_COUNT> totals{};

    [[nodiscard]] Picoseconds overlap(Picoseconds from, Picoseconds to) const;
  };
  void add_stretch(const Stretch& wait, ByPool& times) const;

  std::array<Line, WL_WAITER_COUNT> lines_;
};

}  // namespace wordline::observe
