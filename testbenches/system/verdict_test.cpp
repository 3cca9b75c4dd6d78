// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What limits a drive, said and confirmed: more of the resource that the verdict names makes the drive faster, more of
// another one does not.
#include <gtest/gtest.h>

#include <ostream>

#include "testbenches/system/run_drive.h"

namespace wordline::testing {
namespace {

using Sets = std::vector<std::string>;

Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Drive {
  const char* limit;  // bottleneck.resource
  const char* config;
  std::string job;
  Sets sets;
  Sets more;             // of what limits
  Sets other;            // of something else
  std::string more_job;  // instead of `job`, where the load limits
};

std::ostream& operator<<(std::ostream& out, const Drive& drive) { return out << drive.limit; }

std::string job(const std::string& rw, const std::string& bs, unsigned depth, unsigned requests) {
  return "[a]\nrw=" + rw + "\nbs=" + bs + "\niodepth=" + std::to_string(depth) +
         "\nnorandommap\nnumber_ios=" + std::to_string(requests) + "\n";
}

const char* const kDrive = "configs/ssds/default.toml";
const char* const kSmall = "configs/ssds/small.toml";
const Sets kNative{"cpu.model=native", "cpu.clock=4GHz"};
/// Firmware in the way of nothing.
const Sets kEngines = kNative + Sets{"engines.parse=on", "engines.l2p=on", "engines.buffer=on", "engines.job=on",
                                     "engines.completion=on"};
const Sets kWorn{"nand.aging.pe_cycles=3000", "nand.aging.retention_days=365"};
const Sets kFilled = kNative + Sets{"precondition.fill=sequential"};
const Sets kFasterLink{"link.bandwidth=16GB/s"};
const Sets kMoreDies{"channels.packages=8"};

// clang-format off
const std::vector<Drive> kDrives{
    {"link", kDrive, job("read", "128k", 32, 1000), kEngines + Sets{"link.bandwidth=1GB/s"}, {"link.bandwidth=2GB/s"},
     {"dram.bandwidth=25.6GB/s"}, ""},
    {"cores", kDrive, job("randread", "4k", 256, 6000), {"cpu.model=native", "cpu.clock=100MHz"}, {"cpu.clock=200MHz"},
     kMoreDies, ""},
    {"dram", kDrive, job("read", "128k", 32, 1000), kEngines + Sets{"dram.bandwidth=2GB/s"}, {"dram.bandwidth=4GB/s"},
     kFasterLink, ""},
    {"decoders", kDrive, job("randread", "4k", 256, 4000), kEngines + kWorn + Sets{"ecc.clock=250MHz"},
     {"ecc.clock=500MHz"}, kFasterLink, ""},
    {"retry", kDrive, job("randread", "4k", 256, 4000), kEngines + kWorn + Sets{"ecc.clock=2GHz"}, kMoreDies,
     kFasterLink, ""},
    {"engine_parse", kDrive, job("randread", "4k", 256, 4000), kEngines + Sets{"engines.parse_interval=10us"},
     {"engines.parse_interval=5us"}, kMoreDies, ""},
    {"channels", kDrive, job("read", "128k", 32, 1000), kEngines + Sets{"channels.count=1", "channels.packages=8"},
     {"channels.count=2"}, kFasterLink, ""},
    {"dies", kDrive, job("randread", "4k", 256, 4000), kEngines + Sets{"channels.packages=1"}, {"channels.packages=2"},
     kFasterLink, ""},
    {"write_buffer", kDrive, job("write", "128k", 32, 2000), kEngines + Sets{"ftl.write_buffer=1MiB"},
     {"ftl.write_buffer=4MiB"}, {"ecc.clock=1GHz"}, ""},
    {"gc_buffer", kSmall, job("randwrite", "4k", 64, 100000),
     kFilled + Sets{"channels.count=4", "channels.packages=4", "ftl.gc_buffer=192KiB"}, {"ftl.gc_buffer=1MiB"},
     kFasterLink, ""},
    {"gc", kSmall, job("randwrite", "4k", 32, 60000), kFilled, {"ftl.over_provisioning=0.3"}, kFasterLink, ""},
    {"queue_depth", kDrive, job("randread", "4k", 1, 1000), kEngines, {}, kMoreDies, job("randread", "4k", 2, 1000)},
};
// clang-format on

double iops(const nlohmann::json& result) {
  double sum = 0;
  for (const auto& op : result["ios"]) sum += op["iops"].get<double>();
  return sum;
}

class Verdict : public ::testing::TestWithParam<Drive> {};
INSTANTIATE_TEST_SUITE_P(Drives, Verdict, ::testing::ValuesIn(kDrives),
                         [](const auto& info) { return std::string(info.param.limit); });

TEST_P(Verdict, NamesWhatMakesTheDriveFaster) {
  const Drive& drive = GetParam();
  const auto run = [&](const std::string& workload, const Sets& sets) {
    return run_drive({drive.config, workload, drive.sets + sets, {}}).result;
  };
  const nlohmann::json base = run(drive.job, {});
  const std::string sentence = base["bottleneck"]["sentence"];
  EXPECT_EQ(base["bottleneck"]["resource"], drive.limit) << sentence;
  EXPECT_GE(iops(run(drive.more_job.empty() ? drive.job : drive.more_job, drive.more)), 1.05 * iops(base)) << sentence;
  EXPECT_LT(iops(run(drive.job, drive.other)), 1.05 * iops(base)) << sentence;
}

}  // namespace
}  // namespace wordline::testing
