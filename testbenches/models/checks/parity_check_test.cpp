// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parity over dies: which keys exclude each other, what it leaves of the capacity, and dies that die.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/checks/boot_info.h"
#include "models/checks/load.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::parity_check_test {
namespace {

using Sets = std::vector<std::string>;

class ParityKeys : public DriveFile {
 protected:
  static void expect_refused(Sets sets, const std::string& reason) {
    sets.insert(sets.begin(), "ftl.parity=dies");
    EXPECT_NE(with(sets).find(reason), std::string::npos) << reason << "\nnot in: " << with(sets);
  }
};

TEST_F(ParityKeys, WhatTheyGoTogetherWith) {
  for (const char* policy : {"page_greedy", "page_cost_benefit", "page_d_choices", "page_fifo", "page_hot_cold"}) {
    EXPECT_EQ(with({"ftl.parity=dies", std::string("ftl.policy=") + policy, "ftl.over_provisioning=0.4",
                    "nand.faults.dead_dies=[3]", "nand.faults.dead_at=[5ms]"}),
              "");
  }
  EXPECT_EQ(with({"ftl.parity=dies", "ftl.recovery=scan", "ftl.power_safe=false", "nand.program=wordline"}), "");
  EXPECT_EQ(with({"ftl.parity=dies", "engines.retry=off", "ftl.patrol=7", "ftl.reclaim_errors=60"}), "");
}

TEST_F(ParityKeys, WhatTheyDoNot) {
  expect_refused({"channels.count=1", "channels.packages=1", "channels.dies_per_package=2"},
                 "ftl.parity = dies with 2 dies, expected at least 4");
  expect_refused({"channels.count=1", "channels.packages=1", "channels.dies_per_package=1"},
                 "ftl.parity = dies with 1 dies, expected at least 4");
  expect_refused({"ftl.policy=ppb", "ftl.over_provisioning=0.4"}, "ftl.parity = dies with ftl.policy = ppb, expected");
  const Sets mounts = {"ftl.recovery=scan", "ftl.power_safe=false"};
  const auto with_mount = [&](Sets more) {
    more.insert(more.end(), mounts.begin(), mounts.end());
    return more;
  };
  expect_refused(with_mount({"nand.program=page"}), "ftl.parity = dies with ftl.recovery = scan and word lines");
  expect_refused(with_mount({"nand.program=wordline", "ftl.checkpoint_after=4"}),
                 "ftl.parity = dies with ftl.checkpoint_after = 4, expected 0");
  expect_refused(with_mount({"nand.program=wordline", "precondition.fill=sequential"}),
                 "ftl.recovery = scan and a drive that begins filled, expected precondition.fill = none");
  expect_refused({"ftl.map=page"}, "ftl.parity = dies with ftl.map = page, expected ftl.map = sector");
  expect_refused({"ftl.fdp.handles=2"}, "ftl.parity = dies with ftl.fdp.handles = 2, expected 0");
  expect_refused({"ftl.spare_blocks=8"}, "ftl.parity = dies with ftl.spare_blocks = 8, expected 0");
  expect_refused({"ecc.model=rtl"}, "ftl.parity = dies with ecc.model = rtl, expected ecc.model = calibrated");
  expect_refused({"precondition.fill=random"}, "expected precondition.fill = none or sequential");
  expect_refused({"engines.copy=on"}, "ftl.parity = dies with engines.copy = on, expected engines.copy = off");
  expect_refused({"nand.faults.dead_dies=[1, 2]", "nand.faults.dead_at=[5ms]"},
                 "nand.faults.dead_dies names 2 dies and nand.faults.dead_at 1 instants");
  expect_refused({"nand.faults.dead_dies=[1023]", "nand.faults.dead_at=[5ms]"}, "nand.faults.dead_dies names die 1023");
  expect_refused({"nand.faults.dead_dies=[1, 1]", "nand.faults.dead_at=[5ms, 6ms]"}, "each once");
}

// Sums: of each superblock that may be open, one of the host and one of moved data, and four more; a unit each.
TEST_F(ParityKeys, TheBufferIsLargerByTheSums) {
  const config::Loaded loaded = config::load("", {"ftl.parity=dies"});
  const config::Layout layout = config::layout_of(loaded.config);
  const wl_boot_info info = config::boot_info_of(loaded.config, layout);
  EXPECT_EQ(info.ftl.parity_slots, (2 * 2 + 4) * layout.lpages_per_program);
  const config::Loaded without = config::load("", {});
  EXPECT_EQ(config::boot_info_of(without.config, config::layout_of(without.config)).ftl.parity_slots, 0U);
}

}  // namespace
}  // namespace wordline::testing::parity_check_test
