// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// What keeps the firmware from mounting such a drive after a power cut (ftl.recovery = scan).
[[nodiscard]] std::vector<Conflict> recovery_conflicts(const Config& config, std::string_view policy);

}  // namespace wordline::config
