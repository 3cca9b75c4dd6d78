// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The policy cube: parameters of followers, which word line comes next, the safety check. Dies here measure what a test
// says.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cube_drive.h"

namespace wordline::testing::cube_test {
namespace {

wl_program_set set_of(const wl_program_report& report) {
  const wl_cube_rules all = cube_rules();
  return wl_cube_set(&all, &report);
}

// cube.skip.formula_1, cube.skip.formula_i, cube.skip.lead_rule, cube.skip.higher_more: verifies before the loop in
// which the leader's first cell passed.
TEST(CubeSet, LeavesOutVerifiesThatTheLeaderDidNotNeed) {
  const wl_program_set set = set_of(report_of(kUnit));
  for (unsigned s = 1; s <= 7; ++s) EXPECT_EQ(set.skip[s], s - 1);
  const wl_program_set late = set_of(report_of(kUnit, 1));
  for (unsigned s = 1; s <= 7; ++s) EXPECT_EQ(late.skip[s], s) << "measured, not taken from a table";
  wl_cube_rules only_window = cube_rules();
  only_window.skips = 0;
  const wl_program_report r = report_of(kUnit);
  for (const std::uint8_t skip : wl_cube_set(&only_window, &r).skip) EXPECT_EQ(skip, 0);
}

// cube.skip.example_p2, cube.skip.example_p3, cube.prog.mlc_loops: the worked MLC case of the thesis, its Fig. 5(a): 3,
// 2 and 2 loops a state, so P2 begins in loop 4 and P3 in loop 6.
TEST(CubeSet, SkipsAsInTheWorkedCaseOfTheThesis) {
  wl_program_report r{};
  r.states = 3;
  r.loops = 7;
  r.ber_ep1 = 3 * kUnit;
  for (const auto& [state, first, last] : {std::tuple{1, 1, 3}, {2, 4, 5}, {3, 6, 7}}) {
    r.l_min[state] = static_cast<std::uint8_t>(first);
    r.l_max[state] = static_cast<std::uint8_t>(last);
  }
  const wl_cube_rules all = cube_rules();
  const wl_program_set set = wl_cube_set(&all, &r);
  EXPECT_EQ(set.skip[1], 0);
  EXPECT_EQ(set.skip[2], 3);
  EXPECT_EQ(set.skip[3], 5);
}

// cube.maxloop.sm, cube.maxloop.tables, cube.maxloop.modified, cube.sm.example_value, cube.sm.example_mv: a margin
// of 1.7 permits 320 mV, half at either end.
TEST(CubeSet, NarrowsTheWindowByTheMargin) {
  const wl_cube_rules all = cube_rules();
  const auto window = [&](std::uint32_t ber_ep1) {
    const wl_program_report r = report_of(ber_ep1);
    const wl_program_set set = wl_cube_set(&all, &r);
    EXPECT_LE(set.final_cut_mv - set.start_raise_mv, 10) << "halves";
    EXPECT_EQ(set.start_raise_mv % 10 + set.final_cut_mv % 10, 0) << "the grain of the features";
    return set.start_raise_mv + set.final_cut_mv;
  };
  EXPECT_EQ(window(kUnit), 310) << "a margin of 1.7 is 319.6 mV, and never more than the margin";
  EXPECT_EQ(window(kUnit - 3000), 320);
  EXPECT_EQ(window(1), 320) << "the most";
  EXPECT_EQ(window(17 * (kUnit / 10)), 180) << "a margin of 1";
  EXPECT_EQ(window(27 * (kUnit / 10) - 1), 0);
  EXPECT_EQ(window(27 * (kUnit / 10)), 0);
  EXPECT_EQ(window(4'000'000'000U), 0);
  for (std::uint32_t ber = 2; ber < 30 * kUnit / 10; ber += 1009) EXPECT_GE(window(ber - 1), window(ber));
}

// cube.opm.role: parameters of each program follow from what was measured, on a map of pages.
// cube.opm.leader_default, cube.opm.inputs, cube.opm.outputs, cube.opm.lifetime, cube.order.groups: the first program
// of a layer has the device's parameters, all others those that follow from what it measured, layer by layer and die by
// die.
TEST(Cube, FollowersAreProgrammedAsTheirLeaderMeasured) {
  const wl_boot_info boot = cube_boot();
  CubeDrive d(boot);
  d.ber = [](const Program& p) { return kUnit + (p.die * 4 + p.layer) * kUnit / 12; };
  stress(d.drive, boot, kWholeSectors, 2.0);
  d.drive.settle();
  const wl_cube_rules all = cube_rules();
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, unsigned> programs;
  ASSERT_GT(d.log.size(), 500U);
  for (const Program& p : d.log) {
    const unsigned before = programs[{p.die, p.block, p.layer}]++ % 4;
    ASSERT_EQ(p.own, before == 0) << "die " << p.die << " block " << p.block << " layer " << p.layer;
    if (p.own) continue;
    const wl_program_report r = report_of(d.ber(p));
    ASSERT_TRUE(same(p.set, wl_cube_set(&all, &r)));
  }
  expect_consistent(d.drive);
}

/// Kinds of the first `count` programs in each die, 'L' and 'F', by word line 0 and the others.
std::map<std::uint32_t, std::string> kinds(const std::vector<Program>& log, std::size_t count) {
  std::map<std::uint32_t, std::string> by_die;
  for (const Program& p : log)
    if (by_die[p.die].size() < count) by_die[p.die] += p.word_line == 0 ? 'L' : 'F';
  return by_die;
}

// cube.wam.low, cube.wam.indices, cube.wam.exhausted, cube.plat.baseline.cubeminus: little to write uses up the leaders
// of both superblocks before any follower.
TEST(Cube, LittleToWriteTakesLeaders) {
  wl_boot_info boot = cube_boot();
  policy_keys(boot).cube.demand_permille = 1000;  // the buffer is never fuller than full
  CubeDrive two(boot);
  stress(two.drive, boot, kWholeSectors, 0.5);
  for (const auto& [die, order] : kinds(two.log, 10)) EXPECT_EQ(order, "LLLLLLLLFF") << "die " << die;
  policy_keys(boot).cube.active_superblocks = 1;
  CubeDrive one(boot);
  stress(one.drive, boot, kWholeSectors, 0.5);
  for (const auto& [die, order] : kinds(one.log, 10)) EXPECT_EQ(order, "LLLLFFFFFF") << "die " << die;
}

// cube.wam.mu, cube.wam.high, cube.order.mos_benefit: much to write takes followers where their leader is measured.
TEST(Cube, MuchToWriteTakesFollowers) {
  wl_boot_info boot = cube_boot();
  policy_keys(boot).cube.demand_permille = 0;  // any data in the buffer are much
  CubeDrive d(boot);
  stress(d.drive, boot, kWholeSectors, 0.5);
  for (const auto& [die, order] : kinds(d.log, 8)) EXPECT_EQ(order, "LFFFLFFF") << "die " << die;
}

// cube.cubeminus.rule, cube.order.horizontal: h-layer by h-layer whatever is to be written.
TEST(Cube, WithoutAllocationByDemandLayersAreFilledInTurn) {
  wl_boot_info boot = cube_boot();
  policy_keys(boot).cube.by_demand = 0;
  policy_keys(boot).cube.demand_permille = 1000;
  CubeDrive d(boot);
  stress(d.drive, boot, kWholeSectors, 0.5);
  for (const auto& [die, order] : kinds(d.log, 8)) EXPECT_EQ(order, "LFFFLFFF") << "die " << die;
}

// cube.safety.read, cube.safety.rule, cube.safety.remonitor: data of a bad word line are programmed again, and the next
// program of its layer measures anew.
TEST(Cube, ABadWordLineIsProgrammedAgain) {
  const wl_boot_info boot = cube_boot();
  CubeDrive d(boot);
  unsigned number = 0, bad = 0;
  std::vector<std::size_t> at;
  d.ber = [&](const Program& p) {
    if (p.own || ++number % 50 != 0) return kUnit;
    ++bad;
    at.push_back(d.log.size() - 1);
    return kUnit * 151 / 100;
  };
  stress(d.drive, boot, kEverything, 2.0);
  read_everything(d.drive, boot);
  d.drive.settle();
  expect_consistent(d.drive);
  ASSERT_GT(bad, 5U);
  EXPECT_EQ(d.drive.statistics().programs.repeated_lpages,
            std::uint64_t{bad} * d.drive.firmware().geometry.unit_lpages);
  unsigned first_followers = 0;
  for (const std::size_t i : at) {
    const Program& p = d.log[i];
    if (p.word_line != 1) continue;  // two more of the layer follow, of which one may be under way already
    const auto measures = [&](const Program& q) {
      return q.die == p.die && q.block == p.block && q.layer == p.layer && q.word_line > 1 && q.own;
    };
    const auto from = d.log.begin() + static_cast<std::ptrdiff_t>(i);
    EXPECT_TRUE(std::any_of(from, std::min(from + 64, d.log.end()), measures)) << i;
    ++first_followers;
  }
  EXPECT_GT(first_followers, 2U);
}

TEST(Cube, OneAndAHalfTimesTheErrorsIsTheLimit) {
  const wl_boot_info boot = cube_boot();
  CubeDrive d(boot);
  d.ber = [](const Program& p) { return p.own ? kUnit : kUnit * 150 / 100; };
  stress(d.drive, boot, kWholeSectors, 1.0);
  EXPECT_EQ(d.drive.statistics().programs.repeated_lpages, 0U) << "150 % is not above 150 %";
}

class CubeDrives : public ::testing::TestWithParam<std::tuple<int, bool, unsigned>> {};

// Failing programs, leaders among them, keep no follower waiting for ever.
TEST_P(CubeDrives, KeepTheirData) {
  const auto [leaders, by_demand, seed] = GetParam();
  wl_boot_info boot = cube_boot();
  policy_keys(boot).cube.moves_to_leaders = leaders != 0;
  policy_keys(boot).cube.keeps_stock = leaders == 2;
  policy_keys(boot).cube.by_demand = by_demand;
  CubeDrive d(boot, seed);
  unsigned number = 0;
  d.drive.nand().faults.program_fail = [&](const wl_flash_job&, std::uint32_t) { return ++number % 701 == 0; };
  stress(d.drive, boot, kEverything, 3.0);
  read_everything(d.drive, boot);
  d.drive.settle();
  EXPECT_GT(d.drive.statistics().gc_superblocks, 0U);
  expect_consistent(d.drive);
}

INSTANTIATE_TEST_SUITE_P(All, CubeDrives,
                         ::testing::Combine(::testing::Range(0, 3), ::testing::Bool(), ::testing::Range(1U, 4U)));

// ftl.cube.gc_uses = stock: the second superblock is open while GC works, too, so that moved data find leaders.
TEST(Cube, AStockOfFollowersIsKeptWhileGcWorks) {
  const auto moved_leaders = [](bool stock) {
    wl_boot_info boot = cube_boot();
    policy_keys(boot).cube.moves_to_leaders = 1;
    policy_keys(boot).cube.keeps_stock = stock;
    CubeDrive d(boot);
    stress(d.drive, boot, kWholeSectors, 4.0);
    d.drive.settle();
    EXPECT_GT(d.drive.statistics().gc_superblocks, 0U);
    const auto& s = d.drive.statistics().programs;
    return static_cast<double>(s.moved_leaders) / static_cast<double>(s.moved_leaders + s.moved_followers);
  };
  EXPECT_GT(moved_leaders(true), moved_leaders(false));
}

// cube.wam.gc: where moved data go is a key.
TEST(Cube, CountsWordLinesAndParameters) {
  for (const bool leaders : {false, true}) {
    wl_boot_info boot = cube_boot();
    policy_keys(boot).cube.moves_to_leaders = leaders;
    CubeDrive d(boot);
    stress(d.drive, boot, kWholeSectors, 3.0);
    d.drive.settle();
    const auto& s = d.drive.statistics().programs;
    const auto count = [&](auto what) {
      return static_cast<std::uint64_t>(std::count_if(d.log.begin(), d.log.end(), what));
    };
    EXPECT_EQ(s.host_leaders + s.moved_leaders, count([](const Program& p) { return p.word_line == 0; }));
    EXPECT_EQ(s.host_followers + s.moved_followers, count([](const Program& p) { return p.word_line != 0; }));
    EXPECT_EQ(s.with_parameters, count([](const Program& p) { return !p.own; }));
    EXPECT_GT(s.moved_leaders, 0U);
    if (leaders) {
      EXPECT_GT(s.moved_leaders * 3, s.moved_followers) << "more than one in four";
      EXPECT_LT(s.host_leaders * 3, s.host_followers) << "fewer than one in four";
    }
  }
}

// cube.vert.rule: the policy vert lowers Vfinal, by the same amount in every program, whatever was measured; no more.
TEST(Vert, LowersTheFinalVoltageOfEveryProgram) {
  wl_boot_info boot = cube_boot();
  boot.ftl.policy = WL_POLICY_vert;
  policy_keys(boot).vert.cut_mv = 130;
  Drive drive(boot, 7);
  drive.nand().mixed = true;
  std::uint64_t programs = 0;
  drive.nand().faults.program_fail = [&](const wl_flash_job& job, std::uint32_t) {
    ++programs;
    EXPECT_EQ(job.control & ~WL_PROGRAM_SET, 0U) << "nothing is measured";
    const wl_program_set& set = rooms(drive.firmware()).media.program_sets[job.control & WL_PROGRAM_SET];
    EXPECT_TRUE((job.control & WL_PROGRAM_SET) != 0 && same(set, {0, 0, 130, 0, {}}));
    EXPECT_EQ(set.step_mv, 0);
    return false;
  };
  stress(drive, boot, kWholeSectors, 2.0);
  drive.settle();
  EXPECT_GT(programs, 500U);
  EXPECT_GT(drive.statistics().gc_superblocks, 0U);
  expect_consistent(drive);
}

}  // namespace
}  // namespace wordline::testing::cube_test
