// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are programmed with one bit a cell.
#include "models/nand/slc_mode.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "models/nand/die.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::slc_mode_test {
namespace {

using data::LpageToken;
using testing::Device;
using namespace wordline::literals;

constexpr std::uint32_t kBothPlanes = 3;

Device with_slc_mode() {
  Device d = testing::tlc();
  d.nand.slc_mode = {25_us, 200_us};
  return d;
}

ProgramParameters slc() {
  ProgramParameters parameters;
  parameters.slc_mode = true;
  return parameters;
}

ReadParameters slc_read(unsigned step = 0) {
  ReadParameters parameters;
  parameters.slc_mode = true;
  parameters.step = static_cast<std::uint8_t>(step);
  return parameters;
}

/// The logical pages of one page in both planes, all different.
std::vector<StoredLpage> page(std::uint32_t first_lpn) {
  std::vector<StoredLpage> lpages;
  for (std::uint32_t i = 0; i < 8; ++i)
    lpages.push_back({LpageToken::uniform(Lpn(first_lpn + i), 2), first_lpn + i, i});
  return lpages;
}

TEST(SlcMode, DevicesOfSeveralBitsThatProgramAWordLineInOneShotHaveIt) {
  EXPECT_TRUE(has_slc_mode(with_slc_mode().nand));
  Device one_bit = with_slc_mode();
  one_bit.nand.geometry.cell = config::CellType::kSlc;
  EXPECT_FALSE(has_slc_mode(one_bit.nand));
  Device by_page = with_slc_mode();
  by_page.nand.geometry.program = config::ProgramGranularity::kPage;
  EXPECT_FALSE(has_slc_mode(by_page.nand));
  EXPECT_FALSE(has_slc_mode(testing::with_small_pages(with_slc_mode(), 4).nand));
}

TEST(SlcMode, TakesItsOwnTimesInPulsesAndVerifiesOfOneState) {
  const Device d = with_slc_mode();
  const Die die(d.nand, d.layout, DieId(0), 1, {});
  const Plan program = die.plan_program(BlockId(0), PageId(0), slc());
  EXPECT_EQ(program.total(), 200_us);
  unsigned pulses = 0, verifies = 0, senses = 0;
  program.for_each([&](Picoseconds, const MicroOp& op) {
    pulses += op.kind == MicroOpKind::kPulse ? 1 : 0;
    verifies += op.kind == MicroOpKind::kVerify ? 1 : 0;
    EXPECT_LE(op.state, op.kind == MicroOpKind::kVerify ? 1U : 250U);
  });
  EXPECT_EQ(pulses, 3U) << "1,624 mV in steps of three times 180 mV";
  EXPECT_EQ(verifies, 3U);
  const Plan read = die.plan_read(BlockId(0), PageId(0), slc_read());
  EXPECT_EQ(read.total(), 25_us);
  read.for_each([&](Picoseconds, const MicroOp& op) { senses += op.kind == MicroOpKind::kSense ? 1 : 0; });
  EXPECT_EQ(senses, 1U);
  // The energy is that of the time, at the currents of the device.
  const double share = 200.0 / static_cast<double>(die.plan_program(BlockId(0), PageId(0)).total().count()) * 1e6;
  EXPECT_NEAR(program.energy() / die.plan_program(BlockId(0), PageId(0)).energy(), share, 1e-9);
}

TEST(SlcMode, AUnitIsTheFirstPageOfTheWordLine) {
  const Device d = with_slc_mode();
  Die die(d.nand, d.layout, DieId(0), 1, {});
  const auto first = page(100), second = page(200);
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(5), PageId(0), first.data(), slc()), OperationStatus::kOk);
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(5), PageId(3), second.data(), slc()), OperationStatus::kOk);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const PlaneId plane(static_cast<std::uint8_t>(i / 4));
    EXPECT_EQ(die.lpage({plane, BlockId(5), PageId(0), i % 4}), first[i]);
    EXPECT_EQ(die.lpage({plane, BlockId(5), PageId(3), i % 4}), second[i]);
    EXPECT_EQ(die.lpage({plane, BlockId(5), PageId(1), i % 4}), StoredLpage{}) << "there is no second bit";
  }
  EXPECT_TRUE(die.programmed(PlaneId(0), BlockId(5), PageId(0)));
  EXPECT_FALSE(die.programmed(PlaneId(0), BlockId(5), PageId(1)));
  EXPECT_TRUE(die.in_slc_mode(PlaneId(1), BlockId(5)));
  EXPECT_FALSE(die.in_slc_mode(PlaneId(0), BlockId(6)));
  EXPECT_EQ(die.counters().lpages_programmed, 16U);
  EXPECT_THROW((void)die.plan_read(BlockId(5), PageId(1), slc_read()), std::logic_error);
}

TEST(SlcMode, ABlockHasOneModeUntilItIsErased) {
  const Device d = with_slc_mode();
  Die die(d.nand, d.layout, DieId(0), 1, {});
  std::vector<StoredLpage> whole = page(1);
  for (unsigned i = 0; i < 2; ++i) {
    const auto more = page(50 + 10 * i);
    whole.insert(whole.end(), more.begin(), more.end());
  }
  const auto one = page(300);
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(1), PageId(0), one.data(), slc()), OperationStatus::kOk);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(1), PageId(3), whole.data()), OperationStatus::kRefused);
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(2), PageId(0), whole.data()), OperationStatus::kOk);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(2), PageId(3), one.data(), slc()), OperationStatus::kRefused);
  for (const std::uint32_t block : {1U, 2U}) {
    ASSERT_EQ(die.commit_erase(kBothPlanes, BlockId(block)), OperationStatus::kOk);
    EXPECT_FALSE(die.in_slc_mode(PlaneId(0), BlockId(block)));
  }
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(1), PageId(0), whole.data()), OperationStatus::kOk);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(2), PageId(0), one.data(), slc()), OperationStatus::kOk);
  // Neither may a program be put over what is there.
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(2), PageId(0), one.data(), slc()), OperationStatus::kRefused);
}

TEST(SlcMode, TwoStatesAreReadWithFarFewerErrorsAndOldOnesStill) {
  Device d = with_slc_mode();
  d.nand.aging.retention_days = 365;
  Die die(d.nand, d.layout, DieId(0), 1, {});
  const auto one = page(1);
  std::vector<StoredLpage> whole = one;
  whole.insert(whole.end(), one.begin(), one.end());
  whole.insert(whole.end(), one.begin(), one.end());
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(1), PageId(0), one.data(), slc()), OperationStatus::kOk);
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(2), PageId(0), whole.data()), OperationStatus::kOk);
  const double fast = die.rber(PlaneId(0), BlockId(1), PageId(0), slc_read());
  const double dense = die.rber(PlaneId(0), BlockId(2), PageId(0), 0U);
  EXPECT_LT(fast, dense / 10);
  EXPECT_GE(fast, 0.0);
  EXPECT_EQ(fast, die.rber(PlaneId(0), BlockId(1), PageId(0), 0U)) << "the cells decide, not the command";
  // Soft senses are of the same two states.
  ReadParameters soft = slc_read();
  soft.senses = 3;
  EXPECT_NEAR(die.soft_channel(PlaneId(0), BlockId(1), PageId(0), soft).error_rate(), fast, 1e-6);
}

TEST(SlcMode, AnInterruptedOrFailedProgramKeepsTheMode) {
  const Device d = with_slc_mode();
  Die die(d.nand, d.layout, DieId(0), 1, {});
  die.interrupt_program(kBothPlanes, BlockId(1), PageId(0), 50_us, slc());
  EXPECT_TRUE(die.in_slc_mode(PlaneId(0), BlockId(1)));
  EXPECT_FALSE(die.readable(PlaneId(0), BlockId(1), PageId(0)));
  EXPECT_THROW(die.interrupt_program(kBothPlanes, BlockId(2), PageId(0), 300_us, slc()), std::logic_error)
      << "after its end";
  die.interrupt_erase(kBothPlanes, BlockId(1), 100_us);
  EXPECT_FALSE(die.in_slc_mode(PlaneId(0), BlockId(1)));
}

TEST(SlcMode, ADeviceWithoutItSaysSo) {
  const Device d = testing::device(config::CellType::kTlc, config::ProgramGranularity::kPage);
  const Die die(d.nand, d.layout, DieId(0), 1, {});
  try {
    (void)die.plan_program(BlockId(0), PageId(0), slc());
    FAIL();
  } catch (const std::logic_error& e) {
    EXPECT_NE(std::string(e.what()).find("SLC mode, which this device does not have"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace wordline::nand::slc_mode_test
