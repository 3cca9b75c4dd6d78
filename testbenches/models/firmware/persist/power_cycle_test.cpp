// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What was promised is there, whenever power has failed (power_cycles.h).
#include "power_cycles.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>

namespace wordline::testing::power_cycle_test {
namespace {

TEST(PowerCycles, AnErasedDriveMounts) {
  PowerCycles drive(mounting_boot(), 1);
  EXPECT_EQ(drive.mount(), "");
  EXPECT_EQ(drive.drive().statistics().recovery.records, 0u);
  drive.read_all();
}

std::uint64_t cuts_wanted() {
  const char* text = std::getenv("WORDLINE_CRASH_CUTS");
  return text == nullptr ? 800 : std::strtoull(text, nullptr, 10);
}

/// `fails`, `unreadable`: one of so many programs, and reads of a checkpoint.
void cut_again_and_again(const wl_boot_info& boot, std::uint64_t wanted, std::uint64_t fails = 0,
                         std::uint64_t unreadable = 0) {
  std::uint64_t cuts = 0, in_mounts = 0, clean = 0, in_shutdowns = 0, recorded = 0, compared = 0;
  std::uint64_t based = 0, unchanged = 0, checkpoints = 0;
  std::uint64_t less_erases = 0, as_many_erases = 0, bad_kept = 0, bad_forgotten = 0;
  const char* replay = std::getenv("WORDLINE_CRASH_SEED");
  const std::uint64_t first = replay == nullptr ? 1 : std::strtoull(replay, nullptr, 10);
  for (std::uint64_t seed = first; cuts < wanted; ++seed) {
    SCOPED_TRACE("WORDLINE_CRASH_SEED=" + std::to_string(seed));
    PowerCycles drive(boot, seed);
    if (fails != 0) drive.fail_programs(fails);
    if (unreadable != 0) drive.fail_reads_of_checkpoints(unreadable);
    for (int cycle = 0; cycle != 12; ++cycle) {
      ASSERT_EQ(drive.cycle(cycle == 0 ? 600 : 150), "")
          << "cycle " << cycle << ", after " << cuts + drive.cuts << " cuts";
      if (::testing::Test::HasFatalFailure()) return;
      if (fails != 0 && wl_space_read_only(&drive.drive().firmware())) break;  // what has failed is remembered
      ASSERT_TRUE(drive.drive().errors.empty()) << "commands have failed";
    }
    drive.read_all();
    cuts += drive.cuts;
    in_mounts += drive.cuts_in_mount;
    clean += drive.clean_mounts;
    recorded += drive.recorded;
    compared += drive.compared;
    based += drive.based;
    unchanged += drive.unchanged;
    checkpoints += drive.checkpoints;
    less_erases += drive.memory.less_erases;
    as_many_erases += drive.memory.as_many_erases;
    bad_kept += drive.memory.bad_kept;
    bad_forgotten += drive.memory.bad_forgotten;
    in_shutdowns += drive.cuts_in_shutdowns;
    if (replay != nullptr) break;
  }
  std::cout << cuts << " cuts, " << in_mounts << " of them in a mount, " << in_shutdowns << " in a shutdown; " << clean
            << " mounts from a checkpoint, " << recorded << " superblocks by their closing records, " << compared
            << " maps compared\n"
            << "  erases remembered by " << as_many_erases << " mounts, less by " << less_erases
            << "; failed superblocks " << bad_kept << ", forgotten " << bad_forgotten << "\n";
  if (boot.ftl.checkpoint_after != 0) {
    std::cout << "  " << checkpoints << " checkpoints at work, " << based
              << " mounts began with one that was out of date, " << unchanged << " superblocks had not changed since\n";
  }
  if (replay == nullptr && wanted >= 100) {
    EXPECT_EQ(clean != 0, boot.magic != WL_BOOT_MAGIC_PORT);  // a map behind the port is in no checkpoint
    EXPECT_GT(recorded + unchanged,
              wanted / (wl_policy_declares(boot.ftl.policy).by_word_line ? 16 : 1));  // superblocks are larger
    if (boot.ftl.checkpoint_after != 0) {
      const bool large = wl_policy_declares(boot.ftl.policy).by_word_line;  // superblocks: few are closed in a life
      EXPECT_GT(based, wanted / 10);
      EXPECT_GT(checkpoints + (large ? 1 : 0), 0U);
      EXPECT_GT(unchanged, large ? 0 : based);
    }
    EXPECT_GT(compared, 0U);
    // With more open superblocks more is closed, and erased, between two records.
    const bool cached = boot.ftl.map_frames != 0;  // superblocks of map pages are closed, and erased, often
    EXPECT_GT(as_many_erases, (cached ? 2 : boot.ftl.policy == WL_POLICY_page_greedy ? 8 : 4) * less_erases);
    EXPECT_GE(bad_kept, 4 * bad_forgotten);
    EXPECT_EQ(bad_kept != 0, fails != 0);
  }
}

TEST(PowerCycles, WhatWasPromisedIsThere) { cut_again_and_again(mounting_boot(), cuts_wanted()); }
TEST(PowerCycles, WhatWasPromisedIsThereInWholeWordLines) {
  cut_again_and_again(mounting_boot(kWordLines), cuts_wanted());
}
TEST(PowerCycles, WhatWasPromisedIsThereWhereTwoProgramsShareCells) {
  cut_again_and_again(mounting_boot(kOnePage, 2), cuts_wanted());
}
TEST(PowerCycles, WhatWasPromisedIsThereWhereThreeProgramsShareCells) {
  cut_again_and_again(mounting_boot(kTwoPlanes, 3), cuts_wanted());
}
/// Most mounts begin with a checkpoint of the drive at work, and read what is younger.
TEST(PowerCycles, WhatWasPromisedIsThereWithCheckpointsAtWork) {
  for (const std::uint32_t superblocks : {2U, 5U}) {
    for (const wl_boot_info& boot : {mounting_boot(), mounting_boot(kWordLines), mounting_boot(kTwoPlanes, 3)}) {
      cut_again_and_again(with_checkpoints(boot, superblocks), cuts_wanted() / 4);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}
/// Of a checkpoint that fails, or cannot be read, an older one takes the place, or records do.
TEST(PowerCycles, WhatWasPromisedIsThereThoughCheckpointsAtWorkFail) {
  for (const wl_boot_info& boot : {mounting_boot(), mounting_boot(kTwoPlanes, 3)}) {
    cut_again_and_again(with_checkpoints(boot, 3), cuts_wanted() / 4, 1000);
    cut_again_and_again(with_checkpoints(boot, 3), cuts_wanted() / 4, 0, 40);
    if (::testing::Test::HasFatalFailure()) return;
  }
}
/// Map pages are on flash, too, and say where all is after a clean shutdown.
TEST(PowerCycles, WhatWasPromisedIsThereWithACachedMap) {
  for (const Shape& shape : {kOnePage, kTwoPlanes, kWordLines}) {
    SCOPED_TRACE(shape.name);
    cut_again_and_again(mounting_cached(shape), cuts_wanted() / 32);
    if (::testing::Test::HasFatalFailure()) return;
  }
  cut_again_and_again(mounting_cached(kOnePage), cuts_wanted() / 32, 1000);
  cut_again_and_again(mounting_cached(kTwoPlanes), cuts_wanted() / 32, 0, 40);
}
/// On a full drive GC runs as soon as all is found, and loads map pages while others are made anew.
TEST(PowerCycles, WhatWasPromisedIsThereWithACachedMapWhereGcBeginsInTheMount) {
  for (const Shape& shape : {kOnePage, kTwoPlanes}) {
    SCOPED_TRACE(shape.name);
    wl_boot_info boot = mounting_cached(shape);
    boot.blocks = boot.blocks * 97 / 100;
    std::uint64_t moved_in_mounts = 0;
    for (std::uint64_t seed = 1; seed <= 1 + cuts_wanted() / 800; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      PowerCycles drive(boot, seed);
      drive.fill();
      for (int cycle = 0; cycle != 8; ++cycle) {
        ASSERT_EQ(drive.cycle(300), "") << "cycle " << cycle;
        if (::testing::Test::HasFatalFailure()) return;
      }
      drive.read_all();
      moved_in_mounts += drive.moved_in_mounts;
    }
    EXPECT_GT(moved_in_mounts, 0U);
  }
}
/// What a policy remembers beside the map, it learns again.
TEST(PowerCycles, WhatWasPromisedIsThereWithEveryPolicyThatMayMount) {
  for (std::uint32_t policy = 0; policy != WL_POLICIES; ++policy) {
    const wl_declared declared = wl_policy_declares(policy);
    if (policy == WL_POLICY_page_greedy || declared.by_word_line || declared.small_pages) continue;
    SCOPED_TRACE("policy " + std::to_string(policy));
    for (const bool word_lines : {false, true}) {
      wl_boot_info boot = mounting_boot(word_lines ? kWordLines : kOnePage);
      boot.ftl.policy = policy;
      make_room(boot);
      cut_again_and_again(boot, cuts_wanted() / 16);
      if (::testing::Test::HasFatalFailure()) return;
    }
    if (declared.host_streams + declared.move_streams > 2) continue;
    wl_boot_info boot = mounting_boot(kTwoPlanes, 3);
    boot.ftl.policy = policy;
    set_layers(boot);
    cut_again_and_again(boot, cuts_wanted() / 16);
    if (::testing::Test::HasFatalFailure()) return;
  }
}
/// A mount finds how far each v-layer of each die is, and goes on there. Closing records take a part of the last row.
TEST(PowerCycles, WhatWasPromisedIsThereWithPoliciesThatChooseWordLines) {
  for (const std::uint32_t policy : {WL_POLICY_cube, WL_POLICY_cube_agcr, WL_POLICY_ppb_cube})
    for (const std::uint32_t wide : {4U, 1U, 2U}) {
      SCOPED_TRACE("policy " + std::to_string(policy) + ", " + std::to_string(wide) + " word lines in an h-layer");
      wl_boot_info boot = cube_boot();
      boot.ftl.policy = policy;
      boot.ftl.recovery = 1;
      boot.ftl.word_line_programs = 1;
      boot.power_safe = 0;
      boot.planes = wide == 2 ? 2 : 1;
      boot.blocks += 8;
      make_room(boot);
      const wl_declared declared = wl_policy_declares(policy);
      const std::uint32_t unit = boot.planes * boot.lpages_per_page * boot.pages_per_program;
      boot.write_slots = (declared.host_streams + 3U) * unit;
      boot.gc_slots = (declared.move_streams + 3U) * unit;  // one unit for closing records
      boot.layers.count = boot.pages / (3 * wide);
      boot.layers.pages = 3 * wide;
      boot.user_lpages = 14 * boot.dies * boot.pages * boot.planes * boot.lpages_per_page - 5;
      policy_keys(boot).cube.moves_to_leaders = wide != 4;
      policy_keys(boot).cube.by_demand = wide != 1;
      cut_again_and_again(boot, cuts_wanted() / 16);
      if (wide == 2) cut_again_and_again(with_checkpoints(boot, 1), cuts_wanted() / 16);
      if (::testing::Test::HasFatalFailure()) return;
    }
}
/// Large pages count as a whole, small ones by themselves: docs/power_loss.md.
TEST(PowerCycles, WhatWasPromisedIsThereWithTwoPageSizes) {
  for (const Shape& shape : {kOnePage, kTwoPlanes, kWordLines})
    for (const std::uint32_t large : {2U, 4U, 8U}) {
      SCOPED_TRACE(std::string(shape.name) + ", large pages of " + std::to_string(large));
      cut_again_and_again(mounting_two_sizes(shape, large), cuts_wanted() / 4);
      if (::testing::Test::HasFatalFailure()) return;
    }
}
/// Rare in the drives above. A merge has begun, and data for its large page arrive and go to small pages before it
/// ends; the newest data of a merged logical page are in the write buffer, and only the large page before has it on
/// flash.
TEST(PowerCycles, WhatWasPromisedIsThereWhereMergesMeetTheWriteBuffer) {
  for (const auto& [large, seed] : {std::pair(4U, 108U), std::pair(2U, 150U)}) {
    SCOPED_TRACE("large pages of " + std::to_string(large));
    PowerCycles drive(mounting_two_sizes(kOnePage, large), seed);
    for (int cycle = 0; cycle != 12; ++cycle) ASSERT_EQ(drive.cycle(cycle == 0 ? 600 : 150), "") << "cycle " << cycle;
  }
}
TEST(PowerCycles, WhatWasPromisedIsThereWithTwoPageSizesThoughFlashFails) {
  cut_again_and_again(mounting_two_sizes(kTwoPlanes, 4), cuts_wanted() / 4, 1000);
  cut_again_and_again(mounting_two_sizes(kTwoPlanes, 4), cuts_wanted() / 4, 0, 40);
}
/// A page counts as a whole, a deallocation of a part of it writes the rest anew.
TEST(PowerCycles, WhatWasPromisedIsThereWithMapUnits) {
  for (const bool port : {false, true})
    for (const Shape& shape : {kOnePage, kTwoPlanes, kWordLines})
      for (const std::uint32_t lpages : {1U, 2U, 4U, 8U}) {
        SCOPED_TRACE(std::string(shape.name) + ", units of " + std::to_string(lpages) + (port ? ", port" : ""));
        cut_again_and_again(mounting_units(shape, lpages, port), cuts_wanted() / 8);
        if (::testing::Test::HasFatalFailure()) return;
      }
}
TEST(PowerCycles, WhatWasPromisedIsThereWithMapUnitsWhereProgramsShareCells) {
  for (const bool port : {false, true}) {
    cut_again_and_again(mounting_units(kOnePage, 2, port, 2), cuts_wanted() / 4);
    cut_again_and_again(mounting_units(kTwoPlanes, 4, port, 3), cuts_wanted() / 4);
    if (::testing::Test::HasFatalFailure()) return;
  }
}
TEST(PowerCycles, WhatWasPromisedIsThereWithMapUnitsThoughFlashFails) {
  for (const bool port : {false, true}) {
    cut_again_and_again(mounting_units(kTwoPlanes, 4, port), cuts_wanted() / 4, 1000);
    cut_again_and_again(mounting_units(kTwoPlanes, 4, port), cuts_wanted() / 4, 0, 40);
    cut_again_and_again(mounting_units(kOnePage, 2, port, 2), cuts_wanted() / 4, 1000);
    if (::testing::Test::HasFatalFailure()) return;
  }
}
/// The host resets the controller in a shutdown, and its writes find no room while GC takes no victim.
TEST(PowerCycles, AHostThatWritesOnEndsAShutdown) {
  PowerCycles drive(mounting_boot(kOnePage, 2), 347);
  for (int cycle = 0; cycle != 12; ++cycle) ASSERT_EQ(drive.cycle(cycle == 0 ? 600 : 150), "") << "cycle " << cycle;
}
/// While data are moved for wear, after reads, for their age and for errors. Counts of reads and ages begin anew with
/// each mount, erase counts do not.
TEST(PowerCycles, WhatWasPromisedIsThereThoughDataAreMovedForOtherReasonsThanGc) {
  for (wl_boot_info boot : {mounting_boot(), mounting_boot(kWordLines), mounting_boot(kTwoPlanes, 3)}) {
    boot.ftl.upkeep = {1, 2, 60, 0, 12, 0, 100, 6, 0};
    boot.replacement.least_worn_first = 1;
    boot.blocks += 2;
    boot.gc_slots += 2U * boot.ftl.word_line_programs * boot.planes * boot.lpages_per_page * boot.pages_per_program;
    cut_again_and_again(boot, cuts_wanted() / 4);
    if (::testing::Test::HasFatalFailure()) return;
    boot.ftl.upkeep.wear_gap = 1;
    cut_again_and_again(with_checkpoints(boot, 5), cuts_wanted() / 4);
    if (::testing::Test::HasFatalFailure()) return;
  }
}
/// What shares cells with a program that fails is lost, too.
TEST(PowerCycles, WhatWasPromisedIsThereThoughProgramsFail) {
  cut_again_and_again(mounting_boot(), cuts_wanted() / 2, 1000);
  cut_again_and_again(mounting_boot(kTwoPlanes, 3), cuts_wanted() / 2, 1000);
}

/// CRC and sum of a closing record find wrong bytes; its superblock is then mounted by its pages.
TEST(PowerCycles, WhatWasPromisedIsThereThoughRecordsAreWrong) {
  std::uint64_t recorded = 0;
  for (std::uint64_t seed = 1; seed != 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    PowerCycles drive(mounting_boot(kOnePage), seed);
    drive.corrupt_records();
    for (int cycle = 0; cycle != 12; ++cycle) ASSERT_EQ(drive.cycle(cycle == 0 ? 600 : 150), "") << "cycle " << cycle;
    recorded += drive.recorded;
  }
  EXPECT_GT(recorded, 0U);
}

/// The records say the same, or the inverse of the map is made anew.
TEST(PowerCycles, WhatWasPromisedIsThereThoughCheckpointsCannotBeRead) {
  cut_again_and_again(mounting_boot(), cuts_wanted() / 2, 0, 40);
  cut_again_and_again(mounting_boot(kTwoPlanes, 3), cuts_wanted() / 2, 0, 20);
}

}  // namespace
}  // namespace wordline::testing::power_cycle_test
