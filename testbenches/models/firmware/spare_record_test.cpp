// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Spare records: what flash says of its data without the map.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "drive.h"
#include "states.h"
#include "workload.h"

extern "C" {
#include "models/firmware/map/map.h"
#include "models/firmware/policy/policies.h"
}

namespace wordline::testing::spare_record_test {
namespace {

struct Newest {
  std::uint32_t sequence = 0;
  std::vector<std::uint32_t> ppas;  // with this sequence: an original and its copies
  Sector data{};
};

/// By logical page, of all that is programmed. Copies with one sequence hold the same data.
std::map<std::uint32_t, Newest> newest_on_flash(Drive& drive) {
  std::map<std::uint32_t, Newest> newest;
  for (std::uint32_t ppa = 0; ppa < drive.nand().ppas(); ++ppa) {
    const auto copy = drive.nand().at(ppa);
    if (!copy || wl_spare_kind(&copy->spare) == WL_SPARE_PADDING) continue;
    EXPECT_EQ(wl_spare_kind(&copy->spare), static_cast<std::uint32_t>(WL_SPARE_USER)) << ppa;
    const std::uint32_t sequence = wl_spare_sequence(&copy->spare);
    Newest& n = newest[copy->spare.lpn];
    if (!n.ppas.empty() && sequence < n.sequence) continue;
    if (n.ppas.empty() || sequence > n.sequence) n = {sequence, {}, copy->data};
    n.ppas.push_back(ppa);
    EXPECT_TRUE(sequence == WL_SEQUENCE_STALE || n.data == copy->data) << "two contents of one sequence at " << ppa;
  }
  return newest;
}

/// The map is what the records say: each logical page that it has on flash is one with the highest sequence.
void expect_records_say_the_map(Drive& drive, const wl_boot_info& boot) {
  const wl_firmware& fw = drive.firmware();
  const auto newest = newest_on_flash(drive);
  std::uint32_t found = 0;
  for (std::uint32_t lpn = 0; lpn < boot.user_lpages; ++lpn) {
    const std::uint32_t value = wl_map_get(&fw, lpn);
    if (value < WL_MAP_PPA0 || value >= WL_MAP_BUFFER) continue;
    ++found;
    const auto at = newest.find(lpn);
    ASSERT_NE(at, newest.end()) << lpn;
    EXPECT_NE(std::find(at->second.ppas.begin(), at->second.ppas.end(), value - WL_MAP_PPA0), at->second.ppas.end())
        << "logical page " << lpn << " at " << value - WL_MAP_PPA0 << ", newest at " << at->second.ppas.front();
  }
  EXPECT_GT(found, boot.user_lpages / 2);
}

wl_boot_info volatile_boot() {
  Shape shape = kSimple;
  shape.power_safe = false;
  return boot_of(shape);
}

TEST(SpareRecords, SayTheMapAfterWritesAndCollection) {
  const wl_boot_info boot = volatile_boot();
  for (std::uint64_t seed = 1; seed != 6; ++seed) {
    Drive drive(boot, seed);
    stress(drive, boot, kEverything, 4.0);
    EXPECT_EQ(drive.run(flush()), 0);
    drive.settle();
    EXPECT_GT(drive.statistics().gc_lpages_copied, 0u);
    expect_records_say_the_map(drive, boot);
  }
}

TEST(SpareRecords, SayTheMapByThePage) {
  wl_boot_info boot = volatile_boot();
  boot.ftl.map_page = boot.lpages_per_page;
  Drive drive(boot, 7);
  stress(drive, boot, kEverything, 4.0);
  EXPECT_EQ(drive.run(flush()), 0);
  drive.settle();
  expect_records_say_the_map(drive, boot);
}

TEST(SpareRecords, SayTheMapOfTwoPageSizes) {
  wl_boot_info boot = volatile_boot();
  boot.lpages_per_page = 4;
  boot.ftl.small = {8, boot.pages, 1};
  boot.blocks += boot.ftl.small.blocks;
  boot.user_lpages = 14 * boot.dies * boot.pages * 4 - 1;
  boot.write_slots = 8 * 4 + 1;
  boot.gc_slots = 3 * 4;
  boot.dram_bytes = boot.tcm_bytes = 4 << 20;
  boot.ftl.map_page = 4;
  boot.ftl.gc_pacing = 0;
  boot.ftl.policy = WL_POLICY_mpnfm;
  policy_keys(boot).mpnfm = {8, 1};
  Drive drive(boot, 11);
  stress(drive, boot, kEverything, 4.0);
  EXPECT_EQ(drive.run(flush()), 0);
  drive.settle();
  EXPECT_GT(drive.nand().small_programs, 100u);
  EXPECT_GT(drive.statistics().small.merged_pages, 10u);
  expect_records_say_the_map(drive, boot);
  format(drive, boot);
  stress(drive, boot, kEverything, 2.0);
  drive.settle();
  expect_records_say_the_map(drive, boot);
}

TEST(SpareRecords, SayTheMapWithEngines) {
  wl_boot_info boot = volatile_boot();
  boot.engines |= WL_ENGINES_FLASH | WL_ENGINES_BUFFER | WL_ENGINE_GC;
  boot.engine_slots = 8;
  Drive drive(boot, 8);
  stress(drive, boot, kEverything, 4.0);
  EXPECT_EQ(drive.run(flush()), 0);
  drive.settle();
  expect_records_say_the_map(drive, boot);
}

TEST(SpareRecords, SayTheMapWhereReadsAndProgramsFail) {
  const wl_boot_info boot = volatile_boot();
  Drive drive(boot, 9);
  drive.nand().faults.program_fail = [&drive](const wl_flash_job&, std::uint32_t) {
    return drive.nand().failures < 3 && drive.random() % 200 == 0;
  };
  stress(drive, boot, kWholeSectors, 4.0);
  EXPECT_EQ(drive.run(flush()), 0);
  drive.settle();
  EXPECT_EQ(drive.nand().failures, 3u);
  expect_records_say_the_map(drive, boot);
}

/// Sequences that flash has of each logical page after a FLUSH are promised. At any later instant flash has them, or
/// higher ones: GC erases nothing before its copies are programmed. The one exception is a logical page that the host
/// has written anew, while those data are in the buffer alone: the superblock with the old ones is not held back.
TEST(SpareRecords, WhatAFlushHasPromisedStaysUnlessItIsWrittenAnew) {
  std::uint64_t instants = 0, exceptions = 0;
  for (std::uint64_t seed = 1; seed != 8; ++seed) {
    const wl_boot_info boot = volatile_boot();
    Drive drive(boot, seed);
    if (seed % 2 == 0) drive.order = Drive::Order::kFlashLast;
    stress(drive, boot, kWholeSectors, 2.0);
    for (int round = 0; round != 6; ++round) {
      EXPECT_EQ(drive.run(flush()), 0);
      const auto promised = newest_on_flash(drive);
      for (int n = 0; n != 400; ++n) {
        while (!drive.has_tag()) drive.step();
        drive.submit(write_of(8 * (drive.random() % boot.user_lpages), 8));
        for (int k = 0; k != 5; ++k) drive.step();
        if (n % 4 != 0) continue;
        ++instants;
        const auto now = newest_on_flash(drive);
        for (const auto& [lpn, was] : promised) {
          const auto at = now.find(lpn);
          if (at != now.end() && at->second.sequence >= was.sequence) continue;
          ++exceptions;
          EXPECT_GE(wl_map_get(&drive.firmware(), lpn), WL_MAP_BUFFER) << "logical page " << lpn << ", seed " << seed;
        }
      }
      drive.drain();
    }
    EXPECT_GT(drive.statistics().gc_superblocks, 20u);
  }
  EXPECT_GT(instants, 4000u);
  RecordProperty("exceptions", std::to_string(exceptions));
}

TEST(SpareRecords, OfTwoWritesTheLaterHasTheHigherSequence) {
  const wl_boot_info boot = volatile_boot();
  Drive drive(boot, 3);
  std::uint32_t before = WL_SEQUENCE_FILL;
  for (int n = 0; n != 5; ++n) {
    EXPECT_EQ(drive.run(write_of(8 * 17, 8)), 0);
    EXPECT_EQ(drive.run(flush()), 0);
    const std::uint32_t sequence = newest_on_flash(drive)[17].sequence;
    EXPECT_GT(sequence, before);
    before = sequence;
  }
  EXPECT_EQ(newest_on_flash(drive)[18].sequence, WL_SEQUENCE_FILL);
}

}  // namespace
}  // namespace wordline::testing::spare_record_test
