// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/checks/validate.h"

namespace wordline::config {

/// When a run ends (run.until).
struct RunUntil {
  enum class Rule : std::uint8_t { kEnd, kInterval, kSnia };
  Rule rule = Rule::kEnd;
  double width = 0;  // kInterval: of the 95 % intervals, as a share of their values
};

/// "end", "snia", or a share from 0.1% to 50%. Empty when `text` is none of these.
[[nodiscard]] std::optional<RunUntil> parse_run_until(std::string_view text);

/// Keys of [run] that do not fit each other.
[[nodiscard]] std::vector<Conflict> run_conflicts(const Config& config);

}  // namespace wordline::config
