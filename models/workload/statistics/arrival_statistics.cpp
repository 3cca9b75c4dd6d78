// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/statistics/arrival_statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace wordline::workload {
namespace {

constexpr double kSecond = 1e12;  // second in picoseconds
constexpr double kMillisecond = 1e9;

double seconds(Picoseconds time) { return static_cast<double>(time.count()) / kSecond; }

}  // namespace

void ArrivalWindows::take(Picoseconds since_first) {
  const std::int64_t window = since_first.count() / width_.count();
  if (window != window_) {
    squares_ += static_cast<double>(in_window_) * static_cast<double>(in_window_);
    in_window_ = 0;
    window_ = window;
  }
  ++in_window_;
  ++total_;
  peak_ = std::max(peak_, in_window_);
}

void ArrivalWindows::report(StatisticList& list, const char* width_name) const {
  if (window_ == 0) return;  // one window has no variance
  const auto windows = static_cast<double>(window_ + 1);
  const double mean = static_cast<double>(total_) / windows;
  const double squares = squares_ + static_cast<double>(in_window_) * static_cast<double>(in_window_);
  list.add(fmt::format("idc_{}", width_name), (squares / windows - mean * mean) / mean, "",
           fmt::format("variance by mean of arrivals in windows of {}; Poisson: 1", width_name));
  list.add(fmt::format("peak_to_mean_{}", width_name), static_cast<double>(peak_) / mean, "",
           fmt::format("arrivals in the fullest window of {} by the mean", width_name));
}

void ArrivalStatistics::take(const Access& access) {
  if (requests_ == 0) {
    first_ = last_ = access.arrival;
  } else {
    const Picoseconds between = access.arrival - last_;
    together_ += between == Picoseconds(0) ? 1 : 0;
    squares_ += seconds(between) * seconds(between);
    between_.add(static_cast<std::uint64_t>(between.count()));
    last_ = access.arrival;
  }
  ++requests_;
  second_.take(access.arrival - first_);
  hundredth_.take(access.arrival - first_);
}

void ArrivalStatistics::report(StatisticList& list) const {
  if (requests_ < 2) return;
  const double duration = seconds(last_ - first_);
  const auto gaps = static_cast<double>(requests_ - 1);
  list.add("duration", duration, "s", "from the first arrival to the last");
  list.add_ratio("iops_mean", gaps, duration, "1/s", "requests but one by the duration");
  const double mean = duration / gaps;
  list.add("interarrival_mean_ms", mean * 1000, "ms", "mean time between two arrivals");
  list.add_ratio("interarrival_cv", std::sqrt(std::max(0.0, squares_ / gaps - mean * mean)), mean, "",
                 "deviation by mean of these times; 1 for Poisson arrivals");
  list.add("interarrival_zero_share", static_cast<double>(together_) / gaps, "share",
           "requests that arrive at the same time as the one before");
  for (const unsigned p : {50U, 90U, 99U}) {
    list.add(fmt::format("interarrival_p{}_ms", p), static_cast<double>(between_.at(p / 100.0)) / kMillisecond, "ms",
             fmt::format("time that {} % of these do not exceed", p));
  }
  second_.report(list, "1s");
  hundredth_.report(list, "10ms");
}

}  // namespace wordline::workload
