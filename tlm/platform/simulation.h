// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tlm/platform/ssd_top.h"

namespace wordline::platform {

/// Runs the drive until its driver is done; calls `progress` every few milliseconds of simulated time. Throws
/// std::runtime_error when a read returned wrong data (with the first messages of the oracle), when the drive stops with
/// requests in flight, or sc_report when a module reported an error.
void simulate(SsdTop& ssd, const std::function<void()>& progress);

}  // namespace wordline::platform
