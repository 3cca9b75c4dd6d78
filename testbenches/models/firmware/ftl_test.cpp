// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "drive.h"
#include "workload.h"

namespace wordline::testing::ftl_test {
namespace {

class FtlStress : public ::testing::TestWithParam<Shape> {};

TEST_P(FtlStress, KeepsEverythingOverThreeOverwrites) {
  const wl_boot_info boot = boot_of(GetParam());
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Drive drive(boot, seed);
    stress(drive, boot, kEverything, 3.5);
    read_everything(drive, boot);
    EXPECT_EQ(drive.run(flush()), 0);
    drive.settle();
    if (!GetParam().power_safe) {
      EXPECT_EQ(drive.buffered(), 0u);
      EXPECT_GT(drive.lpages_found_on_flash, 1000u);
    }
    EXPECT_TRUE(drive.idle());
    EXPECT_TRUE(drive.errors.empty());
    EXPECT_GT(drive.statistics().gc_superblocks, 10u);
    EXPECT_GT(drive.copies, 0u);  // parts of sectors that were on their way to flash
    EXPECT_GT(drive.reads_checked, boot.user_lpages * 8ull);
    expect_consistent(drive);
  }
}

TEST_P(FtlStress, WritesToFlashWhatItsCountersSay) {
  const wl_boot_info boot = boot_of(GetParam());
  Drive drive(boot, 11);
  stress(drive, boot, kWholeSectors, 4.0);
  drive.run(flush());
  drive.settle();
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_EQ(drive.nand().programmed_lpages, s.data_lpages + s.gc_lpages_copied + s.pad_lpages);
  EXPECT_EQ(s.host_lbas_missing + s.rewritten_lpages, 0u) << "no sector was written in part";
  EXPECT_EQ(s.merged_lbas, 0u);
  const double waf = static_cast<double>(drive.nand().programmed_lpages) / static_cast<double>(s.host_lpages_written);
  EXPECT_GT(waf, 0.99);
  EXPECT_LT(waf, 3.0);
  EXPECT_GT(s.buffer_read_hits, 0u);
  expect_consistent(drive);
}

TEST_P(FtlStress, KeepsBooksOfPartsOfSectorsPaddingAndFailedPrograms) {
  const wl_boot_info boot = boot_of(GetParam());
  Drive drive(boot, 12);
  drive.nand().faults.program_fail = [&drive](const wl_flash_job&, std::uint32_t) {
    return drive.nand().failures < 2 && drive.random() % 300 == 0;
  };
  stress(drive, boot, kEverything, 3.0);
  drive.run(flush());
  drive.settle();
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_EQ(s.lpages_programmed, s.data_lpages + s.gc_lpages_copied + s.pad_lpages);
  EXPECT_EQ(drive.nand().programmed_lpages, s.lpages_programmed + s.failed_lpages);
  EXPECT_GT(s.failed_lpages, 0u);
  EXPECT_GT(s.merged_lbas, 0u);
  EXPECT_LT(s.merged_lbas, s.data_lpages * 8);
  // From the host, less what was overwritten in the buffer.
  EXPECT_LE(s.data_lpages * 8 - s.merged_lbas, wl_host_blocks(&s, 3));
  EXPECT_EQ(wl_buffered_lpages(&s) == 0, !GetParam().power_safe || drive.buffered() == 0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, FtlStress,
                         ::testing::Values(kSimple, Shape{"volatile_cache", 1, 1, 1, {0, 0, 0}, false, true},
                                           Shape{"empty_drive", 2, 1, 1, {0, 0, 0}, false, false},
                                           Shape{"one_shot", 1, 3, 1, {0, 0, 0}, false, true},
                                           Shape{"two_planes_one_shot", 2, 3, 1, {0, 0, 0}, true, true},
                                           Shape{"two_cores", 2, 1, 2, {0, 1, 0}, false, true},
                                           Shape{"two_cores_flash_apart", 1, 3, 2, {0, 0, 1}, true, true},
                                           Shape{"three_cores", 2, 3, 3, {0, 1, 2}, false, true},
                                           Shape{"three_cores_turned", 1, 1, 3, {2, 0, 1}, true, false}),
                         [](const auto& param) { return std::string(param.param.name); });

// However fast one side is: what depends on a usual order of things shows here.
TEST_P(FtlStress, KeepsEverythingWhoeverIsFaster) {
  const wl_boot_info boot = boot_of(GetParam());
  for (const auto& [order, name] :
       {std::pair(Drive::Order::kFlashLast, "flash last"), std::pair(Drive::Order::kHardwareFirst, "hardware first"),
        std::pair(Drive::Order::kCoresFirst, "cores first")}) {
    SCOPED_TRACE(name);
    Drive drive(boot, 21);
    drive.order = order;
    stress(drive, boot, kEverything, 3.0);
    read_everything(drive, boot);
    drive.settle();
    EXPECT_TRUE(drive.errors.empty());
    EXPECT_GT(drive.statistics().gc_superblocks, 10u);
    expect_consistent(drive);
  }
}

// More dies than one poll erases, and fewer jobs than slots for reads, so that erases wait for jobs: a superblock is
// free when its last die is erased, not when those sent so far are.
TEST(Ftl, ErasesOfManyDiesAreWaitedFor) {
  wl_boot_info boot = boot_of(kSimple);
  boot.dies = boot.channels = 32;
  boot.read_slots = 256;
  boot.host_tags = 128;
  boot.tcm_bytes = 400 << 10;  // a quarter of it has room for 64 jobs a channel
  const std::uint32_t superblock = boot.dies * boot.pages * boot.planes * boot.lpages_per_page;
  boot.user_lpages = 16 * superblock - 5;
  set_layers(boot);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Drive drive(boot, 400 + seed);
    drive.order = seed % 2 == 0 ? Drive::Order::kAny : Drive::Order::kFlashLast;
    const std::uint64_t blocks = boot.user_lpages * 8ULL;
    for (std::uint64_t written = 0; written < 2 * blocks; drive.step()) {
      while (drive.has_tag()) {
        const bool writes = drive.random() % 8 == 0;
        const std::uint32_t length = writes ? 24 : 8;
        const std::uint64_t start = drive.random() % (blocks - length);
        drive.submit(writes ? write_of(start, length) : read_of(start, length));
        written += writes ? length : 0;
      }
    }
    read_everything(drive, boot);
    drive.settle();
    EXPECT_TRUE(drive.errors.empty());
    EXPECT_GT(drive.statistics().gc_superblocks, 10U);
    expect_consistent(drive);
  }
}

TEST(Ftl, PreconditionedDriveReadsTheFill) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 1);
  read_everything(drive, boot);
  EXPECT_EQ(drive.reads_checked, boot.user_lpages * 8ull);
  EXPECT_EQ(drive.nand().read_lpages, boot.user_lpages);
  EXPECT_EQ(drive.statistics().free_superblocks, 8u);
  for (std::uint32_t lpn = 0; lpn < boot.user_lpages; ++lpn) ASSERT_EQ(rooms(drive.firmware()).map.l2p[lpn], 0u);
  for (std::uint32_t p = 0; p < boot.blocks * drive.firmware().geometry.superblock_lpages; ++p)
    ASSERT_EQ(rooms(drive.firmware()).map.p2l[p], 0u);
}

TEST(Ftl, EmptyDriveReadsZerosWithoutFlash) {
  Shape shape = kSimple;
  shape.preconditioned = false;
  const wl_boot_info boot = boot_of(shape);
  Drive drive(boot, 1);
  read_everything(drive, boot);
  EXPECT_EQ(drive.nand().read_lpages, 0u);
}

TEST(Ftl, FlushPadsTheOpenUnitOnce) {
  Shape shape = kSimple;
  shape.power_safe = false;
  shape.pages_per_program = 3;
  Drive drive(boot_of(shape), 1);
  EXPECT_EQ(drive.run(write_of(80, 8)), 0);
  drive.settle();
  EXPECT_EQ(drive.buffered(), 1u);
  EXPECT_EQ(drive.nand().programmed_lpages, 0u);
  EXPECT_EQ(drive.run(flush()), 0);
  EXPECT_EQ(drive.buffered(), 0u);
  EXPECT_EQ(drive.nand().programmed_lpages, 6u);
  EXPECT_EQ(drive.statistics().pad_lpages, 5u);
  EXPECT_EQ(drive.run(flush()), 0);
  EXPECT_EQ(drive.statistics().pad_lpages, 5u);
  EXPECT_EQ(drive.run(read_of(80, 8)), 0);
}

// Eight blocks of a sector, one by one: the flash is written once a block, or once altogether while it is buffered.
TEST(Ftl, CountsWhatCompletesSectorsWrittenInPart) {
  Shape shape = kSimple;
  shape.power_safe = false;
  Drive apart(boot_of(shape), 1), together(boot_of(shape), 1);
  for (std::uint32_t block = 0; block < 8; ++block) {
    EXPECT_EQ(apart.run(write_of(80 + block, 1, true)), 0);
    EXPECT_EQ(together.run(write_of(80 + block, 1)), 0);
  }
  EXPECT_EQ(wl_buffered_lpages(&together.statistics()), 1u);
  EXPECT_EQ(together.run(flush()), 0);
  EXPECT_EQ(wl_host_blocks(&apart.statistics(), 3), 8u);
  EXPECT_EQ(apart.statistics().data_lpages, 8u);
  EXPECT_EQ(apart.statistics().merged_lbas, 8u * 7);
  EXPECT_EQ(apart.statistics().pad_lpages, 8u);
  EXPECT_EQ(wl_host_blocks(&together.statistics(), 3), 8u);
  EXPECT_EQ(together.statistics().data_lpages, 1u);
  EXPECT_EQ(together.statistics().merged_lbas, 7u);
  EXPECT_EQ(wl_buffered_lpages(&together.statistics()), 0u);
}

TEST(Ftl, ForceUnitAccessIsOnFlashWhenItCompletes) {
  Shape shape = kSimple;
  shape.power_safe = false;
  Drive drive(boot_of(shape), 1);
  EXPECT_EQ(drive.run(write_of(80, 8, true)), 0);
  EXPECT_EQ(drive.buffered(), 0u);
  EXPECT_EQ(drive.nand().programmed_lpages, 2u);
}

TEST(Ftl, PowerSafeBufferHasNothingToFlush) {
  Drive drive(boot_of(kSimple), 1);
  EXPECT_EQ(drive.run(write_of(80, 8, true)), 0);
  EXPECT_EQ(drive.run(flush()), 0);
  drive.settle();
  EXPECT_EQ(drive.buffered(), 1u);
  EXPECT_EQ(drive.nand().programmed_lpages, 0u);
}

TEST(Ftl, WriteZeroesClearsPartsOfSectorsToo) {
  Drive drive(boot_of(kSimple), 1);
  const std::uint64_t before = drive.nand().read_lpages;
  EXPECT_EQ(drive.run({WL_OP_WRITE_ZEROES, 4, 16, false, {}}), 0);  // of sectors 0 and 2 what is kept is read
  EXPECT_EQ(drive.nand().read_lpages - before, 2u);
  EXPECT_EQ(drive.run(read_of(0, 24)), 0);
  EXPECT_EQ(drive.run({WL_OP_WRITE_ZEROES, 29, 2, false, {}}), 0);  // within one
  EXPECT_EQ(drive.run(read_of(0, 64)), 0);
  EXPECT_EQ(drive.run({WL_OP_WRITE_ZEROES, 48, 8, false, {}}), 0);
  const std::uint64_t zeros = drive.nand().read_lpages;
  EXPECT_EQ(drive.run({WL_OP_WRITE_ZEROES, 50, 2, false, {}}), 0);  // reads as zeros anyway
  EXPECT_EQ(drive.run(read_of(48, 8)), 0);
  EXPECT_EQ(drive.nand().read_lpages, zeros);
}

TEST(Ftl, WriteZeroesWithForceUnitAccessIsOnFlashWhenItCompletes) {
  Shape shape = kSimple;
  shape.power_safe = false;
  Drive drive(boot_of(shape), 1);
  EXPECT_EQ(drive.run({WL_OP_WRITE_ZEROES, 4, 2, false, {}}), 0);
  EXPECT_EQ(drive.buffered(), 1u);
  EXPECT_EQ(drive.run({WL_OP_WRITE_ZEROES, 12, 2, true, {}}), 0);
  EXPECT_EQ(drive.buffered(), 0u);
}

// Any range of blocks, one command after the other: each block is what the last command that named it has left.
TEST(Ftl, WritesZeroesAndTrimsOfAnyRangeAreAsInAnArray) {
  for (std::uint64_t seed = 1; seed != 9; ++seed) {
    wl_boot_info boot = boot_of(kSimple);
    boot.ftl.write_through = seed % 4 == 3 ? 1 : 0;
    boot.ftl.map_page = seed % 2 == 0 ? boot.lpages_per_page : 0;
    boot.power_safe = seed % 3 == 0 ? 0 : 1;
    Drive drive(boot, seed);
    const std::uint64_t blocks = 400;  // so that most commands meet what others have left
    for (int i = 0; i != 1500; ++i) {
      const std::uint64_t first = drive.random() % blocks;
      const auto count = static_cast<std::uint32_t>(1 + drive.random() % std::min<std::uint64_t>(blocks - first, 60));
      const bool fua = drive.random() % 8 == 0;
      switch (drive.random() % 4) {
        case 0:
          ASSERT_EQ(drive.run(write_of(first, count, fua)), 0);
          break;
        case 1:
          ASSERT_EQ(drive.run({WL_OP_WRITE_ZEROES, first, count, fua, {}}), 0);
          break;
        case 2:
          ASSERT_EQ(drive.run({WL_OP_DEALLOCATE, 0, 0, false, {{first, count}}}), 0);
          break;
        default:
          ASSERT_EQ(drive.run(read_of(first, count)), 0);  // the oracle knows what each block holds
      }
    }
    read_everything(drive, boot);
    drive.settle();
    expect_nothing_held(drive);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(Ftl, DeallocateIgnoresPartsOfSectors) {
  Drive drive(boot_of(kSimple), 1);
  EXPECT_EQ(drive.run({WL_OP_DEALLOCATE, 0, 0, false, {{3, 3}, {12, 8}, {36, 20}}}), 0);
  const std::uint64_t before = drive.nand().read_lpages;
  EXPECT_EQ(drive.run(read_of(0, 64)), 0);
  EXPECT_EQ(drive.nand().read_lpages - before, 6u);  // sectors 5 and 6 are gone, the parts stay
}

TEST(Ftl, DeallocateOfTheWholeDriveFreesIt) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 3);
  stress(drive, boot, kWholeSectors, 1.0);
  EXPECT_EQ(drive.run({WL_OP_DEALLOCATE, 0, 0, false, {{0, boot.user_lpages * 8}}}), 0);
  drive.settle();
  expect_consistent(drive);
  for (std::uint32_t superblock = 0; superblock < boot.blocks; ++superblock)
    EXPECT_EQ(rooms(drive.firmware()).space.superblock[superblock].valid, 0u);
  stress(drive, boot, kEverything, 2.0);
  read_everything(drive, boot);
}

TEST(Ftl, ReadsAreServedWhileWritesWaitForTheBuffer) {
  Shape shape = kSimple;
  const wl_boot_info boot = boot_of(shape);
  Drive drive(boot, 5);
  // More writes than the buffer holds; every read still ends, and all of them do.
  for (std::uint64_t round = 0; round < 200; ++round) {
    while (drive.in_flight() + 1 < boot.host_tags) drive.submit(write_of(round % 7 * 500, 400));
    EXPECT_EQ(drive.run(read_of(drive.random() % 1000, 100)), 0);
  }
  drive.settle();
  EXPECT_TRUE(drive.idle());
}

TEST(Ftl, SequentialOverwritesCollectNearlyEmptySuperblocks) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 7);
  for (int pass = 0; pass < 4; ++pass)
    for (std::uint64_t lpn = 0; lpn < boot.user_lpages; lpn += 8)
      drive.run(write_of(lpn * 8, static_cast<std::uint32_t>(std::min<std::uint64_t>(8, boot.user_lpages - lpn)) * 8));
  drive.settle();
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_EQ(s.host_lpages_written, 4ull * boot.user_lpages);
  EXPECT_LT(s.gc_lpages_copied, boot.user_lpages / 4);
  EXPECT_GT(s.gc_superblocks, 30u);
}

}  // namespace
}  // namespace wordline::testing::ftl_test
