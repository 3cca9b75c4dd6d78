// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Power fails in the middle of a run: what the records on flash say then.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::power_cut_test {
namespace {

using Sets = std::vector<std::string>;

constexpr const char* kDrive = "configs/ssds/small.toml";
constexpr const char* kWrites =
    "[global]\nnorandommap\nioengine=libaio\n[w]\nrw=randrw\nbs=4k\niodepth=16\nnumber_ios=60000\n";
constexpr const char* kForced =
    "[global]\nnorandommap\nioengine=libaio\n[w]\nrw=randwrite\nbs=4k\niodepth=16\nsync=1\nnumber_ios=60000\n";

nlohmann::json cut(const char* job, Sets sets, const std::string& at, const std::vector<std::string>& more = {}) {
  sets.insert(sets.end(), {"cpu.model=native", "precondition.fill=steady"});
  std::vector<std::string> arguments{"--cut-power", at};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const RunResult run = run_drive({kDrive, job, sets, arguments});
  return nlohmann::json::parse(std::ifstream(run.folder + "/power_cut.json"));
}

std::uint64_t lpages(const nlohmann::json& cut) {
  const nlohmann::json& l = cut["lpages"];
  return l["kept"].get<std::uint64_t>() + l["older"].get<std::uint64_t>() + l["missing"].get<std::uint64_t>() +
         l["returned"].get<std::uint64_t>();
}

TEST(PowerCut, WhatWasForcedToFlashIsFoundWheneverPowerFails) {
  std::uint64_t torn = 0, interrupted = 0;
  for (const char* at : {"1.473ms", "4.393ms", "7.313007ms", "10.963ms", "15.343ms", "19.723ms", "23.373ms"}) {
    const nlohmann::json found = cut(kForced, {"ftl.power_safe=false"}, at);
    EXPECT_EQ(found["lpages"]["kept"], lpages(found)) << at << ": " << found.dump();
    torn += found["torn_lpages"].get<std::uint64_t>();
    interrupted += found["interrupted_operations"].get<std::uint64_t>();
  }
  EXPECT_GT(torn, 100U);
  EXPECT_GT(interrupted, 7U);
}

TEST(PowerCut, WhatWasInTheBufferAloneIsOlderAndTheDriveGoesOn) {
  const std::string file = scratch_folder() + "/cut.state";
  const nlohmann::json found = cut(kWrites, {}, "5ms", {"--snapshot", file});
  EXPECT_DOUBLE_EQ(found["at"].get<double>(), 0.005);
  EXPECT_GT(found["lpages"]["older"], 10);
  EXPECT_LT(found["lpages"]["older"], 400) << "more than the buffer holds";
  EXPECT_EQ(found["lpages"]["missing"], 0);
  EXPECT_EQ(found, cut(kWrites, {}, "5ms")) << "the same cut";
  const RunResult after = run_drive({kDrive, kWrites, {"precondition.file=" + file}, {"--verify-all"}});
  EXPECT_EQ(after.result["status"], "completed");
  EXPECT_EQ(after.result["check"]["mismatches"], 0);
  EXPECT_GT(after.result["flash"]["erases"], 0);
}

TEST(PowerCut, DeallocatedPagesAreBackSinceTheyLeaveNoRecord) {
  const nlohmann::json found =
      cut("[t]\nioengine=libaio\nrw=randtrim\nbs=64k\niodepth=4\nnumber_ios=100000\n", {}, "2ms");
  EXPECT_GT(found["lpages"]["returned"], 100);
  EXPECT_EQ(found["lpages"]["older"], 0);
}

TEST(PowerCut, IsRefusedWhereRecordsDoNotSayTheState) {
  const std::string job = scratch_file("job.fio", kWrites);
  const auto refused = [&](const std::string& at, const std::string& set) {
    const CommandResult r = wordline({"run", kDrive, "-w", job, "--cut-power", at, "--set", set});
    EXPECT_NE(r.exit_code, 0) << set;
    return r.output;
  };
  EXPECT_NE(refused("1ms", "ftl.map=page").find("ftl.map = \"sector\""), std::string::npos);
  EXPECT_NE(refused("1ms", "ftl.spare_blocks=4").find("set ftl.spare_blocks = 0"), std::string::npos);
  EXPECT_NE(refused("soon", "cpu.model=native").find("--cut-power"), std::string::npos);
  EXPECT_NE(refused("0ms", "cpu.model=native").find("expected a simulated time"), std::string::npos);
}

}  // namespace
}  // namespace wordline::testing::power_cut_test
