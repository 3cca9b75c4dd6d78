// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reads of one page that wait together, or come while the page is being read: one sense, completions of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "models/units/keyed_random.h"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::read_pairing_test {
namespace {

using onfi::SegmentKind;

constexpr Picoseconds kReadCommand = 195_ns;  // 20 ns + 7 cycles of 25 ns
constexpr Picoseconds kLpage{4648 * 1250};
constexpr Picoseconds kDataOverhead{15'000 + 25'000 + 26'250};
constexpr Picoseconds kEccLatency = 1_us;
constexpr Picoseconds kDramTime{512'000 + 100'000};  // 4096 bytes at 8 GB/s, latency

config::Config paired(bool pair = true) {
  config::Config c = reference_config();
  c.channels.count = 1;
  c.channels.packages = 2;
  c.channels.pair_planes = pair;
  c.dram = {BytesPerSecond(8'000'000'000), 100_ns};
  return c;
}

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

void expect_content(ControllerBench& bench, std::uint32_t slot, unsigned die, std::uint32_t block, std::uint32_t page,
                    std::uint32_t lpage) {
  const nand::StoredLpage content =
      ControllerBench::filled(DieId(static_cast<std::uint16_t>(die)),
                              {PlaneId(static_cast<std::uint8_t>(lpage / 4)), BlockId(block), PageId(page), lpage % 4});
  ASSERT_EQ(bench.buffer.slot(slot), content.token) << "slot " << slot;
  ASSERT_EQ(bench.owner(slot), content.lpn) << "slot " << slot;
}

TEST(ReadPairing, TwoPlanesShareOneSenseAndCompleteByThemselves) {
  ControllerBench bench("bench", paired());
  simulate(
      [&] {
        for (const std::uint16_t lpage : {6, 1}) {
          wl_flash_job job = ControllerBench::read_job(0, 3, 0, lpage, 1, lpage);
          job.tag = lpage;
          bench.push(job);
        }
        bench.doorbell();
        bench.wait_for(2);
      },
      limit());
  expect_content(bench, 6, 0, 3, 0, 6);
  expect_content(bench, 1, 0, 3, 0, 1);
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 1U);
  // 00h-32h, tDBSY, 00h-30h, tR of 37 us; by plane 06h-E0h, tCCS, a logical page.
  const Picoseconds ready = kReadCommand + 100_ns + 500_ns + kReadCommand + 100_ns + 37_us;
  const Picoseconds first = ready + kReadCommand + 400_ns;
  const Picoseconds first_end = first + kDataOverhead + kLpage;
  const Picoseconds second = first_end + 100_ns + kReadCommand + 400_ns;
  const Picoseconds second_end = second + kDataOverhead + kLpage;
  EXPECT_EQ(bench.completion(1).at.count(), (first_end + kEccLatency + kDramTime).count());
  EXPECT_EQ(bench.completion(0).at.count(), (second_end + kEccLatency + kDramTime).count());
  // Each has its own stages: the second waits for the bus until the first is out.
  std::vector<Picoseconds> data;
  for (const ControllerBench::Read& read : bench.reads) data.push_back(read.marks.data);
  EXPECT_EQ(data, (std::vector<Picoseconds>{first, second}));
}

/// Reads of one page number in two planes, of different blocks: one sense where the device allows it.
TEST(ReadPairing, AnyBlockInEachPlaneWhereTheDeviceAllowsIt) {
  config::Config free = paired();
  free.nand.geometry.plane_blocks = config::PlaneBlocks::kAny;
  ControllerBench any("any", free);
  ControllerBench same("same", paired());
  simulate(
      [&] {
        for (ControllerBench* bench : {&any, &same}) {
          bench->push(ControllerBench::read_job(0, 3, 0, 6, 1, 0));
          bench->push(ControllerBench::read_job(0, 2, 0, 1, 1, 1));
          bench->push(ControllerBench::read_job(0, 1, 0, 2, 1, 2));  // plane 0 is taken
          bench->doorbell();
          bench->wait_for(3);
        }
      },
      limit());
  for (ControllerBench* bench : {&any, &same}) {
    expect_content(*bench, 0, 0, 3, 0, 6);
    expect_content(*bench, 1, 0, 2, 0, 1);
    expect_content(*bench, 2, 0, 1, 0, 2);
  }
  EXPECT_EQ(any.dies[0]->array().counters().page_reads, 2U);
  EXPECT_EQ(same.dies[0]->array().counters().page_reads, 3U);
  // Three planes in all, 37 us each at 3.3 V and 25 mA.
  EXPECT_NEAR(any.dies[0]->array().counters().energy.count(), 3 * 3.3 * 0.025 * 37e6, 1);
}

TEST(ReadPairing, NeighbouringLogicalPagesOfSeveralJobsAreOneBurst) {
  ControllerBench bench("bench", paired());
  simulate(
      [&] {
        for (const std::uint16_t lpage : {2, 0, 1, 1}) {
          bench.push(ControllerBench::read_job(0, 1, 0, lpage, 1, lpage * 10U));
        }
        bench.push(ControllerBench::read_job(0, 1, 0, 1, 1, 99));
        bench.doorbell();
        bench.wait_for(5);
      },
      limit());
  EXPECT_EQ(bench.count(SegmentKind::kDataOut), 1U);
  EXPECT_EQ(bench.decoder.decoded, 3U) << "a logical page that two jobs want is decoded once";
  expect_content(bench, 99, 0, 1, 0, 1);
  expect_content(bench, 10, 0, 1, 0, 1);
  expect_content(bench, 20, 0, 1, 0, 2);
  expect_content(bench, 0, 0, 1, 0, 0);
}

TEST(ReadPairing, AReadJoinsAPageThatIsBeingRead) {
  ControllerBench bench("bench", paired());
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 1, 0, 2, 1, 2));
        bench.doorbell();
        sc_core::wait(30, sc_core::SC_US);  // within tR
        bench.push(ControllerBench::read_job(0, 1, 0, 1, 1, 1));
        bench.push(ControllerBench::read_job(0, 1, 0, 5, 1, 5));  // the plane is not sensed: has to wait
        bench.doorbell();
        bench.wait_for(3);
      },
      limit());
  for (const std::uint32_t lpage : {1, 2, 5}) expect_content(bench, lpage, 0, 1, 0, lpage);
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 2U);
  // The column that the read command had set is that of logical page 2; the two go together, which takes a column
  // selection.
  EXPECT_EQ(bench.segments[1].opcode, onfi::kChangeReadColumnEnhanced);
  EXPECT_EQ(bench.segments[2].lpages, 2U);
}

// A read that joins after the first plane's data are out has them transferred again; what a rebuild XORs into its slots
// is there once.
TEST(ReadPairing, ASumTakesATransferOnceThoughAnotherReadJoins) {
  ControllerBench bench("bench", paired());
  simulate(
      [&] {
        wl_flash_job member = ControllerBench::read_job(0, 1, 0, 3, 2, 10);  // of both planes
        member.flags = WL_FLASH_SUM;
        bench.push(member);
        bench.doorbell();
        sc_core::wait(46, sc_core::SC_US);
        bench.push(ControllerBench::read_job(0, 1, 0, 3, 1, 20));
        bench.doorbell();
        bench.wait_for(2);
      },
      limit());
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 1U) << "it has joined";
  EXPECT_EQ(bench.count(SegmentKind::kDataOut), 3U) << "the first plane once more";
  expect_content(bench, 20, 0, 1, 0, 3);
  expect_content(bench, 10, 0, 1, 0, 3);
  expect_content(bench, 11, 0, 1, 0, 4);
}

/// Senses of one read and of three more of its page, which come within tR; with `waits`, behind a read of another page.
std::uint64_t senses_of_joining_reads(bool waits) {
  config::Config c = paired();
  c.channels.starvation_bound = 2;
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 1, 0, 0, 1, 0));
        bench.doorbell();
        sc_core::wait(30, sc_core::SC_US);
        if (waits) bench.push(ControllerBench::read_job(0, 1, 1, 0, 1, 5));
        for (std::uint16_t i = 1; i < 4; ++i) bench.push(ControllerBench::read_job(0, 1, 0, i, 1, i));
        bench.doorbell();
        bench.wait_for(waits ? 5 : 4);
      },
      limit());
  return bench.dies[0]->array().counters().page_reads;
}

TEST(ReadPairing, ReadsJoinASenseUpToTheBoundWhileAnotherPageWaits) {
  // Two may join; the third one goes behind the read of the other page, which makes it a sense of its own.
  EXPECT_EQ(senses_of_joining_reads(true), 3U);
}

TEST(ReadPairing, AnyNumberOfReadsJoinASenseWhileNothingElseWaits) { EXPECT_EQ(senses_of_joining_reads(false), 1U); }

TEST(ReadPairing, OnlyTheReadThatFailedIsRetried) {
  ControllerBench bench("bench", paired());
  unsigned decodes = 0;
  bench.decoder.fails = [&decodes] { return decodes++ == 1; };  // logical page 4, plane 1
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 1, 0, 4, 1, 4));
        bench.push(ControllerBench::read_job(0, 1, 0, 0, 1, 0));
        bench.doorbell();
        bench.wait_for(2);
        sc_core::wait(10, sc_core::SC_US);
      },
      limit());
  EXPECT_EQ(bench.completions[0].entry.id, 1);
  EXPECT_EQ(bench.completion(1).entry.retries, 0);
  EXPECT_EQ(bench.completion(0).entry.retries, 1);
  EXPECT_EQ(bench.count(SegmentKind::kDataOut), 3U);
  EXPECT_EQ(bench.dies[0]->features().read().step, 0U);
  for (const std::uint32_t lpage : {0, 4}) expect_content(bench, lpage, 0, 1, 0, lpage);
}

/// A read that still waits for a logical page that failed gets others again that a later read wants: it must not count
/// them twice.
TEST(ReadPairing, ALogicalPageThatGoesOutTwiceCountsOnce) {
  ControllerBench bench("bench", paired());
  unsigned decodes = 0;
  bench.decoder.fails = [&decodes] { return decodes++ == 0; };  // logical page 0, the first time
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 1, 0, 0, 6, 0));  // both planes
        bench.doorbell();
        while (bench.decoder.decoded < 4) sc_core::wait(1, sc_core::SC_US);  // plane 0 is out, plane 1 is not
        bench.push(ControllerBench::read_job(0, 1, 0, 1, 2, 20));
        bench.doorbell();
        bench.wait_for(2);
      },
      limit());
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 2U);
  EXPECT_EQ(bench.completion(0).entry.retries, 1);
  for (std::uint32_t s = 0; s < 6; ++s) expect_content(bench, s, 0, 1, 0, s);
  for (std::uint32_t s = 0; s < 2; ++s) expect_content(bench, 20 + s, 0, 1, 0, 1 + s);
}

TEST(ReadPairing, ReadsGivenUpEndTogetherAndTheNextJobIsFree) {
  config::Config c = paired();
  c.ecc.max_retries = 1;
  ControllerBench bench("bench", c);
  bench.decoder.fails = [] { return true; };
  simulate(
      [&] {
        for (const std::uint16_t lpage : {4, 4, 0}) bench.push(ControllerBench::read_job(0, 1, 0, lpage, 1, lpage));
        bench.doorbell();
        bench.wait_for(3);
        bench.decoder.fails = [] { return false; };
        bench.push(ControllerBench::read_job(0, 1, 0, 0, 8, 20));
        bench.doorbell();
        bench.wait_for(4);
      },
      limit());
  for (std::uint16_t id = 0; id < 3; ++id) {
    EXPECT_EQ(bench.completion(id).entry.status, WL_FLASH_UNCORRECTABLE);
    EXPECT_EQ(bench.completion(id).entry.retries, 1);
  }
  EXPECT_EQ(bench.ecc_registers.counters().uncorrectable_lpages, 2U) << "logical page 4 once, whoever wants it";
  EXPECT_EQ(bench.completion(3).entry.status, WL_FLASH_OK);
  EXPECT_EQ(bench.controller->outstanding(), 0U);
}

/// READ CACHE: three reads of one die, the second page in order, the third anywhere.
TEST(ReadCache, TimesWorkedOutByHand) {
  config::Config c = paired();
  c.channels.cache_read = true;
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 1, 0, 0, 4, 0));
        bench.push(ControllerBench::read_job(0, 1, 1, 0, 4, 4));
        bench.push(ControllerBench::read_job(0, 2, 9, 6, 1, 8));
        bench.doorbell();
        bench.wait_for(3);
      },
      limit());
  for (std::uint32_t s = 0; s < 4; ++s) expect_content(bench, s, 0, 1, 0, s);
  for (std::uint32_t s = 0; s < 4; ++s) expect_content(bench, 4 + s, 0, 1, 1, s);
  expect_content(bench, 8, 0, 2, 9, 6);
  // Page 0 takes 37 us; 31h, tWB, tRCBSY; four logical pages in place. Then 00h ADDR 31h, which waits for the 46 us of
  // page
  // 1. The DRAM port is asked at the end of the data: the first three logical pages are on it when the last has been
  //    decoded.
  const Picoseconds after_four = 4 * 512_ns + 100_ns;
  const Picoseconds moved = kReadCommand + 100_ns + 37_us + 45_ns + 100_ns + 3_us;
  const Picoseconds first_end = moved + 20_ns + kDataOverhead + 4 * kLpage;
  EXPECT_EQ(bench.completion(0).at.count(), (first_end + after_four).count());
  ASSERT_LT((first_end + 100_ns + kReadCommand + 100_ns).count(), (moved + 46_us).count());
  const Picoseconds second_moved = moved + 46_us + 3_us;
  const Picoseconds second_end = second_moved + 20_ns + kDataOverhead + 4 * kLpage;
  EXPECT_EQ(bench.completion(1).at.count(), (second_end + after_four).count());
  // Page 9 takes 37 us; 3Fh has been given meanwhile. Its logical page is not at column 0: 06h, tCCS.
  const Picoseconds third = second_moved + 37_us + 3_us + kReadCommand + 400_ns + kDataOverhead + kLpage;
  EXPECT_EQ(bench.completion(2).at.count(), (third + kEccLatency + kDramTime).count());
}

/// Page 0 fails behind page 1, and is read again by itself; another read of it comes meanwhile.
TEST(ReadCache, AReadThatJoinsAPageReadAgainHasNoStageBeforeItCame) {
  config::Config c = paired();
  c.channels.cache_read = true;
  ControllerBench bench("bench", c);
  unsigned decodes = 0;
  bench.decoder.fails = [&decodes] { return decodes++ == 0; };
  const auto push = [&bench](std::uint32_t page, std::uint16_t lpage) {
    wl_flash_job job = ControllerBench::read_job(0, 1, page, lpage, 1, lpage);
    job.tag = lpage;
    bench.push(job);
  };
  simulate(
      [&] {
        push(0, 2);
        push(1, 3);
        bench.doorbell();
        while (bench.decoder.decoded < 2) sc_core::wait(1, sc_core::SC_US);
        sc_core::wait(20, sc_core::SC_US);  // page 0 is sensed again
        push(0, 1);
        bench.doorbell();
        bench.wait_for(3);
      },
      limit());
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 3U) << "the third has joined";
  ASSERT_EQ(bench.reads.size(), 3U);
  unsigned retried = 0;
  for (const ControllerBench::Read& read : bench.reads) {
    const tlm_if::ReadMarks& m = read.marks;
    for (const Picoseconds at : {m.command, m.array, m.ready, m.data, m.decode_wait, m.decode})
      EXPECT_GE(at, m.arrived) << "tag " << read.tag;
    if (m.retry < Picoseconds(0)) continue;
    ++retried;
    EXPECT_GE(m.retry, m.arrived) << "tag " << read.tag;
  }
  EXPECT_EQ(retried, 2U) << "both reads of page 0";
}

/// Random reads, failures, with and without pairing and READ CACHE: the same data, fewer senses, all completed.
TEST(ReadPairing, RandomReadsDeliverTheSame) {
  config::Config cached = paired(true);
  cached.channels.cache_read = true;
  cached.channels.packages = 1;
  cached.channels.dies_per_package = 2;
  ControllerBench plain("plain", paired(false));
  ControllerBench pairs("pairs", paired(true));
  ControllerBench cache("cache", cached);
  config::Config free = paired(true);
  free.nand.geometry.plane_blocks = cached.nand.geometry.plane_blocks = config::PlaneBlocks::kAny;
  ControllerBench any("any", free);
  ControllerBench any_cache("any_cache", cached);
  const std::array<ControllerBench*, 5> benches{&plain, &pairs, &cache, &any, &any_cache};
  constexpr std::uint32_t kJobs = 1500;
  const auto job_of = [](std::uint32_t i) {
    const auto draw = [i](std::uint32_t what, std::uint32_t below) {
      return static_cast<std::uint32_t>(keyed_hash(5, i, what) % below);
    };
    const auto lpage = static_cast<std::uint16_t>(draw(3, 8));
    const auto count = static_cast<std::uint16_t>(1 + draw(4, std::min(4U, 8U - lpage)));
    wl_flash_job job = ControllerBench::read_job(static_cast<std::uint16_t>(draw(0, 2)), draw(1, 2), draw(2, 3), lpage,
                                                 count, i % 500 * 8);
    if (draw(5, 4) == 0) job.priority = WL_PRIORITY_GC;
    return job;
  };
  simulate(
      [&] {
        for (ControllerBench* bench : benches) {
          std::uint32_t asked = 0;
          bench->decoder.fails = [&asked] { return keyed_hash(9, asked++) % 10 == 0; };
          for (std::uint32_t i = 0; i < kJobs;) {
            const std::uint32_t end = i + 1 + static_cast<std::uint32_t>(keyed_hash(6, i) % 20);
            const std::uint32_t first = i;
            for (; i < end && i < kJobs; ++i) bench->push(job_of(i));
            bench->doorbell();
            sc_core::wait(static_cast<double>(keyed_hash(7, i) % 400), sc_core::SC_US);
            if (first % 3 == 0 || i >= kJobs) bench->wait_for(i);
          }
        }
      },
      limit());
  for (ControllerBench* bench : benches) {
    EXPECT_EQ(bench->controller->outstanding(), 0U);
    std::set<std::uint16_t> ids;
    for (const SeenCompletion& seen : bench->completions) {
      EXPECT_EQ(seen.entry.status, WL_FLASH_OK);
      ids.insert(seen.entry.id);
    }
    EXPECT_EQ(ids.size(), kJobs);
    for (std::uint32_t i = kJobs - 500; i < kJobs; ++i) {
      const wl_flash_job job = job_of(i);
      for (std::uint32_t s = 0; s < job.count; ++s) {
        expect_content(*bench, job.slot + s, job.die, job.block, job.page, job.lpage + s);
      }
    }
    EXPECT_EQ(bench->checker.violations(), 0U);
  }
  const auto senses = [](const ControllerBench& bench) {
    return bench.dies[0]->array().counters().page_reads + bench.dies[1]->array().counters().page_reads;
  };
  EXPECT_LT(senses(pairs) * 4, senses(plain) * 3);
  EXPECT_LT(senses(any), senses(pairs));
  const auto cached_reads = std::count_if(cache.segments.begin(), cache.segments.end(), [](const SeenSegment& s) {
    return s.kind == SegmentKind::kCommand && s.opcode == onfi::kReadCacheEnd;
  });
  EXPECT_GT(cached_reads, 20);
}

}  // namespace
}  // namespace wordline::testing::read_pairing_test
