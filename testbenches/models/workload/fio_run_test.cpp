// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What options of job files do, one kind a test: jobs at work on a drive that takes the same time for every request.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/workload/fio/parse.h"
#include "models/workload/fio/scaled.h"
#include "models/workload/fio/source.h"

namespace wordline::workload::fio_run_test {
namespace {

using namespace wordline::literals;

constexpr std::uint64_t kDriveBytes = 64ULL << 20;

std::unique_ptr<Source> source_of(const std::string& file, std::uint64_t seed = 1) {
  LoadOptions load;
  load.drive_lbas = kDriveBytes / kLbaBytes;
  load.seed = seed;
  return fio::make_source("t.fio", fio::parse("t.fio", file), load);
}

struct Done {
  Request request;
  Picoseconds submitted, completed;
};

/// A host with one drive, whose requests take `latency` each. Asks jobs when Source says that they are to be asked.
class Host {
 public:
  Host(Source& source, Picoseconds latency)
      : source_(source), latency_(latency), free_(source.jobs()), wait_(source.jobs()), asleep_(source.jobs()) {
    for (unsigned job = 0; job < source.jobs(); ++job) free_[job] = source.depth(job);
  }

  std::vector<Done> run(std::size_t most = 1'000'000) {
    while (done_.size() < most) {
      issue();
      Picoseconds next = flying_.empty() ? Source::kNever : Picoseconds(flying_.begin()->first);
      for (unsigned job = 0; job < free_.size(); ++job) {
        if (asleep_[job] && wait_[job] < Source::kOnCompletion && free_[job] != 0) next = std::min(next, wait_[job]);
      }
      if (next == Source::kNever) break;
      now_ = next;
      complete();
    }
    return done_;
  }
  [[nodiscard]] unsigned deepest() const { return deepest_; }

 private:
  void issue() {
    for (bool again = true; again;) {
      again = false;
      for (unsigned job = 0; job < free_.size(); ++job) {
        while (free_[job] != 0 && (!asleep_[job] || wait_[job] <= now_)) {
          Request request;
          if (source_.next(job, now_, request)) {
            --free_[job];
            flying_.insert({(now_ + latency_).count(), {request, now_, now_ + latency_}});
            deepest_ = std::max(deepest_, static_cast<unsigned>(flying_.size()));
            asleep_[job] = false;
            continue;
          }
          asleep_[job] = true;
          wait_[job] = source_.resume(job);
          if (wait_[job] == Source::kNever) {
            free_[job] = 0;
            // Another job's end: those that wait for something are asked.
            for (unsigned other = 0; other < free_.size(); ++other) {
              if (free_[other] != 0) asleep_[other] = false;
            }
            again = true;
          }
        }
      }
    }
  }

  void complete() {
    while (!flying_.empty() && flying_.begin()->first <= now_.count()) {
      const Done done = flying_.begin()->second;
      flying_.erase(flying_.begin());
      const unsigned job = done.request.job;
      ++free_[job];
      asleep_[job] = false;
      done_.push_back(done);
      if (source_.completed(done.request, done.submitted, done.completed)) asleep_.assign(asleep_.size(), false);
    }
  }

  Source& source_;
  Picoseconds latency_;
  Picoseconds now_{};
  std::vector<unsigned> free_;
  std::vector<Picoseconds> wait_;
  std::vector<bool> asleep_;
  std::multimap<std::int64_t, Done> flying_;
  std::vector<Done> done_;
  unsigned deepest_ = 0;
};

std::vector<Done> run(const std::string& file, Picoseconds latency = 10_us, std::uint64_t seed = 1) {
  const auto source = source_of(file, seed);
  return Host(*source, latency).run();
}

std::vector<Done> of(const std::vector<Done>& all, unsigned job) {
  std::vector<Done> result;
  for (const Done& done : all) {
    if (done.request.job == job) result.push_back(done);
  }
  return result;
}

std::size_t count(const std::vector<Done>& all, Op op) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Done& done) { return done.request.op == op; }));
}

double seconds(Picoseconds time) { return static_cast<double>(time.count()) * 1e-12; }

std::string job(const std::string& options) { return "[a]\nioengine=libaio\n" + options + "\n"; }

TEST(FioRunTest, StonewalledJobsDoNotOverlap) {
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

TEST(FioRunTest, AFlushThatEndsAJobEndsItForTheNextOneToo) {
  for (const char* depth : {"1", "8"}) {
    const auto all = run("[global]\nioengine=libaio\nbs=4k\nsize=64k\nrw=write\niodepth=" + std::string(depth) +
                         "\n[a]\nfsync=16\n[b]\nstonewall\n");
    EXPECT_EQ(count(of(all, 0), Op::kFlush), 1U);
    ASSERT_EQ(of(all, 1).size(), 16U) << depth;
    EXPECT_GE(of(all, 1).front().submitted, of(all, 0).back().completed);
  }
}

TEST(FioRunTest, AStonewallLiesBeforeAJobNotBetweenItsClones) {
  const auto all = run("[global]\nioengine=libaio\nsize=64k\nbs=4k\nrw=read\n[a]\n[b]\nstonewall\nnumjobs=3\n");
  EXPECT_EQ(of(all, 1).front().submitted, of(all, 3).front().submitted);
  EXPECT_GE(of(all, 1).front().submitted, of(all, 0).back().completed);
}

TEST(FioRunTest, WaitForNamesOneJob) {
  const auto all =
      run("[global]\nioengine=libaio\nbs=4k\n[short]\nsize=64k\nnumjobs=2\n[long]\nsize=1m\n"
          "[after]\nwait_for=short\nsize=64k\n");
  EXPECT_GE(of(all, 3).front().submitted, of(all, 0).back().completed);
  EXPECT_LT(of(all, 3).back().completed, of(all, 2).back().completed);
}

TEST(FioRunTest, StartDelayAndThinkTime) {
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
TEST(FioRunTest, ThinkTimeAtADepth) {
  const auto all = run(job("rw=read\nsize=1m\nbs=4k\nthinktime=2000\nthinktime_blocks=8\niodepth=8"));
  ASSERT_EQ(all.size(), 256U);
  unsigned pauses = 0;
  for (std::size_t i = 1; i < all.size(); ++i) pauses += all[i].submitted - all[i - 1].submitted >= 2_ms ? 1 : 0;
  EXPECT_NEAR(pauses, 256 / 8, 1);
}

TEST(FioRunTest, ThinkTimeAfterEveryRequestAtDepthOne) {
  const auto all = run(job("rw=read\nsize=32k\nbs=4k\nthinktime=2ms\nthinktime_spin=1ms"));
  ASSERT_EQ(all.size(), 8U);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_EQ(all[i].submitted - all[i - 1].completed, 2_ms);
}

TEST(FioRunTest, AFasterHostAndMoreInFlightAreScalesOfTheWholeFile) {
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

TEST(FioRunTest, RateIopsIsMetWithinOnePercent) {
  for (const char* depth : {"1", "16"}) {
    const auto all = run(job("rw=randread\nbs=4k\nnorandommap\nnumber_ios=2000\nrate_iops=5000\nio_size=1g\niodepth=" +
                             std::string(depth)));
    ASSERT_EQ(all.size(), 2000U);
    EXPECT_NEAR(2000 / seconds(all.back().submitted), 5000, 50);
  }
  const auto slow = run(job("rw=read\nbs=4k\nsize=4m\nrate_iops=1000000"), 100_us);
  EXPECT_NEAR(1024 / seconds(slow.back().completed), 10'000, 10);  // the drive's own rate
}

TEST(FioRunTest, RateIsInBytesAndByDirection) {
  const auto all = run(job("rw=rw\nbs=4k,16k\nsize=32m\niodepth=8\nrate=4m,8m\nruntime=1"));
  double bytes[2] = {0, 0};
  for (const Done& done : all) bytes[static_cast<int>(done.request.op)] += done.request.nlb * 512.0;
  const double time = seconds(all.back().completed);
  EXPECT_NEAR(bytes[0] / time, 4 << 20, 0.01 * (4 << 20));
  EXPECT_NEAR(bytes[1] / time, 8 << 20, 0.01 * (8 << 20));
}

TEST(FioRunTest, PoissonArrivalsHaveTheirMeanAndSpread) {
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

TEST(FioRunTest, ThinkTimeIsMadeUpForUnlessTheRateIgnoresIt) {
  const std::string options =
      "rw=read\nbs=4k\nsize=400k\nrate_iops=1000\nthinktime=20ms\nthinktime_blocks=25\niodepth=4\n";
  const auto catches_up = run(job(options));
  const auto ignores = run(job(options + "rate_ignore_thinktime=1"));
  EXPECT_NEAR(seconds(catches_up.back().completed), 0.1, 0.011);
  EXPECT_NEAR(seconds(ignores.back().completed), 0.16, 0.011);
}

TEST(FioRunTest, AJobBelowItsMinimumRateEnds) {
  const auto source = source_of(job("rw=read\nbs=4k\nsize=16m\nrate_iops_min=2000\nrate_cycle=10ms"));
  const auto all = Host(*source, 1_ms).run();
  EXPECT_EQ(all.size(), 10U);
  ASSERT_FALSE(source->notices().empty());
  EXPECT_NE(source->notices().back().find("less than its minimum rate"), std::string::npos);
  EXPECT_EQ(run(job("rw=read\nbs=4k\nsize=1m\nrate_iops_min=900\nrate_cycle=10ms"), 1_ms).size(), 256U);
}

TEST(FioRunTest, SplitSizesHaveTheirShares) {
  const auto all = run(job("rw=randread\nnorandommap\nbssplit=4k/50:8k/20:16k/30\nnumber_ios=20000\nio_size=4g"));
  ASSERT_EQ(all.size(), 20'000U);
  std::map<std::uint32_t, double> share;
  for (const Done& done : all) share[done.request.nlb] += 1.0 / 20'000;
  ASSERT_EQ(share.size(), 3U);
  EXPECT_NEAR(share[8], 0.5, 0.02);
  EXPECT_NEAR(share[16], 0.2, 0.02);
  EXPECT_NEAR(share[32], 0.3, 0.02);
}

TEST(FioRunTest, RangesGiveMultiplesOfTheSmallestSize) {
  std::set<std::uint32_t> seen;
  for (const Done& done : run(job("rw=read\nbsrange=4k-16k\nsize=16m"))) seen.insert(done.request.nlb);
  EXPECT_EQ(seen, (std::set<std::uint32_t>{8, 16, 24, 32}));
}

TEST(FioRunTest, DirectionsHaveTheirOwnSizes) {
  for (const Done& done : run(job("rw=randrw\nbsrange=4k-8k,16k-16k\nsize=16m"))) {
    EXPECT_EQ(done.request.nlb > 16, done.request.op == Op::kWrite);
  }
  const auto kinds = run(job("rw=randread\nbs=4k,64k\nbs_is_seq_rand=1\npercentage_random=50\nnorandommap\nsize=16m"));
  std::set<std::uint32_t> seen;
  for (const Done& done : kinds) seen.insert(done.request.nlb);
  EXPECT_EQ(seen, (std::set<std::uint32_t>{8, 128}));
}

TEST(FioRunTest, RandomMapOfMixedSizesCoversEveryBlockOnce) {
  for (const char* sizes : {"bssplit=4k/50:8k/30:64k/20", "bsrange=512-32k", "bssplit=512/10:4k/90\nblockalign=4k"}) {
    std::vector<int> covered(8 * 2048, 0);
    std::uint64_t bytes = 0;
    for (const Done& done : run(job(std::string("rw=randwrite\nsize=8m\n") + sizes))) {
      bytes += done.request.nlb * 512;
      for (std::uint32_t i = 0; i < done.request.nlb; ++i) ++covered.at(done.request.lba.value() + i);
    }
    EXPECT_EQ(std::count_if(covered.begin(), covered.end(), [](int n) { return n > 1; }), 0) << sizes;
    if (std::string(sizes).find("align") != std::string::npos) continue;
    EXPECT_EQ(bytes, 8U << 20) << sizes;
    EXPECT_EQ(std::count(covered.begin(), covered.end(), 1), 8 * 2048) << sizes;
  }
}

/// fio begins a request that meets a covered block where the gap behind it begins, so that few are cut short: 256
/// requests (3.33), where any uncovered block would make 507 of them.
TEST(FioRunTest, RandomMapOfMixedSizesKeepsTheirSizes) {
  const auto all = run(job("rw=randwrite\nsize=16m\nbssplit=4k/10:64k/40:128k/50"));
  EXPECT_NEAR(static_cast<double>(all.size()), 256, 30);
}

TEST(FioRunTest, LfsrTouchesEveryBlockOnceWithoutAMap) {
  std::set<std::uint64_t> seen;
  for (const Done& done : run(job("rw=randread\nbs=4k\nsize=1m\nnorandommap\nrandom_generator=lfsr"))) {
    seen.insert(done.request.lba.value());
  }
  EXPECT_EQ(seen.size(), 256U);
}

TEST(FioRunTest, ZonesGetTheirShareOfTheAccesses) {
  const auto all =
      run(job("rw=randread\nbs=4k\nsize=32m\nnorandommap\nnumber_ios=20000\nio_size=1g\n"
              "random_distribution=zoned:50/5:30/15:20/80"));
  double share[3] = {0, 0, 0};
  for (const Done& done : all) {
    const double at = static_cast<double>(done.request.lba.value()) * 512 / (32 << 20);
    share[at < 0.05 ? 0 : at < 0.2 ? 1 : 2] += 1.0 / 20'000;
  }
  EXPECT_NEAR(share[0], 0.5, 0.02);
  EXPECT_NEAR(share[1], 0.3, 0.02);
  EXPECT_NEAR(share[2], 0.2, 0.02);
}

TEST(FioRunTest, HolesAndBackwards) {
  // fio's own test t0007: 1 MiB each 1.5 MiB of 128 MiB are 85 reads.
  LoadOptions load;
  load.drive_lbas = (128ULL << 20) / 512;
  const auto holes = fio::make_source("t.fio", fio::parse("t.fio", job("size=128m\nrw=read:512k\nbs=1m")), load);
  const auto all = Host(*holes, 1_us).run();
  ASSERT_EQ(all.size(), 85U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].request.lba.value(), i * 3072);
  const auto back = run(job("rw=read:-8k\nbs=4k\nsize=64k"));
  ASSERT_EQ(back.size(), 16U);
  EXPECT_EQ(back[0].request.lba.value(), 0U);
  for (std::size_t i = 1; i < 15; ++i) EXPECT_EQ(back[i].request.lba.value(), (64 - 8 - 4 * (i - 1)) * 2) << i;
}

TEST(FioRunTest, OneRandomOffsetForSeveralRequests) {
  const auto sequential = run(job("rw=randread:4\nbs=4k\nsize=16m\nnorandommap\nnumber_ios=400"));
  std::size_t follows = 0;
  for (std::size_t i = 1; i < 400; ++i) {
    follows += sequential[i].request.lba.value() == sequential[i - 1].request.lba.value() + 8 ? 1U : 0U;
  }
  EXPECT_NEAR(static_cast<double>(follows), 300, 3);
  const auto same = run(job("rw=randread:4\nrw_sequencer=identical\nbs=4k\nsize=16m\nnorandommap\nnumber_ios=400"));
  for (std::size_t i = 0; i < 400; ++i) EXPECT_EQ(same[i].request.lba, same[i / 4 * 4].request.lba) << i;
}

TEST(FioRunTest, PercentageRandom) {
  const auto all = run(job("rw=randread\nbs=4k\nnorandommap\nnumber_ios=10000\nio_size=1g\npercentage_random=30"));
  std::size_t follows = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    follows += all[i].request.lba.value() == all[i - 1].request.lba.value() + 8 ? 1U : 0U;
  }
  EXPECT_NEAR(static_cast<double>(follows), 7000, 200);
}

TEST(FioRunTest, StridedZones) {
  const auto all = run(job("rw=read\nbs=4k\nzonemode=strided\nzonesize=16k\nzoneskip=48k\nsize=256k\nio_size=64k"));
  ASSERT_EQ(all.size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(all[i].request.lba.value(), i / 4 * 128 + i % 4 * 8);
}

TEST(FioRunTest, FlushAfterEveryNWritesAndAtTheEnd) {
  const auto flushes = [](const std::string& options) {
    return count(run(job("bs=4k\nsize=400k\n" + options)), Op::kFlush);
  };
  EXPECT_EQ(flushes("rw=write\nfsync=10"), 10U);
  EXPECT_EQ(flushes("rw=write\nfdatasync=25"), 4U);
  EXPECT_EQ(flushes("rw=write\nfsync=30"), 3U);
  EXPECT_EQ(flushes("rw=write\nfsync=30\nend_fsync=1"), 4U);
  EXPECT_EQ(flushes("rw=write\nfsync=10\nend_fsync=1"), 10U);  // nothing is left to flush
  EXPECT_EQ(flushes("rw=write\nend_fsync"), 1U);
  EXPECT_EQ(flushes("rw=write\nfsync_on_close=1\nloops=3"), 3U);
  EXPECT_EQ(flushes("rw=read\nfsync=10\nend_fsync=1"), 0U);
  EXPECT_EQ(flushes("rw=write"), 0U);
  EXPECT_EQ(flushes("rw=write\nfsync=1\niodepth=8"), 100U);
}

TEST(FioRunTest, NothingIsIssuedWhileAFlushIsInFlightAndTheLastOneWaits) {
  const auto all = run(job("bs=4k\nsize=400k\nrw=write\niodepth=8\nfsync=10\nend_fsync=1"));
  for (const Done& flush : all) {
    if (flush.request.op != Op::kFlush) continue;
    for (const Done& other : all) {
      EXPECT_FALSE(other.submitted > flush.submitted && other.submitted < flush.completed);
    }
  }
  const auto end = run(job("bs=4k\nsize=400k\nrw=write\niodepth=8\nend_fsync=1"));
  EXPECT_EQ(end.back().request.op, Op::kFlush);
  EXPECT_EQ(end.back().submitted, end[end.size() - 2].completed);
}

TEST(FioRunTest, SyncWritesHaveFua) {
  const auto fua = [](const std::string& options) {
    const auto all = run(job("bs=4k\nsize=64k\nrw=rw\n" + options));
    unsigned writes = 0, reads = 0;
    for (const Done& done : all) (done.request.op == Op::kWrite ? writes : reads) += done.request.fua ? 1 : 0;
    return std::pair(writes == count(all, Op::kWrite), reads == count(all, Op::kRead));
  };
  EXPECT_EQ(fua("sync=1"), std::pair(true, false));
  EXPECT_EQ(fua("sync=dsync"), std::pair(true, false));
  EXPECT_EQ(fua("sync=none"), std::pair(false, false));
  EXPECT_EQ(fua("writefua=1\nreadfua=1"), std::pair(true, true));
}

TEST(FioRunTest, LoopsRepeatTheJobFromTheBegin) {
  const auto all = run(job("rw=write\nbs=4k\nsize=64k\nloops=3"));
  ASSERT_EQ(all.size(), 48U);
  for (std::size_t i = 0; i < 48; ++i) EXPECT_EQ(all[i].request.lba.value(), i % 16 * 8);
  std::map<std::uint64_t, int> times;
  const auto random = run(job("rw=randread\nbs=4k\nsize=64k\nloops=3\niodepth=4"));
  for (const Done& done : random) ++times[done.request.lba.value()];
  EXPECT_EQ(times.size(), 16U);
  for (const auto& [lba, n] : times) EXPECT_EQ(n, 3) << lba;
}

TEST(FioRunTest, VerifyReadsBackWhatWasWritten) {
  for (const char* rw : {"rw=write", "rw=randwrite", "rw=randwrite\nnorandommap", "rw=randrw\nbsrange=4k-16k",
                         "rw=randwrite\nverify_backlog=16", "rw=write\nverify_backlog=8\nverify_backlog_batch=4"}) {
    const auto all = run(job(std::string("bs=4k\nsize=1m\niodepth=8\nverify=crc32c\n") + rw));
    std::set<std::uint64_t> written, read;
    std::uint64_t last_write = 0, first_read = UINT64_MAX;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Request& r = all[i].request;
      const bool writes = r.op == Op::kWrite;
      for (std::uint32_t b = 0; b < r.nlb; ++b) (writes ? written : read).insert(r.lba.value() + b);
      if (writes) last_write = i;
      if (!writes) first_read = std::min<std::uint64_t>(first_read, i);
    }
    EXPECT_TRUE(std::includes(read.begin(), read.end(), written.begin(), written.end())) << rw;
    const std::string options = rw;
    if (options.find("backlog") != std::string::npos) {
      EXPECT_LT(first_read, last_write) << rw;
    }
    if (options == "rw=write") {
      EXPECT_EQ(all.size(), 512U);
      EXPECT_LT(last_write, first_read);
    }
  }
  EXPECT_EQ(run(job("rw=write\nbs=4k\nsize=1m\nverify=md5\ndo_verify=0")).size(), 256U);
  EXPECT_EQ(run(job("rw=read\nbs=4k\nsize=1m\nverify=md5")).size(), 256U);
  EXPECT_EQ(run(job("rw=write\nbs=4k\nsize=64k\nverify=md5\nloops=2")).size(), 64U);
}

TEST(FioRunTest, TrimWriteTrimsThenWritesTheSamePlace) {
  for (const char* options :
       {"rw=trimwrite\nbs=4k", "rw=randtrimwrite\nbs=4k", "rw=randtrimwrite\nbssplit=4k/50:8k/50"}) {
    const auto all = run(job(std::string("size=1m\n") + options));
    ASSERT_EQ(all.size() % 2, 0U);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < all.size(); i += 2) {
      EXPECT_EQ(all[i].request.op, Op::kTrim);
      EXPECT_EQ(all[i + 1].request.op, Op::kWrite);
      EXPECT_EQ(all[i].request.lba, all[i + 1].request.lba);
      EXPECT_EQ(all[i].request.nlb, all[i + 1].request.nlb);
      bytes += all[i].request.nlb * 512;
    }
    EXPECT_EQ(bytes, 1U << 20) << options;
  }
}

TEST(FioRunTest, ExitAllEndsTheOthers) {
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

TEST(FioRunTest, FlowsKeepTheirWeights) {
  const auto all =
      run("[global]\nioengine=libaio\nbs=4k\nsize=16m\ntime_based\nruntime=20ms\niodepth=4\n"
          "[one]\nflow=1\n[five]\nflow=5\n[ten]\nflow=10\n");
  const auto n = [&](unsigned j) { return static_cast<double>(of(all, j).size()); };
  EXPECT_NEAR(n(1) / n(0), 5, 0.2);
  EXPECT_NEAR(n(2) / n(0), 10, 0.4);
}

TEST(FioRunTest, ASteadyJobEnds) {
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

TEST(FioRunTest, RampTimeIsTheJobsOwn) {
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

TEST(FioRunTest, BatchesOfCompletions) {
  const auto all = run(job("rw=read\nbs=4k\nsize=1m\niodepth=8\niodepth_batch_complete=8"));
  std::map<std::int64_t, int> at;
  for (const Done& done : all) ++at[done.submitted.count()];
  for (const auto& [time, n] : at) EXPECT_EQ(n, 8) << time;
}

TEST(FioRunTest, OverlappingRequestsAreSerialized) {
  const auto all = run(job("rw=randwrite\nbs=4k\nsize=32k\nnorandommap\nio_size=1m\niodepth=8\nserialize_overlap=1"));
  ASSERT_EQ(all.size(), 256U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const bool same = all[i].request.lba == all[k].request.lba;
      EXPECT_FALSE(same && all[i].submitted < all[k].completed && all[k].submitted < all[i].completed);
    }
  }
}

TEST(FioRunTest, CreateOnlyDoesNoIo) { EXPECT_TRUE(run(job("rw=write\nsize=1m\ncreate_only=1\nend_fsync=1")).empty()); }

TEST(FioRunTest, FilesOfAJobAreOneRegion) {
  EXPECT_EQ(run(job("rw=write\nbs=4k\nfilesize=16k\nnrfiles=4")).size(), 16U);
  EXPECT_EQ(run(job("rw=write\nbs=4k\nfilesize=16k\nsize=32k")).size(), 8U);
  EXPECT_EQ(run(job("rw=write\nbs=1m\nfilesize=16k\nfill_device=1")).size(), 64U);
  EXPECT_EQ(run(job("rw=read\nbs=512\nsize=20000")).size(), 39U);
}

TEST(FioRunTest, SeedDecidesDrawsOfAllKinds) {
  const std::string options =
      "rw=randrw\nbssplit=4k/50:8k/50\nsize=4m\nrate_iops=9000\nrate_process=poisson\nstartdelay=1ms-9ms\n"
      "percentage_random=80\niodepth=4";
  const auto trace = [&](std::uint64_t seed) {
    std::vector<std::uint64_t> result;
    for (const Done& done : run(job(options), 10_us, seed)) {
      result.push_back(done.request.lba.value());
      result.push_back(static_cast<std::uint64_t>(done.submitted.count()));
    }
    return result;
  };
  EXPECT_EQ(trace(3), trace(3));
  EXPECT_NE(trace(3), trace(4));
}

TEST(FioRunTest, TimeHasAnEnd) {
  std::string file = "[global]\nioengine=libaio\nsize=4k\nbs=4k\nstartdelay=20d\n";
  for (int i = 0; i < 8; ++i) file += "[j]\nstonewall\n";
  try {
    (void)run(file);
    FAIL() << "160 days were simulated";
  } catch (const WorkloadError& error) {
    EXPECT_NE(std::string(error.what()).find("beyond 100 days of simulated time"), std::string::npos);
  }
}

TEST(FioRunTest, ThePlanSaysWhatWillHappen) {
  const auto source = source_of(
      "[a]\nioengine=libaio\nrw=randwrite\nbs=4k\niodepth=8\nsize=1m\noffset=1m\nrate_iops=100\n"
      "fsync=32\n[b]\nstonewall\nrw=read\nruntime=5\ntime_based\n");
  const std::vector<std::string> plan = source->plan();
  const std::vector<std::string> expected = {"[a]",
                                             "  randwrite, blocks of 4k, 8 in flight",
                                             "  begins at once",
                                             "  addresses 1048576 to 2097152",
                                             "  1 MiB, 256 requests",
                                             "  at most 100 IOPS of writes",
                                             "  a FLUSH after every 32 writes",
                                             "[b]",
                                             "  read, blocks of 4k, 1 in flight",
                                             "  begins when all 1 above it are over",
                                             "  addresses 0 to 67108864",
                                             "  for 5 s"};
  EXPECT_EQ(plan, expected);
}

}  // namespace
}  // namespace wordline::workload::fio_run_test
