// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two page sizes in a die (Kim et al., TVLSI 2016: mpnfm.device.asymmetric): times by page size, what a block of small
// pages holds, takes and costs, and the area of both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/nand/area.h"
#include "models/nand/die.h"
#include "models/nand/timing.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::page_sizes_test {
namespace {

using namespace wordline::literals;
using testing::Device;

constexpr std::uint32_t kLarge = 3, kSmall = 21;  // blocks: 20 of each plane have large pages, the 5 after them small
constexpr std::uint32_t kSmallPages = 12;
constexpr std::uint32_t kBothPlanes = 3;

/// Logical pages of a unit, numbered in the order in which commit_program() takes them.
std::vector<StoredLpage> unit(std::uint32_t count, std::uint32_t first_lpn) {
  std::vector<StoredLpage> lpages(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    lpages[i] = {data::LpageToken::uniform(Lpn(first_lpn + i), 2), first_lpn + i};
  }
  return lpages;
}

/// What a call says when it throws; empty: it does not.
template <class F>
std::string reason(F f) {
  try {
    f();
  } catch (const std::logic_error& e) {
    return e.what();
  }
  return {};
}

// ---- times ---------------------------------------------------------------------------------------------------------

// mpnfm.time.tr_eq2, tr_flat, tprog_step, tbers_step: t = t0 * 1.1^log2(S / S0), tR alike.
TEST(PageTimes, TenPercentPerDoublingFrom2To64KiB) {
  Device d = testing::device(config::CellType::kMlc, config::ProgramGranularity::kPage);
  d.nand.timing.mode = config::ArrayTiming::kPinned;  // configs/nand/mlc_planar.toml at 4 KiB
  d.nand.timing.t_r = {50_us};
  d.nand.timing.t_prog = {900_us};
  d.nand.timing.t_bers = 3500_us;
  d.nand.timing.page = Bytes(4096);
  const ArrayPlans base(d.nand, d.layout, Bytes(4096));
  ASSERT_EQ(base.program(0).total(), 900_us);
  for (const std::uint64_t kib : {2, 4, 8, 16, 28, 32, 64}) {
    const ArrayPlans plans(d.nand, d.layout, Bytes(kib * 1024));
    const double factor = std::pow(1.1, std::log2(static_cast<double>(kib) / 4));
    for (const unsigned type : {0U, 1U}) {
      EXPECT_EQ(plans.program(type).total().count(), std::llround(900e6 * factor)) << kib;
      EXPECT_EQ(plans.read(type).total(), 50_us) << kib;
    }
    EXPECT_EQ(plans.erase().total().count(), std::llround(3500e6 * factor)) << kib;
  }
}

// mpnfm.time.large_worse, mpnfm.time.tprog_eq3, mpnfm.time.tbers_eq4, mpnfm.time.chain: the small page is faster by as
// long pulses and verifies, of which it takes as many; the read is the same to the micro-operation.
TEST(PageTimes, BlocksOfOneDie) {
  const Device d = testing::with_small_pages(testing::tlc(), 5, kSmallPages);
  const Die die(d.nand, d.layout, DieId(0), 1, {});
  const double factor = 1 / 1.21;  // 4 KiB, with the times of 16 KiB
  for (std::uint32_t page = 0; page < kSmallPages; ++page) {
    const PageId at(page);
    const Plan large = die.plan_read(BlockId(kLarge), at), small = die.plan_read(BlockId(kSmall), at);
    EXPECT_EQ(small.total(), large.total()) << page;
    EXPECT_EQ(small.energy(), large.energy()) << page;
  }
  const Plan large = die.plan_program(BlockId(kLarge), PageId(0)), small = die.plan_program(BlockId(kSmall), PageId(0));
  EXPECT_EQ(large.total(), 700'200_ns);
  EXPECT_EQ(small.total().count(), std::llround(700.2e6 * factor));
  const auto pulses_and_checks = [](const Plan& plan) {
    std::pair<unsigned, unsigned> count{};
    plan.for_each([&](Picoseconds, const MicroOp& op) {
      ++(op.kind == MicroOpKind::kPulse || op.kind == MicroOpKind::kErasePulse ? count.first : count.second);
    });
    return count;
  };
  EXPECT_EQ(pulses_and_checks(large), std::make_pair(9U, 42U));
  EXPECT_EQ(pulses_and_checks(small), pulses_and_checks(large));
  EXPECT_EQ(die.plan_erase(BlockId(kLarge)).total(), 3750_us);
  EXPECT_EQ(die.plan_erase(BlockId(kSmall)).total().count(), std::llround(3750e6 * factor));
  // The last block of the one kind and the first of the other.
  EXPECT_EQ(die.plan_erase(BlockId(19)).total(), 3750_us);
  EXPECT_LT(die.plan_erase(BlockId(20)).total(), 3750_us);
}

TEST(PageTimes, BothKindsFollowNandTimingPage) {
  Device d = testing::with_small_pages(testing::tlc(), 5);
  d.nand.timing.page = Bytes(8192);
  const Die die(d.nand, d.layout, DieId(0), 1, {});
  EXPECT_EQ(die.plan_program(BlockId(kLarge), PageId(0)).total().count(), std::llround(700.2e6 * 1.1));
  EXPECT_EQ(die.plan_program(BlockId(kSmall), PageId(0)).total().count(), std::llround(700.2e6 / 1.1));
  ProgramParameters skip;
  skip.skip = safe_skips(pass_windows(9, 7, 3));
  EXPECT_NEAR(static_cast<double>(die.plan_program(BlockId(kSmall), PageId(0), skip).total().count()),
              (700.2e6 - 21 * 5.4e6) / 1.1, 10);
  const auto lines = describe_timing(d.nand, d.layout);
  ASSERT_EQ(lines.size(), 7U);  // three tR, tPROG and tBERS of both
  EXPECT_NE(lines[5].find("tPROG, small pages"), std::string::npos) << lines[5];
  EXPECT_NE(lines[5].find("636.545"), std::string::npos) << lines[5];
}

// ---- content and rules ---------------------------------------------------------------------------------------------

class SmallPages : public ::testing::Test {
 protected:
  Device d_ = testing::with_small_pages(testing::tlc(), 5, kSmallPages);
  Die die_{d_.nand, d_.layout, DieId(0), 1, {}};
  static constexpr std::uint32_t kUnit = 2 * 3;  // logical pages: planes x pages of a word line
  static constexpr std::uint32_t kLargeUnit = kUnit * 4;

  OperationStatus program(std::uint32_t block, std::uint32_t page, std::uint32_t first_lpn) {
    const std::uint32_t count = block == kSmall ? kUnit : kLargeUnit;
    return die_.commit_program(kBothPlanes, BlockId(block), PageId(page), unit(count, first_lpn).data());
  }
  std::uint32_t lpn(std::uint8_t plane, std::uint32_t block, std::uint32_t page, std::uint32_t lpage) const {
    return die_.lpage({PlaneId(plane), BlockId(block), PageId(page), lpage}).lpn;
  }
};

TEST_F(SmallPages, AUnitHoldsALogicalPageOfEachPlaneAndPage) {
  ASSERT_EQ(program(kSmall, 0, 100), OperationStatus::kOk);
  ASSERT_EQ(program(kLarge, 0, 500), OperationStatus::kOk);
  ASSERT_EQ(program(kSmall, 3, 200), OperationStatus::kOk);
  for (std::uint32_t page = 0; page < 3; ++page) {
    for (std::uint8_t plane = 0; plane < 2; ++plane) {
      EXPECT_EQ(lpn(plane, kSmall, page, 0), 100 + page * 2 + plane);
      EXPECT_EQ(lpn(plane, kSmall, page + 3, 0), 200 + page * 2 + plane);
      EXPECT_EQ(die_.lpage({PlaneId(plane), BlockId(kSmall), PageId(page), 0}).token,
                data::LpageToken::uniform(Lpn(100 + page * 2 + plane), 2));
      for (std::uint32_t s = 0; s < 4; ++s) EXPECT_EQ(lpn(plane, kLarge, page, s), 500 + (page * 2 + plane) * 4 + s);
    }
  }
  EXPECT_EQ(die_.counters().lpages_programmed, 2 * kUnit + kLargeUnit);
  EXPECT_EQ(die_.counters().programs, 3U);
}

TEST_F(SmallPages, AnEraseFreesItsBlockAlone) {
  for (std::uint32_t page = 0; page < kSmallPages; page += 3)
    ASSERT_EQ(program(kSmall, page, page), OperationStatus::kOk);
  ASSERT_EQ(program(kLarge, 0, 500), OperationStatus::kOk);
  const std::size_t full = die_.memory_bytes();
  ASSERT_EQ(die_.commit_erase(kBothPlanes, BlockId(kSmall)), OperationStatus::kOk);
  EXPECT_FALSE(die_.programmed(PlaneId(0), BlockId(kSmall), PageId(0)));
  EXPECT_EQ(lpn(0, kSmall, 0, 0), 0xffffffff);
  EXPECT_EQ(lpn(1, kLarge, 2, 3), 500U + 23);
  EXPECT_EQ(program(kSmall, 3, 0), OperationStatus::kRefused);  // not the next page
  for (std::uint32_t page = 0; page < kSmallPages; page += 3)
    ASSERT_EQ(program(kSmall, page, 900 + page), OperationStatus::kOk);
  EXPECT_EQ(lpn(0, kSmall, 9, 0), 909U);
  EXPECT_LT(die_.memory_bytes(), full + 64);  // its room is used again
  EXPECT_EQ(die_.erase_count(PlaneId(1), BlockId(kSmall)), 1U);
}

TEST_F(SmallPages, WhatIsOutsideIsRefusedByPlace) {
  EXPECT_EQ(reason([&] { (void)lpn(0, kSmall, 5, 1); }),
            "nand die 0 plane 0 block 21 page 5: logical page 1 of a page of 1");
  EXPECT_EQ(reason([&] { (void)lpn(1, kLarge, 5, 4); }),
            "nand die 0 plane 1 block 3 page 5: logical page 4 of a page of 4");
  EXPECT_EQ(reason([&] { (void)lpn(0, kSmall, kSmallPages, 0); }),
            "nand die 0 plane 0 block 21 page 12: outside the die of 2 planes, 25 blocks, 12 pages");
  EXPECT_EQ(reason([&] { (void)die_.plan_program(BlockId(kSmall), PageId(kSmallPages)); }),
            "nand die 0 plane 0 block 21 page 12: outside the die of 2 planes, 25 blocks, 12 pages");
  EXPECT_EQ(reason([&] { (void)die_.plan_erase(BlockId(25)); }),
            "nand die 0 plane 0 block 25 page 0: outside the die of 2 planes, 25 blocks, 12 pages");
  EXPECT_EQ(reason([&] { (void)die_.plan_read(BlockId(kLarge), PageId(575)); }), "");
}

TEST_F(SmallPages, OneOperationHasOnePageSizeButForReads) {
  BlockByPlane both(BlockId{kLarge});
  both[1] = BlockId(kSmall);
  const auto refused = "nand die 0 plane 1 block 21 page 0: another page size than block 3 of the same operation";
  EXPECT_EQ(reason([&] { die_.commit_erase(kBothPlanes, both); }), refused);
  EXPECT_EQ(reason([&] { die_.commit_program(kBothPlanes, both, PageId(0), unit(kLargeUnit, 0).data()); }), refused);
  EXPECT_EQ(reason([&] { die_.interrupt_erase(kBothPlanes, both, 1_us); }), refused);
  EXPECT_EQ(reason([&] { die_.interrupt_program(kBothPlanes, both, PageId(0), 1_us); }), refused);
  EXPECT_EQ(die_.counters().energy, Picojoules{});
  EXPECT_EQ(reason([&] { die_.commit_read(kBothPlanes, both, PageId(0)); }), "");
  EXPECT_EQ(die_.counters().page_reads, 1U);
}

TEST_F(SmallPages, AFinePassWantsTheDataOfTheCoarseOne) {
  ProgramParameters pass;
  pass.pass = ProgramPass::kCoarse;
  const auto data = unit(kUnit, 70), other = unit(kUnit, 71);
  ASSERT_EQ(die_.commit_program(kBothPlanes, BlockId(kSmall), PageId(0), data.data(), pass), OperationStatus::kOk);
  pass.pass = ProgramPass::kFine;
  EXPECT_EQ(die_.commit_program(kBothPlanes, BlockId(kSmall), PageId(0), other.data(), pass),
            OperationStatus::kRefused);
  EXPECT_EQ(die_.commit_program(kBothPlanes, BlockId(kSmall), PageId(0), data.data(), pass), OperationStatus::kOk);
  EXPECT_EQ(lpn(1, kSmall, 2, 0), 75U);
}

TEST(SmallPagesFill, IsAskedForTheirLogicalPagesOnly) {
  const Device d = testing::with_small_pages(testing::tlc(), 5, kSmallPages);
  std::uint32_t most[2] = {};
  Die die(d.nand, d.layout, DieId(0), 1, [&](DieId, const LpageAddress& at) {
    std::uint32_t& of = most[at.block.value() >= 20];
    of = std::max(of, at.lpage);
    return StoredLpage{};
  });
  EXPECT_FALSE(die.programmed(PlaneId(0), BlockId(kSmall), PageId(0)));
  EXPECT_FALSE(die.programmed(PlaneId(0), BlockId(kLarge), PageId(0)));
  EXPECT_EQ(most[0], 3U);
  EXPECT_EQ(most[1], 0U);
}

// mpnfm.device.no_disturb: the same cells under the same conditions.
TEST(SmallPagesErrors, AreThoseOfTheSameCells) {
  const Device d = testing::with_small_pages(testing::tlc(), 400, kSmallPages);
  const Device plain = [] {
    Device one = testing::tlc();
    one.nand.geometry.blocks_per_plane = 420;
    return one;
  }();
  Die two_sizes(d.nand, d.layout, DieId(0), 1, {});
  Die one_size(plain.nand, plain.layout, DieId(0), 1, {});
  for (std::uint32_t block = 20; block < 420; ++block) {
    two_sizes.commit_program(kBothPlanes, BlockId(block), PageId(0), unit(6, 0).data());
    one_size.commit_program(kBothPlanes, BlockId(block), PageId(0), unit(24, 0).data());
    ASSERT_EQ(two_sizes.rber(PlaneId(1), BlockId(block), PageId(1), 0),
              one_size.rber(PlaneId(1), BlockId(block), PageId(1), 0));
    // Its codewords are the first ones of the larger page.
    ASSERT_EQ(two_sizes.bit_errors(PlaneId(1), BlockId(block), PageId(1), 1, 18592, 0U),
              one_size.bit_errors(PlaneId(1), BlockId(block), PageId(1), 1, 18592, 0U));
  }
  const double before = two_sizes.rber(PlaneId(0), BlockId(30), PageId(0), 0);
  for (int i = 0; i < 200'000; ++i) two_sizes.commit_read(1, BlockId(29), PageId(0));
  EXPECT_EQ(two_sizes.rber(PlaneId(0), BlockId(30), PageId(0), 0), before);
  EXPECT_GT(two_sizes.rber(PlaneId(0), BlockId(29), PageId(0), 0),
            one_size.rber(PlaneId(0), BlockId(29), PageId(0), 0));
}

TEST(SmallPagesFaults, BlocksFailAsOthersDo) {
  Device d = testing::with_small_pages(testing::tlc(), 200, kSmallPages);
  d.nand.faults.bad_blocks = 0.25;
  Die die(d.nand, d.layout, DieId(0), 1, {});
  std::uint32_t bad = 0;
  for (std::uint32_t block = 20; block < 220; ++block) {
    const bool marked = die.health(PlaneId(0), BlockId(block)) == BlockHealth::kFactoryBad;
    bad += marked ? 1 : 0;
    ASSERT_EQ(die.commit_program(1, BlockId(block), PageId(0), unit(3, block).data()),
              marked ? OperationStatus::kFail : OperationStatus::kOk);
    ASSERT_EQ(die.lpage({PlaneId(0), BlockId(block), PageId(2), 0}).lpn, marked ? 0xffffffff : block + 2);
  }
  EXPECT_NEAR(bad, 50, 20);
}

// ---- energy and area -----------------------------------------------------------------------------------------------

TEST_F(SmallPages, EnergyIsThatOfThePlan) {
  const config::NandEnergy& e = d_.nand.energy;
  ASSERT_EQ(program(kSmall, 0, 0), OperationStatus::kOk);
  EXPECT_NEAR(die_.counters().program_energy.count(), 2 * e.vcc * e.icc_program * 700.2e6 / 1.21, 1);
  ASSERT_EQ(die_.commit_erase(kBothPlanes, BlockId(kSmall)), OperationStatus::kOk);
  EXPECT_NEAR(die_.counters().erase_energy.count(), 2 * e.vcc * e.icc_erase * 3750e6 / 1.21, 1);
  die_.interrupt_erase(1, BlockId(kSmall), 100_us);
  EXPECT_NEAR(die_.counters().erase_energy.count(),
              2 * e.vcc * e.icc_erase * 3750e6 / 1.21 + e.vcc * e.icc_erase * 100e6, 1);
}

// mpnfm.area.example, mpnfm.area.eq1_cells, mpnfm.area.overhead: as many blocks of 28 and of 4 KiB take the cells of
// two of 16 KiB.
TEST(PageArea, TheCellsOfADieWithTwoPageSizes) {
  Device even = testing::tlc();
  even.nand.geometry.blocks_per_plane = 2 * 20;
  Device split = testing::with_small_pages(testing::tlc(), 20);
  split.nand.geometry.page = Bytes(28 * 1024);
  EXPECT_EQ(cell_area(even.nand, even.layout), 2 * 40 * 192 * 16384.0);
  EXPECT_EQ(cell_area(split.nand, split.layout), cell_area(even.nand, even.layout));
  split.nand.geometry.page = Bytes(32 * 1024);  // the evaluated 32 + 4 KiB is larger by an eighth
  EXPECT_EQ(cell_area(split.nand, split.layout), cell_area(even.nand, even.layout) * 36 / 32);
}

}  // namespace
}  // namespace wordline::nand::page_sizes_test
