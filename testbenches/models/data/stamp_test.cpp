// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/data/stamp.h"

#include <gtest/gtest.h>

namespace wordline::data {
namespace {

TEST(TokenPool, UniformSectorNeedsNoStorage) {
  TokenPool pool;
  const auto token = SectorToken::uniform(Lpn(77), 5);
  const SectorToken again = pool.intern(pool.expand(token));
  EXPECT_EQ(again, token);
  EXPECT_EQ(pool.mixed_count(), 0U);
}

TEST(TokenPool, ZeroSectorStaysZero) {
  TokenPool pool;
  EXPECT_TRUE(pool.intern(SectorBlocks{}).is_zero());
  EXPECT_TRUE(pool.block(SectorToken{}, 3).is_zero());
}

TEST(TokenPool, PartlyOverwrittenSectorKeepsEveryBlock) {
  TokenPool pool;
  SectorBlocks blocks = pool.expand(SectorToken::uniform(Lpn(4), 2));
  blocks[7] = BlockStamp(Lba(39), 9);
  const SectorToken token = pool.intern(blocks);
  EXPECT_TRUE(token.is_mixed());
  EXPECT_EQ(pool.expand(token), blocks);
  EXPECT_EQ(pool.block(token, 7).version(), 9U);
  EXPECT_EQ(pool.block(token, 0).version(), 2U);
}

TEST(TokenPool, SectorsOfTwoKiBHaveFourBlocks) {
  constexpr SectorSize kShort = SectorSize::of_page(Bytes(2048));
  TokenPool pool(kShort);
  const auto token = SectorToken::uniform(Lpn(9), 5);
  SectorBlocks blocks = pool.expand(token);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(blocks[i], BlockStamp(Lba(36 + i), 5));
  EXPECT_TRUE(blocks[4].is_zero());
  EXPECT_EQ(pool.intern(blocks), token);
  EXPECT_EQ(pool.block(token, 3), BlockStamp(Lba(39), 5));
  blocks[3] = BlockStamp(Lba(39), 6);
  EXPECT_EQ(pool.block(pool.intern(blocks), 3).version(), 6U);
}

TEST(TokenPool, MisalignedRunIsNotUniform) {
  TokenPool pool;
  SectorBlocks blocks{};
  for (unsigned i = 0; i < SectorSize::kMaxLbas; ++i) blocks[i] = BlockStamp(Lba(63 + i), 2);
  EXPECT_TRUE(pool.intern(blocks).is_mixed());
}

}  // namespace
}  // namespace wordline::data
