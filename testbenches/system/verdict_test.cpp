// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives each of which is built with one known limit: the verdict names it, and runs with each resource improved say
// that the verdict is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <ostream>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::verdict_test {
namespace {

using Sets = std::vector<std::string>;

Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Drive {
  const char* name;
  const char* limit;  // bottleneck.resource
  const char* config;
  std::string job;
  Sets sets;
};

std::ostream& operator<<(std::ostream& out, const Drive& drive) { return out << drive.name; }

std::string job(const std::string& rw, const std::string& bs, unsigned depth, unsigned requests,
                const std::string& more = {}) {
  return "[a]\nrw=" + rw + "\nbs=" + bs + "\niodepth=" + std::to_string(depth) +
         "\nnorandommap\nnumber_ios=" + std::to_string(requests) + "\n" + more + "\n";
}

const char* const kDrive = "configs/ssds/default.toml";
const char* const kSmall = "configs/ssds/small.toml";
const Sets kNative{"cpu.model=native", "cpu.clock=4GHz"};
/// Firmware in the way of nothing.
const Sets kEngines = kNative + Sets{"engines.parse=on", "engines.l2p=on", "engines.buffer=on", "engines.job=on",
                                     "engines.completion=on"};
const Sets kWorn{"nand.aging.pe_cycles=3000", "nand.aging.retention_days=365"};
const Sets kFilled = kNative + Sets{"precondition.fill=sequential"};

// clang-format off
const std::vector<Drive> kDrives{
    {"Link", "link", kDrive, job("read", "128k", 32, 1500), kEngines + Sets{"link.bandwidth=1GB/s"}},
    {"LinkLatency", "link_latency", kDrive, job("randread", "4k", 1, 1500), kEngines + Sets{"link.latency=50us"}},
    {"HostCores", "host_cores", kDrive, job("randread", "4k", 64, 4000), kEngines + Sets{"host.submission_cost=8us"}},
    {"DmaSetup", "dma", kDrive, job("randread", "4k", 128, 6000), kEngines + Sets{"link.dma_setup=3us"}},
    {"DmaSetupOfOneRequest", "dma", kDrive, job("randread", "4k", 1, 1500), kNative + Sets{"link.dma_setup=200us"}},
    {"Tags", "tags", kDrive, job("randread", "4k", 64, 4000), kEngines + Sets{"nvme.tags=4"}},
    {"WriteLatency", "write_latency", kDrive, job("randwrite", "4k", 4, 3000),
     kNative + Sets{"nvme.write_latency=200us"}},
    {"Cores", "cores", kDrive, job("randread", "4k", 64, 4000), {"cpu.model=native", "cpu.clock=150MHz"}},
    {"Engine", "engine_parse", kDrive, job("randread", "4k", 256, 6000), kEngines + Sets{"engines.parse_interval=10us"}},
    {"Dram", "dram", kDrive, job("read", "128k", 32, 1500), kEngines + Sets{"dram.bandwidth=2GB/s"}},
    {"Decoders", "decoders", kDrive, job("randread", "4k", 256, 4000), kEngines + Sets{"ecc.clock=20MHz"}},
    {"RetriesThatHoldDies", "retry", kDrive, job("randread", "4k", 256, 4000), kEngines + kWorn + Sets{"ecc.clock=2GHz"}},
    {"RetryOfFewRequests", "retry", kDrive, job("randread", "4k", 8, 3000), kNative + kWorn},
    {"Channels", "channels", kDrive, job("read", "128k", 32, 1000),
     kEngines + Sets{"channels.count=1", "channels.packages=8"}},
    {"DiesOfReads", "dies", kDrive, job("randread", "4k", 256, 6000), kEngines + Sets{"channels.packages=1"}},
    {"DiesOfWrites", "dies", kDrive, job("write", "128k", 32, 2500), kEngines + Sets{"channels.packages=1"}},
    {"DiesBesideABusyDram", "dies", kDrive, job("randrw", "4k", 256, 20000, "rwmixread=70"),
     kEngines + Sets{"channels.rate=1.6GT/s", "dram.bandwidth=6.5GB/s"}},
    {"ReadTime", "t_r", kDrive, job("randread", "4k", 1, 1500), kEngines},
    {"ReadTimeOfNeighboursInOneDie", "t_r", kDrive, job("read", "4k", 8, 6000), kNative},
    {"ProgramOfAFlush", "t_prog", kDrive, job("randwrite", "4k", 1, 1000, "fsync=1"), kNative + Sets{"ftl.power_safe=false"}},
    {"ProgramOfWriteThrough", "t_prog", kDrive, job("randwrite", "4k", 1, 1000), kNative + Sets{"ftl.write_back=false"}},
    {"WriteBuffer", "write_buffer", kDrive, job("write", "128k", 32, 2000), kEngines + Sets{"ftl.write_buffer=1MiB"}},
    {"ReadBuffer", "read_buffer", kDrive, job("randread", "128k", 32, 2000), kEngines + Sets{"ftl.read_buffer=512KiB"}},
    {"GcBuffer", "gc_buffer", kSmall, job("randwrite", "4k", 64, 40000),
     kFilled + Sets{"channels.count=4", "channels.packages=4", "ftl.gc_buffer=192KiB"}},
    {"GcOfALittleSpace", "gc", kSmall, job("randwrite", "4k", 32, 25000), kFilled},
    {"RateOfTheHost", "host", kDrive, job("randread", "4k", 64, 3000, "rate_iops=40000\nrate_process=poisson"), kNative},
    {"ThinkTime", "host", kDrive, job("randread", "4k", 1, 1000, "thinktime=400us"), kNative},
};
// clang-format on

/// A group of engines is improved as a whole.
std::string improved(const std::string& resource) { return resource.rfind("engine_", 0) == 0 ? "engines" : resource; }

/// What the load or less capacity would gain is no answer to what the drive lacks, unless that is the verdict.
bool is_rival(const std::string& resource) {
  return resource != "queue_depth" && resource != "host" && resource != "gc";
}

class Verdict : public ::testing::TestWithParam<Drive> {};
INSTANTIATE_TEST_SUITE_P(Drives, Verdict, ::testing::ValuesIn(kDrives),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Verdict, NamesWhatMakesTheDriveFaster) {
  const Drive& drive = GetParam();
  const nlohmann::json result = run_drive({drive.config, drive.job, drive.sets, {"--what-if"}}).result;
  const std::string sentence = result["bottleneck"]["sentence"];
  EXPECT_EQ(result["bottleneck"]["resource"], drive.limit) << sentence;
  double of_limit = -1;
  double of_rivals = 0;
  std::string rival = "nothing";
  for (const nlohmann::json& row : result["what_if"]) {
    const std::string resource = row["resource"];
    const double gain = row["iops_gain"];
    if (resource == improved(drive.limit)) {
      of_limit = gain;
    } else if (is_rival(resource) && gain > of_rivals) {
      of_rivals = gain;
      rival = resource;
    }
  }
  EXPECT_GE(of_limit, 0.05) << sentence;
  EXPECT_GE(of_limit, of_rivals / 2) << rival << " gains more: " << sentence;
  std::cout << drive.name << ": " << sentence << " By experiment " << 100 * of_limit << " %, of others at most "
            << 100 * of_rivals << " % (" << rival << ").\n";
}

TEST(VerdictTest, GainsAreOfTheSameCapacityAndTheSameRequests) {
  const nlohmann::json base = run_drive({kSmall, job("randwrite", "4k", 32, 25000), kFilled, {"--what-if"}}).result;
  const auto rows = base["what_if"];
  const auto dies = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row["resource"] == "dies"; });
  ASSERT_NE(dies, rows.end());
  EXPECT_EQ((*dies)["settings"], "channels.packages=4 nand.wls_per_layer=1");
  const nlohmann::json more = run_drive({kSmall,
                                         job("randwrite", "4k", 32, 25000),
                                         kFilled + Sets{"channels.packages=4", "nand.wls_per_layer=1"},
                                         {}})
                                  .result;
  const auto iops = [](const nlohmann::json& result) { return result["ios"]["write"]["iops"].get<double>(); };
  EXPECT_NEAR((*dies)["iops_gain"].get<double>(), iops(more) / iops(base) - 1, 1e-6);
  EXPECT_NEAR(more["flash"]["waf"].get<double>() / base["flash"]["waf"].get<double>(), 1, 0.02);
  EXPECT_FALSE(more.contains("what_if"));
  EXPECT_TRUE(more["bottleneck"]["next"].is_null());
  EXPECT_FALSE(base["bottleneck"]["next"].is_null());
}

TEST(VerdictTest, TheDmaEngineOfReadsIsBusyWhileItSetsUpAndMoves) {
  const nlohmann::json result =
      run_drive({kDrive, job("randread", "4k", 1, 500), kNative + Sets{"link.dma_setup=20us"}, {}}).result;
  const auto& stages = result["stages"]["read"]["total_ps"];
  EXPECT_EQ(stages["dma_setup"], 500 * 20'000'000.0);
  EXPECT_EQ(stages["queue_dma"], 0) << "one request at a time";
  // Into DRAM and out of it before the set-up is over: the link has only to carry 4 KiB in 16 packets.
  const double moves = (4096 + 16 * 28) / 7.876923e9 * 1e12;
  const double busy = 500 * (20e6 + moves) / result["window"]["length_ps"].get<double>();
  EXPECT_NEAR(result["utilisation"]["dma"][0].get<double>(), busy, 1e-5);
  EXPECT_EQ(result["utilisation"]["dma"][1], 0) << "the engine of writes";
}

TEST(VerdictTest, ReadsWithoutDataSayNothingOfTheFlash) {
  const nlohmann::json empty = run_drive({kSmall, job("randread", "4k", 8, 2000), kNative, {}}).result;
  EXPECT_EQ(empty["bottleneck"]["resource"], "no_data");
  EXPECT_EQ(empty["check"]["blocks_read"], 16000);
  EXPECT_EQ(empty["check"]["blocks_without_data"], 16000);
  const nlohmann::json full = run_drive({kSmall, job("randread", "4k", 8, 2000), kFilled, {"--verify-all"}}).result;
  EXPECT_NE(full["bottleneck"]["resource"], "no_data");
  EXPECT_EQ(full["check"]["blocks_read"], 16000) << "those of --verify-all are not the workload's";
  EXPECT_EQ(full["check"]["blocks_without_data"], 0);
}

TEST(VerdictTest, WhatCannotBeTriedIsSaidWithItsReason) {
  const auto run = wordline({"run", kSmall, "--workload", scratch_file("job.fio", job("randread", "4k", 8, 2000)),
                             "--set", "cpu.model=native", "--set", "precondition.fill=sequential", "--what-if"});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_NE(run.output.find("not tried: tPROG /2, write latency /2: the workload writes nothing"), std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find("dies x2"), std::string::npos) << run.output;
  const auto waves = wordline({"run", kSmall, "--workload", scratch_file("job.fio", job("randread", "4k", 8, 2000)),
                               "--set", "observe.waves=true", "--out", scratch_folder(), "--what-if"});
  EXPECT_EQ(waves.exit_code, 2) << waves.output;
  EXPECT_NE(waves.output.find("--what-if: error:"), std::string::npos) << waves.output;
}

}  // namespace
}  // namespace wordline::testing::verdict_test
