// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/profile/arrival_times.h"

#include <algorithm>
#include <cmath>

#include "models/units/keyed_random.h"

namespace wordline::workload {
namespace {

constexpr std::uint64_t kGap = 1;
constexpr std::uint64_t kEnds = 2;
constexpr double kSecond = 1e12;  // ps

}  // namespace

ArrivalTimes::ArrivalTimes(const ArrivalParameters& parameters, double speedup, std::uint64_t key)
    : parameters_(parameters),
      speedup_(speedup),
      // All requests of a burst but one follow another one of it.
      pause_(parameters.interarrival * parameters.burst - parameters.burst_gap * (parameters.burst - 1)),
      key_(key) {}

Picoseconds ArrivalTimes::next(Picoseconds now) {
  const std::uint64_t index = count_++;
  if (!open_loop()) {
    const bool begins = index != 0 && index % static_cast<std::uint64_t>(parameters_.burst) == 0;
    if (begins) pause_end_ = now + Picoseconds(std::llround(parameters_.think * kSecond));
    return std::max(now, pause_end_);
  }
  if (index != 0) {
    const bool ends = unit_interval(keyed_hash(key_, kEnds, index)) < 1 / parameters_.burst;
    const double mean = ends ? pause_ : parameters_.burst_gap;
    time_ += -std::log(1 - unit_interval(keyed_hash(key_, kGap, index))) * mean * kSecond / speedup_;
  }
  return Picoseconds(std::llround(time_));
}

}  // namespace wordline::workload
