// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The firmware's part of the contract with the hardware engines, in random order: whatever engines there are and
// whenever they act, nothing is read that was not written.
#include <gtest/gtest.h>

#include <string>

#include "drive.h"
#include "workload.h"

namespace wordline::testing::engine_contract_test {
namespace {

struct Set {
  const char* name;
  std::uint32_t engines;
};
void PrintTo(const Set& set, std::ostream* out) { *out << set.name; }

wl_boot_info with(const Shape& shape, std::uint32_t engines) {
  wl_boot_info boot = boot_of(shape);
  boot.engines |= engines;
  boot.engine_slots = (engines & WL_ENGINES_FLASH) == WL_ENGINES_FLASH ? 8 : 0;
  return boot;
}

constexpr std::uint32_t kAll = WL_ENGINES_FLASH | WL_ENGINES_BUFFER | WL_ENGINE_GC;
constexpr Shape kShapes[] = {kSimple,
                             {"fresh", 2, 1, 1, {0, 0, 0}, true, false},
                             {"two_cores", 2, 3, 2, {0, 1, 0}, false, true},
                             {"three_cores", 1, 3, 3, {0, 1, 2}, true, true}};

class EngineContract : public ::testing::TestWithParam<Set> {};

TEST_P(EngineContract, KeepsEverythingOverThreeOverwrites) {
  const std::uint32_t set = GetParam().engines;
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    const wl_boot_info boot = with(shape, set);
    Drive drive(boot, 31);
    stress(drive, boot, kEverything, 3.5);
    read_everything(drive, boot);
    EXPECT_EQ(drive.run(flush()), 0);
    drive.settle();
    EXPECT_TRUE(drive.idle());
    EXPECT_TRUE(drive.errors.empty());
    EXPECT_GT(drive.statistics().gc_superblocks, 10u);
    expect_consistent(drive);
    for (std::uint32_t i = 0; i < WL_LPAGE_STATES; ++i) {
      const wl_lpage_state& state = rooms(drive.firmware()).engines.lpage_states[i];
      ASSERT_EQ(state.opened, state.closed) << "sectors " << i << " would stay with the firmware for ever";
    }
    const DriveEngines& engines = drive.engines();
    if ((set & WL_ENGINES_FLASH) == WL_ENGINES_FLASH) {
      EXPECT_GT(engines.chained, 100u);
      EXPECT_GT(engines.runs, engines.chained + 100);
    }
    if ((set & WL_ENGINE_L2P) != 0) {
      EXPECT_GT(engines.handed_over, 100u);
    }
    if ((set & WL_ENGINE_GC) != 0) {
      EXPECT_GT(engines.scans, 10u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, EngineContract,
                         ::testing::Values(Set{"l2p", WL_ENGINE_L2P}, Set{"job", WL_ENGINE_JOB},
                                           Set{"completion", WL_ENGINE_COMPLETION}, Set{"gc", WL_ENGINE_GC},
                                           Set{"l2p_completion", WL_ENGINE_L2P | WL_ENGINE_COMPLETION},
                                           Set{"buffer", WL_ENGINES_BUFFER}, Set{"flash", WL_ENGINES_FLASH},
                                           Set{"all", kAll}),
                         [](const auto& param) { return std::string(param.param.name); });

// Pages that cannot be read: commands that engines have begun come back, whole, and end with a media error.
TEST(EngineContract, FailedRunsComeBackToTheFirmware) {
  const wl_boot_info boot = with(kSimple, kAll);
  Drive drive(boot, 21);
  drive.nand().faults.uncorrectable = [](const wl_flash_job& job, std::uint32_t erases) {
    return keyed_hash(5, job.die, job.block, job.page, erases) % 60 == 0;
  };
  stress(drive, boot, kEverything, 8.0);
  drive.settle();
  expect_consistent(drive);
  EXPECT_GT(drive.engines().failed, 5u);
  ASSERT_EQ(drive.errors.size(), 1u);
  EXPECT_GT(drive.errors[WL_STATUS_READ_ERROR], 10u);
}

// Pages that fail once in a while: what the firmware reads again succeeds, after a part of it went to the host already.
TEST(EngineContract, WhatFailedOnceIsReadAgain) {
  const wl_boot_info boot = with(kSimple, kAll);
  Drive drive(boot, 22);
  drive.nand().faults.uncorrectable = [&drive](const wl_flash_job& job, std::uint32_t) {
    return (job.flags & WL_FLASH_ENGINE) != 0 && drive.random() % 4 == 0;
  };
  stress(drive, boot, kEverything, 3.0);
  read_everything(drive, boot);
  drive.settle();
  expect_consistent(drive);
  EXPECT_TRUE(drive.errors.empty());
  EXPECT_GT(drive.engines().failed, 20u);
}

// The same on the instruction-set model, with the image that a drive boots.
TEST(EngineContract, HoldsForTheImage) {
  wl_boot_info boot = with(kSimple, kAll);
  boot.tcm_bytes = WL_TCM_SIZE;  // its stacks are at the end of it
  Drive drive(boot, 23, WORDLINE_FIRMWARE_IMAGE);
  stress(drive, boot, kEverything, 1.0);
  read_everything(drive, boot);
  EXPECT_TRUE(drive.errors.empty());
  EXPECT_GT(drive.engines().chained, 50u);
}

}  // namespace
}  // namespace wordline::testing::engine_contract_test
