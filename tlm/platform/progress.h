// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "models/units/quantity.h"

namespace wordline::platform {

/// The progress line of a long run, on standard error and only when that is a terminal: requests done, simulated time,
/// requests per second of wall time, time left. Silent for the first second, then twice a second. Reads the wall clock
/// and so shapes nothing but this line.
class Progress {
 public:
  /// `total` = requests of the workload, 0 when it is not known beforehand.
  Progress(bool quiet, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done, Picoseconds simulated);

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool shown_ = false;
  std::uint64_t total_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
};

}  // namespace wordline::platform
