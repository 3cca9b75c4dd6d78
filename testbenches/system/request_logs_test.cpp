// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Logs of every request, what requests waited behind, and the run over time, against what the same run says as a whole.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <sstream>

#include "models/results/histogram.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::request_logs_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSmall = "configs/ssds/small.toml";
const std::vector<std::string> kFilled{"cpu.model=native", "precondition.fill=sequential"};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Rows of a CSV file by the names in its first line.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& text) {
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    for (std::size_t from = 0; from <= line.size();) {
      const std::size_t end = std::min(line.find(',', from), line.size());
      cells.push_back(line.substr(from, end - from));
      from = end + 1;
    }
    if (names.empty()) {
      names = cells;
      continue;
    }
    EXPECT_EQ(cells.size(), names.size()) << line;
    std::map<std::string, std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = cells.at(i);
  }
  return rows;
}

/// Lines of a log of fio as numbers.
std::vector<std::vector<std::int64_t>> numbers_of(const fs::path& path) {
  std::vector<std::vector<std::int64_t>> rows;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::vector<std::int64_t>& row = rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stoll(cell));
  }
  return rows;
}

std::string mix(unsigned requests) {
  return fmt::format("[mix]\nrw=randrw\nrwmixread=60\nbs=4k,16k\niodepth=16\nnorandommap\nnumber_ios={}\n", requests);
}

TEST(RequestLogs, HaveEveryRequestOnceWithItsStages) {
  const std::string log = scratch_folder() + "/log.csv";
  const RunResult run = run_drive({kSmall, mix(3000), kFilled, {"--requests-log", log}});
  const auto rows = rows_of(read_file(log));
  std::map<std::string, std::uint64_t> count, latency, retries;
  std::map<std::string, std::map<std::string, std::uint64_t>> stages;
  std::uint64_t waited_longest = 0;
  for (const auto& row : rows) {
    const std::string& op = row.at("op");
    ++count[op];
    latency[op] += std::stoull(row.at("latency_ps"));
    std::uint64_t sum = 0, longest = 0;
    for (const auto& [stage, value] : run.result.at("stages").at(op).at("total_ps").items()) {
      const std::uint64_t time = std::stoull(row.at(stage + "_ps"));
      stages[op][stage] += time;
      sum += time;
      if (stage.rfind("queue_", 0) == 0) longest = std::max(longest, time);
    }
    EXPECT_EQ(sum, std::stoull(row.at("latency_ps")));
    EXPECT_EQ(row.at("longest_wait").empty(), longest == 0);
    if (longest != 0) {
      EXPECT_EQ(std::stoull(row.at(row.at("longest_wait") + "_ps")), longest);
    }
    EXPECT_EQ(row.at("behind").empty(), longest == 0);
    EXPECT_EQ(row.at("die").empty(), row.at("dies").empty());
    waited_longest += static_cast<std::uint64_t>(longest != 0);
  }
  EXPECT_GT(waited_longest, 100U) << "at this depth requests wait";
  for (const char* op : {"read", "write"}) {
    EXPECT_EQ(count[op], run.result["ios"][op]["count"]) << op;
    EXPECT_EQ(latency[op], run.result["ios"][op]["lat_ps"]["sum"]) << op;
    for (const auto& [stage, total] : run.result["stages"][op]["total_ps"].items()) {
      EXPECT_EQ(stages[op][stage], total) << op << ' ' << stage;
    }
  }
  const json& slowest = run.result["slowest"][0];
  const auto same = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
    return row.at("submitted_ps") == slowest["submitted_ps"].dump() &&
           row.at("latency_ps") == slowest["latency_ps"].dump();
  });
  ASSERT_NE(same, rows.end());
  EXPECT_EQ(same->at("behind"), slowest["behind"]);
  EXPECT_EQ(same->at("behind_ps"), slowest["behind_ps"][slowest["behind"].get<std::string>()].dump());
  EXPECT_EQ(same->at("retries"), slowest["retries"].dump());
}

TEST(RequestLogs, AreTheSameEachTimeAndChangeNoResult) {
  const std::string first = scratch_folder() + "/a.csv", packed = scratch_folder() + "/b.csv.gz";
  const RunResult with = run_drive({kSmall, mix(500), kFilled, {"--requests-log", first}});
  const std::string text = read_file(first);
  const RunResult again = run_drive({kSmall, mix(500), kFilled, {"--requests-log", packed}});
  const RunResult without = run_drive({kSmall, mix(500), kFilled, {}});
  EXPECT_EQ(with.result_text, without.result_text);
  EXPECT_EQ(again.result_text, without.result_text);
  ASSERT_EQ(std::system(fmt::format("gzip -dc '{0}' > '{0}.text'", packed).c_str()), 0);
  EXPECT_EQ(read_file(packed + ".text"), text);
  EXPECT_LT(read_file(packed).size(), text.size() / 2);
}

TEST(RequestLogs, WhatCannotBeWrittenIsSaid) {
  const std::string job = scratch_file("job.fio", mix(50));
  const auto run = [&](const std::string& log) {
    return wordline({"run", kSmall, "-w", job, "--set", "cpu.model=native", "-q", "--requests-log", log});
  };
  const CommandResult nowhere = run("/nowhere/at/all.csv");
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_NE(nowhere.output.find("/nowhere/at/all.csv: cannot be written: No such file"), std::string::npos)
      << nowhere.output;
  const CommandResult full = run("/dev/full");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.output.find("/dev/full: cannot be written: No space left"), std::string::npos) << full.output;
  const CommandResult packed = run("x.csv.zst");
  EXPECT_EQ(packed.exit_code, 2);
  EXPECT_NE(packed.output.find("FILE.csv.gz"), std::string::npos) << packed.output;
  EXPECT_EQ(run("x.parquet").exit_code, 2);
  EXPECT_FALSE(fs::exists("x.parquet"));
}

TEST(RequestLogs, OfFioHaveItsNamesAndLines) {
  const RunResult run = run_drive({kSmall,
                                   "[global]\nbs=4k\nnorandommap\nwrite_lat_log=some/where/lat\nwrite_bw_log=speed\n"
                                   "log_offset=1\n"
                                   "[a]\nrw=randread\nnumber_ios=100\nwrite_iops_log\n"
                                   "[b]\nrw=write\nnumber_ios=60\nlog_offset=0\n",
                                   kFilled,
                                   {}});
  const fs::path folder = run.folder;
  const auto lat = numbers_of(folder / "lat_lat.1.log");
  ASSERT_EQ(lat.size(), 100U);
  std::int64_t sum = 0;
  for (const auto& line : lat) {
    ASSERT_EQ(line.size(), 6U) << "time, ns, direction, bytes, offset, priority";
    sum += line[1];
    EXPECT_EQ(line[2], 0);
    EXPECT_EQ(line[3], 4096);
    EXPECT_EQ(line[4] % 4096, 0);
  }
  EXPECT_NEAR(static_cast<double>(sum), run.result["ios"]["read"]["lat_ps"]["sum"].get<double>() / 1000, 50);
  EXPECT_EQ(read_file(folder / "lat_clat.1.log"), read_file(folder / "lat_lat.1.log")) << "submission takes no time";
  EXPECT_EQ(numbers_of(folder / "lat_slat.1.log").at(7).at(1), 0);
  const auto bandwidth = numbers_of(folder / "speed_bw.1.log");
  for (std::size_t i = 0; i < lat.size(); ++i)
    EXPECT_EQ(bandwidth.at(i).at(1), std::int64_t{4096} * 1'000'000 / lat[i][1]);
  EXPECT_EQ(numbers_of(folder / "a_iops.1.log").size(), 100U);
  EXPECT_FALSE(fs::exists(folder / "b_iops.2.log")) << "job b asks for none";
  const auto writes = numbers_of(folder / "lat_lat.2.log");
  ASSERT_EQ(writes.size(), 60U);
  EXPECT_EQ(writes[0].size(), 5U) << "without the offset";
  EXPECT_EQ(writes[0][2], 1);
}

/// 20,000 requests a second for 40 ms, by windows of 10 ms.
TEST(RequestLogs, OfFioByWindow) {
  const RunResult run = run_drive({kSmall,
                                   "[a]\nrw=randread\nbs=4k\nnorandommap\niodepth=4\nrate_iops=20k\nnumber_ios=800\n"
                                   "write_lat_log=x\nwrite_bw_log=x\nwrite_iops_log=x\nlog_avg_msec=10\n"
                                   "per_job_logs=0\n",
                                   kFilled,
                                   {}});
  const fs::path folder = run.folder;
  const auto iops = numbers_of(folder / "x_iops.log");
  const auto bandwidth = numbers_of(folder / "x_bw.log");
  ASSERT_GE(iops.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(iops[i][0], 10 * static_cast<std::int64_t>(i + 1)) << "its end";
    EXPECT_NEAR(static_cast<double>(iops[i][1]), 20'000, 600);
    EXPECT_NEAR(static_cast<double>(bandwidth[i][1]), static_cast<double>(iops[i][1]) * 4, 1) << "KiB/s";
    EXPECT_EQ(iops[i][3], 0) << "no block size";
  }
  const auto lat = numbers_of(folder / "x_lat.log");
  ASSERT_GE(lat.size(), 4U);
  const double mean = run.result["ios"]["read"]["lat_ps"]["mean"].get<double>() / 1000;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(static_cast<double>(lat[i][1]), mean, mean * 0.1);
}

/// As fio 3.33: a window as short as fio's clock has a line, too, and none ends early.
TEST(RequestLogs, OfFioByTheShortestWindow) {
  for (const std::int64_t window : {1, 2}) {
    const RunResult run = run_drive({kSmall,
                                     fmt::format("[a]\nrw=randread\nbs=4k\nnorandommap\niodepth=4\nrate_iops=20k\n"
                                                 "number_ios=800\nwrite_lat_log=x\nlog_avg_msec={}\n",
                                                 window),
                                     kFilled,
                                     {}});
    const auto lat = numbers_of(fs::path(run.folder) / "x_lat.1.log");
    EXPECT_GE(static_cast<std::int64_t>(lat.size()), 38 / window);
    EXPECT_LE(static_cast<std::int64_t>(lat.size()), 42 / window);
    for (std::size_t i = 1; i + 1 < lat.size(); ++i) {  // what the end finds open is a line, too
      EXPECT_GE(lat[i][0] / window, lat[i - 1][0] / window + 1) << i;
    }
  }
}

/// 20,000 requests a second for 40 ms, by windows of 10 ms: fio's 1,856 bins, or 116.
TEST(RequestLogs, OfFioAsHistograms) {
  const RunResult run = run_drive({kSmall,
                                   "[global]\nbs=4k\nnorandommap\niodepth=4\nrate_iops=20k\nnumber_ios=800\n"
                                   "rw=randread\nwrite_hist_log=x\nlog_hist_msec=10\nwrite_lat_log=x\n"
                                   "[a]\n[b]\nstonewall\nlog_hist_coarseness=4\n[c]\nstonewall\nlog_hist_msec=0\n",
                                   kFilled,
                                   {}});
  const fs::path folder = run.folder;
  for (const auto& [job, together] : {std::pair{1U, 1U}, std::pair{2U, 16U}}) {
    const auto lines = numbers_of(folder / fmt::format("x_clat_hist.{}.log", job));
    const auto latencies = numbers_of(folder / fmt::format("x_clat.{}.log", job));
    ASSERT_EQ(lines.size(), 3U) << "what comes after the third whole window is in none";
    // From the latencies of the other log, by fio's rule.
    std::vector<std::int64_t> bins(1856 / together);
    std::size_t window = 0;
    std::int64_t begin = latencies[0][0];
    for (const auto& line : latencies) {
      if (window == lines.size()) break;
      ++bins[results::Histogram::bucket_of_ns(static_cast<std::uint64_t>(line[1])) / together];
      if (line[0] - begin < 10) continue;
      std::vector<std::int64_t> expected{line[0], 0, 4096};
      expected.insert(expected.end(), bins.begin(), bins.end());
      EXPECT_EQ(lines[window], expected) << job << ' ' << window;
      std::fill(bins.begin(), bins.end(), 0);
      begin += 10;
      ++window;
    }
    EXPECT_EQ(window, 3U);
  }
  EXPECT_EQ(fs::file_size(folder / "x_clat_hist.3.log"), 0U) << "without log_hist_msec, as fio";
}

TEST(RequestLogs, OfFioNeedAFolder) {
  const std::string job = scratch_file("job.fio", "[a]\nrw=randread\nnumber_ios=10\nwrite_lat_log=x\n");
  const CommandResult run = wordline({"run", kSmall, "-w", job, "--set", "cpu.model=native"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.output.find("they go to the folder of --out"), std::string::npos) << run.output;
}

std::uint64_t sum_of(const json& list) {
  std::uint64_t sum = 0;
  for (const json& value : list) sum += value.get<std::uint64_t>();
  return sum;
}

TEST(RequestLogs, WindowsSumToTheRun) {
  const RunResult run = run_drive({kSmall, mix(60'000), {"cpu.model=native", "precondition.fill=random"}, {}});
  const json& drive = run.result["over_time"];
  const std::size_t windows = drive["end_ps"].size();
  EXPECT_GE(windows, 30U);
  EXPECT_LE(windows, 65U);
  EXPECT_EQ(drive["end_ps"].back(), run.result["window"]["length_ps"]);
  EXPECT_GT(sum_of(drive["erases"]), 0U) << "a full drive collects";
  EXPECT_EQ(sum_of(drive["erases"]), run.result["flash"]["erases"]);
  EXPECT_EQ(sum_of(drive["bytes_written"]), run.result["flash"]["host_bytes_written"]);
  EXPECT_EQ(sum_of(drive["gc_superblocks"]), run.result["gc"]["superblocks"]);
  const double waf =
      static_cast<double>(sum_of(drive["bytes_programmed"])) / static_cast<double>(sum_of(drive["bytes_written"]));
  EXPECT_NEAR(waf, run.result["flash"]["waf"].get<double>(), 1e-5);
  double busy = 0, from = 0;
  for (std::size_t i = 0; i < windows; ++i) {
    const double to = drive["end_ps"][i].get<double>();
    busy += drive["busy"]["dies"][i].get<double>() * (to - from);
    from = to;
  }
  const json& dies = run.result["utilisation"]["dies"];
  double mean = 0;
  for (const json& die : dies) mean += die.get<double>() / static_cast<double>(dies.size());
  EXPECT_NEAR(busy / from, mean, 1e-4);
  // Little's law: requests in flight over time are their latencies.
  const json& series = run.result["series"];
  const double width = series["width_ps"].get<double>(), length = run.result["window"]["length_ps"].get<double>();
  double in_flight = 0;
  for (std::size_t i = 0; i < series["in_flight"].size(); ++i) {
    in_flight += series["in_flight"][i].get<double>() *
                 (std::min(width * static_cast<double>(i + 1), length) - width * static_cast<double>(i));
  }
  const double latencies = run.result["ios"]["read"]["lat_ps"]["sum"].get<double>() +
                           run.result["ios"]["write"]["lat_ps"]["sum"].get<double>();
  EXPECT_NEAR(in_flight / latencies, 1, 1e-6);
}

struct Cause {
  const char* name;
  const char* workload;
  std::vector<std::string> sets;
  const char* op;
  const char* cause;  // the greatest of the operation
};

void PrintTo(const Cause& cause, std::ostream* out) { *out << cause.name; }

class WaitCauses : public ::testing::TestWithParam<Cause> {};

/// A drive that is short of one thing: what requests waited behind is that, and sums to their waiting stages.
TEST_P(WaitCauses, AreWhatTheDriveIsShortOf) {
  std::vector<std::string> sets{"cpu.model=native"};
  sets.insert(sets.end(), GetParam().sets.begin(), GetParam().sets.end());
  const RunResult run = run_drive({kSmall, GetParam().workload, sets, {}});
  const std::string op = GetParam().op;
  const json& causes = run.result["waits"][op]["total_ps"];
  std::uint64_t waiting = 0;
  for (const auto& [stage, total] : run.result["stages"][op]["total_ps"].items()) {
    if (stage.rfind("queue_", 0) == 0) waiting += total.get<std::uint64_t>();
  }
  EXPECT_EQ(sum_of(causes), waiting);
  std::string greatest;
  for (const auto& [cause, total] : causes.items()) {
    if (greatest.empty() || total > causes[greatest]) greatest = cause;
  }
  EXPECT_EQ(greatest, GetParam().cause) << causes.dump(1);
}

INSTANTIATE_TEST_SUITE_P(
    RequestLogs, WaitCauses,
    ::testing::Values(Cause{"Reads",
                            "[a]\nrw=randread\nbs=4k\nnorandommap\niodepth=64\nnumber_ios=3000\n",
                            {"precondition.fill=sequential", "channels.count=1", "channels.packages=1"},
                            "read",
                            "reads"},
                      Cause{"Program",
                            "[r]\nrw=randread\nbs=4k\nnorandommap\nrate_iops=2k\nnumber_ios=300\n"
                            "[w]\nrw=write\nbs=64k\niodepth=8\noffset=50%\nsize=40%\nnumber_ios=3000\n",
                            {"precondition.fill=sequential", "ftl.gc_start_superblocks=2"},
                            "read",
                            "program"},
                      Cause{"WriteBuffer",
                            "[a]\nrw=write\nbs=64k\niodepth=32\nnumber_ios=800\n",
                            {"ftl.write_buffer=1MiB"},
                            "write",
                            "write_buffer"},
                      Cause{"Order",
                            "[a]\nrw=randwrite\nbs=512\nnorandommap\niodepth=3\nsize=4k\nio_size=512k\n",
                            {"precondition.fill=sequential", "cpu.cores=3", "cpu.model=iss"},
                            "write",
                            "order"},
                      Cause{"Core",
                            "[a]\nrw=randread\nbs=4k\nnorandommap\niodepth=64\nnumber_ios=3000\n",
                            {"precondition.fill=sequential", "cpu.clock=20MHz"},
                            "read",
                            "core"},
                      Cause{"Channel",
                            "[a]\nrw=randread\nbs=4k\nnorandommap\niodepth=6\nnumber_ios=2000\n",
                            {"precondition.fill=sequential", "channels.count=1", "channels.packages=8",
                             "channels.rate=100MT/s"},
                            "read",
                            "channel"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wordline::testing::request_logs_test
