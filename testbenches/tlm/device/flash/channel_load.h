// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "testbenches/tlm/device/flash/controller_bench.h"

namespace wordline::testing {

/// A channel of `dies` packages of one die each, of a drive with one channel.
[[nodiscard]] config::Config channel_of(config::Config config, unsigned dies);

/// Sequential work for every die of a bench, all of it queued at once, and the bandwidth in the middle of it.
class SequentialLoad {
 public:
  /// `jobs_per_die` jobs: whole pages of one plane, or of all planes, from block 0 on.
  static void reads(ControllerBench& bench, std::uint32_t jobs_per_die, bool multi_plane);
  /// The same, page `page` of one block after the other: all reads take the same tR.
  static void reads_of(std::uint32_t page, ControllerBench& bench, std::uint32_t jobs_per_die, bool multi_plane);
  /// Whole units from block 0 on, which has to be erased.
  static void programs(ControllerBench& bench, std::uint32_t jobs_per_die);

  /// Bytes per second of host data when jobs of `bytes` bytes have completed: from the end of the first quarter of the
  /// jobs over as many whole rounds (every die, every page type) as fit into the next half. The mean over the jobs of
  /// one round, from each of which it could be counted: dies that share the bus end in pairs.
  static double bytes_per_second(const ControllerBench& bench, double bytes);
};

}  // namespace wordline::testing
