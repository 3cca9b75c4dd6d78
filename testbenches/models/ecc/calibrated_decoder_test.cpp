// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/calibrated_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace wordline::ecc {
namespace {

// Frame error rate on a channel of fixed bit error rate: the table by count, folded with the binomial.
template <class Failure>
double folded(double rate, Failure failure) {
  double sum = 0;
  for (unsigned n = 0; n < 400; ++n) {
    const double log_p = std::lgamma(kCodewordBits + 1.0) - std::lgamma(n + 1.0) -
                         std::lgamma(kCodewordBits - n + 1.0) + n * std::log(rate) +
                         (kCodewordBits - n) * std::log1p(-rate);
    sum += std::exp(log_p) * failure(n);
  }
  return sum;
}

// The frame error rates below were measured on fixed-rate channels (ldpc_curves 4000 7 RATE..., docs/ecc.md),
// independently of the counts the table is made of.
TEST(CalibratedDecoder, FoldsToMeasuredBitFlippingFrameErrorRates) {
  const CalibratedDecoder decoder;
  const auto rate = [&](double r) { return folded(r, [&](unsigned n) { return decoder.bit_flipping_failure(n); }); };
  EXPECT_NEAR(rate(3e-3), 34.0 / 40000, 0.4 * 34.0 / 40000);
  EXPECT_NEAR(rate(4e-3), 1216.0 / 40000, 0.1 * 1216.0 / 40000);
  EXPECT_NEAR(rate(5e-3), 12249.0 / 40000, 0.04 * 12249.0 / 40000);
  EXPECT_NEAR(rate(6e-3), 31590.0 / 40000, 0.02 * 31590.0 / 40000);
}

TEST(CalibratedDecoder, FoldsToMeasuredMinSumFrameErrorRates) {
  const CalibratedDecoder decoder;
  const auto rate = [&](double r) { return folded(r, [&](unsigned n) { return decoder.failure(n); }); };
  EXPECT_LT(rate(6e-3), 3.0 / 4000);
  EXPECT_NEAR(rate(7e-3), 26.0 / 4000, 0.5 * 26.0 / 4000);  // 26 failures: 40 % at 95 %, and the table's own noise
  EXPECT_NEAR(rate(7.5e-3), 162.0 / 4000, 0.25 * 162.0 / 4000);
  EXPECT_NEAR(rate(8e-3), 542.0 / 4000, 0.15 * 542.0 / 4000);
  EXPECT_NEAR(rate(8.5e-3), 1378.0 / 4000, 0.1 * 1378.0 / 4000);
}

TEST(CalibratedDecoder, CleanCodewordLeavesAtOnce) {
  const Outcome outcome = CalibratedDecoder().decode(0, 1);
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.cycles, 1U);
  EXPECT_EQ(outcome.tier, Tier::kBitFlipping);
}

TEST(CalibratedDecoder, OutcomeDependsOnKeyAlone) {
  const CalibratedDecoder decoder;
  unsigned good = 0;
  for (std::uint64_t key = 0; key < 10000; ++key) {
    const Outcome first = decoder.decode(160, key);
    const Outcome again = decoder.decode(160, key);
    EXPECT_EQ(first.ok, again.ok);
    EXPECT_EQ(first.cycles, again.cycles);
    good += first.ok;
  }
  EXPECT_NEAR(good, 6765, 4 * 46.8);  // 1 - 0.3235, four standard deviations
}

TEST(CalibratedDecoder, EscalatesToMinSumAndGivesUpPastItsReach) {
  const CalibratedDecoder decoder;
  const Outcome escalated = decoder.decode(140, 3);
  EXPECT_TRUE(escalated.ok);
  EXPECT_EQ(escalated.tier, Tier::kMinSum);
  EXPECT_EQ(escalated.cycles, 1461U + 292 + 3927);
  const Outcome lost = decoder.decode(5000, 3);
  EXPECT_FALSE(lost.ok);
  EXPECT_EQ(lost.cycles, 1461U + 292 + 11641);
}

TEST(CalibratedDecoder, FailureAndTimeRiseWithBitErrors) {
  const CalibratedDecoder decoder;
  for (unsigned n = 1; n < 250; ++n) {
    EXPECT_GE(decoder.bit_flipping_failure(n), decoder.bit_flipping_failure(n - 1)) << n;
    EXPECT_GE(decoder.failure(n), decoder.failure(n - 1)) << n;
  }
}

Table parse(const std::string& text) {
  std::istringstream in(text);
  return parse_table(in, "t.txt");
}

std::string message(const std::string& text) {
  try {
    (void)parse(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DecoderTable, ReadsRowsAndInterpolates) {
  const Table table = parse("# made by hand\nlimits 1000 9000\n0 0 10 0 500 # clean\n100 1 110 0.5 700\n");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.bit_flipping_limit, 1000U);
  const CalibratedDecoder decoder(table);
  EXPECT_EQ(decoder.decode(0, 0).cycles, 10U);
  EXPECT_DOUBLE_EQ(decoder.bit_flipping_failure(50), 0.5);
  EXPECT_DOUBLE_EQ(decoder.failure(100), 0.5);
  EXPECT_DOUBLE_EQ(decoder.failure(101), 0.5);
}

TEST(DecoderTable, ErrorsNameTheLine) {
  EXPECT_EQ(message("limits 1 2\n0 0 1 0 1\n0 0 1 0 1\n"), "t.txt:3: bit errors must rise from row to row");
  EXPECT_EQ(message("limits 1 2\n\n5 1.5 1 0 1\n"), "t.txt:3: a probability of failure lies outside 0 to 1");
  EXPECT_NE(message("limits 1 2\n5 0.5 x 0 1\n").find("t.txt:2: expected `BIT_ERRORS"), std::string::npos);
  EXPECT_NE(message("limits 1\n").find("t.txt:1: expected `limits"), std::string::npos);
  EXPECT_NE(message("5 0.5 1 0 1\n").find("no line `limits"), std::string::npos);
  EXPECT_NE(message("limits 1 2\n").find("no row"), std::string::npos);
  EXPECT_THROW((void)load_table("/nowhere/table.txt"), std::runtime_error);
}

}  // namespace
}  // namespace wordline::ecc
