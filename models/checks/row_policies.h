// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace wordline::config {

/// Policies that fill superblocks row by row and program as the device does.
inline constexpr std::string_view kRowPolicies[] = {"page_greedy", "page_cost_benefit", "page_d_choices",
                                                    "page_fifo",   "page_hot_cold",     "sepbit"};

[[nodiscard]] inline bool is_row_policy(std::string_view policy) {
  return std::find(std::begin(kRowPolicies), std::end(kRowPolicies), policy) != std::end(kRowPolicies);
}
/// Their names, for messages.
[[nodiscard]] inline std::string row_policies() { return fmt::format("{}", fmt::join(kRowPolicies, ", ")); }

}  // namespace wordline::config
