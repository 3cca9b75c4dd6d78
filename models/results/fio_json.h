// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/results/finished_request.h"
#include "models/results/histogram.h"
#include "models/workload/source.h"

namespace wordline::results {

/// What fio reports of a run, by job and operation, and the same as the JSON that `fio --output-format=json` writes, so
/// that programs that read fio's results read these.
///
/// Accuracy: of a drive: what a host would spend is 0 (CPU times, context switches, page faults, submission latency; so
/// clat is lat). Times of a job are from its first submission to its last completion; rates are over the exact time,
/// `runtime` is in whole milliseconds as in fio. Bandwidth and IOPS are sampled each 500 ms, or once over a shorter
/// run. Times of the day are those of simulated time 0, 1970.
class FioReport {
 public:
  explicit FioReport(const workload::Source& source);

  void add(const FinishedRequest& request, Picoseconds measured_from);

  /// Forgets what was added: it was the warm-up.
  void begin_anew() {
    const std::size_t jobs = jobs_.size();
    jobs_.clear();
    jobs_.resize(jobs);
  }

  /// `generator`: the program that wrote it. `bins`: with the buckets of all latencies, fio's json+.
  [[nodiscard]] std::string to_json(const std::string& generator, bool bins) const;

 private:
  static constexpr std::size_t kDepths = 7;
  struct Operation {
    std::uint64_t bytes = 0;
    Histogram latency;
  };
  struct Interval {
    std::array<std::uint64_t, kOpCount> requests{}, bytes{};
  };
  struct Job {
    Picoseconds begin{INT64_MAX}, end{};
    std::array<std::unique_ptr<Operation>, kOpCount> operations;  // null: none
    std::array<std::uint64_t, kDepths> depths{};
    std::array<std::uint64_t, 10> below_us{}, below_ms{};  // latencies of less than 1 us, of less than 1 ms
    std::array<std::uint64_t, 12> above{};                 // latencies of 1 ms and more
    std::map<std::int64_t, Interval> intervals;
    void add(const Job& other);
    [[nodiscard]] std::uint64_t requests() const;  // but FLUSHes
  };
  struct Writer;

  const workload::Source& source_;
  std::vector<Job> jobs_;
};

}  // namespace wordline::results
