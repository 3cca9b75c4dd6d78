// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "models/workload/fio/job.h"

namespace wordline::workload::fio {

/// Finds out when a rate is steady: over the samples of the last ss_dur no mean deviates by more than the limit, or the
/// slope of their regression line is within it, as in fio.
class SteadyWindow {
 public:
  explicit SteadyWindow(const SteadyState& criterion) : criterion_(criterion) {}

  void begin(Picoseconds at);
  /// True: steady from now on.
  [[nodiscard]] bool completed(std::uint64_t bytes, Picoseconds latency, Picoseconds at);
  [[nodiscard]] bool begun() const { return begun_; }

 private:
  void sample();
  [[nodiscard]] bool steady() const;

  SteadyState criterion_;
  bool begun_ = false;
  Picoseconds next_{};  // end of the present interval
  std::uint64_t requests_ = 0, bytes_ = 0;
  double latency_ = 0;  // sum, in microseconds
  std::deque<double> samples_;
};

}  // namespace wordline::workload::fio
