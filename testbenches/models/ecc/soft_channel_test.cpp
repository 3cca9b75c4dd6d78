// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/soft_channel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "models/units/keyed_random.h"

namespace wordline::ecc::testing {
namespace {

double sum(const std::array<double, kMaxRegions>& p) { return std::accumulate(p.begin(), p.end(), 0.0); }

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Mutual information of the bit and the region, by the definition.
double information(const SoftLevel& level, double sigma, double spacing) {
  const SoftChannel c = gaussian_channel(level, {-1, sigma}, {1, sigma}, 0, spacing);
  double bits = 0;
  for (unsigned r = 0; r < level.regions; ++r) {
    const double both = c.wrong[r] + c.right[r];
    if (level.reads == 2 && r == 0) continue;  // no centre read: an erasure says nothing
    for (const double p : {c.wrong[r], c.right[r]}) {
      if (p > 0) bits += p * std::log2(2 * p / both);
    }
  }
  return bits;
}

TEST(SoftChannel, SpacingsCarryTheMostInformation) {
  const double sigma = 1 / 2.1200716897421507;  // error rate 1.7e-2
  for (const unsigned reads : {2U, 3U, 5U, 7U}) {
    const SoftLevel& level = soft_level(reads);
    double best = 0;
    double at = 0;
    for (double spacing = 0.05; spacing < 0.6; spacing += 0.001) {
      const double bits = information(level, sigma, spacing);
      if (bits > best) {
        best = bits;
        at = spacing;
      }
    }
    EXPECT_NEAR(level.spacing, at, 0.0015) << reads;
  }
}

TEST(SoftChannel, RegionsOfTwoGaussiansAreTheirAreas) {
  const SoftLevel& level = soft_level(7);
  const SoftChannel c = gaussian_channel(level, {100, 12}, {160, 15}, 127, 6);
  const auto below = [](double v, double mean, double sigma) { return normal_cdf((v - mean) / sigma); };
  EXPECT_NEAR(sum(c.wrong) + sum(c.right), 1.0, 1e-12);
  EXPECT_NEAR(c.error_rate(), 0.5 * (1 - below(127, 100, 12)) + 0.5 * below(127, 160, 15), 1e-12);
  // Region 1 of the wrong bits: lower cells read in [133, 139), upper ones in [115, 121).
  EXPECT_NEAR(c.wrong[1], 0.5 * (below(139, 100, 12) - below(133, 100, 12) + below(121, 160, 15) - below(115, 160, 15)),
              1e-12);
  EXPECT_NEAR(c.right[1], 0.5 * (below(121, 100, 12) - below(115, 100, 12) + below(139, 160, 15) - below(133, 160, 15)),
              1e-12);
  EXPECT_NEAR(c.wrong[3], 0.5 * (1 - below(145, 100, 12)) + 0.5 * below(109, 160, 15), 1e-12);
}

TEST(SoftChannel, SymmetricChannelHasTheRateAskedFor) {
  for (const double rate : {1e-4, 5e-3, 1.5e-2, 0.2}) {
    for (const unsigned reads : {1U, 3U, 7U}) {
      EXPECT_NEAR(symmetric_channel(soft_level(reads), rate).error_rate() / rate, 1.0, 1e-9);
    }
  }
  EXPECT_THROW((void)symmetric_channel(soft_level(3), 0.0), std::invalid_argument);
  EXPECT_THROW((void)symmetric_channel(soft_level(3), 0.5), std::invalid_argument);
  EXPECT_THROW((void)gaussian_channel(soft_level(3), {1, 1}, {0, 1}, 0, 0.1), std::invalid_argument);
}

TEST(SoftChannel, KnowsItsLevels) {
  EXPECT_EQ(soft_level(5).regions, 3U);
  EXPECT_EQ(soft_level(5).llr, kFiveReadLlr);
  EXPECT_THROW((void)soft_level(4), std::invalid_argument);
}

TEST(SoftChannel, BinomialDrawsHaveTheMomentsOfTheBinomial) {
  for (const auto& [trials, p] : {std::pair<unsigned, double>{18400, 0.05}, {150, 0.6}, {150, 0.004}, {7, 0.5}}) {
    double mean = 0;
    double square = 0;
    constexpr unsigned kDraws = 20000;
    for (unsigned i = 0; i < kDraws; ++i) {
      const double k = draw_binomial(trials, p, unit_interval(keyed_hash(5, trials, i)));
      mean += k / kDraws;
      square += k * k / kDraws;
    }
    const double variance = trials * p * (1 - p);
    EXPECT_NEAR(mean, trials * p, 4 * std::sqrt(variance / kDraws)) << trials;
    EXPECT_NEAR((square - mean * mean) / variance, 1.0, 4 * std::sqrt((2 + 1 / variance) / kDraws)) << trials;
  }
  EXPECT_EQ(draw_binomial(10, 0.0, 0.9), 0U);
  EXPECT_EQ(draw_binomial(10, 1.0, 0.1), 10U);
  EXPECT_EQ(draw_binomial(0, 0.5, 0.1), 0U);
}

TEST(SoftChannel, CountsAddUpAndFollowTheChannel) {
  const SoftLevel& level = soft_level(7);
  const SoftChannel channel = symmetric_channel(level, 0.015);
  std::array<double, kMaxRegions> wrong{};
  std::array<double, kMaxRegions> right{};
  constexpr unsigned kDraws = 4000;
  constexpr unsigned kErrors = 280;
  for (std::uint64_t key = 0; key < kDraws; ++key) {
    const SoftCounts counts = draw_soft_counts(level, channel, kErrors, key);
    ASSERT_EQ(counts.errors(), kErrors);
    ASSERT_EQ(counts.weak(4) + counts.wrong[3] + counts.right[3], kCodewordBits);
    for (unsigned r = 0; r < kMaxRegions; ++r) {
      wrong[r] += counts.wrong[r];
      right[r] += counts.right[r];
    }
  }
  const double rate = channel.error_rate();
  for (unsigned r = 0; r < kMaxRegions; ++r) {
    const double w = channel.wrong[r] / rate;
    EXPECT_NEAR(wrong[r] / kDraws, kErrors * w, 4 * std::sqrt(kErrors * w * (1 - w) / kDraws)) << r;
    const double q = channel.right[r] / (1 - rate);
    const double bits = kCodewordBits - kErrors;
    EXPECT_NEAR(right[r] / kDraws, bits * q, 4 * std::sqrt(bits * q * (1 - q) / kDraws)) << r;
  }
}

}  // namespace
}  // namespace wordline::ecc::testing
