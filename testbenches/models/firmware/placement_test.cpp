// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible Data Placement: whose data a superblock has, the counts by handle, and the events and logs of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "drive.h"
#include "workload.h"

extern "C" {
#include "models/firmware/host/nvme.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/space.h"
}

namespace wordline::testing::placement_test {
namespace {

using HandleStatistics = struct wl_handle_statistics;  // a function has the name, too

struct Case {
  std::uint32_t policy, handles;
  bool persistent, pacing;
  std::uint32_t cores;
};

wl_boot_info boot_with(const Case& c) {
  Shape shape{"placement", 2, 2, c.cores, {0, 0, 0}, true, false};
  if (c.cores == 2) shape.task_core[WL_TASK_FTL] = 1;
  wl_boot_info b = boot_of(shape);
  const std::uint32_t unit = b.planes * b.lpages_per_page * b.pages_per_program;
  const std::uint32_t moved = c.persistent ? c.handles : 1;
  b.ftl.policy = c.policy;
  b.ftl.placement = {c.handles, c.persistent ? 1U : 0U};
  b.ftl.gc_pacing = c.pacing ? 1 : 0;
  b.blocks += c.handles + moved;
  b.write_slots = std::max(b.write_slots, (c.handles + 3) * unit);
  b.gc_slots = std::max(b.gc_slots, (moved + 2) * unit);
  b.dram_bytes = 4 << 20;
  return b;
}

std::uint64_t sum_of(const Drive& drive, std::uint64_t HandleStatistics::*field) {
  const struct wl_handle_statistics* rows = rooms(drive.firmware()).space.wear.by_handle;
  return std::accumulate(rows, rows + WL_HANDLES + 1, std::uint64_t{0},
                         [&](std::uint64_t sum, const struct wl_handle_statistics& row) { return sum + row.*field; });
}
std::uint64_t sum_of(const Drive& drive, std::uint32_t HandleStatistics::*field) {
  const struct wl_handle_statistics* rows = rooms(drive.firmware()).space.wear.by_handle;
  return std::accumulate(rows, rows + WL_HANDLES + 1, std::uint64_t{0},
                         [&](std::uint64_t sum, const struct wl_handle_statistics& row) { return sum + row.*field; });
}

class Placement : public ::testing::TestWithParam<Case> {};

TEST_P(Placement, RandomHandlesKeepEverything) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const wl_boot_info boot = boot_with(GetParam());
    Drive drive(boot, seed);
    stress(drive, boot, kEverything, 4.0);
    read_everything(drive, boot);
    drive.settle();
    EXPECT_GT(drive.statistics().gc_superblocks, 0U);
    EXPECT_FALSE(wl_space_read_only(&drive.firmware()));
    expect_consistent(drive);
  }
}

TEST_P(Placement, StatisticsAreTheDrivesCounters) {
  const wl_boot_info boot = boot_with(GetParam());
  Drive drive(boot, 7);
  stress(drive, boot, kEverything, 4.0);
  drive.run(flush());
  drive.settle();
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_EQ(sum_of(drive, &HandleStatistics::host_lpages), s.data_lpages);
  EXPECT_EQ(sum_of(drive, &HandleStatistics::copied_lpages), s.gc_lpages_copied);
  EXPECT_EQ(sum_of(drive, &HandleStatistics::victims), s.gc_superblocks);
  EXPECT_EQ(sum_of(drive, &HandleStatistics::erased), s.blocks.superblock_erases);
  EXPECT_GT(rooms(drive.firmware()).space.wear.by_handle[GetParam().handles - 1].host_lpages, 0U);

  wl_sqe sqe{};
  sqe.dword[0] = WL_ADMIN_GET_LOG_PAGE;
  sqe.dword[10] = WL_LOG_PLACEMENT;
  const DriveAdmin::Answer log = drive.run_admin(sqe);
  const auto bytes_at = [&log](std::size_t offset) {
    std::uint64_t value = 0;
    std::memcpy(&value, log.data.data() + offset, sizeof value);
    return value;
  };
  EXPECT_EQ(bytes_at(0), wl_host_blocks(&s, 3) * 512) << "HBMW";
  EXPECT_EQ(bytes_at(16), s.lpages_programmed * 4096) << "MBMW";
  EXPECT_EQ(bytes_at(32), s.erased_lpages * 4096) << "MBE";
}

/// Each logical page is always written with the handle that its number says.
TEST_P(Placement, ASuperblockHasDataOfOneHandle) {
  const Case c = GetParam();
  const wl_boot_info boot = boot_with(c);
  Drive drive(boot, 5);
  for (std::uint32_t i = 0; i < 5 * boot.user_lpages; ++i) {
    while (!drive.has_tag()) drive.step();
    const std::uint64_t lpn = drive.random() % boot.user_lpages;
    Command write = write_of(lpn * 8, 8);
    write.handle = static_cast<int>(lpn % c.handles);
    drive.submit(write);
  }
  drive.drain();
  drive.settle();
  const wl_firmware& fw = drive.firmware();
  std::uint32_t on_flash = 0, shared = 0;
  for (std::uint32_t lpn = 0; lpn < boot.user_lpages; ++lpn) {
    const std::uint32_t value = rooms(fw).map.l2p[lpn];
    if (value < WL_MAP_PPA0 || value >= WL_MAP_BUFFER) continue;
    ++on_flash;
    const auto superblock = static_cast<wl_superblock_t>((value - WL_MAP_PPA0) / fw.geometry.superblock_lpages);
    const std::uint32_t handle = wl_superblock(&fw, superblock)->handle;
    if (handle == WL_HANDLE_SHARED) {
      ++shared;
    } else {
      EXPECT_EQ(handle, lpn % c.handles) << lpn;
    }
  }
  EXPECT_GT(on_flash, boot.user_lpages / 2);
  EXPECT_GT(drive.statistics().gc_lpages_copied, 0U);
  if (c.persistent) {
    EXPECT_EQ(shared, 0U);
  } else {
    EXPECT_GT(shared, 0U) << "what GC moves lies together";
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::uint32_t policy : {WL_POLICY_page_greedy, WL_POLICY_page_cost_benefit})
    for (const std::uint32_t handles : {1U, 3U, 16U})
      for (const bool persistent : {false, true})
        for (const bool pacing : {false, true})
          all.push_back({policy, handles, persistent, pacing, handles == 3 ? 2U : 1U});
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, Placement, ::testing::ValuesIn(cases()), [](const auto& info) {
  const Case& c = info.param;
  return std::string(c.policy == WL_POLICY_page_greedy ? "greedy" : "cost_benefit") + std::to_string(c.handles) +
         (c.persistent ? "_persistently" : "_initially") + (c.pacing ? "_paced" : "");
});

std::vector<std::uint32_t> room_of(Drive& drive) {
  wl_sqe sqe{};
  sqe.dword[0] = WL_MANAGEMENT_RECEIVE;
  const DriveAdmin::Answer answer = drive.run_admin(sqe);
  std::vector<std::uint32_t> rooms(answer.data.size() / 4);
  std::memcpy(rooms.data(), answer.data.data(), rooms.size() * 4);
  return rooms;
}

TEST(PlacementStatus, SaysWhatTheReclaimUnitStillTakesAndUpdateBeginsAnother) {
  const wl_boot_info boot = boot_with({WL_POLICY_page_greedy, 3, true, false, 1});
  Drive drive(boot, 2);
  const std::uint32_t whole = drive.firmware().geometry.superblock_lpages * 8;
  const std::uint32_t unit = drive.firmware().geometry.unit_lpages * 8;
  EXPECT_EQ(room_of(drive), (std::vector<std::uint32_t>{whole, whole, whole}));
  Command write = write_of(0, unit);
  write.handle = 1;
  ASSERT_EQ(drive.run(write), 0);
  write.blocks = 8;
  ASSERT_EQ(drive.run(write), 0);
  drive.settle();
  EXPECT_EQ(room_of(drive), (std::vector<std::uint32_t>{whole, whole - unit - 8, whole})) << "one in the buffer counts";

  wl_sqe sqe{};
  sqe.dword[0] = WL_MANAGEMENT_SEND;
  sqe.dword[11] = 1U << 1 | 1U << 2;
  EXPECT_EQ(drive.run_admin(sqe).status, 0);
  drive.settle();
  const auto& events = drive.admin().placement_events;
  ASSERT_EQ(events.size(), 1U) << "handle 2 had none";
  EXPECT_EQ(events[0].flags, WL_PLACEMENT_NOT_FULL);
  EXPECT_EQ(events[0].status, 1);
  EXPECT_EQ(events[0].lpage, whole - unit);
  EXPECT_EQ(room_of(drive)[1], whole - 8);
}

TEST(PlacementEvents, TellWhatGcTakesUp) {
  const wl_boot_info boot = boot_with({WL_POLICY_page_greedy, 3, true, false, 1});
  Drive drive(boot, 3);
  stress(drive, boot, kEverything, 4.0);
  drive.settle();
  std::uint64_t lbas = 0;
  for (const wl_host_job& event : drive.admin().placement_events) {
    EXPECT_EQ(event.flags, WL_PLACEMENT_MOVED);
    EXPECT_LT(event.status, 3U);
    lbas += event.lpage;
  }
  EXPECT_EQ(lbas, sum_of(drive, &HandleStatistics::victim_lpages) * 8);
}

TEST(PlacementPolicies, AreThoseWithoutClasses) {
  for (std::uint32_t policy = 0; policy < WL_POLICIES; ++policy) {
    const bool suits = policy == WL_POLICY_page_greedy || policy == WL_POLICY_page_cost_benefit;
    EXPECT_EQ(wl_policy_takes_handles(policy), suits) << policy;
  }
}

}  // namespace
}  // namespace wordline::testing::placement_test
