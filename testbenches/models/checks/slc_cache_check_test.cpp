// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// SLC cache: which keys exclude each other, and what a static one leaves of the space.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/checks/boot_info.h"
#include "models/checks/commands.h"
#include "models/checks/load.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::slc_cache_check_test {
namespace {

using Sets = std::vector<std::string>;

class SlcCacheKeys : public DriveFile {
 protected:
  static void expect_refused(Sets sets, const std::string& reason) {
    sets.insert(sets.begin(), "ftl.slc_cache=dynamic");
    EXPECT_NE(with(sets).find(reason), std::string::npos) << reason << "\nnot in: " << with(sets);
  }
};

TEST_F(SlcCacheKeys, WhatTheyGoTogetherWith) {
  for (const char* policy :
       {"page_greedy", "page_cost_benefit", "page_d_choices", "page_fifo", "page_hot_cold", "sepbit"}) {
    EXPECT_EQ(with({"ftl.slc_cache=static", "ftl.slc_superblocks=3", std::string("ftl.policy=") + policy,
                    "ftl.over_provisioning=0.4", "ftl.idle_after=1ms"}),
              "");
  }
  EXPECT_EQ(
      with({"ftl.slc_cache=dynamic", "engines.l2p=on", "engines.copy=on", "ftl.patrol=7", "ftl.reclaim_errors=60"}),
      "");
}

TEST_F(SlcCacheKeys, WhatTheyDoNot) {
  expect_refused({"nand.cell=slc", "nand.timing.senses_per_page=[]"},
                 "ftl.slc_cache = dynamic with nand.cell = slc, expected a device with several bits a cell");
  expect_refused({"nand.program=page"}, "with nand.program = page, expected nand.program = wordline");
  expect_refused({"nand.plane_blocks=any"}, "with nand.plane_blocks = any, expected nand.plane_blocks = same");
  expect_refused({"ftl.policy=ppb", "ftl.over_provisioning=0.4"}, "with ftl.policy = ppb, expected one that programs");
  expect_refused({"ftl.recovery=scan", "ftl.power_safe=false"}, "with ftl.recovery = scan, expected");
  expect_refused({"ftl.parity=dies"}, "with ftl.parity = dies, expected ftl.parity = none");
  expect_refused({"ftl.fdp.handles=2"}, "with ftl.fdp.handles = 2, expected 0");
  expect_refused({"channels.model=rtl"}, "with channels.model = rtl, expected channels.model = tlm");
  EXPECT_NE(with({"ftl.slc_superblocks=3"}).find("ftl.slc_superblocks = 3 has no effect with ftl.slc_cache = off"),
            std::string::npos);
  EXPECT_NE(with({"ftl.slc_cache=static", "ftl.slc_superblocks=500"})
                .find("less than ftl.slc_superblocks = 500, which are kept free"),
            std::string::npos);
}

TEST_F(SlcCacheKeys, CheckSaysHowMuchTheyHold) {
  // 8 dies, 32 word lines of 2 x 16 KiB each: 8 MiB a superblock.
  const std::string drive = WORDLINE_CONFIGS "/start/drive.toml";
  const std::string folded =
      config::check(drive, {"ftl.slc_cache=dynamic", "ftl.slc_superblocks=5", "ftl.idle_after=1ms"});
  EXPECT_NE(
      folded.find("slc cache dynamic, up to 5 superblocks with one bit a cell: 40 MiB of the host's data; folded"),
      std::string::npos)
      << folded;
  EXPECT_NE(config::check(drive, {"ftl.slc_cache=dynamic"}).find("GC alone empties it"), std::string::npos);
  EXPECT_EQ(config::check(drive, {}).find("slc cache"), std::string::npos);
}

TEST_F(SlcCacheKeys, TheFirmwareGetsThem) {
  const auto rules = [](Sets sets) {
    const config::Loaded loaded = config::load("", sets);
    return config::boot_info_of(loaded.config, config::layout_of(loaded.config)).ftl.slc_cache;
  };
  EXPECT_EQ(rules({}).superblocks, 0U);
  EXPECT_EQ(rules({"ftl.slc_cache=dynamic", "ftl.slc_superblocks=7"}).superblocks, 7U);
  EXPECT_EQ(rules({"ftl.slc_cache=dynamic"}).kept, 0U);
  EXPECT_EQ(rules({"ftl.slc_cache=static", "ftl.over_provisioning=0.2"}).kept, 1U);
}

}  // namespace
}  // namespace wordline::testing::slc_cache_check_test
