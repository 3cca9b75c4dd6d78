// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/results/histogram.h"
#include "models/results/registry.h"

namespace wordline::results {

/// Commands by the queue pair of the host that they went through, in the measurement. Nothing is kept, and nothing
/// registered, of a host with one pair; each of several takes some 75 KiB.
class QueueResults {
 public:
  /// What others count for a pair from power-on on.
  struct Counts {
    std::uint64_t fetched = 0;           // commands that the drive has taken out of the submission queue
    std::uint64_t interrupts = 0;        // of the completion queue
    std::uint32_t completion_queue = 0;  // its identifier, from 1 on
  };
  using Read = std::function<Counts(std::uint32_t pair)>;

  /// Before the run.
  void open(std::uint32_t pairs, Read read);
  /// The measurement begins; again, when it has begun.
  void begin(Picoseconds at);
  /// Its last completion was at `at`. Nothing, when it has not begun.
  void end(Picoseconds at);
  /// A command of `pair` has completed.
  void add(std::uint32_t pair, Picoseconds latency) {
    if (measuring_) pairs_[pair].latency.add(latency);
  }
  /// queues[].*, one row for each pair.
  void register_statistics(Registry& registry) const;

 private:
  struct Pair {
    Histogram latency;
    Counts before, after;
  };
  [[nodiscard]] double per_time(double amount) const;

  std::vector<Pair> pairs_;  // empty: one pair, of which nothing is asked
  Read read_;
  bool measuring_ = false;
  Picoseconds begin_{}, end_{};
};

}  // namespace wordline::results
