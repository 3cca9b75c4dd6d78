// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/device/cpu/core_statistics.h"

namespace wordline::cpu {

/// Mean cycles of a stretch of firmware, by cost tag: what native mode charges.
struct NativeCosts {
  std::array<double, WL_COST_COUNT> cycles{};
};

/// The built-in table, tlm/device/cpu/native_costs.table, for an FTL policy.
[[nodiscard]] NativeCosts builtin_native_costs(std::string_view policy = "page_greedy");

/// Reads a table: one `tag_name = cycles` per line, # begins a comment, every tag exactly once; and at most once
/// `policy.tag_name = cycles`, which takes the place of the tag's where `policy` is that of the drive. Throws
/// std::runtime_error ("file:line: what is wrong and how to mend it"). An empty path gives the built-in table.
[[nodiscard]] NativeCosts load_native_costs(const std::string& path, std::string_view policy = "page_greedy");

/// Writes the mean cycles per entry over all cores in that form. A tag that the run never entered keeps its built-in
/// value and says so in a comment. Throws std::runtime_error when the file cannot be written.
void write_native_costs(const std::string& path, const std::vector<CoreStatistics>& cores);

}  // namespace wordline::cpu
