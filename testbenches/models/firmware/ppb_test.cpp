// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The policy ppb (Chen et al., DAC 2017): which superblocks it opens, where data of each level go, what that does to
// reads. The ids in the comments are those of the paper's statements in the list of figures that docs/ppb.md answers;
// levels are in ppb_levels_test.cpp, whole drives in ppb_share_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "drive.h"
#include "ppb_boot.h"
#include "workload.h"

extern "C" {
#include "models/firmware/policy/policy.h"
#include "models/firmware/policy/ppb_classes.h"
#include "models/firmware/policy/ppb_levels.h"
#include "models/firmware/space/space.h"
}

namespace wordline::testing::ppb_test {
namespace {

/// Units placed by hand in a drive in which nothing runs.
class Placing {
 public:
  explicit Placing(const wl_boot_info& boot) : drive_(boot, 1), fw_(const_cast<wl_firmware&>(drive_.firmware())) {}
  struct At {
    std::uint32_t superblock, unit;
  };
  At put(std::uint32_t stream) {
    wl_placement at{};
    EXPECT_TRUE(fw_.policy->place(&fw_, stream, &at));
    const std::uint32_t ppa = wl_superblock_place_unit(&fw_, stream, at.superblock, at.unit);
    wl_superblock_program_done(&fw_, at.superblock, 0);
    return {ppa / fw_.geometry.superblock_lpages, ppa % fw_.geometry.superblock_lpages / fw_.geometry.unit_lpages};
  }
  /// So many units; the superblock that takes them, which has to be one.
  std::uint32_t fill(std::uint32_t stream, std::uint32_t units) {
    std::set<std::uint32_t> superblocks;
    for (; units != 0; --units) superblocks.insert(put(stream).superblock);
    EXPECT_EQ(superblocks.size(), 1U);
    return *superblocks.begin();
  }
  void fail(std::uint32_t superblock) { wl_superblock_failed(&fw_, superblock, 0, 1); }
  [[nodiscard]] const struct wl_superblock& superblock(std::uint32_t number) const {
    return rooms(fw_).space.superblock[number];
  }

 private:
  Drive drive_;
  wl_firmware& fw_;
};
constexpr std::uint32_t kHalf = 16;  // units

// ppb.vb.example.fig8, ppb.vb.split, ppb.vb.numbering, ppb.vb.use_hot, ppb.vb.use_cold, ppb.vb.life.free,
// ppb.vb.life.fast, ppb.vb.life.gc, ppb.vb.fast_after_slow, ppb.vb.lists, ppb.phys.write_order: a superblock is opened
// for slow data; its fast half is for fast data of the same area, once the slow one is full. ppb.vb.free_order: by
// block number in a fresh drive, then whichever has been free longest.
TEST(PpbPlaces, ASuperblockIsHotThenIronHot) {
  for (const std::uint32_t slow : {WL_PPB_HOT, WL_PPB_ICY_COLD}) {
    const std::uint32_t fast = slow | WL_PPB_FAST;
    Placing p(ppb_boot(1));
    const std::uint32_t first = p.fill(slow, kHalf);
    EXPECT_EQ(first, 0U);
    const Placing::At iron = p.put(fast);
    EXPECT_EQ(iron.superblock, first);
    EXPECT_EQ(iron.unit, kHalf);
    const std::uint32_t second = p.fill(slow, kHalf - 1);
    EXPECT_EQ(second, 1U);
    EXPECT_EQ(p.fill(fast, kHalf - 1), first) << "virtual block 3 waits until virtual block 2 is full";
    EXPECT_EQ(p.superblock(first).state, WL_SUPERBLOCK_CLOSED);
    EXPECT_EQ(p.put(slow).superblock, second);
    EXPECT_EQ(p.put(fast).unit, kHalf);
  }
}

// ppb.vb.same_area: four open superblocks of two areas, of the host and of moved data; none is shared.
TEST(PpbPlaces, AreasShareNoSuperblock) {
  Placing p(ppb_boot(1));
  std::map<std::uint32_t, std::set<std::uint32_t>> areas;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto stream = static_cast<std::uint32_t>(keyed_hash(3, i) % WL_STREAMS);
    areas[p.put(stream).superblock].insert(stream / 2);
  }
  EXPECT_GT(areas.size(), 50U);
  for (const auto& [superblock, of] : areas) EXPECT_EQ(of.size(), 1U) << superblock;
}

// ppb.alg1.iron.both_full, ppb.alg1.iron.full, ppb.alg1.no_fast_alloc: without fast pages, iron-hot data go to slow
// ones, of a superblock that is opened for hot data if there is none.
TEST(PpbPlaces, IronHotDataTakeWhatThereIs) {
  Placing p(ppb_boot(1));
  const Placing::At at = p.put(WL_PPB_IRON_HOT);
  EXPECT_EQ(at.unit, 0U);
  EXPECT_EQ(p.put(WL_PPB_HOT).superblock, at.superblock);
  EXPECT_EQ(p.put(WL_PPB_IRON_HOT).unit, 2U);
}

// ppb.guard.hot, ppb.guard.divert, ppb.alg1.hot.full, ppb.alg1.hot.both_full, ppb.cold.guard as printed: no superblock
// is opened while the area has one with free pages.
TEST(PpbPlaces, AsPrintedAnAreaHasOneOpenSuperblock) {
  for (const std::uint32_t slow : {WL_PPB_HOT, WL_PPB_ICY_COLD}) {
    Placing p(ppb_boot(0));
    const std::uint32_t first = p.fill(slow, kHalf + 1);
    EXPECT_EQ(p.fill(slow | WL_PPB_FAST, kHalf - 2), first);
    EXPECT_EQ(p.put(slow).superblock, first);
    EXPECT_NE(p.put(slow).superblock, first);
  }
}

// ppb.guard.purpose with one half full superblock: a second one is opened for hot data, no third.
TEST(PpbPlaces, AtMostTwoAreOpenWhenOneMayBeHalfFull) {
  Placing p(ppb_boot(1));
  const std::uint32_t first = p.fill(WL_PPB_HOT, kHalf);
  const std::uint32_t second = p.fill(WL_PPB_HOT, kHalf);
  EXPECT_NE(first, second);
  EXPECT_EQ(p.fill(WL_PPB_HOT, kHalf), first) << "both are half full: the older one";
  EXPECT_EQ(p.superblock(first).state, WL_SUPERBLOCK_CLOSED);
  EXPECT_EQ(p.put(WL_PPB_IRON_HOT).superblock, second);
  const std::uint32_t third = p.put(WL_PPB_HOT).superblock;
  EXPECT_NE(third, second);
  EXPECT_NE(third, first);
}

// ppb.guard.purpose with more of them: these are the ones that fast data fill, the oldest first, and slow data when one
// more is half full than are allowed.
TEST(PpbPlaces, SoManyAsAreAllowedWaitHalfFullForFastData) {
  for (const std::uint8_t allowed : {2, 3, 4}) {
    for (const std::uint32_t slow : {std::uint32_t{WL_PPB_HOT}, std::uint32_t{WL_STREAM_GC + WL_PPB_ICY_COLD}}) {
      SCOPED_TRACE(::testing::Message() << int{allowed} << ", stream " << slow);
      const std::uint32_t fast = slow | WL_PPB_FAST;
      Placing p(ppb_boot(allowed));
      std::vector<std::uint32_t> opened;
      for (int i = 0; i <= allowed; ++i) opened.push_back(p.fill(slow, kHalf));
      EXPECT_EQ(std::set<std::uint32_t>(opened.begin(), opened.end()).size(), opened.size()) << "each is a new one";
      EXPECT_EQ(p.fill(slow, kHalf), opened[0]) << "one more than allowed is half full: the oldest";
      EXPECT_EQ(p.superblock(opened[0]).state, WL_SUPERBLOCK_CLOSED);
      EXPECT_EQ(p.put(fast).superblock, opened[1]);
      EXPECT_EQ(std::count(opened.begin(), opened.end(), p.put(slow).superblock), 0) << "so many are allowed again";
      EXPECT_EQ(p.fill(fast, kHalf - 1), opened[1]);
      for (int i = 2; i <= allowed; ++i) EXPECT_EQ(p.fill(fast, kHalf), opened[i]);
      EXPECT_EQ(p.put(fast).unit, 1U) << "no fast page is left";
    }
  }
}

// With more virtual blocks, of several half full superblocks slow data take the one that is in the slowest pages.
TEST(PpbPlaces, SlowDataTakeTheSlowestOfSeveral) {
  Placing p(ppb_boot(2, 4));
  const std::uint32_t first = p.fill(WL_PPB_HOT, 8), second = p.fill(WL_PPB_HOT, 8), third = p.fill(WL_PPB_HOT, 8);
  EXPECT_EQ(p.fill(WL_PPB_IRON_HOT, 8), first) << "virtual block 1";
  EXPECT_EQ(p.fill(WL_PPB_HOT, 8), second) << "virtual block 1, as the third, but older";
  EXPECT_EQ(p.fill(WL_PPB_HOT, 8), third);
  EXPECT_EQ(p.put(WL_PPB_HOT).superblock, first) << "all three are in virtual block 2";
}

// A superblock that a program fails in is closed, wherever it stands; the others keep their order.
TEST(PpbPlaces, AHalfFullSuperblockThatFailsIsClosedAlone) {
  for (std::size_t failing = 0; failing < 3; ++failing) {
    Placing p(ppb_boot(3));
    std::vector<std::uint32_t> half;
    for (int i = 0; i < 3; ++i) half.push_back(p.fill(WL_PPB_HOT, kHalf));
    EXPECT_EQ(p.put(WL_PPB_IRON_HOT).superblock, half[0]);
    p.fail(half[failing]);
    EXPECT_EQ(p.superblock(half[failing]).state, WL_SUPERBLOCK_CLOSED);
    half.erase(half.begin() + static_cast<std::ptrdiff_t>(failing));
    EXPECT_EQ(p.fill(WL_PPB_IRON_HOT, kHalf - (failing == 0 ? 0 : 1)), half[0]);
    EXPECT_EQ(p.fill(WL_PPB_IRON_HOT, kHalf), half[1]);
  }
}

// Four virtual blocks: slow data take the slowest that is open, fast data the fastest.
TEST(PpbPlaces, OfFourVirtualBlocksTheExtremesAreTaken) {
  Placing p(ppb_boot(1, 4));
  const std::uint32_t first = p.fill(WL_PPB_HOT, 8);
  const std::uint32_t second = p.fill(WL_PPB_HOT, 8);
  EXPECT_NE(first, second);
  EXPECT_EQ(p.fill(WL_PPB_IRON_HOT, 9), first) << "virtual block 1, and one unit of 2";
  EXPECT_EQ(p.fill(WL_PPB_HOT, 8), second) << "virtual block 1";
  EXPECT_EQ(p.put(WL_PPB_HOT).superblock, first) << "both are in virtual block 2";
}

// Virtual blocks of unequal size: borders lie between h-layers.
TEST(PpbPlaces, ABorderLiesBetweenLayers) {
  wl_boot_info boot = ppb_boot(1, 3);
  boot.pages = 24;
  boot.layers.pages = 3;
  Placing p(boot);  // 8 layers of 12 units: 2, 3 and 3
  const std::uint32_t first = p.fill(WL_PPB_HOT, 2 * 12);
  EXPECT_NE(p.put(WL_PPB_HOT).superblock, first);
  EXPECT_EQ(p.fill(WL_PPB_IRON_HOT, 6 * 12), first);
  EXPECT_EQ(p.superblock(first).state, WL_SUPERBLOCK_CLOSED);
}

// ppb.hot.promote_no_move, ppb.cold.progressive, ppb.class.moves, ppb.cause.no_extra_writes: what is read changes its
// level, and nothing is programmed; beside the host's data and those that GC copies, nothing ever is.
TEST(Ppb, ReadsMoveNothing) {
  const wl_boot_info boot = ppb_boot(1);
  Drive drive(boot, 5);
  for (std::uint32_t lpn = 0; lpn < 1000; ++lpn) drive.run(write_of(lpn * 8, 8));
  drive.settle();
  const struct wl_firmware_statistics before = drive.statistics();
  for (int round = 0; round < 5; ++round)
    for (std::uint32_t lpn = 0; lpn < 1000; lpn += 4) drive.run(read_of(lpn * 8, 8));
  drive.settle();
  const auto& entries = *static_cast<const wl_ppb_levels*>(rooms(drive.firmware()).policies.arena);
  EXPECT_EQ(entries.list[WL_PPB_IRON_HOT].length, 250U);
  EXPECT_EQ(drive.statistics().lpages_programmed, before.lpages_programmed);
  stress(drive, boot, kWholeSectors, 3.0);
  drive.settle();
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_GT(s.gc_lpages_copied, 0U);
  EXPECT_EQ(s.lpages_programmed, s.data_lpages + s.gc_lpages_copied + s.pad_lpages);
  expect_consistent(drive);
}

// Four levels of moved data gather in a unit each; of these two are programmed at a time on one die, as with one level:
// the host's programs wait for no more of them.
TEST(Ppb, NoMoreCopiesAreProgrammedAtATimeThanWithOneClass) {
  wl_boot_info boot = ppb_boot(1);
  boot.channels = boot.dies = 1;
  boot.user_lpages /= 4;
  policy_keys(boot).ppb.hot_units = policy_keys(boot).ppb.iron_hot_units = boot.user_lpages / 4;
  Drive drive(boot, 7);
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < 3 * boot.user_lpages; ++i) {
    while (!drive.has_tag()) drive.step();
    drive.submit(write_of(drive.random() % boot.user_lpages * 8, 8));
    most = std::max(most, rooms(drive.firmware()).buffer.gc_programs);
  }
  drive.settle();
  EXPECT_GT(drive.statistics().gc_superblocks, 0U);
  EXPECT_EQ(rooms(drive.firmware()).buffer.gc_units, 4U);
  EXPECT_EQ(most, 2U);
  EXPECT_EQ(rooms(drive.firmware()).buffer.gc_programs, 0U);
}

// ppb.first_stage.any: all hot, all cold, by size.
TEST(Ppb, KeepsEverythingWhateverTheFirstStageSays) {
  for (const std::uint16_t hot_lpages : {0, 2, 512}) {
    wl_boot_info boot = ppb_boot(1);
    boot.blocks = 40;
    boot.user_lpages = 26 * 64 - 5;
    policy_keys(boot).ppb = {2, 1, hot_lpages, boot.user_lpages / 4, boot.user_lpages / 8, 0, 128, 4, 1000};
    Drive drive(boot, 6);
    stress(drive, boot, kEverything, 3.0);
    read_everything(drive, boot);
    drive.settle();
    EXPECT_GT(drive.statistics().gc_superblocks, 0U);
    expect_consistent(drive);
  }
}

// With any number of half-full superblocks and either form of the table, on as few superblocks as hold the sectors,
// with programs that fail, natively and on the modelled core.
TEST(Ppb, KeepsEverythingOnAsFewSuperblocksAsItNeeds) {
  for (const std::uint8_t allowed : {0, 1, 2, 4}) {
    for (const std::uint8_t bounded : {0, 1}) {
      for (const char* image : {"", WORDLINE_FIRMWARE_IMAGE}) {
        SCOPED_TRACE(::testing::Message() << int{allowed} << ", bounded " << int{bounded} << ", image " << image);
        wl_boot_info boot = ppb_boot(allowed, allowed == 2 ? 4 : 2);
        const std::uint32_t open = wl_open_superblocks(&boot);
        EXPECT_EQ(open, 4U * (1 + std::max<std::uint32_t>(allowed, 1)));
        boot.user_lpages = 26 * 64 - 5;
        boot.blocks = 26 + boot.gc_start_superblocks + open + 3;  // three may be retired
        if (image[0] != 0) boot.tcm_bytes = WL_TCM_SIZE;
        policy_keys(boot).ppb.bounded_table = bounded;
        policy_keys(boot).ppb.hot_units = boot.user_lpages / 4;
        policy_keys(boot).ppb.iron_hot_units = boot.user_lpages / 8;
        Drive drive(boot, 6, image);
        drive.nand().faults.program_fail = [&drive](const wl_flash_job&, std::uint32_t) {
          return drive.nand().failures < 3 && drive.random() % 200 == 0;
        };
        stress(drive, boot, kEverything, image[0] == 0 ? 4.0 : 2.0);
        read_everything(drive, boot);
        drive.settle();
        EXPECT_TRUE(drive.errors.empty());
        EXPECT_EQ(drive.nand().failures, 3U);
        EXPECT_GT(drive.statistics().gc_superblocks, 0U);
        if (image[0] == 0) expect_consistent(drive);
      }
    }
  }
}

// ftl.ppb.two_above: how a superblock is cut is decided when it is opened, by how much is valid then; nothing is lost.
// A drive on which a few sectors are written over and over has few free superblocks, too.
TEST(Ppb, SuperblocksThatAreOpenedWhileMuchIsValidAreCutInTwo) {
  for (const bool full : {false, true}) {
    wl_boot_info boot = ppb_boot(1, 4);
    boot.user_lpages = 26 * 64 - 5;
    boot.blocks = 60;
    policy_keys(boot).ppb.hot_units = boot.user_lpages / 4;
    policy_keys(boot).ppb.iron_hot_units = boot.user_lpages / 8;
    policy_keys(boot).ppb.two_above_permille = 300;
    Drive drive(boot, 6);
    const wl_firmware& fw = drive.firmware();
    if (full) {
      stress(drive, boot, kEverything, 4.0);
    } else {
      for (std::uint32_t i = 0; i != 4 * boot.user_lpages; ++i) {
        while (!drive.has_tag()) drive.step();
        drive.submit(write_of(drive.random() % 64 * 8, 8));
      }
    }
    drive.settle();
    EXPECT_LT(wl_superblocks_free(&fw), 20U) << "GC begins when few are";
    std::uint32_t open = 0;
    for (std::uint32_t stream = WL_STREAM_HOST; stream != WL_STREAM_HOST + WL_PPB_LEVELS; ++stream) {
      const std::uint32_t superblock = wl_superblock_opened(&fw, stream);
      if (superblock == WL_NONE) continue;
      ++open;
      EXPECT_EQ((rooms(fw).policies.ppb->in_two[superblock / 8] >> superblock % 8 & 1) != 0, full)
          << "of stream " << stream;
      const std::uint32_t* end = full ? rooms(fw).policies.ppb->end_of_two : rooms(fw).policies.ppb->end;
      EXPECT_NE(std::find(end, end + (full ? 2 : 4), wl_ppb_end(&fw, superblock)), end + (full ? 2 : 4));
    }
    EXPECT_GT(open, 0U);
    if (!full) continue;
    read_everything(drive, boot);
    drive.settle();
    expect_consistent(drive);
  }
}

// ppb.phys.mixed_block_harm: with all data in one area, those that are written often lie in the slow half of a
// superblock and those that are only read in its fast half. More is copied than with areas apart, of each victim too.
TEST(Ppb, HotAndColdDataInOneSuperblockMakeMoreCopies) {
  struct Collected {
    double lpages, victims;
  };
  const auto collected = [](std::uint16_t hot_lpages) -> Collected {
    wl_boot_info boot = ppb_boot(1);
    policy_keys(boot).ppb.hot_lpages = hot_lpages;
    Drive drive(boot, 3);
    const auto submit = [&](const Command& command) {
      while (!drive.has_tag()) drive.step();
      drive.submit(command);
    };
    const std::uint32_t hot = boot.user_lpages / 8, cold = boot.user_lpages - hot;
    for (std::uint32_t lpn = 0; lpn + 16 < boot.user_lpages; lpn += 16) submit(write_of(lpn * 8, 16 * 8));
    struct wl_firmware_statistics before {};
    for (std::uint32_t i = 0; i < 3 * boot.user_lpages; ++i) {
      if (i == boot.user_lpages) before = drive.statistics();
      const std::uint64_t draw = keyed_hash(5, i);
      if (draw % 16 == 0) submit(write_of((hot + draw / 16 % (cold - 16)) * 8, 16 * 8));
      submit(write_of(draw / 16 % hot * 8, 8));
      submit(read_of((hot + draw / 64 % cold) * 8, 8));
    }
    drive.settle();
    const struct wl_firmware_statistics& s = drive.statistics();
    return {static_cast<double>(s.gc_lpages_copied - before.gc_lpages_copied),
            static_cast<double>(s.gc_superblocks - before.gc_superblocks)};
  };
  const Collected together = collected(512), apart = collected(8);
  EXPECT_GT(together.lpages, 1.1 * apart.lpages);
  EXPECT_GT(together.lpages / together.victims, apart.lpages / apart.victims);
}

}  // namespace
}  // namespace wordline::testing::ppb_test
