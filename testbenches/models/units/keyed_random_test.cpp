// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/units/keyed_random.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace wordline::testing::keyed_random_test {
namespace {

// The published sequence of SplitMix64 for seed 1234567: the finaliser of seed, seed + gamma, seed + 2 gamma.
TEST(KeyedRandom, IsSplitMix64) {
  constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15ULL;
  EXPECT_EQ(mix64(1234567), 6457827717110365317ULL);
  EXPECT_EQ(mix64(1234567 + kGamma), 3203168211198807973ULL);
  EXPECT_EQ(mix64(1234567 + 2 * kGamma), 9817491932198370423ULL);
}

TEST(KeyedRandom, KnownHashes) {
  EXPECT_EQ(keyed_hash(1), 0x910a2dec89025cc1ULL);
  EXPECT_EQ(keyed_hash(1, 2, 3), 0xd0734750fde362b3ULL);
  EXPECT_EQ(keyed_hash(1, 3, 2), 0x8f3ed33abd58deb9ULL);
}

TEST(KeyedRandom, EveryKeyCounts) {
  std::set<std::uint64_t> seen;
  for (unsigned seed = 0; seed < 8; ++seed) {
    for (unsigned die = 0; die < 16; ++die) {
      for (unsigned block = 0; block < 16; ++block) seen.insert(keyed_hash(seed, die, block));
    }
  }
  EXPECT_EQ(seen.size(), 8U * 16 * 16);
}

TEST(KeyedRandom, UnitIntervalIsHalfOpenAndUniform) {
  EXPECT_EQ(unit_interval(0), 0.0);
  EXPECT_LT(unit_interval(~0ULL), 1.0);
  EXPECT_EQ(unit_interval(1ULL << 63), 0.5);
  // Chi-square over ten bins; 27.88 is exceeded by chance once in a thousand, and the draw is fixed.
  std::array<unsigned, 10> bins{};
  constexpr unsigned kDraws = 100'000;
  for (unsigned i = 0; i < kDraws; ++i) ++bins[static_cast<std::size_t>(unit_interval(keyed_hash(7, i)) * 10)];
  double chi_square = 0;
  for (const unsigned n : bins) chi_square += (n - kDraws / 10.0) * (n - kDraws / 10.0) / (kDraws / 10.0);
  EXPECT_LT(chi_square, 27.88);
}

TEST(KeyedRandom, StepsBelowAreThoseOfTheUnitInterval) {
  constexpr std::uint64_t kAll = 1ULL << 53;
  EXPECT_EQ(steps_below(-0.1), 0U);
  EXPECT_EQ(steps_below(0), 0U);
  EXPECT_EQ(steps_below(1e-300), 1U);
  EXPECT_EQ(steps_below(0x1.0p-53), 1U);
  EXPECT_EQ(steps_below(0x1.8p-53), 2U);
  EXPECT_EQ(steps_below(1), kAll);
  EXPECT_EQ(steps_below(1.0000001), kAll);
  // A draw is below `p` as a number exactly when it is as a count of steps, also on both sides of the limit.
  for (unsigned i = 0; i < 10'000; ++i) {
    const double p = unit_interval(keyed_hash(1, i)) * (i % 3 == 0 ? 1e-12 : 1);
    const std::uint64_t limit = steps_below(p);
    const std::uint64_t draw = keyed_hash(2, i) >> 11;
    for (const std::uint64_t steps : {draw, limit, limit == 0 ? 0 : limit - 1}) {
      ASSERT_EQ(steps < limit, unit_interval(steps << 11) < p) << i;
    }
  }
}

}  // namespace
}  // namespace wordline::testing::keyed_random_test
