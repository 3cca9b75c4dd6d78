// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// What a channel in gates (channels.model = rtl) cannot be, and keys of it that have no effect.
[[nodiscard]] std::vector<Conflict> rtl_channel_conflicts(const Config& config);

}  // namespace wordline::config
