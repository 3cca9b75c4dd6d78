// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/report.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace wordline::results {
namespace {

using namespace wordline::literals;

Report sample() {
  Collector collector(3);
  for (std::int64_t i = 0; i < 100; ++i) {
    const Picoseconds stages[] = {1_us, 40_us + Picoseconds(i * 1000), 9_us};
    const Picoseconds begin = Picoseconds(i) * 10'000'000;
    collector.record(Op::kRead, 4096, begin, begin + stages[0] + stages[1] + stages[2], stages);
  }
  const Picoseconds write[] = {2_us, 0_ps, 11_us};
  collector.record(Op::kWrite, 131'072, 5_us, 18_us, write);
  Report report;
  report.version = "1.2.3";
  report.seed = 7;
  report.config_sha256 = "abc";
  report.workload = "fio job t.fio: [a] randread, bs 4k, iodepth 16";
  report.simulated = 2_ms;
  add_requests(collector, {{"submit", false}, {"queue_flash", true}, {"array", false}}, report);
  report.flash.host_bytes_written = 131'072;
  report.flash.programs = 3;
  report.flash.reads = 101;
  report.flash.erases = 1;
  report.flash.sectors_programmed = 72;
  report.flash.waf = 72.0 / 32;
  report.flash.retries = 5;
  report.flash.failures = 2;
  report.utilisation.link = 0.12345678;
  report.utilisation.cores = {0.5, 0.25};
  report.utilisation.dram = 0.1;
  report.utilisation.channels = {0.3, 0.2};
  report.utilisation.dies = {0.9, 0.91, 0.92, 0.93};
  report.queue_depth = 16;
  report.energy = {{"nand_array", Picojoules(1'234'567.8)}, {"link", Picojoules(1000.4)}};
  report.array_energy = {{"read", Picojoules(1'000'000)}, {"program", Picojoules(234'000.4)}, {"erase", Picojoules(567.4)}};
  report.reads_checked = 100;
  return report;
}

TEST(ReportTest, JsonIsTheGoldenFile) {
  std::ifstream file(GOLDEN_RESULT, std::ios::binary);
  ASSERT_TRUE(file) << GOLDEN_RESULT;
  const std::string golden{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // A released key keeps its meaning: change the file only by adding to it.
  EXPECT_EQ(to_json(sample()), golden);
  EXPECT_EQ(to_json(sample()), to_json(sample()));
}

TEST(ReportTest, JsonHasTheReleasedKeys) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  for (const char* key : {"version", "seed", "config_sha256", "workload"}) EXPECT_TRUE(json["wordline"].contains(key)) << key;
  EXPECT_EQ(json["simulated_ps"], 2'000'000'000);
  for (const char* op : {"read", "write", "trim", "flush"}) {
    for (const char* key : {"count", "bytes", "iops", "bytes_per_s"}) EXPECT_TRUE(json["ios"][op].contains(key)) << op << key;
    for (const char* key : {"min", "mean", "stddev", "max", "p50", "p95", "p99", "p99_9", "p99_99", "sum"}) {
      EXPECT_TRUE(json["ios"][op]["lat_ps"].contains(key)) << op << key;
    }
    EXPECT_TRUE(json["stages"][op].contains("mean"));
    EXPECT_EQ(json["stages"][op]["total_ps"].size(), 3U);
  }
  for (const char* key : {"host_bytes_written", "programs", "reads", "erases", "sectors_programmed", "waf", "retries",
                          "soft_reads", "uncorrectable"}) {
    EXPECT_TRUE(json["flash"].contains(key)) << key;
  }
  for (const char* key : {"link", "cores", "dram", "channels", "dies"}) EXPECT_TRUE(json["utilisation"].contains(key)) << key;
  for (const char* key : {"resource", "utilisation", "next"}) EXPECT_TRUE(json["bottleneck"].contains(key)) << key;
  EXPECT_EQ(json["check"]["reads_checked"], 100);
  EXPECT_EQ(json["check"]["mismatches"], 0);
  EXPECT_EQ(json["energy_pj"]["total"], 1'234'568 + 1000);
  EXPECT_EQ(json["utilisation"]["link"], 0.123457);
}

TEST(ReportTest, StageSumsAreTheLatencySum) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  for (const char* op : {"read", "write", "trim"}) {
    std::uint64_t sum = 0;
    for (const auto& stage : json["stages"][op]["total_ps"].items()) sum += stage.value().get<std::uint64_t>();
    EXPECT_EQ(sum, json["ios"][op]["lat_ps"]["sum"].get<std::uint64_t>()) << op;
    std::int64_t mean = 0;
    for (const auto& stage : json["stages"][op]["mean"]) {
      mean += stage["waiting_ps"].get<std::int64_t>() + stage["service_ps"].get<std::int64_t>();
    }
    EXPECT_EQ(mean, json["ios"][op]["lat_ps"]["mean"].get<std::int64_t>()) << op;
  }
}

TEST(ReportTest, NothingWrittenHasNoWriteAmplification) {
  Report report = sample();
  report.flash.waf.reset();
  EXPECT_TRUE(nlohmann::json::parse(to_json(report))["flash"]["waf"].is_null());
}

TEST(ReportTest, NamesThatAreNotUtf8DoNotLoseTheResult) {
  Report report = sample();
  report.workload = "a\xff"
                    "b";
  EXPECT_TRUE(nlohmann::json::parse(to_json(report)).is_object());
}

TEST(ReportTest, StageNamesMustMatchWhatWasRecorded) {
  Collector collector(3);
  Report report;
  EXPECT_THROW(add_requests(collector, {{"one", false}}, report), std::invalid_argument);
}

TEST(ReportTest, SummaryFitsIn120Columns) {
  Report report = sample();
  // Large numbers everywhere.
  for (OpReport& op : report.ios) {
    op.count = 999'999'999;
    op.iops = 9'999'999;
    op.bytes_per_s = 15e9;
    op.latency.max = 100'000'000_us;
  }
  report.flash.programs = report.flash.reads = report.flash.erases = 999'999'999'999;
  report.flash.retries = report.flash.soft_reads = report.flash.uncorrectable = 99'999'999'999;
  report.utilisation.cores.assign(8, 1.0);
  report.utilisation.dies.assign(1024, 1.0);
  report.mismatches = 3;
  std::istringstream lines(summary(report));
  std::string line;
  unsigned count = 0;
  while (std::getline(lines, line)) {
    ++count;
    EXPECT_LE(line.size(), 120U) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << "'" << line << "'";
  }
  EXPECT_GT(count, 20U);
}

TEST(ReportTest, SummarySaysWhatMatters) {
  Report report = sample();
  const std::string text = summary(report);
  EXPECT_NE(text.find("100 reads checked, 0 mismatches"), std::string::npos) << text;
  EXPECT_NE(text.find("write amplification 2.250"), std::string::npos) << text;
  EXPECT_NE(text.find("Limit: dies are busy 93 % of the time; next: core 0 50 %."), std::string::npos) << text;
  EXPECT_EQ(text.find("DATA CHECK FAILED"), std::string::npos);
  EXPECT_EQ(text.find("trim"), std::string::npos);  // no line for what did not happen
  report.mismatches = 1;
  report.notices = {"something"};
  EXPECT_NE(summary(report).find("DATA CHECK FAILED"), std::string::npos);
  EXPECT_NE(summary(report).find("Note: something\n"), std::string::npos);
}

TEST(BottleneckTest, BusiestResourceFrom85PercentOn) {
  Utilisation u;
  u.link = 0.85;
  u.dram = 0.2;
  u.cores = {0.3};
  const Bottleneck link = find_bottleneck(u, 32);
  EXPECT_EQ(link.resource, "link");
  EXPECT_EQ(link.next, "cores");
  EXPECT_EQ(link.sentence, "Limit: the link is busy 85 % of the time; next: the core 30 %.");
  u.link = 0.8499;
  const Bottleneck depth = find_bottleneck(u, 32);
  EXPECT_EQ(depth.resource, "queue_depth");
  EXPECT_EQ(depth.next, "link");
  EXPECT_EQ(depth.utilisation, 0.8499);
  EXPECT_NE(depth.sentence.find("queue depth (32)"), std::string::npos) << depth.sentence;
  EXPECT_EQ(find_bottleneck(u, 0).resource, "arrival_rate");
}

TEST(BottleneckTest, OneHotMemberIsEnoughAndIsNamed) {
  Utilisation u;
  u.dies = {0.1, 0.99, 0.1, 0.1};
  const Bottleneck hot = find_bottleneck(u, 8);
  EXPECT_EQ(hot.resource, "dies");
  EXPECT_NE(hot.sentence.find("die 1 is busy 99 %"), std::string::npos) << hot.sentence;
  EXPECT_NE(hot.sentence.find("mean of all dies 32 %"), std::string::npos) << hot.sentence;
}

TEST(ReportTest, CostIsSeparate) {
  Cost cost;
  cost.cpu_seconds = 2;
  cost.requests = 100'001;
  const auto json = nlohmann::json::parse(to_json(cost));
  EXPECT_EQ(json["requests_per_cpu_second"], 50'001);  // halves up
  cost.cpu_seconds = 0;
  EXPECT_EQ(nlohmann::json::parse(to_json(cost))["requests_per_cpu_second"], 0);
}

TEST(ReportTest, FileThatCannotBeWrittenIsNamed) {
  try {
    write_file("/nonexistent/result.json", "x");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/result.json"), std::string::npos);
  }
  const std::string path = ::testing::TempDir() + "wordline_results_test.json";
  write_file(path, "abc\n");
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "abc");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace wordline::results
