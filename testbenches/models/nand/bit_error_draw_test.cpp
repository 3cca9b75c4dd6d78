// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/bit_error_draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "models/units/keyed_random.h"

namespace wordline::nand::bit_error_draw_test {
namespace {

/// A hash of which unit_interval() is `u`.
std::uint64_t hash_of(double u) { return static_cast<std::uint64_t>(u * 0x1.0p53) << 11; }

TEST(BinomialTableTest, DistributionFunctionIsTheBinomials) {
  // Rates on a bucket's middle, so that only the inversion is tested: count(p, u) is the smallest n with P(N <= n) > u.
  const unsigned trials = 4000;
  const BinomialTable table(trials);
  for (const unsigned bucket : {0U, 500U, 1000U, 1300U, 1600U}) {
    const double p = 1e-8 * std::exp(0.01 * bucket);
    double cdf = 0;
    for (unsigned n = 0; n < trials; ++n) {
      const double term = std::exp(std::lgamma(trials + 1.0) - std::lgamma(n + 1.0) - std::lgamma(trials - n + 1.0) +
                                   n * std::log(p) + (trials - n) * std::log1p(-p));
      if (term > 1e-6) {
        ASSERT_EQ(table.count(p, hash_of(cdf + 0.001 * term)), n) << p;
        ASSERT_EQ(table.count(p, hash_of(cdf + 0.999 * term)), n) << p;
      }
      cdf += term;
      if (cdf > 1 - 1e-9) break;
    }
  }
}

TEST(BinomialTableTest, EdgesAreSafe) {
  const BinomialTable table(1000);
  EXPECT_EQ(table.count(0, hash_of(0.999999)), 0U);
  EXPECT_EQ(table.count(-1, hash_of(0.5)), 0U);
  EXPECT_EQ(table.count(1e-9, hash_of(0.5)), 0U);
  EXPECT_EQ(table.count(1e-9, hash_of(1 - 1e-7)), 1U);
  EXPECT_LE(table.count(0.5, ~std::uint64_t{0}), 1000U);
  EXPECT_EQ(BinomialTable(0).count(0.01, hash_of(0.5)), 0U);
  EXPECT_LT(BinomialTable(18048).memory_bytes(), 8U << 20);
}

TEST(BitErrorDrawTest, MeanAndSpreadAreTheBinomials) {
  const unsigned bits = 18048;
  const BitErrorDraw draw(bits);
  for (const double rate : {1e-5, 3e-4, 2e-3, 1e-2}) {
    const unsigned samples = 200'000;
    double sum = 0;
    double squares = 0;
    for (unsigned i = 0; i < samples; ++i) {
      const double n = draw.count(rate, keyed_hash(1, i), keyed_hash(2, i));
      sum += n;
      squares += n * n;
    }
    const double mean = sum / samples;
    const double variance = squares / samples - mean * mean;
    const double expected = rate * bits;
    const double expected_variance = expected * (1 - rate);
    // Half a bucket, and five standard errors.
    EXPECT_NEAR(mean, expected, 0.006 * expected + 5 * std::sqrt(expected_variance / samples)) << rate;
    EXPECT_NEAR(variance / expected_variance, 1.0, 0.03) << rate;
  }
}

TEST(BitErrorDrawTest, MostErrorsLastAndTheRestIsReadNoise) {
  const unsigned bits = 16000;
  const BitErrorDraw draw(bits);
  const double rate = 5e-3;  // 80 errors, 5 of them in the noisy sixteenth
  double between = 0;
  double within = 0;
  const unsigned places = 500;
  const unsigned reads = 50;
  for (unsigned place = 0; place < places; ++place) {
    double sum = 0;
    double squares = 0;
    for (unsigned read = 0; read < reads; ++read) {
      const double n = draw.count(rate, keyed_hash(3, place), keyed_hash(4, place, read));
      sum += n;
      squares += n * n;
    }
    const double mean = sum / reads;
    within += (squares / reads - mean * mean) / places;
    between += (mean - rate * bits) * (mean - rate * bits) / places;
  }
  EXPECT_NEAR(within, 5.0, 0.6);
  EXPECT_NEAR(between, 75.0, 15.0);
  EXPECT_EQ(draw.count(rate, 11, 12), draw.count(rate, 11, 12));
}

TEST(BitErrorDrawsTest, EachLengthHasItsOwnAndKeepsIt) {
  BitErrorDraws draws;
  const BitErrorDraw* const a = &draws.of(9000);
  const BitErrorDraw* const b = &draws.of(18'000);
  EXPECT_NE(a, b);
  for (unsigned bits = 1; bits < 100; ++bits) (void)draws.of(bits);
  EXPECT_EQ(a, &draws.of(9000));
  EXPECT_EQ(b, &draws.of(18'000));
  EXPECT_LT(draws.of(9000).count(0.01, 1, 2), draws.of(18'000).count(0.01, 1, 2));
}

}  // namespace
}  // namespace wordline::nand::bit_error_draw_test
