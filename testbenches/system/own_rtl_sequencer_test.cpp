// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A sequencer and digital PHY of the user's own at the pins of one channel: the shipped one as a shared object, the
// start, which takes other clocks, and faults, each of which is named.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::own_rtl_sequencer_test {
namespace {

constexpr const char* kDrive = "configs/ssds/small.toml";
constexpr const char* kMixed = "[m]\nrw=randrw\nbs=4k\nnumber_ios=60\n";
constexpr const char* kKey = "channels.rtl.flash_sequencer=";

std::vector<std::string> gates(const std::vector<std::string>& more) {
  std::vector<std::string> sets{"channels.model=rtl", "channels.count=1", "cpu.model=native",
                                "precondition.fill=sequential"};
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

nlohmann::json run(const std::vector<std::string>& more = {}, const std::string& job = kMixed) {
  nlohmann::json result = run_drive({kDrive, job, gates(more), {}}).result;
  result["wordline"].erase("config_sha256");
  return result;
}

// Status, program and erase are among the segments, not reads alone.
TEST(OwnRtlSequencer, TheShippedOneDropsInWithTheSameResults) {
  const std::string job = "[w]\nrw=randwrite\nbs=16k\nnumber_ios=100\n";
  const auto shipped = run({}, job);
  EXPECT_GT(shipped["flash"]["programs"], 3);
  EXPECT_EQ(shipped, run({kKey + std::string(SHIPPED_SEQUENCER)}, job));
  EXPECT_EQ(shipped, run({kKey + std::string(SHIPPED_SEQUENCER), "channels.rtl.flash_sequencer_exact=true"}, job));
}

TEST(OwnRtlSequencer, OneWithOtherClocksIsTakenAndItsTimeIsTheDrives) {
  for (const char* mode : {"channels.mode=nv-ddr3-10", "channels.mode=sdr-5"}) {
    const auto shipped = run({mode});
    const auto own = run({mode, kKey + std::string(START_SEQUENCER)});
    EXPECT_EQ(own["check"]["mismatches"], 0);
    EXPECT_EQ(own["check"]["reads_checked"], shipped["check"]["reads_checked"]);
    const auto& rtl = own["flash"]["rtl"];
    EXPECT_GT(rtl["segments"], 50);
    EXPECT_EQ(rtl["count"]["segments"], rtl["segments"]);
    EXPECT_GT(rtl["count"]["waits"], 0);
    // It takes clocks more for each segment, and no time out of proportion.
    const double slower =
        own["ios"]["read"]["lat_ps"]["mean"].get<double>() / shipped["ios"]["read"]["lat_ps"]["mean"].get<double>();
    EXPECT_GT(slower, 1.0) << mode;
    EXPECT_LT(slower, 1.1) << mode;
  }
}

TEST(OwnRtlSequencer, IsInTheWaveformWithWhatItTellsOfItself) {
  const auto result =
      run_drive({kDrive, kMixed, gates({kKey + std::string(START_SEQUENCER), "observe.waves=true"}), {}});
  const std::string vcd = scratch_folder() + "/waves.vcd";
  ASSERT_EQ(std::system(("fst2vcd " + result.folder + "/waves.fst > " + vcd).c_str()), 0);
  EXPECT_EQ(std::system(("grep -q '[$]scope module flash_sequencer' " + vcd).c_str()), 0);
  EXPECT_EQ(std::system(("grep -q '[$]var [a-z]* 3 .* step' " + vcd).c_str()), 0);
}

CommandResult wrong(const std::string& fault, const std::string& block = FAULTY_SEQUENCER, const std::string& out = {},
                    const std::string& more = "run.seed=1") {
  setenv("WORDLINE_TEST_FAULT", fault.c_str(), 1);
  std::vector<std::string> arguments{"run", kDrive, "--workload", scratch_file("job.fio", kMixed), "--quiet"};
  for (const std::string& set : gates({kKey + block, more})) arguments.insert(arguments.end(), {"--set", set});
  if (!out.empty()) arguments.insert(arguments.end(), {"--out", out});
  const CommandResult result = wordline(arguments);
  unsetenv("WORDLINE_TEST_FAULT");
  return result;
}

void expect_said(const std::string& fault, const std::vector<std::string>& parts,
                 const std::string& more = "run.seed=1") {
  const CommandResult result = wrong(fault, FAULTY_SEQUENCER, {}, more);
  EXPECT_EQ(result.exit_code, 1) << fault << ": " << result.output;
  for (const std::string& part : parts)
    EXPECT_NE(result.output.find(part), std::string::npos) << fault << ": " << part << "\nin: " << result.output;
}

TEST(OwnRtlSequencer, WithoutAFaultTheFaultyOneIsRight) { EXPECT_EQ(wrong("none").exit_code, 0); }

TEST(OwnRtlSequencer, WrongBytesAreNamed) {
  const std::string out = scratch_folder() + "/out";
  const CommandResult result = wrong("wrong_byte_out", FAULTY_SEQUENCER, out);
  EXPECT_EQ(result.exit_code, 1);
  for (const std::string part : {"channels.rtl.flash_sequencer = " FAULTY_SEQUENCER ": segment ", ", clock ",
                                 "byte 40 of m_axis_tdata_o is ", "(ssd.channel0.flash_sequencer)"}) {
    EXPECT_NE(result.output.find(part), std::string::npos) << part << "\nin: " << result.output;
  }
  const std::string window = out + "/ssd.channel0.flash_sequencer.vcd";
  EXPECT_NE(result.output.find(window), std::string::npos) << result.output;
  EXPECT_TRUE(std::filesystem::exists(window));
  expect_said("wrong_byte_in", {"byte 0 of dq_o is "});
  expect_said("wrong_answer", {"done_data_o is ", "the die drove "});
  expect_said("byte_lost", {"m_axis_tlast_o is 1 with byte "});
}

TEST(OwnRtlSequencer, TimesThatAreTooShortAtThePinsAreNamed) {
  const std::string out = scratch_folder() + "/out";
  const CommandResult result = wrong("short_adl", FAULTY_SEQUENCER, out);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("tADL of die "), std::string::npos) << result.output;
  EXPECT_TRUE(std::filesystem::exists(out + "/ssd.channel0.flash_sequencer.vcd"));
  expect_said("short_whr", {"data begin after ", "(tWHR)"});
  expect_said("short_setup", {"expected at least "});
  expect_said("short_cycle", {"the cycles end ", "expected at least "});
  expect_said("short_preamble", {"a preamble of ", "expected at least "});
  expect_said("short_postamble", {"it ends ", " clocks after its last byte, expected at least "});
}

TEST(OwnRtlSequencer, WhatBreaksTheRulesOfThePortsIsNamed) {
  expect_said("done_early", {"segment 1, clock ", "done_o is high before chip enable has risen"});
  expect_said("no_done", {"segment 1, clock ", "done_o stays low for 80 clocks after chip enable has risen (tWB)"});
  expect_said("two_chips", {"segment 1, clock ", "ce_no is fch, expected fdh"});
  expect_said("quiet_lies", {"segment 1, clock ", "quiet_o is high within a segment"});
}

TEST(OwnRtlSequencer, OneThatHangsIsStopped) {
  expect_said("no_ready", {"segment 4, clock ", "segment_ready_o stays low for 100000 clocks"});
  expect_said("stays_selected",
              {"segment 3, clock ", "chip enable stays low after the segment should be over for 100000 clocks"});
}

TEST(OwnRtlSequencer, ExactlyIsComparedPortByPort) {
  const std::string exact = "channels.rtl.flash_sequencer_exact=true";
  expect_said("wrong_byte_out", {"m_axis_tdata_o is ", "h, expected "}, exact);
  expect_said("short_whr", {"re_no is 0h, expected 1h"}, exact);
  const CommandResult start = wrong("none", START_SEQUENCER, {}, exact);
  EXPECT_EQ(start.exit_code, 1);
  EXPECT_NE(start.output.find("segment 1, clock 59: we_no is 1h, expected 0h"), std::string::npos) << start.output;
}

// Its registers are written before the run begins.
TEST(OwnRtlSequencer, OneThatFailsBeforeTheFirstSegmentIsRefused) {
  const std::string before = "channels.rtl.flash_sequencer: error: " FAULTY_SEQUENCER ": before the first segment: ";
  const CommandResult transfer = wrong("no_transfer");
  EXPECT_EQ(transfer.exit_code, 2);
  EXPECT_NE(transfer.output.find(before + "pready_o stays low"), std::string::npos) << transfer.output;
  const CommandResult quiet = wrong("quiet_lies", FAULTY_SEQUENCER, {}, "channels.rtl.flash_sequencer_exact=true");
  EXPECT_EQ(quiet.exit_code, 2);
  EXPECT_NE(quiet.output.find(before + "segment 0, clock "), std::string::npos) << quiet.output;
  EXPECT_NE(quiet.output.find("quiet_o is 1h, expected 0h"), std::string::npos) << quiet.output;
}

TEST(OwnRtlSequencer, ABlockForAnotherSlotIsRefused) {
  const CommandResult result = wrong("none", START_APB);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.output.find("channels.rtl.flash_sequencer: error: " START_APB ": a block for the slot apb_block, "
                               "expected one for flash_sequencer"),
            std::string::npos)
      << result.output;
}

TEST(OwnRtlSequencer, CheckSaysWhatIsThere) {
  const CommandResult result =
      wordline({"check", kDrive, "--set", "channels.model=rtl", "--set", std::string(kKey) + START_SEQUENCER});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.output.find("channels.rtl.flash_sequencer: module my_sequencer of "), std::string::npos)
      << result.output;
}

}  // namespace
}  // namespace wordline::testing::own_rtl_sequencer_test
