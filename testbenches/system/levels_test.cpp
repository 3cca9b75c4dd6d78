// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Levels of detail agree.
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing {
namespace {

double mean_latency(const nlohmann::json& result, const char* op) {
  return result["ios"][op]["lat_ps"]["mean"].get<double>();
}

double mean_of_all(const nlohmann::json& result) {
  double sum = 0;
  double count = 0;
  for (const char* op : {"read", "write"}) {
    sum += result["ios"][op]["lat_ps"]["sum"].get<double>();
    count += result["ios"][op]["count"].get<double>();
  }
  return sum / count;
}

TEST(CpuLevels, NativeMeansWhatIssMeasures) {
  const auto run = [](const std::string& cpu) {
    return run_drive({"configs/ssds/ref_tlc32.toml",
                      "[job]\nrw=randrw\nrwmixread=70\nbs=4k\niodepth=32\nnumber_ios=20000\n",
                      {"cpu.model=" + cpu, "precondition.fill=sequential"},
                      {}})
        .result;
  };
  const auto iss = run("iss");
  const auto native = run("native");
  EXPECT_NEAR(mean_of_all(native) / mean_of_all(iss), 1.0, 0.03);
  EXPECT_NEAR(mean_latency(native, "read") / mean_latency(iss, "read"), 1.0, 0.03);
  // A buffered write takes five microseconds, nearly all of them firmware: mean costs by tag do not queue as the
  // instructions themselves do.
  EXPECT_NEAR(mean_latency(native, "write") / mean_latency(iss, "write"), 1.0, 0.10);
}

// Misaligned and open loop: parts of sectors, the way that a trace of a real machine goes.
TEST(CpuLevels, NativeMeansWhatIssMeasuresOnAMisalignedTrace) {
  const auto run = [](const std::string& cpu) {
    return run_drive({"configs/ssds/small.toml", "testbenches/system/data/misaligned.csv", {"cpu.model=" + cpu}, {}}).result;
  };
  const auto iss = run("iss");
  const auto native = run("native");
  EXPECT_NEAR(mean_latency(native, "read") / mean_latency(iss, "read"), 1.0, 0.03);
  EXPECT_NEAR(mean_latency(native, "write") / mean_latency(iss, "write"), 1.0, 0.03);
}

TEST(HostLevels, DirectMovesTheSameDataInTheSameOrder) {
  const auto run = [](const std::string& host) {
    return run_drive({"configs/ssds/small.toml",
                      "[job]\nrw=randrw\nbs=4k\niodepth=1\nnumber_ios=500\n",
                      {"cpu.model=native", "host.model=" + host},
                      {"--verify-all"}})
        .result;
  };
  const auto nvme = run("nvme");
  const auto direct = run("direct");
  EXPECT_EQ(nvme["ios"]["read"]["count"], direct["ios"]["read"]["count"]);
  EXPECT_EQ(nvme["flash"]["programs"], direct["flash"]["programs"]);
  EXPECT_LT(mean_latency(direct, "read"), mean_latency(nvme, "read"));
}

// The stages of a command sum to its latency: on average too, to the picosecond.
TEST(Stages, SumToTheLatency) {
  const auto result = run_drive({"configs/ssds/ref_tlc32.toml",
                                 "[job]\nrw=randread\nbs=4k\niodepth=8\nnumber_ios=2000\n",
                                 {"cpu.model=iss", "precondition.fill=sequential"},
                                 {}})
                          .result;
  std::int64_t sum = 0;
  for (const auto& stage : result["stages"]["read"]["total_ps"].items()) sum += stage.value().get<std::int64_t>();
  EXPECT_EQ(sum, result["ios"]["read"]["lat_ps"]["sum"].get<std::int64_t>());
}

}  // namespace
}  // namespace wordline::testing
