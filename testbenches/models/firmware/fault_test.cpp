// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "drive.h"
#include "workload.h"

namespace wordline::testing::fault_test {
namespace {

/// Pages that cannot be read: one in `n`, by PPA and number of erases, so that a page stays bad until it is erased.
auto bad_pages(std::uint64_t n, std::uint64_t seed) {
  return [n, seed](const wl_flash_job& job, std::uint32_t erases) {
    return keyed_hash(seed, job.die, job.block, job.page, erases) % n == 0;
  };
}

class FtlFaults : public ::testing::TestWithParam<Shape> {};

TEST_P(FtlFaults, UncorrectablePagesEndInMediaErrorsAndNothingElse) {
  const wl_boot_info boot = boot_of(GetParam());
  Drive drive(boot, 21);
  drive.nand().faults.uncorrectable = bad_pages(60, 5);
  stress(drive, boot, kEverything, 3.0);
  EXPECT_GT(drive.nand().failures, 10u);
  ASSERT_EQ(drive.errors.size(), 1u);
  EXPECT_GT(drive.errors[WL_STATUS_READ_ERROR], 10u);

  // A sector that GC lost stays an error even when the page would be readable now, until it is written.
  drive.nand().faults.uncorrectable = nullptr;
  drive.settle();
  expect_consistent(drive);
  std::uint32_t lost = 0;
  for (std::uint32_t lpn = 0; lpn < boot.user_lpages; ++lpn) {
    if (rooms(drive.firmware()).map.l2p[lpn] != WL_MAP_LOST) continue;
    ++lost;
    EXPECT_EQ(drive.run(read_of(lpn * 8ull, 8)), WL_STATUS_READ_ERROR);
    EXPECT_EQ(drive.run(write_of(lpn * 8ull + 1, 2)), WL_STATUS_READ_ERROR);  // the rest of the sector is lost
    EXPECT_EQ(drive.run(write_of(lpn * 8ull, 8)), 0);
    EXPECT_EQ(drive.run(read_of(lpn * 8ull, 8)), 0);
  }
  EXPECT_GT(lost, 0u);
  drive.errors.clear();
  read_everything(drive, boot);
  EXPECT_TRUE(drive.errors.empty());
}

TEST_P(FtlFaults, FailedProgramsAreRepeatedElsewhereAndTheSuperblockRetired) {
  const wl_boot_info boot = boot_of(GetParam());
  Drive drive(boot, 22);
  drive.nand().faults.program_fail = [&drive](const wl_flash_job&, std::uint32_t) {
    return drive.nand().failures < 3 && drive.random() % 200 == 0;
  };
  stress(drive, boot, kEverything, 6.0);
  read_everything(drive, boot);
  drive.settle();
  EXPECT_TRUE(drive.errors.empty());
  EXPECT_EQ(drive.nand().failures, 3u);
  std::uint32_t bad = 0;
  for (std::uint32_t superblock = 0; superblock < boot.blocks; ++superblock)
    bad += rooms(drive.firmware()).space.superblock[superblock].bad;
  EXPECT_GE(bad, 1u);
  EXPECT_LE(bad, 3u);
  EXPECT_EQ(rooms(drive.firmware()).space.region[0].retired_superblocks, bad);
  expect_consistent(drive);
}

TEST_P(FtlFaults, FailedErasesRetireSuperblocksUntilTheDriveIsReadOnly) {
  const wl_boot_info boot = boot_of(GetParam());
  Drive drive(boot, 23);
  drive.nand().faults.erase_fail = [&drive](const wl_flash_job&, std::uint32_t) { return drive.random() % 100 == 0; };
  for (int i = 0; i < 100 && !rooms(drive.firmware()).space.read_only; ++i) stress(drive, boot, kWholeSectors, 0.5);
  ASSERT_TRUE(rooms(drive.firmware()).space.read_only);
  EXPECT_EQ(drive.run(write_of(0, 8)), WL_STATUS_WRITE_PROTECTED);
  EXPECT_EQ(drive.run({WL_OP_FLUSH, 0, 0, false, {}}), 0);
  EXPECT_EQ(drive.errors.size(), 1u);  // write faults and nothing else
  drive.errors.clear();
  read_everything(drive, boot);
  EXPECT_TRUE(drive.errors.empty());
  drive.settle();
  EXPECT_TRUE(drive.idle());
  expect_consistent(drive);
}

// Blocks that go bad together, so many that superblocks are lost while GC needs them: every command is
// answered, and the data stay.
TEST_P(FtlFaults, BadBlocksEndReadOnlyAndNeverInSilence) {
  std::uint32_t stopped = 0, read_only = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    wl_boot_info boot = boot_of(GetParam());
    boot.preconditioned = 0;
    boot.power_safe = seed % 2;
    Drive drive(boot, seed);
    stress(drive, boot, kWholeSectors, 1.0);
    const std::uint64_t rate = 2 + seed % 6;
    drive.nand().faults.program_fail = [=](const wl_flash_job& job, std::uint32_t) {
      return keyed_hash(seed, job.die, job.block) % rate == 0;
    };
    drive.nand().faults.erase_fail = drive.nand().faults.program_fail;
    for (int i = 0; i < 40 && !rooms(drive.firmware()).space.read_only; ++i) stress(drive, boot, kEverything, 0.5);
    if (!rooms(drive.firmware()).space.read_only) continue;  // what was bad is retired, and the rest is enough
    ++read_only;
    stopped += rooms(drive.firmware()).space.stopped ? 1 : 0;
    EXPECT_EQ(drive.run(write_of(0, 8)), WL_STATUS_WRITE_PROTECTED);
    const bool keeps = wl_buffered_lpages(&drive.statistics()) != 0 && boot.power_safe == 0;
    const std::uint16_t flushed = drive.run(flush());
    EXPECT_TRUE(flushed == 0 || (keeps && flushed == WL_STATUS_WRITE_FAULT)) << flushed;
    drive.errors.erase(WL_STATUS_WRITE_PROTECTED);  // refused
    drive.errors.erase(WL_STATUS_WRITE_FAULT);      // FLUSH, when the buffer's data find no PPA any more
    EXPECT_TRUE(drive.errors.empty()) << "nothing else";
    drive.errors.clear();
    read_everything(drive, boot);
    EXPECT_TRUE(drive.errors.empty());
    drive.settle();
  }
  EXPECT_GT(read_only, 4U);
  EXPECT_GT(stopped, 0U) << "no drive came to the point where nothing makes room";
}

INSTANTIATE_TEST_SUITE_P(Shapes, FtlFaults,
                         ::testing::Values(Shape{"simple", 1, 1, 1, {0, 0, 0}, true, true},
                                           Shape{"one_shot_three_cores", 2, 3, 3, {0, 1, 2}, false, true}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace wordline::testing::fault_test
