// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Cores of the host, queue pairs, arbitration and coalescing on whole drives.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::host_queues_test {
namespace {

using Sets = std::vector<std::string>;

/// `jobs` jobs of random reads at `depth` each.
std::string reads(unsigned jobs, unsigned depth, unsigned requests) {
  std::string text = "[global]\nrw=randread\nbs=4k\nnorandommap\niodepth=" + std::to_string(depth) +
                     "\nnumber_ios=" + std::to_string(requests) + "\n";
  for (unsigned job = 0; job < jobs; ++job) text += "[j" + std::to_string(job) + "]\n";
  return text;
}

nlohmann::json result_of(const std::string& workload, Sets sets) {
  sets.insert(sets.end(), {"cpu.model=native", "precondition.fill=sequential"});
  return run_drive({"configs/ssds/default.toml", workload, sets, {}}).result;
}

double iops(const nlohmann::json& result) { return result["ios"]["read"]["iops"]; }

// Six tags for three queues that always wait: what is fetched next decides who is served. What is in flight at the end
// of the time, 16 requests of each, is served without competition: 0.8 % of the smallest share.
TEST(HostQueues, SharesAtSaturationAreTheWeights) {
  struct Setting {
    unsigned low, medium, high;
  };
  for (const Setting& s : {Setting{1, 2, 4}, Setting{1, 1, 1}, Setting{3, 5, 8}}) {
    const std::string job =
        "[global]\nrw=randread\nbs=4k\nnorandommap\niodepth=16\nruntime=200ms\ntime_based\n[low]\n[medium]\n[high]\n";
    const auto result = result_of(job, {"host.cores=3", "nvme.tags=6", "host.arbitration=weighted",
                                        "host.arbitration_burst=0", "host.priorities=[low, medium, high]",
                                        "host.weights=[" + std::to_string(s.low) + ", " + std::to_string(s.medium) +
                                            ", " + std::to_string(s.high) + "]"});
    const auto& jobs = result["jobs"];
    ASSERT_EQ(jobs.size(), 3U);
    const auto count = [&](std::size_t job_index) { return jobs[job_index]["requests"].get<double>(); };
    const double all = count(0) + count(1) + count(2), sum = s.low + s.medium + s.high;
    EXPECT_NEAR(count(0) / all * sum / s.low, 1, 0.02);
    EXPECT_NEAR(count(1) / all * sum / s.medium, 1, 0.02);
    EXPECT_NEAR(count(2) / all * sum / s.high, 1, 0.02);
  }
}

// A core spends 3 us on a request in all, so it has 333,333 of them in a second at most.
TEST(HostQueues, ACoreBoundsItsRequestsAndMoreCoresHaveMore) {
  double before = 0;
  for (const unsigned cores : {1U, 2U, 4U, 16U, 63U}) {
    const auto result = result_of(reads(63, 4, 300), {"host.cores=" + std::to_string(cores), "host.submission_cost=1us",
                                                      "host.completion_cost=2us", "channels.count=16", "engines.job=on",
                                                      "engines.completion=on", "engines.l2p=on"});
    const double now = iops(result);
    EXPECT_GE(now, before * 0.99) << cores << ": where the drive limits, it may be a little uneven";
    EXPECT_LE(now, 333'333.0 * cores * 1.001) << cores;
    if (cores == 1) {
      EXPECT_GT(now, 0.97 * 333'333);
      EXPECT_EQ(result["bottleneck"]["resource"], "host_cores");
      EXPECT_GT(result["utilisation"]["host_cores"].get<double>(), 0.97);
    }
    before = now;
  }
}

TEST(HostQueues, CoresThatCostNothingChangeNothingOfOneJob) {
  const auto one = result_of(reads(1, 32, 3000), {});
  const auto many = result_of(reads(1, 32, 3000), {"host.cores=8"});
  // More queues are created before the workload begins; from then on it is the same.
  EXPECT_EQ(one["ios"], many["ios"]);
}

// At depth 1 nothing comes to fill an interrupt: each request waits for the whole time, and the message passes the link
// after the entry, not with it.
TEST(HostQueues, CoalescingCostsItsTimeAtDepthOne) {
  const auto without = result_of(reads(1, 1, 200), {});
  const auto with = result_of(reads(1, 1, 200), {"host.coalescing_entries=8", "host.coalescing_time=100us"});
  const double plain = without["ios"]["read"]["lat_ps"]["mean"], held = with["ios"]["read"]["lat_ps"]["mean"];
  EXPECT_NEAR((held - plain) * 1e-6, 100.25, 0.01);
}

TEST(HostQueues, KeysThatDoNotFitAreRefused) {
  const auto refused = [](const Sets& sets, const std::string& what) {
    std::vector<std::string> arguments{"check", "configs/ssds/default.toml"};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    const CommandResult result = wordline(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.output.find(what), std::string::npos) << result.output;
  };
  refused({"host.queue_pairs=4"}, "expected host.queue_pairs <= host.cores");
  refused({"host.arbitration=weighted", "host.weights=[1, 2]"}, "expected those of low, medium and high");
  refused({"host.arbitration=weighted", "host.priorities=[high, low]"}, "one for each queue pair");
  refused({"host.coalescing_entries=4"}, "expected both, or 1 and 0");
  refused({"host.coalescing_entries=4", "host.coalescing_time=150us"}, "multiple of 100us");
  refused({"host.weights=[1, 2, 3]"}, "host.arbitration = weighted");
  refused({"host.model=direct", "host.cores=2"}, "host.model = nvme");
}

}  // namespace
}  // namespace wordline::testing::host_queues_test
