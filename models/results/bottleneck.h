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

/// The time of all requests in a stage.
struct StageShare {
  std::string wait;  // the group of resources that one waits for there, "dies"; empty: being served
  double time = 0;   // any unit
  std::string
      server;  // being served: what a shorter stage is a matter of, "t_r"; empty: of none that there is a key for
};

/// A job of a closed loop: how many requests it may have in flight and has, while it runs.
struct JobLoad {
  double requests = 0;
  double in_flight = 0;
  std::uint64_t queue_depth = 0;
};

/// What a verdict is found from.
struct Evidence {
  bool measured = true;                                  // false: no request completed in the measurement
  std::vector<GroupShares> shares;                       // shares over the measurement
  std::vector<std::vector<GroupShares>> shares_by_part;  // shares by part over equal parts of it
  std::vector<StageShare> stages;                        // stages in the order of a request
  std::uint64_t queue_depth = 0;                         // requests that all jobs together keep in flight; 0: open loop
  double in_flight = 0;                                  // requests in the mean, flushes apart: rate x latency
  double flushing = 0;                                   // flushes in the mean
  std::vector<JobLoad> jobs;                             // jobs of a closed loop
  std::uint64_t tags = 0;                                // commands that the drive takes at once; 0: any number
  double collected = 0;                                  // share of the programmed logical pages that GC copied
  double reads = 0;                                      // share of the requests
  double without_data = 0;                               // share of what was read that had never been written
};

struct Bottleneck {
  /// A group of resources ("dies"), "gc", a time of the drive ("t_r"), the load ("host", "queue_depth", "arrival_rate",
  /// "tags"), or that there is no verdict ("no_data", "none").
  std::string resource;
  double utilisation = 0;  // utilisation of `resource`; where that is no group, of `busiest`
  double part = 1;         // share of the measurement in which `resource` limited
  double waiting = 0;      // share of the mean latency that is waiting
  std::string busiest;     // the busiest group of servers apart from `resource`
  std::string sentence;
};

/// What limits the throughput, by what fills the time of requests, in this order:
///
/// 1. Where reads met no data there is no verdict. Where most requests of a closed loop are of jobs that have far fewer
///    in flight than they may have, by Little's law, it is the host: its rate, its think time.
/// 2. Where a third of the mean latency or more is waiting: the group behind the largest wait, but none whose busiest
///    member is less than half busy. Behind a pool (a buffer, free space, tags) is the server that drains it, if one is
///    busy 85 %. When dies or channels are it, and half of what they program are copies of GC, it is GC; when the retry
///    controllers hold their dies most of that time, it is these.
/// 3. A server that is busy 95 % of the time or more: requests may wait for it in a stage of another name. So it comes
///    before a server of 2 that is clearly less busy, by 5 % or more.
/// 4. In a closed loop the longest time of being served, where it is a third of the latency or more: tR, a retry, the
///    program that a FLUSH waits for. A shorter one, or more requests in flight, make the drive faster.
/// 5. The load: queue depth, the drive's tags when these are fewer, the arrival rate of an open loop.
///
/// In an open loop 3 comes before 2, and a pool limits that is waited for half of the time. 2 and 3 are asked for each
/// part of the measurement, and what limits in most of them is the verdict.
///
/// Known gap: a wait says where requests queue, not by how much they would be faster; that takes the experiment
/// (`wordline run --what-if`).
[[nodiscard]] Bottleneck find_bottleneck(const Evidence& evidence);

/// Registers bottleneck.*, found when they are read; `evidence` outlives the registry.
void register_bottleneck(Registry& registry, const std::function<Evidence()>& evidence);

}  // namespace wordline::results
