// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// What a channel in gates (channels.model = rtl) cannot be, and keys of a channel that have no effect.
[[nodiscard]] std::vector<Conflict> channel_conflicts(const Config& config);

}  // namespace wordline::config
