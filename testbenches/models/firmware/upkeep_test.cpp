// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Superblocks that are moved for another reason than GC's: static wear levelling, read reclaim, refresh, patrol.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "drive.h"
#include "workload.h"

namespace wordline::testing::upkeep_test {
namespace {

constexpr std::uint32_t kTick = 100;  // us

wl_boot_info boot_with(const wl_upkeep_rules& rules) {
  wl_boot_info boot = boot_of(kSimple);
  boot.ftl.upkeep = rules;
  boot.replacement.least_worn_first = rules.wear_gap != 0 ? 1 : 0;
  if (rules.wear_gap != 0) ++boot.blocks;  // another one is open
  return boot;
}

void ticks(Drive& drive, std::uint32_t count) {
  for (std::uint32_t i = 0; i != count; ++i) {
    drive.pass(kTick);
    drive.settle();
  }
}

// ---- wear ----

struct Erases {
  std::uint32_t least, most;
  double mean;
  std::uint64_t moved = 0;  // superblocks, for wear
};

Erases erases_of(const Drive& drive, std::uint32_t superblocks) {
  const std::uint32_t* const erases = rooms(drive.firmware()).space.wear.erases;
  std::uint64_t sum = 0;
  for (std::uint32_t s = 0; s != superblocks; ++s) sum += erases[s];
  return {*std::min_element(erases, erases + superblocks), *std::max_element(erases, erases + superblocks),
          static_cast<double>(sum) / superblocks};
}

/// Half of the data rest, the others are overwritten 50 times.
Erases with_a_cold_half(const wl_boot_info& boot) {
  Drive drive(boot, 3);
  const std::uint64_t half = boot.user_lpages / 2;
  for (std::uint64_t n = 0; n != 50 * half; ++n) {
    while (!drive.has_tag()) drive.step();
    drive.submit(write_of(drive.random() % half * 8, 8));
  }
  drive.drain();
  drive.settle();
  read_everything(drive, boot);
  EXPECT_TRUE(drive.errors.empty());
  expect_consistent(drive);
  EXPECT_EQ(drive.statistics().upkeep.wear_superblocks != 0, boot.ftl.upkeep.wear_gap != 0);
  Erases erases = erases_of(drive, boot.blocks);
  erases.moved = drive.statistics().upkeep.wear_superblocks;
  return erases;
}

TEST(StaticWearLevelling, ErasesOfADriveWithAColdHalfLieTogether) {
  wl_boot_info boot = boot_with({});
  boot.replacement.least_worn_first = 1;
  const Erases without = with_a_cold_half(boot);
  EXPECT_EQ(without.least, 0U) << "data at rest keep their superblocks";
  EXPECT_GT(without.most / without.mean, 1.5);
  for (const std::uint32_t gap : {4U, 8U}) {
    SCOPED_TRACE(gap);
    const Erases with = with_a_cold_half(boot_with({1, gap, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_LE(with.most / with.mean, 1.2);
    EXPECT_LE(with.most - with.least, 2 * gap);
    EXPECT_LE(with.moved, 9 * with.most / gap) << "eight superblocks of data at rest, once for each gap";
  }
}

TEST(StaticWearLevelling, MovesNothingWithinTheGap) {
  const wl_boot_info boot = boot_with({1, 1000, 0, 0, 0, 0, 0, 0, 0});
  Drive drive(boot, 4);
  stress(drive, boot, kWholeSectors, 10.0);
  EXPECT_EQ(drive.statistics().upkeep.wear_superblocks, 0U);
}

// ---- read reclaim ----

TEST(ReadReclaim, MovesASuperblockWithItsLastRead) {
  constexpr std::uint32_t kReads = 40;
  const wl_boot_info boot = boot_with({1, 0, kReads, 0, 0, 0, 0, 0, 0});
  Drive drive(boot, 5);
  const auto place = [&] {
    return wl_map_resolve(rooms(drive.firmware()).map.l2p[100], 100, drive.firmware().boot.preconditioned);
  };
  const std::uint32_t before = place();
  for (std::uint32_t n = 1; n != kReads; ++n) drive.run(read_of(800, 8));
  drive.settle();
  EXPECT_EQ(drive.statistics().upkeep.reclaim_superblocks, 0U);
  EXPECT_EQ(place(), before);
  drive.run(read_of(800, 8));
  drive.settle();
  EXPECT_EQ(drive.statistics().upkeep.reclaim_superblocks, 1U);
  EXPECT_EQ(drive.statistics().upkeep.reclaim_lpages, drive.firmware().geometry.superblock_lpages);
  EXPECT_EQ(drive.statistics().gc_superblocks, 0U) << "it is none of GC's";
  EXPECT_NE(place(), before);
  EXPECT_EQ(drive.statistics().blocks.superblock_erases, 1U) << "its last data wait for no company";
  for (std::uint32_t n = 1; n != kReads; ++n) drive.run(read_of(800, 8));
  drive.settle();
  EXPECT_EQ(drive.statistics().upkeep.reclaim_superblocks, 1U) << "the new place was not read as often";
  read_everything(drive, boot);
  expect_consistent(drive);
}

TEST(ReadReclaim, ItsLastDataWaitForNoCompany) {
  const wl_boot_info boot = boot_with({1, 0, 40, 0, 0, 0, 0, 0, 0});
  Drive drive(boot, 12);
  drive.run(write_of(808, 8));  // the rest does not fill its last unit
  for (std::uint32_t n = 0; n != 40; ++n) drive.run(read_of(800, 8));
  drive.settle();
  EXPECT_EQ(drive.statistics().upkeep.reclaim_lpages, drive.firmware().geometry.superblock_lpages - 1);
  EXPECT_EQ(drive.statistics().blocks.superblock_erases, 1U);
}

// A superblock that is read a little in each of its lives.
TEST(ReadReclaim, ReadsBeforeAnEraseDoNotCount) {
  const wl_boot_info boot = boot_with({1, 0, 250, 0, 0, 0, 0, 0, 0});
  Drive drive(boot, 11);
  for (int life = 0; life != 12; ++life) {
    for (std::uint64_t lpn = 0; lpn != boot.user_lpages; ++lpn) drive.run(write_of(lpn * 8, 8));
    for (int times = 0; times != 2; ++times) read_everything(drive, boot);
  }
  EXPECT_EQ(drive.statistics().upkeep.reclaim_superblocks, 0U);
  const std::uint32_t* const reads = rooms(drive.firmware()).space.wear.upkeep.reads;
  EXPECT_GT(*std::max_element(reads, reads + boot.blocks), 30U);
}

TEST(ReadReclaim, MovesWhatWasReadWithManyErrors) {
  constexpr std::uint32_t kBits = 60;
  const wl_boot_info boot = boot_with({1, 0, 0, kBits, 0, 0, 0, 0, 0});
  Drive drive(boot, 6);
  std::uint32_t bits = kBits - 1;
  drive.nand().errors = [&bits](const wl_flash_job& job) { return job.block == 2 ? bits : 3; };
  const std::uint64_t lba = std::uint64_t{2} * drive.firmware().geometry.superblock_lpages * 8;
  drive.run(read_of(0, 8));
  drive.run(read_of(lba, 8));
  drive.settle();
  EXPECT_EQ(drive.statistics().upkeep.reclaim_superblocks, 0U);
  EXPECT_EQ(drive.statistics().upkeep.most_errors, kBits - 1);
  bits = kBits;
  drive.run(read_of(lba, 8));
  drive.settle();
  EXPECT_EQ(drive.statistics().upkeep.reclaim_superblocks, 1U);
  EXPECT_EQ(drive.statistics().upkeep.most_errors, kBits);
  EXPECT_EQ(rooms(drive.firmware()).space.superblock[2].valid, 0U);
}

// While the host reads on and never idles: nothing pays for its copies, nor for those of a victim of GC before it.
TEST(ReadReclaim, GoesOnUnderReadsThatNeverEnd) {
  for (const bool collected : {false, true}) {
    SCOPED_TRACE(collected);
    const wl_boot_info boot = boot_with({1, 0, 1000, 0, 0, 0, 0, 0, 0});
    Drive drive(boot, 7);
    drive.order = Drive::Order::kHardwareFirst;  // the next command is always there
    while (collected && drive.statistics().gc_superblocks < 4) {
      while (!drive.has_tag()) drive.step();
      drive.submit(write_of(drive.random() % boot.user_lpages * 8, 8));
    }
    const struct wl_firmware_statistics& s = drive.statistics();
    const std::uint64_t before = s.upkeep.reclaim_superblocks;
    std::uint64_t erases = 0;
    for (std::uint64_t n = 0; n != 20000 && (erases == 0 || s.blocks.superblock_erases < erases); ++n) {
      while (!drive.has_tag()) drive.step();
      drive.submit(read_of(2000, 8));
      if (erases == 0 && s.upkeep.reclaim_superblocks != before) erases = s.blocks.superblock_erases + 1;
    }
    EXPECT_GT(s.upkeep.reclaim_superblocks, before);
    EXPECT_GE(s.blocks.superblock_erases, std::max<std::uint64_t>(erases, 1)) << "it was taken up and not emptied";
    const auto& pace = rooms(drive.firmware()).space.pace;
    EXPECT_TRUE(collected || (pace.owed == 0 && !pace.copies_wait)) << "it has asked the host's writes for pay";
    drive.drain();
  }
}

// ---- refresh, patrol ----

TEST(Refresh, MovesDataOfItsAgeAndNoneBefore) {
  wl_boot_info boot = boot_with({1, 0, 0, 0, 10, 4, kTick, 0, 0});
  boot.ftl.upkeep.visits = boot.blocks;  // each tick sees all
  Drive drive(boot, 8);
  ticks(drive, 5);  // the fill is 9 ticks old
  EXPECT_EQ(drive.statistics().upkeep.refresh_superblocks, 0U);
  ticks(drive, 1);
  const std::uint64_t filled = drive.statistics().upkeep.refresh_superblocks;
  EXPECT_EQ(filled, 16U) << "all that hold data";
  ticks(drive, 9);
  EXPECT_EQ(drive.statistics().upkeep.refresh_superblocks, filled) << "what was moved is young";
  ticks(drive, 2);
  EXPECT_GT(drive.statistics().upkeep.refresh_superblocks, filled);
  read_everything(drive, boot);
  expect_consistent(drive);
  EXPECT_EQ(drive.statistics().upkeep.patrol_reads, 0U);
}

TEST(Patrol, ReadsEachSuperblockOnceInARoundAndAnotherPageInTheNext) {
  wl_boot_info boot = boot_with({1, 0, 0, 50, 0, 0, kTick, 1, 1});
  Drive drive(boot, 9);
  std::vector<std::multiset<std::uint32_t>> pages(boot.blocks);
  drive.nand().errors = [&](const wl_flash_job& job) {
    pages.at(job.block).insert((job.die * boot.pages + job.page) * 16 + job.lpage);
    return 10;
  };
  ticks(drive, boot.blocks);
  for (std::uint32_t s = 0; s != 16; ++s) EXPECT_EQ(pages[s].size(), 1U) << s;
  ticks(drive, 9 * boot.blocks);
  std::set<std::uint32_t> different;
  for (std::uint32_t s = 0; s != 16; ++s) {
    EXPECT_EQ(pages[s].size(), 10U) << s;
    const std::set<std::uint32_t> once(pages[s].begin(), pages[s].end());
    EXPECT_GT(once.size(), 5U) << s;
  }
  EXPECT_EQ(drive.statistics().upkeep.patrol_reads, 160U);
  EXPECT_EQ(drive.statistics().upkeep.refresh_superblocks, 0U);
}

TEST(Patrol, WhatItFindsWithManyErrorsOrNoneIsRefreshed) {
  wl_boot_info boot = boot_with({1, 0, 0, 50, 0, 0, kTick, 1, 1});
  Drive drive(boot, 10);
  drive.nand().errors = [](const wl_flash_job& job) { return job.block == 5 ? 50 : 49; };
  bool fails = true;
  drive.nand().faults.uncorrectable = [&fails](const wl_flash_job& job, std::uint32_t) {
    const bool failed = fails && job.block == 7;
    fails = fails && !failed;
    return failed;
  };
  ticks(drive, boot.blocks);
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_EQ(s.upkeep.refresh_superblocks, 2U);
  EXPECT_EQ(s.upkeep.patrol_failures, 1U);
  EXPECT_EQ(rooms(drive.firmware()).space.superblock[5].valid, 0U);
  EXPECT_EQ(rooms(drive.firmware()).space.superblock[7].valid, 0U);
  read_everything(drive, boot);
  EXPECT_TRUE(drive.errors.empty()) << "the page could be read the next time";
}

// ---- all of it, on drives of any kind ----

struct Random {
  wl_boot_info boot{};
  std::uint64_t draws = 0;

  explicit Random(std::uint64_t n) {
    const auto draw = [&](std::uint64_t from, std::uint64_t to) {
      return static_cast<std::uint32_t>(from + keyed_hash(n, 0xca4e, ++draws) % (to - from + 1));
    };
    const std::uint32_t planes = draw(1, 4), pages = draw(1, 3), cores = draw(1, 3);
    const Shape shape{"random", planes, pages, cores, {0, cores / 2, cores - 1}, draw(0, 1) != 0, draw(0, 1) != 0};
    boot = boot_of(shape);
    constexpr std::uint32_t kPolicies[] = {WL_POLICY_page_greedy, WL_POLICY_page_cost_benefit, WL_POLICY_page_d_choices,
                                           WL_POLICY_page_fifo};
    boot.ftl.policy = kPolicies[draw(0, 3)];
    boot.ftl.gc_pacing = draw(0, 3) != 0 ? 1 : 0;
    boot.ftl.map_page = draw(0, 3) == 0 ? boot.lpages_per_page : 0;
    wl_upkeep_rules& rules = boot.ftl.upkeep;
    rules.any = 1;
    if (draw(0, 2) != 0) rules.wear_gap = draw(1, 6);
    if (draw(0, 1) != 0) rules.reads = draw(20, 400);
    if (draw(0, 1) != 0) rules.errors = draw(5, 60);
    if (draw(0, 1) != 0) rules.age = draw(1, 60);
    if (rules.age != 0 || draw(0, 1) != 0) {
      rules.tick_us = kTick;
      rules.visits = draw(1, boot.blocks);
      rules.patrol = rules.errors != 0 ? 1 : 0;
    }
    boot.replacement.least_worn_first = rules.wear_gap != 0 ? 1 : draw(0, 1);
    boot.replacement.spares = draw(0, 3);
    boot.blocks += rules.wear_gap != 0 ? 1 : 0;
    boot.gc_slots += rules.wear_gap != 0 ? planes * boot.lpages_per_page * pages : 0;
    const bool by_page = boot.ftl.map_page != 0;
    if (draw(0, 1) != 0 && !by_page) boot.engines |= WL_ENGINE_GC;
    if (draw(0, 2) == 0) boot.engines |= WL_ENGINE_COMPLETION;
  }
};

TEST(Upkeep, KeepsEverythingOnDrivesOfAnyKind) {
  std::uint64_t wear = 0, reclaim = 0, refresh = 0, patrol = 0;
  for (std::uint64_t n = 1; n <= 120; ++n) {
    SCOPED_TRACE(n);
    const Random random(n);
    Drive drive(random.boot, n);
    if (n % 3 == 0) {
      drive.nand().faults.program_fail = [n, k = std::uint64_t{0}](const wl_flash_job&, std::uint32_t) mutable {
        return keyed_hash(n, 0xbad, ++k) % 4000 == 0;
      };
    }
    drive.nand().errors = [n, k = std::uint64_t{0}](const wl_flash_job&) mutable {
      return static_cast<std::uint32_t>(keyed_hash(n, 0xe44, ++k) % 64);
    };
    for (int round = 0; round != 12; ++round) {
      if (random.boot.ftl.upkeep.tick_us != 0) drive.pass(kTick);
      stress(drive, random.boot, kEverything, 0.4);
      if (round % 4 == 3) drive.settle();
    }
    drive.settle();
    const struct wl_firmware_statistics& s = drive.statistics();
    wear += s.upkeep.wear_superblocks;
    reclaim += s.upkeep.reclaim_superblocks;
    refresh += s.upkeep.refresh_superblocks;
    patrol += s.upkeep.patrol_reads;
    drive.errors.erase(WL_STATUS_WRITE_PROTECTED);
    drive.errors.erase(WL_STATUS_WRITE_FAULT);
    read_everything(drive, random.boot);
    EXPECT_TRUE(drive.errors.empty());
    if (rooms(drive.firmware()).space.read_only) {
      EXPECT_NE(s.blocks.retired_superblocks, 0U) << "nothing else costs room for good";
    } else if (random.boot.ftl.map_page == 0) {
      drive.settle();
      expect_consistent(drive);
    }
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_GT(wear, 40U);
  EXPECT_GT(reclaim, 200U);
  EXPECT_GT(refresh, 200U);
  EXPECT_GT(patrol, 100U);
}

}  // namespace
}  // namespace wordline::testing::upkeep_test
