// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/workload/profile/parameters.h"

namespace wordline::workload {

/// When the requests arrive. Open loop: a Poisson process, or bursts of geometric length with exponential gaps in and
/// between them. Closed loop: at once, with a pause of all places after every burst.
class ArrivalTimes {
 public:
  /// `speedup` divides all times of an open loop.
  ArrivalTimes(const ArrivalParameters& parameters, double speedup, std::uint64_t key);

  [[nodiscard]] bool open_loop() const { return parameters_.interarrival > 0; }
  /// Arrival of the next request; `now` counts in a closed loop.
  Picoseconds next(Picoseconds now);

 private:
  ArrivalParameters parameters_;
  double speedup_;
  double pause_ = 0;  // mean time between two bursts, s
  std::uint64_t key_;
  std::uint64_t count_ = 0;
  double time_ = 0;        // ps
  Picoseconds pause_end_;  // closed loop
};

}  // namespace wordline::workload
