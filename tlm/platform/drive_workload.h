// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"
#include "models/config/namespaces.h"
#include "models/workload/source.h"

namespace wordline::platform {

/// What a workload has to know of the drive that it runs on, and the seed of the run.
[[nodiscard]] inline workload::LoadOptions load_options_of(const config::Config& config, const config::Layout& layout) {
  workload::LoadOptions options;
  options.drive_lbas = layout.lpage.first_lba(layout.user_lpages);
  options.seed = config.run.seed;
  for (const config::Namespace& each : config::namespaces_of(config, options.drive_lbas)) {
    options.namespaces.push_back({each.first, each.lbas});
  }
  return options;
}

}  // namespace wordline::platform
