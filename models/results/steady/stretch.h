// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/results/steady/batches.h"
#include "models/results/steady/ratio.h"
#include "models/results/steady/steady_answer.h"

namespace wordline::results {

/// Batches of one piece of a run, and the intervals of its numbers.
///
/// `pause`: the longest time between two completions; no rate is told closer than one of these.
class Stretch {
 public:
  Stretch(const std::vector<Batch>& batches, Picoseconds from, Picoseconds to, DriveCounts before, Picoseconds pause);

  [[nodiscard]] std::size_t batches() const { return batches_.size(); }
  [[nodiscard]] bool has_spectrum() const { return batches_.size() >= Ratio::kFewest; }
  [[nodiscard]] std::uint64_t requests() const;
  [[nodiscard]] std::uint64_t count(Op op) const;
  [[nodiscard]] Picoseconds begin() const { return batches_.empty() ? Picoseconds(0) : batches_.front()->begin; }
  [[nodiscard]] Picoseconds length() const;
  /// Mean number of requests in flight, by Little's law.
  [[nodiscard]] double in_flight() const;
  /// Requests of the second half that found references for later reads, as a share.
  [[nodiscard]] double learning() const;
  /// How much the latency grows in a second: above 0 in the long run only when more arrives than is served.
  [[nodiscard]] double latency_growth() const;

  /// Without the first batches that MSER leaves out, a third at most.
  [[nodiscard]] Stretch without_transient() const;
  /// Requests of all operations over time.
  [[nodiscard]] Ratio rate() const;
  [[nodiscard]] Ratio rate(Op op) const;
  [[nodiscard]] Ratio mean_latency(Op op) const;
  /// Programmed over written pages.
  [[nodiscard]] Ratio waf() const;

  [[nodiscard]] Interval interval(const Ratio& ratio, bool per_time) const;
  /// `percent` of the latencies of `op`.
  [[nodiscard]] Interval percentile(Op op, double percent) const;
  [[nodiscard]] OpIntervals intervals(Op op) const;

 private:
  Stretch(std::vector<const Batch*> batches, DriveCounts before, Picoseconds pause)
      : batches_(std::move(batches)), before_(before), pause_(pause) {}
  [[nodiscard]] std::vector<std::uint64_t> merged(Op op) const;

  std::vector<const Batch*> batches_;
  DriveCounts before_;  // before at the begin of the first
  Picoseconds pause_;
};

}  // namespace wordline::results
