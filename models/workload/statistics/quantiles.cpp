// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/statistics/quantiles.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace wordline::workload {
namespace {

constexpr std::size_t kMostValues = std::size_t{1} << 20;
constexpr unsigned kDigits = 15;  // 2^14 values for each of 64 highest digits: never more than kMostValues

std::uint64_t rounded(std::uint64_t value) {
  unsigned dropped = 0;
  while (value >> dropped >> kDigits != 0) ++dropped;
  return value >> dropped << dropped;
}

}  // namespace

void Quantiles::add(std::uint64_t value) {
  ++count_;
  ++times_[exact_ ? value : rounded(value)];
  if (!exact_ || times_.size() <= kMostValues) return;
  exact_ = false;
  const auto before = std::exchange(times_, {});
  for (const auto& [old, n] : before) times_[rounded(old)] += n;
}

std::uint64_t Quantiles::at(double p) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted(times_.begin(), times_.end());
  std::sort(sorted.begin(), sorted.end());
  const double rank = std::ceil(p * static_cast<double>(count_));
  std::uint64_t below = 0;
  for (const auto& [value, n] : sorted) {
    below += n;
    if (static_cast<double>(below) >= rank) return value;
  }
  return 0;
}

}  // namespace wordline::workload
