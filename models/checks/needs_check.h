// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// Keys beside their defaults that have no effect, because another key has not the value that their row needs.
[[nodiscard]] std::vector<Conflict> unmet_needs(const Config& config);

}  // namespace wordline::config
