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

TEST(TokenPool, MisalignedRunIsNotUniform) {
  TokenPool pool;
  SectorBlocks blocks{};
  for (unsigned i = 0; i < kLbasPerSector; ++i) blocks[i] = BlockStamp(Lba(63 + i), 2);
  EXPECT_TRUE(pool.intern(blocks).is_mixed());
}

}  // namespace
}  // namespace wordline::data
