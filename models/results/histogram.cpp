// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/histogram.h"

#include <algorithm>
#include <cmath>

namespace wordline::results {

void Histogram::merge(const Histogram& other) {
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    buckets_[i].count += other.buckets_[i].count;
    buckets_[i].least = std::min(buckets_[i].least, other.buckets_[i].least);
    buckets_[i].greatest = std::max(buckets_[i].greatest, other.buckets_[i].greatest);
  }
  count_ += other.count_;
  sum_ += other.sum_;
  squares_ += other.squares_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

Picoseconds Histogram::min() const { return Picoseconds(count_ == 0 ? 0 : static_cast<std::int64_t>(min_)); }
Picoseconds Histogram::max() const { return Picoseconds(static_cast<std::int64_t>(max_)); }
Picoseconds Histogram::mean() const { return Picoseconds(rounded_mean(sum_, count_)); }

Picoseconds Histogram::stddev() const {
  if (count_ < 2) return Picoseconds(0);
  // Squares around the integer part m of the mean, exact modulo 2^128 and so exact: no cancellation in floating point.
  const unsigned __int128 m = sum_ / count_;
  const unsigned __int128 around = squares_ - 2 * m * sum_ + m * m * count_;
  const auto rest = static_cast<double>(sum_ % count_);
  const auto n = static_cast<double>(count_);
  const double variance = (static_cast<double>(around) - rest * rest / n) / (n - 1);
  return Picoseconds(std::llround(std::sqrt(std::max(0.0, variance))));
}

/// Requests that are at least `percent` of all.
std::uint64_t Histogram::needed(double percent) const {
  // Ten-thousandths of a percent as an integer: 99.9 % of 1000 is 999, not 999.0000000001.
  const auto millionths = static_cast<std::uint64_t>(std::llround(std::clamp(percent, 0.0, 100.0) * 1e4));
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(count_) * millionths + 999'999) / 1'000'000);
}

Picoseconds Histogram::percentile(double percent) const {
  if (count_ == 0) return Picoseconds(0);
  const std::uint64_t needed = this->needed(percent);
  if (needed <= 1) return min();
  if (needed >= count_) return max();
  std::uint64_t before = 0;
  const Bucket* bucket = buckets_.data();
  for (; before + bucket->count < needed; ++bucket) before += bucket->count;
  const auto [count, least, greatest] = *bucket;
  if (needed == before + 1) return Picoseconds(static_cast<std::int64_t>(least));
  if (needed == before + count) return Picoseconds(static_cast<std::int64_t>(greatest));
  return Picoseconds(static_cast<std::int64_t>(least + (greatest - least) / 2));
}

}  // namespace wordline::results
