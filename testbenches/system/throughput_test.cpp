// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Throughput against closed forms that share no code with the model.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "testbenches/system/run_drive.h"

namespace wordline::testing {
namespace {

std::string random_read(unsigned depth, unsigned requests) {
  return "[global]\nrw=randread\nbs=4k\nnorandommap\n[job]\niodepth=" + std::to_string(depth) +
         "\nnumber_ios=" + std::to_string(requests) + "\n";
}

// Everything but the dies is made fast, and all pages of a die take the same time.
const std::vector<std::string> kOnlyDiesContend = {
    "cpu.model=native",
    "precondition.fill=sequential",
    "channels.count=32",
    "channels.packages=1",
    "channels.rate=2400MT/s",
    "link.bandwidth=1000GB/s",
    "link.latency=1ns",
    "dram.bandwidth=1000GB/s",
    "dram.latency=1ns",
    "cpu.clock=100GHz",
    "nvme.command_parse=1ns",
    "ecc.clock=100GHz",
    "nand.timing.t_r=[\"65us\",\"65us\",\"65us\"]",
};

class ClosedLoop : public ::testing::TestWithParam<unsigned> {};

// Closed loop with n requests over m servers with a fixed service time S, each request to a random server:
// X S = s - sqrt(s^2 - 2 m n), s = m + n - 1/2 (Baskett-Smith form, CACM June 1976; within 2 % for m >= 4).
TEST_P(ClosedLoop, OnlyDiesContend) {
  const unsigned depth = GetParam();
  const auto run = run_drive({"configs/ssds/ref_tlc32.toml", random_read(depth, 20000), kOnlyDiesContend, {}});
  const double m = 32;
  const double s = m + depth - 0.5;
  // Service of a die: tR, and the die is not free for the next command until its page register has been read out.
  const double t_r = 65e-6;
  const double register_busy = (4648 * 1e6 / 2400e6 + 1.0) * 1e-6;
  const double expected = (s - std::sqrt(s * s - 2 * m * depth)) / (t_r + register_busy);
  const double iops = run.result["ios"]["read"]["iops"];
  EXPECT_NEAR(iops / expected, 1.0, 0.05) << "IOPS " << iops << " expected " << expected;
}
INSTANTIATE_TEST_SUITE_P(QueueDepth, ClosedLoop, ::testing::Values(1, 2, 4, 8, 16, 32, 64, 128, 256));

// Saturated dies: no more than dies / (mean tR + what else keeps the die from its next read).
TEST(Bound, DiesSaturated) {
  const auto run = run_drive({"configs/ssds/ref_tlc32.toml",
                              random_read(4096, 60000),
                              {"cpu.model=native", "precondition.fill=sequential", "cpu.clock=10GHz", "host.queue_entries=8192",
                               "nvme.tags=8192"},
                              {}});
  // Mean of 45, 65, 85 us; the page register is read out (4648 B at 1.25 ns) behind the command and address cycles.
  const double service = 65e-6 + 4648 * 1.25e-9 + 0.6e-6;
  const double iops = run.result["ios"]["read"]["iops"];
  EXPECT_LT(iops, 32 / 65e-6);
  EXPECT_NEAR(iops / (32 / service), 1.0, 0.02);
}

// Saturated channels: a slow bus makes 8 / (bus time of one read) the limit.
TEST(Bound, ChannelsSaturated) {
  const auto run = run_drive({"configs/ssds/ref_tlc32.toml",
                              random_read(2048, 40000),
                              {"cpu.model=native", "precondition.fill=sequential", "cpu.clock=10GHz", "channels.rate=133MT/s",
                               "host.queue_entries=8192", "nvme.tags=8192"},
                              {}});
  const double data = 4648 / 133e6;
  const double iops = run.result["ios"]["read"]["iops"];
  EXPECT_LT(iops, 8 / data);
  EXPECT_NEAR(iops / (8 / (data + 0.55e-6)), 1.0, 0.02);
  EXPECT_EQ(run.result["bottleneck"]["resource"], "channels");
}

// Dies of one package are as parallel as dies of packages of their own.
TEST(Package, SixtyFourDiesAnyWay) {
  const auto iops = [](const std::string& packages, const std::string& dies) {
    const auto run = run_drive({"configs/ssds/ref_tlc32.toml",
                                random_read(256, 40000),
                                {"cpu.model=native", "precondition.fill=sequential", "cpu.clock=10GHz", "channels.packages=" + packages,
                                 "channels.dies_per_package=" + dies},
                                {}});
    return run.result["ios"]["read"]["iops"].get<double>();
  };
  EXPECT_NEAR(iops("8", "1") / iops("2", "4"), 1.0, 0.02);
}

}  // namespace
}  // namespace wordline::testing
