// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/profile/size_deck.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "models/units/index.h"

namespace wordline::workload {
namespace {

/// Quantile of the standard normal distribution, by bisection of erfc: 4096 of them are needed, once.
double normal_quantile(double p) {
  double low = -9, high = 9;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < p ? low : high) = middle;
  }
  return low;
}

}  // namespace

SizeDeck::SizeDeck(const SizeParameters& parameters, std::uint64_t key) : order_(kCards, key) {
  double share = 0;
  std::size_t filled = 0;
  for (const SizeMode& mode : parameters.modes) {
    share += mode.share;
    const auto end = std::min(kCards, static_cast<std::size_t>(std::lround(share * kCards)));
    std::fill(blocks_.begin() + static_cast<std::ptrdiff_t>(std::min(filled, end)),
              blocks_.begin() + static_cast<std::ptrdiff_t>(end), static_cast<std::uint32_t>(mode.bytes / kLbaBytes));
    filled = std::max(filled, end);
  }
  if (share > 1 + 1e-9) throw std::invalid_argument("modes: their shares are more than 1 in all; make them smaller");
  if (filled < kCards) fill_tail(parameters, filled);
  const auto sum = std::accumulate(blocks_.begin(), blocks_.end(), std::uint64_t{0});
  const double mean = static_cast<double>(sum) / kCards;
  const double asked = parameters.mean / kLbaBytes;
  if (asked > 0 && std::abs(mean / asked - 1) > 0.01) {
    throw std::invalid_argument(
        fmt::format("mean: {:.0f} bytes cannot be met, the modes and their rest come to {:.0f}; change modes, "
                    "granularity or max",
                    parameters.mean, mean * kLbaBytes));
  }
}

/// The rest of the deck is quantiles of a lognormal whose median is found so that the deck has its mean.
void SizeDeck::fill_tail(const SizeParameters& parameters, std::size_t first) {
  if (parameters.mean <= 0) {
    throw std::invalid_argument("mean: missing, and the modes leave a rest; give the mean, or modes that sum to 1");
  }
  const std::size_t rest = kCards - first;
  std::vector<double> factors(rest);
  for (std::size_t i = 0; i < rest; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(rest);
    factors[i] = std::exp(parameters.sigma * normal_quantile(p));
  }
  const auto unit = static_cast<std::uint32_t>(parameters.granularity / kLbaBytes);
  const double least = std::max(1.0, std::ceil(parameters.min / parameters.granularity));
  const double most = std::floor(parameters.max / parameters.granularity);
  if (most < least) throw std::invalid_argument("max: less than min; make it larger");
  const auto deal = [&](double median) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < rest; ++i) {
      const double units = std::clamp(std::round(median * factors[i]), least, most);
      blocks_[first + i] = static_cast<std::uint32_t>(units) * unit;
      sum += blocks_[first + i];
    }
    return static_cast<double>(sum);
  };
  const auto modes = std::accumulate(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(first), 0.0);
  const double wanted = parameters.mean / kLbaBytes * kCards - modes;
  double low = std::log(1e-6), high = std::log(1e9);
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (deal(std::exp(middle)) < wanted ? low : high) = middle;
  }
  // Rounding to units moves the sum in steps when all of the rest is as long: what is missing goes to single cards.
  auto missing = static_cast<std::int64_t>((wanted - deal(std::exp(low))) / unit);
  for (std::size_t i = first; i < kCards && missing > 0; ++i) {
    if (blocks_[i] / unit >= static_cast<std::uint32_t>(most)) continue;
    blocks_[i] += unit;
    --missing;
  }
}

std::uint32_t SizeDeck::max_nlb() const { return *std::max_element(blocks_.begin(), blocks_.end()); }

double SizeDeck::share_from(double bytes) const {
  const auto n = std::count_if(blocks_.begin(), blocks_.end(), [&](std::uint32_t b) { return b * kLbaBytes >= bytes; });
  return static_cast<double>(n) / kCards;
}

}  // namespace wordline::workload
