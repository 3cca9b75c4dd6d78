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
  /// Of a drive that exports `user_sectors`; the regions do not overlap.
  RegionAges(const std::vector<config::RegionAge>& ages, std::uint64_t user_sectors) {
    for (const config::RegionAge& age : ages) {
      sectors_.push_back(config::sectors_of(age, user_sectors));
      days_.push_back(age.days);
    }
  }

  [[nodiscard]] bool empty() const { return days_.empty(); }
  /// By region.
  [[nodiscard]] const std::vector<double>& days() const { return days_; }
  /// The region in which a sector lies, or kNone.
  [[nodiscard]] std::size_t region_of(std::uint32_t lpn) const {
    for (std::size_t i = 0; i < sectors_.size(); ++i) {
      if (sectors_[i].contains(lpn)) return i;
    }
    return kNone;
  }

 private:
  std::vector<config::SectorRange> sectors_;
  std::vector<double> days_;
};

}  // namespace wordline::nand
