// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// [nand.region] and [ftl.mpnfm]: two page sizes in a die, what follows for the layout and the firmware, and what does
// not go with them. Every gate is tested at its last good value, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "models/checks/boot_info.h"
#include "models/checks/load.h"
#include "models/checks/region_check.h"
#include "models/config/schema.h"
#include "models/firmware/policy/keys.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::region_test {
namespace {

using namespace wordline::literals;
using config::Config;

/// The default drive with 36 blocks of 63 pages of 4 KiB in each plane beside its 214 of 576 pages of 16 KiB.
Config two_sizes() {
  Config c{};
  for (const config::Key& key : config::schema()) key.set(c, config::default_value(key));
  c.nand.region = {4_KiB, 36, 63};
  c.ftl.map = config::MapUnit::kPage;
  c.ftl.pace.gc = false;
  return c;
}

/// With its policy.
Config of_policy(Config c) {
  const auto& names = config::policy_names();
  c.ftl.policy = static_cast<std::uint32_t>(std::find(names.begin(), names.end(), "mpnfm") - names.begin());
  return c;
}

/// What is refused of two_sizes() after `change`, in its policy, each on a line; and every conflict names keys.
std::string refused(const std::function<void(Config&)>& change, std::string_view policy = "mpnfm") {
  Config c = two_sizes();
  change(c);
  std::string text;
  for (const config::Conflict& conflict : config::region_conflicts(c, policy)) {
    text += (text.empty() ? "" : "\n") + conflict.text;
    for (const std::string_view key : conflict.keys) EXPECT_GE(config::find_key(key), 0) << key;
  }
  return text;
}

// ---- layout --------------------------------------------------------------------------------------------------------

TEST(Region, CapacityIsThatOfBothKinds) {
  const Config c = two_sizes();
  const config::Layout l = config::layout_of(c);
  EXPECT_EQ(l.small.pages, 63U);
  EXPECT_EQ(l.small.lpages_per_page, 1U);
  EXPECT_EQ(l.small.page, 4_KiB);
  EXPECT_EQ(l.lpages_per_page, 4U);
  EXPECT_EQ(l.superblocks, 250U);
  const std::uint64_t large = std::uint64_t{l.dies} * 2 * 214 * 576 * 4, small = std::uint64_t{l.dies} * 2 * 36 * 63;
  EXPECT_EQ(l.raw_lpages, large + small);
  EXPECT_EQ(l.user_lpages,
            static_cast<std::uint64_t>(static_cast<double>(large + small) / (1 + c.ftl.over_provisioning)));
  Config as_long = c;
  as_long.nand.region.pages_per_block = 0;
  EXPECT_EQ(config::layout_of(as_long).small.pages, 576U);
  const config::BlockKinds kinds(c.nand, l);
  EXPECT_EQ(kinds.of(213).pages, 576U);
  EXPECT_EQ(kinds.of(213).page, 16_KiB);
  EXPECT_EQ(kinds.of(214).pages, 63U);
  EXPECT_TRUE(kinds.is_small(214));
}

TEST(Region, APageOf2KiBIsTheLogicalPageOfTheDrive) {
  Config c = two_sizes();
  c.nand.region.page = 2_KiB;
  const config::Layout l = config::layout_of(c);
  EXPECT_EQ(l.lpage.bytes(), 2048U);
  EXPECT_EQ(l.lpages_per_page, 8U);
  EXPECT_EQ(l.small.lpages_per_page, 1U);
  c.nand.region.blocks_per_plane = 0;  // then nobody has such a page
  EXPECT_EQ(config::layout_of(c).lpage.bytes(), 4096U);
}

TEST(Region, TheFirmwareIsInformed) {
  Config c = two_sizes();
  wl_boot_info info = config::boot_info_of(c, config::layout_of(c));
  EXPECT_EQ(info.blocks, 250U);
  EXPECT_EQ(info.pages, 576U);
  EXPECT_EQ(info.ftl.small.blocks, 36U);
  EXPECT_EQ(info.ftl.small.pages, 63U);
  EXPECT_EQ(info.ftl.small.lpages_per_page, 1U);
  EXPECT_EQ(wl_policy_keys(&info)->mpnfm.threshold, 8U);  // one small page, in blocks of 512 bytes
  EXPECT_EQ(wl_policy_keys(&info)->mpnfm.gc_start_superblocks, 1U);
  c.ftl.mpnfm = {8_KiB, 3};
  info = config::boot_info_of(c, config::layout_of(c));
  EXPECT_EQ(wl_policy_keys(&info)->mpnfm.threshold, 16U);
  EXPECT_EQ(wl_policy_keys(&info)->mpnfm.gc_start_superblocks, 3U);
  c.nand.region = {4_KiB, 0, 0};
  info = config::boot_info_of(c, config::layout_of(c));
  EXPECT_EQ(info.blocks, 214U);
  EXPECT_EQ(info.ftl.small.blocks + info.ftl.small.pages + info.ftl.small.lpages_per_page, 0U);
}

// ---- files ---------------------------------------------------------------------------------------------------------

TEST(Region, IsATableOrAListOfOne) {
  enter_scratch();
  write_file("table.toml", "[nand.region]\npage = \"2KiB\"\npages_per_block = 6\n");
  write_file("list.toml", "[[nand.region]]\npage = \"2KiB\"\npages_per_block = 6\n");
  const std::string unused = " has no effect with nand.region.blocks_per_plane = 0, expected blocks that it speaks of";
  for (const std::string file : {"table.toml", "list.toml"}) {
    EXPECT_EQ(problems(file), file + ":2:8: error: nand.region.page" + unused + "\n" + file +
                                  ":3:19: error: nand.region.pages_per_block" + unused);
  }
  write_file("two.toml", "[[nand.region]]\npage = \"2KiB\"\n[[nand.region]]\n");
  EXPECT_NE(problems("two.toml")
                .find("error: nand.region comes 2 times, expected once: a die has two page sizes, "
                      "nand.page and nand.region.page"),
            std::string::npos)
      << problems("two.toml");
  write_file("numbers.toml", "[nand]\nregion = [1, 2]\n");
  EXPECT_NE(problems("numbers.toml").find("nand.region is [1, 2], expected a table"), std::string::npos)
      << problems("numbers.toml");
  write_file("unknown.toml", "[[nand.region]]\nblocks = 5\n");
  EXPECT_NE(problems("unknown.toml").find("unknown key nand.region.blocks"), std::string::npos);
}

TEST(Region, IsForOnePolicy) {
  enter_scratch();
  write_file("drive.toml", "");
  EXPECT_EQ(problems("drive.toml", {"nand.region.blocks_per_plane=8"}),
            "--set nand.region.blocks_per_plane=8: error: nand.region.blocks_per_plane = 8 with ftl.policy = "
            "page_greedy, expected ftl.policy = mpnfm, or 0: no other policy has two page sizes");
  EXPECT_EQ(refused([](Config& c) {
              c.nand.region = {4_KiB, 0, 0};
            }),
            "ftl.policy = mpnfm with nand.region.blocks_per_plane = 0, expected blocks with smaller pages: it places "
            "data by the size of pages");
  EXPECT_EQ(refused([](Config& c) { c.nand.region = {4_KiB, 0, 0}; }, "cube"), "");
  EXPECT_NE(problems("drive.toml", {"nand.region.page=8KiB"}).find("nand.region.page is \"8KiB\", expected"),
            std::string::npos);
}

// ---- what does not fit ---------------------------------------------------------------------------------------------

TEST(Region, SizesOfPagesAndBlocks) {
  EXPECT_EQ(refused([](Config&) {}), "");
  EXPECT_EQ(refused([](Config& c) { c.nand.region.page = Bytes(3072); }),
            "nand.region.page is 3072 bytes, expected 2 KiB or 4 KiB: a small page is one logical page");
  EXPECT_EQ(refused([](Config& c) { c.nand.geometry.page = 4_KiB; }),
            "nand.region.page is 4096 bytes and nand.page 4096, expected a smaller page in nand.region");
  EXPECT_EQ(refused([](Config& c) { c.nand.geometry.page = 8_KiB; }), "");
  EXPECT_EQ(refused([](Config& c) { c.nand.geometry.page = 64_KiB; }), "");
  const auto narrow = [](Bytes page) {
    return refused([page](Config& c) {
      c.nand.region.page = 2_KiB;
      c.nand.geometry.page = page;
    });
  };
  EXPECT_EQ(narrow(32_KiB), "");
  EXPECT_EQ(
      narrow(Bytes(34 * 1024)),
      "nand.page is 34816 bytes with nand.region.page = 2048, expected at most 32768: a page has up to 16 logical "
      "pages, which are as long as a small page");
  EXPECT_EQ(refused([](Config& c) { c.nand.region.pages_per_block = 576; }), "");
  EXPECT_EQ(refused([](Config& c) { c.nand.region.pages_per_block = 579; }),
            "nand.region.pages_per_block is 579, expected at most 576, which the other blocks have, or 0 for as many");
  EXPECT_EQ(refused([](Config& c) { c.nand.region.pages_per_block = 64; }),
            "nand.region.pages_per_block is 64, expected a multiple of 3: that many pages are programmed at once");
  EXPECT_EQ(refused([](Config& c) {
              c.nand.region.pages_per_block = 64;
              c.nand.geometry.program = config::ProgramGranularity::kPage;
            }),
            "");
  EXPECT_EQ(refused([](Config& c) { c.nand.region.blocks_per_plane = 65535 - 214; }), "");
  EXPECT_EQ(refused([](Config& c) { c.nand.region.blocks_per_plane = 65536 - 214; }),
            "nand.blocks_per_plane and nand.region.blocks_per_plane are 65536 together, expected at most 65535");
}

TEST(Region, RulesOfThePolicy) {
  EXPECT_EQ(refused([](Config& c) { c.ftl.mpnfm.threshold = 16_KiB; }), "");
  EXPECT_EQ(refused([](Config& c) { c.ftl.mpnfm.threshold = Bytes(16384 + 512); }),
            "ftl.mpnfm.threshold is 16896 bytes, expected at most nand.page = 16384: longer commands fill large pages");
  EXPECT_EQ(refused([](Config& c) { c.ftl.mpnfm.threshold = Bytes(1000); }),
            "ftl.mpnfm.threshold is 1000 bytes, expected a multiple of 512");
  EXPECT_EQ(refused([](Config& c) { c.ftl.mpnfm.gc_start_blocks = 34; }), "");
  EXPECT_EQ(refused([](Config& c) { c.ftl.mpnfm.gc_start_blocks = 35; }),
            "nand.region.blocks_per_plane = 36 with ftl.mpnfm.gc_start_blocks = 35, expected at least 37: one is open, "
            "and one is full before GC begins");
}

TEST(Region, WhatKnowsOnePageSize) {
  const std::string with = "ftl.policy = mpnfm with ";
  EXPECT_EQ(refused([](Config& c) { c.ftl.map = config::MapUnit::kLpage; }),
            with +
                "ftl.map = sector, expected ftl.map = page: data move between pages of the two sizes by the large "
                "page");
  EXPECT_EQ(refused([](Config& c) { c.ftl.read_modify = config::ReadModify::kDie; }), "");  // within large pages
  EXPECT_EQ(refused([](Config& c) { c.ftl.pace.gc = true; }),
            with + "ftl.gc_pacing = true, expected ftl.gc_pacing = false: the pace is that of one free pool");
  EXPECT_EQ(refused([](Config& c) { c.ftl.spare_blocks = 2; }),
            with + "ftl.spare_blocks = 2, expected 0: a spare block has one of the two page sizes");
  EXPECT_EQ(refused([](Config& c) {
              c.nand.geometry.order = config::ProgramOrder::kMixed;
              c.ftl.word_line_order = config::WordLineOrder::kMixed;
            }),
            with +
                "ftl.word_line_order other than horizontal, expected horizontal: the two kinds of blocks may differ "
                "in their pages");
  for (const auto order :
       {config::ProgramOrder::kHorizontal, config::ProgramOrder::kVertical, config::ProgramOrder::kMixed}) {
    EXPECT_EQ(refused([order](Config& c) { c.nand.geometry.order = order; }), "");
  }
  const std::string used = with +
                           "a drive that begins used, expected precondition.fill = none or sequential, without "
                           "precondition.overwrites and precondition.file: initial states have one page size";
  const auto begins = [](config::PreconditionFill fill, double overwrites, const char* file) {
    return refused([=](Config& c) {
      c.precondition.fill = fill;
      c.precondition.overwrites = overwrites;
      c.precondition.file = file;
    });
  };
  EXPECT_EQ(begins(config::PreconditionFill::kNone, 0, ""), "");
  EXPECT_EQ(begins(config::PreconditionFill::kSequential, 0, ""), "");
  EXPECT_EQ(begins(config::PreconditionFill::kSequential, 0.5, ""), used);
  EXPECT_EQ(begins(config::PreconditionFill::kRandom, 0, ""), used);
  EXPECT_EQ(begins(config::PreconditionFill::kSteady, 0, ""), used);
  EXPECT_EQ(begins(config::PreconditionFill::kNone, 0, "some.state"), used);
}

// The small pages count for what is exported, and hold none of it for good.
TEST(Region, TheOtherBlocksHaveRoomForAllData) {
  const auto spare = [](std::uint32_t blocks) {
    Config c = of_policy(two_sizes());
    c.nand.region = {4_KiB, blocks, 0};
    c.ftl.gc_start_superblocks = 4;
    std::string text;
    for (const config::Conflict& conflict : config::conflicts(c)) {
      if (conflict.text.find("over_provisioning") != std::string::npos) text += conflict.text;
    }
    return text;
  };
  // 7 % over. 34 small blocks are as much as 8.5 large ones, so ceil(222.5 / 1.07) = 208 of 214 hold data; GC
  // from 4 on, an open one of the host and one of moved data need the others.
  EXPECT_EQ(spare(34), "");
  EXPECT_EQ(
      spare(35),
      "ftl.over_provisioning leaves 5 of 214 superblocks to spare, expected at least 6: ftl.gc_start_superblocks = 4 "
      "and "
      "2 open ones; more over-provisioning or more blocks of nand.blocks_per_plane, which take all data when small "
      "pages are collected");
}

// Three units of large pages, and two of small ones, 24 and 6 logical pages each.
TEST(Region, TheWriteBufferHoldsUnitsOfBothSizes) {
  const auto buffer = [](std::uint64_t lpages) {
    Config c = of_policy(two_sizes());
    c.ftl.over_provisioning = 0.5;
    c.ftl.write_buffer = Bytes(lpages * 4096);
    std::string text;
    for (const config::Conflict& conflict : config::conflicts(c)) text += conflict.text;
    return text;
  };
  EXPECT_EQ(buffer(3 * 24 + 2 * 6), "");
  EXPECT_EQ(buffer(3 * 24 + 2 * 6 - 1),
            "ftl.write_buffer holds 83 logical pages, expected at least 84: three program operations of all planes and "
            "two of small pages");
}

}  // namespace
}  // namespace wordline::testing::region_test
