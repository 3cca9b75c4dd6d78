// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace/arrival_clock.h"

#include <cmath>

namespace wordline::workload {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

}  // namespace

ArrivalClock::ArrivalClock(std::uint64_t ps_per_tick, double speedup)
    : ps_per_tick_(ps_per_tick), speedup_millionths_(static_cast<std::uint64_t>(std::llround(speedup * kMillion))) {}

std::optional<Picoseconds> ArrivalClock::arrival(std::uint64_t ticks) {
  if (!first_) first_ = ticks;
  Picoseconds time{};
  if (ticks > *first_) {
    // All-integer, so that a week keeps its picoseconds.
    unsigned __int128 exact = static_cast<unsigned __int128>(ticks - *first_) * ps_per_tick_;
    if (speedup_millionths_ != kMillion) exact = exact * kMillion / speedup_millionths_;
    if (exact > static_cast<unsigned __int128>(INT64_MAX)) return std::nullopt;
    time = Picoseconds(static_cast<std::int64_t>(exact));
  }
  if (ticks < *first_ || time < last_) {
    ++out_of_order_;
    time = last_;
  }
  last_ = time;
  return time;
}

}  // namespace wordline::workload
