// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

  explicit SlowestRequests(std::size_t stages) : stages_(stages) {}
  void add(const FinishedRequest& request) {
    if (kept_.size() < kKept || request.latency() > least_) insert(request);
  }
  /// slowest[].*, the slowest first.
  void register_statistics(Registry& registry, const std::vector<StageName>& stages) const;

  struct Entry {
    FinishedRequest request;  // without its pointer to the stages
    std::vector<Picoseconds> stages;
  };
  /// The slowest first.
  [[nodiscard]] const std::vector<Entry>& entries() const { return kept_; }

 private:
  void insert(const FinishedRequest& request);

  std::size_t stages_;
  std::vector<Entry> kept_;
  Picoseconds least_{};  // latency of the last
};

}  // namespace wordline::results
