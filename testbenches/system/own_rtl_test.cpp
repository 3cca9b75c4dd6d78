// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a user's own in a drive, by ecc.rtl.tier1 and ecc.rtl.tier2: the shipped decoder as a shared object, one
// made by hand, and one with a fault at its pins each time.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::own_rtl_test {
namespace {

constexpr const char* kDrive = "configs/ssds/small.toml";
constexpr const char* kReads = "[r]\nrw=randread\nbs=4k\nnumber_ios=60\n";

/// Of a worn drive: tier 1 corrects most codewords and gives some up, which tier 2 corrects.
std::vector<std::string> gates(const std::vector<std::string>& more = {}) {
  std::vector<std::string> sets{"ecc.model=rtl", "cpu.model=native", "precondition.fill=sequential",
                                "nand.aging.pe_cycles=2000", "nand.aging.retention_days=90"};
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

/// Without the configuration's name and the sizes, which are told of the shipped blocks alone.
nlohmann::json what_happened(nlohmann::json result) {
  result["wordline"].erase("config_sha256");
  result["ecc"]["rtl"].erase("size");
  return result;
}

TEST(OwnRtl, TheShippedDecoderDropsInWithTheSameResults) {
  const auto shipped = run_drive({kDrive, kReads, gates(), {}});
  const auto own = run_drive({kDrive, kReads, gates({"ecc.rtl.tier1=" SHIPPED_BLOCK}), {}});
  EXPECT_EQ(what_happened(shipped.result), what_happened(own.result));
  EXPECT_NE(shipped.result, own.result) << "the configuration is another one";
  EXPECT_GT(own.result["ecc"]["rtl"]["tier1"]["codewords"], 20);
  EXPECT_GT(own.result["ecc"]["rtl"]["tier1"]["given_up"], 0);
}

TEST(OwnRtl, ABlockMadeByHandTakesThePlaceOfTier2) {
  // So old that there are soft reads, too.
  const std::vector<std::string> old{"nand.aging.pe_cycles=3000", "nand.aging.retention_days=365"};
  const std::vector<std::string> old_own{"ecc.rtl.tier2=" SOFT_BLOCK, old[0], old[1]};
  const auto shipped = run_drive({kDrive, kReads, gates(old), {}});
  const auto own = run_drive({kDrive, kReads, gates(old_own), {}});
  EXPECT_GT(own.result["flash"]["soft_reads"], 0);
  auto result = what_happened(own.result);
  auto& tier2 = result["ecc"]["rtl"]["tier2"];
  EXPECT_GT(tier2["codewords"], 0);
  EXPECT_EQ(tier2["count"]["decoded"], result["ecc"]["tier2"]);
  tier2.erase("count");
  EXPECT_EQ(what_happened(shipped.result), result);
}

TEST(OwnRtl, CountersOfABlockAreInTheResult) {
  const auto run = run_drive({kDrive, kReads, gates({"ecc.rtl.tier1=" START_BLOCK}), {}});
  const auto& tier1 = run.result["ecc"]["rtl"]["tier1"];
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(tier1["codewords"], tier1["given_up"]);
  // Every bit that is right again was flipped, so were some that were right.
  EXPECT_GT(tier1["count"]["flips"], 100);
  EXPECT_GT(tier1["count"]["stalls"], tier1["codewords"]) << "the sink waits at times";
}

TEST(OwnRtl, WhatABlockTellsIsInTheWaveform) {
  const auto run = run_drive({kDrive, kReads, gates({"ecc.rtl.tier1=" START_BLOCK, "observe.waves=true"}), {}});
  std::ifstream view(run.folder + "/waves.gtkw");
  const std::string text{std::istreambuf_iterator<char>(view), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find("ecc.tier1.flips"), std::string::npos) << text;
}

/// What a run says with the fault.
CommandResult faulty(const std::string& fault, const std::string& out = {}) {
  setenv("WORDLINE_TEST_FAULT", fault.c_str(), 1);
  std::vector<std::string> arguments{"run", kDrive, "--workload", scratch_file("job.fio", kReads), "--quiet"};
  for (const std::string& set : gates({"ecc.rtl.tier1=" FAULTY_BLOCK, "channels.count=1", "nand.aging.pe_cycles=0"})) {
    arguments.insert(arguments.end(), {"--set", set});
  }
  if (!out.empty()) arguments.insert(arguments.end(), {"--out", out});
  const CommandResult result = wordline(arguments);
  unsetenv("WORDLINE_TEST_FAULT");
  return result;
}

void expect_said(const CommandResult& result, int exit_code, const std::vector<std::string>& parts) {
  EXPECT_EQ(result.exit_code, exit_code) << result.output;
  for (const std::string& part : parts)
    EXPECT_NE(result.output.find(part), std::string::npos) << part << "\nin: " << result.output;
}

TEST(OwnRtl, AWrongBitIsNamedByCodewordBeatAndClock) {
  const std::string out = scratch_folder() + "/out";
  const CommandResult result = faulty("wrong_bit", out);
  expect_said(result, 1,
              {"ecc.rtl.tier1 = " FAULTY_BLOCK ": codeword 3, beat 40, clock ", ": m_axis_tdata_o is ",
               "success is said of 1 wrong beats", "of logical page ", "ssd.channel0.ecc",
               "the pins in the last clocks: " + out + "/ssd.channel0.ecc.tier1.vcd"});
  std::ifstream file(out + "/ssd.channel0.ecc.tier1.vcd");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find("$var wire 64"), std::string::npos);
  EXPECT_NE(text.find("m_axis_tdata_o"), std::string::npos);
  // The clock that the message names is in the window.
  const std::size_t at = result.output.find("clock ") + 6;
  EXPECT_NE(text.find("#" + std::to_string(2 * std::stoull(result.output.substr(at)) + 1) + "\n1!"), std::string::npos);
  // The next run leaves nothing of it.
  EXPECT_EQ(faulty("none", out).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(out + "/ssd.channel0.ecc.tier1.vcd"));
}

TEST(OwnRtl, WhatBreaksTheRulesOfThePortIsNamedByTheChecker) {
  expect_said(faulty("valid_drops"), 1,
              {"codeword 3, beat 58, clock 2583: ", "m_axis_tvalid_o fell before m_axis_tready_i had taken the beat"});
  expect_said(faulty("data_changes"), 1, {"codeword 3, beat 58, clock 2583: ", "m_axis_tdata_o changed from "});
  expect_said(faulty("last_early"), 1,
              {"codeword 3, beat 40, clock ", "m_axis_tlast_o is high, expected on beat 291 only"});
  expect_said(
      faulty("busy_low"), 1,
      {"codeword 3, clock ", "beat 40 does not come (m_axis_tvalid_o), and busy_o is low with a codeword inside"});
  expect_said(faulty("no_more_beats"), 1,
              {"codeword 3, clock ", "beat 40 does not come (m_axis_tvalid_o), for 100000 clocks"});
  expect_said(faulty("stops"), 1, {"codeword 3, beat 40, clock ", "the block has stopped itself: $stop at my.sv:7"});
}

TEST(OwnRtl, ABlockThatDoesNotFitIsRefusedWithTheMend) {
  expect_said(faulty("version"), 2,
              {"ecc.rtl.tier1: error: " FAULTY_BLOCK ": made for version 2 of the interface", "build it again"});
  expect_said(faulty("slot"), 2, {"a block for the slot read_retry, expected one for ecc_decoder"});
  expect_said(faulty("no_pin"), 2, {"has no port m_axis_tlast_o; add: output logic m_axis_tlast_o"});
  expect_said(
      faulty("width"), 2,
      {"port m_axis_tuser_o of module ", "has 8 bits, the slot ecc_decoder has 9; make it: output logic [8:0]"});
  expect_said(faulty("direction"), 2, {"port busy_o of module ", "is an input; make it: output logic busy_o"});
  expect_said(faulty("another_input"), 2, {"an input test_mode_i that the slot ecc_decoder does not drive"});
}

TEST(OwnRtl, ADescriptionThatNobodyCanFollowIsRefusedByMember) {
  for (const std::string member : {"slot", "top", "pins", "status", "create", "destroy", "set", "get", "evaluate",
                                   "clock", "stopped", "trace_dump"})
    expect_said(faulty("null " + member), 2,
                {"ecc.rtl.tier1: error: " FAULTY_BLOCK ": " + member + " of its struct wordline_rtl_block is not set"});
  expect_said(faulty("null pins.name"), 2, {": pins[1].name of its struct wordline_rtl_block is not set"});
  expect_said(faulty("null status.name"), 2, {": status[0].name of its struct wordline_rtl_block is not set"});
  expect_said(faulty("null status.unit"), 2, {": status[0].unit of its struct wordline_rtl_block is not set"});
  expect_said(faulty("many pins"), 2, {"pin_count of its struct wordline_rtl_block is 1000000000, expected at most"});
  expect_said(faulty("many status"), 2, {"status_count of its struct wordline_rtl_block is 1000000000"});
}

// The end of a run is the program's, whatever a block does.
TEST(OwnRtl, ABlockThatExitsOrStopsWithoutAReasonFails) {
  expect_said(faulty("stops_without_reason"), 1, {"the block has stopped itself: its stopped() gives no reason"});
  const std::string out = scratch_folder() + "/out";
  expect_said(faulty("exits", out), 1, {"exit() was called within the program, by a block or a firmware of your own"});
  std::ifstream file(out + "/result.json");
  const auto result = nlohmann::json::parse(file);
  EXPECT_EQ(result["status"], "failed");
  EXPECT_EQ(result["status_reason"].get<std::string>().rfind("exit() was called", 0), 0U);
}

TEST(OwnRtl, AFileThatIsNoBlockIsRefused) {
  const auto with = [](const std::string& file) {
    return wordline({"run", kDrive, "--workload", scratch_file("job.fio", kReads), "--quiet", "--set", "ecc.model=rtl",
                     "--set", "ecc.rtl.tier1=" + file});
  };
  expect_said(with("nowhere.so"), 2, {"ecc.rtl.tier1: error: nowhere.so: no such file from /"});
  const std::string text = scratch_file("text.so", "not a library\n");
  expect_said(with(text), 2, {text + ": cannot be loaded: ", "build it on this machine"});
  expect_said(with(NO_BLOCK), 2, {NO_BLOCK ": has no function wordline_rtl_get_block"});
  expect_said(with(SOFT_BLOCK), 2, {"a block for the slot ecc_soft_decoder, expected one for ecc_decoder"});
}

}  // namespace
}  // namespace wordline::testing::own_rtl_test
