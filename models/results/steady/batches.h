// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/results/finished_request.h"
#include "models/results/histogram.h"
#include "models/results/steady/drive_counts.h"

namespace wordline::results {

/// The requests of one operation in a batch.
struct OpBatch {
  std::uint64_t count = 0;
  double latency = 0;                                            // sum, in picoseconds
  std::vector<std::pair<std::uint16_t, std::uint32_t>> buckets;  // requests by Histogram bucket, ascending, none is 0

  /// Requests in buckets above `bucket`.
  [[nodiscard]] std::uint64_t above(std::uint32_t bucket) const;
  void merge(const OpBatch& later);
};

struct Batch {
  Picoseconds begin{}, end{};
  std::array<OpBatch, kOpCount> ops;
  DriveCounts at_end;
};

/// Finished requests in batches of equal number, in the order of their completion. Batches are short at first; when
/// there are kMost, two become one and the next ones are twice as long. So there are kMost / 2 to kMost of any long
/// run, and memory is bounded: a batch keeps only the latencies that it has seen.
class Batches {
 public:
  static constexpr std::size_t kMost = 64;
  static constexpr std::uint64_t kFirstLength = 64;  // requests

  /// Forgets all; the first batch begins at `at`.
  void begin(Picoseconds at);
  /// True: a batch has ended with this request, and end_batch() is due.
  bool add(Op op, Picoseconds latency, Picoseconds completed) {
    Filling& filling = filling_[static_cast<std::size_t>(op)];
    if (filling.count == 0) filling.prepare();
    const auto ns = static_cast<std::uint64_t>(latency.count()) / 1000;
    const std::uint32_t bucket = Histogram::bucket_of_ns(ns);
    ++filling.buckets[bucket];
    if (bucket < filling.least) filling.least = bucket;
    if (bucket > filling.greatest) filling.greatest = bucket;
    ++filling.count;
    filling.latency += static_cast<double>(latency.count());
    if (completed - last_ > pause_) pause_ = completed - last_;
    last_ = completed;
    return ++in_batch_ == length_;
  }
  void end_batch(const DriveCounts& counts);

  [[nodiscard]] const std::vector<Batch>& all() const { return batches_; }
  [[nodiscard]] std::uint64_t length() const { return length_; }
  /// In whole batches.
  [[nodiscard]] std::uint64_t requests() const { return length_ * batches_.size(); }
  /// The longest time between two completions.
  [[nodiscard]] Picoseconds longest_pause() const { return pause_; }

 private:
  struct Filling {
    std::vector<std::uint32_t> buckets;
    std::uint32_t least = 0, greatest = 0;
    std::uint64_t count = 0;
    double latency = 0;
    void prepare();
    [[nodiscard]] OpBatch take();
  };
  void merge_pairs();

  std::vector<Batch> batches_;
  std::array<Filling, kOpCount> filling_;
  std::uint64_t length_ = kFirstLength, in_batch_ = 0;
  Picoseconds begin_{}, last_{}, pause_{};
};

}  // namespace wordline::results
