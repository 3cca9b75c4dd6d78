// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/results/histogram.h"
#include "models/results/registry.h"
#include "models/workload/request.h"

namespace wordline::results {

using workload::kOpCount;
using workload::Op;

struct StageName {
  std::string name;
  bool is_wait = false;  // waiting for a resource, or being served
};

/// Collects finished requests: latency by operation and the mean time in each stage. O(1) per request, no allocation.
/// Accuracy: sums are integer picoseconds, so the stage means add up to the mean latency exactly.
class Collector {
 public:
  static constexpr std::size_t kMaxStages = 32;

  /// `stages` = number of stages in the array given to record(); at most kMaxStages.
  explicit Collector(std::size_t stages);

  /// One finished request. `stage_times` has the number of stages given to the constructor. Throws std::logic_error
  /// when they do not sum to completed - submitted: a stage clock that loses time is a bug.
  void record(Op op, std::uint64_t bytes, Picoseconds submitted, Picoseconds completed, const Picoseconds* stage_times);

  [[nodiscard]] const Histogram& latency(Op op) const { return latency_[index(op)]; }
  [[nodiscard]] std::uint64_t count(Op op) const { return latency_[index(op)].count(); }
  [[nodiscard]] std::uint64_t bytes(Op op) const { return bytes_[index(op)]; }
  [[nodiscard]] std::uint64_t requests() const;
  [[nodiscard]] std::size_t stages() const { return stages_; }

  /// First submission to last completion over all operations: the time that IOPS are counted over, so that the IOPS of
  /// reads and writes of a mixed run add up.
  [[nodiscard]] Picoseconds span() const;
  [[nodiscard]] double iops(Op op) const;
  [[nodiscard]] double bytes_per_second(Op op) const;

  /// Time of every stage, summed over all requests; the sums add up to latency(op).sum(). At most 2^64 - 1 ps each (213
  /// days of waiting, all requests together).
  [[nodiscard]] std::vector<std::uint64_t> stage_totals(Op op) const;
  /// Mean time of every stage; the sum equals latency(op).mean().
  [[nodiscard]] std::vector<Picoseconds> stage_means(Op op) const;

  /// Registers ios.*, stages.* and flash.host_bytes_written; `stages` in the order of the recorded stages. Throws
  /// std::invalid_argument when their number is another.
  void register_statistics(Registry& registry, const std::vector<StageName>& stages) const;

 private:
  static constexpr std::size_t index(Op op) { return static_cast<std::size_t>(op); }
  [[nodiscard]] double per_second(std::uint64_t amount) const;
  void register_latency(Registry& registry, Op op) const;
  void register_stages(Registry& registry, Op op, const std::vector<StageName>& stages) const;

  std::size_t stages_;
  std::array<Histogram, kOpCount> latency_;
  std::array<std::uint64_t, kOpCount> bytes_{};
  std::array<std::array<unsigned __int128, kMaxStages>, kOpCount> stage_sums_{};
  Picoseconds first_{INT64_MAX};
  Picoseconds last_{INT64_MIN};
};

}  // namespace wordline::results
