// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tlm/platform/measurement.h"

namespace wordline::platform {

/// How a run ended; simulated time is where it ended.
struct Ending {
  enum class Status : std::uint8_t { kCompleted, kInterrupted, kFailed };
  Status status = Status::kCompleted;
  std::string reason;  // empty: completed
};

/// What is simulated.
struct Simulated {
  tlm_if::SimulationContext& context;
  device::Drive& drive;
  host::Testbed& testbed;
  Measurement& measurement;
  const config::Config& config;
  Picoseconds until{INT64_MAX};  // the run is over then; not 0
};

constexpr Picoseconds kPauseEvery(2'000'000'000);

/// Runs the drive until its driver is done; calls `progress` every few milliseconds of simulated time (at most
/// kPauseEvery apart) and ends when that says false. The run fails
/// when a read returned wrong data (the reason has the first messages of the oracle), when the drive stops with
/// requests in flight, or when a module reported an error. It is interrupted when a StopSignal has come, between two
/// calls of `progress`. The drive can be asked for its statistics in each case; the measurement has ended.
/// `alone`: there are no other modules in the simulation, so the drive may run ahead of the kernel.
[[nodiscard]] Ending simulate(const Simulated& simulated, const std::function<bool()>& progress, bool alone);

/// How a run has ended whose driver is done; that has stopped with requests in flight; in which a module reported this.
/// For who calls the alarms himself.
[[nodiscard]] Ending ending_when_done(const Simulated& simulated);
[[nodiscard]] Ending ending_when_stopped(const Simulated& simulated);
[[nodiscard]] Ending ending_when_failed(const Simulated& simulated, const sc_core::sc_report& report);

/// Runs several drives until the driver of each is done, on `threads` threads (0: one for each drive), without the
/// kernel: simulated time is each drive's own, and no module of others may be connected with them. Results are those of
/// simulate(). Everything must be constructed; the endings are in the order of the drives. No core may
/// be a process of the kernel (cpu.model = iss with cpu.quantum = 0).
[[nodiscard]] std::vector<Ending> simulate_together(const std::vector<Simulated>& drives, unsigned threads = 0);

}  // namespace wordline::platform
