// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives that move data for wear, reads, age and errors: what the flash has of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::upkeep_drive_test {
namespace {

using Sets = std::vector<std::string>;

constexpr const char* kDrive = "configs/ssds/small.toml";

nlohmann::json run(const std::string& job, Sets sets, std::vector<std::string> options = {"--verify-all"}) {
  sets.insert(sets.begin(), {"cpu.model=native", "precondition.fill=sequential"});
  const RunResult run = run_drive({kDrive, job, sets, options});
  EXPECT_EQ(run.result["status"], "completed");
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  return run.result;
}

double most_over_mean(const nlohmann::json& result) {
  const auto erases = result["blocks"]["erases_by_block"].get<std::vector<double>>();
  double sum = 0;
  for (const double e : erases) sum += e;
  return *std::max_element(erases.begin(), erases.end()) * static_cast<double>(erases.size()) / sum;
}

TEST(UpkeepDrive, ErasesOfADriveWithAColdHalfLieTogether) {
  const std::string job = "[hot]\nrw=randwrite\nbs=4k\niodepth=16\nsize=50%\nio_size=1000%\nnorandommap\n";
  const auto without = run(job, {"ftl.wear_levelling=dynamic"});
  EXPECT_GT(most_over_mean(without), 1.4);
  EXPECT_EQ(without["blocks"]["erases_min"], 0);
  EXPECT_FALSE(without.contains("upkeep"));
  const auto with = run(job, {"ftl.wear_levelling=static", "ftl.wear_levelling_gap=5"});
  EXPECT_LE(most_over_mean(with), 1.2);
  EXPECT_GT(with["upkeep"]["wear_superblocks"], 50);
  EXPECT_LT(with["blocks"]["erases_max"], without["blocks"]["erases_max"]) << "the drive lives longer";
}

// The same where the policy names the word lines: data at rest have leaders and followers of their own.
TEST(UpkeepDrive, AndOfOneThatChoosesWordLines) {
  const std::string job = "[hot]\nrw=randwrite\nbs=4k\niodepth=16\nsize=50%\nio_size=1000%\nnorandommap\n";
  const auto cube = [&](Sets sets) {
    sets.insert(sets.begin(), {"ftl.policy=cube", "nand.program_order=mixed"});
    return run(job, sets);
  };
  EXPECT_GT(most_over_mean(cube({"ftl.wear_levelling=dynamic"})), 1.4);
  const auto with = cube({"ftl.wear_levelling=static", "ftl.wear_levelling_gap=5"});
  EXPECT_LE(most_over_mean(with), 1.2);
  EXPECT_GT(with["upkeep"]["wear_superblocks"], 50);
}

// A page is read a million times. Its neighbours on the word lines beside it lose their data, unless they are moved.
TEST(UpkeepDrive, AMillionReadsOfAPageLoseNothingWithReclaim) {
  const std::string job =
      "[hammer]\nrw=randread\nbs=4k\niodepth=1\noffset=8m\nsize=16k\nio_size=3906250k\nnorandommap\n";
  const auto without = run(job, {"nand.aging.pe_cycles=3000"});
  EXPECT_GT(without["flash"]["uncorrectable"], 10);
  const auto by_count = run(job, {"nand.aging.pe_cycles=3000", "ftl.read_reclaim=20000"});
  EXPECT_EQ(by_count["flash"]["uncorrectable"], 0);
  // The reads of the moves count, too, in the superblocks that they are of; and one may be under way.
  EXPECT_NEAR(by_count["upkeep"]["reclaim_superblocks"].get<double>(), 1e6 / 20'000, 3);
}

TEST(UpkeepDrive, AYearOfAWornDriveLosesNothingWithRefresh) {
  const std::string job = "[year]\nrw=read\nbs=128k\niodepth=4\nstartdelay=31536ms\nsize=100%\n";
  const auto year = [&job](const Sets& more) {
    Sets sets{"nand.aging.pe_cycles=3000", "nand.aging.temperature_c=40", "nand.aging.page_age=true",
              "nand.aging.acceleration=1e6"};
    sets.insert(sets.end(), more.begin(), more.end());
    return run(job, sets, {});
  };
  const auto without = year({});
  EXPECT_GT(without["flash"]["uncorrectable"], 0);
  for (const Sets& sets : {Sets{"ftl.refresh_after=30"}, Sets{"ftl.reclaim_errors=60", "ftl.patrol=7"}}) {
    SCOPED_TRACE(sets[0]);
    const auto with = year(sets);
    EXPECT_EQ(with["flash"]["uncorrectable"], 0);
    EXPECT_GT(with["upkeep"]["refresh_superblocks"], 300);
    EXPECT_GT(with["ios"]["read"]["iops"].get<double>(), 2 * without["ios"]["read"]["iops"].get<double>());
  }
}

// All at once, with each engine that goes with it, on both models of a core.
TEST(UpkeepDrive, KeepsAllDataWithEngines) {
  const std::string job = "[mixed]\nrw=randrw\nbs=4k\niodepth=16\nnumber_ios=20000\nio_size=100%\nnorandommap\n";
  const Sets upkeep{"ftl.read_reclaim=150",
                    "ftl.reclaim_errors=12",
                    "nand.aging.pe_cycles=1000",
                    "nand.aging.page_age=true",
                    "nand.aging.acceleration=1e7",
                    "ftl.refresh_after=20",
                    "ftl.patrol=10"};
  for (const Sets& engines :
       {Sets{"ftl.wear_levelling=static", "ftl.wear_levelling_gap=1"}, Sets{"engines.gc=on", "engines.copy=on"},
        Sets{"engines.copy=on", "engines.victim=on"}, Sets{"engines.retry=off", "engines.completion=on"},
        Sets{"cpu.model=iss", "engines.gc=on", "ftl.wear_levelling=static", "ftl.wear_levelling_gap=1"}}) {
    SCOPED_TRACE(engines[0]);
    Sets sets = upkeep;
    sets.insert(sets.end(), engines.begin(), engines.end());
    const auto result = run(job, sets);
    EXPECT_EQ(result["flash"]["uncorrectable"], 0);
    EXPECT_GT(result["upkeep"]["reclaim_superblocks"], 0);
    EXPECT_GT(result["upkeep"]["patrol_reads"], 0);
  }
}

}  // namespace
}  // namespace wordline::testing::upkeep_drive_test
