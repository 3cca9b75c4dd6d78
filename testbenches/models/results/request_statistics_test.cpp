// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/request_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/models/results/requests.h"

namespace wordline::results::request_statistics_test {
namespace {

using namespace wordline::literals;

/// A request without stages, as a RequestStatistics(0) takes it.
FinishedRequest plain(Op op, unsigned job, Picoseconds submitted, Picoseconds completed) {
  FinishedRequest plain = request(op, 4096, submitted, completed, nullptr);
  plain.job = static_cast<std::uint16_t>(job);
  return plain;
}

TEST(RequestStatisticsTest, StagesMustSumToTheLatency) {
  RequestStatistics request_statistics(3);
  const Picoseconds good[] = {1_us, 2_us, 3_us};
  request_statistics.record(request(Op::kRead, 4096, 10_us, 16_us, good));
  const Picoseconds early[] = {1_us, 2_us, 3_us - 1_ps};
  EXPECT_THROW(request_statistics.record(request(Op::kRead, 4096, 10_us, 16_us, early)), std::logic_error);
  const Picoseconds late[] = {1_us, 2_us, 3_us + 1_ps};
  EXPECT_THROW(request_statistics.record(request(Op::kRead, 4096, 10_us, 16_us, late)), std::logic_error);
  EXPECT_EQ(request_statistics.requests(), 1U);  // nothing of a refused request is kept
  EXPECT_EQ(request_statistics.bytes(Op::kRead), 4096U);
  const Picoseconds backwards[] = {0_ps, 0_ps, 0_ps - 1_ps};
  EXPECT_THROW(request_statistics.record(request(Op::kRead, 4096, 10_us, 10_us - 1_ps, backwards)), std::logic_error);
  EXPECT_THROW(RequestStatistics(RequestStatistics::kMaxStages + 1), std::invalid_argument);
}

TEST(RequestStatisticsTest, StageMeansAndTotalsAddUp) {
  constexpr std::size_t kStages = 14;
  RequestStatistics request_statistics(kStages);
  std::vector<std::uint64_t> totals(kStages);
  std::uint64_t all = 0;
  for (std::uint64_t i = 0; i < 10'007; ++i) {
    Picoseconds stages[kStages];
    Picoseconds sum{};
    for (std::size_t s = 0; s < kStages; ++s) {
      stages[s] = Picoseconds(static_cast<std::int64_t>(keyed_hash(1, i, s) % 9'999'999));
      sum += stages[s];
      totals[s] += static_cast<std::uint64_t>(stages[s].count());
    }
    all += static_cast<std::uint64_t>(sum.count());
    request_statistics.record(request(Op::kWrite, 512, Picoseconds(static_cast<std::int64_t>(i)),
                                      Picoseconds(static_cast<std::int64_t>(i)) + sum, stages));
  }
  EXPECT_EQ(request_statistics.latency(Op::kWrite).sum(), all);
  const auto means = request_statistics.stage_means(Op::kWrite);
  Picoseconds sum{};
  for (std::size_t s = 0; s < kStages; ++s) {
    sum += means[s];
    EXPECT_EQ(request_statistics.stage_total(Op::kWrite, s), totals[s]) << s;
    EXPECT_EQ(request_statistics.stage_total(Op::kRead, s), 0U) << s;
    EXPECT_NEAR(static_cast<double>(means[s].count()), static_cast<double>(totals[s]) / 10'007, 1.0) << s;
  }
  EXPECT_EQ(sum, request_statistics.latency(Op::kWrite).mean());
}

TEST(RequestStatisticsTest, RatesCountFromFirstSubmissionToLastCompletion) {
  RequestStatistics request_statistics(1);
  const Picoseconds millisecond = 1_ms;
  request_statistics.record(request(Op::kWrite, 8192, 5_ms, 6_ms, &millisecond));
  request_statistics.record(request(Op::kRead, 4096, 2_ms, 3_ms, &millisecond));
  request_statistics.record(request(Op::kRead, 4096, 11_ms, 12_ms, &millisecond));
  EXPECT_EQ(request_statistics.span(), 10_ms);
  EXPECT_DOUBLE_EQ(request_statistics.iops(Op::kRead), 200);
  EXPECT_DOUBLE_EQ(request_statistics.iops(Op::kWrite), 100);
  EXPECT_DOUBLE_EQ(request_statistics.bytes_per_second(Op::kWrite), 819'200);
  EXPECT_EQ(RequestStatistics(1).span(), 0_ps);
  EXPECT_EQ(RequestStatistics(1).iops(Op::kRead), 0.0);
}

TEST(RequestStatisticsTest, RampTimeIsRunAndNotMeasured) {
  RequestStatistics request_statistics(0);
  request_statistics.begin(10_us, 20_us);
  request_statistics.record(plain(Op::kWrite, 0, 11_us, 20_us - 1_ps));
  request_statistics.record(plain(Op::kWrite, 0, 12_us, 20_us));  // completes in the measurement
  request_statistics.record(plain(Op::kRead, 0, 25_us, 30_us));
  EXPECT_EQ(request_statistics.completed(), 3U);
  EXPECT_EQ(request_statistics.requests(), 2U);
  EXPECT_EQ(request_statistics.latency(Op::kWrite).max(), 8_us);
  EXPECT_EQ(request_statistics.measured_from(), 20_us) << "not when its first request was submitted";
  EXPECT_EQ(request_statistics.measured_to(), 30_us);
  EXPECT_DOUBLE_EQ(request_statistics.iops(Op::kRead), 100'000);
  Registry registry;
  request_statistics.register_statistics(registry, {}, {"a"});
  EXPECT_EQ(registry.get<Picoseconds>("window.begin_ps"), 20_us);
  EXPECT_EQ(registry.get<Picoseconds>("window.end_ps"), 30_us);
  EXPECT_EQ(registry.get<Picoseconds>("window.length_ps"), 10_us);
  EXPECT_EQ(registry.get<std::uint64_t>("window.ramp_requests"), 1U);
  EXPECT_EQ(registry.get<std::uint64_t>("flash.host_bytes_written"), 8192U) << "those of the ramp time included";
  RequestStatistics short_run(0);
  short_run.begin(10_us, 1_ms);
  short_run.record(plain(Op::kRead, 0, 10_us, 20_us));
  EXPECT_EQ(short_run.requests(), 0U);
  EXPECT_EQ(short_run.span(), 0_ps);
}

// Writes every 10 us while a buffer of 4,096 pages fills, then every 40 us; the measurement is of the second part.
TEST(RequestStatisticsTest, WithAGoalTheWarmUpIsNotMeasuredAndEnoughIsEnough) {
  std::uint64_t written = 0;
  SteadyGoal goal;
  goal.rule = SteadyGoal::Rule::kInterval;
  goal.width = 0.05;
  SteadyDrive drive;
  drive.superblock_pages = 1'000'000;
  drive.buffer_pages = 4096;
  drive.gc_start = 2;
  drive.counts = [&written] { return DriveCounts{written, written, 0, 0, std::min<std::uint64_t>(written, 4096), 50}; };
  SteadyMeter meter(goal, std::move(drive));
  RequestStatistics request_statistics(0);
  std::vector<Picoseconds> said;
  Picoseconds at{};
  request_statistics.judge(meter, [&] { said.push_back(at); });
  request_statistics.begin(0_us, 0_us);
  for (; written < 4096; at += 10_us, ++written) request_statistics.record(plain(Op::kWrite, 0, at, at + 5_us));
  const Picoseconds full = at;
  EXPECT_FALSE(request_statistics.enough());
  for (; written < 30'000 && !request_statistics.enough(); at += 40_us, ++written) {
    request_statistics.record(plain(Op::kWrite, 0, at, at + 5_us));
  }
  ASSERT_TRUE(request_statistics.enough()) << request_statistics.steady().reason;
  EXPECT_GE(written, 8192U) << "as long as the warm-up at least";
  EXPECT_GT(said.size(), 2U) << "anew with each step of the buffer, and at the end";
  EXPECT_NEAR(static_cast<double>(request_statistics.measured_from().count()), static_cast<double>(full.count()),
              64 * 40e6);
  EXPECT_NEAR(request_statistics.iops(Op::kWrite), 25'000, 30);
  EXPECT_EQ(request_statistics.completed(), written) << "the warm-up included";
  EXPECT_EQ(request_statistics.steady().steady, SteadyClass::kBeforeGc);
  const std::uint64_t counted = request_statistics.requests();
  request_statistics.record(plain(Op::kWrite, 0, at, at + 10_ms));  // in flight when it was enough
  EXPECT_EQ(request_statistics.requests(), counted);
  EXPECT_EQ(request_statistics.completed(), written + 1);
}

TEST(RequestStatisticsTest, PercentilesOfFewRequestsAreMarked) {
  RequestStatistics request_statistics(0);
  for (int i = 0; i < 895; ++i) request_statistics.record(plain(Op::kRead, 0, Picoseconds(i), Picoseconds(i) + 80_us));
  Registry registry;
  request_statistics.register_statistics(registry, {}, {});
  EXPECT_EQ(registry.get<std::uint64_t>("ios.read.beyond.p50"), 447U);
  EXPECT_EQ(registry.get<std::uint64_t>("ios.read.beyond.p99"), 8U);
  EXPECT_EQ(registry.get<std::uint64_t>("ios.read.beyond.p99_9"), 0U);
  EXPECT_EQ(registry.get<std::uint64_t>("ios.write.beyond.p50"), 0U);
}

TEST(RequestStatisticsTest, JobsHaveTheirOwnTimeAndNumbers) {
  RequestStatistics request_statistics(0);
  request_statistics.begin(0_us, 0_us);
  for (Picoseconds at = 100_us; at < 200_us; at += 10_us)
    request_statistics.record(plain(Op::kRead, 0, at, at + 10_us));
  request_statistics.record(plain(Op::kWrite, 2, 0_us, 1_ms));
  Registry registry;
  request_statistics.register_statistics(registry, {}, {"a", "b", "c"});
  using Counts = std::vector<std::uint64_t>;
  using Times = std::vector<Picoseconds>;
  EXPECT_EQ(registry.get<std::vector<std::string>>("jobs[].name"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(registry.get<Counts>("jobs[].requests"), (Counts{10, 0, 1}));
  EXPECT_EQ(registry.get<Counts>("jobs[].bytes"), (Counts{40'960, 0, 4096}));
  EXPECT_EQ(registry.get<Times>("jobs[].begin_ps"), (Times{100_us, 0_us, 0_us}));
  EXPECT_EQ(registry.get<Times>("jobs[].end_ps"), (Times{200_us, 0_us, 1_ms}));
  const double iops[] = {100'000, 0, 1000};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(registry.get<std::vector<double>>("jobs[].iops").at(i), iops[i], 1e-6);
    EXPECT_NEAR(registry.get<std::vector<double>>("jobs[].bytes_per_s").at(i), 4096 * iops[i], 1e-3);
  }
  EXPECT_EQ(registry.get<Times>("jobs[].lat_ps.mean"), (Times{10_us, 0_us, 1_ms}));
  for (const char* which : {"p50", "p99", "p99_9", "max"}) {
    EXPECT_EQ(registry.get<Times>(std::string("jobs[].lat_ps.") + which), (Times{10_us, 0_us, 1_ms})) << which;
  }
  EXPECT_DOUBLE_EQ(request_statistics.jobs().load(0).in_flight, 1) << "one after the other";
  EXPECT_EQ(request_statistics.jobs().load(0).requests, 10);
  EXPECT_EQ(request_statistics.jobs().load(1).in_flight, 0);
  EXPECT_DOUBLE_EQ(request_statistics.jobs().load(2).in_flight, 1);
  // Of the whole run reads are 10 in 1 ms.
  EXPECT_DOUBLE_EQ(registry.get<double>("ios.read.iops"), 10'000);
}

TEST(RateSeriesTest, WindowsGrowAndLoseNothing) {
  RateSeries series;
  series.begin(1_ms);
  const auto add = [&](Picoseconds at) { series.add(plain(Op::kRead, 0, at, at)); };
  add(1_ms - 1_ps);  // before the measurement
  add(1_ms);
  add(1_ms + 20_us - 1_ps);
  add(1_ms + 20_us);
  EXPECT_EQ(series.completed(Op::kRead), (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(series.width(), 20_us);
  add(1_ms + 20_us * 128);  // one window too many
  EXPECT_EQ(series.width(), 40_us);
  ASSERT_EQ(series.windows(), 65U);
  EXPECT_EQ(series.completed(Op::kRead).front(), 3U);
  EXPECT_EQ(series.completed(Op::kRead).back(), 1U);
  add(1_ms + 1000_ms);
  EXPECT_LE(series.windows(), RateSeries::kMost);
  const auto counts = series.completed(Op::kRead);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 5U);
}

TEST(RateSeriesTest, RequestsInFlightAreSpreadOverTheirWindows) {
  RateSeries series;
  series.begin(1_ms);
  const auto add = [&](Picoseconds from, Picoseconds to) {
    const Picoseconds stages[] = {to - from};
    series.add(request(Op::kRead, 4096, from, to, stages));
  };
  add(1_ms, 1_ms + 10_us);          // half of the first window
  add(1_ms - 5_us, 1_ms + 20_us);   // all of it, from the begin of the measurement on
  add(1_ms + 15_us, 1_ms + 50_us);  // 5 us, 20 us, 10 us
  EXPECT_EQ(series.in_flight(1_ms + 50_us), (std::vector<double>{1.75, 1.0, 1.0})) << "the last one has 10 us";
  add(1_ms + 50_us, 1_ms + 20_us * 128);  // two windows become one: of 2,510 us 10 lie in the second
  const std::vector<double> wider = series.in_flight(1_ms + 20_us * 128 + 40_us);
  EXPECT_EQ(wider[0], (35 + 20) / 40.0);
  EXPECT_EQ(wider[1], (10 + 30) / 40.0);
  EXPECT_EQ(wider[2], 1.0);
}

TEST(RateSeriesTest, LatenciesOfAWindowAreWithinTheStatedBound) {
  RateSeries series;
  series.begin(0_us);
  std::vector<std::int64_t> first;
  const auto add = [&](Picoseconds latency, Picoseconds at) {
    const Picoseconds stages[] = {latency};
    FinishedRequest one = request(Op::kRead, 4096, at - latency, at, stages);
    one.retries = 2;
    series.add(one);
  };
  for (std::int64_t i = 1; i <= 1000; ++i) {
    first.push_back(i * i * 17'389 + 64'000);
    add(Picoseconds(first.back()), 10_us);
  }
  add(77_us, 30_us);
  Registry registry;
  series.register_statistics(registry, [] { return 40_us; });
  const auto p99 = registry.get<std::vector<Picoseconds>>("series.lat_ps.read.p99");
  const auto p50 = registry.get<std::vector<Picoseconds>>("series.lat_ps.read.p50");
  ASSERT_EQ(p99.size(), 2U);
  EXPECT_NEAR(static_cast<double>(p50[0].count()), static_cast<double>(first[499]), first[499] / 31.0);
  EXPECT_NEAR(static_cast<double>(p99[0].count()), static_cast<double>(first[989]), first[989] / 31.0);
  EXPECT_EQ(registry.get<std::vector<Picoseconds>>("series.lat_ps.read.max")[0], Picoseconds(first.back()));
  EXPECT_EQ(p50[1], 77_us) << "alone in its window";
  EXPECT_EQ(registry.get<std::vector<std::uint64_t>>("series.retries"), (std::vector<std::uint64_t>{2000, 2}));
  EXPECT_EQ(registry.get<std::vector<std::uint64_t>>("series.bytes.read"),
            (std::vector<std::uint64_t>{4'096'000, 4096}));
  EXPECT_TRUE(registry.get<std::vector<std::uint64_t>>("series.bytes.write").empty());
}

TEST(SlowestTest, OfEachOperationWithWhatItWaitedBehind) {
  RequestStatistics request_statistics(2);
  const auto add = [&](Op op, Picoseconds waited, WaitCause cause) {
    const Picoseconds stages[] = {1_us, waited};
    WaitTimes waits{};
    waits[static_cast<std::size_t>(cause)] = waited - 1_ps;
    waits[static_cast<std::size_t>(WaitCause::kCore)] = 1_ps;
    FinishedRequest one = request(op, 4096, 1_ms, 1_ms + 1_us + waited, stages);
    one.waits = waits.data();
    one.retries = 3;
    request_statistics.record(one);
  };
  for (int i = 0; i < 20; ++i) add(Op::kWrite, 9_ms, WaitCause::kFreeSpace);
  add(Op::kRead, 20_us, WaitCause::kReads);
  add(Op::kRead, 700_us, WaitCause::kGcProgram);
  Registry registry;
  request_statistics.register_statistics(registry, {{"one", false}, {"queue_two", true}}, {});
  const auto texts = [&](const char* path) { return registry.get<std::vector<std::string>>(path); };
  EXPECT_EQ(texts("slowest[].op"), std::vector<std::string>(16, "write")) << "the reads are behind the writes";
  EXPECT_EQ(texts("slowest_of.read.requests[].behind"), (std::vector<std::string>{"gc_program", "reads"}));
  EXPECT_EQ(texts("slowest_of.write.requests[].behind"), std::vector<std::string>(8, "free_space"));
  EXPECT_EQ(registry.get<std::vector<Picoseconds>>("slowest_of.read.requests[].behind_ps.gc_program")[0],
            700_us - 1_ps);
  EXPECT_EQ(registry.get<std::vector<Picoseconds>>("slowest_of.read.requests[].stage_ps.queue_two")[1], 20_us);
  EXPECT_EQ(registry.get<std::vector<std::uint64_t>>("slowest_of.read.requests[].retries")[0], 3U);
  EXPECT_TRUE(registry.get<std::vector<Picoseconds>>("slowest_of.trim.requests[].latency_ps").empty());
  const auto total = [&](const char* path) { return registry.get<std::uint64_t>(path); };
  EXPECT_EQ(total("waits.read.total_ps.gc_program"), 700'000'000U - 1);
  EXPECT_EQ(total("waits.read.total_ps.core"), 2U);
  EXPECT_EQ(total("waits.write.total_ps.free_space"), 20 * (9'000'000'000U - 1));
  EXPECT_EQ(
      total("waits.read.total_ps.gc_program") + total("waits.read.total_ps.reads") + total("waits.read.total_ps.core"),
      total("stages.read.total_ps.queue_two"));
}

TEST(SlowestTest, KeepsTheSlowestWithAllThatIsKnown) {
  RequestStatistics request_statistics(2);
  for (std::int64_t i = 0; i < 1000; ++i) {
    const Picoseconds stages[] = {Picoseconds((i * 7919) % 1000 + 1), 10_ps};
    FinishedRequest one = request(Op::kRead, 4096, Picoseconds(i), Picoseconds(i) + stages[0] + stages[1], stages);
    one.lba = static_cast<std::uint64_t>(stages[0].count());
    one.die = static_cast<std::uint16_t>(i % 4);
    one.job = 1;
    request_statistics.record(one);
  }
  Registry registry;
  request_statistics.register_statistics(registry, {{"one", false}, {"two", true}}, {});
  const auto latencies = registry.get<std::vector<Picoseconds>>("slowest[].latency_ps");
  const auto first = registry.get<std::vector<Picoseconds>>("slowest[].stage_ps.one");
  const auto lbas = registry.get<std::vector<std::uint64_t>>("slowest[].lba");
  const auto submitted = registry.get<std::vector<Picoseconds>>("slowest[].submitted_ps");
  const auto dies = registry.get<std::vector<std::int64_t>>("slowest[].die");
  ASSERT_EQ(latencies.size(), SlowestRequests::kKept);
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    EXPECT_EQ(latencies[i], Picoseconds(1010 - static_cast<std::int64_t>(i)));
    EXPECT_EQ(first[i], latencies[i] - 10_ps);
    EXPECT_EQ(lbas[i], static_cast<std::uint64_t>(first[i].count()));
    EXPECT_EQ(dies[i], submitted[i].count() % 4);
    EXPECT_EQ((submitted[i].count() * 7919) % 1000 + 1, first[i].count());
  }
  EXPECT_EQ(registry.get<std::vector<std::string>>("slowest[].op").front(), "read");
  EXPECT_EQ(registry.get<std::vector<std::uint64_t>>("slowest[].bytes").front(), 4096U);
  EXPECT_EQ(registry.get<std::vector<std::uint64_t>>("slowest[].job").front(), 1U);
  EXPECT_EQ(registry.get<std::vector<Picoseconds>>("slowest[].stage_ps.two").back(), 10_ps);
  RequestStatistics writes(0);
  writes.record(plain(Op::kWrite, 0, 0_us, 1_us));
  Registry of_writes;
  writes.register_statistics(of_writes, {}, {});
  EXPECT_EQ(of_writes.get<std::vector<std::int64_t>>("slowest[].die"), std::vector<std::int64_t>{-1});
}

}  // namespace
}  // namespace wordline::results::request_statistics_test
