// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Policies of two: each keeps the promises of both.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "cube_drive.h"
#include "models/units/keyed_random.h"

extern "C" {
#include "models/firmware/policy/agcr_steps.h"
#include "models/firmware/policy/ppb_levels.h"
#include "models/firmware/space/space.h"
}

namespace wordline::testing::combinations_test {
namespace {

constexpr std::uint32_t kCoarse = 240, kFine = 135;  // mV

/// The drive of cube, with room for the superblocks of more classes.
wl_boot_info combined_boot(std::uint32_t policy) {
  wl_boot_info boot = cube_boot();
  boot.ftl.policy = policy;
  const wl_declared declared = wl_policy_declares(policy);
  const std::uint32_t unit = boot.planes * boot.lpages_per_page * boot.pages_per_program;
  boot.blocks += 8;
  boot.gc_slots = (declared.move_streams + 2) * unit;
  boot.write_slots = (declared.host_streams + 3) * unit;
  policy_keys(boot).ppb = {2, 1, 2, boot.user_lpages / 4, boot.user_lpages / 4, 0, 128, 4, 1000};
  return boot;
}

/// Place of a sector on flash, or WL_NONE.
std::uint32_t ppa_of(const wl_firmware& fw, std::uint32_t lpn) {
  const std::uint32_t value = wl_map_resolve(rooms(fw).map.l2p[lpn], lpn, fw.boot.preconditioned);
  return value >= WL_MAP_PPA0 && value < WL_MAP_BUFFER ? value - WL_MAP_PPA0 : WL_NONE;
}

// ---- cube+agcr ----

/// What a die measures depends on the step, as it does in cells: a coarse one has fewer loops and more errors.
wl_program_report measured_at(std::uint32_t step_mv, std::uint32_t ber_ep1) {
  wl_program_report r = report_of(ber_ep1);
  for (unsigned s = 2; s <= 7; ++s) r.l_min[s] = static_cast<std::uint8_t>(s * 180 / step_mv);
  return r;
}
std::uint32_t errors_at(std::uint32_t step_mv) { return kUnit * step_mv / 180; }

/// The step that a program was asked for with, 0: the device's; whether parameters beside it are a leader's.
std::uint32_t step_of(const Program& p) { return p.own ? 0 : p.set.step_mv; }
bool as_leader(const Program& p) {
  wl_program_set rest = p.set;
  rest.step_mv = 0;
  return p.own || same(rest, wl_program_set{});
}

class CubeAgcr : public ::testing::Test {
 protected:
  static void measure(CubeDrive& d, const wl_boot_info& boot) {
    d.drive.measure = [&d, boot](const wl_flash_job& job, const wl_program_set* set) {
      const std::uint32_t word_line = job.page / boot.pages_per_program;
      d.log.push_back({job.die, job.block, word_line / 4, word_line % 4, set == nullptr,
                       set == nullptr ? wl_program_set{} : *set, job.control});
      const std::uint32_t step = set == nullptr || set->step_mv == 0 ? 180 : set->step_mv;
      return measured_at(step, errors_at(step));
    };
  }
};

// Every follower has what the last leader of its layer, by the step of its own class, measured; and each program the
// step that the table of units says afterwards.
TEST_F(CubeAgcr, FollowersHaveTheStepOfTheirClassAndWhatItsLeaderMeasured) {
  const wl_boot_info boot = combined_boot(WL_POLICY_cube_agcr);
  CubeDrive d(boot);
  measure(d, boot);
  const wl_firmware& fw = d.drive.firmware();
  stress(d.drive, boot, kEverything, 3.0);
  read_everything(d.drive, boot);
  d.drive.settle();
  expect_consistent(d.drive);
  const wl_cube_rules rules = cube_rules();
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> measured;  // step, of each layer
  std::map<std::uint32_t, std::uint32_t> steps;  // by unit: of its last program
  std::array<unsigned, 3> followers{}, leaders{};
  for (const Program& p : d.log) {
    const std::uint32_t step = step_of(p);
    ASSERT_TRUE(step == 0 || step == kCoarse || step == kFine) << step;
    const std::uint32_t class_of = step == 0 ? WL_AGCR_DEFAULT : step == kCoarse ? WL_AGCR_COARSE : WL_AGCR_FINE;
    const auto layer = std::tuple{p.die, p.block, p.layer};
    if ((p.control & WL_PROGRAM_REPORT) != 0) {
      ASSERT_TRUE(as_leader(p));
      ASSERT_TRUE(p.word_line == 0 || measured.at(layer) != step) << "nothing has to be measured again";
      measured[layer] = step;
      ++leaders.at(class_of);
    } else {
      ASSERT_NE(p.word_line, 0U);
      ASSERT_EQ(measured.at(layer), step) << "die " << p.die << " block " << p.block << " layer " << p.layer;
      const std::uint32_t mv = step == 0 ? 180 : step;
      const wl_program_report report = measured_at(mv, errors_at(mv));
      ASSERT_TRUE(same(p.set, wl_cube_set(&rules, &report)));
      ++followers.at(class_of);
    }
    steps[p.block * fw.geometry.superblock_units + (p.layer * 4 + p.word_line) * boot.dies + p.die] = class_of;
  }
  for (const unsigned n : followers) EXPECT_GT(n, 20U);
  for (const unsigned n : leaders) EXPECT_GT(n, 10U);
  for (const auto& [unit, step] : steps)
    ASSERT_EQ(wl_agcr_step_at(&fw, unit * fw.geometry.unit_lpages), step) << "unit " << unit;
  const auto& s = d.drive.statistics();
  EXPECT_EQ(s.steps.programmed[0] + s.steps.programmed[1] + s.steps.programmed[2], s.lpages_programmed);
}

// Where space is short a superblock takes data of another class. They keep their step, which makes them leaders: what
// is measured holds for the next program of the layer by the same step, and for no other.
TEST_F(CubeAgcr, DataOfAnotherClassKeepTheirStepAndMeasureTheLayerAnew) {
  wl_boot_info boot = combined_boot(WL_POLICY_cube_agcr);
  boot.ftl.gc_pacing = 0;
  policy_keys(boot).cube.by_demand = 0;
  Drive drive(boot, 1);
  wl_firmware& fw = const_cast<wl_firmware&>(drive.firmware());
  std::uint32_t superblock = WL_NONE, step = 0;
  // One unit, whose program ends before the next begins.
  const auto put = [&](std::uint32_t stream) {
    wl_placement at{};
    EXPECT_TRUE(fw.policy->place(&fw, stream, &at));
    superblock = at.superblock;
    const std::uint32_t ppa = wl_superblock_place_unit(&fw, stream, at.superblock, at.unit);
    const wl_program_report report = report_of(kUnit);
    EXPECT_EQ(fw.policy->programmed(&fw, ppa, at.control, &report, false), WL_PROGRAM_OK);
    wl_superblock_program_done(&fw, at.superblock, 1);
    step = rooms(fw).media.program_sets[at.control & WL_PROGRAM_SET].step_mv;
    EXPECT_EQ(wl_agcr_step_at(&fw, ppa), wl_stream_class(stream));
    return at.control & WL_PROGRAM_MEASURES;
  };
  constexpr std::uint32_t kMeasured = WL_PROGRAM_REPORT, kFollowed = WL_PROGRAM_CHECK;
  while (!wl_superblocks_short(&fw)) EXPECT_NE(put(WL_AGCR_COARSE), 0U);
  const std::uint32_t open = superblock;  // the last that the host may have, with a leader in the first die
  for (std::uint32_t die = 1; die < boot.dies; ++die) EXPECT_EQ(put(WL_AGCR_COARSE), kMeasured);
  EXPECT_EQ(put(WL_AGCR_DEFAULT), kMeasured) << "of the second word line in the first die";
  EXPECT_EQ(step, 0U);
  EXPECT_EQ(superblock, open);
  for (std::uint32_t die = 1; die < boot.dies; ++die) {
    EXPECT_EQ(put(WL_AGCR_COARSE), kFollowed) << die;
    EXPECT_EQ(step, kCoarse);
  }
  EXPECT_EQ(put(WL_AGCR_COARSE), kMeasured) << "the third in the first die, behind one of another step";
  EXPECT_EQ(step, kCoarse);
  for (std::uint32_t die = 1; die < boot.dies; ++die) EXPECT_EQ(put(WL_AGCR_COARSE), kFollowed) << die;
  EXPECT_EQ(put(WL_AGCR_COARSE), kFollowed) << "the fourth, behind one of its step";
  EXPECT_EQ(step, kCoarse);
  EXPECT_EQ(superblock, open);
}

// The class of a sector is agcr's, whatever word line it lies on.
TEST_F(CubeAgcr, ClassesAreThoseOfAgcr) {
  wl_boot_info boot = combined_boot(WL_POLICY_cube_agcr);
  boot.power_safe = 0;  // FLUSH reaches flash
  CubeDrive d(boot);
  const wl_firmware& fw = d.drive.firmware();
  const auto write = [&] {
    d.drive.run(write_of(0, 8));
    d.drive.run(flush());
    d.drive.settle();
    return wl_agcr_step_at(&fw, ppa_of(fw, 0));
  };
  EXPECT_EQ(write(), WL_AGCR_COARSE) << "nothing but this write is known";
  d.drive.run(read_of(0, 8));
  EXPECT_EQ(write(), WL_AGCR_DEFAULT) << "read, write";
  d.drive.run(read_of(0, 8));
  d.drive.run(read_of(0, 8));
  EXPECT_EQ(fw.policy->class_of_move(&fw, 0, ppa_of(fw, 0)), WL_AGCR_FINE);
}

// A bad word line is programmed again, in its own step, and counted once.
TEST_F(CubeAgcr, ABadWordLineIsProgrammedAgain) {
  const wl_boot_info boot = combined_boot(WL_POLICY_cube_agcr);
  CubeDrive d(boot);
  unsigned number = 0, bad = 0;
  d.ber = [&](const Program& p) {
    if ((p.control & WL_PROGRAM_CHECK) == 0 || ++number % 40 != 0) return kUnit;
    ++bad;
    return kUnit * 2;
  };
  stress(d.drive, boot, kEverything, 2.0);
  read_everything(d.drive, boot);
  d.drive.settle();
  expect_consistent(d.drive);
  const auto& s = d.drive.statistics();
  EXPECT_GT(bad, 5U);
  EXPECT_EQ(s.programs.repeated_lpages, std::uint64_t{bad} * d.drive.firmware().geometry.unit_lpages);
  EXPECT_EQ(s.steps.programmed[0] + s.steps.programmed[1] + s.steps.programmed[2], s.lpages_programmed);
}

// ---- ppb+cube ----

struct Shares {
  double fast = 0;  // share of the reads of flash
  std::uint64_t host_leaders = 0, host_followers = 0;
};

/// 70 % writes and 30 % reads of single sectors, each hot on a tenth of the drive of its own; the half of the layers
/// that is read fast takes so many of the reads.
Shares shares_of(std::uint32_t policy) {
  wl_boot_info boot = combined_boot(policy);
  boot.blocks = 120;
  boot.user_lpages = 96 * boot.dies * boot.pages * boot.planes * boot.lpages_per_page;
  boot.dram_bytes = 16 << 20;
  policy_keys(boot).ppb = {2, 1, 2, boot.user_lpages / 4, boot.user_lpages / 4, 0, 128, 4, 1000};
  CubeDrive d(boot);
  d.drive.nand().mixed = policy != WL_POLICY_ppb;
  Drive& drive = d.drive;
  const wl_firmware& fw = drive.firmware();
  const auto submit = [&](const Command& command) {
    while (!drive.has_tag()) drive.step();
    drive.submit(command);
  };
  for (std::uint32_t lpn = 0; lpn < boot.user_lpages; ++lpn) submit(write_of(std::uint64_t{lpn} * 8, 8));
  std::uint64_t reads = 0, fast = 0;
  const std::uint64_t warm = 4 * std::uint64_t{boot.user_lpages}, end = 6 * std::uint64_t{boot.user_lpages};
  for (std::uint64_t i = 0; i < end; ++i) {
    const bool writes = keyed_hash(61, i) % 10 < 7, hot = keyed_hash(62, i) % 10 < 8;
    const std::uint32_t tenth = boot.user_lpages / 10;
    const std::uint32_t lpn = hot ? static_cast<std::uint32_t>(keyed_hash(63, i) % tenth + (writes ? 0 : tenth / 2))
                                  : static_cast<std::uint32_t>(keyed_hash(63, i) % boot.user_lpages);
    if (writes) {
      submit(write_of(std::uint64_t{lpn} * 8, 8));
      continue;
    }
    const std::uint32_t ppa = ppa_of(fw, lpn);
    if (ppa != WL_NONE && i >= warm) {
      ++reads;
      if (ppa % fw.geometry.superblock_lpages >= fw.geometry.superblock_lpages / 2) ++fast;
    }
    submit(read_of(std::uint64_t{lpn} * 8, 8));
  }
  drive.settle();
  EXPECT_TRUE(drive.errors.empty());
  expect_consistent(drive);
  const auto& p = drive.statistics().programs;
  return {static_cast<double>(fast) / static_cast<double>(reads), p.host_leaders, p.host_followers};
}

// What is read often lies in fast layers as with ppb alone, though word lines are chosen by demand.
TEST(PpbCube, AsManyReadsFindFastLayersAsWithPpb) {
  const Shares ppb = shares_of(WL_POLICY_ppb), both = shares_of(WL_POLICY_ppb_cube), cube = shares_of(WL_POLICY_cube);
  RecordProperty("ppb", std::to_string(ppb.fast));
  RecordProperty("both", std::to_string(both.fast));
  RecordProperty("cube", std::to_string(cube.fast));
  EXPECT_GT(ppb.fast, cube.fast + 0.1) << "the workload says nothing of levels";
  EXPECT_NEAR(both.fast, ppb.fast, 0.03);
  EXPECT_GT(both.host_followers, both.host_leaders) << "three in four, but for superblocks that are open";
}

// Leaders of a virtual block are placed when all dies have filled the one before it; followers behind their leader,
// with what it measured.
TEST(PpbCube, WordLinesAreThoseOfTheVirtualBlock) {
  for (const std::uint8_t virtual_blocks : {2, 4}) {
    wl_boot_info boot = combined_boot(WL_POLICY_ppb_cube);
    policy_keys(boot).ppb.virtual_blocks = virtual_blocks;
    CubeDrive d(boot);
    d.ber = [](const Program& p) { return kUnit + (p.die * 4 + p.layer) * kUnit / 12; };
    stress(d.drive, boot, kWholeSectors, 3.0);
    d.drive.settle();
    expect_consistent(d.drive);
    const wl_cube_rules rules = cube_rules();
    const std::uint32_t layers = boot.layers.count / virtual_blocks, full = layers * 4 * boot.dies;
    std::map<std::uint32_t, std::vector<std::uint32_t>> placed;  // by superblock, units of each virtual block
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, unsigned> programs;
    unsigned out_of_order = 0;
    std::uint32_t last_layer = 0;
    for (const Program& p : d.log) {
      const unsigned before = programs[{p.die, p.block, p.layer}]++ % 4;
      ASSERT_EQ(p.own, before == 0);
      ASSERT_EQ(p.word_line == 0, before == 0);
      if (!p.own) {
        const wl_program_report r = report_of(d.ber(p));
        ASSERT_TRUE(same(p.set, wl_cube_set(&rules, &r)));
      }
      auto& units = placed[p.block];
      units.resize(virtual_blocks);
      const std::uint32_t v = p.layer / layers;
      if (v == 0 && units.back() == full) units.assign(virtual_blocks, 0);  // erased since
      ++units[v];
      // The last program of each die may end after the first of the next virtual block.
      const std::uint32_t before_it = v == 0 ? full : units[v - 1];
      ASSERT_GE(before_it + boot.dies, full) << "superblock " << p.block;
      if (p.word_line == 0 && p.layer != 0 && before == 0) out_of_order += p.layer != last_layer ? 1 : 0;
      last_layer = p.layer;
    }
    EXPECT_GT(d.log.size(), 800U);
    EXPECT_GT(out_of_order, 20U) << "leaders were taken before followers of the layer above";
  }
}

// ---- ppb+agcr ----

// The step follows from the level, with one table for what the host writes and one for what is moved.
TEST(PpbAgcr, TheStepFollowsFromTheLevel) {
  wl_boot_info boot = combined_boot(WL_POLICY_ppb_agcr);
  for (const std::uint8_t classes : {std::uint8_t{WL_AGCR_BY_HISTORY}, std::uint8_t{WL_AGCR_FINE}}) {
    policy_keys(boot).agcr.classes = classes;
    CubeDrive d(boot);
    wl_firmware& fw = const_cast<wl_firmware&>(d.drive.firmware());
    const auto step = [&](std::uint32_t stream) {
      wl_placement at{};
      EXPECT_TRUE(fw.policy->place(&fw, stream, &at));
      return at.control;
    };
    using Steps = std::array<std::uint32_t, WL_PPB_LEVELS>;
    Steps host{}, moved{};
    for (const std::uint32_t level : {WL_PPB_HOT, WL_PPB_IRON_HOT, WL_PPB_ICY_COLD, WL_PPB_COLD}) {
      host.at(level) = step(WL_STREAM_HOST + level);
      moved.at(level) = step(WL_STREAM_GC + level);
    }
    if (classes == WL_AGCR_BY_HISTORY) {
      EXPECT_EQ(host, (Steps{WL_AGCR_COARSE, WL_AGCR_DEFAULT, WL_AGCR_COARSE, WL_AGCR_DEFAULT}));
      EXPECT_EQ(moved, (Steps{WL_AGCR_COARSE, WL_AGCR_DEFAULT, WL_AGCR_DEFAULT, WL_AGCR_FINE}));
    } else {
      EXPECT_EQ(host, (Steps{WL_AGCR_FINE, WL_AGCR_FINE, WL_AGCR_FINE, WL_AGCR_FINE}));
      EXPECT_EQ(moved, host);
    }
  }
}

TEST(PpbAgcr, TheTableSaysHowEveryUnitWasProgrammed) {
  wl_boot_info boot = combined_boot(WL_POLICY_ppb_agcr);
  policy_keys(boot).agcr.rewrite = WL_AGCR_REWRITE_ALL;
  boot.ftl.idle_after_us = 100;
  Drive drive(boot, 5);
  const wl_firmware& fw = drive.firmware();
  std::map<std::uint32_t, std::uint32_t> steps;  // by unit
  drive.nand().faults.program_fail = [&](const wl_flash_job& job, std::uint32_t) {
    const std::uint32_t row = job.page / boot.pages_per_program * boot.dies + job.die;
    steps[job.block * fw.geometry.superblock_units + row] = job.control & WL_PROGRAM_SET;
    return false;
  };
  stress(drive, boot, kEverything, 3.0);
  read_everything(drive, boot);
  for (int i = 0; i < 50; ++i) {  // rewrites while the host is silent
    drive.pass(100);
    drive.settle();
  }
  read_everything(drive, boot);
  drive.settle();
  expect_consistent(drive);
  for (const auto& [unit, step] : steps)
    ASSERT_EQ(wl_agcr_step_at(&fw, unit * fw.geometry.unit_lpages), step) << "unit " << unit;
  const auto& s = drive.statistics();
  for (const std::uint64_t of : s.steps.programmed) EXPECT_GT(of, 0U);
}

// Data that are only read and lie coarsely are written anew once: what the level says is not coarser than what they
// have, so the next silence finds nothing to do.
TEST(PpbAgcr, WhatIsReadIsWrittenAnewOnce) {
  wl_boot_info boot = combined_boot(WL_POLICY_ppb_agcr);
  boot.power_safe = 0;
  policy_keys(boot).agcr.rewrite = WL_AGCR_REWRITE_COARSE;
  boot.ftl.idle_after_us = 100;
  Drive drive(boot, 3);
  const wl_firmware& fw = drive.firmware();
  const auto be_silent = [&] {
    for (int i = 0; i < 20; ++i) {
      drive.pass(100);
      drive.settle();
    }
  };
  const std::uint32_t unit = fw.geometry.unit_lpages, lpages = 4 * unit;
  for (std::uint32_t lpn = 0; lpn < lpages; ++lpn) drive.run(write_of(std::uint64_t{lpn} * 8, 8));
  drive.run(flush());
  drive.settle();
  for (std::uint32_t lpn = 0; lpn < lpages; ++lpn) ASSERT_EQ(wl_agcr_step_at(&fw, ppa_of(fw, lpn)), WL_AGCR_COARSE);
  const auto read_all = [&] {
    for (std::uint32_t lpn = 0; lpn < lpages; ++lpn) drive.run(read_of(std::uint64_t{lpn} * 8, 8));
  };
  read_all();
  be_silent();
  EXPECT_EQ(drive.statistics().idle_lpages, 0U) << "write, read: interleaved";
  read_all();
  be_silent();
  const std::uint64_t moved = drive.statistics().idle_lpages;
  EXPECT_GE(moved, lpages / 2);
  for (int i = 0; i < 3; ++i) {
    read_all();
    be_silent();
  }
  EXPECT_LE(drive.statistics().idle_lpages, lpages + unit) << "again and again";
  unsigned coarse = 0;
  for (std::uint32_t lpn = 0; lpn < lpages; ++lpn)
    coarse += wl_agcr_step_at(&fw, ppa_of(fw, lpn)) == WL_AGCR_COARSE ? 1 : 0;
  EXPECT_LT(coarse, unit) << "less than a unit waits for company";
}

// ---- all ----

class Combined : public ::testing::TestWithParam<std::tuple<std::uint32_t, bool, bool>> {};

// Programs that fail, and map units of pages: data stay.
TEST_P(Combined, KeepsDataWhenProgramsFail) {
  const auto [policy, by_page, leaders] = GetParam();
  wl_boot_info boot = combined_boot(policy);
  policy_keys(boot).cube.moves_to_leaders = leaders;
  policy_keys(boot).cube.by_demand = !leaders;
  if (by_page) {
    boot.ftl.map_page = boot.lpages_per_page;
    boot.user_lpages -= boot.user_lpages % boot.lpages_per_page;
  }
  for (const std::uint64_t seed : {1, 2}) {
    CubeDrive d(boot, seed);
    d.drive.nand().mixed = policy != WL_POLICY_ppb_agcr;
    unsigned number = 0;
    d.drive.nand().faults.program_fail = [&](const wl_flash_job&, std::uint32_t) { return ++number % 701 == 0; };
    stress(d.drive, boot, kEverything, 3.0);
    read_everything(d.drive, boot);
    d.drive.settle();
    EXPECT_GT(d.drive.statistics().gc_superblocks, 0U);
    if (!by_page) expect_consistent(d.drive);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Combined,
                         ::testing::Combine(::testing::Values(WL_POLICY_ppb_cube, WL_POLICY_cube_agcr,
                                                              WL_POLICY_ppb_agcr),
                                            ::testing::Bool(), ::testing::Bool()));

}  // namespace
}  // namespace wordline::testing::combinations_test
