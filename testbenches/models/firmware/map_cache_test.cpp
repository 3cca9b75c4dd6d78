// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Map pages on flash, and a cache of few of them: whatever is under way, what was written is read, and the firmware's
// books are right.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/firmware/contract/counters.h"
#include "workload.h"

extern "C" {
#include "models/firmware/map/cache_state.h"
}

namespace wordline::testing::map_cache_test {
namespace {

void expect_no_frame_held(const Drive& drive) {
  const wl_map_cache& c = *rooms(drive.firmware()).map.cache;
  std::uint32_t clean = 0;
  for (std::uint32_t i = 0; i < c.frames; ++i) {
    EXPECT_EQ(c.frame[i].pins, 0U) << "frame " << i;
    EXPECT_NE(c.frame[i].state, WL_FRAME_LOADS) << "frame " << i;
    if (c.frame[i].state == WL_FRAME_HERE && !c.frame[i].changed && !c.frame[i].is_written) ++clean;
  }
  EXPECT_EQ(c.clean, clean);
  EXPECT_EQ(c.granted, 0U);
  EXPECT_EQ(c.wanted_in, c.wanted_out);
}

class MapCacheTest : public ::testing::TestWithParam<Shape> {};

TEST_P(MapCacheTest, WhatWasWrittenIsReadWhateverIsInTheCache) {
  for (const auto order : {Drive::Order::kAny, Drive::Order::kFlashLast, Drive::Order::kHardwareFirst}) {
    const wl_boot_info boot = cached_boot(GetParam());
    Drive drive(boot, 12);
    drive.order = order;
    stress(drive, boot, kEverything, 1.0);
    EXPECT_TRUE(drive.errors.empty());
    stress_hot_region(drive, boot, 1000);
    read_everything(drive, boot);
    drive.settle();
    expect_consistent(drive);
    expect_no_frame_held(drive);
    EXPECT_TRUE(drive.idle());
    const auto& counted = rooms(drive.firmware()).map.cache->statistics;
    EXPECT_GT(counted.loads, 1000U);
    EXPECT_GT(counted.written, 1000U);
    EXPECT_EQ(counted.behind, 0U) << "an entry is changed in the cache alone";
  }
}

/// Map pages are gone with all else, and the drive goes on as a new one.
TEST_P(MapCacheTest, AFormatLeavesNoMapPage) {
  // With the last of them programs are under way when it begins, whose ends wait for map pages.
  for (const auto order : {Drive::Order::kAny, Drive::Order::kFlashLast}) {
    const wl_boot_info boot = cached_boot(GetParam());
    Drive drive(boot, 5);
    drive.order = order;
    for (int round = 0; round < 2; ++round) {
      stress(drive, boot, kEverything, 0.5);
      format(drive, boot);
      read_everything(drive, boot);
      drive.settle();
      expect_consistent(drive);
      expect_no_frame_held(drive);
      EXPECT_TRUE(drive.idle());
    }
    EXPECT_TRUE(drive.errors.empty());
  }
}

/// Set Features 0Dh. The controller has the memory from before the command on, until it is answered.
void lend(Drive& drive, std::uint32_t lpages) {
  wl_sqe sqe{};
  sqe.dword[0] = WL_ADMIN_SET_FEATURES;
  sqe.dword[10] = WL_FEATURE_HOST_MEMORY;
  sqe.dword[11] = lpages != 0 ? 1 : 0;
  sqe.dword[12] = lpages;
  if (lpages != 0) drive.host_buffer().lend(lpages);
  EXPECT_EQ(drive.run_admin(sqe).status, 0);
  EXPECT_TRUE(lpages != 0 || drive.host_buffer().at_rest()) << "the host gets back what is used";
  if (lpages == 0) drive.host_buffer().lend(0);
}

/// The host lends memory and takes it back, resets the controller, and writes into what it has lent.
TEST_P(MapCacheTest, HostMemoryMayGoAndBeWrittenAtAnyTime) {
  for (const auto order : {Drive::Order::kAny, Drive::Order::kFlashLast, Drive::Order::kHardwareFirst}) {
    wl_boot_info boot = cached_boot(GetParam());
    boot.ftl.host_pages = wl_boot_map_pages(&boot);
    Drive drive(boot, 7);
    drive.order = order;
    const auto& counted = rooms(drive.firmware()).map.cache->statistics;
    std::uint64_t by_format = 0;
    for (int round = 0; round < 8; ++round) {
      drive.host_buffer().spoils_one_in = round % 3 == 0 ? 8 : 0;
      std::uint64_t spoiled = UINT64_MAX;
      if (round % 4 == 3) {  // the loan ends with the reset, of which firmware hears with the next command
        lend(drive, boot.ftl.host_pages);
        stress(drive, boot, kEverything, 0.05);
        drive.settle();
        drive.host_buffer().lend(0);
        drive.admin().reset();
        if (round == 7) {
          wl_sqe sqe{};
          sqe.dword[0] = WL_ADMIN_GET_FEATURES;
          sqe.dword[10] = WL_FEATURE_TEMPERATURE;
          EXPECT_EQ(drive.run_admin(sqe).status, 0);
          spoiled = counted.spoiled;
        }
      } else {
        lend(drive, round % 4 == 0 ? 3 : boot.ftl.host_pages - static_cast<std::uint32_t>(round) % 2);
      }
      stress(drive, boot, kEverything, 0.15);
      if (round == 5) {
        EXPECT_EQ(counted.behind, 0U);
        format(drive, boot);  // which changes entries outside of the cache
        by_format = counted.behind;
      }
      stress_hot_region(drive, boot, 200);
      if (spoiled != UINT64_MAX) {
        EXPECT_EQ(counted.spoiled, spoiled) << "nothing is fetched from memory that is not lent";
      }
      if (round % 4 != 3) lend(drive, 0);
    }
    read_everything(drive, boot);
    drive.settle();
    expect_consistent(drive);
    expect_no_frame_held(drive);
    for (const auto& [status, count] : drive.errors)
      EXPECT_EQ(status, WL_STATUS_TRANSFER_ERROR | WL_STATUS_DNR) << count << " commands: not of a host without memory";
    EXPECT_TRUE(drive.idle());
    EXPECT_GT(counted.fetched, 500U);
    EXPECT_GT(counted.spoiled, 20U);
    EXPECT_LE(counted.stored, drive.host_buffer().stored) << "some had changed by then";
    EXPECT_GT(counted.stored, counted.fetched / 10);
    EXPECT_EQ(counted.behind, by_format);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, MapCacheTest,
                         ::testing::Values(kSimple, Shape{"volatile_three_cores", 2, 1, 3, {0, 1, 2}, false, true},
                                           Shape{"fresh", 1, 3, 2, {0, 1, 1}, true, false}),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace wordline::testing::map_cache_test
