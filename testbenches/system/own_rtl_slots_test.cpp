// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a user's own at the other places of a drive: encoder, stream of user data, read-retry controller. Each as
// the start has it, and with a fault.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::own_rtl_slots_test {
namespace {

constexpr const char* kDrive = "configs/ssds/small.toml";
constexpr const char* kReads = "[r]\nrw=randread\nbs=4k\nnumber_ios=30\n";

/// So worn that reads need retries.
std::vector<std::string> gates(const std::vector<std::string>& more = {}) {
  std::vector<std::string> sets{"ecc.model=rtl",
                                "cpu.model=native",
                                "channels.count=1",
                                "precondition.fill=sequential",
                                "nand.aging.pe_cycles=3000",
                                "nand.aging.retention_days=365"};
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

nlohmann::json run(const std::vector<std::string>& more = {}) {
  nlohmann::json result = run_drive({kDrive, kReads, gates(more), {}}).result;
  result["wordline"].erase("config_sha256");
  return result;
}

TEST(OwnRtlSlots, AnEncoderWithOtherInsidesGivesTheSameResults) {
  auto shipped = run({"ecc.rtl_encoder=true"});
  auto with_shipped = run({"ecc.rtl.encoder=" SHIPPED_ENCODER});
  auto own = run({"ecc.rtl.encoder=" START_ENCODER});
  const auto encoder = own["ecc"]["rtl"]["encoder"];
  EXPECT_EQ(encoder["codewords"], own["ecc"]["rtl"]["encoded_compared"]);
  EXPECT_EQ(encoder["count"]["codewords"], encoder["codewords"]);
  EXPECT_GT(encoder["codewords"], 60);
  EXPECT_GT(encoder["clocks"], with_shipped["ecc"]["rtl"]["encoder"]["clocks"]) << "a lane a clock, not four";
  own["ecc"]["rtl"].erase("encoder");
  with_shipped["ecc"]["rtl"].erase("encoder");
  EXPECT_TRUE(shipped["ecc"]["rtl"]["size"].contains("encoder"));
  for (auto* result : {&own, &with_shipped}) EXPECT_FALSE((*result)["ecc"]["rtl"]["size"].contains("encoder"));
  for (auto* result : {&own, &with_shipped, &shipped}) (*result)["ecc"]["rtl"].erase("size");
  EXPECT_EQ(own, shipped);
  EXPECT_EQ(with_shipped, shipped);
}

TEST(OwnRtlSlots, ABlockInTheStreamSeesTheDataAndCostsItsClocks) {
  const auto without = run();
  const auto own = run({"ecc.rtl.tap=" START_TAP});
  EXPECT_EQ(own["check"]["mismatches"], 0);
  const auto& tap = own["ecc"]["rtl"]["tap"];
  EXPECT_EQ(tap["codewords"], own["ecc"]["rtl"]["decoded_compared"]);
  EXPECT_EQ(tap["clocks"], tap["codewords"]) << "a register in the path";
  EXPECT_EQ(tap["count"]["read"], 256 * tap["codewords"].get<std::uint64_t>());
  EXPECT_EQ(tap["count"]["written"], 256 * own["ecc"]["rtl"]["decoded"].get<std::uint64_t>());
  EXPECT_GT(own["ios"]["read"]["lat_ps"]["mean"], without["ios"]["read"]["lat_ps"]["mean"]);
}

TEST(OwnRtlSlots, AReadRetryControllerGivesTheSameResults) {
  auto shipped = run();
  auto own = run({"ecc.rtl.read_retry=" START_READ_RETRY});
  const auto retry = own["ecc"]["rtl"]["read_retry"];
  EXPECT_GT(retry["codewords"], 10) << "reads";
  EXPECT_EQ(retry["count"]["reads"], retry["codewords"]);
  EXPECT_GT(retry["count"]["commands"], retry["codewords"]);
  own["ecc"]["rtl"].erase("read_retry");
  for (auto* result : {&own, &shipped}) (*result)["ecc"]["rtl"].erase("size");  // of the shipped one only
  EXPECT_EQ(own, shipped);
}

/// As rtl/sizes.table has them, which is read here by other means.
TEST(OwnRtlSlots, SizesAreThoseOfTheShippedBlocks) {
  std::map<std::string, std::vector<std::uint64_t>> table;
  std::ifstream file(WORDLINE_SOURCE "/rtl/sizes.table");
  for (std::string top; file >> top;) {
    if (top[0] == '#') {
      file.ignore(1000, '\n');
      continue;
    }
    for (std::uint64_t& number : table[top] = std::vector<std::uint64_t>(4)) file >> number;
  }
  const auto size = run({"ecc.clock=400MHz"})["ecc"]["rtl"]["size"];
  struct Block {
    const char *name, *top;
    unsigned instances;
  };
  for (const auto& [block, top, instances] :
       {Block{"tier1", "ldpc_bit_flip_decoder", 1}, Block{"tier2", "ldpc_min_sum_decoder", 1},
        Block{"read_retry", "read_retry", 2}}) {
    if (table.count(top) == 0) {
      EXPECT_FALSE(size.contains(block)) << "was not measured";
      continue;
    }
    const auto& row = table.at(top);
    EXPECT_EQ(size[block]["instances"], instances) << block;
    EXPECT_EQ(size[block]["gates"], row[0]) << block;
    EXPECT_EQ(size[block]["flip_flops"], row[1]) << block;
    EXPECT_EQ(size[block]["gate_equivalents"], row[0] + 4 * row[1]) << block;
    EXPECT_EQ(size[block]["memory_bits"], row[2]) << block;
    EXPECT_EQ(size[block]["longest_path"], row[3]) << block;
    EXPECT_EQ(size[block]["gate_ps"], 2500 / row[3]) << block << ": 400 MHz";
  }
  EXPECT_FALSE(size.contains("encoder")) << "not in the drive";
  EXPECT_FALSE(run({"ecc.rtl.tier1=" SHIPPED_BLOCK})["ecc"]["rtl"]["size"].contains("tier1")) << "of the user's own";
}

/// What a run says with the fault in the block of the key.
CommandResult faulty(const std::string& fault, const std::string& block, const std::string& out = {},
                     const std::string& more = "run.seed=1") {
  setenv("WORDLINE_TEST_FAULT", fault.c_str(), 1);
  std::vector<std::string> arguments{"run", kDrive, "--workload", scratch_file("job.fio", kReads), "--quiet"};
  for (const std::string& set : gates({block, more})) arguments.insert(arguments.end(), {"--set", set});
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

TEST(OwnRtlSlots, AWrongBitOfAnEncoderIsNamed) {
  const std::string block = "ecc.rtl.encoder=" FAULTY_ENCODER;
  expect_said(faulty("wrong_bit", block), 1,
              {"ecc.rtl.encoder = " FAULTY_ENCODER ": codeword 3, beat 40, clock ", "m_axis_tdata_o is ",
               "the model makes ", "; 1 wrong beats"});
  expect_said(faulty("last_early", block), 1, {"codeword 3, beat 40, clock ", "m_axis_tlast_o is high, expected on "});
}

TEST(OwnRtlSlots, DataThatABlockInTheStreamSpoilsAreNamed) {
  const std::string block = "ecc.rtl.tap=" FAULTY_TAP, fresh = "nand.aging.retention_days=1";
  const std::string out = scratch_folder() + "/out";
  expect_said(faulty("wrong_bit", block, out, fresh), 1,
              {"ecc.rtl.tap = " FAULTY_TAP ": codeword 3, beat 40, clock ", "the host wrote ", "; 1 wrong beats",
               out + "/ssd.channel0.ecc.tap.vcd"});
  EXPECT_TRUE(std::filesystem::exists(out + "/ssd.channel0.ecc.tap.vcd"));
  expect_said(faulty("busy_low", block, {}, fresh), 1, {"codeword 3, ", "busy_o is low with a codeword inside"});
}

TEST(OwnRtlSlots, AWrongCommandOfAReadRetryControllerIsNamed) {
  const std::string block = "ecc.rtl.read_retry=" FAULTY_READ_RETRY;
  const std::string out = scratch_folder() + "/out";
  expect_said(faulty("wrong_step", block, out), 1,
              {"ecc.rtl.read_retry = " FAULTY_READ_RETRY ": read 0, clock ", "a flash command is op ",
               "that of the reference op ", "ssd.channel0.die", ".read_retry.vcd"});
  expect_said(faulty("command_changes", block), 1,
              {"read 0, clock ", "flash_step_o changed before flash_ready_i had taken it"});
  expect_said(faulty("no_request", block), 1, {"read 0, clock ", "no command and no result for 100000 clocks"});
  expect_said(faulty("error_early", block), 1, {"pslverr_o is high, and no transfer ends"});
}

/// Ten rounds of 1,000 clocks, as the driver of the start has them.
void expect_ten_rounds(const nlohmann::json& result) {
  EXPECT_EQ(result["check"]["mismatches"], 0);
  const auto& apb = result["apb"];
  EXPECT_EQ(apb["count"]["rounds"], 10);
  EXPECT_EQ(apb["interrupts"], 10);
  EXPECT_EQ(apb["writes"], 10 + 10) << "COUNT and DONE of each round";
  EXPECT_EQ(apb["reads"], 10) << "ROUNDS, which the driver holds against what it has counted in its state";
  EXPECT_EQ(apb["errors"], 0);
  const unsigned transfers = 30, reset = 2;
  EXPECT_EQ(apb["clocks"], 10 * 1000 + 2 * transfers + reset);
}

TEST(OwnRtlSlots, FirmwareReachesABlockAndTakesItsInterrupts) {
  const auto run_for = [](const std::string& clock, const std::string& cores = "3",
                          const std::string& task_core = "[0, 1, 2]") {
    return run_drive({kDrive,
                      kReads,
                      {"cpu.apb.block=" START_APB, "cpu.apb.clock=" + clock, "cpu.model=iss", "cpu.cores=" + cores,
                       "cpu.task_core=" + task_core},
                      {"--firmware", OWN_FIRMWARE}})
        .result;
  };
  expect_ten_rounds(run_for("250MHz"));
  expect_ten_rounds(run_for("1GHz"));
  expect_ten_rounds(run_for("250MHz", "1", "[0, 0, 0]"));
}

TEST(OwnRtlSlots, NativeFirmwareReachesABlockToo) {
  const std::string folder = scratch_folder(), job = scratch_file("job.fio", kReads);
  const std::string command = "cd " WORDLINE_SOURCE " && " OWN_PROGRAM " run " + std::string(kDrive) + " --workload " +
                              job + " --quiet --set cpu.model=native --set cpu.apb.block=" START_APB " --out " +
                              folder + " > " + folder + "/printed 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  expect_ten_rounds(nlohmann::json::parse(std::ifstream(folder + "/result.json")));
}

TEST(OwnRtlSlots, ABlockThatNoDriverKnowsCostsNothing) {
  const auto without = run_drive({kDrive, kReads, {"cpu.model=iss"}, {}}).result;
  auto with_block = run_drive({kDrive, kReads, {"cpu.model=iss", "cpu.apb.block=" START_APB}, {}}).result;
  EXPECT_EQ(with_block["apb"]["writes"], 0);
  with_block.erase("apb");
  with_block["wordline"]["config_sha256"] = without["wordline"]["config_sha256"];
  EXPECT_EQ(with_block, without);
}

TEST(OwnRtlSlots, WhatBreaksTheRulesOfApbIsNamed) {
  setenv("WORDLINE_TEST_FAULT", "error_early", 1);
  const CommandResult result = wordline({"run", kDrive, "--workload", scratch_file("job.fio", kReads), "--quiet",
                                         "--firmware", OWN_FIRMWARE, "--set", "cpu.apb.block=" FAULTY_APB});
  unsetenv("WORDLINE_TEST_FAULT");
  expect_said(result, 1,
              {"cpu.apb.block = " FAULTY_APB ": access 1, clock 2: write at 0x0: pslverr_o is high, and no transfer "
               "ends"});
}

TEST(OwnRtlSlots, AnotherStrategyIsTakenWithoutTheComparison) {
  expect_said(faulty("wrong_step", "ecc.rtl.read_retry=" FAULTY_READ_RETRY, {}, "ecc.rtl.read_retry_check=false"), 0,
              {});
}

}  // namespace
}  // namespace wordline::testing::own_rtl_slots_test
