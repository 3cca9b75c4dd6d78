// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/code/crc32c.h"

#include <gtest/gtest.h>

#include <vector>

#include "models/ecc/code/ldpc_code.h"
#include "models/ecc/decoders/codeword_bits.h"
#include "models/units/keyed_random.h"

namespace wordline::ecc::testing {
namespace {

CodewordBytes codeword(std::uint64_t seed, std::uint64_t address) {
  CodewordBytes bytes{};
  for (unsigned i = 0; i < 2064; ++i) bytes[i] = static_cast<std::uint8_t>(keyed_hash(seed, i));
  encode_codeword(bytes, address);
  return bytes;
}

bool opens(CodewordBytes bytes, std::uint64_t address) { return open_codeword(bytes, address); }

TEST(Crc32c, GivesTheVectorsOfRfc3720) {
  EXPECT_EQ(crc32c("123456789", 9), 0xe3069283U);
  const std::vector<std::uint8_t> zeros(32, 0);
  EXPECT_EQ(crc32c(zeros.data(), 32), 0x8a9136aaU);
  const std::vector<std::uint8_t> ones(32, 0xff);
  EXPECT_EQ(crc32c(ones.data(), 32), 0x62a8ab43U);
  std::vector<std::uint8_t> rising(32);
  for (unsigned i = 0; i < 32; ++i) rising[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(crc32c(rising.data(), 32), 0x46dd794eU);
}

TEST(Crc32c, ContinuesWhereItStopped) {
  EXPECT_EQ(crc32c("6789", 4, crc32c("12345", 5)), crc32c("123456789", 9));
  EXPECT_EQ(crc32c(nullptr, 0), 0U);
}

TEST(Crc32c, AddressGoesInFirstAsEightBytes) {
  std::vector<std::uint8_t> bytes = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
  bytes.resize(8 + 2064, 0x5a);
  EXPECT_EQ(payload_crc(bytes.data() + 8, 0x1122334455667788), crc32c(bytes.data(), bytes.size()));
}

TEST(Crc32c, CompletedCodewordHoldsAtItsAddressOnly) {
  const auto bytes = codeword(1, 42);
  EXPECT_TRUE(LdpcCode::instance().is_codeword(unpack(bytes.data())));
  EXPECT_TRUE(opens(bytes, 42));
  EXPECT_FALSE(opens(bytes, 43));
}

TEST(Crc32c, CatchesAWordOfTheCodeThatIsNotTheOneWritten) {
  // What a miscorrection looks like: every parity check holds.
  auto bytes = codeword(1, 42);
  const auto other = codeword(2, 42);
  const auto third = codeword(3, 42);
  for (unsigned i = 0; i < kCodewordBytes; ++i) bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ other[i]);
  ASSERT_TRUE(LdpcCode::instance().is_codeword(unpack(bytes.data())));
  EXPECT_FALSE(opens(bytes, 42));
  for (unsigned i = 0; i < kCodewordBytes; ++i) bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ third[i]);
  // Three words of an affine code sum to a word of it: the CRC alone is no defence against sums of its own words.
  EXPECT_TRUE(opens(bytes, 42));
}

TEST(Crc32c, EveryBitOfTheCrcIsCompared) {
  std::array<std::uint8_t, kInformationBytes> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  const std::uint32_t crc = payload_crc(bytes.data(), 9);
  std::uint8_t* const stored = bytes.data() + kInformationBytes - 4;
  for (unsigned i = 0; i < 4; ++i) stored[i] = static_cast<std::uint8_t>(crc >> (8 * i));
  ASSERT_TRUE(crc_holds(bytes.data(), 9));
  for (unsigned bit = 0; bit < 32; ++bit) {
    stored[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_FALSE(crc_holds(bytes.data(), 9)) << bit;
    stored[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
  }
}

TEST(Crc32c, CatchesEverySingleBit) {
  auto bytes = codeword(7, 5);
  for (unsigned bit = 0; bit < kInformationBits; bit += 101) {
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << (bit % 8));
    EXPECT_FALSE(opens(bytes, 5)) << bit;
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << (bit % 8));
  }
}

}  // namespace
}  // namespace wordline::ecc::testing
