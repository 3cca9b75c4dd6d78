// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wordline::config {

/// How long the data in a region of the logical space have lain when the run begins.
struct RegionAge {
  double from = 0, to = 0;  // percent of the exported capacity
  double days = 0;
};

/// "0-50%: 90d". Empty when `text` is none: from 0 to 100 %, the region not empty, at most 36,500 days.
[[nodiscard]] std::optional<RegionAge> parse_region_age(std::string_view text);

/// Logical pages from `begin` up to `end`, which is not one of them.
struct LpageRange {
  std::uint64_t begin, end;

  [[nodiscard]] bool empty() const { return begin == end; }
  [[nodiscard]] bool contains(std::uint64_t lpn) const { return begin <= lpn && lpn < end; }
};
/// The logical pages of a region; where one region ends another may begin.
[[nodiscard]] inline LpageRange lpages_of(const RegionAge& region, std::uint64_t user_lpages) {
  const auto border = [user_lpages](double percent) {
    return static_cast<std::uint64_t>(std::llround(percent / 100 * static_cast<double>(user_lpages)));
  };
  return {border(region.from), border(region.to)};
}

}  // namespace wordline::config
