// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/bit_error_draw.h"

#include <algorithm>
#include <cmath>

#include "models/units/log_gamma.h"

namespace wordline::nand {

namespace {

constexpr double kLowest = 1e-8;
constexpr double kHighest = 0.1;
constexpr double kRatio = 0.01;          // natural logarithm between buckets
constexpr double kNegligible = 0x1p-54;  // below the resolution of u

}  // namespace

BinomialTable::BinomialTable(unsigned trials)
    : trials_(trials), buckets_(static_cast<std::size_t>(std::lround(std::log(kHighest / kLowest) / kRatio)) + 1) {}

void BinomialTable::make(std::size_t index) const {
  const double n = trials_;
  const double p = kLowest * std::exp(kRatio * static_cast<double>(index));
  const double odds = p / (1 - p);
  const auto mode = std::min(trials_, static_cast<unsigned>((n + 1) * p));
  const double at_mode = std::exp(log_gamma(n + 1) - log_gamma(mode + 1.0) - log_gamma(n - mode + 1.0) +
                                  mode * std::log(p) + (n - mode) * std::log1p(-p));
  // Downwards from the mode, then upwards, each by the ratio of neighbouring terms.
  std::vector<double> terms;
  unsigned first = mode;
  for (double term = at_mode; term > kNegligible; --first) {
    terms.push_back(term);
    if (first == 0) break;
    term *= first / ((n - first + 1) * odds);
  }
  Bucket& bucket = buckets_[index];
  bucket.first = mode + 1 - static_cast<unsigned>(terms.size());
  std::reverse(terms.begin(), terms.end());
  double term = at_mode;
  for (unsigned k = mode; k < trials_; ++k) {
    term *= (n - k) * odds / (k + 1.0);
    if (term <= kNegligible) break;
    terms.push_back(term);
  }
  double sum = 0;
  for (const double value : terms) bucket.cdf.push_back(steps_below(sum += value));
  std::uint32_t entry = 0;
  for (std::uint64_t part = 0; part < kParts; ++part) {
    while (entry + 1 < bucket.cdf.size() && bucket.cdf[entry] <= part << (53 - kPartBits)) ++entry;
    bucket.start[part] = static_cast<std::uint16_t>(entry);
  }
}

std::size_t BinomialTable::bucket(double rate) {
  if (!(rate >= kLowest)) return 0;
  static const double kLogLowest = std::log(kLowest);
  const double x = (std::log(rate) - kLogLowest) / kRatio + 0.5;
  return static_cast<std::size_t>(x);
}

BinomialTable::Distribution BinomialTable::distribution(double rate, std::size_t index) const {
  if (!(rate > 0) || trials_ == 0) return Distribution(1);
  if (rate < kLowest) return Distribution(1 - rate * trials_);
  index = std::min(index, buckets_.size() - 1);
  if (buckets_[index].cdf.empty()) make(index);
  return Distribution(buckets_[index]);
}

std::size_t BinomialTable::memory_bytes() const {
  std::size_t bytes = buckets_.capacity() * sizeof(Bucket);
  for (const Bucket& bucket : buckets_) bytes += bucket.cdf.capacity() * sizeof(std::uint64_t);
  return bytes;
}

}  // namespace wordline::nand
