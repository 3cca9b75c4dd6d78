// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "models/results/registry.h"
#include "models/results/resources.h"
#include "tlm/device/drive.h"

namespace wordline::platform {

/// What a drive did in each window of a measurement: bytes from the host and to flash, GC, erases, busy shares. The
/// windows are those of results::Resources: at most 64, of equal length but for the first and the last, and the
/// counters of their owners are read at the borders, so the lists sum to what the counters grew by.
///
/// Accuracy: the counters of the firmware come a little after the commands; the last window is as long as the
/// measurement, and what is counted in it goes on until the simulation pauses behind it.
class OverTime {
 public:
  /// Before the measurement begins. Both outlive it.
  OverTime(const device::Drive& drive, results::Resources& resources);

  /// over_time.*
  void register_statistics(results::Registry& registry) const;

 private:
  enum Counter : std::size_t { kWritten, kProgrammed, kCopied, kSuperblocks, kErases, kCount };

  const results::Resources& resources_;
  std::array<std::size_t, kCount> numbers_{};  // in resources_
};

}  // namespace wordline::platform
