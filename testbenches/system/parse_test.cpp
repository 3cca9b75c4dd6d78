// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole drives whose firmware parses (engines.parse = off). Further runs of them are among the placements of
// engines_test.cpp.
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::parse_test {
namespace {

// Rings of four entries, three tags, commands of all sizes, split by MDTS; a cache that FLUSH drains.
class FirmwareParses : public ::testing::TestWithParam<const char*> {};

TEST_P(FirmwareParses, NothingIsLostWhenQueuesWrap) {
  const auto run = run_drive(
      {"configs/ssds/small.toml",
       "[global]\nnorandommap\n[a]\nrw=randrw\nbs=4k\niodepth=16\nnumber_ios=3000\nsize=2m\n"
       "[trim]\nrw=randtrim\nbs=8k\niodepth=2\nnumber_ios=300\nsize=2m\n"
       "[long]\nrw=randrw\nbs=300k\niodepth=2\nnumber_ios=60\n"
       "[part]\nrw=randrw\nbs=2560\niodepth=4\nnumber_ios=800\nsize=2m\n",
       {std::string("cpu.model=") + GetParam(), "engines.parse=off", "host.queue_entries=4", "nvme.tags=3",
        "nvme.fetch_burst=2", "nvme.max_transfer_sectors=32", "ftl.power_safe=false", "precondition.fill=sequential"},
       {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(run.result["check"]["reads_checked"].get<int>(), 2000);
}

TEST_P(FirmwareParses, TraceOfPartsOfLogicalPages) {
  const auto run = run_drive({"configs/ssds/small.toml",
                              "testbenches/system/data/misaligned.csv",
                              {std::string("cpu.model=") + GetParam(), "engines.parse=off"},
                              {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(run.result["ios"]["write"]["count"].get<int>(), 100);
}
INSTANTIATE_TEST_SUITE_P(Cores, FirmwareParses, ::testing::Values("iss", "native"),
                         [](const auto& info) { return std::string(info.param); });

// What moves is work: cycles of the host task for the time of a pipeline.
TEST(Parser, MovesWorkToTheFirmware) {
  const auto run = [](const char* parse) {
    return run_drive({"configs/ssds/ref_tlc32.toml",
                      "[job]\nrw=randread\nbs=4k\nnorandommap\niodepth=128\nnumber_ios=5000\n",
                      {std::string("engines.parse=") + parse, "cpu.cores=1", "cpu.task_core=[0,0,0]",
                       "precondition.fill=sequential"},
                      {}})
        .result;
  };
  const auto hardware = run("on");
  const auto firmware = run("off");
  EXPECT_FALSE(hardware["firmware_cycles"].contains("host_parse"));
  EXPECT_FALSE(firmware["firmware_cycles"].contains("host_read"));
  EXPECT_GE(hardware["engines"]["parse"]["operations"].get<int>(), 5000);
  EXPECT_FALSE(firmware["engines"].contains("parse"));
  const double more =
      firmware["firmware_cycles"]["host_parse"].get<double>() - hardware["firmware_cycles"]["host_read"].get<double>();
  EXPECT_GT(more / 5000, 50) << "cycles for a command";
  EXPECT_LT(more / 5000, 200);
  EXPECT_LT(firmware["ios"]["read"]["iops"].get<double>(), hardware["ios"]["read"]["iops"].get<double>());
}

// A slow parser is what limits: its interval, or with a long one its depth over its latency.
TEST(Parser, LimitsByIntervalAndByDepth) {
  const auto iops = [](const char* latency, const char* interval, const char* depth) {
    return run_drive(
               {"configs/ssds/ref_tlc32.toml",
                "[job]\nrw=randread\nbs=4k\nnorandommap\niodepth=64\nnumber_ios=4000\n",
                {"cpu.model=native", "precondition.fill=sequential", std::string("engines.parse_latency=") + latency,
                 std::string("engines.parse_interval=") + interval, std::string("engines.parse_depth=") + depth},
                {}})
        .result["ios"]["read"]["iops"]
        .get<double>();
  };
  EXPECT_NEAR(iops("10us", "10us", "1") / 100e3, 1.0, 0.02);
  EXPECT_NEAR(iops("20us", "5us", "2") / 100e3, 1.0, 0.02);
  EXPECT_GT(iops("20us", "5us", "4") / 100e3, 1.5);
}

}  // namespace
}  // namespace wordline::testing::parse_test
