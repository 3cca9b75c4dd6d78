// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/steady_window.h"

#include <algorithm>
#include <cmath>

namespace wordline::workload::fio {

void SteadyWindow::begin(Picoseconds at) {
  if (begun_) return;
  begun_ = true;
  next_ = at + criterion_.ramp + criterion_.interval;
}

bool SteadyWindow::completed(std::uint64_t bytes, Picoseconds latency, Picoseconds at) {
  bool steady_now = false;
  const std::int64_t behind = (at - next_).count() / criterion_.interval.count();
  const std::int64_t window = criterion_.duration.count() / criterion_.interval.count() + 2;
  if (behind > window) {
    // Nothing has happened for longer than the window: all of its samples are 0.
    samples_.clear();
    next_ += criterion_.interval * (behind - window);
  }
  while (at >= next_) {
    sample();
    steady_now = steady_now || steady();
    next_ += criterion_.interval;
  }
  if (at >= next_ - criterion_.interval) {  // after the ramp
    ++requests_;
    bytes_ += bytes;
    latency_ += static_cast<double>(latency.count()) * 1e-6;
  }
  return steady_now;
}

void SteadyWindow::sample() {
  const double seconds = static_cast<double>(criterion_.interval.count()) * 1e-12;
  double value = static_cast<double>(requests_) / seconds;
  if (criterion_.of == SteadyState::Of::kBandwidth) value = static_cast<double>(bytes_) / seconds;
  if (criterion_.of == SteadyState::Of::kLatency) {
    value = requests_ == 0 ? 0 : latency_ / static_cast<double>(requests_);
  }
  samples_.push_back(value);
  const auto most = std::max<std::int64_t>(1, criterion_.duration.count() / criterion_.interval.count());
  if (samples_.size() > static_cast<std::size_t>(most)) samples_.pop_front();
  requests_ = bytes_ = 0;
  latency_ = 0;
}

bool SteadyWindow::steady() const {
  const auto n = static_cast<double>(samples_.size());
  if (n * static_cast<double>(criterion_.interval.count()) < static_cast<double>(criterion_.duration.count())) {
    return false;
  }
  double sum = 0, sum_x = 0, sum_xx = 0, sum_xy = 0;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const auto x = static_cast<double>(i);
    sum += samples_[i];
    sum_x += x;
    sum_xx += x * x;
    sum_xy += x * samples_[i];
  }
  const double mean = sum / n;
  double off = 0;
  if (criterion_.slope) {
    const double spread = n * sum_xx - sum_x * sum_x;
    off = spread == 0 ? 0 : std::abs((n * sum_xy - sum_x * sum) / spread);
  } else {
    for (const double value : samples_) off = std::max(off, std::abs(value - mean));
  }
  if (criterion_.percent) return mean > 0 && off <= mean * criterion_.limit / 100;
  return off <= criterion_.limit;
}

}  // namespace wordline::workload::fio
