// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/results/bottleneck.h"
#include "models/results/report.h"
#include "models/results/what_if.h"
#include "tlm/platform/measurement.h"
#include "tlm/platform/simulation.h"

namespace wordline::platform {

/// What the modules of a drive do not have of the run.
struct RunDescription {
  const tlm_if::SimulationContext* context = nullptr;  // of the simulation; null: there was none
  std::uint64_t seed = 0;
  std::string config_sha256;
  std::string workload;              // file and contents in a line
  std::vector<std::string> command;  // command as typed; empty: of a program of its own
  Ending ending;
  results::WhatIf what_if{};  // forecast of --what-if
};

/// The stages of a request, in the order of tlm_if::Stage.
[[nodiscard]] std::vector<results::StageName> stage_names();

/// "completed", "interrupted", "failed".
[[nodiscard]] const char* status_name(Ending::Status status);

/// Requests that all jobs of the workload together keep in flight; 0 = open loop, or from outside.
[[nodiscard]] std::uint64_t queue_depth_of(const workload::Source& source);

/// What a report is made from. Everything outlives it.
struct MeasuredDrive {
  const device::Drive& drive;
  const host::Testbed& testbed;
  const Measurement& measurement;
  const results::RequestStatistics& request_statistics;
  const workload::Source& source;
};

/// What limits is found from this.
[[nodiscard]] results::Evidence evidence_of(const MeasuredDrive& measured);

/// What can be said of a run that had no drive yet: version, seed, configuration, workload, how it
/// ended, the command.
void register_run(results::Registry& registry, const RunDescription& run);

/// Registers all statistics of a drive: those of register_run(), those of its modules, in the order of result.json, and
/// those that none of them owns. `run` outlives the registry, for what its experiments find.
void register_statistics(results::Registry& registry, const MeasuredDrive& measured, const RunDescription& run);

/// For the text of what engines in gates count: a drive that has everything else has none.
void explain_engine_clocks(results::Registry& registry);

/// What a drive did for whoever drives it, by the commands that it took.
void register_commands(results::Registry& registry, const device::Drive& drive);

/// As above, of a drive that somebody else drives (DriveEndpoint): what the drive can say by itself. Requests and their
/// latencies are its host's matter.
void register_statistics(results::Registry& registry, const device::Drive& drive, const DriveMeasurement& measurement,
                         const RunDescription& run);

}  // namespace wordline::platform
