// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/statistics/workload_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/models/workload/statistics/naive_statistics.h"

namespace wordline::workload::workload_statistics_test {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000'000;

Request request(Op op, std::uint64_t lba, std::uint32_t nlb, std::int64_t ms = 0, std::uint16_t device = 0) {
  Request r;
  r.op = op;
  r.lba = Lba(lba);
  r.nlb = nlb;
  r.arrival = Picoseconds(ms * kMillisecond);
  r.device = device;
  return r;
}

std::map<std::string, double> statistics(const std::vector<Request>& requests,
                                         WorkloadStatistics::Options options = {}) {
  WorkloadStatistics statistics(options);
  for (const Request& r : requests) statistics.take(r);
  std::map<std::string, double> values;
  for (const Statistic& s : statistics.list()) {
    EXPECT_TRUE(values.emplace(s.name, s.value).second) << s.name << " twice";
    EXPECT_TRUE(std::isfinite(s.value)) << s.name;
    EXPECT_FALSE(s.text.empty()) << s.name;
  }
  return values;
}

/// Small enough to work everything out by hand.
std::vector<Request> six() {
  return {request(Op::kWrite, 0, 16, 0),     // pages 0, 1
          request(Op::kWrite, 16, 8, 10),    // page 2, in sequence
          request(Op::kRead, 0, 8, 10),      // page 0
          request(Op::kWrite, 4, 8, 30),     // pages 0, 1: half of each
          request(Op::kRead, 24, 8, 60),     // page 3
          request(Op::kWrite, 16, 1, 100)};  // page 2: an eighth
}

// params.stats.mode_ratio: requests of the modal length over all of them.
TEST(WorkloadStatisticsTest, CountsAndSizesByHand) {
  auto s = statistics(six());
  EXPECT_EQ(s["requests"], 6);
  EXPECT_EQ(s["reads"], 2);
  EXPECT_NEAR(s["write_share_requests"], 4.0 / 6, 1e-12);
  EXPECT_EQ(s["bytes_total"], 49 * 512);
  EXPECT_NEAR(s["write_share_bytes"], 33.0 / 49, 1e-12);
  EXPECT_NEAR(s["mean_request_size"], 49.0 / 12, 1e-12);
  EXPECT_EQ(s["mean_read_size"], 4);
  EXPECT_NEAR(s["mean_write_size"], 33.0 / 8, 1e-12);
  EXPECT_EQ(s["modal_size"], 4);
  EXPECT_NEAR(s["modal_share"], 4.0 / 6, 1e-12);
  EXPECT_NEAR(s["modal_write_share"], 2.0 / 4, 1e-12);
  EXPECT_EQ(s["size_p50"], 4);
  EXPECT_EQ(s["size_p99"], 8);
  EXPECT_NEAR(s["share_le_4KiB"], 5.0 / 6, 1e-12);
  EXPECT_NEAR(s["misaligned_start"], 1.0 / 6, 1e-12);
  EXPECT_NEAR(s["misaligned_any"], 2.0 / 6, 1e-12);
  EXPECT_NEAR(s["multi_page_share"], 2.0 / 6, 1e-12);
  EXPECT_EQ(s["modal_start_mod_4096"], 0);
  EXPECT_EQ(s.count("trims"), 0U);
}

TEST(WorkloadStatisticsTest, PagesByHand) {
  auto s = statistics(six());
  EXPECT_EQ(s["footprint_pages"], 4);
  EXPECT_EQ(s["footprint_read_pages"], 2);
  EXPECT_EQ(s["footprint_written_pages"], 3);
  EXPECT_EQ(s["page_accesses"], 8);
  EXPECT_EQ(s["overwrite_factor"], 2);
  EXPECT_EQ(s["reread_factor"], 1);
  EXPECT_EQ(s["read_only_pages_share"], 0.25);  // page 3
  EXPECT_EQ(s["write_only_pages_share"], 0.5);  // 1 and 2
  EXPECT_EQ(s["reads_to_read_only"], 0.5);
  EXPECT_NEAR(s["writes_to_write_only"], 4.0 / 6, 1e-12);
  EXPECT_NEAR(s["top_page_share"], 3.0 / 8, 1e-12);
  EXPECT_EQ(s["lru_miss_inf"], 0.5);
  EXPECT_EQ(s["density_64KiB"], 0.25);
  EXPECT_EQ(s["address_span_GiB"], 16384.0 / (1 << 30));
  EXPECT_EQ(s.count("lru_miss_10pct"), 0U);  // a tenth of four pages is no cache
}

// params.eq15.ru: of six pages written three were there before.
TEST(WorkloadStatisticsTest, UpdatesByHand) {
  auto s = statistics(six());
  EXPECT_EQ(s["p_w_4KiB"], 6);
  EXPECT_EQ(s["R_u_4KiB"], 0.5);
  EXPECT_EQ(s["R_RnM_4KiB"], 0.5);  // both pages of the fourth request, page 2 of the sixth
  EXPECT_EQ(s["partial_share_4KiB"], 0.5);
  EXPECT_EQ(s["p_w_2KiB"], 9);  // 4 + 2 + 2 (aligned to 2 KiB) + 1
  EXPECT_NEAR(s["partial_share_2KiB"], 1.0 / 9, 1e-12);
  EXPECT_EQ(s["p_w_64KiB"], 4);
  EXPECT_EQ(s["R_u_64KiB"], 0.75);
  EXPECT_EQ(s["R_RnM_64KiB"], 0.75);
  EXPECT_EQ(s["partial_share_64KiB"], 1);
}

TEST(WorkloadStatisticsTest, WhatIsReadCountsAsPresent) {
  auto s = statistics({request(Op::kRead, 0, 8), request(Op::kWrite, 0, 8), request(Op::kWrite, 8, 8)});
  EXPECT_EQ(s["R_u_4KiB"], 0);
  EXPECT_EQ(s["R_u_mapped_4KiB"], 0.5);
}

TEST(WorkloadStatisticsTest, SequencesByHand) {
  auto s = statistics(six());
  EXPECT_NEAR(s["random_share"], 1.0 / 6, 1e-12);  // the first; all others lie within 128 KiB
  EXPECT_NEAR(s["sequential_next_share"], 1.0 / 6, 1e-12);
  EXPECT_EQ(s["sequential_next_share_write"], 0.25);
  // The second continues the first write; the sixth the first one, 5 requests ago. No read follows a read.
  EXPECT_NEAR(s["sequential_32_share"], 2.0 / 6, 1e-12);
  EXPECT_EQ(s["sequential_32_share_read"], 0);
  EXPECT_EQ(s["run_requests_mean"], 6.0 / 5);
  EXPECT_EQ(s["bytes_in_runs_ge_64KiB"], 0);
  // 128 KiB away is near, a block more is far.
  EXPECT_EQ(statistics({request(Op::kRead, 0, 8), request(Op::kRead, 8 + 256, 8)})["random_share"], 0.5);
  EXPECT_EQ(statistics({request(Op::kRead, 0, 8), request(Op::kRead, 9 + 256, 8)})["random_share"], 1);
  EXPECT_EQ(statistics({request(Op::kRead, 0, 8), request(Op::kRead, 256, 8)})["random_share_startstart"], 0.5);
}

TEST(WorkloadStatisticsTest, ArrivalsByHand) {
  auto s = statistics(six());
  EXPECT_NEAR(s["duration"], 0.1, 1e-12);
  EXPECT_NEAR(s["iops_mean"], 50, 1e-9);
  EXPECT_EQ(s["interarrival_zero_share"], 0.2);
  EXPECT_EQ(s["interarrival_p50_ms"], 20);
  EXPECT_EQ(s["interarrival_p99_ms"], 40);
  // Requests in the 11 windows of 10 ms: 1 2 0 1 0 0 1 0 0 0 1.
  EXPECT_NEAR(s["idc_10ms"], (8.0 / 11 - 36.0 / 121) / (6.0 / 11), 1e-12);
  EXPECT_NEAR(s["peak_to_mean_10ms"], 2 / (6.0 / 11), 1e-12);
  EXPECT_EQ(s.count("idc_1s"), 0U);
  // Rewrites: pages 0 and 1 after 30 ms, page 2 after 90 ms.
  EXPECT_NEAR(s["rewrite_interval_mean"], 0.05, 1e-12);
  EXPECT_NEAR(s["rewrite_interval_p50"], 0.03, 1e-12);
  auto untimed = statistics(six(), {false, false});
  EXPECT_EQ(untimed.count("duration"), 0U);
  EXPECT_EQ(untimed.count("rewrite_interval_mean"), 0U);
  EXPECT_EQ(untimed["footprint_pages"], 4);
}

TEST(WorkloadStatisticsTest, DevicesHaveAddressesOfTheirOwn) {
  const std::vector<Request> requests{request(Op::kWrite, 0, 8, 0, 0), request(Op::kWrite, 8, 8, 0, 1),
                                      request(Op::kWrite, 0, 8, 0, 1)};
  auto apart = statistics(requests);
  EXPECT_EQ(apart["devices"], 2);
  EXPECT_EQ(apart["footprint_pages"], 3);
  EXPECT_NEAR(apart["random_share"], 2.0 / 3, 1e-12);
  EXPECT_EQ(apart["sequential_next_share"], 0);
  EXPECT_EQ(apart.count("address_span_GiB"), 0U);
  auto together = statistics(requests, {true, true});
  EXPECT_EQ(together["footprint_pages"], 2);
  EXPECT_NEAR(together["sequential_next_share"], 1.0 / 3, 1e-12);
}

TEST(WorkloadStatisticsTest, OtherRequestsAreCountedOnly) {
  auto requests = six();
  requests.push_back(request(Op::kTrim, 1'000'000, 8, 100));
  requests.push_back(request(Op::kFlush, 0, 0, 100));
  auto s = statistics(requests);
  EXPECT_EQ(s["trims"], 1);
  EXPECT_EQ(s["flushes"], 1);
  EXPECT_EQ(s["requests"], 6);
  EXPECT_EQ(s["footprint_pages"], 4);
  EXPECT_EQ(statistics({}).count("requests"), 0U);
}

TEST(WorkloadStatisticsTest, ZipfExponentOfAZipfWorkload) {
  // Counts of 1000 pages proportional to rank^-0.9.
  std::vector<Request> requests;
  for (std::uint64_t page = 0; page < 1000; ++page) {
    const auto times = std::lround(2000 * std::pow(page + 1, -0.9));
    for (long i = 0; i < times; ++i) requests.push_back(request(Op::kRead, page * 8, 8));
  }
  auto s = statistics(requests);
  EXPECT_NEAR(s["zipf_theta"], 0.9, 0.01);
  EXPECT_NEAR(s["zipf_theta1"], 0.9, 0.01);
  EXPECT_EQ(s["top1_share"], s["top1_share_read"]);
  EXPECT_EQ(s.count("top1_share_write"), 0U);
}

/// Random requests around a few places, so that every statistic has something to count.
std::vector<Request> random_requests(std::uint64_t seed) {
  std::vector<Request> requests;
  std::uint64_t draw = 0;
  const auto below = [&](std::uint64_t n) { return mix64(seed * 1'000'000 + ++draw) % n; };
  std::int64_t ms = 0;
  for (int i = 0; i < 1500; ++i) {
    if (below(4) != 0) ms += static_cast<std::int64_t>(below(30));
    std::uint64_t lba = below(8) * 5000 + below(600);
    if (!requests.empty() && below(4) == 0) lba = requests.back().lba.value() + requests.back().nlb;
    const auto nlb = 1 + static_cast<std::uint32_t>(below(70));
    const std::uint16_t device = below(10) == 0 ? 1 : 0;
    requests.push_back(request(below(3) == 0 ? Op::kRead : Op::kWrite, lba, nlb, ms, device));
  }
  return requests;
}

TEST(WorkloadStatisticsTest, AgreesWithASlowSecondProgram) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const std::vector<Request> requests = random_requests(seed);
    auto fast = statistics(requests);
    const auto naive = naive_statistics(requests);
    EXPECT_GE(naive.size(), 88U);
    for (const auto& [name, value] : naive) {
      ASSERT_EQ(fast.count(name), 1U) << name;
      EXPECT_NEAR(fast[name], value, 1e-9 * std::max(1.0, std::abs(value))) << name << ", seed " << seed;
    }
  }
}

/// Two jobs, of which one keeps two requests in flight.
class TwoJobs final : public Source {
 public:
  explicit TwoJobs(std::uint64_t total) : total_(total) {}
  unsigned jobs() const override { return 2; }
  unsigned depth(unsigned job) const override { return job + 1; }
  bool open_loop() const override { return false; }
  bool next(unsigned job, Picoseconds, Request& out) override {
    if (given_[job] == total_ / 2) return false;
    out = request(job == 0 ? Op::kRead : Op::kWrite, 8 * given_[job]++, 8);
    return true;
  }
  std::uint64_t total_requests() const override { return total_; }
  std::uint64_t total_bytes() const override { return 0; }
  std::string describe() const override { return "two jobs"; }

 private:
  std::uint64_t total_;
  std::uint64_t given_[2] = {0, 0};
};

TEST(WorkloadStatisticsTest, JobsTakeTurnsByTheirDepth) {
  const auto values = [](const WorkloadStatistics& statistics) {
    std::map<std::string, double> result;
    for (const Statistic& s : statistics.list()) result[s.name] = s.value;
    return result;
  };
  TwoJobs all(60), some(60), endless(0);
  EXPECT_EQ(values(statistics_of(all, 0, false))["reads"], 30);
  EXPECT_EQ(values(statistics_of(some, 30, false))["reads"], 10);
  EXPECT_THROW(static_cast<void>(statistics_of(endless, 0, false)), WorkloadError);
}

}  // namespace
}  // namespace wordline::workload::workload_statistics_test
