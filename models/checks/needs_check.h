// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/checks/validate.h"
#include "models/config/schema.h"

namespace wordline::config {

/// A key's value as a user writes it after --set; text in quotes.
[[nodiscard]] std::string typed_value(const Key& key, const Config& config);

/// Keys beside their defaults that have no effect, because another key has not the value that their row needs.
[[nodiscard]] std::vector<Conflict> unmet_needs(const Config& config);

}  // namespace wordline::config
