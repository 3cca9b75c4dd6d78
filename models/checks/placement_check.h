// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// What Flexible Data Placement (ftl.fdp) cannot live with.
[[nodiscard]] std::vector<Conflict> placement_conflicts(const Config& config, std::string_view policy);

}  // namespace wordline::config
