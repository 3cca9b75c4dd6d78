// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Wear levelling, read reclaim, refresh and patrol: which keys exclude each other, and what the firmware is told.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/checks/boot_info.h"
#include "models/checks/load.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::upkeep_check_test {
namespace {

using Sets = std::vector<std::string>;

class UpkeepKeys : public DriveFile {
 protected:
  static void expect_refused(const Sets& sets, const std::string& reason) {
    EXPECT_NE(with(sets).find(reason), std::string::npos) << reason << "\nnot in: " << with(sets);
  }
  static wl_upkeep_rules rules(const Sets& sets) {
    const config::Loaded loaded = config::load("", sets);
    return config::boot_info_of(loaded.config, config::layout_of(loaded.config)).ftl.upkeep;
  }
};

TEST_F(UpkeepKeys, WhatTheyGoTogetherWith) {
  for (const char* policy : {"page_greedy", "page_cost_benefit", "page_d_choices", "page_fifo"}) {
    EXPECT_EQ(with({std::string("ftl.policy=") + policy, "ftl.wear_levelling=static", "ftl.read_reclaim=1000",
                    "ftl.reclaim_errors=60", "ftl.refresh_after=30", "ftl.patrol=7", "nand.aging.page_age=true"}),
              "");
  }
  EXPECT_EQ(with({"ftl.reclaim_errors=60", "engines.completion=on", "ftl.patrol=7"}), "");
}

TEST_F(UpkeepKeys, WhatTheyDoNot) {
  expect_refused({"ftl.wear_levelling_gap=8"},
                 "ftl.wear_levelling_gap = 8 has no effect with ftl.wear_levelling = fifo");
  expect_refused({"ftl.policy=sepbit", "ftl.read_reclaim=100", "ftl.over_provisioning=0.5"},
                 "ftl.read_reclaim = 100 with ftl.policy = sepbit, expected a policy with one class of moved data");
  const Sets cube{"ftl.policy=cube", "nand.program_order=mixed", "ftl.over_provisioning=0.5"};
  for (const char* key : {"ftl.wear_levelling=static", "ftl.read_reclaim=1000"}) {
    Sets sets = cube;
    sets.emplace_back(key);
    EXPECT_EQ(with(sets), "");
  }
  expect_refused({"ftl.fdp.handles=2", "ftl.wear_levelling=static"},
                 "ftl.wear_levelling = static with ftl.fdp.handles = 2, expected ftl.fdp.handles = 0");
  expect_refused({"engines.copy=on", "ftl.wear_levelling=static"},
                 "ftl.wear_levelling = static with engines.copy = on, expected engines.copy = off");
  expect_refused({"engines.l2p=on", "engines.job=on", "engines.completion=on", "ftl.read_reclaim=100"},
                 "expected one of them off: reads that no core sees are not counted");
  expect_refused({"engines.completion=on", "ftl.reclaim_errors=60"}, "expected engines.completion = off or a patrol");
  expect_refused({"ftl.patrol=7"}, "ftl.patrol = 7 has no effect with ftl.reclaim_errors = 0");
  expect_refused({"ftl.refresh_after=30"}, "ftl.refresh_after = 30 with nand.aging.page_age = false, expected true");
  expect_refused({"nand.aging.acceleration=1000"},
                 "nand.aging.acceleration = 1000.0 has no effect with nand.aging.page_age = false");
  expect_refused({"ftl.refresh_after=1", "nand.aging.page_age=true", "nand.aging.acceleration=1e8"},
                 "the patrol would go round all superblocks every 54 us, expected at least 1000");
}

// Data at rest have an open superblock of their own.
TEST_F(UpkeepKeys, StaticWearLevellingNeedsRoom) {
  const std::string space =
      with({"ftl.wear_levelling=static", "ftl.over_provisioning=0.01", "nand.blocks_per_plane=400"});
  EXPECT_NE(space.find("3 open ones; more over-provisioning or more blocks, or ftl.wear_levelling = dynamic"),
            std::string::npos)
      << space;
}

TEST_F(UpkeepKeys, TheClockOfTheFirmware) {
  EXPECT_EQ(rules({}).any, 0U);
  EXPECT_EQ(rules({"ftl.read_reclaim=100"}).tick_us, 0U) << "nothing is visited";
  EXPECT_EQ(rules({"ftl.wear_levelling=static"}).wear_gap, 16U);
  const Sets aged{"nand.aging.page_age=true", "ftl.refresh_after=32", "nand.blocks_per_plane=100",
                  "ftl.over_provisioning=0.2"};
  const auto with_aged = [&aged](Sets more) {
    more.insert(more.begin(), aged.begin(), aged.end());
    return rules(more);
  };
  // A sixteenth of 32 days is two days: a hundred superblocks in that time.
  const wl_upkeep_rules fast = with_aged({"nand.aging.acceleration=1e5"});
  EXPECT_EQ(fast.tick_us, 17280U);
  EXPECT_EQ(fast.visits, 1U);
  EXPECT_EQ(fast.age, 1600U);
  EXPECT_EQ(fast.patrol, 0U);
  EXPECT_EQ(with_aged({}).tick_us, 1'000'000'000U) << "what the timer counts";
  EXPECT_EQ(with_aged({}).age, 2764U);
  const wl_upkeep_rules patrol = with_aged({"nand.aging.acceleration=1e5", "ftl.patrol=0.01", "ftl.reclaim_errors=50",
                                            "nand.aging.retention_days=8", "precondition.fill=sequential"});
  EXPECT_EQ(patrol.tick_us, 172U) << "0.01 days are 8,640 us: two in a tick of at least 100";
  EXPECT_EQ(patrol.visits, 2U);
  EXPECT_EQ(patrol.patrol, 1U);
  EXPECT_EQ(patrol.age_at_boot, 8 * 864'000U / 172);
}

}  // namespace
}  // namespace wordline::testing::upkeep_check_test
