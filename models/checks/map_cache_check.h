// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// What contradicts a cached map (ftl.map_cache). `policy`: the name of ftl.policy.
[[nodiscard]] std::vector<Conflict> map_cache_conflicts(const Config& config, std::string_view policy);

}  // namespace wordline::config
