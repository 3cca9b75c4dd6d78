// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/results/finished_request.h"
#include "models/results/registry.h"
#include "models/results/stage_sums.h"

namespace wordline::results {

/// What requests waited behind, summed by operation and WaitCause.
///
/// Accuracy: exact; the causes of an operation sum to its waiting stages. A request that the driver splits has the
/// waits of its last command, as its stages.
class WaitSums {
 public:
  void add(const FinishedRequest& request) {
    if (request.waits == nullptr) return;
    sums_[static_cast<std::size_t>(request.op)].add(request.waits, kWaitCauses, request.latency());
  }
  /// At most 2^64 - 1 ps.
  [[nodiscard]] std::uint64_t total(Op op, std::size_t cause) const;
  /// waits.*
  void register_statistics(Registry& registry) const;

 private:
  std::array<StageSums, kOpCount> sums_;
};

}  // namespace wordline::results
