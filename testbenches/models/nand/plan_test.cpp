// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/plan.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "models/nand/timing.h"
#include "models/units/keyed_random.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::plan_test {
namespace {

using namespace wordline::literals;
using config::CellType;
using config::ProgramGranularity;
using testing::Device;
using testing::device;

struct Element {
  Picoseconds begin;
  MicroOp op;
};

std::vector<Element> list(const Plan& plan) {
  std::vector<Element> all;
  plan.for_each([&](Picoseconds begin, const MicroOp& op) { all.push_back({begin, op}); });
  return all;
}

bool same(const MicroOp& a, const MicroOp& b) {
  return a.kind == b.kind && a.state == b.state && a.voltage == b.voltage && a.duration == b.duration &&
         a.energy == b.energy;
}

/// The three questions a plan answers must have one answer.
void expect_consistent(const Plan& plan, const std::string& name) {
  const auto all = list(plan);
  ASSERT_EQ(all.size(), plan.size()) << name;
  Picoseconds end{};
  double energy = 0;
  for (const Element& e : all) {
    ASSERT_EQ(e.begin, end) << name;
    ASSERT_GT(e.op.duration, 0_ps) << name;
    end += e.op.duration;
    energy += e.op.energy.count();
    // From its first to its last picosecond, and not one earlier or later.
    for (const Picoseconds t : {e.begin, e.begin + e.op.duration / 2, end - 1_ps}) {
      const Plan::Step step = plan.at(t);
      ASSERT_EQ(step.begin, e.begin) << name << " at " << t.count();
      ASSERT_TRUE(same(step.op, e.op)) << name << " at " << t.count();
    }
  }
  EXPECT_EQ(end, plan.total()) << name;
  EXPECT_NEAR(energy, plan.energy().count(), 1e-6 * plan.energy().count()) << name;
  EXPECT_EQ(plan.at(0_us - 1_us).begin, 0_ps) << name;
  EXPECT_EQ(plan.at(plan.total()).begin, all.back().begin) << name;
  EXPECT_EQ(plan.at(plan.total() + 1_ms).begin, all.back().begin) << name;
}

constexpr CellType kCells[] = {CellType::kSlc, CellType::kMlc, CellType::kTlc, CellType::kQlc};

TEST(PlanTest, TotalAtAndListAgreeForEveryOperationOfEveryDevice) {
  for (const CellType cell : kCells) {
    for (const auto program : {ProgramGranularity::kPage, ProgramGranularity::kWordLine}) {
      const Device d = device(cell, program);
      const ArrayPlans plans(d.nand, d.layout);
      for (unsigned type = 0; type < d.layout.page_types; ++type) {
        expect_consistent(plans.read(type), "read");
        expect_consistent(plans.program(type), "program");
        for (const Picoseconds total : {1_ms, 1_ms + 1_ps, 777'777'777_ps}) {
          expect_consistent(plans.read(type).scaled_to(total), "scaled read");
          expect_consistent(plans.program(type).scaled_to(total), "scaled program");
          EXPECT_EQ(plans.program(type).scaled_to(total).total(), total);
        }
      }
      expect_consistent(plans.erase(), "erase");
    }
  }
}

TEST(PlanTest, TotalAtAndListAgreeForRandomVerifyWindows) {
  for (std::uint64_t run = 0; run < 300; ++run) {
    std::uint64_t draw = 0;
    const auto random = [&](std::uint64_t n) { return keyed_hash(3, run, draw++) % n; };
    IsppShape shape;
    shape.loops = static_cast<std::uint8_t>(1 + random(20));
    shape.states = static_cast<std::uint8_t>(1 + random(15));
    for (unsigned s = 1; s <= shape.states; ++s) {
      shape.first[s] = static_cast<std::uint8_t>(1 + random(shape.loops));
      shape.last[s] = static_cast<std::uint8_t>(shape.first[s] + random(shape.loops - shape.first[s] + 1U));
    }
    shape.last[shape.states] = shape.loops;
    const Picoseconds pulse(static_cast<std::int64_t>(1000 + random(100'000)));
    const Picoseconds verify(static_cast<std::int64_t>(1000 + random(100'000)));
    StateLevels levels{};
    for (unsigned s = 1; s < kMaxStates; ++s) levels[s] = static_cast<float>(100 * s);
    const Plan plan = Plan::program(pulse, verify, shape, Millivolts(14000), Millivolts(180), levels, 0.1);
    expect_consistent(plan, "run " + std::to_string(run));
    EXPECT_EQ(plan.total(), pulse * std::int64_t{shape.loops} + verify * std::int64_t{shape.total_verifies()});
    expect_consistent(plan.scaled_to(Picoseconds(static_cast<std::int64_t>(5'000'000 + random(900'000'000)))),
                      "scaled");
  }
}

TEST(PlanTest, PulsesRiseByTheIsppStepAndVerifiesNameTheirState) {
  const Device d = testing::tlc();
  const ArrayPlans plans(d.nand, d.layout);
  const auto all = list(plans.program(0));
  unsigned loop = 0;
  unsigned state = 0;
  for (const Element& e : all) {
    if (e.op.kind == MicroOpKind::kPulse) {
      ++loop;
      EXPECT_EQ(e.op.state, loop);
      EXPECT_NEAR(e.op.voltage.count(), 14000 + 180.0 * (loop - 1), 1e-6);
      EXPECT_EQ(e.op.duration, 52'600_ns);
      state = 0;
    } else {
      ASSERT_EQ(e.op.kind, MicroOpKind::kVerify);
      EXPECT_GT(e.op.state, state);
      state = e.op.state;
      EXPECT_EQ(e.op.duration, 5400_ns);
    }
  }
  EXPECT_EQ(loop, 9U);
}

TEST(PlanTest, DefaultWindowsAreThoseOfTheSources) {
  // Shim, SNU 2020: 3D TLC, nine loops, every level done one loop after the one below.
  const IsppShape t = default_shape(9, 7, 3);
  const unsigned expected[] = {7, 7, 7, 6, 5, 4, 3, 2, 1};
  for (unsigned loop = 1; loop <= 9; ++loop) EXPECT_EQ(t.verifies(loop), expected[loop - 1]) << loop;
  EXPECT_EQ(t.total_verifies(), 42U);
  // Its figure 5: MLC with (3, 2, 2) loops.
  const IsppShape m = default_shape(7, 3, 3);
  EXPECT_EQ(m.last[1], 3);
  EXPECT_EQ(m.last[2], 5);
  EXPECT_EQ(m.last[3], 7);
  EXPECT_EQ(m.total_verifies(), 15U);
  const IsppShape s = default_shape(2, 1, 2);
  EXPECT_EQ(s.total_verifies(), 2U);
}

TEST(PlanTest, ArrayTimesOfTheDeviceClasses) {
  const auto plans = [](CellType cell) {
    const Device d = device(cell, ProgramGranularity::kWordLine);
    return ArrayPlans(d.nand, d.layout);
  };
  const ArrayPlans slc = plans(CellType::kSlc);
  EXPECT_EQ(slc.program(0).total(), 100_us);
  EXPECT_EQ(slc.read(0).total(), 3_us);
  const ArrayPlans mlc = plans(CellType::kMlc);
  EXPECT_EQ(mlc.program(0).total(), 7 * 140_us + 15 * 14'400_ns);
  EXPECT_EQ(mlc.read(0).total(), 38_us);
  EXPECT_EQ(mlc.read(1).total(), 64_us);
  const ArrayPlans tlc = plans(CellType::kTlc);
  EXPECT_EQ(tlc.program(0).total(), 700'200_ns);
  EXPECT_EQ(tlc.read(0).total(), 37_us);
  EXPECT_EQ(tlc.read(1).total(), 46_us);
  EXPECT_EQ(tlc.read(2).total(), 37_us);
  const ArrayPlans qlc = plans(CellType::kQlc);
  EXPECT_EQ(qlc.read(0).total(), 47_us);
  EXPECT_EQ(qlc.read(1).total(), 74_us);
  EXPECT_EQ(qlc.read(2).total(), 128_us);
  EXPECT_EQ(qlc.read(3).total(), 236_us);
  EXPECT_NEAR(static_cast<double>(qlc.program(0).total().count()), 3.1e9, 0.1e9);
  EXPECT_EQ(qlc.erase().total(), 5 * 750_us);
}

TEST(PlanTest, VerifySkipSavesWhatTheThesisSays) {
  // Verifying each state in its own three loops only: 21 verifies less, 16.2 % of tPROG.
  IsppShape shape = default_shape(9, 7, 3);
  StateLevels levels{};
  const Plan all = Plan::program(52'600_ns, 5400_ns, shape, Millivolts(0), Millivolts(180), levels, 1);
  for (unsigned s = 1; s <= 7; ++s) shape.first[s] = static_cast<std::uint8_t>(shape.last[s] - 2);
  const Plan skipped = Plan::program(52'600_ns, 5400_ns, shape, Millivolts(0), Millivolts(180), levels, 1);
  expect_consistent(skipped, "skipped");
  EXPECT_EQ(skipped.size(), 9U + 21U);
  const double saving = 1 - static_cast<double>(skipped.total().count()) / static_cast<double>(all.total().count());
  EXPECT_NEAR(saving, 0.162, 0.0005);
}

TEST(PlanTest, PagesProgrammedOneByOneTakeAPassEach) {
  const Device d = device(CellType::kMlc, ProgramGranularity::kPage);
  const ArrayPlans plans(d.nand, d.layout);
  EXPECT_EQ(plans.program(0).total(), 3 * (140_us + 14'400_ns));
  EXPECT_EQ(plans.program(1).total(), 7 * 140_us + 15 * 14'400_ns);
}

TEST(PlanTest, PinnedTotalsAreExact) {
  Device d = device(CellType::kMlc, ProgramGranularity::kPage);
  d.nand.timing.mode = config::ArrayTiming::kPinned;
  d.nand.timing.t_r = {40_us, 65_us + 7_ps};
  d.nand.timing.t_prog = {500_us + 1_ps, 1300_us + 13_ps};
  d.nand.timing.t_bers = 3500_us + 3_ps;
  const ArrayPlans plans(d.nand, d.layout);
  for (unsigned type = 0; type < 2; ++type) {
    EXPECT_EQ(plans.read(type).total(), d.nand.timing.t_r[type]);
    EXPECT_EQ(plans.program(type).total(), d.nand.timing.t_prog[type]);
    expect_consistent(plans.read(type), "read");
    expect_consistent(plans.program(type), "program");
  }
  EXPECT_EQ(plans.erase().total(), d.nand.timing.t_bers);
  expect_consistent(plans.erase(), "erase");
  EXPECT_EQ(plans.program(1).size(), 22U);  // the micro-operations are those of the derived plan
  const auto lines = describe_timing(d.nand, d.layout);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_NE(lines[0].find("40.000 us"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("pinned"), std::string::npos) << lines[0];
}

TEST(PlanTest, WhatCannotBeIsRefused) {
  StateLevels levels{};
  EXPECT_THROW((void)default_shape(0, 7, 3), std::invalid_argument);
  EXPECT_THROW((void)default_shape(251, 7, 3), std::invalid_argument);
  EXPECT_THROW((void)default_shape(9, 16, 3), std::invalid_argument);
  EXPECT_THROW((void)default_shape(9, 7, 0), std::invalid_argument);
  EXPECT_THROW(Plan::read(1_us, 1_us, 1_us, 0, levels, 1), std::invalid_argument);
  EXPECT_THROW(Plan::read(1_us, 1_us, 1_us, 1, levels, 1), std::invalid_argument);
  EXPECT_THROW(Plan::erase(1_us, 1_us, 0, {}, {}, 1), std::invalid_argument);
  IsppShape idle = default_shape(9, 7, 3);
  idle.last[7] = 8;
  EXPECT_THROW(Plan::program(1_us, 1_us, idle, {}, {}, levels, 1), std::invalid_argument);
  Device d = testing::tlc();
  d.nand.timing.mode = config::ArrayTiming::kPinned;
  d.nand.timing.t_r = {40_us, 50_us};
  d.nand.timing.t_prog = {700_us};
  d.nand.timing.t_bers = 4_ms;
  try {
    const ArrayPlans plans(d.nand, d.layout);
    FAIL() << "two read times for three page types";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("nand.timing.t_r"), std::string::npos) << error.what();
  }
  d = testing::tlc();
  d.nand.timing.senses_per_page = {1, 1, 5};
  EXPECT_THROW(ArrayPlans(d.nand, d.layout), std::invalid_argument);
}

}  // namespace
}  // namespace wordline::nand::plan_test
