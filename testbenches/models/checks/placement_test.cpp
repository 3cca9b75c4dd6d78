// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// ftl.fdp: what placement handles go together with, and what they need.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::placement_test {
namespace {

class PlacementHandles : public DriveFile {
 protected:
  static std::string with_two(std::vector<std::string> sets) {
    sets.insert(sets.begin(), "ftl.fdp.handles=2");
    return with(sets);
  }
  static void expect_refused(const std::vector<std::string>& sets, const std::string& reason) {
    EXPECT_NE(with_two(sets).find(reason), std::string::npos) << reason << "\nnot in: " << with_two(sets);
  }
};

TEST_F(PlacementHandles, WhatTheyGoTogetherWith) {
  for (const char* policy : {"page_greedy", "page_cost_benefit"}) {
    EXPECT_EQ(with_two({std::string("ftl.policy=") + policy}), "");
    EXPECT_EQ(with_two({std::string("ftl.policy=") + policy, "ftl.fdp.isolation=persistently"}), "");
  }
  EXPECT_EQ(with({"ftl.fdp.isolation=persistently"}),
            "--set ftl.fdp.isolation=persistently: error: ftl.fdp.isolation = persistently has no effect with "
            "ftl.fdp.handles = 0, expected at least 1");
}

TEST_F(PlacementHandles, WhatTheyDoNot) {
  expect_refused({"ftl.policy=page_fifo"}, "ftl.fdp.handles = 2 with ftl.policy = page_fifo, expected ftl.policy = ");
  expect_refused({"host.model=direct"}, "ftl.fdp.handles = 2 with host.model = direct, expected host.model = nvme");
  expect_refused({"ftl.recovery=scan", "ftl.power_safe=false"},
                 "ftl.fdp.handles = 2 with ftl.recovery = scan, expected ftl.recovery = none");
  expect_refused({"nvme.namespaces=[0.5, 0.5]"}, "ftl.fdp.handles = 2 with 2 of nvme.namespaces, expected one");
  expect_refused({"ftl.map=page"}, "ftl.fdp.handles = 2 with ftl.map = page, expected ftl.map = sector");
  expect_refused({"ftl.fdp.isolation=persistently", "engines.copy=on"},
                 "ftl.fdp.isolation = persistently and engines.copy = on, expected engines.copy = off");
}

/// Sixteen open superblocks, and as many of GC, want spare space and buffer.
TEST_F(PlacementHandles, TheyNeedRoom) {
  const std::string space = with({"ftl.fdp.handles=16", "ftl.over_provisioning=0.02"});
  EXPECT_NE(space.find("more over-provisioning or more blocks, or less than ftl.fdp.handles = 16"), std::string::npos)
      << space;
  const std::string buffer = with({"ftl.over_provisioning=0.5", "ftl.fdp.handles=16", "ftl.write_buffer=1MiB"});
  EXPECT_NE(buffer.find("17 program operations of all planes"), std::string::npos) << buffer;
  EXPECT_EQ(with({"ftl.fdp.handles=16", "ftl.over_provisioning=0.5"}), "");
}

}  // namespace
}  // namespace wordline::testing::placement_test
