// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Protection information of blocks that are stamps: the CRC against known vectors, the guard of a stamp against the CRC
// of the bytes for which it stands, what is checked and what escapes, and tuples that a token brings along.
#include "models/data/protection.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace wordline::data::protection_test {
namespace {

std::uint16_t crc_of(const std::string& text) {
  return crc16_t10dif(reinterpret_cast<const std::byte*>(text.data()), text.size());
}

TEST(ProtectionTest, TheCrcIsThatOfT10) {
  EXPECT_EQ(crc_of("123456789"), 0xd0db);  // CRC-16/T10-DIF of the catalogue of parametrised CRC algorithms
  EXPECT_EQ(crc_of(std::string(32, '\0')), 0x0000);
  EXPECT_EQ(crc_of(std::string(1, '\x01')), 0x8bb7) << "the polynomial";
  const std::string text = "123456789";
  const std::uint16_t half = crc_of(text.substr(0, 4));
  EXPECT_EQ(crc16_t10dif(reinterpret_cast<const std::byte*>(text.data()) + 4, 5, half), 0xd0db);
}

TEST(ProtectionTest, AGuardIsTheCrcOfTheBytesOfABlock) {
  for (const std::uint32_t count : {1U, 8U}) {
    std::vector<LbaStamp> stamps;
    std::vector<std::byte> bytes(std::size_t{count} * kLbaBytes);
    for (std::uint32_t i = 0; i < count; ++i) {
      stamps.emplace_back(Lba(0x0123456 + 77 * i), 0x89abcdef - i);
      expand(stamps[i], &bytes[std::size_t{i} * kLbaBytes]);
    }
    EXPECT_EQ(guard_of(stamps.data(), count), crc16_t10dif(bytes.data(), bytes.size())) << count;
  }
  const std::array<LbaStamp, 8> zeros{};
  EXPECT_EQ(guard_of(zeros.data(), 8), 0);
  const LbaStamp a(Lba(5), 7), b(Lba(5), 8);
  EXPECT_NE(guard_of(&a, 1), guard_of(&b, 1)) << "another version";
}

TEST(ProtectionTest, BytesStandForAStampOrForNone) {
  std::array<std::byte, kLbaBytes> bytes{};
  const LbaStamp stamp(Lba(99), 3);
  expand(stamp, bytes.data());
  LbaStamp found;
  EXPECT_TRUE(contract(bytes.data(), found));
  EXPECT_EQ(found, stamp);
  bytes[511] ^= std::byte{1};
  EXPECT_FALSE(contract(bytes.data(), found));
}

TEST(ProtectionTest, FieldsAreBigEndian) {
  const BlockTuple tuple{0x1122, 0x3344, 0x55667788};
  std::array<std::byte, 8> bytes{};
  tuple.to_bytes(bytes.data());
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), 0x11U * (i + 1));
  EXPECT_EQ(BlockTuple::from_bytes(bytes.data()), tuple);
}

ProtectionTags tags_of(ProtectionType type, std::uint8_t checks) { return {type, checks, 0x12ab, 0xff00, 100}; }

TEST(ProtectionTest, ChecksWhatIsAskedFor) {
  constexpr std::uint8_t kAll = 7;
  const BlockTuple good{0xbeef, 0x12cd, 103};  // the mask lets the low byte of the application tag be anything
  for (const auto type : {ProtectionType::kType1, ProtectionType::kType2}) {
    EXPECT_EQ(check_tuple(tags_of(type, kAll), 3, good, 0xbeef), ProtectionFault::kNone);
    EXPECT_EQ(check_tuple(tags_of(type, kAll), 3, good, 0xbeee), ProtectionFault::kGuard);
    EXPECT_EQ(check_tuple(tags_of(type, kAll), 3, {0xbeef, 0x13ab, 103}, 0xbeef), ProtectionFault::kApplication);
    EXPECT_EQ(check_tuple(tags_of(type, kAll), 4, good, 0xbeef), ProtectionFault::kReference);
    EXPECT_EQ(check_tuple(tags_of(type, kAll), 4, {0, 0, 0}, 0xbeef), ProtectionFault::kGuard) << "the first counts";
    EXPECT_EQ(check_tuple(tags_of(type, 0), 4, {0, 0, 0}, 0xbeef), ProtectionFault::kNone);
    EXPECT_EQ(check_tuple(tags_of(type, ProtectionTags::kReference), 4, {0, 0, 104}, 1), ProtectionFault::kNone);
    EXPECT_EQ(check_tuple(tags_of(type, kAll), 3, {0, 0xffff, 0}, 0xbeef), ProtectionFault::kNone) << "it escapes";
  }
  EXPECT_EQ(check_tuple(tags_of(ProtectionType::kNone, kAll), 3, {0, 0, 0}, 1), ProtectionFault::kNone);
}

TEST(ProtectionTest, Type3NeitherCountsNorEscapesByTheApplicationTagAlone) {
  const ProtectionTags tags = tags_of(ProtectionType::kType3, ProtectionTags::kReference | ProtectionTags::kGuard);
  EXPECT_EQ(check_tuple(tags, 9, {1, 0, 100}, 1), ProtectionFault::kNone);
  EXPECT_EQ(check_tuple(tags, 9, {1, 0, 109}, 1), ProtectionFault::kReference);
  EXPECT_EQ(check_tuple(tags, 9, {2, 0xffff, 100}, 1), ProtectionFault::kGuard);
  EXPECT_EQ(check_tuple(tags, 9, {2, 0xffff, 0xffffffff}, 1), ProtectionFault::kNone);
}

LpageStamps stamps_of(std::uint64_t lba, std::uint32_t version) {
  LpageStamps stamps{};
  for (std::uint32_t i = 0; i < LpageSize().lbas(); ++i) stamps[i] = LbaStamp(Lba(lba + i), version);
  return stamps;
}

TEST(ProtectionTest, TheRuleNamesBlocksOfTheirNamespace) {
  const TupleRule small(0, {0, 128}, ProtectionType::kType1);
  EXPECT_EQ(small.reference(127), 127U);
  EXPECT_EQ(small.reference(130), 2U);
  const TupleRule large(3, {0, 128}, ProtectionType::kType2);
  const LpageStamps stamps = stamps_of(144, 5);
  EXPECT_EQ(large.of(stamps.data()), (BlockTuple{guard_of(stamps.data(), 8), TupleRule::kApplication, 2}));
  EXPECT_EQ(TupleRule(3, {0, 128}, ProtectionType::kType3).of(stamps.data()).reference, 0U);
  const LpageStamps zeros{};
  EXPECT_EQ(large.of(zeros.data()), kNoTuple);
}

TEST(ProtectionTest, ATokenBringsTuplesOfItsOwnAlong) {
  const TupleRule rule(0, {0}, ProtectionType::kType1);
  TokenPool pool;
  const LpageStamps stamps = stamps_of(24, 5);
  LpageTuples tuples = rule.of_lpage(stamps);
  const LpageToken usual = intern(pool, stamps, tuples, rule);
  EXPECT_EQ(usual, LpageToken::uniform(Lpn(3), 5)) << "what the rule says takes no memory";
  EXPECT_EQ(tuples_of(pool, usual, stamps, rule), tuples);
  tuples[2].application = 9;
  const LpageToken other = intern(pool, stamps, tuples, rule);
  EXPECT_NE(other, usual);
  EXPECT_EQ(pool.expand(other), stamps);
  EXPECT_EQ(tuples_of(pool, other, pool.expand(other), rule), tuples);
  EXPECT_EQ(pool.tuples(usual), nullptr);
  LpageTuples beyond = rule.of_lpage(stamps);
  beyond[LpageSize().lbas()].application = 9;
  EXPECT_EQ(intern(pool, stamps, beyond, rule), usual) << "the logical page has no such block";
  const LpageToken written_zeros = intern(pool, {}, {}, rule);
  EXPECT_FALSE(written_zeros.is_zero());
  EXPECT_EQ(tuples_of(pool, written_zeros, {}, rule), LpageTuples{});
}

}  // namespace
}  // namespace wordline::data::protection_test
