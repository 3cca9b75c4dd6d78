// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// Keys of [host] that do not fit each other: cores, queue pairs and their classes, coalescing.
[[nodiscard]] std::vector<Conflict> host_conflicts(const Config& config);

}  // namespace wordline::config
