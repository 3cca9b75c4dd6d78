// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// `wordline partition`: the table is the runs', the same every time, and a bad placement is named before anything runs.
#include <gtest/gtest.h>

#include <fstream>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::partition_test {
namespace {

const char* const kJob = "[job]\nrw=randread\nbs=4k\niodepth=64\nnumber_ios=3000\n";

std::string placements() {
  return scratch_file(
      "placements.toml",
      "[[placement]]\ncores = 1\nengines = []\n[[placement]]\ncores = 1\nengines = [\"parse\", \"l2p\", \"buffer\", "
      "\"job\", \"completion\"]\n"
      "[[placement]]\nname = \"slow\"\ncores = 1\nengines = []\nset = [\"cpu.clock=50MHz\"]\n");
}

nlohmann::json study(const std::string& jobs, std::string* text) {
  const std::string folder = scratch_folder();
  const auto result =
      wordline({"partition", "configs/ssds/ref_tlc32.toml", "--workload", scratch_file("job.fio", kJob), "--placements",
                placements(), "--json", folder + "/table.json", "--jobs", jobs, "--set", "cpu.model=native"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  *text = result.output;
  std::ifstream json(folder + "/table.json");
  return nlohmann::json::parse(json);
}

TEST(PartitionCommand, ARowPerPlacementHoweverManyRunAtATime) {
  std::string one, three;
  const auto table = study("1", &one);
  EXPECT_EQ(table, study("3", &three));
  EXPECT_EQ(one, three);
  ASSERT_EQ(table["placements"].size(), 3U);
  const auto& firmware = table["placements"][0];
  const auto& hardware = table["placements"][1];
  const auto& slow = table["placements"][2];
  EXPECT_GT(firmware["cycles_per_io"].get<double>(), 500.0);
  EXPECT_LT(hardware["cycles_per_io"].get<double>(), 1.0);
  EXPECT_FALSE(hardware["core_limits"].get<bool>());
  EXPECT_TRUE(slow["core_limits"].get<bool>());
  EXPECT_GT(hardware["iops"].get<double>(), firmware["iops"].get<double>());
  // The limit of a core is its clock over the cycles that a request takes.
  EXPECT_NEAR(slow["iops"].get<double>() * slow["cycles_per_io"].get<double>() / 50e6, 1.0, 0.05);

  // The same as a run by hand.
  const auto run = run_drive({"configs/ssds/ref_tlc32.toml",
                              kJob,
                              {"cpu.model=native", "cpu.cores=1", "cpu.task_core=[0,0,0]", "engines.parse=off"},
                              {}});
  EXPECT_EQ(run.result["ios"]["read"]["iops"], firmware["iops"]);
}

TEST(PartitionCommand, BadPlacementsAreNamed) {
  const auto study = [](const std::string& file) {
    return wordline(
        {"partition", "configs/ssds/small.toml", "--workload", scratch_file("job.fio", kJob), "--placements", file});
  };
  const auto engine = study(scratch_file("bad.toml", "[[placement]]\ncores = 1\nengines = [\"lp2\"]\n"));
  EXPECT_EQ(engine.exit_code, 2);
  EXPECT_NE(engine.output.find("bad.toml:3:11: error: no engine is called \"lp2\""), std::string::npos)
      << engine.output;
  const auto key =
      study(scratch_file("bad.toml", "[[placement]]\nname = \"odd\"\ncores = 1\nset = [\"cpu.clokc=1GHz\"]\n"));
  EXPECT_EQ(key.exit_code, 2);
  EXPECT_NE(key.output.find("placement \"odd\""), std::string::npos) << key.output;
  EXPECT_NE(key.output.find("cpu.clock"), std::string::npos) << key.output;
  const auto none = study("no/such/file.toml");
  EXPECT_EQ(none.exit_code, 2) << none.output;
  const auto workload = wordline({"partition", "configs/ssds/small.toml", "--workload", "no/such.fio"});
  EXPECT_EQ(workload.exit_code, 2);
  EXPECT_NE(workload.output.find("no/such.fio"), std::string::npos);
}

}  // namespace
}  // namespace wordline::testing::partition_test
