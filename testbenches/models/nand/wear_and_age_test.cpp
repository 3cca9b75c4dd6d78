// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Data that age faster than time passes, retention of young blocks, and times that follow wear: each with its key.
#include <gtest/gtest.h>

#include <vector>

#include "models/nand/die.h"
#include "models/nand/timing.h"
#include "models/nand/vth.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::wear_and_age_test {
namespace {

using config::CellType;
using testing::Device;

constexpr PlaneId kPlane0(0);
constexpr std::int64_t kSecond = 1'000'000'000'000;

double rate_of(const Device& d, double days) {
  Device aged = d;
  aged.nand.aging.retention_days = days;
  const Fill fill = [](DieId, const LpageAddress& at) -> StoredLpage {
    return {data::LpageToken::uniform(Lpn(at.page.value()), 1), at.page.value()};
  };
  Die die(aged.nand, aged.layout, DieId(0), 1, fill);
  return die.rber(kPlane0, BlockId(0), PageId(0), 0);
}

TEST(AcceleratedAge, AYearPassesInSeconds) {
  Device d = testing::tlc();
  d.nand.aging.pe_cycles = 2000;
  d.nand.aging.retention_days = 0;
  d.nand.aging.page_age = true;
  d.nand.aging.acceleration = 1e6;
  const Fill fill = [](DieId, const LpageAddress& at) -> StoredLpage {
    return {data::LpageToken::uniform(Lpn(at.page.value()), 1), at.page.value()};
  };
  Die die(d.nand, d.layout, DieId(0), 1, fill);
  const auto old = [&] { return die.rber(kPlane0, BlockId(1), PageId(0), 0); };
  const std::vector<StoredLpage> lpages(d.layout.lpages_per_page * d.layout.pages_per_program);
  const double fresh = old();
  die.set_time(Picoseconds(90 * 86'400 * (kSecond / 1'000'000)));
  const double quarter = old();
  EXPECT_GT(quarter, 2 * fresh) << "what the drive began with ages, too";
  die.commit_erase(1, BlockId(0));
  ASSERT_EQ(die.commit_program(1, BlockId(0), PageId(0), lpages.data()), OperationStatus::kOk);
  const double young = die.rber(kPlane0, BlockId(0), PageId(0), 0);
  EXPECT_LT(young, 0.5 * quarter) << "programmed anew";
  die.set_time(Picoseconds(365 * 86'400 * (kSecond / 1'000'000)));
  EXPECT_GT(old(), 1.3 * quarter);
  EXPECT_GT(die.rber(kPlane0, BlockId(0), PageId(0), 0), 2 * young);
  EXPECT_LT(die.rber(kPlane0, BlockId(0), PageId(0), 0), 0.9 * old()) << "275 days against a year";
}

TEST(AcceleratedAge, WithoutItDataFromBeforeTheRunKeepTheirAge) {
  Device d = testing::tlc();
  d.nand.aging.pe_cycles = 2000;
  d.nand.aging.retention_days = 0;
  d.nand.aging.page_age = true;
  const Fill fill = [](DieId, const LpageAddress& at) -> StoredLpage {
    return {data::LpageToken::uniform(Lpn(at.page.value()), 1), at.page.value()};
  };
  Die die(d.nand, d.layout, DieId(0), 1, fill);
  const double fresh = die.rber(kPlane0, BlockId(1), PageId(0), 0);
  die.set_time(Picoseconds(100 * 86'400 * kSecond));
  EXPECT_EQ(die.rber(kPlane0, BlockId(1), PageId(0), 0), fresh);
}

TEST(YoungRetention, BlocksWithoutCyclesAgeToo) {
  Device d = testing::tlc();
  d.nand.aging.pe_cycles = 0;
  EXPECT_EQ(rate_of(d, 1), rate_of(d, 90)) << "the cells' charge loss follows the cycles alone";
  d.nand.aging.young_cycles = 2000;
  EXPECT_GT(rate_of(d, 90), 2 * rate_of(d, 1));
  EXPECT_LT(rate_of(d, 90), rate_of(d, 365));
  Device worn = testing::tlc();
  worn.nand.aging.pe_cycles = 2000;
  EXPECT_LT(rate_of(d, 90), rate_of(worn, 90)) << "widths are those of fresh cells";
}

// As many cycles of wear as counted in retention: the means have moved as far, and the widths grown as much by it.
TEST(YoungRetention, CountsAsCycles) {
  const auto at = [](double pe, double young, double days) {
    return vth_distribution(CellType::kTlc, Millivolts(180), pe, days, 30, kEarliestPlanarDays, young);
  };
  for (unsigned s = 0; s < 8; ++s) {
    EXPECT_DOUBLE_EQ(at(0, 1500, 90).mean[s], at(1500, 0, 90).mean[s]);
    EXPECT_DOUBLE_EQ(at(500, 1000, 90).mean[s], at(1500, 0, 90).mean[s]);
    EXPECT_DOUBLE_EQ(at(0, 1500, 1).sigma[s], at(0, 0, 1).sigma[s]) << "a day is where retention begins";
  }
}

TEST(WearTimes, AnEraseTakesALoopMoreForEachThousandCycles) {
  Device d = testing::tlc();
  d.nand.aging.wear_times = true;
  const ArrayPlans plans(d.nand, d.layout);
  const Picoseconds all = plans.erase().total();
  const unsigned loops = d.nand.timing.erase_loops;
  ASSERT_GE(loops, 2U);
  const auto pulses = [](const Plan& plan) {
    unsigned n = 0;
    plan.for_each([&n](Picoseconds, const MicroOp& op) { n += op.kind == MicroOpKind::kErasePulse ? 1 : 0; });
    return n;
  };
  EXPECT_EQ(pulses(plans.worn_erase(0)), 1U);
  EXPECT_EQ(pulses(plans.worn_erase(999)), 1U);
  EXPECT_EQ(pulses(plans.worn_erase(1000)), 2U);
  EXPECT_EQ(pulses(plans.worn_erase(1e6)), loops);
  EXPECT_EQ(plans.worn_erase(1e6).total(), all);
  EXPECT_EQ(plans.worn_erase(0).total(), Picoseconds((all.count() + loops / 2) / loops));
}

TEST(WearTimes, AProgramTakesLessAndADieFollowsItsBlock) {
  Device d = testing::tlc();
  d.nand.aging.wear_times = true;
  d.nand.aging.pe_cycles = 999;
  Die die(d.nand, d.layout, DieId(0), 1, {});
  const ArrayPlans plans(d.nand, d.layout);
  const auto ps = [](const Plan& plan) { return static_cast<double>(plan.total().count()); };
  const double fresh = ps(plans.program(0, 0));
  EXPECT_NEAR(ps(die.plan_program(BlockId(0), PageId(0))) / fresh, 1 - 0.03 * 0.999, 1e-6);
  EXPECT_NEAR(ps(plans.worn_program(plans.program(0, 0), 1e6)) / fresh, 0.85, 1e-6);
  const Picoseconds before = die.plan_erase(BlockId(0)).total();
  die.commit_erase(1, BlockId(0));
  EXPECT_EQ(die.plan_erase(BlockId(0)).total().count(), 2 * before.count()) << "1,000 cycles";
  EXPECT_EQ(die.plan_erase(BlockId(1)).total(), before);
  d.nand.aging.wear_times = false;
  const Die always(d.nand, d.layout, DieId(0), 1, {});
  EXPECT_EQ(always.plan_erase(BlockId(0)).total(), plans.erase().total());
}

}  // namespace
}  // namespace wordline::nand::wear_and_age_test
