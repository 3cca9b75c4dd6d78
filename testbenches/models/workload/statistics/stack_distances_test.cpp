// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/statistics/stack_distances.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/units/keyed_random.h"
#include "models/workload/statistics/quantiles.h"

namespace wordline::workload::stack_distances_test {
namespace {

TEST(StackDistancesTest, MissesOfEverySize) {
  StackDistances distances;
  for (const std::uint32_t key : {0U, 1U, 2U, 1U, 0U, 0U, 2U}) distances.access(key);
  // Other keys since the last access: -, -, -, 1, 2, 0, 2.
  EXPECT_EQ(distances.keys(), 3U);
  EXPECT_EQ(distances.accesses(), 7U);
  EXPECT_EQ(distances.misses(0), 7U);
  EXPECT_EQ(distances.misses(1), 6U);
  EXPECT_EQ(distances.misses(2), 5U);
  EXPECT_EQ(distances.misses(3), 3U);
  EXPECT_EQ(distances.misses(1000), 3U);
}

TEST(StackDistancesTest, RenumberingKeepsTheOrder) {
  // A loop over n keys: each is found again only when all n fit. Long enough to renumber many times.
  constexpr std::uint32_t kKeys = 700;
  StackDistances distances;
  for (std::uint32_t i = 0; i < 100 * kKeys; ++i) distances.access(i % kKeys);
  EXPECT_EQ(distances.misses(kKeys - 1), 100U * kKeys);
  EXPECT_EQ(distances.misses(kKeys), kKeys);
}

TEST(QuantilesTest, TheCeilPnthValue) {
  Quantiles q;
  EXPECT_EQ(q.at(0.5), 0U);
  for (const std::uint64_t value : {40U, 10U, 20U, 30U, 30U}) q.add(value);
  EXPECT_EQ(q.count(), 5U);
  EXPECT_EQ(q.at(0.2), 10U);
  EXPECT_EQ(q.at(0.21), 20U);
  EXPECT_EQ(q.at(0.5), 30U);
  EXPECT_EQ(q.at(0.8), 30U);
  EXPECT_EQ(q.at(0.81), 40U);
  EXPECT_EQ(q.at(1), 40U);
}

TEST(QuantilesTest, ManyDifferentValuesAreKeptToFourDigits) {
  // Uniform over a wide range, three times as many as are kept exactly.
  Quantiles q;
  constexpr std::uint64_t kMany = 3'000'000;
  for (std::uint64_t i = 0; i < kMany; ++i) q.add((i * 2'654'435'761U % kMany) * 1'000'003);
  for (const double p : {0.01, 0.5, 0.99}) {
    const double exact = (std::ceil(p * kMany) - 1) * 1'000'003;
    EXPECT_NEAR(static_cast<double>(q.at(p)) / exact, 1, 1e-4) << p;
  }
}

}  // namespace
}  // namespace wordline::workload::stack_distances_test
