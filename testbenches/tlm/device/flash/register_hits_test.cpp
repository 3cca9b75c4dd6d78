// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reads of the page that a die still holds (channels.register_hits): no sense, the same data; and what ends it.
#include <gtest/gtest.h>

#include <functional>

#include "models/units/keyed_random.h"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::register_hits_test {
namespace {

constexpr Picoseconds kColumn = 195_ns + 400_ns;  // 06h ADDR E0h of 20 ns + 7 cycles of 25 ns, tCCS
constexpr Picoseconds kLpage{4648 * 1250};
constexpr Picoseconds kDataOverhead{15'000 + 25'000 + 26'250};
constexpr Picoseconds kEccLatency = 1_us;
constexpr Picoseconds kDramTime{512'000 + 100'000};  // 4096 bytes at 8 GB/s, latency

config::Config keeping(bool hits = true) {
  config::Config c = reference_config();
  c.channels.count = 1;
  c.channels.packages = 2;
  c.channels.register_hits = hits;
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

/// One job, and its end.
void do_job(ControllerBench& bench, const wl_flash_job& job) {
  bench.push(job);
  bench.doorbell();
  bench.wait_for(bench.completions.size() + 1);
}

TEST(RegisterHits, AHitTakesTheColumnSelectionAndTheData) {
  ControllerBench bench("bench", keeping());
  Picoseconds begun{};
  simulate(
      [&] {
        do_job(bench, ControllerBench::read_job(0, 3, 0, 1, 1, 1));
        sc_core::wait(10, sc_core::SC_US);
        begun = tlm_if::to_picoseconds(sc_core::sc_time_stamp());
        wl_flash_job job = ControllerBench::read_job(0, 3, 0, 2, 1, 2);
        job.tag = 7;
        do_job(bench, job);
      },
      limit());
  expect_content(bench, 1, 0, 3, 0, 1);
  expect_content(bench, 2, 0, 3, 0, 2);
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 1U);
  EXPECT_EQ(bench.controller->register_hits(), 1U);
  EXPECT_EQ(bench.completion(1).at.count(),
            (begun + kColumn + kDataOverhead + kLpage + kEccLatency + kDramTime).count());
  const tlm_if::ReadMarks& marks = bench.reads.back().marks;
  EXPECT_EQ(marks.command, begun);
  EXPECT_EQ(marks.array, begun) << "no time in the array";
  EXPECT_EQ(marks.ready, begun);
  EXPECT_EQ(marks.data, begun + kColumn);
}

TEST(RegisterHits, WithoutTheKeyThePageIsSensedAgain) {
  ControllerBench bench("bench", keeping(false));
  simulate(
      [&] {
        for (const std::uint16_t lpage : {1, 2}) do_job(bench, ControllerBench::read_job(0, 3, 0, lpage, 1, lpage));
      },
      limit());
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 2U);
  EXPECT_EQ(bench.controller->register_hits(), 0U);
}

TEST(RegisterHits, OfBothPlanesThatWereSensedTogetherAndOfNoOther) {
  ControllerBench bench("bench", keeping());
  simulate(
      [&] {
        do_job(bench, ControllerBench::read_job(0, 3, 0, 3, 2, 3));   // logical pages 3 and 4: both planes
        do_job(bench, ControllerBench::read_job(0, 3, 0, 6, 1, 6));   // plane 1
        do_job(bench, ControllerBench::read_job(0, 3, 0, 0, 8, 10));  // all of both
        do_job(bench, ControllerBench::read_job(1, 3, 0, 0, 1, 20));  // another die has its own register
        do_job(bench, ControllerBench::read_job(0, 3, 0, 7, 1, 30));
        do_job(bench, ControllerBench::read_job(0, 3, 1, 0, 1, 40));  // another page: plane 0 alone
        do_job(bench, ControllerBench::read_job(0, 3, 1, 3, 2, 50));  // plane 1 is not there
      },
      limit());
  EXPECT_EQ(bench.controller->register_hits(), 3U);
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 3U);
  EXPECT_EQ(bench.dies[1]->array().counters().page_reads, 1U);
  expect_content(bench, 6, 0, 3, 0, 6);
  for (std::uint32_t lpage = 0; lpage < 8; ++lpage) expect_content(bench, 10 + lpage, 0, 3, 0, lpage);
  expect_content(bench, 30, 0, 3, 0, 7);
  expect_content(bench, 51, 0, 3, 1, 4);
}

TEST(RegisterHits, EachPlaneKeepsAPageOfItsOwn) {
  ControllerBench bench("bench", keeping());
  simulate(
      [&] {
        do_job(bench, ControllerBench::read_job(0, 3, 0, 0, 1, 0));  // plane 0
        do_job(bench, ControllerBench::read_job(0, 2, 1, 5, 1, 1));  // plane 1
        do_job(bench, ControllerBench::read_job(0, 3, 0, 2, 1, 2));
        do_job(bench, ControllerBench::read_job(0, 2, 1, 6, 1, 3));
        do_job(bench, ControllerBench::read_job(0, 3, 1, 1, 1, 4));  // another page of plane 0
        do_job(bench, ControllerBench::read_job(0, 2, 1, 4, 1, 5));
        do_job(bench, ControllerBench::read_job(0, 2, 1, 3, 2, 6));  // plane 0 does not hold it
      },
      limit());
  EXPECT_EQ(bench.controller->register_hits(), 3U);
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 4U);
  expect_content(bench, 2, 0, 3, 0, 2);
  expect_content(bench, 3, 0, 2, 1, 6);
  expect_content(bench, 5, 0, 2, 1, 4);
  expect_content(bench, 7, 0, 2, 1, 4);
}

// Whatever the array does in between ends it; the die itself reports a data out that it cannot give.
TEST(RegisterHits, AProgramAnEraseAndAnotherReadEndIt) {
  ControllerBench bench("bench", keeping());
  const auto again = [&] { do_job(bench, ControllerBench::read_job(0, 3, 0, 1, 1, 1)); };
  simulate(
      [&] {
        again();
        do_job(bench, bench.write_job(WL_FLASH_ERASE, 0, 2, 0, 0));
        again();
        for (std::uint32_t slot = 100; slot < 124; ++slot) bench.owner(slot) = slot;
        do_job(bench, bench.write_job(WL_FLASH_PROGRAM, 0, 2, 0, 100));
        again();
        do_job(bench, ControllerBench::read_job(0, 1, 0, 1, 1, 1));
        again();
        wl_flash_job at_step = ControllerBench::read_job(0, 1, 0, 1, 1, 1);  // by the retry, which is not kept
        at_step.control = WL_RETRY_SET | 1U << WL_RETRY_STEP_SHIFT;
        do_job(bench, at_step);
        again();
        EXPECT_EQ(bench.controller->register_hits(), 0U);
        do_job(bench, bench.write_job(WL_FLASH_ERASE, 1, 2, 0, 0));  // of the other die
        again();
      },
      limit());
  EXPECT_EQ(bench.controller->register_hits(), 1U);
}

TEST(RegisterHits, AReadThatFailedIsSensedAgain) {
  config::Config config = keeping();
  ControllerBench bench("bench", config);
  bool fails = true;
  bench.decoder.fails = [&] {
    const bool now = fails;
    fails = false;
    return now;
  };
  simulate(
      [&] {
        do_job(bench, ControllerBench::read_job(0, 3, 0, 1, 1, 1));
        const std::uint64_t sensed = bench.dies[0]->array().counters().page_reads;
        EXPECT_GE(sensed, 2U) << "a retry";
        do_job(bench, ControllerBench::read_job(0, 3, 0, 2, 1, 2));
        EXPECT_EQ(bench.dies[0]->array().counters().page_reads, sensed + 1);
        do_job(bench, ControllerBench::read_job(0, 3, 0, 3, 1, 3));
        fails = true;  // a hit may fail as well: what follows is a retry as ever
        do_job(bench, ControllerBench::read_job(0, 3, 0, 0, 1, 4));
      },
      limit());
  EXPECT_EQ(bench.controller->register_hits(), 2U);
  expect_content(bench, 4, 0, 3, 0, 0);
}

// With a block of its own in each plane: a read that comes during a hit takes part only where its block's page is held.
TEST(RegisterHits, AReadThatComesDuringOneMayWantAnotherBlock) {
  config::Config config = keeping();
  config.nand.geometry.plane_blocks = config::PlaneBlocks::kAny;
  config.channels.pair_planes = true;
  ControllerBench bench("bench", config);
  std::uint64_t sensed = 0;
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 0, 1, 0, 1, 7));
        bench.push(ControllerBench::read_job(0, 3, 0, 0, 1, 0));  // these two wait for it, and are sensed together
        bench.push(ControllerBench::read_job(0, 2, 0, 4, 1, 1));
        bench.doorbell();
        bench.wait_for(3);
        sensed = bench.dies[0]->array().counters().page_reads;
        bench.push(ControllerBench::read_job(0, 3, 0, 0, 4, 2));
        bench.doorbell();
        sc_core::wait(1, sc_core::SC_US);
        bench.push(ControllerBench::read_job(0, 1, 0, 4, 1, 6));
        bench.doorbell();
        bench.wait_for(5);
      },
      limit());
  EXPECT_EQ(bench.controller->register_hits(), 1U);
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, sensed + 1);
  expect_content(bench, 1, 0, 2, 0, 4);
  expect_content(bench, 5, 0, 3, 0, 3);
  expect_content(bench, 6, 0, 1, 0, 4);
}

class RandomRegisterHits : public ::testing::TestWithParam<std::uint64_t> {};

// Random jobs on few pages: every read brings what the cells hold, whether it was a sense or a hit.
TEST_P(RandomRegisterHits, BringWhatTheCellsHold) {
  const std::uint64_t seed = GetParam();
  config::Config config = keeping();
  config.channels.suspend = config::SuspendPolicy::kBoth;
  config.channels.cache_read = seed % 2 == 0;
  if (seed > 2) config.nand.geometry.plane_blocks = config::PlaneBlocks::kAny;
  config.channels.pair_planes = seed > 2;
  config.channels.split_data_out = seed % 3 == 0;
  if (seed > 4) config.channels.hand_over = 3_us;
  ControllerBench bench("bench", config);
  struct Expected {
    std::uint32_t slot, block, page, lpage;
    unsigned die;
  };
  std::vector<Expected> expected;
  simulate(
      [&] {
        std::uint32_t slot = 0;
        std::size_t jobs = 0;
        for (std::uint64_t i = 0; i < 400; ++i) {
          const auto draw = [&](std::uint64_t what, std::uint64_t range) {
            return static_cast<std::uint16_t>(keyed_hash(seed, i, what) % range);
          };
          const std::uint16_t die = draw(0, 2);
          if (draw(1, 8) == 0) {
            bench.push(bench.write_job(WL_FLASH_ERASE, die, 3, 0, 0));
          } else {
            const std::uint16_t lpage = draw(2, 8);
            const auto count = static_cast<std::uint16_t>(1 + draw(3, 8U - lpage));
            const std::uint16_t block = draw(4, 2);
            const std::uint16_t page = draw(5, 2);
            bench.push(ControllerBench::read_job(die, block, page, lpage, count, slot));
            for (std::uint32_t k = 0; k < count; ++k)
              expected.push_back({slot + k, block, page, std::uint32_t{lpage} + k, die});
            slot += count;
          }
          bench.doorbell();
          ++jobs;
          if (draw(6, 3) != 0) bench.wait_for(jobs);
        }
        bench.wait_for(jobs);
      },
      {10, sc_core::SC_SEC});
  for (const Expected& e : expected) expect_content(bench, e.slot, e.die, e.block, e.page, e.lpage);
  EXPECT_GT(bench.controller->register_hits(), 20U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRegisterHits, ::testing::Values(1, 2, 3, 4, 5, 6));

}  // namespace
}  // namespace wordline::testing::register_hits_test
