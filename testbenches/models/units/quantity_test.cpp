// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/units/quantity.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

#include "models/units/clock_period.h"
#include "models/units/index.h"

namespace wordline::testing::quantity_test {
namespace {

static_assert(!std::is_convertible_v<std::int64_t, Picoseconds>, "a number is not a time");
static_assert(!std::is_convertible_v<Picoseconds, std::int64_t>, "a time is not a number");
static_assert(!std::is_convertible_v<Hertz, BytesPerSecond>, "units do not mix");
static_assert(!std::is_convertible_v<DieId, BlockId>, "indices do not mix");
static_assert(!std::is_constructible_v<Lba, Lpn>, "LBAs and logical pages do not mix");

TEST(Quantity, ArithmeticKeepsTheUnit) {
  Picoseconds t = 3_ns + 500_ps;
  EXPECT_EQ(t.count(), 3500);
  t -= 1_ns;
  EXPECT_EQ(t, 2500_ps);
  EXPECT_EQ(t * 4, 10_ns);
  EXPECT_EQ(4 * t, 10_ns);
  EXPECT_EQ(10_ns / 4, 2500_ps);
  EXPECT_EQ(1_ms / 1_us, 1000);
  EXPECT_LT(1_ns - 2_ns, 0_ps);
  EXPECT_EQ((16_KiB).count(), 16384U);
  EXPECT_EQ(2_GiB / 1_MiB, 2048U);
}

TEST(TransferTime, ExactWhereItDivides) {
  EXPECT_EQ(transfer_time(4096, BytesPerSecond(1'000'000'000)), 4096_ns);
  EXPECT_EQ(transfer_time(4648, BytesPerSecond(800'000'000)), 5810_ns);
  EXPECT_EQ(transfer_time(0, BytesPerSecond(1)), 0_ps);
}

TEST(TransferTime, RoundsUpNeverEndsEarly) {
  // 1 byte at 3 B/s takes 333,333,333,333.33 ps.
  EXPECT_EQ(transfer_time(1, BytesPerSecond(3)).count(), 333'333'333'334);
  // 1 byte at 1 B/ps + 1 B/s takes a little less than a picosecond.
  EXPECT_EQ(transfer_time(1, BytesPerSecond(1'000'000'000'001)).count(), 1);
  for (std::uint64_t bytes = 1; bytes < 500; bytes += 7) {
    const std::uint64_t rate = 1'333'000'000;
    const auto time = static_cast<unsigned __int128>(transfer_time(bytes, BytesPerSecond(rate)).count());
    const auto needed = static_cast<unsigned __int128>(bytes) * 1'000'000'000'000ULL;
    EXPECT_TRUE(time * rate >= needed) << bytes;
    EXPECT_TRUE((time - 1) * rate < needed) << bytes;
  }
}

TEST(TransferTime, LargeTransfersDoNotOverflow) {
  EXPECT_EQ(transfer_time(std::uint64_t{1} << 40, BytesPerSecond(std::uint64_t{1} << 30)).count(),
            1024LL * 1'000'000'000'000);
}

TEST(CyclesTime, RoundsUp) {
  EXPECT_EQ(cycles_time(1, Hertz(500'000'000)), 2_ns);
  EXPECT_EQ(cycles_time(3, Hertz(400'000'000)), 7500_ps);
  EXPECT_EQ(cycles_time(1, Hertz(300'000'000)), 3334_ps);
  EXPECT_EQ(cycles_time(3, Hertz(300'000'000)), 10_ns);
}

TEST(ClockPeriod, HasTheLengthsOfCyclesTime) {
  for (const std::uint64_t hertz : {500'000'000ULL, 400'000'000ULL, 300'000'000ULL, 1'000'000'000'000ULL, 7ULL}) {
    const ClockPeriod period{Hertz(hertz)};
    for (const std::uint64_t cycles : {0ULL, 1ULL, 3ULL, 292ULL, 1'000'000ULL}) {
      EXPECT_EQ(period.of(cycles), cycles_time(cycles, Hertz(hertz))) << cycles << " at " << hertz;
    }
  }
}

TEST(Index, ComparesCountsAndHashes) {
  BlockId block(7);
  ++block;
  EXPECT_EQ(block, BlockId(8));
  EXPECT_NE(block, BlockId(7));
  EXPECT_LT(BlockId(7), block);
  std::unordered_set<DieId> dies{DieId(1), DieId(2), DieId(1)};
  EXPECT_EQ(dies.size(), 2U);
  EXPECT_EQ(kLbasPerHostPage, 8U);
}

}  // namespace
}  // namespace wordline::testing::quantity_test
