// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// What engines in gates (engines.model = rtl) do not know, and keys of them that have no effect.
[[nodiscard]] std::vector<Conflict> gates_conflicts(const Config& config);

}  // namespace wordline::config
