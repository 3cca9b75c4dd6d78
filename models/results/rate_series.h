// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/results/finished_request.h"
#include "models/results/registry.h"

namespace wordline::results {

/// Latencies of the requests of one window.
///
/// Accuracy: buckets as wide as four of Histogram's, so a percentile is at most 1/32 = 3.2 % from the value for
/// latencies of 64 ns and more, and never beyond the least or the greatest, which are exact.
class WindowLatencies {
 public:
  void add(Picoseconds latency);
  void merge(const WindowLatencies& other);
  /// The latency that `percent` of the requests do not exceed; 0 when there were none.
  [[nodiscard]] Picoseconds percentile(double percent) const;
  [[nodiscard]] Picoseconds max() const { return max_; }

 private:
  std::vector<std::uint32_t> buckets_;           // empty: none
  std::uint32_t first_ = UINT32_MAX, last_ = 0;  // of those that are not empty
  std::uint64_t count_ = 0;
  Picoseconds min_{INT64_MAX}, max_{};
};

/// Requests completed in windows of equal length from the begin of the measurement on. Windows are
/// short at first; when there are too many, two become one. So a run of any length has between kMost / 2 and kMost
/// windows (fewer when it is shorter than these), and memory is bounded.
class RateSeries {
 public:
  static constexpr std::size_t kMost = 128;
  static constexpr Picoseconds kShortest{20'000'000};  // 20 us

  /// Before the first add().
  void begin(Picoseconds at) { begin_ = at; }
  void add(const FinishedRequest& request) {
    if (request.completed < from_ || request.completed >= to_) {
      if (request.completed < begin_) return;
      enter(request.completed);
    }
    Window& window = windows_[present_];
    const auto op = static_cast<std::size_t>(request.op);
    ++window.requests[op];
    window.bytes[op] += request.bytes;
    window.retries += request.retries;
    window.latencies[op].add(request.latency());
    if (request.submitted >= from_) {
      window.in_flight += request.latency();
    } else {
      spread(request);
    }
  }

  [[nodiscard]] Picoseconds begin() const { return begin_; }
  [[nodiscard]] Picoseconds width() const { return width_; }
  [[nodiscard]] std::size_t windows() const { return windows_.size(); }
  /// Requests of `op` that completed in each window.
  [[nodiscard]] std::vector<std::uint64_t> completed(Op op) const;
  /// Requests in flight in each window, in the mean, of those that completed; the last window until `end`.
  [[nodiscard]] std::vector<double> in_flight(Picoseconds end) const;

  /// series.*; `end`: of the measurement.
  void register_statistics(Registry& registry, const std::function<Picoseconds()>& end) const;

 private:
  struct Window {
    std::array<std::uint64_t, kOpCount> requests{}, bytes{};
    std::array<WindowLatencies, kOpCount> latencies;
    std::uint64_t retries = 0;
    Picoseconds in_flight{};  // time in this window, summed over requests
  };

  void enter(Picoseconds at);
  void halve();
  void spread(const FinishedRequest& request);
  template <class Of>
  [[nodiscard]] Value by_window(Op op, Of of) const;
  void register_operation(Registry& registry, Op op) const;

  Picoseconds begin_{};
  Picoseconds width_ = kShortest;
  std::vector<Window> windows_;
  std::size_t present_ = 0;    // window of the last request
  Picoseconds from_{}, to_{};  // its borders
};

}  // namespace wordline::results
