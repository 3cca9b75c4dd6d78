// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Energy of single operations, worked out from the keys: Vcc x Icc x time, for each plane.
#include <gtest/gtest.h>

#include <vector>

#include "models/nand/die.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::energy_test {
namespace {

constexpr double kVcc = 2.5, kRead = 0.011, kProgram = 0.017, kErase = 0.023;  // V, A
// The TLC of devices.h: 12 + 2 x 9 + 7 us; 9 loops of 52.6 us with 42 verifies of 5.4 us; 5 loops of 700 + 50 us.
constexpr double kTr = 37e6, kTprog = 700.2e6, kTbers = 3750e6;  // ps

class EnergyTest : public ::testing::Test {
 protected:
  explicit EnergyTest() { set(1); }
  void set(double further_planes) { device.nand.energy = {kVcc, kRead, kProgram, kErase, 0, further_planes, 0, 0}; }
  /// A fresh die after `operations`.
  template <class F>
  Die::Counters after(F operations) {
    Die die(device.nand, device.layout, DieId(0), 1, {});
    operations(die);
    return die.counters();
  }
  testing::Device device = testing::tlc();
};

TEST_F(EnergyTest, OneReadOneProgramOneErase) {
  const Die::Counters read = after([](Die& die) { die.commit_read(1, BlockId(0), PageId(0)); });
  EXPECT_NEAR(read.energy.count(), kVcc * kRead * kTr, 1);  // 1,017,500 pJ
  EXPECT_EQ(read.read_energy, read.energy);
  std::vector<StoredLpage> unit(device.layout.lpages_per_program);
  const Die::Counters program = after([&](Die& die) { die.commit_program(1, BlockId(0), PageId(0), unit.data()); });
  EXPECT_NEAR(program.energy.count(), kVcc * kProgram * kTprog, 1);
  EXPECT_EQ(program.program_energy, program.energy);
  const Die::Counters erase = after([](Die& die) { die.commit_erase(1, BlockId(0)); });
  EXPECT_NEAR(erase.energy.count(), kVcc * kErase * kTbers, 1);
  EXPECT_EQ(erase.erase_energy, erase.energy);
}

TEST_F(EnergyTest, AFurtherPlaneAddsItsShare) {
  std::vector<StoredLpage> unit(device.layout.lpages_per_program);
  for (const double share : {0.0, 0.6, 1.0}) {
    set(share);
    const double planes = 1 + share;
    EXPECT_NEAR(after([](Die& d) { d.commit_read(3, BlockId(0), PageId(0)); }).energy.count(),
                planes * kVcc * kRead * kTr, 1);
    EXPECT_NEAR(after([&](Die& d) { d.commit_program(3, BlockId(0), PageId(0), unit.data()); }).energy.count(),
                planes * kVcc * kProgram * kTprog, 1);
    EXPECT_NEAR(after([](Die& d) { d.commit_erase(3, BlockId(0)); }).energy.count(), planes * kVcc * kErase * kTbers,
                1);
  }
}

TEST_F(EnergyTest, AnInterruptedOperationTakesThePartDone) {
  set(0.5);
  const Picoseconds half(static_cast<std::int64_t>(kTbers / 2));
  EXPECT_NEAR(after([&](Die& d) { d.interrupt_erase(3, BlockId(0), half); }).energy.count(),
              1.5 * kVcc * kErase * kTbers / 2, 1);
}

}  // namespace
}  // namespace wordline::nand::energy_test
