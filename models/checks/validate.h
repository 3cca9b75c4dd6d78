// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/config/config.h"

namespace wordline::config {

/// Values that are each good but do not fit together.
struct Conflict {
  std::vector<std::string_view> keys;  // keys that take part; the one set last is at fault
  std::string text;
};

/// Everything that one value alone cannot show: geometry, capacity, buffers, lists by cell type.
[[nodiscard]] std::vector<Conflict> conflicts(const Config& config);

}  // namespace wordline::config
