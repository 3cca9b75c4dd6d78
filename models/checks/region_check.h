// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// Keys of [nand.region] and [ftl.mpnfm] that do not fit the drive, or have no effect on it. Whether the data of the
/// host fit the other pages is part of the capacity (validate.cpp).
[[nodiscard]] std::vector<Conflict> region_conflicts(const Config& config, std::string_view policy);

}  // namespace wordline::config
