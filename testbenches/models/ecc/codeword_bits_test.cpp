// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/codeword_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/ecc/code/crc32c.h"
#include "models/ecc/decoders/bit_flipping_decoder.h"
#include "models/ecc/decoders/min_sum_decoder.h"
#include "models/units/keyed_random.h"

namespace wordline::ecc::testing {
namespace {

constexpr std::uint64_t kAddress = 0x12345;

data::LpageStamps mixed_blocks() {
  data::LpageStamps blocks{};
  for (unsigned i = 0; i < blocks.size(); ++i) blocks[i] = data::LbaStamp(Lba(8 * kAddress + i), 7 + i % 3);
  blocks[2] = {};
  return blocks;
}

CodewordBytes bytes_of(const CodeBits& bits) {
  CodewordBytes bytes{};
  pack(bits, bytes.data());
  return bytes;
}

/// Stored bits that differ.
unsigned distance(const CodeBits& a, const CodeBits& b) {
  unsigned count = 0;
  for (unsigned c = 0; c < kBlockColumns; ++c) {
    for (const std::uint64_t word : (a[c] ^ b[c]).word) count += static_cast<unsigned>(__builtin_popcountll(word));
  }
  return count;
}

TEST(CodewordBits, PayloadCarriesStampsAddressAndNumber) {
  const data::LpageStamps blocks = mixed_blocks();
  const CodewordBytes low = payload_of(blocks, kAddress, 0);
  const CodewordBytes high = payload_of(blocks, kAddress, 1);
  const auto word = [](const CodewordBytes& bytes, unsigned at) {
    std::uint64_t value = 0;
    for (unsigned i = 8; i-- > 0;) value = value << 8 | bytes[at + i];
    return value;
  };
  for (unsigned b = 0; b < 4; ++b) {
    EXPECT_EQ(word(low, 512 * b), blocks[b].bits()) << b;
    EXPECT_EQ(word(high, 512 * b), blocks[4 + b].bits()) << b;
  }
  EXPECT_TRUE(std::all_of(low.begin() + 1024, low.begin() + 1536, [](std::uint8_t v) { return v == 0; }));
  EXPECT_NE(word(low, 8), word(low, 512 + 8));
  EXPECT_EQ(word(low, 2048), kAddress);
  EXPECT_EQ(word(low, 2056), 0U);
  EXPECT_EQ(word(high, 2056), 1U);
  EXPECT_EQ(payload_of(blocks, kAddress, 0), low);
  EXPECT_THROW((void)payload_of(blocks, kAddress, kMostCodewords), std::invalid_argument);
}

TEST(CodewordBits, NoTwoCodewordsHaveTheSameAddress) {
  std::set<std::uint64_t> addresses;
  for (const std::uint64_t lpn : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 0x7fffffffU, 0x80000000U, 0xfffffffeU}) {
    for (unsigned codeword = 0; codeword < kMostCodewords; ++codeword) {
      addresses.insert(codeword_address(lpn, codeword));
    }
  }
  EXPECT_EQ(addresses.size(), 12 * kMostCodewords);
}

TEST(CodewordBits, TokensStandForTheirBlocks) {
  data::TokenPool pool;
  const data::LpageToken mixed = pool.intern(mixed_blocks());
  ASSERT_TRUE(mixed.is_mixed());
  EXPECT_EQ(make_codeword(pool, mixed, kAddress, 1), make_codeword(mixed_blocks(), kAddress, 1));
  const auto uniform = data::LpageToken::uniform(Lpn(9), 3);
  EXPECT_NE(make_codeword(pool, uniform, 9, 0), make_codeword(pool, uniform, 9, 1));
  EXPECT_NE(make_codeword(pool, uniform, 9, 0), make_codeword(pool, data::LpageToken::uniform(Lpn(9), 4), 9, 0));
}

TEST(CodewordBits, DecodingGivesBackThePayload) {
  MinSumDecoder min_sum;
  for (unsigned half = 0; half < 2; ++half) {
    const CodeBits written = make_codeword(mixed_blocks(), kAddress, half);
    ASSERT_TRUE(LdpcCode::instance().is_codeword(written));
    CodeBits flipped = read_codeword(written, 40, half).hard;
    ASSERT_TRUE(BitFlippingDecoder::decode(flipped).ok);
    CodeBits summed = read_codeword(written, 120, half).hard;
    ASSERT_TRUE(min_sum.decode(summed).ok);
    for (const CodeBits& decoded : {flipped, summed}) {
      CodewordBytes bytes = bytes_of(decoded);
      EXPECT_TRUE(open_codeword(bytes, codeword_address(kAddress, half)));
      const CodewordBytes payload = payload_of(mixed_blocks(), kAddress, half);
      EXPECT_TRUE(std::equal(payload.begin(), payload.begin() + 2064, bytes.begin()));
    }
  }
}

TEST(CodewordBits, SoftReadsDecodeWhatHardReadsCannot) {
  MinSumDecoder min_sum;
  const CodeBits written = make_codeword(mixed_blocks(), kAddress, 0);
  for (const unsigned reads : {2U, 3U, 5U, 7U}) {
    const SoftLevel& level = soft_level(reads);
    const SoftCounts counts = draw_soft_counts(level, symmetric_channel(level, 0.011), 205, 77);
    ASSERT_EQ(counts.errors(), 205U);
    const ReadBits read = read_codeword(written, level, counts, 5);
    CodeBits hard = read.hard;
    EXPECT_FALSE(min_sum.decode(hard).ok);
    CodeBits soft = read.hard;
    EXPECT_TRUE(min_sum.decode(soft, read.rel0, read.rel1, level.llr).ok) << reads;
    EXPECT_EQ(soft, written) << reads;
  }
}

TEST(CodewordBits, CrcCatchesAMiscorrectionAndTheWrongPlace) {
  // A read so wrong that it is nearest to another codeword: decoding succeeds, to the wrong word.
  const CodeBits written = make_codeword(mixed_blocks(), kAddress, 0);
  const CodeBits other = make_codeword(data::LpageStamps{}, kAddress + 1, 0);
  CodeBits received = read_codeword(other, 60, 3).hard;
  ASSERT_GT(distance(received, written), 5000U);
  ASSERT_TRUE(MinSumDecoder().decode(received).ok);
  ASSERT_EQ(received, other);
  CodewordBytes miscorrected = bytes_of(received);
  EXPECT_FALSE(open_codeword(miscorrected, codeword_address(kAddress, 0)));
  // Right data under another address, or as the other half.
  for (const std::uint64_t place : {codeword_address(kAddress, 1), codeword_address(kAddress + 1, 0)}) {
    CodewordBytes bytes = bytes_of(written);
    EXPECT_FALSE(open_codeword(bytes, place));
  }
}

TEST(CodewordBits, ReadsHaveExactlyTheErrorsAskedFor) {
  const CodeBits written = make_codeword(mixed_blocks(), kAddress, 0);
  for (const unsigned errors : {0U, 1U, 80U, 160U, 400U}) {
    const ReadBits read = read_codeword(written, errors, 11);
    EXPECT_EQ(distance(read.hard, written), errors);
    EXPECT_FALSE((read.hard[kShortenedColumn] & kShortenedLanes).any());
    EXPECT_EQ(distance(read.rel0, CodeBits{}) + distance(read.rel1, CodeBits{}), 0U);
  }
  EXPECT_THROW((void)read_codeword(written, kCodewordBits + 1, 11), std::invalid_argument);
}

TEST(CodewordBits, OneKeyNestsErrorsAndAnotherDoesNot) {
  const CodeBits written = make_codeword(mixed_blocks(), kAddress, 0);
  EXPECT_EQ(distance(read_codeword(written, 80, 1).hard, read_codeword(written, 95, 1).hard), 15U);
  EXPECT_GT(distance(read_codeword(written, 80, 1).hard, read_codeword(written, 80, 2).hard), 140U);
}

TEST(CodewordBits, ErrorsSpreadEvenlyOverTheCodeword) {
  // 400 reads of 100 errors, counted in the 72 whole block columns; the shortened one has 160 bits.
  const CodeBits written = make_codeword(mixed_blocks(), kAddress, 0);
  std::array<unsigned, kBlockColumns> hits{};
  for (std::uint64_t key = 0; key < 400; ++key) {
    const CodeBits hard = read_codeword(written, 100, key).hard;
    for (unsigned c = 0; c < kBlockColumns; ++c) {
      for (const std::uint64_t word : (hard[c] ^ written[c]).word) {
        hits[c] += static_cast<unsigned>(__builtin_popcountll(word));
      }
    }
  }
  double chi2 = 0;
  for (unsigned c = 0; c < kBlockColumns; ++c) {
    const double expected = 40000.0 * (c == kShortenedColumn ? 160 : 256) / kCodewordBits;
    chi2 += (hits[c] - expected) * (hits[c] - expected) / expected;
  }
  EXPECT_LT(chi2, 72 + 4 * 12);  // 72 degrees of freedom, four standard deviations
  EXPECT_GT(chi2, 72 - 4 * 12);
}

TEST(CodewordBits, SoftReadPutsEveryBitInItsRegion) {
  const CodeBits written = make_codeword(mixed_blocks(), kAddress, 0);
  for (const unsigned reads : {2U, 3U, 5U, 7U}) {
    const SoftLevel& level = soft_level(reads);
    const SoftCounts counts = draw_soft_counts(level, symmetric_channel(level, 0.012), 230, 4);
    const ReadBits read = read_codeword(written, level, counts, 9);
    SoftCounts seen;
    for (unsigned bit = 0; bit < kCodeBits; ++bit) {
      const unsigned c = bit / kLifting;
      const unsigned lane = bit % kLifting;
      if (c == kShortenedColumn && kShortenedLanes.test(lane)) continue;
      const unsigned region = read.rel0[c].test(lane) + 2U * read.rel1[c].test(lane);
      ++(read.hard[c].test(lane) != written[c].test(lane) ? seen.wrong : seen.right)[region];
    }
    EXPECT_EQ(seen.wrong, counts.wrong) << reads;
    EXPECT_EQ(seen.right, counts.right) << reads;
    EXPECT_EQ(read.hard, read_codeword(written, 230, 9).hard) << "the centre read is the hard read";
  }
  SoftCounts incomplete;
  incomplete.right[1] = 100;
  EXPECT_THROW((void)read_codeword(written, soft_level(3), incomplete, 1), std::invalid_argument);
  SoftCounts beyond;
  beyond.right[3] = kCodewordBits;
  EXPECT_THROW((void)read_codeword(written, soft_level(5), beyond, 1), std::invalid_argument);
}

TEST(CodewordBits, StoredZerosAreBalanced) {
  // Logical page after logical page of zeros: ones of a codeword are binomial, and neither a fixed pattern nor a
  // constant remains.
  double sum = 0;
  double squares = 0;
  std::set<std::uint64_t> beats;
  constexpr unsigned kWords = 200;
  for (unsigned i = 0; i < kWords; ++i) {
    const CodeBits bits = make_codeword(data::LpageStamps{}, i / 2, i % 2);
    const double ones = distance(bits, CodeBits{});
    sum += ones;
    squares += (ones - kCodewordBits / 2.0) * (ones - kCodewordBits / 2.0);
    for (const std::uint64_t word : bits[10].word) beats.insert(word);
  }
  const double variance = kCodewordBits / 4.0;
  EXPECT_NEAR(sum / kWords, kCodewordBits / 2.0, 4 * std::sqrt(variance / kWords));
  EXPECT_NEAR(squares / kWords / variance, 1.0, 4 * std::sqrt(2.0 / kWords));
  EXPECT_EQ(beats.size(), 4U * kWords);
}

}  // namespace
}  // namespace wordline::ecc::testing
