// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What result.json says of where it is from, and that nothing else in it hangs on that.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "models/checks/load.h"
#include "models/config/schema.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::provenance_test {
namespace {

constexpr const char* kJob = "[job]\nrw=randrw\nbs=4k\niodepth=8\nnumber_ios=300\n";
constexpr const char* kDrive = "configs/ssds/small.toml";

TEST(Provenance, IsTheCommandAsTypedAndTheRevisionOfTheProgram) {
  const std::string job = scratch_file("a job.fio", kJob), out = scratch_folder();
  const std::vector<std::string> typed{"run",    kDrive, "-w", job, "--out=" + out, "--set", "cpu.model = native",
                                       "--quiet"};
  ASSERT_EQ(wordline(typed).exit_code, 0);
  const auto result = nlohmann::json::parse(std::ifstream(out + "/result.json"));
  std::vector<std::string> command{WORDLINE_PROGRAM};
  command.insert(command.end(), typed.begin(), typed.end());
  EXPECT_EQ(result["provenance"]["command"], command);

  const std::string revision = result["provenance"]["revision"];
  EXPECT_FALSE(revision.empty());
  EXPECT_EQ(wordline({"--version"}).output,
            "wordline " + result["wordline"]["version"].get<std::string>() + " (" + revision + ")\n");

  // Where python/wordline/studies looks for it, once.
  std::ifstream file(WORDLINE_PROGRAM, std::ios::binary);
  const std::string program{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string words = "revision of wordline: ";
  const std::size_t record = program.find(words);
  ASSERT_NE(record, std::string::npos);
  EXPECT_EQ(program.find(words, record + 1), std::string::npos);
  EXPECT_EQ(program.substr(record, 96), (words + revision).append(96 - words.size() - revision.size(), '\0'));
}

// A run that failed says it, too, however early.
TEST(Provenance, IsInTheResultOfARunThatFailed) {
  const std::string out = scratch_folder(), elf = scratch_file("no.elf", "no firmware");
  const auto failed = wordline({"run", kDrive, "-w", "configs/workloads/demo_waves.fio", "--set", "cpu.model=iss",
                                "--firmware", elf, "--out", out});
  ASSERT_EQ(failed.exit_code, 1) << failed.output;
  const auto result = nlohmann::json::parse(std::ifstream(out + "/result.json"));
  EXPECT_EQ(result["status"], "failed");
  EXPECT_EQ(result["provenance"]["command"].size(), 11U);
}

/// The values that the key may be set to, for a key that only observes.
std::vector<std::string> values_of(const config::Key& key) {
  if (key.kind == config::Kind::kBool) return {"true", "false"};
  if (!key.choices.empty()) return {key.choices.begin(), key.choices.end()};
  if (key.is_list()) return {"[]", "[0]"};
  if (key.name == "observe.trigger") return {"", "latency > 0ps", "write latency > 1ms"};
  if (key.kind == config::Kind::kInteger) return {std::string(key.min_text)};
  if (key.kind == config::Kind::kBytes) return {std::string(key.min_text), std::string(key.max_text)};
  return {key.name == "observe.trigger_before" ? "1us" : "0ps", "300us", std::string(key.max_text)};
}

/// What the key needs, so that it is accepted.
std::vector<std::string> beside(std::string_view key) {
  if (key == "observe.waves" || key == "observe.waves_from") return {};
  if (key.rfind("observe.trigger_", 0) == 0) return {"observe.waves=true", "observe.trigger=latency > 0ps"};
  if (key == "observe.timeline") return {};
  if (key == "ecc.rtl_threads") return {};  // more than one in EccLevels.ThreadsOfTheDecodersChangeNoResult
  if (key == "observe.timeline_limit") return {"observe.timeline=true"};
  return {"observe.waves=true"};
}

// What the hash of a configuration leaves out changes no byte of a result.
TEST(Provenance, WhatOnlyObservesChangesNoResult) {
  const auto bytes = [](const std::string& cpu, std::vector<std::string> sets) {
    sets.push_back("cpu.model=" + cpu);
    return run_drive({kDrive, kJob, sets, {}}).result_text;
  };
  for (const std::string cpu : {"native", "iss"}) {
    const std::string plain = bytes(cpu, {});
    unsigned keys = 0;
    for (const config::Key& key : config::schema()) {
      if (!key.only_observes) continue;
      ++keys;
      if (key.name == "cpu.translate" && cpu == "native") continue;  // refused: there are no instructions
      for (const std::string& value : values_of(key)) {
        std::vector<std::string> sets{std::string(key.name) + "=" + value};
        for (const std::string& other : beside(key.name)) sets.push_back(other);
        EXPECT_EQ(bytes(cpu, sets), plain) << cpu << ", " << sets.front();
      }
    }
    EXPECT_EQ(keys, 14U);
  }
}

}  // namespace
}  // namespace wordline::testing::provenance_test
