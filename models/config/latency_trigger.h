// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/units/quantity.h"

namespace wordline::config {

/// Requests that took longer than `above`; of one operation, or with an empty `op` of any.
struct LatencyTrigger {
  std::string op;  // "", "read", "write", "flush", "trim"
  Picoseconds above{};
};

/// "latency > 2ms", "read latency > 500us". Empty when `text` is none of this form.
[[nodiscard]] std::optional<LatencyTrigger> parse_latency_trigger(std::string_view text);

}  // namespace wordline::config
