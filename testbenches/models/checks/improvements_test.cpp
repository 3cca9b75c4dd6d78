// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/improvements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace wordline::config::improvements_test {
namespace {

using Sets = std::vector<std::string>;

const std::string kDefault = std::string(WORDLINE_CONFIGS) + "/ssds/default.toml";

Improvement row(const std::string& resource, const Sets& sets, const Need& need = {}) {
  const std::vector<Improvement> all = improvements(load(kDefault, sets), need);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Improvement& row) { return row.resource == resource; });
  if (found != all.end()) return *found;
  ADD_FAILURE() << resource << " has no row";
  return {};
}

Sets of(const std::string& resource, const Sets& sets = {}) {
  const Way way = valid_way(row(resource, sets), kDefault, sets);
  EXPECT_EQ(way.why_not, "") << resource;
  return way.sets;
}

TEST(ImprovementsTest, TwiceTheDiesKeepCapacityAndSuperblocks) {
  const Sets more = of("dies");
  EXPECT_EQ(more, (Sets{"channels.packages=8", "nand.wls_per_layer=2"}));
  const Layout base = layout_of(load(kDefault, {}).config);
  const Layout twice = layout_of(load(kDefault, more).config);
  EXPECT_EQ(twice.dies, 2 * base.dies);
  EXPECT_EQ(twice.user_lpages, base.user_lpages);
  EXPECT_EQ(twice.superblocks, base.superblocks);
  // One word line a layer: layers are halved; these odd, too: blocks.
  EXPECT_EQ(of("dies", {"nand.wls_per_layer=1"}), (Sets{"channels.packages=8", "nand.layers=24"}));
  EXPECT_EQ(of("dies", {"nand.wls_per_layer=1", "nand.layers=49"}),
            (Sets{"channels.packages=8", "nand.blocks_per_plane=107"}));
  const Improvement odd = row("dies", {"nand.wls_per_layer=1", "nand.layers=49", "nand.blocks_per_plane=213"});
  EXPECT_NE(odd.why_not.find("are odd"), std::string::npos) << odd.why_not;
}

TEST(ImprovementsTest, TheBusIsFasterOrThereAreMoreOfIt) {
  EXPECT_EQ(of("channels"), Sets{"channels.rate=1.6GT/s"});
  // A rate that the mode does not have: twice the channels with half of the dies.
  EXPECT_EQ(of("channels", {"channels.rate=3.2GT/s"}), (Sets{"channels.count=16", "channels.packages=2"}));
  const Way way = valid_way(row("channels", {"channels.rate=3.2GT/s"}), kDefault, {"channels.rate=3.2GT/s"});
  EXPECT_NE(way.note.find("decoders"), std::string::npos) << way.note;
  const Sets one{"channels.rate=3.2GT/s", "channels.packages=1"};
  EXPECT_NE(valid_way(row("channels", one), kDefault, one).why_not, "") << "neither is possible";
}

TEST(ImprovementsTest, TimesOfTheFlashAreHalvedAsTheyAreGiven) {
  EXPECT_EQ(of("t_r"),
            (Sets{"nand.timing.t_precharge=6us", "nand.timing.t_sense=4.5us", "nand.timing.t_discharge=3.5us"}));
  EXPECT_EQ(of("t_prog"), (Sets{"nand.timing.t_pgm=26.3us", "nand.timing.t_vfy=2.7us"}));
  const Sets pinned{"nand.timing.mode=pinned", "nand.timing.t_r=[40us, 60us, 80us]", "nand.timing.t_prog=[1ms]"};
  EXPECT_EQ(of("t_r", pinned), Sets{"nand.timing.t_r=[\"20us\", \"30us\", \"40us\"]"});
  EXPECT_EQ(of("t_prog", pinned), Sets{"nand.timing.t_prog=[\"500us\"]"});
  EXPECT_EQ(of("cores"), Sets{"cpu.clock=1GHz"});
  EXPECT_EQ(of("write_buffer"), Sets{"ftl.write_buffer=32MiB"});
}

TEST(ImprovementsTest, WhatCannotApplyHasItsReason) {
  Need reads;
  reads.writes = reads.collected = reads.write_buffer = false;
  reads.queue_depth = 8;
  EXPECT_EQ(row("t_prog", {}, reads).why_not, "the workload writes nothing");
  EXPECT_EQ(row("write_buffer", {}, reads).why_not, "no write waited for a slot of it");
  EXPECT_EQ(row("tags", {}, reads).why_not, "the workload never uses all of them");
  EXPECT_EQ(row("tags", {"nvme.tags=4"}, reads).why_not, "");
  EXPECT_EQ(row("dma", {}, reads).why_not, "link.dma_setup is 0");
  EXPECT_EQ(row("dma", {"link.dma_setup=1us"}, reads).why_not, "");
  EXPECT_EQ(row("host", {}, reads).why_not, "the workload has no rate and no think time");
  Need trace;
  trace.open_loop = trace.paced = true;
  EXPECT_EQ(row("queue_depth", {}, trace).why_not, "requests arrive at times of their own");
  EXPECT_EQ(row("arrival_rate", {}, trace).why_not, "");
  const std::vector<Improvement> two_sizes =
      improvements(load(std::string(WORDLINE_CONFIGS) + "/ssds/mpnfm_mlc.toml", {}), trace);
  EXPECT_NE(two_sizes.front().why_not.find("two page sizes"), std::string::npos) << two_sizes.front().why_not;
}

}  // namespace
}  // namespace wordline::config::improvements_test
