// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Levels of detail agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::levels_test {
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

/// Short versions of configs/workloads: the share of reads, block size, requests. docs/measurements/cpu.md has the long
/// ones.
struct Short {
  const char* name;
  const char* rw;
  const char* bs;
  int requests;
};
void PrintTo(const Short& job, std::ostream* out) { *out << job.name; }

class CpuLevels : public ::testing::TestWithParam<Short> {};

TEST_P(CpuLevels, NativeMeansWhatIssMeasures) {
  const Short& job = GetParam();
  const auto run = [&](const std::string& cpu) {
    return run_drive({"configs/ssds/ref_tlc32.toml",
                      std::string("[job]\nnorandommap\niodepth=32\nrw=") + job.rw + "\nrwmixread=70\nbs=" + job.bs +
                          "\nnumber_ios=" + std::to_string(job.requests) + "\n",
                      {"cpu.model=" + cpu},
                      {}})
        .result;
  };
  const auto iss = run("iss");
  const auto native = run("native");
  EXPECT_NEAR(mean_of_all(native) / mean_of_all(iss), 1.0, 0.03);
  for (const char* op : {"read", "write"}) {
    if (iss["ios"][op]["count"] == 0) continue;
    // Buffered writes beside reads are five microseconds of firmware and of waiting for it: see docs/cpu.md.
    EXPECT_NEAR(mean_latency(native, op) / mean_latency(iss, op), 1.0,
                job.name == std::string("mix7030_4k") ? 0.06 : 0.03)
        << op;
    EXPECT_NEAR(native["ios"][op]["iops"].get<double>() / iss["ios"][op]["iops"].get<double>(), 1.0, 0.05) << op;
  }
}
// A core that has work all the time costs what it does on the instruction-set model, whichever tasks it has.
class SaturatedCores : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(SaturatedCores, GiveNativelyWhatTheyGive) {
  const auto iops = [](const std::string& cpu) {
    const auto [cores, task_core] = GetParam();
    const auto run =
        run_drive({"configs/ssds/fast_slc.toml",
                   "[job]\nnorandommap\niodepth=128\nrw=randread\nbs=4k\nnumber_ios=12000\n",
                   {"cpu.model=" + cpu, std::string("cpu.cores=") + cores, std::string("cpu.task_core=") + task_core},
                   {}});
    double busiest = 0;
    for (const auto& core : run.result["utilisation"]["cores"]) busiest = std::max(busiest, core.get<double>());
    EXPECT_GT(busiest, 0.99) << cpu;
    return run.result["ios"]["read"]["iops"].get<double>();
  };
  EXPECT_NEAR(iops("native") / iops("iss"), 1.0, 0.03);
}
INSTANTIATE_TEST_SUITE_P(Placements, SaturatedCores,
                         ::testing::Values(std::pair("1", "[0, 0, 0]"), std::pair("2", "[0, 1, 0]"),
                                           std::pair("3", "[0, 1, 2]")));

// The command measures costs, and says what comes of them.
TEST(CpuLevelsCommand, CalibrationReportsItsDeviation) {
  const std::string job = scratch_file("job.fio", "[job]\nrw=randrw\nbs=4k\niodepth=8\nnumber_ios=4000\n");
  const std::string table = scratch_folder() + "/costs";
  const auto result = wordline({"calibrate", "firmware", "configs/ssds/small.toml", "--workload", job, "--set",
                                "precondition.fill=sequential", "--out", table});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  unsigned rows = 0;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, unit, percent, of_iops;
    double iss = 0, native = 0, iops_iss = 0, iops_native = 0;
    if (!(words >> name >> iss >> unit >> native >> unit >> percent >> iops_iss >> iops_native >> of_iops)) continue;
    ++rows;
    // Times have four digits: each is within 0.012 %, the percentage within 0.005.
    EXPECT_NEAR(std::stod(percent), 100 * (native / iss - 1), 0.03) << line;
    EXPECT_NEAR(std::stod(of_iops), 100 * (iops_native / iops_iss - 1), 0.02) << line;
    EXPECT_NE(iss, native) << "two runs: " << line;
    // Writes into the buffer are firmware and nothing else.
    EXPECT_LT(std::abs(std::stod(percent)), name == "all" ? 3 : 10) << line;
  }
  EXPECT_EQ(rows, 3U) << "read, write, all: " << result.output;
  const auto broken =
      wordline({"calibrate", "firmware", "configs/ssds/small.toml", "--workload", job, "--out", "/no/such/folder"});
  EXPECT_EQ(broken.exit_code, 1) << broken.output;
}

INSTANTIATE_TEST_SUITE_P(Workloads, CpuLevels,
                         ::testing::Values(Short{"randread_4k", "randread", "4k", 8000},
                                           Short{"randwrite_4k", "randwrite", "4k", 60000},
                                           Short{"mix7030_4k", "randrw", "4k", 20000},
                                           Short{"seqread_128k", "read", "128k", 800},
                                           Short{"seqwrite_128k", "write", "128k", 1500}),
                         [](const auto& info) { return std::string(info.param.name); });

// Misaligned and open loop: parts of logical pages, the way that a trace of a real machine goes.
TEST(CpuLevelsTrace, NativeMeansWhatIssMeasuresWhenMisaligned) {
  const auto run = [](const std::string& cpu) {
    return run_drive({"configs/ssds/small.toml", "testbenches/system/data/misaligned.csv", {"cpu.model=" + cpu}, {}})
        .result;
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

// Both decode the same reads with errors of the same numbers; in gates the places of the errors decide too.
TEST(EccLevels, GatesMeanWhatTheStatisticsSay) {
  const auto run = [](const std::string& ecc) {
    return run_drive({"configs/ssds/default.toml",
                      "[job]\nnorandommap\niodepth=32\nrw=randread\nbs=4k\nnumber_ios=1200\n",
                      {"ecc.model=" + ecc, "nand.aging.pe_cycles=2000", "nand.aging.retention_days=365"},
                      {}})
        .result;
  };
  const auto calibrated = run("calibrated");
  const auto rtl = run("rtl");
  EXPECT_NEAR(mean_latency(rtl, "read") / mean_latency(calibrated, "read"), 1.0, 0.02);
  const double retries = calibrated["flash"]["retries"].get<double>();
  EXPECT_GT(retries, 300);
  EXPECT_NEAR(rtl["flash"]["retries"].get<double>() / retries, 1.0, 0.02);
  EXPECT_EQ(rtl["check"]["mismatches"], 0);
}

TEST(EccLevels, ThreadsOfTheDecodersChangeNoResult) {
  const auto run = [](const char* threads) {
    return run_drive(
        {"configs/ssds/retry.toml",
         "[job]\nnorandommap\niodepth=4\nrw=randread\nbssplit=4k/50:32k/50\nnumber_ios=24\n",
         {"ecc.model=rtl", "ecc.rtl_every=3", "ecc.rtl_encoder=true", std::string("ecc.rtl_threads=") + threads},
         {}});
  };
  const RunResult one = run("1");
  EXPECT_GT(one.result["flash"]["soft_reads"], 0);
  EXPECT_GT(one.result["ecc"]["rtl"]["decoded"], 50);
  for (const char* threads : {"2", "5"}) EXPECT_EQ(run(threads).result_text, one.result_text) << threads;
}

TEST(EccLevels, RetriesAndSoftReadsOfTheTutorial) {
  const auto run = [](const std::string& ecc) {
    return run_drive({"configs/ssds/retry.toml",
                      "[job]\nnorandommap\niodepth=1\nrw=randread\nbs=4k\nnumber_ios=12\n",
                      {"ecc.model=" + ecc},
                      {}})
        .result;
  };
  const auto rtl = run("rtl");
  const auto calibrated = run("calibrated");
  for (const char* what : {"retries", "soft_reads"}) {
    EXPECT_GT(rtl["flash"][what], 0);
    EXPECT_EQ(rtl["flash"][what], calibrated["flash"][what]) << what;
  }
  EXPECT_EQ(rtl["flash"]["uncorrectable"], 0);
}

}  // namespace
}  // namespace wordline::testing::levels_test
