// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Throughput against closed forms that share no code with the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::throughput_test {
namespace {

std::string random_read(unsigned depth, unsigned requests) {
  return "[global]\nrw=randread\nbs=4k\nnorandommap\n[job]\niodepth=" + std::to_string(depth) +
         "\nnumber_ios=" + std::to_string(requests) + "\n";
}

// Everything but the dies is made fast, and all pages of a die take the same time.
const std::vector<std::string> kOnlyDiesContend = {
    "cpu.model=native",          "precondition.fill=sequential",
    "channels.count=32",         "channels.packages=1",
    "channels.rate=2400MT/s",    "link.bandwidth=1000GB/s",
    "link.latency=1ns",          "dram.bandwidth=1000GB/s",
    "dram.latency=1ns",          "cpu.clock=100GHz",
    "engines.parse_latency=1ns", "engines.parse_interval=1ns",
    "ecc.clock=100GHz",          "nand.timing.t_r=[\"65us\",\"65us\",\"65us\"]",
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
  const double register_busy =
      4648 / 2400e6 + 0.43e-6 + 0.07e-6;  // data; command with tWB and tRR; preamble and postamble
  const double expected = (s - std::sqrt(s * s - 2 * m * depth)) / (t_r + register_busy);
  RecordProperty("ratio", std::to_string(run.result["ios"]["read"]["iops"].get<double>() / expected));
  const double iops = run.result["ios"]["read"]["iops"];
  EXPECT_NEAR(iops / expected, 1.0, 0.05) << "IOPS " << iops << " expected " << expected;
}
INSTANTIATE_TEST_SUITE_P(QueueDepth, ClosedLoop, ::testing::Values(1, 2, 4, 8, 16, 32, 64, 128, 256));

// A deep queue of random reads. Its start and its end, when few dies have work left, are taken out by the difference of
// two runs.
double steady_iops(const std::vector<std::string>& sets) {
  std::vector<std::string> all = {"cpu.model=native", "precondition.fill=sequential", "cpu.clock=10GHz",
                                  "host.queue_entries=4096", "nvme.tags=2048"};
  all.insert(all.end(), sets.begin(), sets.end());
  const auto seconds = [&all](unsigned requests) {
    const auto run = run_drive({"configs/ssds/ref_tlc32.toml", random_read(2000, requests), all, {}});
    const auto& read = run.result["ios"]["read"];
    return read["count"].get<double>() / read["iops"].get<double>();
  };
  return 300000 / (seconds(400000) - seconds(100000));
}

// Saturated dies: dies / (mean tR + what else keeps a die from its next read). The bus is fast, so that nothing but the
// dies contends.
TEST(Bound, DiesSaturated) {
  // Mean of 45, 65, 85 us; command and address cycles with tWB and tRR; the page register is read out (4648 B).
  const double service = 65e-6 + 0.43e-6 + 4648 / 2400e6 + 0.07e-6;
  const double iops = steady_iops({"channels.rate=2400MT/s"});
  EXPECT_LT(iops, 32 / 65e-6);
  EXPECT_NEAR(iops / (32 / service), 1.0, 0.02);
}

// Saturated channels: a slow bus makes 8 / (bus time of one read) the limit, with dies enough that one is always ready.
// The run ends when the last request has: programs of the buffer are under way.
TEST(Bound, WhatLiesBehindTheEndDoesNotCount) {
  const auto run = run_drive(
      {"configs/ssds/small.toml", "[job]\nrw=randwrite\nbs=4k\niodepth=8\nnumber_ios=240\n", {"cpu.model=native"}, {}});
  for (const auto& die : run.result["utilisation"]["dies"]) {
    EXPECT_GT(die.get<double>(), 0.1);
    EXPECT_LT(die.get<double>(), 0.95) << "a program that has begun takes longer than the rest of the run";
  }
}

TEST(Bound, ChannelsSaturated) {
  // Command and address cycles, preamble and postamble beside the data.
  const double bus_time = 4648 / 133e6 + 0.195e-6 + 0.07e-6;
  const double iops = steady_iops({"channels.rate=133MT/s", "channels.packages=8"});
  EXPECT_LT(iops, 8 / (4648 / 133e6));
  EXPECT_NEAR(iops / (8 / bus_time), 1.0, 0.02);
}

// Dies of one package are as parallel as dies of packages of their own: 64 packages of one die, 16 of four, the same 64
// dies on 8 channels. (A LUN pays for being selected when another of its package was addressed since.)
TEST(Package, SixtyFourDiesAnyWay) {
  const auto iops = [](const std::string& packages, const std::string& dies) {
    const auto run = run_drive({"configs/ssds/ref_tlc32.toml",
                                random_read(256, 40000),
                                {"cpu.model=native", "precondition.fill=sequential", "cpu.clock=10GHz",
                                 "channels.packages=" + packages, "channels.dies_per_package=" + dies},
                                {}});
    return run.result["ios"]["read"]["iops"].get<double>();
  };
  EXPECT_NEAR(iops("2", "4") / iops("8", "1"), 1.0, 0.02);
}

// Two dies a channel whose tR is below or above the time of their data: a slower tR never gives more reads, with
// hardware engines (the channel limits) or firmware alone (the cores may).
TEST(SlowerNand, NeverGivesMoreReads) {
  for (const char* engines : {"on", "off"}) {
    double last = 1e12;
    for (const char* t_sense : {"0.3us", "1.3us", "2.5us", "4us", "9us"}) {
      std::vector<std::string> sets = {"cpu.model=native", "channels.count=4", "channels.packages=2",
                                       std::string("nand.timing.t_sense=") + t_sense};
      for (const char* engine : {"l2p", "buffer", "job", "completion"}) {
        sets.push_back(std::string("engines.") + engine + "=" + engines);
      }
      const auto run = run_drive({"configs/ssds/fast_slc.toml", random_read(256, 12000), sets, {}});
      const double iops = run.result["ios"]["read"]["iops"];
      EXPECT_LE(iops, last * 1.005) << "engines " << engines << ", t_sense " << t_sense;
      last = std::min(last, iops);
    }
  }
}

}  // namespace
}  // namespace wordline::testing::throughput_test
