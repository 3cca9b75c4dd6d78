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
  EXPECT_LT(copies(true), 1.03 * copies(false));
}

TEST_P(Pacing, GoesOnWhileTheHostIsIdle) {
  Overwrites run(large(true, GetParam()));
  run.write(1);
  run.drive.drain();
  run.drive.settle();
  EXPECT_FALSE(run.drive.firmware().policy->collect(&run.drive.firmware()));
  EXPECT_GE(run.drive.statistics().free_superblocks, run.info.gc_start_superblocks);
}

INSTANTIATE_TEST_SUITE_P(Engines, Pacing, ::testing::Values(0U, static_cast<std::uint32_t>(WL_ENGINE_GC)),
                         [](const auto& param) { return param.param == 0 ? "none" : "scan"; });

// The pace of superblocks of 4 GiB, as drives of a hundred dies have. Products of sectors do not fit 32 bits there.
TEST(Pace, HoldsForLargeSuperblocks) {
  constexpr std::uint32_t kSuperblock = 1U << 20, kValid = kSuperblock / 4 * 3, kToMove = 1000;
  struct wl_superblock superblocks[2] = {};
  wl_rooms all{};
  wl_firmware& fw = all.firmware;
  fw.boot.ftl.gc_pacing = 1;
  fw.geometry.unit_lpages = 64;
  fw.geometry.superblock_lpages = kSuperblock;
  fw.geometry.superblock_units = kSuperblock / 64;
  all.space.superblock = superblocks;
  all.space.superblocks = 2;
  fw.kind[0] = {0, 2, 64, 64, kSuperblock / 64, kSuperblock};
  fw.kind[1].first_superblock = WL_NONE;
  all.space.region[0].reserve_superblocks = all.space.region[0].free_superblocks = 1;
  all.space.plan = {1, 1, false, false, false, false, 0, 0, 0, 0};
  all.space.next_superblock = WL_NONE;
  all.space.open_superblock[WL_STREAM_HOST] = 0;
  all.space.open_superblock[WL_STREAM_GC] = 1;
  superblocks[0].next = superblocks[1].next = WL_NONE;
  superblocks[0].units = fw.geometry.superblock_units / 2;  // half of the host's superblock is left for ...
  all.space.region[0].leaving.superblocks = 1;
  all.space.region[0].leaving.valid = kToMove;  // ... these copies, and those that a sixteenth of a superblock costs
  all.space.pace.victim_valid = kValid;
  wl_pace_unit_moved(&fw);
  const double copies = kToMove + kSuperblock / 16 * 3 + 1;
  EXPECT_NEAR(all.space.pace.rate, kSuperblock / 2 * WL_PACE_LPAGE / copies, 2);
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
