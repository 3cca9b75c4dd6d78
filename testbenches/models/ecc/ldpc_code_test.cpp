// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/code/ldpc_code.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "models/units/keyed_random.h"

namespace wordline::ecc::testing {
namespace {

CodeBits random_information(std::uint64_t seed) {
  CodeBits bits{};
  for (unsigned c = 0; c < kInformationColumns; ++c) {
    for (unsigned i = 0; i < 4; ++i) bits[c].word[i] = keyed_hash(seed, c, i);
  }
  bits[kShortenedColumn] = bits[kShortenedColumn] & ~kShortenedLanes;
  return bits;
}

TEST(LdpcCode, RotationIsTheRuleOfTheHeader) {
  Lanes x;
  for (unsigned i = 0; i < 4; ++i) x.word[i] = keyed_hash(1, i);
  for (unsigned shift = 0; shift < 256; ++shift) {
    const Lanes y = rotate(x, shift);
    for (unsigned j = 0; j < 256; ++j) ASSERT_EQ(y.test(j), x.test((j + shift) % 256)) << shift << " " << j;
    ASSERT_EQ(rotate_back(y, shift), x);
  }
}

TEST(LdpcCode, HasTheWeightsOfTheDesign) {
  unsigned circulants = 0;
  unsigned weight_three = 0;
  for (unsigned c = 0; c < kBlockColumns; ++c) {
    const unsigned weight = LdpcCode::instance().column(c).size;
    if (weight == 3) {
      ++weight_three;
      EXPECT_GE(c, kInformationColumns);
    } else {
      EXPECT_EQ(weight, 4U);
    }
    circulants += weight;
  }
  EXPECT_EQ(weight_three, 1U);
  EXPECT_EQ(circulants, 291U);
  for (unsigned r = 0; r < kBlockRows; ++r) {
    EXPECT_GE(LdpcCode::instance().row(r).size, 36U);
    EXPECT_LE(LdpcCode::instance().row(r).size, 37U);
  }
}

TEST(LdpcCode, HasNoCycleOfLengthFour) {
  for (unsigned a = 0; a < kBlockRows; ++a) {
    for (unsigned b = a + 1; b < kBlockRows; ++b) {
      std::set<unsigned> differences;
      for (unsigned c = 0; c < kBlockColumns; ++c) {
        if (kShift[a][c] < 0 || kShift[b][c] < 0) continue;
        EXPECT_TRUE(differences.insert(static_cast<unsigned>(kShift[a][c] - kShift[b][c] + 256) % 256).second);
      }
    }
  }
}

TEST(LdpcCode, HasFullRank) {
  // Plain elimination of the 2048 x 18688 matrix, bit by bit from the table: shares nothing with the encoder.
  constexpr unsigned kWords = kCodeBits / 64;
  std::vector<std::vector<std::uint64_t>> h(kParityBits, std::vector<std::uint64_t>(kWords));
  for (unsigned r = 0; r < kBlockRows; ++r) {
    for (unsigned c = 0; c < kBlockColumns; ++c) {
      if (kShift[r][c] < 0) continue;
      for (unsigned j = 0; j < kLifting; ++j) {
        const unsigned bit = c * kLifting + (j + static_cast<unsigned>(kShift[r][c])) % kLifting;
        h[r * kLifting + j][bit / 64] ^= std::uint64_t{1} << (bit % 64);
      }
    }
  }
  unsigned rank = 0;
  for (unsigned bit = kCodeBits; bit-- > 0 && rank < kParityBits;) {  // the parity part comes first
    const auto set = [&](unsigned row) { return (h[row][bit / 64] >> (bit % 64) & 1) != 0; };
    unsigned pivot = rank;
    while (pivot < kParityBits && !set(pivot)) ++pivot;
    if (pivot == kParityBits) continue;
    std::swap(h[pivot], h[rank]);
    for (unsigned row = rank + 1; row < kParityBits; ++row) {
      if (!set(row)) continue;
      for (unsigned w = 0; w < kWords; ++w) h[row][w] ^= h[rank][w];
    }
    ++rank;
  }
  EXPECT_EQ(rank, kParityBits);
}

TEST(LdpcCode, EncodedWordsSatisfyEveryCheck) {
  const LdpcCode& code = LdpcCode::instance();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CodeBits bits = random_information(seed);
    const CodeBits information = bits;
    code.encode(bits);
    ASSERT_TRUE(code.is_codeword(bits));
    for (unsigned c = 0; c < kInformationColumns; ++c) ASSERT_EQ(bits[c], information[c]);
    // Check by the definition in ldpc_base.h, bit by bit.
    for (unsigned r = 0; r < kBlockRows; ++r) {
      for (unsigned j = 0; j < kLifting; ++j) {
        bool parity = false;
        for (unsigned c = 0; c < kBlockColumns; ++c) {
          if (kShift[r][c] >= 0) parity ^= bits[c].test((j + static_cast<unsigned>(kShift[r][c])) % kLifting);
        }
        ASSERT_FALSE(parity) << "row " << r << " check " << j;
      }
    }
  }
}

TEST(LdpcCode, EveryColumnMatters) {
  const LdpcCode& code = LdpcCode::instance();
  CodeBits bits = random_information(3);
  code.encode(bits);
  for (unsigned bit = 0; bit < kCodeBits; bit += 37) {
    bits[bit / 256].flip(bit % 256);
    EXPECT_FALSE(code.is_codeword(bits)) << bit;
    bits[bit / 256].flip(bit % 256);
  }
}

TEST(LdpcCode, PacksBytesInStreamOrder) {
  std::vector<std::uint8_t> bytes(kCodewordBytes);
  for (unsigned i = 0; i < kCodewordBytes; ++i) bytes[i] = static_cast<std::uint8_t>(keyed_hash(9, i));
  const CodeBits bits = unpack(bytes.data());
  EXPECT_FALSE((bits[kShortenedColumn] & kShortenedLanes).any());
  EXPECT_EQ(bits[0].word[0] & 0xff, bytes[0]);
  EXPECT_EQ(bits[64].word[2] & 0xffff'ffff,
            bytes[2064] | bytes[2065] << 8 | bytes[2066] << 16 | static_cast<std::uint64_t>(bytes[2067]) << 24);
  EXPECT_EQ(bits[65].word[0] & 0xff, bytes[2068]);
  EXPECT_EQ(bits[72].word[3] >> 56, bytes[2323]);
  std::vector<std::uint8_t> back(kCodewordBytes);
  pack(bits, back.data());
  EXPECT_EQ(back, bytes);
}

TEST(LdpcCode, RefusesShortenedBits) {
  CodeBits bits{};
  bits[kShortenedColumn].flip(160);
  EXPECT_THROW(LdpcCode::instance().encode(bits), std::invalid_argument);
}

}  // namespace
}  // namespace wordline::ecc::testing
