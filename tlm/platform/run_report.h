// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"
#include "models/results/report.h"
#include "tlm/platform/ssd_top.h"

namespace wordline::platform {

/// Gathers what the modules of a finished run counted. `workload` and `config_sha256` are left to the caller.
[[nodiscard]] results::Report report_of(const SsdTop& ssd, const config::Config& config,
                                        const results::Collector& collector, const workload::Source& source);

}  // namespace wordline::platform
