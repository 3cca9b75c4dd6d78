// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/data/stamp.h"

#include <gtest/gtest.h>

namespace wordline::data {
namespace {

TEST(TokenPool, UniformLogicalPageNeedsNoStorage) {
  TokenPool pool;
  const auto token = LpageToken::uniform(Lpn(77), 5);
  const LpageToken again = pool.intern(pool.expand(token));
  EXPECT_EQ(again, token);
  EXPECT_EQ(pool.mixed_count(), 0U);
}

// Of a drive of more than 8 TiB: its number would reach the bits that say what a token is.
TEST(TokenPool, LogicalPagesBeyondTwoToThe31AreUniformToo) {
  TokenPool pool;
  for (const std::uint32_t lpn : {0x80000005U, 0xc0000005U, 0xff7ffffbU}) {
    const auto token = LpageToken::uniform(Lpn(lpn), 5);
    EXPECT_FALSE(token.is_mixed() || token.is_metadata()) << lpn;
    const LpageStamps stamps = pool.expand(token);
    for (unsigned i = 0; i < pool.lpage_size().lbas(); ++i) {
      EXPECT_TRUE(stamps[i].names(std::uint64_t{lpn} * 8 + i)) << lpn << " " << i;
      EXPECT_EQ(stamps[i].version(), 5U);
    }
  }
}

TEST(TokenPool, LogicalPagesOfAllSizesComeBack) {
  for (const std::uint32_t kib : {2U, 4U, 8U, 16U}) {
    SCOPED_TRACE(kib);
    const LpageSize size = LpageSize::of(Bytes(std::uint64_t{kib} * 1024));
    ASSERT_EQ(size.bytes(), kib * 1024);
    ASSERT_EQ(size.lbas() * 512, size.bytes());
    ASSERT_EQ(size.codewords() * 2048, size.bytes());
    TokenPool pool(size);
    LpageStamps stamps{};
    for (unsigned i = 0; i < size.lbas(); ++i) stamps[i] = LbaStamp(Lba(std::uint64_t{5} * size.lbas() + i), 7);
    const LpageToken uniform = pool.intern(stamps);
    EXPECT_EQ(uniform, LpageToken::uniform(Lpn(5), 7));
    EXPECT_EQ(pool.expand(uniform), stamps);
    for (const unsigned other : {0U, size.lbas() - 1}) {
      LpageStamps mixed = stamps;
      mixed[other] = LbaStamp(Lba(std::uint64_t{5} * size.lbas() + other), 8);
      const LpageToken token = pool.intern(mixed);
      EXPECT_TRUE(token.is_mixed()) << other;
      EXPECT_EQ(pool.expand(token), mixed) << other;
      EXPECT_EQ(pool.stamp(token, other), mixed[other]);
    }
    EXPECT_EQ(pool.mixed_count(), 2U);
    EXPECT_THROW((void)pool.expand(LpageToken::mixed(2)), std::out_of_range);
  }
}

TEST(TokenPool, ZeroLogicalPageStaysZero) {
  TokenPool pool;
  EXPECT_TRUE(pool.intern(LpageStamps{}).is_zero());
  EXPECT_TRUE(pool.stamp(LpageToken{}, 3).is_zero());
}

TEST(TokenPool, PartlyOverwrittenLogicalPageKeepsEveryBlock) {
  TokenPool pool;
  LpageStamps stamps = pool.expand(LpageToken::uniform(Lpn(4), 2));
  stamps[7] = LbaStamp(Lba(39), 9);
  const LpageToken token = pool.intern(stamps);
  EXPECT_TRUE(token.is_mixed());
  EXPECT_EQ(pool.expand(token), stamps);
  EXPECT_EQ(pool.stamp(token, 7).version(), 9U);
  EXPECT_EQ(pool.stamp(token, 0).version(), 2U);
}

TEST(TokenPool, LogicalPagesOfTwoKiBHaveFourBlocks) {
  constexpr LpageSize kShort = LpageSize::of(Bytes(2048));
  TokenPool pool(kShort);
  const auto token = LpageToken::uniform(Lpn(9), 5);
  LpageStamps stamps = pool.expand(token);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(stamps[i], LbaStamp(Lba(36 + i), 5));
  EXPECT_TRUE(stamps[4].is_zero());
  EXPECT_EQ(pool.intern(stamps), token);
  EXPECT_EQ(pool.stamp(token, 3), LbaStamp(Lba(39), 5));
  stamps[3] = LbaStamp(Lba(39), 6);
  EXPECT_EQ(pool.stamp(pool.intern(stamps), 3).version(), 6U);
}

TEST(TokenPool, MetadataAreBytesUntilTheyAreDropped) {
  TokenPool pool;
  std::vector<std::byte> bytes(4096, std::byte{1});
  const LpageToken first = pool.keep(bytes.data());
  bytes[4095] = std::byte{9};
  const LpageToken second = pool.keep(bytes.data());
  EXPECT_TRUE(first.is_metadata() && !first.is_mixed() && !first.is_zero());
  EXPECT_NE(first, second);
  EXPECT_EQ(pool.metadata(first)[4095], std::byte{1});
  EXPECT_EQ(pool.metadata(second), bytes);
  EXPECT_EQ(pool.expand(second), LpageStamps{}) << "nothing that a host could read";
  EXPECT_TRUE(pool.stamp(second, 3).is_zero());
  pool.drop(first);
  EXPECT_EQ(pool.metadata_kept(), 1U);
  EXPECT_THROW(pool.drop(first), std::logic_error);
  EXPECT_EQ(pool.keep(bytes.data()), first) << "its place is used again";
  EXPECT_FALSE(LpageToken::uniform(Lpn(0x7fffffff), 5).is_metadata());
  EXPECT_FALSE(LpageToken::mixed(1).is_metadata());
}

TEST(TokenPool, MisalignedRunIsNotUniform) {
  TokenPool pool;
  LpageStamps stamps{};
  for (unsigned i = 0; i < LpageSize::kMaxLbas; ++i) stamps[i] = LbaStamp(Lba(63 + i), 2);
  EXPECT_TRUE(pool.intern(stamps).is_mixed());
}

}  // namespace
}  // namespace wordline::data
