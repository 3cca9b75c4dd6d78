// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives that begin with a state: made by the logical FTL, or left by a drive before them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "drive.h"
#include "models/precondition/boot_tables.h"
#include "models/precondition/firmware_state.h"
#include "models/precondition/logical_ftl.h"
#include "workload.h"

namespace wordline::testing::initial_state_test {
namespace {

using precondition::DriveState;
using precondition::LogicalFtl;
using precondition::Superblock;
using precondition::SuperblockState;

LogicalFtl logical_ftl(const wl_boot_info& boot) {
  const precondition::Geometry g = precondition::geometry_of(boot);
  return LogicalFtl({g.blocks, g.superblock_lpages(), g.user_lpages, boot.gc_reserve_superblocks - boot.ftl.gc_pacing,
                     precondition::Victims::kGreedy, 0, boot.gc_start_superblocks});
}

DriveState finished(LogicalFtl& ftl, const wl_boot_info& boot) {
  DriveState state;
  state.geometry = precondition::geometry_of(boot);
  ftl.finish(state);
  return state;
}

DriveState overwritten(const wl_boot_info& boot, double times) {
  LogicalFtl ftl = logical_ftl(boot);
  ftl.fill_at_random(5);
  ftl.overwrite(static_cast<std::uint64_t>(times * boot.user_lpages), 6);
  return finished(ftl, boot);
}

DriveState left_by(const Drive& drive, const wl_boot_info& boot) {
  return precondition::state_of_firmware(boot, drive.tcm(), drive.dram());
}

wl_boot_info fresh(Shape shape) {
  shape.preconditioned = false;
  return boot_of(shape);
}

/// The image has its stacks at the end of the whole memory.
wl_boot_info with_stacks(wl_boot_info boot) {
  boot.tcm_bytes = WL_TCM_SIZE;
  return boot;
}

class InitialState : public ::testing::TestWithParam<Shape> {};

TEST_P(InitialState, IsWhatIsReadAndOverwritten) {
  const wl_boot_info boot = fresh(GetParam());
  const DriveState state = overwritten(boot, 2);
  ASSERT_EQ(state.problem(), "");
  Drive drive(boot, 11, "", {}, &state);
  expect_consistent(drive);
  const auto free = std::count_if(state.superblocks.begin(), state.superblocks.end(),
                                  [](const Superblock& s) { return s.state == SuperblockState::kFree; });
  EXPECT_EQ(drive.statistics().free_superblocks, free);
  read_everything(drive, boot);
  EXPECT_EQ(drive.reads_checked, boot.user_lpages * 8ull);
  EXPECT_GE(drive.nand().read_lpages, boot.user_lpages) << "from flash, and so from the state";
  stress(drive, boot, kEverything, 3);
  drive.settle();
  expect_consistent(drive);
  read_everything(drive, boot);
}

TEST_P(InitialState, OfARiscVImage) {
  const wl_boot_info boot = with_stacks(fresh(GetParam()));
  const DriveState state = overwritten(boot, 2);
  Drive drive(boot, 12, WORDLINE_FIRMWARE_IMAGE, {}, &state);
  read_everything(drive, boot);
  stress(drive, boot, kEverything, 0.5);
  read_everything(drive, boot);
}

// What one drive has come to another one begins with: the data are all there, in the same superblocks, and so on and
// on.
TEST_P(InitialState, IsHandedOnFromDriveToDrive) {
  const wl_boot_info boot = with_stacks(boot_of(GetParam()));
  for (const std::string& image : {std::string(), std::string(WORDLINE_FIRMWARE_IMAGE)}) {
    Drive first(boot, 21, image);
    stress(first, boot, kEverything, 2);
    first.settle();
    DriveState state = left_by(first, boot);
    ASSERT_EQ(state.problem(), "");
    wl_boot_info next = boot;
    next.preconditioned = 1;
    for (std::uint64_t drives = 0; drives < 3; ++drives) {
      Drive drive(next, 22 + drives, drives == 1 ? image : "", {}, &state);
      read_everything(drive, next);
      EXPECT_EQ(drive.errors.size(), 0U);
      stress(drive, next, kEverything, 0.5);
      drive.settle();
      DriveState left = left_by(drive, next);
      ASSERT_EQ(left.problem(), "");
      state = std::move(left);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, InitialState,
                         ::testing::Values(kSimple, Shape{"two_planes_one_shot", 2, 3, 1, {0, 0, 0}, true, true},
                                           Shape{"empty_drive", 2, 1, 1, {0, 0, 0}, false, false}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(InitialStateOf, ADriveAtRestIsItsMapToTheSector) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 31);
  stress(drive, boot, kEverything, 2);
  drive.settle();
  const wl_firmware& fw = drive.firmware();
  const std::vector<bool> mapped = precondition::mapped_lpages(left_by(drive, boot));
  for (std::uint32_t lpn = 0; lpn < boot.user_lpages; ++lpn) {
    const std::uint32_t value = wl_map_resolve(rooms(fw).map.l2p[lpn], lpn, boot.preconditioned);
    EXPECT_EQ(mapped[lpn], value >= WL_MAP_PPA0) << lpn;  // in the write buffer, too
  }
}

TEST(InitialStateOf, LostSectorsStayLost) {
  const wl_boot_info boot = boot_of(kSimple);
  DriveState state = overwritten(boot, 1);
  std::size_t at = 0;
  while (!state.ppas[at].valid()) ++at;
  const std::uint32_t lpn = state.ppas[at].lpn();
  state.ppas[at].invalidate();
  for (Superblock& s : state.superblocks) s.valid -= s.number == at / state.geometry.superblock_lpages() ? 1 : 0;
  state.lost = {lpn};
  ASSERT_EQ(state.problem(), "");
  wl_boot_info next = boot;
  next.preconditioned = 1;
  Drive drive(next, 1, "", {}, &state);
  EXPECT_NE(drive.run(read_of(lpn * 8ull, 8)), 0);
  drive.settle();
  EXPECT_EQ(left_by(drive, next).lost, std::vector<std::uint32_t>{lpn});
}

TEST(InitialStateOf, RetiredAndBadSuperblocksStayOutOfUse) {
  wl_boot_info boot = fresh(kSimple);
  boot.blocks = 26;
  DriveState state = overwritten(boot, 2);
  // The last free one becomes a retired one, the emptiest closed one is to be retired.
  const auto closed = std::find_if(state.superblocks.begin(), state.superblocks.end(),
                                   [](const Superblock& s) { return s.state == SuperblockState::kClosed; });
  const auto emptiest = std::min_element(closed, state.superblocks.end(),
                                         [](const Superblock& a, const Superblock& b) { return a.valid < b.valid; });
  emptiest->bad = true;
  const std::uint32_t bad = emptiest->number;
  const auto retired = closed - 1;
  retired->state = SuperblockState::kRetired;
  const std::uint32_t gone = retired->number;
  ASSERT_EQ(state.problem(), "");
  Drive drive(boot, 1, "", {}, &state);
  expect_consistent(drive);
  stress(drive, boot, kWholeSectors, 4);
  drive.settle();
  EXPECT_EQ(rooms(drive.firmware()).space.superblock[gone].state, WL_SUPERBLOCK_RETIRED);
  EXPECT_EQ(rooms(drive.firmware()).space.superblock[bad].state, WL_SUPERBLOCK_RETIRED);
  expect_consistent(drive);
  const DriveState left = left_by(drive, boot);
  EXPECT_EQ(std::count_if(left.superblocks.begin(), left.superblocks.end(),
                          [](const Superblock& s) { return s.state == SuperblockState::kRetired; }),
            2);
}

// The logical FTL against the firmware: after the same number of random overwrites the write amplification of both, and
// how full their superblocks are.
TEST(LogicalFtlAgainstFirmware, AgreesInWriteAmplificationAndValidSectors) {
  wl_boot_info boot = boot_of({"agreement", 1, 1, 1, {0, 0, 0}, true, true});
  boot.blocks = 300;
  boot.pages = 16;
  const std::uint32_t superblock = 4 * 16 * 2;
  boot.user_lpages = 250 * superblock;
  boot.dram_bytes = 8 << 20;
  Drive drive(boot, 41);
  const std::uint64_t count = 5ull * boot.user_lpages;
  struct wl_firmware_statistics warm {};
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i == count * 3 / 5) warm = drive.statistics();
    while (!drive.has_tag()) drive.step();
    drive.submit(write_of(drive.random() % boot.user_lpages * 8, 8));
  }
  // At once: idle GC would go on.
  const DriveState left = left_by(drive, boot);
  ASSERT_EQ(left.problem(), "") << "with data in the buffer, victims half moved, few superblocks free";
  const struct wl_firmware_statistics& s = drive.statistics();
  const auto programmed = static_cast<double>(s.data_lpages - warm.data_lpages);
  const double waf = 1 + static_cast<double>(s.gc_lpages_copied - warm.gc_lpages_copied) / programmed;

  LogicalFtl ftl = logical_ftl(boot);
  ftl.fill_in_order();
  ftl.overwrite(count * 3 / 5, 1);
  const std::uint64_t written = ftl.written(), copied = ftl.copied();
  ftl.overwrite(count * 2 / 5, 2);
  EXPECT_NEAR(ftl.waf_since(written, copied) / waf, 1, 0.05) << waf;

  const auto fullness = [&](const DriveState& state) {
    std::vector<double> shares;
    for (const Superblock& b : state.superblocks) {
      if (b.state == SuperblockState::kClosed) shares.push_back(static_cast<double>(b.valid) / superblock);
    }
    std::sort(shares.begin(), shares.end());
    return shares;
  };
  const std::vector<double> ours = fullness(finished(ftl, boot)), theirs = fullness(left);
  EXPECT_NEAR(static_cast<double>(ours.size()) / static_cast<double>(theirs.size()), 1, 0.02);
  for (const double q : {0.1, 0.25, 0.5, 0.75, 0.9}) {
    const auto at = [&](const std::vector<double>& v) {
      return v.at(static_cast<std::size_t>(q * static_cast<double>(v.size())));
    };
    EXPECT_NEAR(at(ours), at(theirs), 0.05) << "quantile " << q;
  }
}

}  // namespace
}  // namespace wordline::testing::initial_state_test
