// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The policy agcr (Li et al., FAST 2016): what is noted of accesses, classes, and how units are programmed. The ids in
// the comments are those of the source's statements in the list of figures that docs/agcr.md answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include "drive.h"
#include "workload.h"

extern "C" {
#include "models/firmware/media/media.h"
#include "models/firmware/policy/agcr_history.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/space.h"
}

namespace wordline::testing::agcr_test {
namespace {

// agcr.ident.history, agcr.ident.window: half a byte says of any window up to 8 what the list of its accesses says.
TEST(AgcrHistory, SaysWhatAListOfAccessesSays) {
  for (std::uint32_t window = 2; window <= 8; ++window) {
    const std::uint32_t most = window - 1;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::uint8_t entry = 0xf0;  // bits of others
      std::deque<bool> list;
      EXPECT_TRUE(wl_agcr_unknown(entry));
      for (std::uint64_t i = 0; i < 200; ++i) {
        const bool write = keyed_hash(seed, window, i) % 16 < seed % 16;
        entry = wl_agcr_noted(entry, write, most);
        list.push_back(write);
        if (list.size() > most) list.pop_front();
        const bool reads = std::count(list.begin(), list.end(), true) == 0;
        const bool writes = std::count(list.begin(), list.end(), false) == 0;
        ASSERT_EQ(wl_agcr_only_reads(entry, most), reads) << "window " << window << ", access " << i;
        ASSERT_EQ(wl_agcr_only_writes(entry, most), writes) << "window " << window << ", access " << i;
        ASSERT_EQ(wl_agcr_pure(entry, most), reads || writes);
        ASSERT_FALSE(wl_agcr_unknown(entry));
        ASSERT_EQ(entry & 0xf0, 0xf0);
      }
    }
  }
}

/// Empty, with room for the superblocks of three classes; a unit is two sectors.
wl_boot_info agcr_boot(std::uint8_t window = 2, std::uint8_t classes = WL_AGCR_BY_HISTORY) {
  wl_boot_info boot = boot_of({"agcr", 1, 1, 1, {0, 0, 0}, true, false});
  boot.ftl.policy = WL_POLICY_agcr;
  make_room(boot);
  boot.blocks += 8;
  boot.write_slots = 16;
  boot.dram_bytes = 4 << 20;
  policy_keys(boot).agcr.window = window;
  policy_keys(boot).agcr.classes = classes;
  return boot;
}

/// A drive whose commands come one by one, each until it is on flash.
class Agcr {
 public:
  explicit Agcr(const wl_boot_info& boot) : drive(boot, 1) {}
  void write(std::uint32_t lpn) {
    drive.run(write_of(std::uint64_t{lpn} * 8, 8));
    drive.run(flush());
    drive.settle();
  }
  void read(std::uint32_t lpn) {
    drive.run(read_of(std::uint64_t{lpn} * 8, 8));
    drive.settle();
  }
  /// How the data of the sector lie on flash.
  [[nodiscard]] std::uint32_t step(std::uint32_t lpn) const {
    const wl_firmware& fw = drive.firmware();
    const std::uint32_t value = wl_map_resolve(rooms(fw).map.l2p[lpn], lpn, fw.boot.preconditioned);
    EXPECT_GE(value, WL_MAP_PPA0);
    EXPECT_LT(value, WL_MAP_BUFFER) << "not on flash";
    return static_cast<const std::uint8_t*>(rooms(fw).policies.table)[(value - WL_MAP_PPA0) / fw.geometry.unit_lpages];
  }
  [[nodiscard]] std::uint32_t class_of_move(std::uint32_t lpn) const {
    const wl_firmware& fw = drive.firmware();
    return fw.policy->class_of_move(&fw, lpn, rooms(fw).map.l2p[lpn] - WL_MAP_PPA0);
  }
  Drive drive;
};

wl_boot_info unsafe(wl_boot_info boot) {  // FLUSH reaches flash
  boot.power_safe = 0;
  return boot;
}

// agcr.class.write_only, agcr.class.interleaved, agcr.cost.fixed_by_write: a page that has only been written is
// programmed coarsely, one that was read before by the device's own step; reads change nothing that lies on flash.
TEST(Agcr, ProgramsByTheWindowOfAPagesAccesses) {
  Agcr a(unsafe(agcr_boot()));
  a.write(0);
  EXPECT_EQ(a.step(0), WL_AGCR_COARSE) << "nothing but this write is known";
  a.write(0);
  EXPECT_EQ(a.step(0), WL_AGCR_COARSE) << "write, write";
  a.read(0);
  EXPECT_EQ(a.step(0), WL_AGCR_COARSE) << "as it was written";
  a.write(0);
  EXPECT_EQ(a.step(0), WL_AGCR_DEFAULT) << "read, write";
  a.write(0);
  EXPECT_EQ(a.step(0), WL_AGCR_COARSE) << "write, write";
}

TEST(Agcr, ALargerWindowForgetsReadsLater) {
  Agcr a(unsafe(agcr_boot(4)));
  a.write(0);
  a.read(0);
  for (int i = 0; i < 3; ++i) {
    a.write(0);
    EXPECT_EQ(a.step(0), WL_AGCR_DEFAULT) << i;
  }
  a.write(0);
  EXPECT_EQ(a.step(0), WL_AGCR_COARSE);
}

// agcr.class.read_only: what is only read is programmed finely when it is moved.
TEST(Agcr, MovesByTheWindowWithoutAnUpcomingAccess) {
  Agcr a(unsafe(agcr_boot(3)));
  a.write(0);
  EXPECT_EQ(a.class_of_move(0), WL_AGCR_COARSE);
  a.read(0);
  EXPECT_EQ(a.class_of_move(0), WL_AGCR_DEFAULT) << "write, read";
  a.read(0);
  EXPECT_EQ(a.class_of_move(0), WL_AGCR_FINE);
}

TEST(Agcr, DataThatNobodyHasAccessedStayAsTheyAre) {
  wl_boot_info boot = agcr_boot();
  boot.preconditioned = 1;
  const Agcr a(boot);
  const wl_firmware& fw = a.drive.firmware();
  EXPECT_EQ(fw.policy->class_of_move(&fw, 7, 7), WL_AGCR_DEFAULT);
}

TEST(Agcr, OneClassIsOneStepForAll) {
  for (const std::uint8_t classes : {WL_AGCR_DEFAULT, WL_AGCR_COARSE, WL_AGCR_FINE}) {
    Agcr a(unsafe(agcr_boot(2, classes)));
    a.write(0);
    a.read(0);
    a.read(0);
    EXPECT_EQ(a.step(0), classes);
    EXPECT_EQ(a.class_of_move(0), classes);
    a.write(0);
    EXPECT_EQ(a.step(0), classes);
    EXPECT_EQ(rooms(a.drive.firmware()).space.open_superblock[(classes + 1) % 3], WL_NONE)
        << "no other superblock is open";
  }
}

// agcr.tag.low_write, agcr.tag.bits, agcr.cost.write_step: the table of units says with which parameter set the unit
// that holds a sector was programmed, whoever programmed it, and the sets are the two steps.
TEST(Agcr, TheTableSaysHowEveryUnitWasProgrammed) {
  const wl_boot_info boot = agcr_boot();
  Drive drive(boot, 5);
  const wl_firmware& fw = drive.firmware();
  EXPECT_EQ(rooms(fw).media.program_sets[WL_AGCR_COARSE].step_mv, 240);
  EXPECT_EQ(rooms(fw).media.program_sets[WL_AGCR_FINE].step_mv, 135);
  std::map<std::uint32_t, std::uint32_t> sets;  // by PPA of the unit
  drive.nand().faults.program_fail = [&](const wl_flash_job& job, std::uint32_t) {
    const std::uint32_t row = job.page / boot.pages_per_program * boot.dies + job.die;
    sets[job.block * fw.geometry.superblock_units + row] = job.control & WL_PROGRAM_SET;
    return false;
  };
  stress(drive, boot, kEverything, 3.0);
  read_everything(drive, boot);
  drive.settle();
  expect_consistent(drive);
  std::array<std::uint32_t, 3> of{};
  for (const auto& [unit, set] : sets) {
    ASSERT_EQ(static_cast<const std::uint8_t*>(rooms(fw).policies.table)[unit], set) << unit;
    ++of.at(set);
  }
  for (const std::uint32_t n : of) EXPECT_GT(n, 10U);
  const auto& s = drive.statistics();
  EXPECT_EQ(s.steps.programmed[0] + s.steps.programmed[1] + s.steps.programmed[2], s.lpages_programmed);
  EXPECT_GT(s.steps.programmed[WL_AGCR_COARSE], s.steps.programmed[WL_AGCR_FINE]);
  EXPECT_EQ(drive.nand().set_programs * fw.geometry.unit_lpages,
            s.steps.programmed[WL_AGCR_COARSE] + s.steps.programmed[WL_AGCR_FINE]);
}

// agcr.class.purity: units hold data of one class, superblocks too where there is room.
TEST(Agcr, ClassesLieApart) {
  wl_boot_info boot = agcr_boot();
  boot.blocks += 16;
  Drive drive(boot, 6);
  stress(drive, boot, kWholeSectors, 2.0);
  drive.settle();
  const wl_firmware& fw = drive.firmware();
  const auto* table = static_cast<const std::uint8_t*>(rooms(fw).policies.table);
  std::map<std::uint32_t, std::set<std::uint32_t>> classes;
  for (std::uint32_t lpn = 0; lpn < boot.user_lpages; ++lpn) {
    const std::uint32_t value = rooms(fw).map.l2p[lpn];
    if (value < WL_MAP_PPA0 || value >= WL_MAP_BUFFER) continue;
    const std::uint32_t ppa = value - WL_MAP_PPA0;
    classes[ppa / fw.geometry.superblock_lpages].insert(table[ppa / fw.geometry.unit_lpages]);
  }
  EXPECT_GT(classes.size(), 8U);
  for (const auto& [superblock, of] : classes) EXPECT_EQ(of.size(), 1U) << "superblock " << superblock;
}

// agcr.ident.accuracy, counted by hand: window 3.
TEST(Agcr, CountsHowOftenAClassWasRight) {
  Agcr a(unsafe(agcr_boot(3)));
  const auto& s = a.drive.statistics().steps;
  a.write(0);
  EXPECT_EQ(s.judged, 0U) << "nothing was known";
  a.write(0);
  EXPECT_EQ(s.judged, 1U);
  EXPECT_EQ(s.judged_right, 1U) << "write-only, and written";
  a.read(0);
  EXPECT_EQ(s.judged, 2U);
  EXPECT_EQ(s.judged_right, 1U);
  a.read(0);
  EXPECT_EQ(s.judged, 2U) << "write, read: of no kind";
  a.read(0);
  EXPECT_EQ(s.judged, 3U);
  EXPECT_EQ(s.judged_right, 2U);
  EXPECT_EQ(s.read[WL_AGCR_COARSE], 3U);
}

// Where the map unit is a page, its sectors have one history.
TEST(Agcr, APageOfTheMapHasOneHistory) {
  wl_boot_info boot = unsafe(agcr_boot());
  boot.ftl.map_page = boot.lpages_per_page;
  boot.user_lpages -= boot.user_lpages % 2;
  Drive drive(boot, 2);
  drive.run(write_of(0, 16));
  drive.run(flush());
  drive.run(read_of(8, 8));
  drive.settle();
  const wl_firmware& fw = drive.firmware();
  EXPECT_EQ(fw.policy->class_of_write(&fw, 0, 1, 0), WL_AGCR_DEFAULT) << "the other sector was read";
  EXPECT_EQ(fw.policy->class_of_write(&fw, 2, 1, 0), WL_AGCR_COARSE);
  EXPECT_EQ(drive.statistics().steps.judged, 1U);
  stress(drive, boot, kEverything, 2.0);
  read_everything(drive, boot);
}

// agcr.cost.low_write, agcr.cost.high_write, agcr.cost.read_parts where they are assumed: a read begins with as many
// senses as the step that its data were programmed in says, by the initial state where nothing has been programmed.
TEST(AgcrReads, BeginAsTheStepOfTheirDataSays) {
  wl_boot_info boot = unsafe(agcr_boot());
  policy_keys(boot).agcr.senses[WL_AGCR_DEFAULT] = 2;
  policy_keys(boot).agcr.senses[WL_AGCR_COARSE] = 5;
  policy_keys(boot).agcr.senses[WL_AGCR_FINE] = 1;
  boot.preconditioned = 1;
  for (const std::uint8_t initial : {WL_AGCR_DEFAULT, WL_AGCR_COARSE, WL_AGCR_FINE}) {
    policy_keys(boot).agcr.initial = initial;
    Drive drive(boot, 3);
    const wl_firmware& fw = drive.firmware();
    const auto senses = [&](std::uint32_t lpn) {
      const std::uint32_t value = wl_map_resolve(rooms(fw).map.l2p[lpn], lpn, 1);
      const std::uint32_t control = wl_media_read_start(&fw, value - WL_MAP_PPA0);
      EXPECT_EQ(control & ~(7U << WL_RETRY_SENSES_SHIFT), control == 0 ? 0U : std::uint32_t{WL_RETRY_SET});
      return control == 0 ? 1U : control >> WL_RETRY_SENSES_SHIFT & 7U;
    };
    EXPECT_EQ(senses(7), initial == WL_AGCR_DEFAULT ? 2U : initial == WL_AGCR_COARSE ? 5U : 1U);
    drive.run(write_of(0, 16));
    drive.run(flush());
    drive.settle();
    EXPECT_EQ(senses(0), 5U) << "only written";
    drive.run(read_of(0, 16));
    drive.run(write_of(0, 16));
    drive.run(flush());
    drive.settle();
    EXPECT_EQ(senses(0), 2U) << "read, then written";
    EXPECT_EQ(drive.statistics().steps.read[WL_AGCR_COARSE], 2U);
    drive.run(read_of(56, 8));
    EXPECT_EQ(drive.statistics().steps.read[initial], initial == WL_AGCR_COARSE ? 3U : 1U);
  }
}

TEST(AgcrReads, BeginAsAlwaysWhereLevelsAreMeasured) {
  Drive drive(agcr_boot(), 3);
  EXPECT_FALSE(rooms(drive.firmware()).media.read_starts);
  stress(drive, agcr_boot(), kWholeSectors, 1.0);
  EXPECT_EQ(drive.nand().led_reads, 0U);
}

wl_boot_info li_boot(std::uint16_t queue = 1) {
  wl_boot_info boot = boot_of({"agcr_li", 1, 1, 1, {0, 0, 0}, true, false});
  boot.ftl.policy = WL_POLICY_agcr_li;
  boot.dram_bytes = 4 << 20;
  policy_keys(boot).agcr.queue = queue;
  return boot;
}

// agcr.li.rule: a program is coarse from so many jobs of its die on, whoever they are for, else fine.
TEST(AgcrLi, IsCoarseWhenTheDieHasOtherJobs) {
  for (const std::uint16_t queue : {1, 3}) {
    Drive drive(li_boot(queue), 1);
    wl_firmware& fw = const_cast<wl_firmware&>(drive.firmware());
    for (std::uint32_t unit = 0; unit < 8; ++unit) {
      for (const std::uint32_t stream : {std::uint32_t{WL_STREAM_HOST}, std::uint32_t{WL_STREAM_GC}}) {
        wl_placement at{};
        ASSERT_TRUE(fw.policy->place(&fw, stream, &at));
        EXPECT_EQ(at.control, WL_AGCR_FINE) << "all dies are idle";
        rooms(fw).media.die_jobs[unit % 4] = static_cast<std::uint16_t>(queue - 1);
        ASSERT_TRUE(fw.policy->place(&fw, stream, &at));
        EXPECT_EQ(at.control, WL_AGCR_FINE);
        rooms(fw).media.die_jobs[unit % 4] = queue;
        ASSERT_TRUE(fw.policy->place(&fw, stream, &at));
        EXPECT_EQ(at.control, WL_AGCR_COARSE) << "unit " << unit << " lies in die " << unit % 4;
        rooms(fw).media.die_jobs[unit % 4] = 0;
        const std::uint32_t ppa = wl_superblock_place_unit(&fw, stream, at.superblock, at.unit);
        EXPECT_EQ(wl_locate(&fw.geometry, ppa).die, unit % 4);
        wl_superblock_program_done(&fw, at.superblock, 0);
      }
    }
  }
}

// ftl.agcr.busy_only: data that are only written are programmed coarsely where their die has jobs, else by default;
// what is of another class stays so.
TEST(Agcr, IsCoarseOnBusyDiesAloneWhereAskedTo) {
  wl_boot_info boot = agcr_boot();
  policy_keys(boot).agcr.busy_only = 1;
  policy_keys(boot).agcr.queue = 2;
  Drive drive(boot, 1);
  wl_firmware& fw = const_cast<wl_firmware&>(drive.firmware());
  const auto step_of = [&](std::uint32_t stream, std::uint16_t jobs) {
    for (std::uint32_t die = 0; die != fw.geometry.dies; ++die) rooms(fw).media.die_jobs[die] = jobs;
    wl_placement at{};
    EXPECT_TRUE(fw.policy->place(&fw, stream, &at));
    return at.control;
  };
  for (const std::uint32_t first : {std::uint32_t{WL_STREAM_HOST}, std::uint32_t{WL_STREAM_GC}}) {
    EXPECT_EQ(step_of(first + WL_AGCR_COARSE, 1), WL_AGCR_DEFAULT);
    EXPECT_EQ(step_of(first + WL_AGCR_COARSE, 2), WL_AGCR_COARSE);
    for (const std::uint16_t jobs : {0, 1, 2}) {
      EXPECT_EQ(step_of(first + WL_AGCR_DEFAULT, jobs), WL_AGCR_DEFAULT);
      EXPECT_EQ(step_of(first + WL_AGCR_FINE, jobs), WL_AGCR_FINE);
    }
  }
}

TEST(Agcr, WithoutThatCountsNoJobs) { EXPECT_EQ(rooms(Drive(agcr_boot(), 1).firmware()).media.die_jobs, nullptr); }

// A job counts from when it is sent until it has ended, its retries included; the test's own count of what the dies
// have is at no time greater.
TEST(AgcrLi, CountsTheJobsOfEveryDie) {
  constexpr std::uint32_t kLeast = WL_ENGINE_PARSE | WL_ENGINE_RETRY;
  for (const std::uint32_t engines : {kLeast, kLeast | WL_ENGINE_JOB | WL_ENGINE_COMPLETION}) {
    wl_boot_info boot = li_boot();
    boot.engines = engines;
    Drive drive(boot, 7);
    const wl_firmware& fw = drive.firmware();
    std::uint32_t most = 0;
    drive.nand().faults.uncorrectable = [&](const wl_flash_job& job, std::uint32_t) {
      EXPECT_GE(rooms(fw).media.die_jobs[job.die], 1) << "this one";
      most = std::max<std::uint32_t>(most, rooms(fw).media.die_jobs[job.die]);
      return false;
    };
    drive.nand().faults.program_fail = [&](const wl_flash_job& job, std::uint32_t) {
      EXPECT_GE(rooms(fw).media.die_jobs[job.die], 1);
      return false;
    };
    stress(drive, boot, kEverything, 2.0);
    read_everything(drive, boot);
    drive.settle();
    EXPECT_GT(most, 2U);
    for (std::uint32_t die = 0; die < boot.dies; ++die) EXPECT_EQ(rooms(fw).media.die_jobs[die], 0) << "die " << die;
    const auto& s = drive.statistics().steps;
    EXPECT_EQ(s.programmed[WL_AGCR_DEFAULT], 0U);
    EXPECT_GT(s.programmed[WL_AGCR_COARSE], 0U);
    EXPECT_GT(s.programmed[WL_AGCR_FINE], 0U);
  }
}

wl_boot_info rewriting_boot(std::uint8_t rewrite, std::uint8_t window = 2) {
  wl_boot_info boot = unsafe(agcr_boot(window));
  policy_keys(boot).agcr.rewrite = rewrite;
  boot.ftl.idle_after_us = 100;
  return boot;
}

void be_silent(Drive& drive) {
  for (int i = 0; i < 3; ++i) {
    drive.pass(100);
    drive.settle();
  }
}

// agcr.rewrite.rule, agcr.rewrite.idle: data that were written coarsely and are read twice, so that write-only pages
// have become read-only ones, are programmed finely when the host is silent, and not before.
TEST(AgcrRewrites, WhatIsOnlyReadIsProgrammedFinelyWhileTheHostIsSilent) {
  Agcr a(rewriting_boot(WL_AGCR_REWRITE_COARSE));
  const auto& s = a.drive.statistics();
  for (std::uint32_t lpn = 0; lpn < 8; ++lpn) a.write(lpn);
  for (std::uint32_t lpn = 0; lpn < 8; ++lpn) a.read(lpn);
  be_silent(a.drive);
  EXPECT_EQ(s.idle_lpages, 0U) << "write, read: interleaved";
  for (std::uint32_t lpn = 0; lpn < 8; ++lpn) a.read(lpn);
  EXPECT_EQ(s.idle_lpages, 0U) << "the host is not silent";
  EXPECT_EQ(a.step(3), WL_AGCR_COARSE);
  be_silent(a.drive);
  EXPECT_EQ(s.idle_lpages, 8U);
  EXPECT_EQ(s.gc_lpages_copied, 8U);
  EXPECT_EQ(s.gc_superblocks, 0U) << "no superblock is collected for it";
  EXPECT_EQ(s.steps.programmed[WL_AGCR_FINE], 8U);
  for (std::uint32_t lpn = 0; lpn < 8; ++lpn) EXPECT_EQ(a.step(lpn), WL_AGCR_FINE) << lpn;
  for (std::uint32_t lpn = 0; lpn < 8; ++lpn) a.read(lpn);
  be_silent(a.drive);
  EXPECT_EQ(s.idle_lpages, 8U) << "once";
  expect_consistent(a.drive);
}

// The source's tag marks data written coarsely; the others are programmed anew only when that is asked for.
TEST(AgcrRewrites, LeaveWhatTheDevicesStepHasWrittenUnlessAllIsAskedFor) {
  for (const std::uint8_t rewrite : {WL_AGCR_REWRITE_NONE, WL_AGCR_REWRITE_COARSE, WL_AGCR_REWRITE_ALL}) {
    Agcr a(rewriting_boot(rewrite));
    for (std::uint32_t lpn = 0; lpn < 8; ++lpn) {
      a.write(lpn);
      a.read(lpn);
      a.write(lpn);
      a.read(lpn);
      a.read(lpn);
      EXPECT_EQ(a.step(lpn), WL_AGCR_DEFAULT);
    }
    be_silent(a.drive);
    EXPECT_EQ(a.drive.statistics().idle_lpages, rewrite == WL_AGCR_REWRITE_ALL ? 8U : 0U);
  }
}

TEST(AgcrRewrites, LeaveWhatTheHostHasWrittenMeanwhile) {
  Agcr a(rewriting_boot(WL_AGCR_REWRITE_COARSE));
  for (std::uint32_t lpn = 0; lpn < 8; ++lpn) {
    a.write(lpn);
    a.read(lpn);
    a.read(lpn);
  }
  for (std::uint32_t lpn = 0; lpn < 4; ++lpn) a.write(lpn);
  be_silent(a.drive);
  EXPECT_EQ(a.drive.statistics().idle_lpages, 4U);
  for (std::uint32_t lpn = 0; lpn < 8; ++lpn) EXPECT_EQ(a.step(lpn), lpn < 4 ? WL_AGCR_DEFAULT : WL_AGCR_FINE) << lpn;
}

// agcr.rewrite.idle: none is begun while a command is under way, nor a program of one before the last one has ended;
// and nothing is lost, with GC beside it.
TEST(AgcrRewrites, BeginWhileNoCommandIsUnderWay) {
  for (const bool pages : {false, true}) {
    wl_boot_info boot = rewriting_boot(WL_AGCR_REWRITE_ALL, 3);
    if (pages) boot.ftl.map_page = boot.lpages_per_page;
    boot.preconditioned = 1;
    boot.user_lpages -= boot.user_lpages % 2;
    Drive drive(boot, 11);
    const wl_firmware& fw = drive.firmware();
    std::uint64_t begun = 0;
    for (int round = 0; round < 200; ++round) {
      stress(drive, boot, kWholeSectors, 0.02);
      for (int i = 0; i < 600; ++i) {
        const std::uint64_t before = drive.statistics().idle_lpages;
        if (drive.has_tag() && drive.random() % 256 == 0) {
          drive.submit(read_of(drive.random() % 48 * 8, 8));
        } else if (!drive.idle() || drive.random() % 2 == 0) {
          drive.step();
        } else {
          drive.pass(50);
        }
        if (drive.statistics().idle_lpages == before) continue;
        ++begun;
        ASSERT_EQ(rooms(fw).service.active, 0U);
        ASSERT_EQ(rooms(fw).core.silence, static_cast<std::uint32_t>(WL_SILENT));
        ASSERT_TRUE(rooms(fw).reloc.idle_unit == WL_NONE ||
                    rooms(fw).buffer.units[rooms(fw).reloc.idle_unit].state != WL_UNIT_FREE);
      }
      drive.drain();
    }
    EXPECT_GT(begun, 50U);
    EXPECT_GT(drive.statistics().gc_superblocks, 5U);
    read_everything(drive, boot);
    drive.settle();
    if (!pages) expect_consistent(drive);
    EXPECT_TRUE(drive.errors.empty());
  }
}

// On both cores, with failing programs.
TEST(AgcrRewrites, LoseNothing) {
  for (const char* image : {"", WORDLINE_FIRMWARE_IMAGE}) {
    wl_boot_info boot = rewriting_boot(WL_AGCR_REWRITE_ALL);
    if (image[0] != 0) boot.tcm_bytes = WL_TCM_SIZE;
    Drive drive(boot, 13, image);
    std::uint32_t programs = 0;
    drive.nand().faults.program_fail = [&](const wl_flash_job& job, std::uint32_t) {
      return (job.control & WL_PROGRAM_SET) == WL_AGCR_FINE && ++programs == 3;
    };
    for (int round = 0; round < 30; ++round) {
      stress(drive, boot, kWholeSectors, 0.1);
      for (std::uint32_t lpn = 0; lpn < 40; ++lpn) drive.run(read_of(lpn * 8, 8));
      drive.settle();
      be_silent(drive);
    }
    read_everything(drive, boot);
    EXPECT_GT(drive.statistics().idle_lpages, 100U);
    EXPECT_GT(drive.statistics().gc_superblocks, 5U);
    EXPECT_GE(programs, 3U);
    EXPECT_TRUE(drive.errors.empty());
  }
}

}  // namespace
}  // namespace wordline::testing::agcr_test
