// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/calibration/calibration_check.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wordline::ecc::testing {
namespace {

constexpr std::uint64_t kSeed = 20'26;  // the table's is 1

void expect_good(const std::vector<CheckPoint>& points, unsigned words) {
  for (const CheckResult& result : check_decoder(CalibratedDecoder(), points, words, kSeed)) {
    EXPECT_EQ(result.miscorrections, 0U);
    for (const TierCheck& tier : result.tiers) {
      const std::string where =
          std::to_string(result.point.reads) + " reads, " + std::to_string(result.point.at) + ", " + tier.name;
      EXPECT_TRUE(tier.failure_good()) << where << ": " << tier.failures << "/" << tier.words << ", table "
                                       << tier.predicted_failure;
      EXPECT_TRUE(tier.mean_good()) << where << ": mean " << tier.mean << ", table " << tier.predicted_mean;
      EXPECT_TRUE(tier.p99_good()) << where << ": p99 " << tier.p99.low << ".." << tier.p99.high << ", table "
                                   << tier.predicted_p99;
      EXPECT_TRUE(tier.distance_good()) << where << ": " << tier.distance;
    }
  }
}

// Small versions of `wordline calibrate ecc --check`: error counts between the rows of the table.
TEST(CalibrationCheck, BuiltInTableIsWhatTheDecodersDoOnOneRead) {
  expect_good({{1, 48}, {1, 83}, {1, 97}}, 2000);
  expect_good({{1, 137}, {1, 158}}, 400);
}

TEST(CalibrationCheck, BuiltInTableIsWhatTheDecodersDoOnSoftReads) {
  expect_good({{2, 1.4e-2}, {3, 1.65e-2}, {5, 1.85e-2}, {7, 1.85e-2}}, 400);
}

TEST(CalibrationCheck, FindsATableThatIsWrong) {
  Table table = builtin_table();
  for (TableRow& row : table.rows) {
    if (row.bit_errors < 60) row.bit_flipping_clocks = Latency::parse("90-1000:1");
    row.min_sum_failure = std::min(1.0, row.min_sum_failure * 2);
  }
  for (SoftTable& soft : table.soft) {
    for (double& weight : soft.weights.right) weight *= 1.4;
  }
  const auto results = check_decoder(CalibratedDecoder(table), {{1, 48}, {1, 163}, {3, 1.65e-2}}, 500, kSeed);
  EXPECT_TRUE(results[0].tiers[0].failure_good());
  EXPECT_FALSE(results[0].tiers[0].mean_good());
  EXPECT_FALSE(results[0].tiers[0].p99_good());
  EXPECT_FALSE(results[0].tiers[0].distance_good());
  ASSERT_EQ(results[1].tiers.size(), 2U);
  EXPECT_FALSE(results[1].tiers[1].failure_good());
  EXPECT_FALSE(results[2].tiers[0].good());
}

TEST(BinomialInterval, IsThatOfClopperAndPearson) {
  // Published values: 0 of 10, 5 of 10, 10 of 10 at 95 %.
  EXPECT_NEAR(binomial_interval(0, 10, 0.05).high, 0.3085, 1e-4);
  EXPECT_EQ(binomial_interval(0, 10, 0.05).low, 0.0);
  EXPECT_NEAR(binomial_interval(5, 10, 0.05).low, 0.1871, 1e-4);
  EXPECT_NEAR(binomial_interval(5, 10, 0.05).high, 0.8129, 1e-4);
  EXPECT_NEAR(binomial_interval(10, 10, 0.05).low, 0.6915, 1e-4);
  EXPECT_EQ(binomial_interval(10, 10, 0.05).high, 1.0);
  // 1 - alpha/2 = (1 - p)^n, far out.
  EXPECT_NEAR(binomial_interval(0, 100000, 0.05).high, -std::log(0.025) / 100000, 1e-8);
}

}  // namespace
}  // namespace wordline::ecc::testing
