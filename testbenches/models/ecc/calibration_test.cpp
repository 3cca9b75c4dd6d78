// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace wordline::ecc::testing {
namespace {

CalibrationRow row(unsigned errors, std::uint64_t bit_flipping, std::uint64_t min_sum) {
  return {errors, {1000, bit_flipping, 100.0 + errors, 100, min_sum, 600.0 + errors, 0}};
}

TEST(Calibration, PoolsRatesThatFallByNoise) {
  const Table table = table_of({row(0, 0, 0), row(5, 3, 0), row(10, 1, 0), row(15, 50, 1), row(20, 1000, 100)});
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
  CalibrationRow last = row(10, 1000, 100);
  last.measured.bit_flipping_cycles = 0;
  last.measured.min_sum_cycles = 0;
  const Table table = table_of({row(5, 0, 0), last});
  EXPECT_EQ(table.rows[1].bit_flipping_cycles, 105U);
  EXPECT_EQ(table.rows[1].min_sum_cycles, 605U);
}

TEST(Calibration, WritesWhatTheDecoderReads) {
  const std::vector<CalibrationRow> rows = {row(0, 0, 0), row(5, 3, 0), row(10, 400, 7), row(15, 1000, 100)};
  std::ostringstream out;
  write_table(out, rows, "Made by a test.");
  EXPECT_EQ(out.str().rfind("# Made by a test.\n", 0), 0U);
  EXPECT_NE(out.str().find("\n10 0.4 110 0.07 610  # 400/1000 7/100\n"), std::string::npos) << out.str();
  std::istringstream in(out.str());
  const Table read = parse_table(in, "t");
  const Table expected = table_of(rows);
  ASSERT_EQ(read.rows.size(), expected.rows.size());
  EXPECT_EQ(read.min_sum_limit, expected.min_sum_limit);
  for (std::size_t i = 0; i < read.rows.size(); ++i) {
    EXPECT_EQ(read.rows[i].bit_errors, expected.rows[i].bit_errors);
    EXPECT_NEAR(read.rows[i].bit_flipping_failure, expected.rows[i].bit_flipping_failure, 1e-5);
    EXPECT_EQ(read.rows[i].min_sum_cycles, expected.rows[i].min_sum_cycles);
  }
}

TEST(Calibration, MeasuresTheSameTwice) {
  const Measurement a = measure_count(90, 20, 3);
  const Measurement b = measure_count(90, 20, 3);
  EXPECT_EQ(a.bit_flipping_failures, b.bit_flipping_failures);
  EXPECT_DOUBLE_EQ(a.bit_flipping_cycles, b.bit_flipping_cycles);
  EXPECT_DOUBLE_EQ(a.min_sum_cycles, b.min_sum_cycles);
  EXPECT_NE(measure_count(90, 20, 4).bit_flipping_cycles, a.bit_flipping_cycles);
}

TEST(Calibration, CleanWordsTakeTheLeastTime) {
  const Measurement m = measure_count(0, 5, 1);
  EXPECT_EQ(m.bit_flipping_words, 50U);
  EXPECT_EQ(m.min_sum_words, 5U);
  EXPECT_DOUBLE_EQ(m.bit_flipping_cycles, 1.0);
  EXPECT_DOUBLE_EQ(m.min_sum_cycles, 583.0);
}

// The built-in table is what the decoders do: measured again here with another seed.
TEST(Calibration, BuiltInTableIsWhatTheDecodersDo) {
  const CalibratedDecoder table;
  constexpr unsigned kWords = 100;
  for (const unsigned errors : {50U, 85U, 100U, 115U}) {
    const Measurement m = measure_count(errors, kWords, 1234);
    const double p = table.bit_flipping_failure(errors);
    const double words = kWords * kBitFlippingShare;
    EXPECT_NEAR(static_cast<double>(m.bit_flipping_failures), p * words, 4 * std::sqrt(p * (1 - p) * words) + 2)
        << errors;
    EXPECT_EQ(m.min_sum_failures, 0U) << errors;
  }
  for (const unsigned errors : {155U, 160U, 170U}) {
    const Measurement m = measure_count(errors, kWords, 1234);
    const double p = table.failure(errors);
    EXPECT_NEAR(static_cast<double>(m.min_sum_failures), p * kWords, 4 * std::sqrt(p * (1 - p) * kWords) + 1) << errors;
  }
}

TEST(Calibration, BuiltInTimesAreWhatTheDecodersTake) {
  const Table table = builtin_table();
  for (const TableRow& row : table.rows) {
    if (row.bit_errors != 20 && row.bit_errors != 60 && row.bit_errors != 100) continue;
    const Measurement m = measure_count(row.bit_errors, 100, 99);
    EXPECT_NEAR(m.bit_flipping_cycles, row.bit_flipping_cycles, 0.08 * row.bit_flipping_cycles) << row.bit_errors;
    EXPECT_NEAR(m.min_sum_cycles, row.min_sum_cycles, 0.03 * row.min_sum_cycles) << row.bit_errors;
  }
}

TEST(Calibration, RefusesImpossibleInput) {
  EXPECT_THROW((void)measure_count(1, 0, 1), std::invalid_argument);
  EXPECT_THROW((void)measure_count(20000, 1, 1), std::invalid_argument);
  EXPECT_THROW((void)measure_rate(0.0, 1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace wordline::ecc::testing
