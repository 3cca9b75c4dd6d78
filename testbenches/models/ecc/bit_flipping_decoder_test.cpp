// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/bit_flipping_decoder.h"

#include <gtest/gtest.h>

#include <vector>

#include "testbenches/models/ecc/ldpc_support.h"

namespace wordline::ecc::testing {
namespace {

/// The specification in bit_flipping_decoder.h once more, bit by bit and check by check.
struct Plain {
  std::vector<bool> x;
  bool ok = false;
  unsigned iterations = 0;
  unsigned cycles = 1;

  explicit Plain(const CodeBits& bits) {
    for (unsigned i = 0; i < kCodeBits; ++i) x.push_back(bits[i / 256].test(i % 256));
    const std::vector<bool> y = x;
    std::vector<bool> s(kParityBits);
    unsigned unsatisfied = 0;
    const auto flip = [&](unsigned r, unsigned c, unsigned lane) {
      const unsigned j = r * 256 + (lane + 256 - static_cast<unsigned>(kShift[r][c])) % 256;
      s[j] = !s[j];
      unsatisfied += s[j] ? 1U : ~0U;
    };
    for (unsigned i = 0; i < kCodeBits; ++i) {
      for (unsigned r = 0; r < kBlockRows; ++r) {
        if (x[i] && kShift[r][i / 256] >= 0) flip(r, i / 256, i % 256);
      }
    }
    ok = unsatisfied == 0;
    unsigned threshold = 4;
    while (!ok && iterations < 20) {
      ++iterations;
      bool flipped = false;
      for (unsigned c = 0; c < kBlockColumns && !ok; ++c) {
        ++cycles;
        std::vector<unsigned> chosen;
        for (unsigned lane = 0; lane < 256; ++lane) {
          const unsigned i = c * 256 + lane;
          unsigned e = x[i] != y[i] ? 1 : 0;
          for (unsigned r = 0; r < kBlockRows; ++r) {
            if (kShift[r][c] >= 0 && s[r * 256 + (lane + 256 - static_cast<unsigned>(kShift[r][c])) % 256]) ++e;
          }
          if (e >= threshold && (i < 16544 || i > 16639)) chosen.push_back(lane);
        }
        for (const unsigned lane : chosen) {
          flipped = true;
          x[c * 256 + lane] = !x[c * 256 + lane];
          for (unsigned r = 0; r < kBlockRows; ++r) {
            if (kShift[r][c] >= 0) flip(r, c, lane);
          }
        }
        ok = unsatisfied == 0;
      }
      threshold = threshold == 3 && !flipped ? 2 : 3;
    }
  }
};

TEST(BitFlippingDecoder, IsBitTrueToItsSpecification) {
  unsigned failures = 0;
  for (const unsigned errors : {0U, 1U, 5U, 20U, 40U, 60U, 80U, 90U, 100U, 110U, 120U, 150U, 400U}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      CodeBits bits = with_errors(random_codeword(seed), errors, seed);
      const Plain plain(bits);
      const BitFlippingResult result = BitFlippingDecoder::decode(bits);
      EXPECT_EQ(result.ok, plain.ok) << errors;
      EXPECT_EQ(result.iterations, plain.iterations) << errors;
      EXPECT_EQ(result.cycles, plain.cycles) << errors;
      for (unsigned i = 0; i < kCodeBits; ++i) ASSERT_EQ(bits[i / 256].test(i % 256), plain.x[i]) << errors << " " << i;
      failures += result.ok ? 0 : 1;
    }
  }
  EXPECT_GE(failures, 6U);
}

TEST(BitFlippingDecoder, TakesOneCycleWithoutError) {
  CodeBits bits = random_codeword(5);
  const CodeBits word = bits;
  const BitFlippingResult result = BitFlippingDecoder::decode(bits);
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.cycles, 1U);
  EXPECT_EQ(result.iterations, 0U);
  EXPECT_EQ(bits, word);
}

TEST(BitFlippingDecoder, RepairsOneErrorInTheClockOfItsColumn) {
  const CodeBits word = random_codeword(6);
  for (unsigned c = 0; c < kBlockColumns; ++c) {
    CodeBits bits = word;
    bits[c].flip(17);
    const BitFlippingResult result = BitFlippingDecoder::decode(bits);
    EXPECT_TRUE(result.ok);
    EXPECT_EQ(bits, word);
    // A bit of the weight-3 column reaches threshold 3 only in the second iteration.
    const unsigned iteration = LdpcCode::instance().column(c).size == 4 ? 0 : 1;
    EXPECT_EQ(result.cycles, 1 + iteration * kBlockColumns + c + 1);
  }
}

TEST(BitFlippingDecoder, GivesUpAfterTwentyIterations) {
  CodeBits bits = with_errors(random_codeword(7), 300, 7);
  const BitFlippingResult result = BitFlippingDecoder::decode(bits);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.iterations, 20U);
  EXPECT_EQ(result.cycles, 1461U);
}

TEST(BitFlippingDecoder, NeverTouchesShortenedBits) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CodeBits bits = with_errors(random_codeword(seed), 200, seed);
    BitFlippingDecoder::decode(bits);
    EXPECT_FALSE((bits[kShortenedColumn] & kShortenedLanes).any());
  }
}

unsigned failures_of(unsigned errors, unsigned words) {
  unsigned failures = 0;
  for (std::uint64_t seed = 0; seed < words; ++seed) {
    CodeBits bits = with_errors(CodeBits{}, errors, seed);
    if (!BitFlippingDecoder::decode(bits).ok) {
      ++failures;
    } else {
      EXPECT_EQ(bits, CodeBits{}) << "miscorrection";
    }
  }
  return failures;
}

// The rule is symmetric: what happens depends on the errors, not on the word.
TEST(BitFlippingDecoder, DependsOnErrorsOnly) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const CodeBits word = random_codeword(seed);
    CodeBits a = with_errors(word, 85, seed);
    CodeBits b = with_errors(CodeBits{}, 85, seed);
    EXPECT_EQ(BitFlippingDecoder::decode(a).cycles, BitFlippingDecoder::decode(b).cycles);
    for (unsigned c = 0; c < kBlockColumns; ++c) EXPECT_EQ(a[c] ^ word[c], b[c]);
  }
}

// Without bonus and stall rule, 60 errors fail 1.35 % and 80 errors 11.6 % of the time (prototype, 2000 words each).
TEST(BitFlippingDecoder, RepairsSixtyErrors) { EXPECT_LE(failures_of(60, 2000), 4U); }
TEST(BitFlippingDecoder, RepairsMostWordsWithEightyErrors) {
  const unsigned failures = failures_of(80, 2000);
  EXPECT_LE(failures, 85U);  // 2.7 % of 20000
  EXPECT_GE(failures, 28U);
}
TEST(BitFlippingDecoder, FailsAboutHalfOfTheTimeAtAHundredErrors) {
  const unsigned failures = failures_of(100, 500);
  EXPECT_LE(failures, 300U);
  EXPECT_GE(failures, 200U);
}

}  // namespace
}  // namespace wordline::ecc::testing
