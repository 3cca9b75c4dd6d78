// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Host writes and GC keep step: copies between two programs of the host, superblocks under way, and
// what goes on without a host.
#include <gtest/gtest.h>

#include <algorithm>

#include "drive.h"
#include "workload.h"

extern "C" {
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/pace.h"
}

namespace wordline::testing::pacing_test {
namespace {

/// 64 superblocks of 512 sectors, of which 54 are exported: more than five copies for each sector that the host writes.
wl_boot_info large(bool pacing, std::uint32_t engines, std::uint32_t policy = 0) {
  wl_boot_info b = boot_of({"pacing", 1, 1, 1, {0, 0, 0}, true, true});
  b.blocks = 64;
  b.pages = 64;
  // Ten more than are exported, two of them open: a policy that keeps more of them open gets these beside.
  const wl_declared declared = wl_policy_declares(policy);
  b.user_lpages = (56 - declared.host_streams - declared.move_streams) * b.dies * b.pages * b.lpages_per_page;
  b.write_slots = 32;
  b.gc_slots = 16;
  b.ftl.gc_pacing = pacing ? 1 : 0;
  b.gc_start_superblocks = declared.host_streams > 1 ? 4 : 3;  // several of the host's may end at the same time
  b.engines |= engines;
  b.ftl.policy = policy;
  b.dram_bytes = 4 << 20;
  set_layers(b);
  return b;
}

/// Random overwrites; counts GC's programs between two of the host's.
struct Overwrites {
  explicit Overwrites(const wl_boot_info& boot, std::uint64_t seed = 51) : info(boot), drive(boot, seed) {
    drive.nand().faults.program_fail = [this](const wl_flash_job& job, std::uint32_t) {
      between = job.priority == WL_PRIORITY_GC ? between + 1 : 0;
      longest = std::max(longest, between);
      return false;
    };
  }
  void write(double times) {
    for (auto n = static_cast<std::uint64_t>(times * info.user_lpages); n != 0; --n) {
      while (!drive.has_tag()) drive.step();
      drive.submit(write_of(drive.random() % info.user_lpages * 8, 8));
      leaving = std::max(leaving, rooms(drive.firmware()).space.region[0].leaving.superblocks);
    }
  }
  wl_boot_info info;
  Drive drive;
  std::uint32_t between = 0, longest = 0, leaving = 0;
};

class Pacing : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Pacing, NeverStopsTheHostForASuperblock) {
  for (std::uint32_t policy = 0; policy != WL_POLICIES; ++policy) {
    if (wl_policy_declares(policy).small_pages) continue;  // it has no pacing
    SCOPED_TRACE(policy);
    Overwrites paced(large(true, GetParam(), policy));
    paced.write(0.5);
    paced.longest = 0;
    paced.write(1.0);
    const std::uint32_t superblock = paced.drive.firmware().geometry.superblock_units;
    // Two open superblocks of the host may end at about the same time.
    const bool alone = wl_policy_declares(policy).host_streams == 1;
    EXPECT_LT(paced.longest, alone ? superblock / 4 : superblock)
        << "programs of GC in a row; a superblock has " << superblock;
  }
}

TEST_P(Pacing, IsWhatKeepsStep) {
  Overwrites unpaced(large(false, GetParam()));
  unpaced.write(1.5);
  EXPECT_GT(unpaced.longest, unpaced.drive.firmware().geometry.superblock_units);
}

TEST_P(Pacing, WritesNoMoreThanWithoutIt) {
  const auto copies = [](bool pacing) {
    Overwrites run(large(pacing, GetParam()));
    run.write(3);
    return static_cast<double>(run.drive.statistics().gc_lpages_copied);
  };
  EXPECT_LT(copies(true), 1.06 * copies(false));  // it holds room of three superblocks of the ten to spare
}

TEST_P(Pacing, GoesOnWhileTheHostIsIdle) {
  Overwrites run(large(true, GetParam()));
  run.write(1);
  run.drive.drain();
  run.drive.settle();
  const wl_firmware& fw = run.drive.firmware();
  EXPECT_GE(wl_pace_room(&fw), wl_pace_target(&fw));
  EXPECT_LT(wl_pace_room(&fw), wl_pace_target(&fw) + fw.kind[0].superblock_lpages) << "and no further";
}

INSTANTIATE_TEST_SUITE_P(Engines, Pacing, ::testing::Values(0U, static_cast<std::uint32_t>(WL_ENGINE_GC)),
                         [](const auto& param) { return param.param == 0 ? "none" : "scan"; });

/// Superblocks of 4 GiB, as drives of a hundred dies have: products of logical pages do not fit 32 bits there. Three
/// are held as room: one is free, half of the host's is left, all of GC's, and half of the victim is copied.
struct Counter {
  static constexpr std::uint32_t kUnit = 64, kSuperblock = 1U << 20, kValid = kSuperblock / 4 * 3;
  Counter() {
    fw.boot.ftl.gc_pacing = 1;
    fw.boot.ftl.pace = {32, 128};
    fw.geometry.dies = 256;
    fw.geometry.unit_lpages = kUnit;
    fw.geometry.superblock_lpages = kSuperblock;
    fw.geometry.superblock_units = kSuperblock / kUnit;
    fw.kind[0] = {0, 4, kUnit, kUnit, kSuperblock / kUnit, kSuperblock};
    fw.kind[1].first_superblock = WL_NONE;
    wl_space& space = all.space;
    space.superblock = superblocks;
    space.superblocks = 4;
    space.plan = {1, 1, false, false, false, false, 0, 0, 0, 0, 0, 0};
    space.region[0].reserve_superblocks = space.region[0].free_superblocks = 1;
    space.region[0].start_superblocks = 3;
    space.region[0].leaving.superblocks = 1;
    space.next_superblock = WL_NONE;
    space.open_superblock[WL_STREAM_HOST] = 0;
    space.open_superblock[WL_STREAM_GC] = 1;
    superblocks[0].next = superblocks[1].next = WL_NONE;
    superblocks[0].units = fw.geometry.superblock_units / 2;
    superblocks[2].valid = kValid;
    wl_pace_boot(&fw);
    wl_pace_victim_taken(&fw, static_cast<wl_superblock_t>(2), true);
    space.pace.emptied = std::uint64_t{kSuperblock / 2} << 8;
  }
  /// Copies that a unit of the host owes.
  double owes() {
    const std::int32_t before = all.space.pace.owed;
    wl_pace_host_placed(&fw);
    return (all.space.pace.owed - before) / 256.0;
  }
  wl_rooms all{};
  wl_firmware& fw = all.firmware;
  struct wl_superblock superblocks[4] = {};
};

TEST(PaceCounter, OwesWhatWinsAUnitBackAndMoreWithLessRoom) {
  Counter c;
  EXPECT_EQ(wl_pace_room(&c.fw), 3 * Counter::kSuperblock);
  EXPECT_EQ(wl_pace_target(&c.fw), 3 * Counter::kSuperblock);
  EXPECT_NEAR(c.owes(), 3 * Counter::kUnit, 1);
  c.superblocks[1].units = c.fw.geometry.superblock_units;  // a superblock less: by half more
  EXPECT_NEAR(c.owes(), 1.5 * 3 * Counter::kUnit, 1);
  c.superblocks[1].units = 0;
  c.all.space.region[0].free_superblocks = 3;  // two more: nothing
  EXPECT_NEAR(c.owes(), 0, 1);
  // A victim that is all but full: what no die ever copies is owed, and nothing wraps.
  c.all.space.region[0].free_superblocks = 1;
  c.superblocks[2].valid = Counter::kSuperblock - 1;
  wl_pace_victim_taken(&c.fw, static_cast<wl_superblock_t>(2), true);
  for (int i = 0; i != 64; ++i) EXPECT_GE(c.owes(), 0);
  EXPECT_FALSE(wl_pace_places(&c.fw));
}

TEST(PaceCounter, LocksTheHostAtTheLeadAndGcAtNothing) {
  Counter c;
  EXPECT_FALSE(wl_pace_copies(&c.fw)) << "none are owed";
  constexpr double kLead = 2.0 * 256 * Counter::kUnit;
  double owed = 0;
  while (wl_pace_places(&c.fw)) owed += c.owes();
  EXPECT_GT(owed, kLead);
  EXPECT_LT(owed, kLead + 3 * Counter::kUnit + 2) << "a unit at most above the lead";
  EXPECT_TRUE(wl_pace_copies(&c.fw));
  wl_pace_copies_taken(&c.fw, 3 * Counter::kUnit);
  EXPECT_TRUE(wl_pace_places(&c.fw));
  for (; wl_pace_copies(&c.fw); owed -= Counter::kUnit) wl_pace_copies_taken(&c.fw, Counter::kUnit);
  EXPECT_NEAR(owed, 3 * Counter::kUnit, Counter::kUnit + 1) << "what was taken before this loop";
}

// The reserve is GC's: with the last free superblock, and the host at the end of its own, GC owes without being asked.
TEST(PaceCounter, StopsTheHostAtTheReserve) {
  Counter c;
  const std::uint32_t units = c.fw.geometry.superblock_units;
  c.superblocks[0].units = units - units / 16 - 1;
  EXPECT_TRUE(wl_pace_places(&c.fw));
  EXPECT_FALSE(wl_pace_copies(&c.fw));
  c.superblocks[0].units = units - units / 16;
  EXPECT_FALSE(wl_pace_places(&c.fw));
  EXPECT_TRUE(wl_pace_copies(&c.fw));
  c.all.space.region[0].free_superblocks = 2;
  EXPECT_TRUE(wl_pace_places(&c.fw));
}

// Enough will be free once the last victim is drained: GC rests, and the host, locked by its debt, goes on.
TEST(PaceCounter, NothingIsOwedToAGcThatRests) {
  Counter c;
  while (wl_pace_places(&c.fw)) wl_pace_host_placed(&c.fw);
  wl_pace_gc_rests(&c.fw);
  EXPECT_FALSE(wl_pace_places(&c.fw)) << "it has a victim";
  EXPECT_EQ(wl_kicked(&c.fw) & WL_STEP_PLACE, 0U);
  c.all.space.region[0].leaving.draining = 1;
  c.all.space.region[0].free_superblocks = 3;
  wl_pace_gc_rests(&c.fw);
  EXPECT_TRUE(wl_pace_places(&c.fw));
  EXPECT_NE(wl_kicked(&c.fw) & WL_STEP_PLACE, 0U);
}

// Idle time is used until there is as much room as is held, and what is copied then is paid for.
TEST(PaceCounter, AnIdleHostIsPaidFor) {
  Counter c;
  EXPECT_FALSE(wl_pace_copies(&c.fw));
  wl_pace_host_idle(&c.fw);
  EXPECT_FALSE(wl_pace_copies(&c.fw)) << "there is room enough";
  c.superblocks[0].units += 1;
  wl_pace_host_idle(&c.fw);
  EXPECT_TRUE(wl_pace_copies(&c.fw));
  wl_pace_copies_taken(&c.fw, Counter::kUnit);
  EXPECT_FALSE(wl_pace_copies(&c.fw)) << "a unit at a time";
  EXPECT_EQ(c.all.space.pace.owed, -static_cast<std::int32_t>(Counter::kUnit * 256));
}

// A read behind more writes than the buffer takes: how many of them are in flight when it ends, on average.
TEST(WhoWaits, WritesAloneOrReadsToo) {
  const auto writes_in_flight = [](bool both) {
    wl_boot_info boot = large(true, 0);
    boot.ftl.reads_wait = both ? 1 : 0;
    boot.host_tags = 512;  // sixteen times as many as the buffer takes
    Drive drive(boot, 7);
    double left = 0;
    constexpr int kRounds = 40;
    for (int round = 0; round != kRounds; ++round) {
      for (std::uint32_t i = 0; i + 1 != boot.host_tags; ++i)
        drive.submit(write_of(drive.random() % boot.user_lpages * 8, 8));
      const std::uint64_t before = drive.reads_checked;
      drive.submit(read_of(drive.random() % boot.user_lpages * 8, 8));
      while (drive.reads_checked == before) drive.step();
      left += drive.in_flight();
      drive.drain();
    }
    EXPECT_TRUE(drive.errors.empty());
    return left / kRounds / boot.host_tags;
  };
  const double waiting = writes_in_flight(false), served = writes_in_flight(true);
  EXPECT_GT(waiting, 0.2);
  EXPECT_LT(served, 32.0 / 512 + 0.02) << "those in the buffer" << waiting;
}

// A larger buffer of GC must not have it take up more superblocks than its copies need.
TEST(GcBuffer, HoldsNoMoreSuperblocksWhenItIsLarge) {
  wl_boot_info boot = large(true, 0);
  Overwrites small(boot);
  small.write(3);
  boot.gc_slots = 4096;  // eight superblocks
  Overwrites huge(boot);
  huge.write(3);
  EXPECT_LE(huge.leaving, 3U);
  EXPECT_LT(static_cast<double>(huge.drive.statistics().gc_lpages_copied),
            1.05 * static_cast<double>(small.drive.statistics().gc_lpages_copied));
}

}  // namespace
}  // namespace wordline::testing::pacing_test
