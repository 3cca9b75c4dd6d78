// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/calibration/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "models/ecc/calibration/calibration_check.h"

namespace wordline::ecc::testing {
namespace {

TierCount count(std::uint64_t words, std::uint64_t failures, std::uint32_t clocks) {
  TierCount tier{words, failures, {}};
  if (words > failures) tier.clocks[clocks] = words - failures;
  return tier;
}

CalibrationRow row(unsigned errors, std::uint64_t bit_flipping, std::uint64_t min_sum) {
  return {errors, {count(1000, bit_flipping, 100 + errors), count(100, min_sum, 600 + errors), 0, 0, 0}};
}

std::vector<CalibrationSection> hard(const std::vector<CalibrationRow>& rows) { return {{1, rows}}; }

TEST(Calibration, PoolsRatesThatFallByNoise) {
  const Table table = table_of(hard({row(0, 0, 0), row(5, 3, 0), row(10, 1, 0), row(15, 50, 1), row(20, 1000, 100)}));
  ASSERT_EQ(table.rows.size(), 5U);
  EXPECT_DOUBLE_EQ(table.rows[0].bit_flipping_failure, 0.0);
  EXPECT_DOUBLE_EQ(table.rows[1].bit_flipping_failure, 0.002);
  EXPECT_DOUBLE_EQ(table.rows[2].bit_flipping_failure, 0.002);
  EXPECT_DOUBLE_EQ(table.rows[3].bit_flipping_failure, 0.05);
  EXPECT_DOUBLE_EQ(table.rows[3].min_sum_failure, 0.01);
  EXPECT_DOUBLE_EQ(table.rows[4].min_sum_failure, 1.0);
  EXPECT_EQ(table.bit_flipping_limit, 1461U);
  EXPECT_EQ(table.min_sum_limit, 11641U);
}

TEST(Calibration, RowWithoutSuccessRepeatsTheTimesBefore) {
  const Table table = table_of(hard({row(5, 0, 0), row(10, 1000, 100)}));
  EXPECT_DOUBLE_EQ(table.rows[1].bit_flipping_clocks.mean(), 105.0);
  EXPECT_DOUBLE_EQ(table.rows[1].min_sum_clocks.mean(), 605.0);
}

TEST(Calibration, WritesWhatTheDecoderReads) {
  std::vector<CalibrationSection> sections = hard({row(0, 0, 0), row(5, 3, 0), row(10, 400, 7), row(15, 1000, 100)});
  sections[0].rows[1].measured.score = 3;
  sections[0].rows[1].measured.full_score = 8;
  CalibrationRow soft = row(20, 0, 25);
  soft.measured.bit_flipping = {};
  sections.push_back({3, {soft}});
  std::ostringstream out;
  write_table(out, sections, "Made by a test.");
  EXPECT_EQ(out.str().rfind("# Made by a test.\n", 0), 0U);
  EXPECT_NE(out.str().find("\n10 0.4 110:600 0.07 610:93  # 400/1000 7/100\n"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("\n20 0.25 620:75  # 25/100\n"), std::string::npos) << out.str();
  std::istringstream in(out.str());
  const Table read = parse_table(in, "t");
  const Table expected = table_of(sections);
  ASSERT_EQ(read.rows.size(), expected.rows.size());
  EXPECT_EQ(read.min_sum_limit, expected.min_sum_limit);
  EXPECT_DOUBLE_EQ(read.correlation, 0.375);
  for (std::size_t i = 0; i < read.rows.size(); ++i) {
    EXPECT_EQ(read.rows[i].bit_errors, expected.rows[i].bit_errors);
    EXPECT_NEAR(read.rows[i].bit_flipping_failure, expected.rows[i].bit_flipping_failure, 1e-5);
    EXPECT_DOUBLE_EQ(read.rows[i].min_sum_clocks.mean(), expected.rows[i].min_sum_clocks.mean());
  }
  ASSERT_EQ(read.soft.size(), 1U);
  EXPECT_EQ(read.soft[0].reads, 3U);
  EXPECT_EQ(read.soft[0].weights.wrong, severity_weights(3).wrong);
  EXPECT_EQ(read.soft[0].weights.right, severity_weights(3).right);
}

TEST(Calibration, MeasuresTheSameTwice) {
  const Measurement a = measure_count(90, 20, 3);
  const Measurement b = measure_count(90, 20, 3);
  EXPECT_EQ(a.bit_flipping.failures, b.bit_flipping.failures);
  EXPECT_EQ(a.bit_flipping.clocks, b.bit_flipping.clocks);
  EXPECT_EQ(a.min_sum.clocks, b.min_sum.clocks);
  EXPECT_NE(measure_count(90, 20, 4).bit_flipping.clocks, a.bit_flipping.clocks);
  EXPECT_EQ(measure_severity(3, 100, 20, 1).min_sum.clocks, measure_severity(3, 100, 20, 1).min_sum.clocks);
}

TEST(Calibration, CleanWordsTakeTheLeastTime) {
  const Measurement m = measure_count(0, 5, 1);
  EXPECT_EQ(m.bit_flipping.words, 50U);
  EXPECT_EQ(m.min_sum.words, 5U);
  EXPECT_DOUBLE_EQ(m.bit_flipping.mean_clocks(), 1.0);
  EXPECT_DOUBLE_EQ(m.min_sum.mean_clocks(), 583.0);
  EXPECT_DOUBLE_EQ(measure_severity(7, 0, 5, 1).min_sum.mean_clocks(), 583.0);
}

TEST(Calibration, SeveritySamplesHaveTheSeverityAskedFor) {
  // Words of a channel: sums of the counts are those of the channel.
  double errors = 0;
  unsigned words = 0;
  (void)measure_soft_rate(3, 0.015, 1.0, 200, 5, [&](const SoftCounts& counts, bool, std::uint32_t) {
    errors += counts.errors();
    ++words;
  });
  EXPECT_EQ(words, 200U);
  EXPECT_NEAR(errors / words, 0.015 * kCodewordBits, 4 * std::sqrt(0.015 * kCodewordBits / 200));
  // Severity 150 fails rarely, 175 almost always, for every number of reads: the scale is that of hard errors.
  for (const unsigned reads : {2U, 3U, 5U, 7U}) {
    EXPECT_LE(measure_severity(reads, 145, 40, 1).min_sum.failures, 2U) << reads;
    EXPECT_GE(measure_severity(reads, 180, 40, 1).min_sum.failures, 35U) << reads;
  }
}

TEST(Calibration, FlowGivesTierTwoWhatTierOneGivesUp) {
  const Measurement m = measure_flow(100, 400, 8);
  EXPECT_EQ(m.bit_flipping.words, 400U);
  EXPECT_EQ(m.min_sum.words, m.bit_flipping.failures);
  EXPECT_GT(m.min_sum.words, 100U);
  EXPECT_EQ(m.miscorrections, 0U);
}

// Frame error rates as docs/measurements/ecc.md has them, and no worse than a prototype of this decoder on a code of
// the same weights.
void expect_frame_errors(unsigned reads, double rate, double documented, double prototype) {
  constexpr unsigned kWords = 150;
  TierCount count =
      reads == 1 ? measure_rate(rate, kWords, 77).min_sum : measure_soft_rate(reads, rate, 1.0, kWords, 77).min_sum;
  const Interval interval = binomial_interval(count.failures, count.words, 0.001);
  EXPECT_GE(documented, interval.low) << reads << " reads: " << count.failures << " fail";
  EXPECT_LE(documented, interval.high) << reads << " reads: " << count.failures << " fail";
  EXPECT_LE(interval.low, prototype) << reads << " reads: " << count.failures << " fail";
}

TEST(Calibration, FrameErrorRatesAreTheDocumentedOnes) {
  expect_frame_errors(1, 8e-3, 145.0 / 2000, 0.127);
  expect_frame_errors(2, 1.4e-2, 75.0 / 2000, 0.088);
  expect_frame_errors(3, 1.7e-2, 249.0 / 2000, 0.19);
  expect_frame_errors(5, 1.9e-2, 473.0 / 2000, 0.20);
  expect_frame_errors(7, 1.9e-2, 265.0 / 2000, 0.114);
}

TEST(Calibration, RefusesImpossibleInput) {
  EXPECT_THROW((void)measure_count(1, 0, 1), std::invalid_argument);
  EXPECT_THROW((void)measure_count(20000, 1, 1), std::invalid_argument);
  EXPECT_THROW((void)measure_rate(0.0, 1, 1), std::invalid_argument);
  EXPECT_THROW((void)measure_severity(4, 100, 1, 1), std::invalid_argument);
  EXPECT_THROW((void)measure_severity(3, 1e6, 1, 1), std::invalid_argument);
  EXPECT_THROW((void)severity_weights(1), std::invalid_argument);
}

}  // namespace
}  // namespace wordline::ecc::testing
