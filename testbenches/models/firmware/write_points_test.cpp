// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Where units go: the orders of word lines, and a policy that uses every slot of the table: classes, units by word
// superblock, programs that it wants again, notices, memory of its own, idle work.
#include <gtest/gtest.h>

#include <set>

#include "drive.h"
#include "workload.h"

extern "C" {
#include "models/firmware/core/core.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/space.h"
}

namespace wordline::testing {
namespace {

/// What the probe saw, in the memory that it declares.
struct Seen {
  std::uint32_t reads, writes, leaders, followers, again, idle, moves;
};
Seen& seen(const wl_firmware* fw) { return *static_cast<Seen*>(rooms(*fw).policies.arena); }

constexpr std::uint32_t kFollowers = 5;  // number of their parameter set

/// Odd sectors apart from even ones, and moved ones by another bit; followers wherever there are some; every 16th
/// program is wanted again.
const wl_policy& probe() {
  static const wl_policy policy = [] {
    wl_policy p{};
    p.space.host_streams = 2;
    p.space.move_streams = 2;
    p.space.by_word_line = true;
    p.refused = WL_ENGINE_COPY | WL_ENGINE_VICTIM;
    p.lpage_bytes = 2;
    p.media.programs = true;
    p.media.read_start = [](const wl_firmware*, std::uint32_t) { return WL_RETRY_SET | 1U << WL_RETRY_STEP_SHIFT; };
    p.arena_bytes = sizeof(Seen);
    p.more_superblocks = [](const wl_boot_info* boot) { return boot->ftl.idle_after_us != 0 ? 1U : 0U; };
    p.class_of_write = [](const wl_firmware*, std::uint32_t lpn, std::uint32_t, std::uint32_t) { return lpn & 1; };
    p.class_of_move = [](const wl_firmware* fw, std::uint32_t lpn, std::uint32_t ppa) {
      EXPECT_LT(ppa / fw->geometry.superblock_lpages, rooms(*fw).space.superblocks);
      ++seen(fw).moves;
      return lpn >> 3 & 1;
    };
    p.on_write = [](wl_firmware* fw, std::uint32_t lpn, std::uint32_t count, std::uint32_t lpages) {
      EXPECT_EQ(count, 1U) << "the map unit is the sector";
      EXPECT_GE(lpages, 1U);
      ++seen(fw).writes;
      rooms(*fw).policies.lpages[2 * lpn + 1] = static_cast<std::uint8_t>(lpn);
    };
    p.on_read = [](wl_firmware* fw, std::uint32_t, std::uint32_t count, std::uint32_t) { seen(fw).reads += count; };
    p.place = [](wl_firmware* fw, std::uint32_t stream, wl_placement* at) {
      if (!wl_page_place(fw, stream, at)) return false;
      const std::uint32_t dies = fw->geometry.dies;
      for (std::uint32_t i = 0; i < dies; ++i) {
        const std::uint32_t die = (wl_superblock(fw, at->superblock)->units + i) % dies;
        at->unit = wl_cursor_follower(fw, stream, die);
        at->control = at->unit == WL_NONE ? 0 : kFollowers | WL_PROGRAM_REPORT;
        if (at->unit == WL_NONE) at->unit = wl_cursor_leader(fw, stream, die);
        if (at->unit != WL_NONE) return true;
      }
      ADD_FAILURE() << "an open superblock without a unit";
      return false;
    };
    p.programmed = [](wl_firmware* fw, std::uint32_t ppa, std::uint32_t control, const wl_program_report* report,
                      bool failed) {
      if (failed) return WL_PROGRAM_OK;
      const std::uint32_t unit = ppa % fw->geometry.superblock_lpages / fw->geometry.unit_lpages;
      const bool leads = wl_unit_leads(fw, unit);
      EXPECT_EQ(control, leads ? 0 : kFollowers | WL_PROGRAM_REPORT);
      EXPECT_EQ(report != nullptr, !leads) << "whoever asked for a report gets one";
      ++(leads ? seen(fw).leaders : seen(fw).followers);
      if ((seen(fw).leaders + seen(fw).followers) % 16 != 0) return WL_PROGRAM_OK;
      ++seen(fw).again;
      return WL_PROGRAM_AGAIN;
    };
    p.collect = wl_page_collect;
    p.victim = wl_superblock_emptiest;
    p.idle = [](wl_firmware* fw, const wl_hal*) { return ++seen(fw).idle % 4 != 0; };
    return p;
  }();
  return policy;
}

constexpr std::uint32_t kProbe = 1000;

}  // namespace
}  // namespace wordline::testing

// The linker sends the firmware's calls here (CMakeLists.txt): one row more than the drive ships.
extern "C" const wl_policy* __real_wl_policy_of(std::uint32_t number);
extern "C" const wl_policy* __wrap_wl_policy_of(std::uint32_t number);
extern "C" const wl_policy* __wrap_wl_policy_of(std::uint32_t number) {
  return number == wordline::testing::kProbe ? &wordline::testing::probe() : __real_wl_policy_of(number);
}

namespace wordline::testing {
namespace {

/// 4 h-layers of 4 word lines, a word line a unit.
wl_boot_info mixed_boot(std::uint32_t policy, std::uint32_t order) {
  wl_boot_info b = boot_of({"mixed", 2, 3, 1, {0, 0, 0}, false, false});
  b.pages = 3 * 16;
  b.layers.count = 4;
  b.layers.pages = 3 * 4;
  const std::uint32_t superblock = b.dies * b.pages * b.planes * b.lpages_per_page;
  b.user_lpages = 12 * superblock - 5;
  b.ftl.policy = policy;
  b.ftl.word_line_order = order;
  b.dram_bytes = 8 << 20;
  return b;
}

TEST(WordLineOrder, IsAPermutationThatVLayersPermit) {
  for (const std::uint32_t order : {WL_ORDER_HORIZONTAL, WL_ORDER_VERTICAL, WL_ORDER_MIXED}) {
    SCOPED_TRACE(order);
    Drive drive(mixed_boot(WL_POLICY_page_greedy, order), 1);
    const wl_firmware& fw = drive.firmware();
    std::set<std::uint32_t> placed;
    for (std::uint32_t n = 0; n < fw.geometry.superblock_units; ++n) {
      const std::uint32_t unit = wl_unit_in_order(&fw, n), dies = fw.geometry.dies;
      ASSERT_LT(unit, fw.geometry.superblock_units);
      EXPECT_EQ(unit % dies, n % dies) << "dies in turn";
      const std::uint32_t word_line = unit / dies;
      if (word_line >= 4) {
        EXPECT_EQ(placed.count(unit - 4 * dies), 1U) << "the word line below in its v-layer";
      }
      EXPECT_TRUE(placed.insert(unit).second) << n;
    }
  }
}

// cube.order.vertical: the first word lines of all layers, then the second ones, and so on.
TEST(WordLineOrder, IsWhatItsNameSays) {
  const auto word_lines = [](std::uint32_t order) {
    Drive drive(mixed_boot(WL_POLICY_page_greedy, order), 1);
    std::vector<std::uint32_t> list;
    for (std::uint32_t row = 0; row < 16; ++row)
      list.push_back(wl_unit_in_order(&drive.firmware(), row * 4) / 4);  // layer * 4 + v-layer
    return list;
  };
  EXPECT_EQ(word_lines(WL_ORDER_VERTICAL),
            (std::vector<std::uint32_t>{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}));
  EXPECT_EQ(word_lines(WL_ORDER_MIXED),
            (std::vector<std::uint32_t>{0, 4, 8, 12, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15}));
}

class Orders : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Orders, KeepEverything) {
  const wl_boot_info boot = mixed_boot(WL_POLICY_page_greedy, GetParam());
  Drive drive(boot, 3);
  drive.nand().mixed = true;
  stress(drive, boot, kEverything, 2.0);
  read_everything(drive, boot);
  drive.settle();
  EXPECT_GT(drive.statistics().gc_superblocks, 0U);
  expect_consistent(drive);
}

INSTANTIATE_TEST_SUITE_P(All, Orders, ::testing::Values(WL_ORDER_HORIZONTAL, WL_ORDER_VERTICAL, WL_ORDER_MIXED));

TEST(EverySlot, IsAskedAndTheDriveKeepsItsData) {
  wl_boot_info boot = mixed_boot(kProbe, WL_ORDER_HORIZONTAL);
  boot.ftl.idle_after_us = 100;
  Drive drive(boot, 4);
  drive.nand().mixed = true;
  stress(drive, boot, kEverything, 3.0);
  read_everything(drive, boot);
  drive.settle();
  expect_consistent(drive);
  const Seen& s = seen(&drive.firmware());
  EXPECT_EQ(rooms(drive.firmware()).space.plan.more_superblocks, 1U);
  EXPECT_GT(s.writes, 2 * boot.user_lpages);
  EXPECT_GT(s.reads, boot.user_lpages / 2);
  EXPECT_GT(drive.nand().led_reads, s.reads / 64) << "jobs of up to a page";
  EXPECT_GT(s.moves, 0U);
  EXPECT_GT(s.again, 10U);
  EXPECT_EQ(drive.statistics().programs.repeated_lpages,
            std::uint64_t{s.again} * drive.firmware().geometry.unit_lpages);
  EXPECT_GT(s.followers, 2 * s.leaders) << "three of four word lines";
  EXPECT_EQ(drive.nand().set_programs, s.followers);
  EXPECT_EQ(drive.nand().programmed_lpages,
            drive.statistics().lpages_programmed + drive.statistics().programs.repeated_lpages);
  for (std::uint32_t lpn = 0; lpn < boot.user_lpages; ++lpn)
    EXPECT_EQ(rooms(drive.firmware()).policies.lpages[2 * lpn], 0) << "memory beside its own";
}

// No two classes share a superblock.
TEST(EverySlot, ClassesLieApart) {
  const wl_boot_info boot = mixed_boot(kProbe, WL_ORDER_HORIZONTAL);
  Drive drive(boot, 5);
  drive.nand().mixed = true;
  stress(drive, boot, kWholeSectors, 2.0);
  drive.settle();
  const wl_firmware& fw = drive.firmware();
  std::map<std::uint32_t, std::set<std::uint32_t>> classes, moved;
  for (std::uint32_t lpn = 0; lpn < boot.user_lpages; ++lpn) {
    const std::uint32_t value = rooms(fw).map.l2p[lpn];
    if (value < WL_MAP_PPA0 || value >= WL_MAP_BUFFER) continue;
    const std::uint32_t superblock = (value - WL_MAP_PPA0) / fw.geometry.superblock_lpages;
    classes[superblock].insert(lpn & 1);
    moved[superblock].insert(lpn >> 3 & 1);
  }
  EXPECT_GT(classes.size(), 8U);
  for (const auto& [superblock, which] : classes)
    EXPECT_TRUE(which.size() == 1 || moved[superblock].size() == 1) << "superblock " << superblock;
}

TEST(Idle, BeginsAfterOneToTwoTimesEndsWithACommandAndComesAgain) {
  wl_boot_info boot = mixed_boot(kProbe, WL_ORDER_HORIZONTAL);
  boot.ftl.idle_after_us = 100;
  Drive drive(boot, 6);
  drive.nand().mixed = true;
  const Seen& s = seen(&drive.firmware());
  const auto pass = [&drive](std::uint32_t us) {
    drive.pass(us);
    drive.settle();
  };
  pass(10000);
  EXPECT_EQ(s.idle, 0U) << "no command yet: nothing to be idle after";
  for (int round = 1; round <= 3; ++round) {
    drive.run(write_of(0, 8));
    drive.settle();
    const std::uint32_t before = s.idle;
    pass(99);
    EXPECT_EQ(s.idle, before);
    pass(1);  // the timer: a command has come since it began
    EXPECT_EQ(s.idle, before);
    pass(99);
    EXPECT_EQ(s.idle, before);
    pass(1);
    EXPECT_EQ(s.idle, before + 4) << "pieces, until there is no more";
    pass(1000);
    EXPECT_EQ(s.idle, before + 4) << "no timer runs";
  }
  // Commands that keep coming put it off.
  const std::uint32_t before = s.idle;
  for (int i = 0; i < 50; ++i) {
    drive.run(write_of(0, 8));
    drive.settle();
    pass(60);
  }
  EXPECT_EQ(s.idle, before);
}

TEST(Idle, CollectsUntilSoManySuperblocksAreFree) {
  wl_boot_info boot = boot_of(kSimple);
  boot.ftl.idle_after_us = 50;
  boot.ftl.idle_free_superblocks = 6;
  boot.user_lpages -= 64;  // else nothing more is to be won
  Drive drive(boot, 7);
  stress(drive, boot, kWholeSectors, 2.0);
  drive.settle();
  const std::uint32_t busy = drive.statistics().free_superblocks;
  EXPECT_LT(busy, 6U);
  for (int i = 0; i < 3; ++i) {
    drive.pass(50);
    drive.settle();
  }
  EXPECT_GE(drive.statistics().free_superblocks, 6U);
  read_everything(drive, boot);
  drive.settle();
  expect_consistent(drive);
}

}  // namespace
}  // namespace wordline::testing
