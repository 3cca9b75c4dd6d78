// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"
#include "models/precondition/initial_state.h"
#include "models/results/steady/steady_meter.h"
#include "models/workload/source.h"
#include "tlm/device/drive.h"

namespace wordline::platform {

/// Whether the run ends by itself (run.until), so that the workload need have no end.
[[nodiscard]] bool ends_by_itself(const config::Config& config);

/// The meter of a run, which begins with the measurement. Drive and source outlive it. `state`: that the drive begins
/// with; null: fresh, or filled by rule.
[[nodiscard]] results::SteadyMeter steady_meter(const config::Config& config, const config::Layout& layout,
                                                const device::Drive& drive, const workload::Source& source,
                                                const precondition::InitialState* state);

}  // namespace wordline::platform
