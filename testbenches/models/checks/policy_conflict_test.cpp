// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Policies of the FTL that do not fit the drive, each other, or keys. Every gate is tested at its last good value, too.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/checks/load.h"
#include "models/config/policy_names.h"
#include "models/config/schema.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::policy_conflict_test {
namespace {

using config::policy_names;
using config::policy_spelling;
using config::why_no_policy;

class PolicyConflicts : public DriveFile {};

TEST_F(PolicyConflicts, VoltagesOfProgramsAreThoseOfTheDie) {
  const std::string vert = "ftl.policy=vert";
  EXPECT_EQ(with({vert, "ftl.vert.final_cut=120mV"}), "");
  EXPECT_EQ(with({vert, "ftl.vert.final_cut=0mV"}), "");
  EXPECT_EQ(with({vert, "ftl.vert.final_cut=125mV"}),
            "--set ftl.vert.final_cut=125mV: error: ftl.vert.final_cut = 125mV, expected a multiple of 10 mV, as the "
            "feature of the die has it");
  EXPECT_NE(with({vert, "ftl.vert.final_cut=1620mV"}).find("ftl.vert.final_cut cannot be programmed"),
            std::string::npos);
}

TEST_F(PolicyConflicts, KeysOfCubeThatHaveNoEffect) {
  const std::string cube = "ftl.policy=cube", mixed = "nand.program_order=mixed";
  const std::string in_turn = "ftl.cube.allocation=horizontal", threshold = "ftl.cube.demand_threshold=0.5";
  EXPECT_EQ(with({mixed, cube, threshold}), "");
  EXPECT_EQ(with({mixed, cube, in_turn}), "");
  EXPECT_EQ(with({mixed, cube, in_turn, "ftl.cube.gc_uses=leaders", threshold}), "") << "moved data go by it";
  for (const std::string& key : {threshold, std::string("ftl.cube.active_blocks=1")}) {
    EXPECT_NE(with({mixed, cube, in_turn, key}).find("has no effect with ftl.cube.allocation = horizontal"),
              std::string::npos)
        << key;
  }
  EXPECT_NE(with({mixed, cube, "ftl.cube.programs=skip", "ftl.cube.most_voltage=200mV"}).find("has no effect"),
            std::string::npos);
  EXPECT_NE(with({cube}).find("nand.program_order = mixed"), std::string::npos);
}

TEST_F(PolicyConflicts, WordLinesAreChosenWhereDiesPermitIt) {
  EXPECT_EQ(with({"ftl.word_line_order=vertical", "nand.program_order=mixed"}), "");
  EXPECT_EQ(with({"ftl.word_line_order=mixed"}),
            "--set ftl.word_line_order=mixed: error: ftl.word_line_order = mixed with nand.program_order = horizontal, "
            "expected nand.program_order = mixed: the dies want their word lines in ascending order");
}

TEST_F(PolicyConflicts, VirtualBlocksAreGroupsOfLayersThatAreWrittenInTurn) {
  EXPECT_EQ(with({"ftl.policy=ppb"}), "");
  EXPECT_EQ(with({"ftl.policy=ppb", "nand.program_order=mixed"}), "");
  EXPECT_EQ(
      with({"ftl.ppb.virtual_blocks=5"}),
      "--set ftl.ppb.virtual_blocks=5: error: ftl.ppb.virtual_blocks has no effect with ftl.policy = page_greedy, "
      "expected ftl.policy = ppb or ppb+cube or ppb+agcr");
  for (const char* other :
       {"half_full_blocks=0", "hot_write_size=0B", "hot_list=0.5", "iron_hot_list=0.5", "table=bounded"}) {
    EXPECT_NE(with({std::string("ftl.ppb.") + other}).find("has no effect with ftl.policy"), std::string::npos)
        << other;
  }
  EXPECT_EQ(with({"ftl.policy=ppb", "nand.layers=4", "ftl.ppb.virtual_blocks=5"}),
            "--set ftl.ppb.virtual_blocks=5: error: ftl.policy = ppb with ftl.ppb.virtual_blocks = 5 and nand.layers = "
            "4, expected at least as many layers: a virtual block is a group of h-layers");
  EXPECT_EQ(with({"ftl.policy=ppb", "nand.program_order=mixed", "ftl.word_line_order=mixed"}),
            "--set ftl.word_line_order=mixed: error: ftl.policy = ppb with another order of word lines than h-layer by "
            "h-layer, expected nand.program_order = horizontal or mixed, and ftl.word_line_order = horizontal: a "
            "virtual block is written before the next one");
  EXPECT_EQ(with({"ftl.policy=ppb", "ftl.ppb.hot_write_size=5000B"}),
            "--set ftl.ppb.hot_write_size=5000B: error: ftl.ppb.hot_write_size is 5000 bytes, expected a multiple of 4 "
            "KiB");
}

// Two areas of the host and two of moved data have one more open superblock each for each half-full one but the first.
TEST_F(PolicyConflicts, HalfFullSuperblocksAreOpenOnes) {
  const std::string room = "ftl.over_provisioning=0.22", blocks = "nand.blocks_per_plane=100";  // 18 to spare
  const std::string start = "ftl.gc_start_superblocks=4";
  EXPECT_EQ(with({"ftl.policy=ppb", blocks, room, start, "ftl.ppb.half_full_blocks=2"}), "");
  EXPECT_EQ(
      with({"ftl.policy=ppb", blocks, room, start, "ftl.ppb.half_full_blocks=3"}),
      "--set ftl.ppb.half_full_blocks=3: error: ftl.over_provisioning leaves 18 of 100 superblocks to spare, "
      "expected at least 20: ftl.gc_start_superblocks = 4 and 16 open ones; more over-provisioning or more blocks, or "
      "less than ftl.ppb.half_full_blocks = 3");
}

TEST_F(PolicyConflicts, StepsOfAgcrCanBeProgrammedAndRead) {
  const std::string agcr = "ftl.policy=agcr";
  EXPECT_EQ(with({agcr}), "");
  EXPECT_EQ(with({agcr, "ftl.agcr.coarse_step=1.0", "ftl.agcr.fine_step=1.0"}), "");
  EXPECT_EQ(with({agcr, "ftl.agcr.coarse_step=3.0"}),
            "--set ftl.agcr.coarse_step=3.0: error: ftl.agcr.coarse_step = 3 makes steps of 540 mV, which leave a "
            "fresh page up to 347 bit errors in a codeword, expected at most the 168 that the decoder corrects: finer "
            "steps");
  EXPECT_EQ(with({agcr, "nand.ispp.step=26mV", "ftl.agcr.fine_step=0.25"}), "") << "232 loops";
  EXPECT_EQ(with({agcr, "nand.ispp.step=26mV", "nand.ispp.window=1800mV", "ftl.agcr.fine_step=0.25"}),
            "--set ftl.agcr.fine_step=0.25: error: ftl.agcr.fine_step = 0.25 makes steps of 7 mV, 257 in "
            "nand.ispp.window, expected 1 to 251 of at least 1 mV");
}

TEST_F(PolicyConflicts, KeysOfAgcrAreForItAlone) {
  EXPECT_EQ(with({"ftl.agcr.window=3"}),
            "--set ftl.agcr.window=3: error: ftl.agcr.window has no effect with ftl.policy = page_greedy, expected "
            "ftl.policy = agcr or agcr_li or cube+agcr or ppb+agcr");
  EXPECT_EQ(with({"ftl.policy=ppb", "ftl.agcr.classes=fine"}),
            "--set ftl.agcr.classes=fine: error: ftl.agcr.classes has no effect with ftl.policy = ppb, expected "
            "ftl.policy = agcr or agcr_li or cube+agcr or ppb+agcr");
  EXPECT_EQ(with({"ftl.policy=agcr", "ftl.agcr.classes=fine"}), "");
  EXPECT_EQ(with({"ftl.policy=agcr", "ftl.agcr.window=3"}), "");
  EXPECT_EQ(with({"ftl.policy=agcr", "ftl.agcr.window=3", "ftl.agcr.classes=fine"}),
            "--set ftl.agcr.classes=fine: error: ftl.agcr.window = 3 has no effect with ftl.agcr.classes = "
            "fine, expected ftl.agcr.classes = history");
  EXPECT_EQ(with({"ftl.policy=agcr_li", "ftl.agcr.queue=4", "ftl.agcr.fine_step=0.5"}), "");
  EXPECT_EQ(with({"ftl.policy=agcr_li", "ftl.agcr.window=3"}),
            "--set ftl.agcr.window=3: error: ftl.agcr.window has no effect with ftl.policy = agcr_li, expected "
            "ftl.policy = agcr");
  EXPECT_EQ(with({"ftl.policy=agcr", "ftl.agcr.queue=4"}),
            "--set ftl.agcr.queue=4: error: ftl.agcr.queue has no effect with ftl.policy = agcr, expected ftl.policy = "
            "agcr_li, or agcr with ftl.agcr.busy_only");
  EXPECT_EQ(with({"ftl.policy=agcr", "ftl.agcr.busy_only=true", "ftl.agcr.queue=4"}), "");
  EXPECT_EQ(
      with({"ftl.policy=agcr_li", "ftl.agcr.busy_only=true"}),
      "--set ftl.agcr.busy_only=true: error: ftl.agcr.busy_only has no effect with ftl.policy = agcr_li, expected "
      "ftl.policy = agcr");
  EXPECT_EQ(with({"ftl.agcr.read_levels=assumed"}),
            "--set ftl.agcr.read_levels=assumed: error: ftl.agcr.read_levels has no effect with ftl.policy = "
            "page_greedy, expected ftl.policy = agcr or agcr_li or cube+agcr or ppb+agcr");
}

// Each pair of policies is one of the table, in either order, or there is a reason why not.
TEST_F(PolicyConflicts, PoliciesThatAreCombined) {
  std::vector<std::string> single, combined;
  for (const std::string_view name : policy_names())
    (name.find('+') == std::string_view::npos ? single : combined).emplace_back(name);
  EXPECT_EQ(combined, (std::vector<std::string>{"ppb+cube", "cube+agcr", "ppb+agcr"}));
  unsigned built = 0;
  for (const std::string& a : single) {
    for (const std::string& b : single) {
      const std::string name = a + "+" + b;
      const bool known = policy_spelling(name) == name || policy_spelling(name) == b + "+" + a;
      const std::string reason = why_no_policy(name);
      const bool there = std::find(combined.begin(), combined.end(), policy_spelling(name)) != combined.end();
      EXPECT_TRUE(known) << name;
      EXPECT_NE(there, !reason.empty()) << name;
      EXPECT_EQ(reason, why_no_policy(b + "+" + a));
      built += there ? 1 : 0;
    }
  }
  EXPECT_EQ(built, 2 * combined.size());
  EXPECT_EQ(policy_spelling("agcr+cube"), "cube+agcr");
  EXPECT_EQ(why_no_policy("cube"), "");
  EXPECT_EQ(why_no_policy("cube+nothing"), "");
}

TEST_F(PolicyConflicts, PoliciesThatAreNotCombinedAreRefusedWithTheReason) {
  const auto refused = [this](const std::string& name, const std::string& reason) {
    const std::string found = with({"ftl.policy=" + name});
    EXPECT_EQ(found.rfind("--set ftl.policy=" + name + ": error: ftl.policy is \"" + name + "\", expected one of: ", 0),
              0U)
        << found;
    EXPECT_NE(found.find(", ppb+agcr: " + reason), std::string::npos) << found;
  };
  refused("cube+vert", "both choose the program window of a word line");
  refused("agcr+agcr_li", "both choose the step of a program");
  refused("page_greedy+cube", "page_greedy is what the others do where they decide nothing");
  refused("ppb+page_fifo", "page_fifo chooses victims alone");
  refused("ppb+ppb", "both are the same policy");
  refused("ppb+cube+agcr", "a combination is of two policies");
  EXPECT_EQ(with({"ftl.policy=cube+ppb", "nand.program_order=mixed"}), "") << "the order of names does not matter";
}

TEST_F(PolicyConflicts, ACombinationTakesKeysOfBothPolicies) {
  const std::string mixed = "nand.program_order=mixed";
  EXPECT_EQ(with({"ftl.policy=ppb+cube", mixed, "ftl.ppb.virtual_blocks=4", "ftl.cube.most_voltage=200mV"}), "");
  EXPECT_EQ(with({"ftl.policy=cube+agcr", mixed, "ftl.agcr.window=3", "ftl.cube.gc_uses=leaders"}), "");
  EXPECT_EQ(with({"ftl.policy=ppb+agcr", "ftl.agcr.fine_step=0.5", "ftl.ppb.hot_list=0.5"}), "");
  EXPECT_EQ(with({"ftl.policy=ppb+agcr", "ftl.agcr.window=3", "ftl.agcr.rewrite=coarse", "ftl.idle_after=1ms"}), "");
  EXPECT_EQ(with({"ftl.policy=ppb+agcr", "ftl.agcr.window=3"}),
            "--set ftl.agcr.window=3: error: ftl.agcr.window has no effect with ftl.policy = ppb+agcr and "
            "ftl.agcr.rewrite = off, expected ftl.agcr.rewrite = coarse or all: classes are levels of ppb, the window "
            "says what is written anew");
  EXPECT_EQ(with({"ftl.policy=ppb+cube"}),
            "--set ftl.policy=ppb+cube: error: ftl.policy = ppb+cube chooses among the word lines of an h-layer, "
            "expected nand.program_order = mixed");
  EXPECT_EQ(with({"ftl.policy=cube+agcr", mixed, "ftl.cube.active_blocks=1"}),
            "--set ftl.cube.active_blocks=1: error: ftl.cube.active_blocks has no effect with ftl.policy = cube+agcr, "
            "expected ftl.policy = cube: with classes of data each has one superblock of the host");
  EXPECT_EQ(with({"ftl.policy=cube+agcr", mixed, "ftl.agcr.queue=2"}),
            "--set ftl.agcr.queue=2: error: ftl.agcr.queue has no effect with ftl.policy = cube+agcr, expected "
            "ftl.policy = agcr_li, or agcr with ftl.agcr.busy_only");
  EXPECT_EQ(with({"ftl.policy=cube+agcr", mixed, "ftl.ppb.hot_list=0.5"}),
            "--set ftl.ppb.hot_list=0.5: error: ftl.ppb.hot_list has no effect with ftl.policy = cube+agcr, expected "
            "ftl.policy = ppb or ppb+cube or ppb+agcr");
  // A window that the device's own step leaves open may be none for the coarse one.
  const std::string narrow = "nand.ispp.window=720mV", most = "ftl.cube.most_voltage=500mV";
  EXPECT_EQ(with({"ftl.policy=cube", mixed, narrow, most}), "");
  EXPECT_NE(with({"ftl.policy=cube+agcr", mixed, narrow, most, "ftl.agcr.coarse_step=3.0"})
                .find("ftl.cube.most_voltage cannot be programmed"),
            std::string::npos);
}

TEST_F(PolicyConflicts, RewritesOfAgcrNeedIdleTime) {
  const std::string agcr = "ftl.policy=agcr", coarse = "ftl.agcr.rewrite=coarse", idle = "ftl.idle_after=1ms";
  EXPECT_EQ(with({agcr, idle, coarse}), "") << "ftl.idle_after has an effect without ftl.idle_free_superblocks";
  EXPECT_EQ(with({agcr, coarse}),
            "--set ftl.agcr.rewrite=coarse: error: ftl.agcr.rewrite has no effect with ftl.idle_after = 0s, expected a "
            "time: idle work never begins");
  EXPECT_EQ(with({agcr, idle, coarse, "ftl.agcr.classes=fine"}),
            "--set ftl.agcr.classes=fine: error: ftl.agcr.rewrite = coarse has no effect with "
            "ftl.agcr.classes = fine, expected ftl.agcr.classes = history");
  EXPECT_EQ(with({"ftl.policy=agcr_li", coarse}),
            "--set ftl.agcr.rewrite=coarse: error: ftl.agcr.rewrite has no effect with ftl.policy = agcr_li, expected "
            "ftl.policy = agcr");
}

TEST_F(PolicyConflicts, SensesOfAgcrAreThoseOfSoftReads) {
  const std::string agcr = "ftl.policy=agcr", assumed = "ftl.agcr.read_levels=assumed";
  EXPECT_EQ(with({agcr, assumed, "ftl.agcr.coarse_senses=7", "ftl.agcr.initial=fine"}), "");
  EXPECT_EQ(with({agcr, assumed, "ftl.agcr.coarse_senses=4"}),
            "--set ftl.agcr.coarse_senses=4: error: ftl.agcr.coarse_senses is 4, expected 1, 2, 3, 5 or 7");
  EXPECT_EQ(
      with({agcr, "ftl.agcr.coarse_senses=7"}),
      "--set ftl.agcr.coarse_senses=7: error: ftl.agcr.coarse_senses = 7 has no effect with ftl.agcr.read_levels = "
      "measured, expected ftl.agcr.read_levels = assumed");
  EXPECT_EQ(with({agcr, assumed, "ecc.model=rtl", "engines.retry=off"}), "");
  EXPECT_EQ(with({agcr, assumed, "ecc.model=rtl", "ftl.agcr.coarse_senses=1", "ftl.agcr.default_senses=1"}), "");
  EXPECT_EQ(with({agcr, assumed, "ecc.model=rtl"}),
            "--set ecc.model=rtl: error: ftl.agcr.read_levels = assumed with ecc.model = rtl: the read-retry "
            "controller in gates begins every read with one sense, expected ftl.agcr.read_levels = measured, ecc.model "
            "= calibrated or engines.retry = off");
}

}  // namespace
}  // namespace wordline::testing::policy_conflict_test
