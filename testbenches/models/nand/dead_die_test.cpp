// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Die::set_time(): a die that dies as a whole (nand.faults.dead_dies).
#include <gtest/gtest.h>

#include <vector>

#include "models/nand/die.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::dead_die_test {
namespace {

constexpr std::uint32_t kBothPlanes = 3;
constexpr double kUncorrectable = 0.025;  // above what seven soft reads correct (docs/measurements/ecc.md)

TEST(DeadDie, ReadsNothingAndFailsEachProgramAndErase) {
  const testing::Device device = testing::tlc();
  Die die(device.nand, device.layout, DieId(0), 1, {});
  const std::vector<StoredLpage> lpages(device.layout.lpages_per_program);
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(2), PageId(0), lpages.data()), OperationStatus::kOk);
  EXPECT_LT(die.rber(PlaneId(0), BlockId(2), PageId(0), 0), kUncorrectable);
  EXPECT_FALSE(die.programmed(PlaneId(1), BlockId(3), PageId(0)));
  die.set_time(Picoseconds(0), true);
  for (unsigned step = 0; step < kRetrySteps; ++step) {
    EXPECT_GT(die.rber(PlaneId(0), BlockId(2), PageId(0), step), kUncorrectable) << step;
  }
  // Blank pages are not taken for what they are either.
  EXPECT_TRUE(die.programmed(PlaneId(1), BlockId(3), PageId(0)));
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(2), PageId(3), lpages.data()), OperationStatus::kFail);
  EXPECT_EQ(die.failed_planes(), kBothPlanes);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(3), PageId(0), lpages.data()), OperationStatus::kFail);
  EXPECT_EQ(die.commit_erase(kBothPlanes, BlockId(2)), OperationStatus::kFail);
  EXPECT_EQ(die.failed_planes(), kBothPlanes);
}

}  // namespace
}  // namespace wordline::nand::dead_die_test
