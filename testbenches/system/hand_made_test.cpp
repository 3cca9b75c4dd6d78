// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole runs whose numbers follow from the configuration: what result.json says against what is worked out by hand.
#include <gtest/gtest.h>

#include <numeric>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::hand_made_test {
namespace {

using Json = nlohmann::json;

/// Fast SLC: tR = 0.8 + 1.3 + 0.9 us, 8 channels of 4 dies, 4 planes of 4 KiB pages; every key that a number below
/// hangs on is set here.
const std::vector<std::string> kKeys{
    "cpu.model=native",          "channels.t_wb=100ns",         "link.bandwidth=8GB/s",
    "link.max_payload=128B",     "link.tlp_overhead=28B",       "dram.bandwidth=12.8GB/s",
    "ecc.clock=500MHz",          "nand.energy.vcc=3.3V",        "host.turnaround=1us",
    "nand.energy.icc_read=25mA", "nand.energy.icc_standby=10uA"};
constexpr double kRead = 3'000'000;  // tR, ps
constexpr double kWb = 100'000;      // tWB
constexpr double kReads = 100;
constexpr double kDies = 32;

double sum(const Json& list) {
  double all = 0;
  for (const Json& element : list) all += element.get<double>();
  return all;
}

TEST(HandMade, ReadsOneByOne) {
  const auto run = run_drive(
      {"configs/ssds/fast_slc.toml", "[a]\nrw=randread\nbs=4k\niodepth=1\nnorandommap\nnumber_ios=100\n", kKeys, {}});
  const Json& r = run.result;
  EXPECT_EQ(r["status"], "completed");
  EXPECT_EQ(r["wordline"]["seed"], 1);
  EXPECT_NE(r["wordline"]["workload"].get<std::string>().find("[a] randread, bs 4k"), std::string::npos);

  // Time: requests one after the other, a turnaround between.
  const Json& read = r["ios"]["read"];
  const double length = r["window"]["length_ps"].get<double>();
  EXPECT_EQ(r["window"]["end_ps"].get<double>() - r["window"]["begin_ps"].get<double>(), length);
  EXPECT_EQ(length, read["lat_ps"]["sum"].get<double>() + (kReads - 1) * 1e6);
  EXPECT_GE(r["simulated_ps"], r["window"]["end_ps"]);
  EXPECT_EQ(read["count"], kReads);
  EXPECT_EQ(read["bytes"], kReads * 4096);
  EXPECT_NEAR(read["iops"].get<double>(), kReads / (length * 1e-12), 1e-3);
  EXPECT_EQ(r["jobs"][0]["requests"], kReads);
  EXPECT_EQ(r["slowest"][0]["latency_ps"], read["lat_ps"]["max"]);
  EXPECT_GE(r["slowest"][0]["die"], 0);

  // Flash: a sense and two codewords each.
  EXPECT_EQ(r["flash"]["reads"], kReads);
  for (const char* none : {"programs", "erases", "sectors_programmed", "retries", "soft_reads", "uncorrectable",
                           "failures", "host_bytes_written"}) {
    EXPECT_EQ(r["flash"][none], 0) << none;
  }
  EXPECT_TRUE(r["flash"]["waf"].is_null());
  EXPECT_EQ(r["ecc"]["tier1"].get<double>() + r["ecc"]["tier2"].get<double>(), 2 * kReads);
  EXPECT_EQ(r["ecc"]["failed"], 0);
  EXPECT_EQ(r["ecc"]["miscorrected"], 0);
  EXPECT_EQ(r["check"]["reads_checked"], kReads);
  EXPECT_EQ(r["check"]["mismatches"], 0);

  // Sums by stage: array time is exactly tR and tWB of each read; no read waits for a die, a decoder, a buffer or a
  // bus, but for tRR before the data.
  const Json& stages = r["stages"]["read"]["total_ps"];
  EXPECT_EQ(stages["array"], kReads * (kRead + kWb));
  for (const char* none : {"queue_flash", "queue_ecc", "queue_buffer", "retry"}) EXPECT_EQ(stages[none], 0) << none;
  double all = 0;
  for (const Json& stage : stages) all += stage.get<double>();
  EXPECT_EQ(all, read["lat_ps"]["sum"].get<double>());
  for (const Json& share : r["buffer"]) EXPECT_EQ(share, 0);
  EXPECT_EQ(r["bottleneck"]["resource"], "queue_depth");

  // Busy times: shares of the measurement, six decimals each.
  const Json& use = r["utilisation"];
  const double bus = stages["bus_command"].get<double>() + stages["bus_data"].get<double>();
  EXPECT_NEAR(sum(use["channels"]) * length, bus, 8e-6 * length);
  EXPECT_NEAR(sum(use["dies"]) * length, bus + kReads * kRead, kReads * kWb + 32e-6 * length);
  EXPECT_NEAR(sum(use["decoders"]) * length, kReads * 2 * 292 * 2000, 8e-6 * length);  // 292 clocks to load a codeword
  EXPECT_EQ(sum(use["retry"]), 0);
  EXPECT_NEAR(use["dram"].get<double>() * length, kReads * 2 * 320'000, 1e-6 * length);  // 4 KiB in and out
  // Upstream: a fetch (28 B), 32 TLPs of data, completion entry and MSI-X.
  const double upstream = 28 + 32 * (128 + 28) + (16 + 28) + (4 + 28);
  EXPECT_NEAR(use["link"].get<double>() * length, kReads * upstream * 125, 1e-6 * length + 125 * upstream);
  // Firmware: the time of a command's own work is less than that of the cores, which also wake and look around.
  const double worked = stages["firmware"].get<double>() + stages["firmware_done"].get<double>();
  const double busy = sum(use["cores"]) * length;
  EXPECT_GT(worked, 0.2 * busy);
  EXPECT_LT(worked, busy);

  // Energy: V * I * t.
  const Json& energy = r["energy_pj"];
  EXPECT_NEAR(energy["nand_array"].get<double>(), kReads * 3.3 * 0.025 * kRead, 1);
  EXPECT_NEAR(energy["nand_array_by_operation"]["read"].get<double>(), kReads * 3.3 * 0.025 * kRead, 1);
  EXPECT_NEAR(energy["nand_standby"].get<double>(), kDies * 3.3 * 10e-6 * r["simulated_ps"].get<double>(), 1);
  EXPECT_EQ(energy["total"].get<double>(), energy["nand_array"].get<double>() + energy["nand_standby"].get<double>() +
                                               energy["nand_bus"].get<double>());
}

/// A unit is 4 planes x 4 KiB. The reads go on until all units are on flash.
TEST(HandMade, WritesOfWholeUnits) {
  const auto run = run_drive({"configs/ssds/fast_slc.toml",
                              "[w]\nrw=write\nbs=16k\niodepth=4\nsize=64m\nnumber_ios=64\n"
                              "[r]\nrw=randread\nbs=4k\noffset=512m\nsize=64m\nnumber_ios=300\n",
                              kKeys,
                              {}});
  const Json& flash = run.result["flash"];
  EXPECT_EQ(flash["programs"], 64);
  EXPECT_EQ(flash["sectors_programmed"], 256);
  EXPECT_EQ(flash["host_bytes_written"], 64 * 16384);
  EXPECT_EQ(flash["waf"], 1.0);
  EXPECT_EQ(flash["reads"], 300);
  // Two jobs that do not end together: each has its own rate, the operations share the measurement.
  const Json& jobs = run.result["jobs"];
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0]["name"], "w");
  EXPECT_EQ(jobs[0]["requests"], 64);
  EXPECT_LT(jobs[0]["end_ps"], jobs[1]["end_ps"]);
  EXPECT_GT(jobs[0]["iops"].get<double>(), 1.5 * run.result["ios"]["write"]["iops"].get<double>());
  EXPECT_NEAR(jobs[1]["iops"].get<double>(), run.result["ios"]["read"]["iops"].get<double>(),
              0.01 * jobs[1]["iops"].get<double>());
}

/// Ramp time is run and not measured: what completes in it, as fio counts. fio's option and the key say the same here.
TEST(HandMade, RampTime) {
  const std::string job = "[a]\nrw=randread\nbs=4k\niodepth=4\nnumber_ios=2000\n";
  const auto whole = run_drive({"configs/ssds/fast_slc.toml", job, kKeys, {}});
  auto keys = kKeys;
  keys.emplace_back("run.ramp_time=1ms");
  const auto by_key = run_drive({"configs/ssds/fast_slc.toml", job, keys, {}});
  const auto by_job = run_drive({"configs/ssds/fast_slc.toml", job + "ramp_time=1ms\n", kKeys, {}});
  EXPECT_EQ(by_key.result["window"]["end_ps"], by_job.result["window"]["end_ps"]);
  EXPECT_EQ(by_job.result["simulated_ps"], whole.result["simulated_ps"]);
  const auto in_ramp = [](const auto& run) { return run.result["window"]["ramp_requests"].template get<int>(); };
  EXPECT_GT(in_ramp(by_job), 0);
  EXPECT_EQ(in_ramp(by_job), in_ramp(by_key));
  EXPECT_EQ(by_key.result["simulated_ps"], whole.result["simulated_ps"]) << "the same run";
  const Json& window = by_key.result["window"];
  EXPECT_EQ(window["begin_ps"].get<double>(), whole.result["window"]["begin_ps"].get<double>() + 1e9);
  EXPECT_EQ(window["end_ps"], whole.result["window"]["end_ps"]);
  EXPECT_EQ(window["ramp_requests"].get<std::uint64_t>() + by_key.result["ios"]["read"]["count"].get<std::uint64_t>(),
            2000U);
  // All of it is ramp: nothing was measured, and the run says so.
  auto too_long = kKeys;
  too_long.emplace_back("run.ramp_time=1s");
  const auto nothing = run_drive({"configs/ssds/fast_slc.toml", job, too_long, {}});
  EXPECT_EQ(nothing.result["window"]["ramp_requests"], 2000);
  EXPECT_EQ(nothing.result["window"]["length_ps"], 0);
  EXPECT_EQ(nothing.result["bottleneck"]["sentence"], "Nothing was measured.");
  EXPECT_EQ(nothing.result["steady"]["class"], "too_short");
  EXPECT_TRUE(nothing.result["ios"]["read"]["interval"]["iops"]["value"].is_null());
}

}  // namespace
}  // namespace wordline::testing::hand_made_test
