// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the shorter programs of the policy cube do to the host's commands. The ids in the comments are those of the
// thesis' statements that docs/papers.md answers.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::cube_drive_test {
namespace {

using Sets = std::vector<std::string>;

/// A twentieth of the drive of the study, full, with spare for all that is written here.
nlohmann::json results(const std::string& workload, Sets sets) {
  const Sets small{"cpu.model=native", "precondition.fill=sequential", "nand.blocks_per_plane=24",
                   "ftl.over_provisioning=0.5"};
  sets.insert(sets.end(), small.begin(), small.end());
  nlohmann::json result = run_drive({"configs/ssds/cube_tlc.toml", workload, sets, {}}).result;
  EXPECT_EQ(result["check"]["mismatches"], 0);
  EXPECT_EQ(result["flash"]["erases"], 0);
  return result;
}

double mean(const nlohmann::json& result, const char* op) { return result["ios"][op]["lat_ps"]["mean"].get<double>(); }

// cube.lat.read.cause: reads of fresh data wait less behind programs, and that is all that they gain.
TEST(CubeDrive, ReadsWaitLessBehindPrograms) {
  const std::string job =
      "[global]\nnorandommap\nnumber_ios=3000\n[writes]\nrw=randwrite\nbs=16k\niodepth=16\n"
      "[reads]\nrw=randread\nbs=4k\niodepth=2\n";
  const auto page = results(job, {"ftl.policy=page_greedy"}), cube = results(job, {"ftl.policy=cube"});
  for (const auto* run : {&page, &cube}) EXPECT_EQ((*run)["flash"]["retries"], 0);
  const double gain = mean(page, "read") - mean(cube, "read");
  EXPECT_GT(gain, 0.04 * mean(page, "read"));
  const auto waits = [](const nlohmann::json& result) {
    return result["stages"]["read"]["total_ps"]["queue_flash"].get<double>() /
           result["ios"]["read"]["count"].get<double>();
  };
  EXPECT_NEAR((waits(page) - waits(cube)) / gain, 1, 0.05);
}

// A unit that waits for a free die does not wait for free space: `buffer` and the verdict tell them apart.
TEST(CubeDrive, WaitingForADieIsNotWaitingForSpace) {
  const auto cube =
      results("[writes]\nrw=randwrite\nbs=16k\niodepth=32\nnumber_ios=4000\nnorandommap\n", {"ftl.policy=cube"});
  EXPECT_EQ(cube["gc"]["superblocks"], 0);
  EXPECT_EQ(cube["buffer"]["space_waiting"], 0.0);
  EXPECT_GT(cube["buffer"]["write_waiting"], 0.5);
  EXPECT_EQ(cube["bottleneck"]["resource"], "dies");
}

/// Bursts that are larger than the write buffer, and a few writes one by one before each.
std::string bursts() {
  std::string trace;
  std::uint64_t time = 128'166'372'003'061'629, draw = 0;
  const auto write = [&](std::uint64_t bytes) {
    const std::uint64_t at = keyed_hash(1, ++draw) % 32'000 * 16'384;
    trace += std::to_string(time) + ",host,0,Write," + std::to_string(at) + "," + std::to_string(bytes) + ",0\n";
  };
  for (int burst = 0; burst < 30; ++burst) {
    for (int i = 0; i < 16; ++i, time += 20'000) write(49'152);
    for (int i = 0; i < 144; ++i, time += 20) write(16'384);
    time += 200'000;
  }
  return trace;
}

// cube.lat.write.cause: with as many followers as without choosing by demand, but more of them in the bursts, the
// buffer is emptied sooner, and writes return earlier.
TEST(CubeDrive, FollowersInBurstsLetWritesReturnEarlier) {
  const std::string trace = scratch_file("bursts.csv", bursts());
  const auto in_turn = results(trace, {"ftl.policy=cube", "ftl.cube.allocation=horizontal"});
  const auto by_demand = results(trace, {"ftl.policy=cube", "ftl.cube.demand_threshold=0.1"});
  const auto followers = [](const nlohmann::json& result) {
    return result["programs"]["host_followers"].get<double>();
  };
  EXPECT_NEAR(followers(by_demand) / followers(in_turn), 1, 0.02);
  EXPECT_LT(mean(by_demand, "write"), 0.94 * mean(in_turn, "write"));
  EXPECT_LT(by_demand["ios"]["write"]["lat_ps"]["p90"].get<double>(),
            0.95 * in_turn["ios"]["write"]["lat_ps"]["p90"].get<double>());
}

}  // namespace
}  // namespace wordline::testing::cube_drive_test
