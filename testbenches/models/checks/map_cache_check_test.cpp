// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A cached map: which keys exclude it, how small it may be, and what it takes of the drive.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/checks/boot_info.h"
#include "models/checks/commands.h"
#include "models/checks/load.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::map_cache_check_test {
namespace {

using Sets = std::vector<std::string>;

class MapCacheKeys : public DriveFile {
 protected:
  static void expect_refused(Sets sets, const std::string& reason) {
    sets.insert(sets.begin(), "ftl.map_cache=1MiB");
    EXPECT_NE(with(sets).find(reason), std::string::npos) << reason << "\nnot in: " << with(sets);
  }
};

TEST_F(MapCacheKeys, WhatTheyGoTogetherWith) {
  for (const char* policy : {"page_greedy", "page_fifo", "page_hot_cold", "sepbit"}) {
    EXPECT_EQ(with({"ftl.map_cache=1MiB", std::string("ftl.policy=") + policy, "ftl.over_provisioning=0.4"}), "");
  }
  EXPECT_EQ(with({"ftl.map_cache=1MiB", "engines.victim=on", "engines.completion=on", "ftl.write_back=false",
                  "ftl.wear_levelling=static", "ftl.over_provisioning=0.4"}),
            "");
  EXPECT_EQ(with({"ftl.map_cache=1MiB", "ftl.recovery=scan", "ftl.power_safe=false", "ftl.over_provisioning=0.4"}), "");
}

TEST_F(MapCacheKeys, HostMemoryIsForACachedMapAndInWholePages) {
  EXPECT_EQ(with({"ftl.map_cache=1MiB", "nvme.hmb=64MiB", "ftl.over_provisioning=0.4"}), "");
  EXPECT_NE(with({"nvme.hmb=64MiB"}).find("nvme.hmb with ftl.map_cache = 0B, expected ftl.map_cache above 0B"),
            std::string::npos);
  expect_refused({"host.hmb=64MiB"}, "host.hmb has no effect with nvme.hmb = 0B, expected nvme.hmb above 0B");
  expect_refused({"nvme.hmb=5000B"}, "nvme.hmb is no multiple of 4KiB");
  expect_refused({"nvme.hmb=64MiB", "host.hmb=5000B"}, "host.hmb is no multiple of 4KiB");
  expect_refused({"nvme.hmb=64MiB", "host.model=direct"}, "nvme.hmb = 64MiB has no effect with host.model = direct");
}

TEST_F(MapCacheKeys, WhatTheyDoNot) {
  expect_refused({"engines.l2p=on"}, "ftl.map_cache with engines.l2p = on, expected engines.l2p = off");
  expect_refused({"engines.copy=on"}, "with engines.copy = on, expected engines.copy = off");
  expect_refused({"ftl.policy=ppb", "ftl.over_provisioning=0.4"},
                 "with ftl.policy = ppb, expected one whose data go to");
  expect_refused({"ftl.recovery=scan", "ftl.power_safe=false", "ftl.checkpoint_after=4", "precondition.fill=none"},
                 "with ftl.checkpoint_after = 4, expected 0");
  expect_refused({"ftl.recovery=scan", "ftl.power_safe=false", "nand.program=page"},
                 "word lines that take several programs, expected nand.program = wordline");
  expect_refused({"ftl.parity=dies"}, "with ftl.parity = dies, expected ftl.parity = none");
  expect_refused({"ftl.slc_cache=dynamic"}, "with ftl.slc_cache, expected ftl.slc_cache = off");
  expect_refused({"ftl.fdp.handles=2"}, "with ftl.fdp.handles = 2, expected 0");
  expect_refused({"ftl.map=page"}, "ftl.map_cache = 1MiB has no effect with ftl.map = page");
}

TEST_F(MapCacheKeys, TheSmallestHasTwoProgramUnits) {
  const config::Loaded drive = config::load("", {});
  const std::uint64_t unit = config::layout_of(drive.config).lpages_per_program;
  const std::uint64_t least = 4 * std::max<std::uint64_t>(8, 2 * unit);
  EXPECT_EQ(with({"ftl.map_cache=" + std::to_string(least) + "KiB"}), "");
  EXPECT_NE(with({"ftl.map_cache=" + std::to_string(least - 4) + "KiB"})
                .find("expected at least " + std::to_string(least) + " KiB"),
            std::string::npos);
}

TEST_F(MapCacheKeys, MapPagesLieBehindTheExportedOnes) {
  const config::Loaded drive = config::load("", {"ftl.map_cache=1MiB"});
  const config::Layout layout = config::layout_of(drive.config);
  const wl_boot_info info = config::boot_info_of(drive.config, layout);
  EXPECT_EQ(info.ftl.map_frames, 256U);
  EXPECT_EQ(wl_boot_map_pages(&info), (layout.user_lpages + 1023) / 1024);
  EXPECT_EQ(wl_boot_map_pages(&info), layout.map_pages);
  EXPECT_EQ(wl_boot_stored_lpages(&info), layout.user_lpages + layout.map_pages);
  const config::Loaded flat = config::load("", {});
  EXPECT_EQ(config::layout_of(flat.config).map_pages, 0U);
  EXPECT_EQ(config::layout_of(flat.config).user_lpages, layout.user_lpages) << "they take over-provisioning";
}

TEST_F(MapCacheKeys, CheckSaysWhatShareOfTheMapItHolds) {
  const std::string small = WORDLINE_CONFIGS "/ssds/small.toml";
  const std::string text = config::check(small, {"ftl.map_cache=256KiB", "nand.blocks_per_plane=1024"});
  EXPECT_NE(text.find("  map       on flash, in 668 map pages of 4 KiB; the cache holds 64 of them, 9.58 %\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(config::check(small, {}).find("  map "), std::string::npos);
}

}  // namespace
}  // namespace wordline::testing::map_cache_check_test
