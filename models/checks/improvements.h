// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/checks/load.h"

namespace wordline::config {

/// What a run of a drive says about which improvements can matter for it.
struct Need {
  bool reads = true, writes = true;  // reads of the host
  bool collected = true;             // GC moved data
  bool open_loop = false;            // requests arrive at times of their own
  bool paced = false;                // the workload has pauses or rates that a faster host would not have
  std::uint64_t queue_depth = 0;     // 0: open loop
  // A request, or GC, waited for it.
  bool read_buffer = true, write_buffer = true, gc_buffer = true;
};

/// One resource of a drive twice as good, or a time of it half as long.
struct Improvement {
  std::string resource;  // resource as in bottleneck.resource
  std::string change;    // "dies x2"
  /// "key=value", the first of them that makes a valid drive. Several: a geometry allows one or the other.
  std::vector<std::vector<std::string>> ways;
  std::vector<std::string> notes;  // notes of a way, what else it changes; may be shorter than `ways`
  bool deeper = false;             // not the drive: twice the requests in flight
  bool faster_host = false;        // not the drive: twice the rate, half the think time
  std::string why_not;             // it cannot apply: the reason
};

/// The table of improvements, a row for each resource, with the keys of this drive. `workload` as it ran.
///
/// The drive keeps its capacity in each of them but that of over-provisioning: more dies have half of the word lines of
/// a layer, so that superblocks keep their size and their number, and with them write amplification; where that is odd,
/// half of the blocks.
[[nodiscard]] std::vector<Improvement> improvements(const Loaded& loaded, const Need& workload);

/// The first way of `improvement` that makes a valid drive, on top of `sets`: its number. Empty reason: there is one.
struct Way {
  std::vector<std::string> sets;
  std::string note;
  std::string why_not;
};
[[nodiscard]] Way valid_way(const Improvement& improvement, const std::string& config,
                            const std::vector<std::string>& sets);

}  // namespace wordline::config
