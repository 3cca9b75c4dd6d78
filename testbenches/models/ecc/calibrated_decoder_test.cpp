// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/calibrated_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "models/ecc/decoders/normal.h"

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

// The frame error rates below were measured on fixed-rate channels (ldpc_curves rate 1 4000 7 RATE...,
// docs/measurements/ecc.md), independently of the counts the table is made of.
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
  EXPECT_LT(rate(6.5e-3), 3.0 / 4000);
  EXPECT_NEAR(rate(7e-3), 10.0 / 4000, 7.0 / 4000);  // 10 failures: 5 to 18 at 95 %
  EXPECT_NEAR(rate(7.5e-3), 81.0 / 4000, 0.3 * 81.0 / 4000);
  EXPECT_NEAR(rate(8e-3), 309.0 / 4000, 0.15 * 309.0 / 4000);
  EXPECT_NEAR(rate(8.5e-3), 918.0 / 4000, 0.1 * 918.0 / 4000);
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
  const double p = 1 - decoder.failure(160);
  EXPECT_GT(p, 0.5);
  EXPECT_LT(p, 0.99);
  EXPECT_NEAR(good, 10000 * p, 4 * std::sqrt(10000 * p * (1 - p)));
}

TEST(CalibratedDecoder, EscalatesToMinSumAndGivesUpPastItsReach) {
  const CalibratedDecoder decoder;
  const Outcome escalated = decoder.decode(140, 3);
  EXPECT_TRUE(escalated.ok);
  EXPECT_EQ(escalated.tier, Tier::kMinSum);
  const Outcome alone = decoder.decode_min_sum(140, 3);
  EXPECT_TRUE(alone.ok);
  EXPECT_EQ(escalated.cycles, 1461U + 292 + alone.cycles);
  EXPECT_EQ((alone.cycles - 1) % 2, 0U);
  EXPECT_FALSE(decoder.decode_bit_flipping(140, 3).ok);
  const Outcome lost = decoder.decode(5000, 3);
  EXPECT_FALSE(lost.ok);
  EXPECT_EQ(lost.cycles, 1461U + 292 + 11641);
}

TEST(CalibratedDecoder, FailureRisesWithBitErrors) {
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

TEST(CalibratedDecoder, ClocksAreDrawnFromTheRowsDistribution) {
  const CalibratedDecoder decoder(parse("limits 1000 9000\n0 0.5 100:3,200:1 0 500\n10 0.5 300:3,400:1 0 500\n"));
  // 5 errors lie half way: half of the successes are of either row.
  std::map<std::uint32_t, unsigned> clocks;
  for (std::uint64_t key = 0; key < 20000; ++key) ++clocks[decoder.decode_bit_flipping(5, key).cycles];
  ASSERT_EQ(clocks.size(), 5U);
  EXPECT_NEAR(clocks[100], 0.5 * 0.5 * 0.75 * 20000, 4 * 55);
  EXPECT_NEAR(clocks[200], 0.5 * 0.5 * 0.25 * 20000, 4 * 35);
  EXPECT_NEAR(clocks[300], 0.5 * 0.5 * 0.75 * 20000, 4 * 55);
  EXPECT_NEAR(clocks[400], 0.5 * 0.5 * 0.25 * 20000, 4 * 35);
  EXPECT_NEAR(clocks[1000], 0.5 * 20000, 4 * 71);
  for (std::uint64_t key = 0; key < 1000; ++key) EXPECT_NE(decoder.decode_bit_flipping(0, key).cycles, 300U);
}

/// Mean clocks of tier 2 over words that tier 1 gave up.
double mean_after_failure(const CalibratedDecoder& decoder) {
  double sum = 0;
  unsigned words = 0;
  for (std::uint64_t key = 0; key < 40000; ++key) {
    const Outcome outcome = decoder.decode(0, key);
    if (outcome.tier == Tier::kBitFlipping) continue;
    sum += outcome.cycles - 1000 - 292;
    ++words;
  }
  EXPECT_NEAR(words, 4000, 4 * 60);
  return sum / words;
}

TEST(CalibratedDecoder, WordsThatAreHardForTierOneTakeTierTwoLonger) {
  const std::string text = "limits 1000 9000\n0 0.1 100 0 1001-2000:1\n";
  EXPECT_NEAR(mean_after_failure(CalibratedDecoder(parse(text))), 1500.5, 4 * 289 / std::sqrt(4000));
  // Given the latent hardness X of a word, tier 2 is at the quantile Phi(0.4 X + ...). For a uniform distribution the
  // mean quantile is E Phi(0.4 X / sqrt(2 - 0.16)), X above 1.2816: 0.6984 by integration over the tail.
  double tail = 0;
  constexpr unsigned kSteps = 10000;
  for (unsigned i = 0; i < kSteps; ++i) {
    const double x = normal_quantile(0.9 + 0.1 * (i + 0.5) / kSteps);
    tail += normal_cdf(0.4 * x / std::sqrt(1 + (1 - 0.16))) / kSteps;
  }
  EXPECT_NEAR(mean_after_failure(CalibratedDecoder(parse("correlation 0.4\n" + text))), 1000.5 + 1000 * tail,
              4 * 289 / std::sqrt(4000));
  EXPECT_GT(tail, 0.65);
}

TEST(CalibratedDecoder, SoftOutcomesFollowTheSection) {
  const CalibratedDecoder decoder(
      parse("limits 1000 9000\n0 0 1 0 1\nsoft 3 wrong 0 1 right 0 0\n100 0.2 800\n110 0.2 1000\n"));
  SoftCounts counts;
  counts.wrong = {9, 103, 0, 0};
  counts.right = {900, kCodewordBits - 900 - 112, 0, 0};
  unsigned good = 0;
  unsigned near = 0;
  for (std::uint64_t key = 0; key < 10000; ++key) {
    const Outcome outcome = decoder.decode_soft(3, counts, key);
    EXPECT_EQ(outcome.tier, Tier::kMinSum);
    if (outcome.ok) {
      EXPECT_TRUE(outcome.cycles == 800 || outcome.cycles == 1000) << outcome.cycles;
    } else {
      EXPECT_EQ(outcome.cycles, 9000U);
    }
    good += outcome.ok;
    near += outcome.cycles == 800;
  }
  EXPECT_NEAR(good, 8000, 4 * 40);
  EXPECT_NEAR(near, 0.7 * 8000, 4 * 50);  // severity 103: the first row in seven cases of ten
  counts.wrong[1] = 5;
  EXPECT_DOUBLE_EQ(decoder.soft_failure(3, counts), 0.2);
  EXPECT_THROW((void)decoder.decode_soft(7, counts, 1), std::invalid_argument);
  EXPECT_THROW((void)decoder.decode_soft(1, counts, 1), std::invalid_argument);
}

// What soft reads are for: words far beyond one read, more of them with more reads.
TEST(CalibratedDecoder, MoreReadsReachFurther) {
  const CalibratedDecoder decoder;
  double before = 1.0;
  for (const unsigned reads : {2U, 3U, 5U, 7U}) {
    const SoftLevel& level = soft_level(reads);
    double failure = 0;
    for (std::uint64_t key = 0; key < 200; ++key) {
      failure += decoder.soft_failure(reads, draw_soft_counts(level, symmetric_channel(level, 0.018), 335, key)) / 200;
    }
    EXPECT_LT(failure, before) << reads;
    before = failure;
  }
  EXPECT_DOUBLE_EQ(decoder.failure(335), 1.0);
  EXPECT_LT(before, 0.05);
}

}  // namespace
}  // namespace wordline::ecc
