// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// What the firmware cannot do on a drive with parity over dies (ftl.parity = dies), and dies that die
/// (nand.faults.dead_dies) that do not exist. `policy`: the name of ftl.policy.
[[nodiscard]] std::vector<Conflict> parity_conflicts(const Config& config, std::string_view policy);

}  // namespace wordline::config
