// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/results/registry.h"
#include "models/results/resources.h"

namespace wordline::results {

/// Mean time of all requests in a stage, and the group of resources that one waits for there.
struct StageWait {
  std::string group;  // "dies"; empty: being served
  double time = 0;    // any unit
};

/// What a verdict is found from.
struct Evidence {
  bool measured = true;                                  // false: no request completed in the measurement
  std::vector<GroupShares> shares;                       // over the measurement
  std::vector<std::vector<GroupShares>> shares_by_part;  // over equal parts of it
  std::vector<StageWait> stages;                         // in the order of a request
  std::uint64_t queue_depth = 0;                         // requests that all jobs together keep in flight; 0: open loop
  std::uint64_t tags = 0;                                // commands that the drive takes at once; 0: any number
  double collected = 0;                                  // share of the programmed sectors that GC copied
};

struct Bottleneck {
  /// A group of resources ("dies"), "gc", or the load: "queue_depth", "arrival_rate", "tags".
  std::string resource;
  double utilisation = 0;  // of `resource`; when the load limits, of `next`
  double part = 1;         // share of the measurement in which `resource` limited
  double waiting = 0;      // share of the mean latency that is waiting
  std::string next;        // the group that would limit next
  std::string sentence;
};

/// What limits the throughput, in this order:
///
/// 1. A server that is busy 95 % of the time or more, by its busiest member (one hot die is enough); from 85 % on
///    unless requests wait more for another group. When dies or channels are, and half of what they program are copies
///    of GC, it is GC; when the retry controllers hold their dies most of that time, it is these.
/// 2. A pool that requests wait for half of the time or more, unless a server is busy 85 %: then that one.
/// 3. In a closed loop, where a third of the mean latency or more is waiting: the group behind the largest wait; GC or
/// retries as in 1.
/// 4. The load: queue depth, by Little's law since requests hardly wait; the drive's tags when these are fewer; the
///    arrival rate of a trace.
///
/// 1 and 2 are asked for each part of the measurement, and what limits in most of them is the verdict. `next` is the
/// busiest group apart from it.
[[nodiscard]] Bottleneck find_bottleneck(const Evidence& evidence);

/// Registers bottleneck.*, found when they are read; `evidence` outlives the registry.
void register_bottleneck(Registry& registry, const std::function<Evidence()>& evidence);

}  // namespace wordline::results
