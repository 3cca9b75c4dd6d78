// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "models/checks/validate.h"
#include "models/firmware/contract/boot_info.h"

namespace wordline::config {

/// Wear levelling, read reclaim, refresh and patrol (docs/wear.md): where the firmware cannot do what the keys say, or
/// where they have no effect.
[[nodiscard]] std::vector<Conflict> upkeep_conflicts(const Config& config, std::string_view policy);

/// What the firmware goes by. `superblocks`: of the drive.
[[nodiscard]] wl_upkeep_rules upkeep_rules(const Config& config, std::uint32_t superblocks);

}  // namespace wordline::config
