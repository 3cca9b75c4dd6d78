// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Spare blocks, erase counts and wear levelling, of small drives.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "drive.h"
#include "workload.h"

namespace wordline::testing::spare_test {
namespace {

struct Wearer {
  std::uint32_t die, plane, block;
  bool operator<(const Wearer& o) const { return std::tie(die, plane, block) < std::tie(o.die, o.plane, o.block); }
};

/// A drive of any shape: geometry, planes that share block numbers or do not, share of bad blocks, spares.
struct Random {
  wl_boot_info boot{};
  std::uint64_t seed;
  std::uint64_t one_in;  // blocks are bad: one in so many

  explicit Random(std::uint64_t n) : seed(n) {
    std::uint64_t draws = 0;
    const auto draw = [&](std::uint64_t from, std::uint64_t to) {
      return static_cast<std::uint32_t>(from + keyed_hash(n, ++draws) % (to - from + 1));
    };
    const std::uint32_t planes = draw(1, 4), pages = draw(1, 3), cores = draw(1, 3);
    const Shape shape{"random", planes, pages, cores, {0, cores / 2, cores - 1}, draw(0, 1) != 0, draw(0, 1) != 0};
    boot = boot_of(shape);
    boot.replacement.spares = draw(1, 12);
    boot.replacement.by_plane = draw(0, 1);
    boot.replacement.least_worn_first = draw(0, 1);
    boot.ftl.gc_pacing = draw(0, 3) != 0;
    one_in = draw(8, 60);
  }
  [[nodiscard]] bool bad(std::uint32_t die, std::uint32_t plane, std::uint32_t block) const {
    return keyed_hash(seed, die, plane, block) % one_in == 0;
  }
  [[nodiscard]] bool bad_for(std::uint32_t die, std::uint32_t plane, std::uint32_t block) const {
    if (boot.replacement.by_plane != 0) return bad(die, plane, block);
    bool any = false;
    for (std::uint32_t p = 0; p < boot.planes; ++p) any = any || bad(die, p, block);
    return any;
  }
  /// As an earlier boot has left it. `lost`: blocks for which there was no spare.
  [[nodiscard]] std::vector<std::uint16_t> table(std::uint32_t* lost) const {
    std::vector<std::uint16_t> table(std::size_t{boot.dies} * boot.planes * boot.replacement.spares);
    *lost = 0;
    for (std::uint32_t die = 0; die < boot.dies; ++die) {
      for (std::uint32_t plane = 0; plane < boot.planes; ++plane) {
        std::uint16_t* const of_plane = &table[(std::size_t{die} * boot.planes + plane) * boot.replacement.spares];
        std::uint32_t next = 0;
        const auto skip = [&] {
          while (next < boot.replacement.spares && bad_for(die, plane, boot.blocks + next))
            of_plane[next++] = WL_SPARE_BAD;
        };
        for (std::uint32_t block = 0; block < boot.blocks; ++block) {
          if (!bad_for(die, plane, block)) continue;
          skip();
          if (next == boot.replacement.spares) {
            ++*lost;
          } else {
            of_plane[next++] = static_cast<std::uint16_t>(block + 1);
          }
        }
        skip();
      }
    }
    return table;
  }
};

/// Every virtual block lies on a block of its own.
void expect_one_to_one(Drive& drive, const wl_boot_info& boot) {
  for (std::uint32_t die = 0; die < boot.dies; ++die) {
    for (std::uint32_t plane = 0; plane < boot.planes; ++plane) {
      std::set<std::uint32_t> physical;
      for (std::uint32_t block = 0; block < boot.blocks; ++block) {
        physical.insert(drive.nand().physical(die, plane, block));
        if (boot.replacement.by_plane == 0) {
          EXPECT_EQ(drive.nand().physical(die, plane, block), drive.nand().physical(die, 0, block));
        }
      }
      EXPECT_EQ(physical.size(), boot.blocks);
      EXPECT_LT(*physical.rbegin(), boot.blocks + boot.replacement.spares);
    }
  }
}

// Bad from the start, unknown to the firmware: it learns of each by a failed program or erase, and nothing is lost.
TEST(SpareBlocks, BadBlocksAreReplacedOneByOne) {
  std::uint32_t replaced = 0, kept_all = 0, read_only = 0;
  for (std::uint64_t n = 1; n <= 40; ++n) {
    SCOPED_TRACE(n);
    Random random(n);
    random.boot.preconditioned = 0;
    Drive drive(random.boot, n);
    drive.nand().faults.bad = [&](std::uint32_t die, std::uint32_t plane, std::uint32_t block, std::uint32_t) {
      return random.bad(die, plane, block);
    };
    stress(drive, random.boot, kEverything, 3.0);
    drive.settle();
    expect_one_to_one(drive, random.boot);
    const struct wl_firmware_statistics& s = drive.statistics();
    replaced += s.blocks.spares_in_use;
    kept_all += s.blocks.retired_superblocks == 0 ? 1 : 0;
    read_only += rooms(drive.firmware()).space.read_only ? 1 : 0;
    EXPECT_EQ(rooms(drive.firmware()).space.region[0].retired_superblocks, s.blocks.retired_superblocks);
    drive.errors.erase(WL_STATUS_WRITE_PROTECTED);
    drive.errors.erase(WL_STATUS_WRITE_FAULT);
    EXPECT_TRUE(drive.errors.empty());
    drive.errors.clear();
    read_everything(drive, random.boot);
    EXPECT_TRUE(drive.errors.empty());
    if (!rooms(drive.firmware()).space.stopped) expect_consistent(drive);
  }
  EXPECT_GT(replaced, 200U);
  EXPECT_GT(kept_all, 10U) << "spares suffice in some";
  EXPECT_GT(read_only, 0U) << "and not in others";
}

// The table that an earlier boot has left: no bad block is ever met, so nothing fails and no superblock is given up.
TEST(SpareBlocks, TheTableOfAnEarlierBootIsFollowed) {
  std::uint32_t runs = 0;
  for (std::uint64_t n = 1; n <= 60 && runs < 15; ++n) {
    SCOPED_TRACE(n);
    Random random(n);
    std::uint32_t lost = 0;
    random.boot.preconditioned = 1;
    random.boot.replacement.spares = 12;
    const std::vector<std::uint16_t> table = random.table(&lost);
    if (lost != 0) continue;
    ++runs;
    Drive drive(random.boot, n, "", table);
    const std::uint32_t used = drive.statistics().blocks.spares_in_use;
    EXPECT_EQ(used, std::count_if(table.begin(), table.end(),
                                  [](std::uint16_t e) { return e != WL_SPARE_FREE && e != WL_SPARE_BAD; }));
    drive.nand().faults.bad = [&](std::uint32_t die, std::uint32_t plane, std::uint32_t block, std::uint32_t) {
      return random.bad(die, plane, block);
    };
    read_everything(drive, random.boot);
    stress(drive, random.boot, kEverything, 3.0);
    drive.settle();
    read_everything(drive, random.boot);
    EXPECT_TRUE(drive.errors.empty());
    EXPECT_EQ(drive.nand().failures, 0U);
    EXPECT_EQ(drive.statistics().blocks.spares_in_use, used);
    expect_consistent(drive);
  }
  EXPECT_EQ(runs, 15U);
}

// The first boot: every block's mark is read once, before the first command, and no bad block is ever met.
TEST(SpareBlocks, MarksAreReadAtTheFirstBoot) {
  std::uint32_t whole = 0, retired = 0;
  for (std::uint64_t n = 1; n <= 30; ++n) {
    SCOPED_TRACE(n);
    Random random(n);
    random.boot.preconditioned = 0;
    std::uint32_t lost = 0, marked = 0;
    const std::vector<std::uint16_t> table = random.table(&lost);
    for (std::uint32_t die = 0; die < random.boot.dies; ++die)
      for (std::uint32_t plane = 0; plane < random.boot.planes; ++plane)
        for (std::uint32_t block = 0; block < random.boot.blocks + random.boot.replacement.spares; ++block)
          marked += random.bad(die, plane, block) ? 1 : 0;
    Drive drive(random.boot, n);
    drive.nand().faults.marked = [&](std::uint32_t die, std::uint32_t plane, std::uint32_t block) {
      return random.bad(die, plane, block);
    };
    drive.nand().faults.bad = [&](std::uint32_t die, std::uint32_t plane, std::uint32_t block, std::uint32_t) {
      return random.bad(die, plane, block);
    };
    drive.run(flush());
    EXPECT_EQ(drive.nand().marks_read, random.boot.dies * (random.boot.blocks + random.boot.replacement.spares));
    const struct wl_firmware_statistics& s = drive.statistics();
    EXPECT_EQ(s.blocks.marked_blocks, marked);
    EXPECT_EQ(s.blocks.failed_blocks, 0U);
    EXPECT_EQ(s.blocks.retired_superblocks == 0, lost == 0);
    EXPECT_EQ(s.free_superblocks, random.boot.blocks - s.blocks.retired_superblocks);
    expect_one_to_one(drive, random.boot);
    ++(lost == 0 ? whole : retired);
    stress(drive, random.boot, kEverything, 2.0);
    drive.settle();
    EXPECT_EQ(drive.nand().failures, 0U);
    read_everything(drive, random.boot);
    drive.errors.erase(WL_STATUS_WRITE_PROTECTED);
    EXPECT_TRUE(drive.errors.empty());
    expect_consistent(drive);
  }
  EXPECT_GT(whole, 5U);
  EXPECT_GT(retired, 3U);
}

// Blocks that go bad while the drive works: the one that failed is replaced, its neighbours stay.
TEST(SpareBlocks, AGrownBadBlockCostsOneSpareOfItsPlane) {
  for (const std::uint32_t by_plane : {0U, 1U}) {
    SCOPED_TRACE(by_plane);
    wl_boot_info boot = boot_of({"grown", 4, 1, 1, {0, 0, 0}, true, true});
    boot.replacement.spares = 3;
    boot.replacement.by_plane = by_plane;
    Drive drive(boot, 7);
    std::set<Wearer> failed;
    drive.nand().faults.bad = [&](std::uint32_t die, std::uint32_t plane, std::uint32_t block, std::uint32_t) {
      const Wearer at{die, plane, block};
      if (failed.empty() && die == 2 && plane == 1 && drive.nand().programmed_lpages > 4000) failed.insert(at);
      return failed.count(at) != 0;
    };
    stress(drive, boot, kEverything, 6.0);
    drive.settle();
    ASSERT_EQ(failed.size(), 1U);
    const struct wl_firmware_statistics& s = drive.statistics();
    EXPECT_EQ(s.blocks.retired_superblocks, 0U);
    EXPECT_EQ(s.blocks.spares_in_use, by_plane != 0 ? 1U : 4U);
    EXPECT_EQ(s.blocks.failed_blocks, by_plane != 0 ? 1U : 4U);
    for (std::uint32_t plane = 0; plane < 4; ++plane) {
      const bool moved = by_plane == 0 || plane == 1;
      const std::uint32_t block = failed.begin()->block;
      EXPECT_EQ(drive.nand().physical(2, plane, block), moved ? boot.blocks : block);
      EXPECT_EQ(drive.nand().physical(1, plane, block), block);
    }
    read_everything(drive, boot);
    EXPECT_TRUE(drive.errors.empty());
    expect_consistent(drive);
  }
}

// A superblock with a failed program is emptied ahead of any other, long before space is short.
TEST(SpareBlocks, DataOnABadBlockAreMovedAtOnce) {
  wl_boot_info boot = boot_of({"urgent", 2, 1, 1, {0, 0, 0}, true, false});
  boot.replacement.spares = 2;
  boot.replacement.by_plane = 1;
  Drive drive(boot, 9);
  drive.nand().faults.program_fail = [&](const wl_flash_job& job, std::uint32_t) {
    return drive.nand().failures == 0 && job.page == 2;
  };
  for (std::uint64_t lba = 0; lba < 6000 && drive.nand().failures == 0; lba += 32) drive.run(write_of(lba, 32));
  ASSERT_EQ(drive.nand().failures, 1U);
  for (std::uint64_t lba = 6000; lba < 7000; lba += 8) drive.run(write_of(lba, 8));
  drive.settle();
  EXPECT_EQ(drive.statistics().gc_superblocks, 1U) << "more than start_superblocks are free";
  EXPECT_EQ(drive.statistics().blocks.spares_in_use, 2U);
  EXPECT_EQ(drive.statistics().blocks.superblock_erases, 1U);
  expect_consistent(drive);
}

// ---- wear ----

struct Wear {
  std::uint32_t least, most;
  double mean;
};

Wear wear_of(std::uint32_t levelling) {
  wl_boot_info boot = boot_of(kSimple);
  boot.replacement.least_worn_first = levelling;
  boot.user_lpages = boot.user_lpages / 4 * 3;  // many free superblocks, so that there is a choice
  Drive drive(boot, 3);
  stress(drive, boot, kWholeSectors, 30.0);
  drive.settle();
  const struct wl_firmware_statistics& s = drive.statistics();
  std::uint32_t least = 0xffffffff, most = 0;
  std::uint64_t sum = 0;
  for (std::uint32_t superblock = 0; superblock < boot.blocks; ++superblock) {
    const std::uint32_t erases = rooms(drive.firmware()).space.wear.erases[superblock];
    EXPECT_EQ(erases, drive.nand().erases(0, 0, superblock)) << superblock;
    least = std::min(least, erases);
    most = std::max(most, erases);
    sum += erases;
  }
  EXPECT_EQ(s.blocks.erases_least, least);
  EXPECT_EQ(s.blocks.erases_most, most);
  EXPECT_EQ(s.blocks.superblock_erases, sum);
  return {least, most, static_cast<double>(sum) / boot.blocks};
}

TEST(Wear, TheFreeSuperblockErasedLeastIsUsedFirst) {
  const Wear fifo = wear_of(0), dynamic = wear_of(1);
  EXPECT_GT(fifo.mean, 10.0);
  EXPECT_LE(dynamic.most - dynamic.least, fifo.most - fifo.least);
  EXPECT_NE(dynamic.most - dynamic.least, fifo.most - fifo.least) << "levelling changes nothing";
}

}  // namespace
}  // namespace wordline::testing::spare_test
