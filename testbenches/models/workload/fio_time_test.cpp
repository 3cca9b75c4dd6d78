// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// When jobs of a job file begin, ask and end, one option a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/workload/fio/scaled.h"
#include "testbenches/models/workload/fio_host.h"

namespace wordline::workload::fio_time_test {
namespace {

using namespace fio_host;
using namespace wordline::literals;

TEST(FioTimeTest, StonewalledJobsDoNotOverlap) {
  const auto all =
      run("[global]\nioengine=libaio\niodepth=8\nsize=1m\nbs=4k\n[a]\nrw=write\n[b]\nrw=read\n"
          "[c]\nstonewall\nrw=randread\n[d]\n[e]\nstonewall\n");
  ASSERT_EQ(all.size(), 5U * 256);
  const auto begin = [&](unsigned j) { return of(all, j).front().submitted; };
  const auto end = [&](unsigned j) { return of(all, j).back().completed; };
  EXPECT_EQ(begin(0), begin(1));
  EXPECT_GE(begin(2), std::max(end(0), end(1)));
  EXPECT_EQ(begin(2), begin(3));
  EXPECT_GE(begin(4), std::max(end(2), end(3)));
}

TEST(FioTimeTest, AFlushThatEndsAJobEndsItForTheNextOneToo) {
  for (const char* depth : {"1", "8"}) {
    const auto all = run("[global]\nioengine=libaio\nbs=4k\nsize=64k\nrw=write\niodepth=" + std::string(depth) +
                         "\n[a]\nfsync=16\n[b]\nstonewall\n");
    EXPECT_EQ(count(of(all, 0), Op::kFlush), 1U);
    ASSERT_EQ(of(all, 1).size(), 16U) << depth;
    EXPECT_GE(of(all, 1).front().submitted, of(all, 0).back().completed);
  }
}

TEST(FioTimeTest, AStonewallLiesBeforeAJobNotBetweenItsClones) {
  const auto all = run("[global]\nioengine=libaio\nsize=64k\nbs=4k\nrw=read\n[a]\n[b]\nstonewall\nnumjobs=3\n");
  EXPECT_EQ(of(all, 1).front().submitted, of(all, 3).front().submitted);
  EXPECT_GE(of(all, 1).front().submitted, of(all, 0).back().completed);
}

TEST(FioTimeTest, WaitForNamesOneJob) {
  const auto all =
      run("[global]\nioengine=libaio\nbs=4k\n[short]\nsize=64k\nnumjobs=2\n[long]\nsize=1m\n"
          "[after]\nwait_for=short\nsize=64k\n");
  EXPECT_GE(of(all, 3).front().submitted, of(all, 0).back().completed);
  EXPECT_LT(of(all, 3).back().completed, of(all, 2).back().completed);
}

TEST(FioTimeTest, StartDelayAndThinkTime) {
  const auto late = run(job("rw=read\nsize=64k\nstartdelay=3ms"));
  EXPECT_EQ(late.front().submitted, 3_ms);
  const auto range = run(job("rw=read\nsize=64k\nstartdelay=1ms-4ms"));
  EXPECT_GE(range.front().submitted, 1_ms);
  EXPECT_LE(range.front().submitted, 4_ms);
  const auto thinks = run(job("rw=read\nsize=64k\nbs=4k\nthinktime=500\nthinktime_blocks=4\niodepth=2"));
  ASSERT_EQ(thinks.size(), 16U);
  std::vector<Picoseconds> gaps;
  for (std::size_t i = 1; i < thinks.size(); ++i) {
    const Picoseconds gap = thinks[i].submitted - thinks[i - 1].completed;
    if (gap > 100_us) gaps.push_back(gap);
  }
  ASSERT_GE(gaps.size(), 2U);
  for (const Picoseconds gap : gaps) EXPECT_EQ(gap, 500_us);
}

/// What ends while the job waits for its pause counts for the next one: eight a pause on average, as fio 3.33 has it
/// (3,950 IOPS of 2 ms and eight), not fifteen.
TEST(FioTimeTest, ThinkTimeAtADepth) {
  const auto all = run(job("rw=read\nsize=1m\nbs=4k\nthinktime=2000\nthinktime_blocks=8\niodepth=8"));
  ASSERT_EQ(all.size(), 256U);
  unsigned pauses = 0;
  for (std::size_t i = 1; i < all.size(); ++i) pauses += all[i].submitted - all[i - 1].submitted >= 2_ms ? 1 : 0;
  EXPECT_NEAR(pauses, 256 / 8, 1);
}

TEST(FioTimeTest, ThinkTimeAfterEveryRequestAtDepthOne) {
  const auto all = run(job("rw=read\nsize=32k\nbs=4k\nthinktime=2ms\nthinktime_spin=1ms"));
  ASSERT_EQ(all.size(), 8U);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_EQ(all[i].submitted - all[i - 1].completed, 2_ms);
}

TEST(FioTimeTest, AFasterHostAndMoreInFlightAreScalesOfTheWholeFile) {
  fio::File file = fio::parse("t.fio",
                              "[global]\nrw=randread\n[a]\niodepth=4\nrate_iops=1000,500\n[b]\nioengine=psync\n"
                              "thinktime=400us\n[c]\niodepth=8\niodepth_low=2\n[d]\nrate=1m\n");
  EXPECT_TRUE(fio::is_paced(file.jobs[0]));
  EXPECT_TRUE(fio::is_paced(file.jobs[1]));
  EXPECT_FALSE(fio::is_paced(file.jobs[2]));
  fio::scale(file, 2, 4);
  EXPECT_EQ(file.jobs[0].depth(), 8U);
  EXPECT_EQ(file.jobs[0].pacing.rate_iops[0], 4000U);
  EXPECT_EQ(file.jobs[0].pacing.rate_iops[1], 2000U);
  EXPECT_EQ(file.jobs[3].pacing.rate[0], 4U << 20U);
  EXPECT_EQ(file.jobs[1].depth(), 2U) << "an engine that keeps one in flight is no limit of the drive";
  EXPECT_EQ(file.jobs[1].pacing.thinktime, 100_us);
  EXPECT_EQ(file.jobs[2].depth(), 16U);
  EXPECT_EQ(file.jobs[2].iodepth_low, 4U);
}

TEST(FioTimeTest, RateIopsIsMetWithinOnePercent) {
  for (const char* depth : {"1", "16"}) {
    const auto all = run(job("rw=randread\nbs=4k\nnorandommap\nnumber_ios=2000\nrate_iops=5000\nio_size=1g\niodepth=" +
                             std::string(depth)));
    ASSERT_EQ(all.size(), 2000U);
    EXPECT_NEAR(2000 / seconds(all.back().submitted), 5000, 50);
  }
  const auto slow = run(job("rw=read\nbs=4k\nsize=4m\nrate_iops=1000000"), 100_us);
  EXPECT_NEAR(1024 / seconds(slow.back().completed), 10'000, 10);  // the drive's own rate
}

TEST(FioTimeTest, RateIsInBytesAndByDirection) {
  const auto all = run(job("rw=rw\nbs=4k,16k\nsize=32m\niodepth=8\nrate=4m,8m\nruntime=1"));
  double bytes[2] = {0, 0};
  for (const Done& done : all) bytes[static_cast<int>(done.request.op)] += done.request.nlb * 512.0;
  const double time = seconds(all.back().completed);
  EXPECT_NEAR(bytes[0] / time, 4 << 20, 0.01 * (4 << 20));
  EXPECT_NEAR(bytes[1] / time, 8 << 20, 0.01 * (8 << 20));
}

TEST(FioTimeTest, PoissonArrivalsHaveTheirMeanAndSpread) {
  const auto all =
      run(job("rw=randread\nbs=4k\nnorandommap\nnumber_ios=20000\nio_size=1g\nrate_iops=10000\n"
              "rate_process=poisson\niodepth=64"));
  ASSERT_EQ(all.size(), 20'000U);
  EXPECT_NEAR(20'000 / seconds(all.back().submitted), 10'000, 300);  // four deviations of the mean
  double squares = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double gap = seconds(all[i].submitted - all[i - 1].submitted) * 10'000;
    squares += gap * gap;
  }
  EXPECT_NEAR(squares / 20'000, 2, 0.2);  // of an exponential distribution
}

TEST(FioTimeTest, ThinkTimeIsMadeUpForUnlessTheRateIgnoresIt) {
  const std::string options =
      "rw=read\nbs=4k\nsize=400k\nrate_iops=1000\nthinktime=20ms\nthinktime_blocks=25\niodepth=4\n";
  const auto catches_up = run(job(options));
  const auto ignores = run(job(options + "rate_ignore_thinktime=1"));
  EXPECT_NEAR(seconds(catches_up.back().completed), 0.1, 0.011);
  EXPECT_NEAR(seconds(ignores.back().completed), 0.16, 0.011);
}

TEST(FioTimeTest, AJobBelowItsMinimumRateEnds) {
  const auto source = source_of(job("rw=read\nbs=4k\nsize=16m\nrate_iops_min=2000\nrate_cycle=10ms"));
  const auto all = Host(*source, 1_ms).run();
  EXPECT_EQ(all.size(), 10U);
  ASSERT_FALSE(source->notices().empty());
  EXPECT_NE(source->notices().back().find("less than its minimum rate"), std::string::npos);
  EXPECT_EQ(run(job("rw=read\nbs=4k\nsize=1m\nrate_iops_min=900\nrate_cycle=10ms"), 1_ms).size(), 256U);
}

TEST(FioTimeTest, ExitAllEndsTheOthers) {
  const std::string jobs =
      "[global]\nioengine=libaio\nbs=4k\nsize=16m\n[fast]\nnumber_ios=10\nexitall\n[slow]\nrw=randread\n";
  const auto group = run(jobs + "[other]\nnew_group\n");
  EXPECT_LE(of(group, 1).size(), 12U);
  EXPECT_EQ(of(group, 2).size(), 4096U);
  const auto all = run("[global]\nexit_what=all\n" + jobs + "[other]\nstonewall\n");
  EXPECT_LE(of(all, 1).size(), 12U);
  EXPECT_EQ(of(all, 2).size(), 0U);
  const auto stonewall = run("[global]\nexit_what=stonewall\n" + jobs + "[other]\nstonewall\n");
  EXPECT_LE(of(stonewall, 1).size(), 12U);
  EXPECT_EQ(of(stonewall, 2).size(), 4096U);
}

TEST(FioTimeTest, ASteadyJobEnds) {
  const auto source =
      source_of(job("rw=read\nbs=4k\nsize=1m\ntime_based\nruntime=10s\nss=iops:5%\nss_dur=20ms\n"
                    "ss_interval=1ms\nss_ramp=5ms"));
  const auto all = Host(*source, 10_us).run();
  EXPECT_NEAR(seconds(all.back().completed), 0.025, 0.002);
  EXPECT_NE(source->notices().back().find("is steady after"), std::string::npos);
  const auto slope =
      run(job("rw=read\nbs=4k\nsize=1m\ntime_based\nruntime=1s\nss=bw_slope:1%\nss_dur=10ms\nss_interval=1ms"));
  EXPECT_NEAR(seconds(slope.back().completed), 0.010, 0.002);
}

TEST(FioTimeTest, RampTimeIsTheJobsOwn) {
  const auto all =
      run("[global]\nioengine=libaio\nbs=4k\nsize=1m\ntime_based\nruntime=5ms\nramp_time=2ms\n[a]\n"
          "[b]\nstonewall\n");
  for (unsigned j = 0; j < 2; ++j) {
    const auto mine = of(all, j);
    EXPECT_NEAR(seconds(mine.back().completed - mine.front().submitted), 0.007, 0.0001);
    for (const Done& done : mine) {
      EXPECT_EQ(done.request.measured_from, mine.front().submitted + 2_ms);
    }
  }
}

TEST(FioTimeTest, TimeHasAnEnd) {
  std::string file = "[global]\nioengine=libaio\nsize=4k\nbs=4k\nstartdelay=20d\n";
  for (int i = 0; i < 8; ++i) file += "[j]\nstonewall\n";
  try {
    (void)run(file);
    FAIL() << "160 days were simulated";
  } catch (const WorkloadError& error) {
    EXPECT_NE(std::string(error.what()).find("beyond 100 days of simulated time"), std::string::npos);
  }
}

}  // namespace
}  // namespace wordline::workload::fio_time_test
