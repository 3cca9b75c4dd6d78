// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tlm/platform/measurement.h"
#include "tlm/platform/ssd_top.h"

namespace wordline::platform {

/// How a run ended; simulated time is where it ended.
struct Ending {
  enum class Status : std::uint8_t { kCompleted, kInterrupted, kFailed };
  Status status = Status::kCompleted;
  std::string reason;  // empty: completed
};

constexpr Picoseconds kPauseEvery(2'000'000'000);

/// Runs the drive until its driver is done; calls `progress` every few milliseconds of simulated time (at most
/// kPauseEvery apart) and ends when that says false. The run fails
/// when a read returned wrong data (the reason has the first messages of the oracle), when the drive stops with
/// requests in flight, or when a module reported an error. It is interrupted when a StopSignal has come, between two
/// calls of `progress`. The drive can be asked for its statistics in each case; the measurement has ended.
/// `alone`: there are no other modules in the simulation, so the drive may run ahead of the kernel. The run is over at
/// `until`, which is not 0.
[[nodiscard]] Ending simulate(SsdTop& ssd, Measurement& measurement, const std::function<bool()>& progress, bool alone,
                              Picoseconds until = Picoseconds(INT64_MAX));

}  // namespace wordline::platform
