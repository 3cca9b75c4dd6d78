// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/report.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "models/results/bottleneck.h"
#include "models/results/request_statistics.h"
#include "testbenches/models/results/requests.h"

namespace wordline::results::report_test {
namespace {

using namespace wordline::literals;

/// A drive that owns what result.json holds, with numbers a test can change before they are read.
struct SampleDrive {
  SampleDrive() {
    for (std::int64_t i = 0; i < 100; ++i) {
      const Picoseconds stages[] = {1_us, 40_us + Picoseconds(i * 1000), 9_us};
      const Picoseconds begin = Picoseconds(i) * 10'000'000;
      record(Op::kRead, 4096, begin, begin + stages[0] + stages[1] + stages[2], stages);
    }
    const Picoseconds write[] = {2_us, 0_ps, 11_us};
    record(Op::kWrite, 131'072, 5_us, 18_us, write);
    register_run();
    request_statistics.register_statistics(registry, {{"submit", false}, {"queue_flash", true}, {"array", false}},
                                           {"a"});
    register_flash();
    register_use();
    register_bottleneck(registry, [this] {
      Evidence evidence;
      evidence.shares = shares();
      evidence.queue_depth = kQueueDepth;
      evidence.in_flight = kQueueDepth;
      evidence.stages = {{"dies", 3, ""}, {"", 1, "t_r"}};
      return evidence;
    });
    register_energy();
    registry.add("check.reads_checked", "requests", "Reads.", [] { return std::uint64_t{100}; })
        .in_summary(1, "reads checked");
    registry.add("check.mismatches", "blocks", "Wrong.", [this] { return mismatches; }).in_summary(1, "mismatches");
  }

  void register_run() {
    registry.add("wordline.version", "name", "Version.", [] { return std::string("1.2.3"); });
    registry.add("wordline.seed", "number", "Seed.", [] { return std::uint64_t{7}; });
    registry.add("wordline.config_sha256", "hash", "Hash.", [] { return std::string("abc"); });
    registry.add("wordline.workload", "name", "Workload.", [this] { return workload; });
    registry.add("simulated_ps", "ps", "Time.", [] { return 2_ms; });
  }

  void record(Op op, std::uint64_t bytes, Picoseconds submitted, Picoseconds completed, const Picoseconds* stages) {
    request_statistics.record(request(op, bytes, submitted, completed, stages));
  }

  /// A second from 0 on, in which each resource is busy for its share.
  void register_use() {
    const auto add = [this](const char* key, const char* member, std::vector<double>& busy, ResourceKind kind) {
      for (std::size_t i = 0; i < busy.size(); ++i) {
        resources.add({key, member, kind, key != std::string("link"), kind == ResourceKind::kPool ? "" : "Busy."},
                      [&busy, i, this] { return Picoseconds(std::llround(ended * busy[i] * 1e12)); });
      }
    };
    add("link", "link", use.link, ResourceKind::kServer);
    add("cores", "core", use.cores, ResourceKind::kServer);
    add("channels", "channel", use.channels, ResourceKind::kServer);
    add("dies", "die", use.dies, ResourceKind::kServer);
    add("write_buffer", "write buffer", use.write_buffer, ResourceKind::kPool);
    resources.register_statistics(registry);
  }
  [[nodiscard]] std::vector<GroupShares> shares() const {
    resources.begin(0_ps);
    ended = 1;
    resources.end(Picoseconds(1'000'000'000'000));
    ended = 0;
    return resources.shares();
  }

  void register_flash() {
    const auto add = [this](const char* path, const std::uint64_t& count, unsigned line, const char* label) {
      registry.add(path, "operations", "Count.", [&count] { return count; }).in_summary(line, label);
    };
    add("flash.programs", programs, 1, "programs");
    add("flash.reads", reads, 1, "reads");
    add("flash.erases", erases, 1, "erases");
    registry.add("flash.sectors_programmed", "logical pages", "Pages.", [] { return std::uint64_t{72}; });
    registry.add("flash.waf", "ratio", "Write amplification.", [this] { return waf; })
        .null_when("nothing written")
        .in_summary(1, "write amplification");
    add("flash.retries", retries, 2, "read retries");
    add("flash.soft_reads", soft_reads, 2, "soft reads");
    add("flash.uncorrectable", uncorrectable, 2, "uncorrectable");
    registry.add("flash.failures", "operations", "Failures.", [this] { return failures; })
        .in_summary_if_nonzero(3, "programs and erases failed");
  }

  void register_energy() {
    const auto add = [this](Name name, double pj) -> Statistic& {
      return registry.add(std::move(name), "pJ", "Energy.", [pj] { return Picojoules(pj); });
    };
    add("energy_pj.nand_array", 1'234'567.8).in_summary(1, "nand_array");
    add("energy_pj.link", 1000.4).in_summary(1, "link");
    add("energy_pj.total", 1'235'568);
    add({"energy_pj.nand_array_by_operation.OPERATION", {"read"}}, 1'000'000);
    add({"energy_pj.nand_array_by_operation.OPERATION", {"program"}}, 234'000.4);
    add({"energy_pj.nand_array_by_operation.OPERATION", {"erase"}}, 567.4);
  }

  [[nodiscard]] std::string json() const {
    (void)shares();
    return to_json(registry);
  }
  [[nodiscard]] std::string text(const std::vector<std::string>& notices = {}) const {
    return summary(registry, shares(), notices);
  }

  static constexpr std::uint64_t kQueueDepth = 16;
  RequestStatistics request_statistics{3};
  std::string workload = "fio job t.fio: [a] randread, bs 4k, iodepth 16";
  std::uint64_t programs = 3, reads = 101, erases = 1, retries = 5, soft_reads = 0, uncorrectable = 0, failures = 2;
  Value waf = 72.0 / 32;
  struct {
    std::vector<double> link{0.12345678}, cores{0.5, 0.25}, channels{0.3, 0.2}, dies{0.9, 0.91, 0.92, 0.93},
        write_buffer{0.25};
  } use;
  mutable Resources resources;
  mutable double ended = 0;
  std::uint64_t mismatches = 0;
  Registry registry;
};

TEST(ReportTest, JsonIsTheGoldenFile) {
  std::ifstream file(GOLDEN_RESULT, std::ios::binary);
  ASSERT_TRUE(file) << GOLDEN_RESULT;
  const std::string golden{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const SampleDrive drive;
  EXPECT_EQ(drive.json(), golden);
  EXPECT_EQ(drive.json(), drive.json());
}

template <class T>
std::size_t to_elements(const T&) {
  return 1;
}
template <class T>
std::size_t to_elements(const std::vector<T>& list) {
  return list.size();
}

TEST(ReportTest, JsonHoldsWhatIsRegisteredAndNothingElse) {
  const SampleDrive drive;
  const auto json = nlohmann::json::parse(drive.json());
  std::size_t leaves = 0;
  for (const Statistic* statistic : drive.registry.in_order()) {
    const std::string& path = statistic->path();
    const std::size_t rows = path.find("[].");
    std::string pointer = "/" + path.substr(0, rows) + (rows == std::string::npos ? "" : "/0/" + path.substr(rows + 3));
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    const Value value = statistic->read();
    const std::size_t elements = std::visit([](const auto& v) { return to_elements(v); }, value);
    if (statistic->absent_if_zero() && elements == 0) continue;
    EXPECT_TRUE(json.contains(nlohmann::json::json_pointer(pointer))) << path;
    leaves += rows == std::string::npos ? std::max<std::size_t>(elements, 1) : elements;  // an empty list is a leaf
  }
  EXPECT_EQ(json.flatten().size(), leaves);
}

TEST(ReportTest, ATerminalThatIsNarrowHasTheLatenciesInTwoParts) {
  const SampleDrive drive;
  const std::string wide = drive.text(), narrow = summary(drive.registry, drive.shares(), {}, {}, 80);
  EXPECT_NE(wide, narrow);
  const auto table = narrow.substr(0, narrow.find("Busy"));
  std::istringstream lines(table.substr(table.find("requests")));
  for (std::string line; std::getline(lines, line) && !line.empty();) EXPECT_LE(line.size(), 80U) << line;
  const auto words = [](const std::string& text) {
    std::istringstream in(text);
    std::multiset<std::string> all{std::istream_iterator<std::string>(in), {}};
    for (const char* op : {"read", "write", "trim", "flush"}) all.erase(op);
    return all;
  };
  EXPECT_EQ(words(wide), words(narrow)) << "all of the numbers";
}

TEST(ReportTest, StageSumsAreTheLatencySum) {
  const auto json = nlohmann::json::parse(SampleDrive().json());
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
  SampleDrive drive;
  drive.waf = {};
  EXPECT_TRUE(nlohmann::json::parse(drive.json())["flash"]["waf"].is_null());
  EXPECT_NE(drive.text().find("; write amplification - (nothing written)\n"), std::string::npos) << drive.text();
}

TEST(ReportTest, NamesThatAreNotUtf8DoNotLoseTheResult) {
  SampleDrive drive;
  drive.workload =
      "a\xff"
      "b";
  EXPECT_TRUE(nlohmann::json::parse(drive.json()).is_object());
}

TEST(ReportTest, StageNamesMustMatchWhatWasRecorded) {
  Registry registry;
  EXPECT_THROW(RequestStatistics(3).register_statistics(registry, {{"one", false}}, {}), std::invalid_argument);
}

TEST(ReportTest, SummaryFitsIn120Columns) {
  SampleDrive drive;
  // Large numbers everywhere: the first and the last of many requests are 27 hours apart.
  const Picoseconds stages[] = {0_ps, Picoseconds(100'000'000'000'000'000), 0_ps};
  for (const Op op : {Op::kRead, Op::kWrite, Op::kTrim, Op::kFlush}) {
    drive.record(op, 15'000'000'000'000'000'000U, 0_ps, stages[1], stages);
  }
  drive.programs = drive.reads = drive.erases = 999'999'999'999;
  drive.retries = drive.soft_reads = drive.uncorrectable = 99'999'999'999;
  std::fill(drive.use.cores.begin(), drive.use.cores.end(), 1.0);
  std::fill(drive.use.dies.begin(), drive.use.dies.end(), 1.0);
  drive.mismatches = 3;
  std::istringstream lines(drive.text());
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
  SampleDrive drive;
  const std::string text = drive.text();
  EXPECT_NE(text.find("100 reads checked, 0 mismatches"), std::string::npos) << text;
  EXPECT_NE(text.find("Flash  3 programs, 101 reads, 1 erases; write amplification 2.250\n"
                      "       5 read retries, 0 soft reads, 0 uncorrectable\n"
                      "       2 programs and erases failed\n"
                      "Energy 1.236 uJ (nand_array 1.235 uJ, link 1.000 nJ)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Limit: dies are busy 93 % of the time; 75 % of the latency is waiting, most of it for dies."),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("DATA CHECK FAILED"), std::string::npos);
  EXPECT_EQ(text.find("trim"), std::string::npos);  // no line for what did not happen
  drive.failures = 0;
  EXPECT_EQ(drive.text().find("failed"), std::string::npos);
  drive.mismatches = 1;
  EXPECT_NE(drive.text({"something"}).find("DATA CHECK FAILED: 100 reads checked, 1 mismatches\n"), std::string::npos);
  EXPECT_NE(drive.text({"something"}).find("Note: something\n"), std::string::npos);
}

TEST(ReportTest, SummaryShowsStatisticsOfAnySection) {
  SampleDrive drive;
  drive.registry.add({"engines.NAME.operations", {"l2p"}}, "operations", "Count.", [] { return std::uint64_t{1234}; })
      .in_summary(1, "map lookups");
  EXPECT_NE(drive.text().find("\nEngine 1,234 map lookups\n"), std::string::npos) << drive.text();
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

TEST(ReportTest, FileIsWrittenWholeOrNotAtAll) {
  const std::filesystem::path folder = ::testing::TempDir() + "wordline_whole_or_not_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "result.json").string();
  const auto content = [&path] {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  write_file(path, "before\n");
  // As on a full disk: a write fails after some bytes.
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{4096, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write_file(path, std::string(100'000, 'x')), std::runtime_error);
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(content(), "before\n");
  const auto files = std::distance(std::filesystem::directory_iterator(folder), {});
  EXPECT_EQ(files, 1) << "the part that was written is gone";
  // Through a link the file it names; a device keeps being one.
  std::filesystem::create_symlink(path, folder / "link");
  write_file((folder / "link").string(), "after\n");
  EXPECT_EQ(content(), "after\n");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  write_file("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace wordline::results::report_test
