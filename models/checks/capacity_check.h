// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// Pages, blocks and dies that no layout can be made of.
[[nodiscard]] std::vector<Conflict> geometry_conflicts(const Config& config);

/// What the drive has no room for: row addresses, memory of the firmware, buffers, superblocks to spare. The geometry
/// is good. `alone`: nothing else is wrong, so that drawing the bad blocks is worth while.
[[nodiscard]] std::vector<Conflict> capacity_conflicts(const Config& config, bool alone);

}  // namespace wordline::config
