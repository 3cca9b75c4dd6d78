// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/code/scrambler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "models/ecc/code/crc32c.h"

namespace wordline::ecc::testing {
namespace {

/// The sequence bit by bit from the recurrence in the header; the seed from bytes, not by way of the class.
std::vector<bool> sequence(std::uint64_t address, unsigned bits) {
  std::vector<std::uint8_t> message(12, 0);
  for (unsigned i = 0; i < 8; ++i) message[i] = static_cast<std::uint8_t>(address >> (8 * i));
  const std::uint64_t seed = std::uint64_t{crc32c(message.data(), 12)} << 32 | crc32c(message.data(), 8);
  std::vector<bool> s;
  for (unsigned i = 0; i < 58; ++i) s.push_back((seed >> i & 1) != 0);
  for (unsigned i = 0; i < bits; ++i) s.push_back(s[s.size() - 39] != s[s.size() - 58]);
  return {s.begin() + 58, s.end()};
}

TEST(Scrambler, SixtyFourBitsAtATimeAreTheRecurrence) {
  for (const std::uint64_t address : {0ULL, 1ULL, 0xdeadbeefULL, 0x8000000000000001ULL}) {
    const std::vector<bool> expected = sequence(address, 64 * 40);
    Scrambler scrambler(address);
    for (unsigned beat = 0; beat < 40; ++beat) {
      const std::uint64_t word = scrambler.next();
      for (unsigned i = 0; i < 64; ++i) ASSERT_EQ((word >> i & 1) != 0, expected[64 * beat + i]) << beat << ' ' << i;
    }
  }
}

TEST(Scrambler, TwiceIsNothing) {
  std::vector<std::uint8_t> bytes(2068);
  for (unsigned i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37);
  const auto before = bytes;
  scramble(bytes.data(), bytes.size(), 99);
  EXPECT_NE(bytes, before);
  scramble(bytes.data(), bytes.size(), 99);
  EXPECT_EQ(bytes, before);
}

TEST(Scrambler, BytesTakeTheSequenceLowestBitFirst) {
  std::vector<std::uint8_t> bytes(2068, 0);
  scramble(bytes.data(), bytes.size(), 1234);
  const std::vector<bool> expected = sequence(1234, 2068 * 8);
  for (unsigned i = 0; i < 2068 * 8; ++i) ASSERT_EQ((bytes[i / 8] >> (i % 8) & 1) != 0, expected[i]) << i;
}

TEST(Scrambler, NeighbouringAddressesAreUnlike) {
  // Two addresses differ in half their bits, also those that differ in one bit only.
  constexpr unsigned kBits = 2068 * 8;
  for (const std::uint64_t base : {0ULL, 77777ULL}) {
    const std::vector<bool> a = sequence(base, kBits);
    for (unsigned bit = 0; bit < 40; ++bit) {
      const std::vector<bool> b = sequence(base ^ 1ULL << bit, kBits);
      unsigned unlike = 0;
      for (unsigned i = 0; i < kBits; ++i) unlike += a[i] != b[i];
      EXPECT_NEAR(unlike, kBits / 2.0, 5 * std::sqrt(kBits) / 2) << bit;
    }
  }
}

TEST(Scrambler, AddressesHaveTheirOwnSeeds) {
  std::set<std::uint64_t> first;
  for (std::uint64_t address = 0; address < 20000; ++address) first.insert(Scrambler(address).next());
  EXPECT_EQ(first.size(), 20000U);
}

}  // namespace
}  // namespace wordline::ecc::testing
