// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Firmware with a defect ends the run, and the message names core, task, function, instruction and registers.
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::bad_firmware_test {
namespace {

struct Defect {
  const char* image;
  std::vector<const char*> words;  // parts of the message, besides those that all have
  std::vector<std::string> arguments{};
};

CommandResult run(const std::string& image, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{
      "run",        "configs/ssds/small.toml",     "--workload", "configs/workloads/demo_waves.fio",
      "--firmware", BAD_FIRMWARE + image + ".elf", "--set",      "cpu.model=iss",
      "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return wordline(arguments);
}

void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.image; }

class BadFirmware : public ::testing::TestWithParam<Defect> {};

TEST_P(BadFirmware, EndsTheRunAndIsNamed) {
  const auto result = run(GetParam().image, GetParam().arguments);
  EXPECT_EQ(result.exit_code, 1) << result.output;
  std::vector<const char*> words = GetParam().words;
  words.insert(words.end(),
               {"core0: ", " ms, task ftl_gc, in ", "registers:", "\n     ra ", " sp 10", " t6 ", "addr2line"});
  for (const char* part : words)
    EXPECT_NE(result.output.find(part), std::string::npos) << "missing: " << part << "\nin: " << result.output;
}

INSTANTIATE_TEST_SUITE_P(
    Defects, BadFirmware,
    ::testing::Values(
        Defect{"illegal", {"illegal instruction", "in defect + 0x", ": 0xffffffff  illegal", "wl_main + 0x"}},
        Defect{"recursion",
               {"store access fault at 0x107fe", "in the guard below the stack of core 0", "stack overflow",
                "in defect + 0x"}},
        Defect{"null_store", {"store access fault at 0x00000000", "instruction memory is read-only", "in defect + 0x"}},
        Defect{"nowhere", {"load access fault at 0x50000000", "there is nothing at this address", "lw a0, 0("}},
        Defect{"misaligned", {"misaligned load at 0x40000002", "not a whole aligned word", "in defect + 0x"}},
        Defect{"wild_call",
               {"instruction access fault at 0x20000000", "no function of the image", "wild function pointer"}},
        Defect{"no_register", {"load access fault at 0x400007fc", "no such register", "in defect + 0x"}},
        Defect{"dram_end", {"store access fault at 0xfffffffc", "beyond the end of the DRAM", "in defect + 0x"}},
        Defect{"endless", {"has run for 100", "without sleeping and without writing a register", "in defect + 0x"}},
        Defect{"chatter", {"has run for 10.", "an endless loop?", "in defect + 0x"}, {"--set", "cpu.watchdog=10ms"}}),
    [](const auto& param) { return std::string(param.param.image); });

TEST(BadFirmware, WatchdogCanBeSetAndTurnedOff) {
  const auto early = run("endless", {"--set", "cpu.watchdog=5ms"});
  EXPECT_EQ(early.exit_code, 1);
  EXPECT_NE(early.output.find("has run for 5"), std::string::npos) << early.output;
  EXPECT_NE(early.output.find("at 5.0"), std::string::npos) << early.output;
}

TEST(BadFirmware, TheFirmwaresHandlerRunsWhenAsked) {
  // Its handler returns to a loop that sleeps: nobody brings the drive up.
  const auto result = run("illegal", {"--set", "cpu.on_exception=handler"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("or its firmware does not start"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("illegal instruction"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace wordline::testing::bad_firmware_test
