// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// `wordline run --profile`: the files agree with each other and with the cores' counters, and the run is the same run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::profile_test {
namespace {

const char* const kJob = "[job]\nrw=randrw\nbs=4k\niodepth=8\nnumber_ios=2000\n";

/// Busy cycles of each core from profile_utilisation.csv.
std::map<std::string, double> utilisation_cycles(const std::string& folder, double cycle_ns) {
  std::ifstream in(folder + "/profile_utilisation.csv");
  std::string names, line;
  std::getline(in, names);
  std::vector<std::string> cores;
  std::istringstream name_list(names);
  for (std::string name; std::getline(name_list, name, ',');) cores.push_back(name);
  std::vector<std::vector<double>> rows;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    rows.emplace_back();
    for (std::string word; std::getline(words, word, ',');) rows.back().push_back(std::stod(word));
    EXPECT_EQ(rows.back().size(), cores.size());
  }
  EXPECT_GE(rows.size(), 100U);
  std::map<std::string, double> out;
  for (std::size_t core = 1; core < cores.size(); ++core) {
    double ns = 0;
    for (const auto& row : rows) {
      EXPECT_GE(row[core], 0);
      EXPECT_LE(row[core], 1);
      ns += row[core] * (rows[1][0] - rows[0][0]) * 1000;
    }
    out[cores[core]] = ns / cycle_ns;
  }
  return out;
}

TEST(Profile, FoldedStacksAddUpToTheCoresCycles) {
  const wordline::testing::Run with{"configs/ssds/small.toml", kJob, {"cpu.model=iss"}, {"--profile"}};
  const wordline::testing::Run without{"configs/ssds/small.toml", kJob, {"cpu.model=iss"}, {}};
  const RunResult profiled = run_drive(with);
  EXPECT_EQ(profiled.result_text, run_drive(without).result_text) << "a profile changes nothing";

  std::map<std::string, std::uint64_t> folded, counted;
  std::ptrdiff_t deepest = 0;
  std::ifstream stacks(profiled.folder + "/profile.folded");
  for (std::string line; std::getline(stacks, line);) {
    const auto frames = std::count(line.begin(), line.end(), ';') - 1;
    EXPECT_GE(frames, 1) << line;
    EXPECT_LT(frames, 20) << line;
    EXPECT_NE(line.find(";_start"), std::string::npos) << "every stack begins at reset: " << line;
    deepest = std::max(deepest, frames);
    folded[line.substr(0, line.find(';'))] += std::stoull(line.substr(line.rfind(' ') + 1));
  }
  std::uint64_t instructions = 0;
  std::ifstream table(profiled.folder + "/profile.txt");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t cycles = 0, of_core = 0;
    if (words >> name >> cycles && name.rfind("core", 0) == 0) {
      counted[name] = cycles;
      EXPECT_TRUE(words >> of_core) << line;
      instructions += of_core;
    }
  }
  EXPECT_EQ(profiled.result["firmware_instructions"], instructions);
  EXPECT_GE(counted.size(), 2U);
  EXPECT_EQ(folded, counted);
  EXPECT_GE(deepest, 3) << "_start, wl_main and what it calls";
  for (const auto& [core, cycles] : utilisation_cycles(profiled.folder, 2))  // 500 MHz: 2 ns a cycle
    EXPECT_NEAR(cycles, static_cast<double>(counted[core]), 10) << core << ", shares have six digits";
}

TEST(Profile, IsDrawn) {
  const std::string python = "'" WORDLINE_SOURCE "/.venv/bin/python'";
  if (std::system((python + " -c 'import matplotlib' 2> /dev/null").c_str()) != 0) {
    GTEST_SKIP() << "no matplotlib in .venv (./scripts/setup puts it there)";
  }
  const RunResult run = run_drive({"configs/ssds/small.toml", kJob, {"cpu.model=iss"}, {"--profile"}});
  const auto draw = [&](const std::string& folder) {
    return std::system(
        (python + " '" WORDLINE_SOURCE "/scripts/plot_profile' '" + folder + "' > /dev/null 2>&1").c_str());
  };
  ASSERT_EQ(draw(run.folder), 0);
  std::ifstream in(run.folder + "/firmware_flame.svg");
  const std::string flame{std::istreambuf_iterator<char>(in), {}};
  for (const char* name : {">core1 ", ">ftl_read", ">wl_main", "busy cycles, all cores: "})
    EXPECT_NE(flame.find(name), std::string::npos) << name;
  EXPECT_TRUE(std::ifstream(run.folder + "/core_utilisation.svg").good());
  EXPECT_NE(draw(run.folder + "/nothing"), 0);
}

TEST(Profile, NeedsInstructions) {
  const auto result = wordline({"run", "configs/ssds/small.toml", "--workload", "configs/workloads/demo_waves.fio",
                                "--set", "cpu.model=native", "--profile"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.output.find("cpu.model=iss"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace wordline::testing::profile_test
