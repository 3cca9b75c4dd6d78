// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/units/quantity.h"

namespace wordline {

/// Lengths of cycles of one clock, as cycles_time() has them: without its wide division where the period is a whole
/// number of picoseconds.
class ClockPeriod {
 public:
  constexpr explicit ClockPeriod(Hertz clock)
      : clock_(clock), whole_(clock.count() != 0 && kSecond % clock.count() == 0 ? kSecond / clock.count() : 0) {}
  [[nodiscard]] constexpr Picoseconds of(std::uint64_t cycles) const {
    return whole_ != 0 ? Picoseconds(static_cast<std::int64_t>(cycles * whole_)) : cycles_time(cycles, clock_);
  }

 private:
  static constexpr std::uint64_t kSecond = 1'000'000'000'000;
  Hertz clock_;
  std::uint64_t whole_;  // 0: it is none
};

}  // namespace wordline
