// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a user sees when something is wrong: the place, what was expected, the nearest known name, exit code 2.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::command_line_test {
namespace {

void expect_text(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "missing: " << part << "\nin: " << text;
}

TEST(CommandLine, UnknownKeyNamesPlaceAndNearest) {
  const auto file = scratch_file("bad.toml", "extends = \"" WORDLINE_SSDS "/small.toml\"\n[channels]\ncuont = 4\n");
  const auto result = wordline({"check", file});
  EXPECT_EQ(result.exit_code, 2);
  expect_text(result.output, "bad.toml:3:1");
  expect_text(result.output, "channels.count");
}

TEST(CommandLine, WrongUnitNamesAcceptedUnits) {
  const auto result = wordline({"check", "configs/ssds/small.toml", "--set", "dram.latency=60MHz"});
  EXPECT_EQ(result.exit_code, 2);
  expect_text(result.output, "--set dram.latency");
  expect_text(result.output, "ns");
}

TEST(CommandLine, UnknownFioOptionNamesNearest) {
  const auto file = scratch_file("bad.fio", "[job]\nrw=randread\niodpeth=4\n");
  const auto result = wordline({"run", "configs/ssds/small.toml", "--workload", file});
  EXPECT_EQ(result.exit_code, 2);
  expect_text(result.output, "bad.fio:3");
  expect_text(result.output, "iodepth");
}

TEST(CommandLine, WhatHasNoEffectIsAnError) {
  const auto speedup =
      wordline({"run", "configs/ssds/small.toml", "--workload", "configs/workloads/demo_waves.fio", "--speedup", "10"});
  EXPECT_EQ(speedup.exit_code, 2);
  expect_text(speedup.output, "--speedup");
  const auto waves = wordline({"run", "configs/ssds/small.toml", "--workload", "configs/workloads/demo_waves.fio",
                               "--set", "observe.waves=true"});
  EXPECT_EQ(waves.exit_code, 2);
  expect_text(waves.output, "--out");
}

TEST(CommandLine, FirmwareForANativeCoreIsAnError) {
  const auto result = wordline({"run", "configs/ssds/small.toml", "--workload", "configs/workloads/demo_waves.fio",
                                "--set", "cpu.model=native", "--firmware", FIRMWARE_ELF});
  EXPECT_EQ(result.exit_code, 2);
  expect_text(result.output, "--firmware: error: needs cpu.model = \"iss\"");
}

TEST(CommandLine, StatesAreKeptOnlyWhereOneIsMade) {
  const auto run = [](const std::string& folder, const std::string& set) {
    return wordline({"run", "configs/ssds/small.toml", "-w", "configs/workloads/randread_4k.fio", "--states", folder,
                     "--set", set});
  };
  const auto none = run(scratch_folder() + "/states", "precondition.fill=sequential");
  EXPECT_EQ(none.exit_code, 2);
  expect_text(none.output, "--states: error: this drive begins with no state that is made or read");
  const auto file = run(scratch_file("file", "a file\n"), "precondition.fill=random");
  EXPECT_EQ(file.exit_code, 2);
  expect_text(file.output, "name a folder that can be written");
}

TEST(CommandLine, SpeedupHasBounds) {
  for (const char* factor : {"0", "-1", "1e-4", "1e9", "nan", "x"}) {
    const auto result = wordline({"run", "configs/ssds/small.toml", "--workload",
                                  "testbenches/system/data/misaligned.csv", "--speedup", factor});
    EXPECT_EQ(result.exit_code, 2) << factor;
    expect_text(result.output, std::string(factor) + " is no factor from 0.001 to 1000000");
  }
}

TEST(CommandLine, ProfilesRunScaledAndShowTheirTargets) {
  const std::string profile = "configs/workloads/profiles/params_cdm_random.toml";
  const auto targets = wordline({"workload", "targets", profile, "--footprint", "0.05"});
  EXPECT_EQ(targets.exit_code, 0);
  expect_text(targets.output, "R_u_2KiB");
  const auto run = wordline({"run", "configs/ssds/small.toml", "--workload", profile, "--footprint", "0.5",
                             "--requests", "200", "--queue-depth", "4"});
  EXPECT_EQ(run.exit_code, 0);
  expect_text(run.output, "profile CDM random: 200 requests");
  const auto looped = wordline({"run", "configs/ssds/small.toml", "--workload", profile, "--loop", "2"});
  EXPECT_EQ(looped.exit_code, 2);
  expect_text(looped.output, "--loop and --addresses are for traces");
  const auto job = wordline(
      {"run", "configs/ssds/small.toml", "--workload", "configs/workloads/demo_waves.fio", "--footprint", "0.5"});
  EXPECT_EQ(job.exit_code, 2);
  expect_text(job.output, "are for profiles");
}

TEST(CommandLine, ShippedDrivesTakeAnotherBusMode) {
  // docs/onfi.md shows this command.
  const auto printed = wordline({"print-config", "configs/ssds/ref_tlc32.toml", "--set", "channels.mode=nv-ddr3-15"});
  EXPECT_EQ(printed.exit_code, 0);
  expect_text(printed.output, "rate = \"1.6GT/s\"                            # channels.mode = nv-ddr3-15");
}

TEST(CommandLine, BadTraceLineIsNamed) {
  const auto file = scratch_file(
      "bad.csv", "128166465299039000,web,3,Read,32256,8192,0\n128166465299039000,web,3,Reed,32256,8192,0\n");
  const auto result = wordline({"run", "configs/ssds/small.toml", "--workload", file});
  EXPECT_EQ(result.exit_code, 2);
  expect_text(result.output, "bad.csv:2");
}

TEST(CommandLine, WorkloadStatisticsNeedNoDrive) {
  const auto json = scratch_file("stats.json", "");
  const auto result =
      wordline({"workload", "stats", "testbenches/system/data/misaligned.csv", "--requests", "10", "--json", json});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  expect_text(result.output, "MSR trace misaligned.csv");
  expect_text(result.output, "overwrite_factor");
  std::ifstream file(json);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  expect_text(written, "\"requests\": 10,");
  expect_text(written, "\"modes5\": [");
}

TEST(CommandLine, TracesRepeatScaleAndKeepAQueueDepth) {
  const auto trace = scratch_file("far.csv", "1,web,3,Write,99999999488,8192,0\n5,web,3,Read,99999999488,8192,0\n");
  const auto looped = wordline({"run", "configs/ssds/small.toml", "--workload", trace, "--loop", "20", "--queue-depth",
                                "4", "--addresses", "scale"});
  EXPECT_EQ(looped.exit_code, 0) << looped.output;
  expect_text(looped.output, ", 20 times, 4 in flight");
  expect_text(looped.output, "scaled to the drive's");
  const auto refused = wordline({"run", "configs/ssds/small.toml", "--workload", trace, "--addresses", "error"});
  EXPECT_EQ(refused.exit_code, 2);
  expect_text(refused.output, "far.csv:1: error: LBA");
  const auto both =
      wordline({"run", "configs/ssds/small.toml", "--workload", trace, "--queue-depth", "4", "--speedup", "2"});
  EXPECT_EQ(both.exit_code, 2);
  expect_text(both.output, "give one of them");
  const auto of_a_job =
      wordline({"run", "configs/ssds/small.toml", "--workload", "configs/workloads/demo_waves.fio", "--loop", "2"});
  EXPECT_EQ(of_a_job.exit_code, 2);
  expect_text(of_a_job.output, "these options are for traces");
}

// Input is quoted, and a terminal would obey what is in it.
TEST(CommandLine, ControlCharactersOfInputAreShown) {
  const std::string bad = "x\033[31m\007";
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"check", "configs/ssds/small.toml", "--set", bad + "=1"},
           {"run", "configs/ssds/small.toml", "--workload", scratch_file("bad.fio", "[j]\nrw=" + bad + "\n")},
           {"run", "configs/ssds/small.toml", "--workload", bad},
           {"explain", bad}}) {
    const auto result = wordline(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_EQ(result.output.find_first_of("\033\007"), std::string::npos) << result.output;
    const bool sealed = result.output.find("x?[31m") != std::string::npos;  // as errors of fio job files quote
    if (!sealed) expect_text(result.output, "x\\x1b[31m");
  }
}

TEST(CommandLine, MissingFileAndUnknownCommand) {
  EXPECT_EQ(wordline({"check", "no/such.toml"}).exit_code, 2);
  const auto command = wordline({"rnu"});
  EXPECT_EQ(command.exit_code, 2);
  expect_text(command.output, "did you mean run?");
  expect_text(wordline({"telescope"}).output, "telescope: no such command; wordline --help lists them");
  const auto option = wordline({"run", "configs/ssds/small.toml", "--wrkload=x"});
  EXPECT_EQ(option.exit_code, 2);
  expect_text(option.output, "did you mean --workload?");
  EXPECT_EQ(wordline({"run", "configs/ssds/small.toml"}).exit_code, 2);
}

TEST(CommandLine, PrintConfigIsAConfiguration) {
  const auto printed = wordline({"print-config", "configs/ssds/default.toml", "--set", "run.seed=9"});
  EXPECT_EQ(printed.exit_code, 0);
  expect_text(printed.output, "# --set");
  const auto again = wordline({"check", scratch_file("printed.toml", printed.output)});
  EXPECT_EQ(again.exit_code, 0) << again.output;
}

TEST(CommandLine, ExplainKnowsEveryKeyItLists) {
  const auto result = wordline({"explain", "cpu.quantum"});
  EXPECT_EQ(result.exit_code, 0);
  expect_text(result.output, "cpu.quantum");
  const auto about = wordline({"explain", "garbage", "collection"});
  EXPECT_EQ(about.exit_code, 0);
  expect_text(about.output, "ftl.gc_start_superblocks");
  expect_text(wordline({"explain", "gc"}).output, "ftl.gc_buffer");
  const auto wrong = wordline({"explain", "cpu.quantun"});
  EXPECT_EQ(wrong.exit_code, 2);
  expect_text(wrong.output, "cpu.quantum");
}

}  // namespace
}  // namespace wordline::testing::command_line_test
