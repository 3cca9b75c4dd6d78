// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What options of job files choose, one kind a test: what is asked for, where, in which order.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "testbenches/models/workload/fio_host.h"

namespace wordline::workload::fio_run_test {
namespace {

using namespace fio_host;
using namespace wordline::literals;

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

TEST(FioRunTest, FlowsKeepTheirWeights) {
  const auto all =
      run("[global]\nioengine=libaio\nbs=4k\nsize=16m\ntime_based\nruntime=20ms\niodepth=4\n"
          "[one]\nflow=1\n[five]\nflow=5\n[ten]\nflow=10\n");
  const auto n = [&](unsigned j) { return static_cast<double>(of(all, j).size()); };
  EXPECT_NEAR(n(1) / n(0), 5, 0.2);
  EXPECT_NEAR(n(2) / n(0), 10, 0.4);
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
