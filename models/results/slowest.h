// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/results/finished_request.h"
#include "models/results/registry.h"

namespace wordline::results {

struct StageName;

/// The requests with the greatest latencies, with all that is known of each. Of equal latencies the earlier completion
/// is kept.
class SlowestRequests {
 public:
  static constexpr std::size_t kKept = 16;

  explicit SlowestRequests(std::size_t stages, std::size_t kept = kKept) : stages_(stages), most_(kept) {}
  void add(const FinishedRequest& request) {
    if (kept_.size() < most_ || request.latency() > least_) insert(request);
  }
  /// slowest[].*, the slowest first.
  void register_statistics(Registry& registry, const std::vector<StageName>& stages) const;
  /// The same as slowest_of.OP.requests[].*, of one operation.
  void register_statistics_of(Registry& registry, Op op, const std::vector<StageName>& stages) const;

  struct Entry {
    FinishedRequest request;  // without its pointers
    std::vector<Picoseconds> stages;
    WaitTimes waits;
  };
  /// The slowest first.
  [[nodiscard]] const std::vector<Entry>& entries() const { return kept_; }

 private:
  /// How a member of the rows is called.
  struct Rows;

  void insert(const FinishedRequest& request);
  void register_rows(const Rows& rows, const std::vector<StageName>& stages) const;

  std::size_t stages_;
  std::size_t most_;
  std::vector<Entry> kept_;
  Picoseconds least_{};  // latency of the last
};

/// The slowest of all requests, and of each operation: the slowest reads of a mix hide behind its writes.
class SlowestByOperation {
 public:
  static constexpr std::size_t kKeptOfEach = 8;

  explicit SlowestByOperation(std::size_t stages) : all_(stages) {
    for (std::size_t op = 0; op < kOpCount; ++op) of_each_.emplace_back(stages, kKeptOfEach);
  }
  void add(const FinishedRequest& request) {
    all_.add(request);
    of_each_[static_cast<std::size_t>(request.op)].add(request);
  }
  void register_statistics(Registry& registry, const std::vector<StageName>& stages) const;

  [[nodiscard]] const SlowestRequests& all() const { return all_; }
  [[nodiscard]] const SlowestRequests& of(Op op) const { return of_each_[static_cast<std::size_t>(op)]; }

 private:
  SlowestRequests all_;
  std::vector<SlowestRequests> of_each_;
};

}  // namespace wordline::results
