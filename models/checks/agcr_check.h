// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// Keys of [ftl.agcr] that do not fit the drive, or have no effect on it, where the policy is agcr or agcr_li.
[[nodiscard]] std::vector<Conflict> agcr_conflicts(const Config& config, std::string_view policy);

}  // namespace wordline::config
