// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wordline::workload {

/// Ranks by Zipf's law in its continuous form: rank r of [0, n) has the area below x^-theta from r + 1 to r + 2, as a
/// share of the whole. The inverse has a closed form, so a draw costs two powers and no table, for any theta >= 0; 1
/// and 0 (uniform) are no special cases to the user. Against the sum of r^-theta the first rank gets less (theta 1:
/// 0.69 instead of 1, in units of the tail): who knows the share of the hottest page states it by itself.
class ZipfRank {
 public:
  ZipfRank() = default;
  ZipfRank(std::uint64_t n, double theta);

  /// Rank for a number of [0, 1).
  [[nodiscard]] std::uint64_t operator()(double uniform) const;
  /// Share of the draws that goes to the first `ranks`.
  [[nodiscard]] double share(double ranks) const;

 private:
  [[nodiscard]] double area(double x) const;

  std::uint64_t n_ = 1;
  double theta_ = 0;
  double total_ = 1;
};

}  // namespace wordline::workload
