// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/results/finished_request.h"
#include "models/results/histogram.h"
#include "models/results/registry.h"

namespace wordline::results {

/// Requests by the job of the workload that asked for them. A job's rates count over its own time: from its first
/// submission, or the begin of the measurement, to its last completion.
class JobResults {
 public:
  void add(const FinishedRequest& request, Picoseconds measured_from);
  /// jobs[].*, one row for each of `names`.
  void register_statistics(Registry& registry, const std::vector<std::string>& names) const;

  /// Requests, and of them in flight in the mean, by Little's law over the job's own time; {0, 0} of a job without any.
  struct Load {
    double requests = 0, in_flight = 0;
  };
  [[nodiscard]] Load load(std::size_t i) const;

  /// First and last submission while all jobs had something to do; {0, 0} before any request.
  struct Stretch {
    Picoseconds from{}, to{};
  };
  [[nodiscard]] Stretch all_active() const;

 private:
  struct Job {
    std::uint64_t requests = 0, bytes = 0;
    Picoseconds begin{INT64_MAX}, last_submission{}, end{};
    Histogram latency;
    [[nodiscard]] double per_second(std::uint64_t amount) const;
  };
  [[nodiscard]] const Job* job(std::size_t i) const { return i < jobs_.size() ? jobs_[i].get() : nullptr; }

  std::vector<std::unique_ptr<Job>> jobs_;  // null: no request yet
};

}  // namespace wordline::results
