// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/config/region_age.h"

namespace wordline::nand {

/// How long the data that were there before the run have lain, by region of the logical space (precondition.ages).
/// Outside of all regions it is nand.aging.retention_days.
class RegionAges {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  RegionAges() = default;
  /// The regions of a drive that exports `user_lpages`; they do not overlap.
  RegionAges(const std::vector<config::RegionAge>& ages, std::uint64_t user_lpages) {
    for (const config::RegionAge& age : ages) {
      lpages_.push_back(config::lpages_of(age, user_lpages));
      days_.push_back(age.days);
    }
  }

  [[nodiscard]] bool empty() const { return days_.empty(); }
  /// By region.
  [[nodiscard]] const std::vector<double>& days() const { return days_; }
  /// The region in which a logical page lies, or kNone.
  [[nodiscard]] std::size_t region_of(std::uint32_t lpn) const {
    for (std::size_t i = 0; i < lpages_.size(); ++i) {
      if (lpages_[i].contains(lpn)) return i;
    }
    return kNone;
  }

 private:
  std::vector<config::LpageRange> lpages_;
  std::vector<double> days_;
};

}  // namespace wordline::nand
