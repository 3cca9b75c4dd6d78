// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The order of commands, their queues and their times.
#include "models/workload/fio/parse.h"
#include "models/workload/fio/source.h"
#include "testbenches/tlm/host/host_driver_bench.h"

namespace wordline::host {
namespace {

using namespace driver_bench;

TEST(HostDriverTest, BringsTheControllerUpInTheOrderOfTheSpecification) {
  Script script;
  script.list.push_back({1, {request(Op::kRead, 0, 8)}});
  Bench bench(script);
  bench.run();
  const std::vector<std::string> expected{"enable",        "identify 1",  "identify 0",
                                          "set feature 7", "create CQ 1", "create SQ 1"};
  EXPECT_EQ(bench.controller.admin_log, expected);
  EXPECT_TRUE(bench.driver.done());
  EXPECT_EQ(bench.driver.counters().completed, 1U);
  EXPECT_GT(bench.driver.run_start(), 35_us);
  EXPECT_LT(bench.driver.run_start(), 65_us);
  EXPECT_EQ(bench.request_statistics.count(Op::kRead), 1U);
  EXPECT_EQ(bench.oracle.reads_checked(), 1U);
  EXPECT_EQ(bench.controller.cq_doorbells, 1U);
  EXPECT_EQ(bench.clock.in_flight(), 0U);
}

TEST(HostDriverTest, ClosedLoopKeepsItsDepthAndItsTurnaround) {
  Script script;
  Script::Job job{3, {}};
  for (std::uint64_t i = 0; i < 12; ++i) job.requests.push_back(request(Op::kWrite, i * 8, 8));
  script.list.push_back(job);
  Bench bench(script);
  bench.run();
  const auto& commands = bench.controller.commands;
  ASSERT_EQ(commands.size(), 12U);
  EXPECT_EQ(bench.controller.most_in_flight, 3U);
  // The first three share a doorbell; every other command follows a completion by the turnaround, to the picosecond.
  ASSERT_FALSE(bench.controller.sq_doorbells.empty());
  EXPECT_EQ(bench.controller.sq_doorbells[0].first, bench.driver.run_start() + kDoorbellWire + kDoorbell);
  EXPECT_EQ(bench.controller.sq_doorbells[0].second, 3U);
  for (std::size_t i = 3; i < commands.size(); ++i) {
    EXPECT_EQ(commands[i].fetched, commands[i - 3].completed + 2_us + kDoorbell) << i;
  }
  EXPECT_EQ(bench.controller.sq_doorbells.size(), 4U);
  EXPECT_EQ(bench.request_statistics.latency(Op::kWrite).min(), 10_us + kDoorbell);
  EXPECT_EQ(bench.request_statistics.latency(Op::kWrite).max(), 10_us + kDoorbellWire + kDoorbell);
  EXPECT_EQ(bench.request_statistics.bytes(Op::kWrite), 12U * 4096);
}

TEST(HostDriverTest, ARequestThatArrivesLaterPausesAClosedLoop) {
  Script script;
  Script::Job job{2, {}};
  for (std::uint64_t i = 0; i < 4; ++i) job.requests.push_back(request(Op::kWrite, i * 8, 8));
  job.requests[2].arrival = 500_us;  // long after the first two have completed
  script.list.push_back(job);
  Bench bench(script);
  bench.run();
  const auto& commands = bench.controller.commands;
  ASSERT_EQ(commands.size(), 4U);
  EXPECT_TRUE(bench.driver.done());
  EXPECT_LT(commands[1].fetched, bench.driver.run_start() + 10_us);
  // The third and the fourth go together: both places are free when the pause ends.
  EXPECT_EQ(commands[2].fetched, bench.driver.run_start() + 500_us + kDoorbell);
  EXPECT_EQ(commands[3].fetched, commands[2].fetched);
  // A pause is no latency.
  EXPECT_LT(bench.request_statistics.latency(Op::kWrite).max(), 20_us);
}

TEST(HostDriverTest, JobsKeepTheirOwnDepths) {
  Script script;
  Script::Job slow{1, {}};
  Script::Job fast{4, {}};
  for (std::uint64_t i = 0; i < 5; ++i) slow.requests.push_back(request(Op::kRead, i * 8, 8));
  for (std::uint64_t i = 0; i < 40; ++i) fast.requests.push_back(request(Op::kWrite, 8000 + i * 8, 8));
  script.list = {slow, fast};
  Bench bench(script);
  unsigned reads = 0;
  bench.controller.latency = [&](const SeenCommand& c) { return c.opcode == nvme::kRead ? 100_us : 10_us; };
  bench.controller.status = [&](const SeenCommand& c) {
    if (c.opcode == nvme::kRead) ++reads;
    return nvme::kSuccess;
  };
  bench.run();
  EXPECT_EQ(reads, 5U);
  EXPECT_EQ(bench.controller.most_in_flight, 5U);
  EXPECT_EQ(bench.driver.counters().completed, 45U);
  EXPECT_TRUE(bench.driver.done());
}

TEST(HostDriverTest, OpenLoopSubmitsAtTheArrivalHoweverManyAreInFlight) {
  Script script;
  script.open = true;
  Script::Job job{0, {}};
  const std::vector<Picoseconds> arrivals{500_ns, 1_us, 1_us, 7_us, 100_us};
  for (std::size_t i = 0; i < arrivals.size(); ++i) job.requests.push_back(request(Op::kWrite, i * 8, 8, arrivals[i]));
  script.list.push_back(job);
  Bench bench(script);
  bench.run();
  const auto& commands = bench.controller.commands;
  ASSERT_EQ(commands.size(), 5U);
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    EXPECT_EQ(commands[i].fetched, bench.driver.run_start() + arrivals[i] + kDoorbell) << i;
  }
  EXPECT_EQ(bench.controller.sq_doorbells.size(), 4U);  // two arrive together
  EXPECT_EQ(bench.controller.most_in_flight, 4U);
  EXPECT_EQ(bench.driver.counters().delayed, 0U);
}

TEST(HostDriverTest, FullQueueMakesRequestsWaitAndTheirTimeCountsFromTheArrival) {
  Script script;
  script.open = true;
  Script::Job job{0, {}};
  for (std::uint64_t i = 0; i < 10; ++i) job.requests.push_back(request(Op::kRead, i * 8, 8, 1_us));
  script.list.push_back(job);
  config::Config c = configuration();
  c.host.queue_entries = 4;
  Bench bench(script, c);
  bench.run();
  EXPECT_TRUE(bench.driver.done());
  EXPECT_EQ(bench.controller.most_in_flight, 3U);
  EXPECT_EQ(bench.driver.counters().delayed, 7U);
  const auto& latency = bench.request_statistics.latency(Op::kRead);
  EXPECT_EQ(latency.count(), 10U);
  EXPECT_EQ(latency.min(), 10_us + kDoorbell);
  // Four rounds of three; a place is taken in the instant in which it falls free.
  EXPECT_EQ(latency.max(), 4 * (10_us + kDoorbell) + 3 * 3 * kDoorbellWire);
  // The wait belongs to the submission stage.
  const auto means = bench.request_statistics.stage_means(Op::kRead);
  EXPECT_GT(means[static_cast<std::size_t>(tlm_if::Stage::kSubmit)], 10_us);
}

TEST(HostDriverTest, RingsWrapAroundManyTimes) {
  Script script;
  Script::Job job{2, {}};
  for (std::uint64_t i = 0; i < 200; ++i) {
    job.requests.push_back(request(i % 2 == 0 ? Op::kWrite : Op::kRead, i / 2 % 50 * 8, 8));
  }
  script.list.push_back(job);
  config::Config c = configuration();
  c.host.queue_entries = 3;
  Bench bench(script, c);
  bench.run();
  EXPECT_EQ(bench.driver.counters().completed, 200U);
  EXPECT_EQ(bench.oracle.mismatches(), 0U);
}

TEST(HostDriverTest, LongRequestIsSplitAtMdtsAndCompletesOnce) {
  Script script;
  script.list.push_back({1,
                         {request(Op::kWrite, 13, 8 * 32 * 3 + 5), request(Op::kRead, 13, 8 * 32 * 3 + 5),
                          request(Op::kRead, 0, 9), request(Op::kRead, 3, 1)}});
  Bench bench(script);
  // The commands of one request complete in reverse order.
  bench.controller.latency = [](const SeenCommand& c) {
    return 200_us - Picoseconds(static_cast<std::int64_t>(c.slba) * 100'000);
  };
  bench.run();
  const auto writes = bench.of(nvme::kWrite);
  ASSERT_EQ(writes.size(), 4U);
  EXPECT_EQ(writes[0].slba, 13U);
  EXPECT_EQ(writes[0].nlb, 256U);
  EXPECT_EQ(writes[0].pages.size(), 32U);
  EXPECT_EQ(writes[3].slba, 13U + 3 * 256);
  EXPECT_EQ(writes[3].nlb, 5U);
  EXPECT_EQ(writes[3].pages.size(), 1U);
  EXPECT_EQ(bench.of(nvme::kRead)[4].pages.size(), 2U);
  EXPECT_EQ(bench.request_statistics.count(Op::kWrite), 1U);
  EXPECT_EQ(bench.request_statistics.bytes(Op::kWrite), (8U * 32 * 3 + 5) * 512);
  EXPECT_EQ(bench.driver.counters().completed, 4U);
  EXPECT_EQ(bench.driver.counters().commands_completed, 10U);
  EXPECT_EQ(bench.oracle.reads_checked(), 3U);
  EXPECT_EQ(bench.oracle.blocks_checked(), 8U * 32 * 3 + 5 + 9 + 1);
  EXPECT_EQ(bench.oracle.mismatches(), 0U);
  // The request takes as long as its slowest command, from the doorbell they share.
  EXPECT_EQ(bench.request_statistics.latency(Op::kWrite).max(), 200_us - 1'300'000_ps + kDoorbellWire + kDoorbell);
}

TEST(HostDriverTest, SplitRequestWaitsForPlacesAndItsStagesStillSum) {
  Script script;
  script.list.push_back({1, {request(Op::kWrite, 0, 8 * 32 * 7)}});
  config::Config c = configuration();
  c.host.queue_entries = 3;
  Bench bench(script, c);
  bench.run();
  EXPECT_EQ(bench.of(nvme::kWrite).size(), 7U);
  // Two at a time: four rounds. record() has checked that the stages sum to this.
  EXPECT_EQ(bench.request_statistics.latency(Op::kWrite).max(), 4 * (10_us + kDoorbell) + (1 + 3 * 2) * kDoorbellWire);
}

TEST(HostDriverTest, MdtsOfZeroMeansAsLongAsOnePrpListPage) {
  Script script;
  script.list.push_back({1, {request(Op::kWrite, 0, 4096 + 8)}});
  Bench bench(script);
  bench.controller.mdts = 0;
  bench.controller.latency = [&](const SeenCommand&) {
    bench.controller.mdts = 16;  // the fake's own check of lengths
    return 10_us;
  };
  testing::expect_reports(true);  // the fake checks the first command before that
  bench.run();
  const auto writes = bench.of(nvme::kWrite);
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].nlb, 4096U);
  EXPECT_EQ(writes[0].pages.size(), 512U);
  EXPECT_EQ(writes[1].nlb, 8U);
}

TEST(HostDriverTest, TrimIsOneRangeHoweverLongAndFlushHasNoData) {
  Script script;
  script.list.push_back({1,
                         {request(Op::kWrite, 0, 64), request(Op::kTrim, 8, 8000), request(Op::kFlush, 0, 0),
                          request(Op::kRead, 0, 64)}});
  Bench bench(script);
  bench.run();
  EXPECT_EQ(bench.of(nvme::kDatasetManagement).size(), 1U);
  ASSERT_EQ(bench.of(nvme::kFlush).size(), 1U);
  EXPECT_TRUE(bench.of(nvme::kFlush)[0].pages.empty());
  EXPECT_TRUE(bench.controller.store.at(8).is_zero());
  EXPECT_TRUE(bench.controller.store.at(8007).is_zero());
  EXPECT_FALSE(bench.controller.store.at(7).is_zero());
  EXPECT_EQ(bench.request_statistics.count(Op::kTrim), 1U);
  EXPECT_EQ(bench.request_statistics.bytes(Op::kTrim), 8000U * 512);
  EXPECT_EQ(bench.request_statistics.count(Op::kFlush), 1U);
  EXPECT_EQ(bench.request_statistics.bytes(Op::kFlush), 0U);
  EXPECT_EQ(bench.oracle.mismatches(), 0U);
}

/// Everything at once: four jobs on the same small region, misaligned requests, completions in any order.
void random_workload(config::Config c, bool preconditioned) {
  Script script;
  for (unsigned job = 0; job < 4; ++job) {
    Script::Job list{8, {}};
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const std::uint64_t kind = keyed_hash(5, job, i, 0) % 20;
      const std::uint64_t first = keyed_hash(5, job, i, 1) % 900;
      const auto nlb = static_cast<std::uint32_t>(1 + keyed_hash(5, job, i, 2) % (kind == 0 ? 600 : 24));
      const Op op = kind < 9 ? Op::kRead : kind < 18 ? Op::kWrite : kind == 18 ? Op::kTrim : Op::kFlush;
      list.requests.push_back(request(op, first, kind == 19 ? 0 : nlb));
    }
    script.list.push_back(list);
  }
  DriverOptions options;
  options.verify_all = true;
  Bench bench(script, c, options, preconditioned);
  if (preconditioned) {
    for (std::uint64_t lba = 0; lba < kLpages * 8; ++lba) bench.controller.store[lba] = data::LbaStamp(Lba(lba), 1);
  }
  std::uint64_t draw = 0;
  bench.controller.latency = [&](const SeenCommand&) {
    return Picoseconds(static_cast<std::int64_t>(1'000'000 + keyed_hash(6, draw++) % 80'000'000));
  };
  if (c.host.model == config::HostModel::kDirect) {
    bench.controller.tags = 20;
    bench.controller.at(5_us, [&] { bench.controller.direct->ready(256); });
  }
  bench.run();
  EXPECT_TRUE(bench.driver.done());
  EXPECT_EQ(bench.driver.counters().completed, 12'000U);
  EXPECT_EQ(bench.oracle.mismatches(), 0U);
  EXPECT_EQ(bench.driver.in_flight(), 0U);
  EXPECT_EQ(bench.clock.in_flight(), 0U);
  EXPECT_EQ(bench.request_statistics.requests(), 12'000U);
  // The verification read every block, and is not in the results.
  EXPECT_EQ(bench.oracle.reads_checked(), bench.request_statistics.count(Op::kRead) + kLpages / 32);
  EXPECT_GE(bench.oracle.blocks_checked(), kLpages * 8);
  if (c.host.model == config::HostModel::kDirect) {
    EXPECT_LE(bench.controller.most_in_flight, 20U);
    EXPECT_GT(bench.controller.refusals, 100U);
    EXPECT_TRUE(bench.controller.sq_doorbells.empty());
  }
}

TEST(HostDriverTest, RandomWorkloadIsCheckedBlockByBlock) { random_workload(configuration(), false); }

TEST(HostDriverTest, RandomWorkloadOnAPreconditionedDriveAndAShortQueue) {
  config::Config c = configuration();
  c.host.queue_entries = 16;
  c.host.turnaround = 0_ps;
  random_workload(c, true);
}

TEST(HostDriverTest, RandomWorkloadWithoutQueues) {
  config::Config c = configuration();
  c.host.model = config::HostModel::kDirect;
  random_workload(c, false);
}

TEST(HostDriverTest, FioJobRunsToItsEnd) {
  workload::LoadOptions options;
  options.drive_lbas = kLpages * 8;
  const char* const job = "[global]\niodepth=16\nnumjobs=2\nbs=4k\n[a]\nrw=randrw\nsize=8m\n";
  const auto source = workload::fio::make_source("t.fio", workload::fio::parse("t.fio", job), options);
  Bench bench(*source);
  bench.run();
  EXPECT_EQ(bench.driver.counters().completed, source->total_requests());
  EXPECT_EQ(bench.driver.counters().completed, 2U * 2048);
  EXPECT_EQ(bench.controller.most_in_flight, 32U);
  EXPECT_EQ(bench.oracle.mismatches(), 0U);
}

// Two messages find one entry each at the first of them: the second has nothing to add, and no doorbell.
TEST(HostDriverTest, AnInterruptThatFindsNothingRingsNoDoorbell) {
  Script script;
  script.list.push_back({2, {request(Op::kRead, 0, 8), request(Op::kRead, 8, 8)}});
  config::Config config = configuration();
  config.host.interrupt_cost = 5_us;
  Bench bench(script, config);
  bench.run();
  EXPECT_TRUE(bench.driver.done());
  EXPECT_EQ(bench.driver.counters().completed, 2U);
  EXPECT_EQ(bench.controller.cq_doorbells, 1U) << "both entries lay there when the handler looked";
  bench.nvme->interrupt(1, testing::context().now());
  bench.run();
  EXPECT_EQ(bench.controller.cq_doorbells, 1U);
}

/// Nothing comes between what ends and the look behind it.
TEST(HostDriverTest, APollingCoreFindsAnEntryAtItsNextLook) {
  Script script;
  script.list.push_back({1, {}});
  for (std::uint64_t i = 0; i < 40; ++i) script.list[0].requests.push_back(request(Op::kRead, i * 8, 8));
  config::Config config = configuration();
  config.host.completion = config::HostCompletion::kPolling;
  config.host.polling_period = 1300_ns;
  config.host.completion_cost = 700_ns;
  Bench bench(script, config);
  bench.controller.latency = [](const SeenCommand& seen) { return 10_us + Picoseconds(37'011) * seen.slba; };
  bench.run();
  EXPECT_TRUE(bench.driver.done());
  const auto reads = bench.of(nvme::kRead);
  ASSERT_EQ(reads.size(), 40U);
  for (std::size_t i = 0; i + 1 < reads.size(); ++i) {
    const std::int64_t looks = (reads[i].completed.count() + 1'299'999) / 1'300'000;
    const Picoseconds dealt_with = 1300_ns * looks + 700_ns;
    // Its head doorbell goes before the next tail doorbell, on the wire when the turnaround has passed.
    EXPECT_EQ(reads[i + 1].fetched, dealt_with + 2_us + kDoorbell) << i;
  }
  EXPECT_EQ(bench.controller.cq_doorbells, 40U);
}

// Entries wait while the core works, and it works all the time: 1 us for each submission, 2 us for each entry.
TEST(HostDriverTest, APollingCoreIsBoundedByWhatItDoes) {
  Script script;
  script.list.push_back({32, {}});
  for (std::uint64_t i = 0; i < 3000; ++i) script.list[0].requests.push_back(request(Op::kRead, i * 8, 8));
  config::Config config = configuration();
  config.host.completion = config::HostCompletion::kPolling;
  config.host.polling_period = 100_ns;
  config.host.submission_cost = 1_us;
  config.host.completion_cost = 2_us;
  Bench bench(script, config);
  bench.run();
  EXPECT_TRUE(bench.driver.done());
  EXPECT_EQ(bench.driver.counters().completed, 3000U);
  const double each = static_cast<double>(bench.request_statistics.span().count()) / 3000;
  EXPECT_NEAR(each, 3e6, 0.01 * 3e6);
  EXPECT_LT(bench.controller.cq_doorbells, 1000U) << "one head doorbell for all entries that are there";
}

}  // namespace
}  // namespace wordline::host
