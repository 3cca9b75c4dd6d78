// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/results/registry.h"

namespace wordline::results {

/// Busy share of each resource, 0..1.
struct Utilisation {
  double link = 0;
  std::vector<double> cores;
  double dram = 0;
  std::vector<double> channels;
  std::vector<double> dies;
};

struct Bottleneck {
  /// "link", "cores", "dram", "channels" or "dies"; "queue_depth" or "arrival_rate" when none of them is saturated.
  std::string resource;
  double utilisation = 0;  // of `resource`; when the load limits, of the busiest resource, which is `next`
  std::string next;
  std::string sentence;
};

/// The resource that limits: the busiest one at 85 % or more, by its busiest member (one hot die is enough), else the
/// load. `queue_depth`: requests kept in flight by all jobs together; 0 = open loop.
[[nodiscard]] Bottleneck find_bottleneck(const Utilisation& utilisation, std::uint64_t queue_depth);

/// The busy shares that are registered as utilisation.*.
[[nodiscard]] Utilisation utilisation_of(const Registry& registry);

/// Registers bottleneck.*, found from utilisation.* when it is read.
void register_bottleneck(Registry& registry, std::uint64_t queue_depth);

}  // namespace wordline::results
