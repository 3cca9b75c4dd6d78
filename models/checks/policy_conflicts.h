// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// What does not fit the policy of the FTL: keys of other policies, and what it asks of the flash.
[[nodiscard]] std::vector<Conflict> policy_conflicts(const Config& config);

}  // namespace wordline::config
