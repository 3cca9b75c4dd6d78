// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives with as little to spare as they boot with: GC ends, wins what it erases for, and wear spreads.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "drive.h"
#include "workload.h"

namespace wordline::testing::limits_test {
namespace {

/// Any geometry with the least over-provisioning: what `check` accepts (gc_start_superblocks and the two open
/// superblocks), or what the firmware boots with, where GC can never win as many superblocks as it begins with.
wl_boot_info random_boot(std::uint64_t seed, bool as_check) {
  const auto draw = [seed, n = 0U](std::uint32_t values) mutable { return keyed_hash(seed, ++n) % values; };
  auto random = draw;
  wl_boot_info b = boot_of({"limits", 1, 1, 1, {0, 0, 0}, true, true});
  b.dies = 2 + 2 * static_cast<std::uint32_t>(random(3));
  b.planes = 1 + static_cast<std::uint32_t>(random(2));
  b.pages_per_program = 1 + 2 * static_cast<std::uint32_t>(random(2));
  b.pages = b.pages_per_program * (2 + static_cast<std::uint32_t>(random(7)));
  b.gc_reserve_superblocks = 2 + static_cast<std::uint32_t>(random(2));
  b.gc_start_superblocks = b.gc_reserve_superblocks + static_cast<std::uint32_t>(random(3));
  b.blocks = 14 + static_cast<std::uint32_t>(random(20));
  b.ftl.policy = static_cast<std::uint32_t>(random(3));
  b.ftl.gc_pacing = static_cast<std::uint32_t>(random(4)) != 0 ? 1 : 0;
  const std::uint32_t unit = b.planes * b.lpages_per_page * b.pages_per_program;
  const std::uint32_t superblock = b.dies * (b.pages / b.pages_per_program) * unit;
  const std::uint32_t spare = 2 + (as_check ? b.gc_start_superblocks : b.gc_reserve_superblocks);
  b.user_lpages = (b.blocks - spare) * superblock - static_cast<std::uint32_t>(random(2) * random(superblock));
  b.write_slots = 6 * unit;
  b.gc_slots = (1 + static_cast<std::uint32_t>(random(12))) * unit;
  return b;
}

TEST(LeastSpare, CollectionEndsWhenTheHostIsIdle) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const wl_boot_info boot = random_boot(seed, seed % 2 != 0);
    Drive drive(boot, seed);
    for (int round = 0; round < 3; ++round) {
      stress(drive, boot, kWholeSectors, 0.4);
      const std::uint64_t erased = drive.nand().erased_blocks;
      const std::uint32_t free = drive.statistics().free_superblocks;
      for (int i = 0; i < 300000 && !drive.idle(); ++i) drive.step();
      ASSERT_TRUE(drive.idle()) << "erases " << drive.nand().erased_blocks - erased;
      drive.settle();
      const std::uint64_t erases = (drive.nand().erased_blocks - erased) / boot.dies;
      const std::uint32_t won =
          drive.statistics().free_superblocks - std::min(free, drive.statistics().free_superblocks);
      // All that is closed may have to be moved for each superblock won.
      EXPECT_LE(erases, std::uint64_t{boot.blocks} * (won + 1));
    }
    expect_consistent(drive);
    read_everything(drive, boot);
  }
}

// Superblocks are used in the order in which they became free: none is left out.
TEST(Wear, SpreadsOverAllSuperblocksOfTheFreeList) {
  wl_boot_info boot = boot_of(kSimple);
  boot.preconditioned = 0;
  boot.user_lpages /= 2;  // most are free most of the time
  Drive drive(boot, 61);
  std::vector<std::uint32_t> erases(boot.blocks);
  drive.nand().faults.erase_fail = [&erases](const wl_flash_job& job, std::uint32_t) {
    if (job.die == 0) ++erases[job.block];
    return false;
  };
  for (int pass = 0; pass < 30; ++pass)
    for (std::uint32_t lpn = 0; lpn < boot.user_lpages; lpn += 8)
      drive.run(write_of(lpn * 8ull, 8 * std::min(8U, boot.user_lpages - lpn)));
  const auto [least, most] = std::minmax_element(erases.begin(), erases.end());
  EXPECT_GT(*least, 5U);
  EXPECT_LE(*most, *least + 3) << "sequential overwrites";
}

// Retired superblocks: as many as are beyond needed_superblocks leave the drive writable, one more does not.
TEST(Retired, AsManyAsCanBeSparedAndNoMore) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 62);
  std::set<std::uint32_t> failing;
  drive.nand().faults.erase_fail = [&failing](const wl_flash_job& job, std::uint32_t) {
    return failing.count(job.block) != 0;
  };
  const std::uint32_t superblock = drive.firmware().geometry.superblock_lpages;
  const std::uint32_t needed = (boot.user_lpages + superblock - 1) / superblock + boot.gc_reserve_superblocks + 2;
  for (std::uint32_t block = 0; block < boot.blocks; ++block) {
    failing.insert(block);
    for (int i = 0; i < 40 && rooms(drive.firmware()).space.superblock[block].state != WL_SUPERBLOCK_RETIRED; ++i)
      stress(drive, boot, kWholeSectors, 0.3);
    const wl_space& space = rooms(drive.firmware()).space;
    ASSERT_EQ(space.region[0].retired_superblocks, block + 1) << "one after the other";
    ASSERT_EQ(space.read_only, boot.blocks - space.region[0].retired_superblocks < needed)
        << space.region[0].retired_superblocks;
    if (space.read_only) return;
  }
}

}  // namespace
}  // namespace wordline::testing::limits_test
