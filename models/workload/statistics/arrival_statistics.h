// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/workload/statistics/quantiles.h"
#include "models/workload/statistics/statistic.h"

namespace wordline::workload {

/// Requests by windows of time from the first arrival to the last, empty windows among them.
class ArrivalWindows {
 public:
  explicit ArrivalWindows(Picoseconds width) : width_(width) {}
  /// An arrival `since_first`, not before the one before.
  void take(Picoseconds since_first);
  /// Index of dispersion for counts (variance by mean, 1 for Poisson arrivals) and the fullest window by the mean one.
  void report(StatisticList& list, const char* width_name) const;

 private:
  Picoseconds width_;
  std::int64_t window_ = 0;  // the one being filled
  std::uint64_t in_window_ = 0;
  std::uint64_t total_ = 0;
  double squares_ = 0;  // sum of squares of the requests in the windows before
  std::uint64_t peak_ = 0;
};

/// When requests arrive. Only for workloads that say so: a job that keeps a queue depth has no arrivals of its own.
class ArrivalStatistics {
 public:
  void take(const Access& access);
  void report(StatisticList& list) const;

 private:
  std::uint64_t requests_ = 0;
  std::uint64_t together_ = 0;  // arrived with the one before
  Picoseconds first_, last_;
  double squares_ = 0;  // sum of squares of the times between, in seconds
  Quantiles between_;   // picoseconds
  ArrivalWindows second_{Picoseconds(1'000'000'000'000)};
  ArrivalWindows hundredth_{Picoseconds(10'000'000'000)};
};

}  // namespace wordline::workload
