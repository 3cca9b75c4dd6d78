// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/stage_sums.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace wordline::results {
namespace {

TEST(StageSumsTest, AddsStageByStage) {
  StageSums sums;
  const std::array<Picoseconds, 3> first{Picoseconds(1), Picoseconds(0), Picoseconds(5)};
  const std::array<Picoseconds, 3> second{Picoseconds(2), Picoseconds(7), Picoseconds(0)};
  sums.add(first.data(), 3, Picoseconds(6));
  sums.add(second.data(), 3, Picoseconds(9));
  EXPECT_EQ(sums.of(0), 3U);
  EXPECT_EQ(sums.of(1), 7U);
  EXPECT_EQ(sums.of(2), 5U);
  EXPECT_EQ(sums.of(3), 0U);
}

TEST(StageSumsTest, GoesBeyondSixtyFourBitsExactly) {
  StageSums sums;
  constexpr Picoseconds kLong(INT64_MAX - 2);
  const std::array<Picoseconds, 2> times{kLong, Picoseconds(2)};
  for (int i = 0; i < 5; ++i) sums.add(times.data(), 2, kLong + times[1]);
  const auto longest = static_cast<unsigned __int128>(INT64_MAX - 2);
  EXPECT_TRUE(sums.of(0) == 5 * longest);
  EXPECT_EQ(sums.of(1), 10U);
}

}  // namespace
}  // namespace wordline::results
