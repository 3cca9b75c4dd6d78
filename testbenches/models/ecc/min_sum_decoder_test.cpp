// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/min_sum_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "testbenches/models/ecc/ldpc_support.h"

namespace wordline::ecc::testing {
namespace {

/// The specification in min_sum_decoder.h once more, check by check.
struct Plain {
  std::vector<int> l;
  bool ok = false;
  unsigned layers = 0;
  unsigned cycles = 1;

  Plain(const CodeBits& bits, const CodeBits& rel0, const CodeBits& rel1, const LlrTable& llr) {
    for (unsigned i = 0; i < kCodeBits; ++i) {
      const unsigned symbol = (rel0[i / 256].test(i % 256) ? 1 : 0) + (rel1[i / 256].test(i % 256) ? 2 : 0);
      l.push_back(i >= 16544 && i <= 16639 ? 31 : bits[i / 256].test(i % 256) ? -llr[symbol] : llr[symbol]);
    }
    static const int kScaled[8] = {0, 1, 1, 2, 3, 4, 4, 5};
    std::vector<std::vector<int>> messages(kParityBits, std::vector<int>(kBlockColumns, 0));
    const auto sat = [](int v) { return std::clamp(v, -31, 31); };
    for (unsigned quiet = 0; quiet < 8 && layers < 160;) {
      const unsigned row = layers % 8;
      bool is_quiet = true;
      for (unsigned j = 0; j < 256; ++j) {
        std::vector<unsigned> columns;
        for (unsigned c = 0; c < kBlockColumns; ++c) {
          if (kShift[row][c] >= 0) columns.push_back(c);
        }
        const auto bit = [&](unsigned c) { return c * 256 + (j + static_cast<unsigned>(kShift[row][c])) % 256; };
        std::vector<int> q;
        bool parity = false;
        bool sign = false;
        for (const unsigned c : columns) {
          q.push_back(sat(l[bit(c)] - messages[row * 256 + j][c]));
          parity ^= l[bit(c)] < 0;
          sign ^= q.back() < 0;
        }
        if (parity) is_quiet = false;
        for (unsigned k = 0; k < columns.size(); ++k) {
          int least = 7;  // of all others: what the two minima stand for
          for (unsigned m = 0; m < columns.size(); ++m) {
            if (m != k) least = std::min(least, std::abs(q[m]));
          }
          const int r = sign != (q[k] < 0) ? -kScaled[least] : kScaled[least];
          messages[row * 256 + j][columns[k]] = r;
          int& value = l[bit(columns[k])];
          const int next = sat(q[k] + r);
          if ((next < 0) != (value < 0)) is_quiet = false;
          value = next;
        }
        if (j == 0) cycles += 2 * static_cast<unsigned>(columns.size());
      }
      ++layers;
      quiet = is_quiet ? quiet + 1 : 0;
      ok = quiet == 8;
    }
  }
};

void expect_bit_true(const CodeBits& in, const CodeBits& rel0, const CodeBits& rel1, const LlrTable& llr,
                     bool& succeeded) {
  MinSumDecoder decoder;
  CodeBits bits = in;
  const MinSumResult result = decoder.decode(bits, rel0, rel1, llr);
  const Plain plain(in, rel0, rel1, llr);
  EXPECT_EQ(result.ok, plain.ok);
  EXPECT_EQ(result.layers, plain.layers);
  EXPECT_EQ(result.cycles, plain.cycles);
  for (unsigned i = 0; i < kCodeBits; ++i) ASSERT_EQ(bits[i / 256].test(i % 256), plain.l[i] < 0) << i;
  succeeded = result.ok;
}

TEST(MinSumDecoder, IsBitTrueToItsSpecificationOnHardBits) {
  for (const unsigned errors : {0U, 30U, 120U, 150U}) {
    bool ok = false;
    expect_bit_true(with_errors(random_codeword(errors), errors, 1), CodeBits{}, CodeBits{}, kHardLlr, ok);
    EXPECT_TRUE(ok) << errors;
  }
  bool ok = true;
  expect_bit_true(with_errors(random_codeword(9), 190, 1), CodeBits{}, CodeBits{}, kHardLlr, ok);
  EXPECT_FALSE(ok);
}

/// Errors as soft sensing sees them: wrong bits are mostly weak, right ones rarely.
void soft_planes(const CodeBits& word, const CodeBits& read, CodeBits& rel0, CodeBits& rel1) {
  for (unsigned i = 0; i < kCodeBits; ++i) {
    const bool wrong = word[i / 256].test(i % 256) != read[i / 256].test(i % 256);
    const double u = unit_interval(keyed_hash(77, i));
    const unsigned symbol = u < (wrong ? 0.6 : 0.01) ? 0 : u < (wrong ? 0.9 : 0.03) ? 1 : u < 0.1 ? 2 : 3;
    if ((symbol & 1) != 0) rel0[i / 256].flip(i % 256);
    if ((symbol & 2) != 0) rel1[i / 256].flip(i % 256);
  }
}

TEST(MinSumDecoder, IsBitTrueToItsSpecificationOnSoftBits) {
  const CodeBits word = random_codeword(11);
  const CodeBits read = with_errors(word, 250, 3);
  CodeBits rel0{};
  CodeBits rel1{};
  soft_planes(word, read, rel0, rel1);
  bool ok = false;
  expect_bit_true(read, rel0, rel1, kSevenReadLlr, ok);
  EXPECT_TRUE(ok);
  // With erasures (magnitude 0), where a value of zero counts as bit 0.
  expect_bit_true(read, rel0, rel1, {{0, 7, 7, 7}}, ok);
  EXPECT_TRUE(ok);
}

TEST(MinSumDecoder, SoftBitsRepairWhatHardBitsCannot) {
  MinSumDecoder decoder;
  const CodeBits word = random_codeword(12);
  const CodeBits read = with_errors(word, 250, 4);
  CodeBits rel0{};
  CodeBits rel1{};
  soft_planes(word, read, rel0, rel1);
  CodeBits hard = read;
  EXPECT_FALSE(decoder.decode(hard).ok);
  CodeBits soft = read;
  EXPECT_TRUE(decoder.decode(soft, rel0, rel1, kSevenReadLlr).ok);
  EXPECT_EQ(soft, word);
}

TEST(MinSumDecoder, TakesEightLayersWithoutError) {
  MinSumDecoder decoder;
  CodeBits bits = random_codeword(5);
  const CodeBits word = bits;
  const MinSumResult result = decoder.decode(bits);
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.layers, 8U);
  EXPECT_EQ(result.cycles, 583U);
  EXPECT_EQ(bits, word);
}

TEST(MinSumDecoder, GivesUpAfterTwentyIterations) {
  MinSumDecoder decoder;
  CodeBits bits = with_errors(random_codeword(5), 400, 5);
  const MinSumResult result = decoder.decode(bits);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.layers, 160U);
  EXPECT_EQ(result.cycles, 11641U);
}

TEST(MinSumDecoder, KeepsNothingFromTheWordBefore) {
  MinSumDecoder used;
  CodeBits bad = with_errors(random_codeword(1), 400, 1);
  EXPECT_FALSE(used.decode(bad).ok);
  CodeBits a = with_errors(random_codeword(2), 140, 2);
  CodeBits b = a;
  const MinSumResult after = used.decode(a);
  MinSumDecoder fresh;
  const MinSumResult first = fresh.decode(b);
  EXPECT_EQ(after.ok, first.ok);
  EXPECT_EQ(after.layers, first.layers);
  EXPECT_EQ(a, b);
}

TEST(MinSumDecoder, RefusesMagnitudesAboveSeven) {
  MinSumDecoder decoder;
  CodeBits bits{};
  EXPECT_THROW(decoder.decode(bits, CodeBits{}, CodeBits{}, {{1, 2, 4, 8}}), std::invalid_argument);
}

unsigned failures_of(unsigned errors, unsigned words) {
  MinSumDecoder decoder;
  unsigned failures = 0;
  for (std::uint64_t seed = 0; seed < words; ++seed) {
    const CodeBits word = random_codeword(seed);
    CodeBits bits = with_errors(word, errors, seed);
    if (!decoder.decode(bits).ok) {
      ++failures;
    } else {
      EXPECT_EQ(bits, word) << "miscorrection";
    }
  }
  return failures;
}

// 0, 0.2 % and 11 % of several thousand words (docs/measurements/ecc.md).
TEST(MinSumDecoder, RepairsAHundredAndFortyErrors) { EXPECT_LE(failures_of(140, 400), 1U); }
TEST(MinSumDecoder, RepairsAlmostAllWordsWithAHundredAndFifty) { EXPECT_LE(failures_of(150, 300), 5U); }
TEST(MinSumDecoder, FailsAtTimesAtAHundredAndSixty) {
  const unsigned failures = failures_of(160, 200);
  EXPECT_GE(failures, 7U);
  EXPECT_LE(failures, 42U);
}

}  // namespace
}  // namespace wordline::ecc::testing
