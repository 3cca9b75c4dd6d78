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

TEST(HostQueues, TheHostWaitsUntilTheControllerIsReady) {
  const std::string job = "[j]\nrw=randread\nnorandommap\nnumber_ios=200\n";
  const auto at_once = result_of(job, {}), late = result_of(job, {"nvme.ready_time=7ms"});
  EXPECT_EQ(iops(at_once), iops(late));
  const auto simulated = [](const nlohmann::json& result) { return result["simulated_ps"].get<std::int64_t>(); };
  EXPECT_NEAR(static_cast<double>(simulated(late) - simulated(at_once)) * 1e-9, 7, 0.5)
      << "ms; the firmware starts meanwhile";

  for (const std::string never : {"nvme.never_ready=true", "nvme.ready_time=900ms"}) {
    const CommandResult run =
        wordline({"run", "configs/ssds/default.toml", "--workload", scratch_file("job.fio", job), "--set",
                  "cpu.model=native", "--set", never, "--set", "nvme.ready_timeout=500ms", "--out", scratch_folder()});
    EXPECT_NE(run.exit_code, 0) << never;
    EXPECT_NE(run.output.find("the controller is not ready (CSTS.RDY) after the 0.5 s of CAP.TO: nvme.ready_time or "
                              "nvme.never_ready"),
              std::string::npos)
        << run.output;
  }
}

// 4 KiB are one data block, in the entry; 128 KiB are a list of 31 pages, 32 data blocks of 16 bytes, or one.
TEST(HostQueues, SglsCostTheReadOfTheirSegment) {
  const auto mean = [](unsigned kib, const Sets& sets) {
    const std::string job = "[j]\nrw=randread\nnorandommap\nnumber_ios=500\nbs=" + std::to_string(kib) + "k\n";
    const auto result = result_of(job, sets);
    EXPECT_EQ(result["check"]["mismatches"], 0);
    return result["ios"]["read"]["lat_ps"]["mean"].get<double>();
  };
  const Sets sgl{"host.data_pointers=sgl"}, whole{"host.data_pointers=sgl", "host.buffers=contiguous"};
  EXPECT_EQ(mean(4, {}), mean(4, sgl));
  EXPECT_EQ(mean(4, {}), mean(4, whole));
  const double prp = mean(128, {}), scattered = mean(128, sgl), one = mean(128, whole);
  EXPECT_LT(one, prp);
  EXPECT_LT(prp, scattered);
}

// A core spends 3 us on a request in all, so it has 333,333 of them in a second at most.
TEST(HostQueues, ACoreBoundsItsRequestsAndMoreCoresHaveMore) {
  double before = 0;
  for (const unsigned cores : {1U, 2U, 4U, 16U, 63U}) {
    const auto result = result_of(reads(63, 4, 300), {"host.cores=" + std::to_string(cores), "host.submission_cost=1us",
                                                      "host.completion_cost=2us", "channels.count=16", "engines.job=on",
                                                      "engines.completion=on", "engines.l2p=on"});
    const double now = iops(result);
    // Where the drive limits, 63 cores have 1.5 % fewer to 0.4 % more than 16, as some ns more or less in the engines
    // fall.
    EXPECT_GE(now, before * 0.98) << cores;
    EXPECT_LE(now, 333'333.0 * cores * 1.001) << cores;
    if (cores == 1) {
      EXPECT_GT(now, 0.97 * 333'333);
      EXPECT_EQ(result["bottleneck"]["resource"], "host_cores");
      EXPECT_GT(result["utilisation"]["host_cores"].get<double>(), 0.97);
    }
    before = now;
  }
}

// What queues say adds up to what requests and jobs say.
TEST(HostQueues, ResultsByQueueAddUp) {
  const auto result = result_of(reads(3, 8, 500), {"host.cores=3", "host.completion_queues=2",
                                                   "host.interrupt_cost=1us", "host.completion_cost=200ns"});
  const auto& queues = result["queues"];
  ASSERT_EQ(queues.size(), 3U);
  double iops_of_all = 0, depth = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(queues[i]["commands"], 500);
    EXPECT_EQ(queues[i]["fetched"], 500);
    EXPECT_EQ(queues[i]["lat_ps"]["mean"], result["jobs"][i]["lat_ps"]["mean"]) << "requests wait for nothing before";
    EXPECT_EQ(queues[i]["lat_ps"]["p99"], result["jobs"][i]["lat_ps"]["p99"]);
    EXPECT_EQ(queues[i]["completion_queue"], i % 2 + 1);
    iops_of_all += queues[i]["iops"].get<double>();
    depth += queues[i]["depth"].get<double>();
  }
  EXPECT_NEAR(iops_of_all, iops(result), 1e-3);
  EXPECT_NEAR(depth, iops(result) * result["ios"]["read"]["lat_ps"]["mean"].get<double>() * 1e-12, 1e-3);
  EXPECT_EQ(queues[0]["interrupts"], queues[2]["interrupts"]) << "they share a completion queue";
  EXPECT_EQ(queues[0]["interrupts"], 1000) << "one for each entry, whoever had time for it";
  EXPECT_EQ(queues[1]["interrupts"], 500);
  const auto polled = result_of(reads(2, 8, 500), {"host.cores=2", "host.completion=polling"});
  EXPECT_EQ(polled["queues"][0]["interrupts"], 0);
  EXPECT_FALSE(result_of(reads(2, 8, 100), {}).contains("queues"));
  // What came before the end of the ramp time counts nothing.
  const std::string ramp =
      "[global]\nrw=randread\nbs=4k\nnorandommap\niodepth=4\ntime_based\nruntime=4ms\nramp_time=4ms\n"
      "[a]\n[b]\n";
  const auto measured = result_of(ramp, {"host.cores=2"});
  const auto& of = measured["queues"];
  EXPECT_EQ(of[0]["commands"].get<std::uint64_t>() + of[1]["commands"].get<std::uint64_t>(),
            measured["ios"]["read"]["count"].get<std::uint64_t>());
  EXPECT_NEAR(of[0]["interrupts"].get<double>() + of[1]["interrupts"].get<double>(),
              measured["ios"]["read"]["count"].get<double>(), 8);
  EXPECT_GT(measured["window"]["ramp_requests"], 100);
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

// The round trip of a polling host ends at a look: with a period of 50 us it is a multiple of that.
TEST(HostQueues, PollingRoundsTheRoundTripUpToThePeriod) {
  const auto often = result_of(reads(1, 1, 300), {"host.completion=polling", "host.polling_period=1ns"});
  const auto interrupts = result_of(reads(1, 1, 300), {});
  const auto mean = [](const nlohmann::json& result) { return result["ios"]["read"]["lat_ps"]["mean"].get<double>(); };
  // The message is 4 bytes in a packet of its own behind the entry; up to a period is lost to the looks.
  const double message = (4 + 24) / 7.876923e9 * 1e12;
  EXPECT_LT(mean(interrupts) - mean(often), message + 1);
  EXPECT_GT(mean(interrupts) - mean(often), message - 1000);
  const auto seldom = result_of(reads(1, 1, 300), {"host.completion=polling", "host.polling_period=50us"});
  const auto& lat = seldom["ios"]["read"]["lat_ps"];
  for (const char* key : {"p50", "p90", "max"}) {                // the first request begins between two looks
    const auto trip = lat[key].get<std::int64_t>() + 1'000'000;  // host.turnaround
    EXPECT_EQ(trip % 50'000'000, 0) << key;
  }
  EXPECT_GT(lat["max"], lat["min"]);
}

// 1 us for a submission, 2 us for an entry, 4 us for an interrupt: interrupts cost what polling does not, at depth 1
// a whole one, under load less, since one stands for many entries.
TEST(HostQueues, PollingSparesInterruptsAndItsLimitIsThatOfTheWork) {
  const Sets costs{"host.submission_cost=1us", "host.completion_cost=2us", "channels.count=16",
                   "engines.job=on",           "engines.completion=on",    "engines.l2p=on"};
  const auto with = [&](unsigned jobs, unsigned depth, Sets more) {
    more.insert(more.end(), costs.begin(), costs.end());
    return result_of(reads(jobs, depth, depth == 1 ? 3000 : 2000), more);
  };
  const auto polled = with(8, 32, {"host.completion=polling"});
  EXPECT_NEAR(iops(polled) / 333'333.0, 1, 0.01);
  EXPECT_EQ(polled["bottleneck"]["resource"], "host_cores");
  EXPECT_GT(polled["utilisation"]["host_cores"].get<double>(), 0.99);
  const auto one = with(1, 1, {"host.completion=polling", "host.polling_period=10ns"});
  const auto interrupted = with(1, 1, {"host.interrupt_cost=4us"});
  const double spared = (interrupted["ios"]["read"]["lat_ps"]["mean"].get<double>() -
                         one["ios"]["read"]["lat_ps"]["mean"].get<double>()) *
                        1e-6;
  EXPECT_NEAR(spared, 4, 0.01);
  // Looks that find nothing are no work: 3 us of each round trip.
  const double trip = one["ios"]["read"]["lat_ps"]["mean"].get<double>() * 1e-6 + 1;
  EXPECT_NEAR(one["utilisation"]["host_cores"].get<double>(), 3 / trip, 0.01);
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
  refused({"host.cores=4", "host.completion_queues=5"}, "expected host.completion_queues <= 4");
  refused({"host.completion=polling", "host.interrupt_cost=1us"}, "expected host.completion = interrupt");
  refused({"host.completion=polling", "host.coalescing_entries=4", "host.coalescing_time=100us"},
          "expected host.completion = interrupt");
  refused({"host.polling_period=1us"}, "host.completion = polling");
  refused({"host.weights=[1, 2, 3]"}, "host.arbitration = weighted");
  refused({"host.model=direct", "host.cores=2"}, "host.model = nvme");
}

/// The host's write of an entry takes the link's time that its fetch took; a request and two latencies are saved.
TEST(HostQueues, AnEntryInTheControllerSavesItsFetch) {
  for (const char* cpu : {"native", "iss"}) {
    const auto mean = [&](const Sets& more) {
      Sets sets{std::string("cpu.model=") + cpu, "nvme.cmb=64KiB", "nvme.cmb_latency=60ns"};
      sets.insert(sets.end(), more.begin(), more.end());
      const auto result = result_of("[j]\nrw=randread\nbs=4k\nnumber_ios=200\n", sets);
      EXPECT_EQ(result["check"]["mismatches"], 0);
      return result["ios"]["read"]["lat_ps"]["mean"].get<double>();
    };
    const double request = 28e12 / 7.876923e9;  // ps: 28 bytes
    EXPECT_NEAR(mean({}) - mean({"host.submission_queues=controller"}), 2 * 250'000 + request - 60'000, 5) << cpu;
  }
}

}  // namespace
}  // namespace wordline::testing::host_queues_test
