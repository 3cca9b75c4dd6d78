// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/registry.h"
#include "tlm/device/drive.h"

namespace wordline::platform {

/// What the firmware counted, as it stands in the drive's memory: a statistic for each row of
/// models/firmware/contract/counters.def that has a path.
void register_counters(results::Registry& registry, const device::Drive& drive);

}  // namespace wordline::platform
