// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "models/units/keyed_random.h"
#include "models/workload/permutation.h"

namespace wordline::workload::distribution_test {
namespace {

constexpr unsigned kDraws = 200'000;

std::vector<unsigned> ranks(const BlockDraw& draw, std::uint64_t n) {
  std::vector<unsigned> counts(n);
  for (unsigned i = 0; i < kDraws; ++i) {
    const std::uint64_t rank = draw.rank(keyed_hash(17, i));
    EXPECT_LT(rank, n);
    ++counts.at(rank);
  }
  return counts;
}

/// Share of draws among the first `part` ranks.
double share(const std::vector<unsigned>& counts, double part) {
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(part * static_cast<double>(counts.size())); ++i)
    sum += counts[i];
  return sum / kDraws;
}

TEST(BlockDrawTest, TheFirstRankIsAtTheCentre) {
  for (const double center : {0.0, 0.25, 0.5, 1.0}) {
    const BlockDraw draw(Distribution::kZipf, 1.2, 1000, 5, center);
    std::vector<unsigned> counts(1000);
    for (unsigned i = 0; i < kDraws; ++i) ++counts.at(draw(keyed_hash(17, i)));
    const auto most = std::max_element(counts.begin(), counts.end()) - counts.begin();
    EXPECT_EQ(most, static_cast<std::ptrdiff_t>(center * 1000) % 1000);
  }
}

TEST(PermutationTest, EveryValueOnceInEveryPass) {
  for (const std::uint64_t n : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 100U, 255U, 256U, 257U, 1000U, 65'537U}) {
    for (const std::uint64_t key : {1U, 2U}) {
      const Permutation p(n, key);
      for (std::uint64_t pass = 0; pass < 2; ++pass) {
        std::vector<bool> seen(n);
        for (std::uint64_t i = 0; i < n; ++i) {
          const std::uint64_t x = p(i, pass);
          ASSERT_LT(x, n);
          ASSERT_FALSE(seen[x]) << n << " " << i;
          seen[x] = true;
        }
      }
    }
  }
}

TEST(PermutationTest, LooksRandomAndDependsOnKeyAndPass) {
  const std::uint64_t n = 100'000;
  const Permutation p(n, 1);
  const Permutation q(n, 2);
  unsigned same_key = 0;
  unsigned same_pass = 0;
  unsigned ascents = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    same_key += p(i) == q(i) ? 1U : 0U;
    same_pass += p(i, 0) == p(i, 1) ? 1U : 0U;
    if (i > 0) ascents += p(i) > p(i - 1) ? 1U : 0U;
  }
  EXPECT_LT(same_key, 10U);
  EXPECT_LT(same_pass, 10U);
  EXPECT_NEAR(ascents, n / 2.0, 5 * std::sqrt(n / 12.0));
}

TEST(PermutationTest, ReachesTheLastBlocksOfALargeDrive) {
  const std::uint64_t n = (std::uint64_t{1} << 40) + 12345;
  const Permutation p(n, 3);
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = n - 1000; i < n; ++i) {
    EXPECT_LT(p(i), n);
    seen.insert(p(i));
  }
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(DistributionTest, HarmonicSumIsExactEnough) {
  for (const double theta : {0.5, 0.9, 1.0, 1.1, 2.0}) {
    double sum = 0;
    std::uint64_t i = 0;
    for (const std::uint64_t n : {1U, 10U, 1000U, 1001U, 50'000U, 1'000'000U}) {
      while (i < n) sum += std::pow(static_cast<double>(++i), -theta);
      EXPECT_NEAR(generalized_harmonic(n, theta) / sum, 1, 1e-10) << theta << " " << n;
    }
  }
}

TEST(DistributionTest, UniformIsUniform) {
  const auto counts = ranks(BlockDraw(Distribution::kRandom, 0, 100, 1), 100);
  double chi = 0;
  for (const unsigned c : counts) chi += (c - kDraws / 100.0) * (c - kDraws / 100.0) / (kDraws / 100.0);
  EXPECT_NEAR(chi, 99, 5 * std::sqrt(2 * 99.0));
}

TEST(DistributionTest, ZipfHasItsHeadAndItsTail) {
  for (const double theta : {0.8, 1.1, 1.4}) {
    const std::uint64_t n = 10'000;
    const auto counts = ranks(BlockDraw(Distribution::kZipf, theta, n, 1), n);
    const double zeta = generalized_harmonic(n, theta);
    // The two most popular are exact; Gray's approximation holds for the rest in sum.
    for (const unsigned rank : {0U, 1U}) {
      const double p = std::pow(rank + 1.0, -theta) / zeta;
      EXPECT_NEAR(counts[rank], kDraws * p, 5 * std::sqrt(kDraws * p)) << theta;
    }
    for (const double part : {0.01, 0.1, 0.5}) {
      const double expected =
          generalized_harmonic(static_cast<std::uint64_t>(part * static_cast<double>(n)), theta) / zeta;
      EXPECT_NEAR(share(counts, part), expected, 0.03) << theta << " " << part;
    }
  }
}

TEST(DistributionTest, ParetoGivesItsShareToItsPart) {
  for (const double h : {0.1, 0.2, 0.4}) {
    // The first h of the ranks take 1 - h of the draws.
    const auto counts = ranks(BlockDraw(Distribution::kPareto, h, 10'000, 1), 10'000);
    EXPECT_NEAR(share(counts, h), 1 - h, 0.01) << h;
  }
}

// The variance of twelve even draws, n^2 / 144, and of one of `percent` of the region, (n * percent)^2 / 12.
TEST(DistributionTest, NormalLiesAroundTheMiddleWithItsDeviation) {
  const std::uint64_t n = 10'000;
  for (const double percent : {0.0, 10.0, 20.0, 99.0}) {
    const BlockDraw draw(Distribution::kNormal, percent, n, 1);
    double sum = 0;
    double squares = 0;
    for (unsigned i = 0; i < kDraws; ++i) {
      const auto x = static_cast<double>(draw.rank(keyed_hash(18, i)));
      sum += x;
      squares += x * x;
    }
    const double width = std::min(percent, 50.0) / 100 * n;
    const double deviation = std::sqrt(n * n / 144.0 + width * width / 12);
    const double mean = sum / kDraws;
    EXPECT_NEAR(mean, 5000, 5 * deviation / std::sqrt(kDraws) + 1) << percent;
    EXPECT_NEAR(std::sqrt(squares / kDraws - mean * mean), deviation, 0.01 * deviation + 1) << percent;
  }
}

// fio 3.39, random_distribution=normal:20, 4 KiB in 1 GiB: 200,000 draws of its own meet 89,515 blocks.
TEST(DistributionTest, NormalMeetsAsManyBlocksAsThoseOfFio) {
  const std::uint64_t n = 262'144;
  const BlockDraw draw(Distribution::kNormal, 20, n, 1);
  std::set<std::uint64_t> met;
  for (unsigned i = 0; i < 200'000; ++i) met.insert(draw(keyed_hash(21, i)));
  EXPECT_NEAR(static_cast<double>(met.size()), 89'515, 0.01 * 89'515);
}

TEST(DistributionTest, PopularBlocksAreScatteredByTheKey) {
  const std::uint64_t n = 1000;
  const BlockDraw a(Distribution::kZipf, 1.1, n, 1);
  const BlockDraw b(Distribution::kZipf, 1.1, n, 2);
  std::set<std::uint64_t> seen;
  std::vector<std::uint64_t> place(n, n);
  unsigned different = 0;
  for (unsigned i = 0; i < kDraws; ++i) {
    const std::uint64_t hash = keyed_hash(19, i);
    const std::uint64_t rank = a.rank(hash);
    if (place[rank] == n) place[rank] = a(hash);
    ASSERT_EQ(place[rank], a(hash));  // one place for a rank
    different += a(hash) != b(hash) ? 1U : 0U;
  }
  for (const std::uint64_t p : place) {
    if (p == n) continue;
    EXPECT_TRUE(seen.insert(p).second);  // and one rank for a place
  }
  EXPECT_GT(different, kDraws * 9 / 10);
}

TEST(DistributionTest, SmallRegionsStayInside) {
  for (const auto distribution :
       {Distribution::kRandom, Distribution::kZipf, Distribution::kPareto, Distribution::kNormal}) {
    for (const std::uint64_t n : {1U, 2U, 3U}) {
      const BlockDraw draw(distribution, distribution == Distribution::kNormal ? 50 : 0.9, n, 1);
      for (unsigned i = 0; i < 1000; ++i) ASSERT_LT(draw(keyed_hash(20, i)), n);
      ASSERT_LT(draw(UINT64_MAX), n);
      ASSERT_LT(draw(0), n);
    }
  }
}

}  // namespace
}  // namespace wordline::workload::distribution_test
