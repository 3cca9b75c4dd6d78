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

// The frame error rates below were measured on fixed-rate channels, independently of the counts the table is made of.
TEST(CalibratedDecoder, FoldsToMeasuredBitFlippingFrameErrorRates) {
  const CalibratedDecoder decoder;
  const auto rate = [&](double r) { return folded(r, [&](unsigned n) { return decoder.bit_flipping_failure(n); }); };
  EXPECT_NEAR(rate(3e-3), 1.42e-2, 0.25 * 1.42e-2);
  EXPECT_NEAR(rate(3.5e-3), 3.6e-2, 0.2 * 3.6e-2);
  EXPECT_NEAR(rate(4e-3), 8.3e-2, 0.2 * 8.3e-2);
  EXPECT_NEAR(rate(5e-3), 0.415, 0.1 * 0.415);
}

TEST(CalibratedDecoder, FoldsToMeasuredMinSumFrameErrorRates) {
  const CalibratedDecoder decoder;
  const auto rate = [&](double r) { return folded(r, [&](unsigned n) { return decoder.failure(n); }); };
  EXPECT_LT(rate(5.5e-3), 3.0 / 3e5);
  EXPECT_NEAR(rate(7e-3), 3.8e-3, 0.4 * 3.8e-3);  // 23 failures: 40 % at 95 %
  EXPECT_NEAR(rate(7.5e-3), 2.6e-2, 0.25 * 2.6e-2);
  EXPECT_NEAR(rate(8e-3), 0.127, 0.2 * 0.127);
  EXPECT_NEAR(rate(8.5e-3), 0.31, 0.2 * 0.31);
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
  EXPECT_NEAR(good, 7970, 4 * 40.2);  // 1 - 0.203, four standard deviations
}

TEST(CalibratedDecoder, EscalatesToMinSumAndGivesUpPastItsReach) {
  const CalibratedDecoder decoder;
  const Outcome escalated = decoder.decode(130, 3);
  EXPECT_TRUE(escalated.ok);
  EXPECT_EQ(escalated.tier, Tier::kMinSum);
  EXPECT_EQ(escalated.cycles, 20U * 73 + 292 + 45 * 73);
  const Outcome lost = decoder.decode(5000, 3);
  EXPECT_FALSE(lost.ok);
  EXPECT_EQ(lost.cycles, 20U * 73 + 292 + 20 * 582);
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
