// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// `wordline run --profile`: the files agree with each other and with the cores' counters, and the run is the same run.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "testbenches/system/run_drive.h"

namespace wordline::testing {
namespace {

const char* const kJob = "[job]\nrw=randrw\nbs=4k\niodepth=8\nnumber_ios=2000\n";

TEST(Profile, FoldedStacksAddUpToTheCoresCycles) {
  const wordline::testing::Run with{"configs/ssds/small.toml", kJob, {"cpu.model=iss"}, {"--profile"}};
  const wordline::testing::Run without{"configs/ssds/small.toml", kJob, {"cpu.model=iss"}, {}};
  const RunResult profiled = run_drive(with);
  EXPECT_EQ(profiled.result_text, run_drive(without).result_text) << "a profile changes nothing";

  std::map<std::string, std::uint64_t> folded, counted;
  std::ifstream stacks(profiled.folder + "/profile.folded");
  for (std::string line; std::getline(stacks, line);) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ';'), 2) << line;
    folded[line.substr(0, line.find(';'))] += std::stoull(line.substr(line.rfind(' ') + 1));
  }
  std::ifstream table(profiled.folder + "/profile.txt");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t cycles = 0;
    if (words >> name >> cycles && name.rfind("core", 0) == 0) counted[name] = cycles;
  }
  EXPECT_GE(counted.size(), 2U);
  EXPECT_EQ(folded, counted);
}

TEST(Profile, NeedsInstructions) {
  const auto result =
      wordline({"run", "configs/ssds/small.toml", "--workload", "configs/workloads/demo_waves.fio", "--set", "cpu.model=native", "--profile"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.output.find("cpu.model=iss"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace wordline::testing
