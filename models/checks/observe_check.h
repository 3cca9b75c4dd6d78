// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// Keys of [observe] that do not fit each other or the drive.
[[nodiscard]] std::vector<Conflict> observe_conflicts(const Config& config);

}  // namespace wordline::config
