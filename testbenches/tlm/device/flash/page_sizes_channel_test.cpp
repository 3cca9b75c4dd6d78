// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Jobs of a channel whose dies have two page sizes: only real bytes cross the bus, times by hand, jobs that do not fit,
// and random jobs against a model.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/page_sizes_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::page_sizes_channel_test {
namespace {

using namespace wordline::literals;
using onfi::SegmentKind;

sc_core::sc_time limit() { return {10, sc_core::SC_SEC}; }

config::Config one_channel() {
  config::Config c = two_page_sizes();
  c.channels.count = 1;
  c.dram = {BytesPerSecond(8'000'000'000), 100_ns};
  return c;
}

void fill_slots(ControllerBench& bench, std::uint32_t slot, std::uint32_t count, std::uint32_t lpn) {
  for (std::uint32_t i = 0; i < count; ++i) {
    bench.buffer.slot(slot + i) = data::LpageToken::uniform(Lpn(lpn + i), 3);
    bench.owner(slot + i) = lpn + i;
  }
}

/// Logical pages of jobs count through the planes by the larger page.
constexpr std::uint16_t kPlane1 = 8;

TEST(PageSizesOfAChannel, AUnitOfSmallPagesTakesItsOwnBytes) {
  ControllerBench bench("bench", one_channel());
  simulate(
      [&] {
        fill_slots(bench, 100, 6, 7000);
        const wl_flash_job program = bench.write_job(WL_FLASH_PROGRAM, 0, kSmallBlock, 0, 100);
        EXPECT_EQ(program.count, 6);
        bench.push(program);
        bench.doorbell();
        bench.wait_for(1);
        bench.push(ControllerBench::read_job(0, kSmallBlock, 2, kPlane1, 1, 300));
        bench.push(ControllerBench::read_job(0, kSmallBlock, 1, 0, 1, 301));
        bench.doorbell();
        bench.wait_for(3);
        EXPECT_EQ(bench.owner(300), 7000U + 2 * 2 + 1);
        EXPECT_EQ(bench.buffer.slot(300), data::LpageToken::uniform(Lpn(7005), 3));
        EXPECT_EQ(bench.owner(301), 7000U + 1 * 2);
        bench.push(bench.write_job(WL_FLASH_ERASE, 0, kSmallBlock, 0, 0));
        bench.doorbell();
        bench.wait_for(4);
      },
      limit());
  for (std::uint16_t id = 0; id < 4; ++id) EXPECT_EQ(bench.completion(id).entry.status, WL_FLASH_OK);
  std::uint32_t in = 0, out = 0;
  for (const SeenSegment& s : bench.segments) {
    if (s.kind == SegmentKind::kDataIn) {
      EXPECT_EQ(s.lpages, 1U);
      EXPECT_EQ(s.end - s.start, 15_ns + Picoseconds(4648 * 1250) + 21'500_ps);
      ++in;
    }
    if (s.kind == SegmentKind::kDataOut) out += s.lpages;
  }
  EXPECT_EQ(in, 6U);
  EXPECT_EQ(out, 2U);

  // By hand, as ChannelController.ProgramReadEraseRoundTrip has it: the first logical page over DRAM in 512 + 100 ns;
  // 80h and address 170 ns, tADL, one logical page, confirm 45 ns; tWB and tDBSY between pages; tWB, tPROG, and the
  // status.
  const Picoseconds page = 170_ns + 400_ns + 15_ns + Picoseconds(4648 * 1250) + 21'500_ps + 45_ns;
  const Picoseconds ready = 612_ns + 6 * page + 5 * (100_ns + 500_ns) + 100_ns + kSmallProgram;
  const Picoseconds status = ready + 45_ns + 80_ns + 15_ns + 25_ns + 26'250_ps + 2500_ps;
  EXPECT_EQ(bench.completion(0).at.count(), status.count());
  const nand::Die& array = bench.dies[0]->array();
  EXPECT_EQ(array.counters().lpages_programmed, 6U);
  EXPECT_EQ(array.erase_count(PlaneId(1), BlockId(kSmallBlock)), 1U);
  EXPECT_FALSE(array.programmed(PlaneId(0), BlockId(kSmallBlock), PageId(0)));
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(PageSizesOfAChannel, JobsThatDoNotFitAreReported) {
  ControllerBench bench("bench", one_channel());
  expect_reports(true);
  simulate(
      [&] {
        const auto refused = [&](const wl_flash_job& job, const std::string& why) {
          bench.push(job);
          bench.doorbell();
          sc_core::wait(1, sc_core::SC_US);
          EXPECT_EQ(reports_seen(), 1U) << why;
          EXPECT_NE(last_report().find(why), std::string::npos) << last_report();
        };
        refused(ControllerBench::read_job(0, kSmallBlock, 12, 0, 1, 0), "page 12 of 12");
        refused(ControllerBench::read_job(0, kLargeBlock, 24, 0, 1, 0), "page 24 of 24");
        refused(ControllerBench::read_job(0, 11, 0, 0, 1, 0), "block 11 of 11");
        refused(ControllerBench::read_job(0, kSmallBlock, 5, 1, 1, 0),
                "logical pages 1+1 of a page of 1, plane 0, of block 9");
        refused(ControllerBench::read_job(0, kSmallBlock, 5, kPlane1 + 3, 1, 0),
                "logical pages 3+1 of a page of 1, plane 1");
        refused(ControllerBench::read_job(0, kSmallBlock, 5, 0, 2, 0), "logical pages 0+2 of a page of 1");
        refused(ControllerBench::read_job(0, kSmallBlock, 5, 2 * kPlane1, 1, 0), "logical pages 16+1 of 16");
        wl_flash_job program = bench.write_job(WL_FLASH_PROGRAM, 0, kLargeBlock, 0, 0);
        EXPECT_EQ(program.count, 48);
        program.block = kSmallBlock;
        refused(program, "program of 48 logical pages, a program unit has 6");
        program = bench.write_job(WL_FLASH_PROGRAM, 0, kSmallBlock, 0, 0);
        program.block = kLargeBlock;
        refused(program, "program of 6 logical pages, a program unit has 48");
        refused(bench.write_job(WL_FLASH_PROGRAM, 0, kSmallBlock, 12, 0), "program at page 12 of 12");
        bench.push(bench.write_job(WL_FLASH_PROGRAM, 0, kSmallBlock, 0, 0));
        bench.doorbell();
        bench.wait_for(1);
        EXPECT_EQ(reports_seen(), 0U) << "the one that fits is done";
      },
      limit());
}

TEST(PageSizesOfAChannel, CopiesStayWithinASize) {
  config::Config c = one_channel();
  c.nand.geometry.planes = 1;
  c.nand.geometry.program = config::ProgramGranularity::kPage;
  ControllerBench bench("bench", c);
  expect_reports(true);
  simulate(
      [&] {
        const auto modify = [&](std::uint32_t block, std::uint32_t source_block, std::uint32_t source_page) {
          wl_flash_job job = bench.write_job(WL_FLASH_PROGRAM, 0, block, 0, 0);
          job.control = WL_PROGRAM_MODIFY;
          job.source = source_block * 24 + source_page;
          job.lpage = 1;
          job.count = 1;
          return job;
        };
        bench.push(modify(kLargeBlock, kSmallBlock, 0));
        bench.push(modify(kSmallBlock, 3, 0));
        bench.push(modify(kSmallBlock, 8, 0));  // a page of one logical page is replaced as a whole
        bench.push(modify(kSmallBlock, 8, 12));
        bench.doorbell();
        sc_core::wait(1, sc_core::SC_US);
        EXPECT_EQ(reports_seen(), 4U);
        bench.push(modify(kLargeBlock, 3, 0));
        bench.doorbell();
        bench.wait_for(1);
        EXPECT_EQ(reports_seen(), 0U);
      },
      limit());
  EXPECT_EQ(bench.completion(4).entry.status, WL_FLASH_OK);
}

TEST(PageSizesOfAChannel, ASmallPageIsRetried) {
  config::Config c = one_channel();
  c.ecc.ort = config::Ort::kRetry;
  c.ecc.ort_scope = config::OrtScope::kBlock;
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        fill_slots(bench, 100, 6, 500);
        bench.push(bench.write_job(WL_FLASH_PROGRAM, 1, 10, 0, 100));
        bench.doorbell();
        bench.wait_for(1);
        unsigned asked = 0;
        bench.decoder.fails = [&asked] { return asked++ < 2; };
        bench.push(ControllerBench::read_job(1, 10, 1, kPlane1, 1, 20));
        bench.doorbell();
        bench.wait_for(2);
      },
      limit());
  EXPECT_EQ(bench.completion(1).entry.status, WL_FLASH_OK);
  EXPECT_EQ(bench.completion(1).entry.retries, 2);
  EXPECT_EQ(bench.owner(20), 503U);
  std::vector<std::uint32_t> out;
  for (const SeenSegment& s : bench.segments) {
    if (s.kind == SegmentKind::kDataOut) out.push_back(s.lpages);
  }
  EXPECT_EQ(out, (std::vector<std::uint32_t>{1, 1, 1}));
  // The last entry of the table by block: block 10 of 11, of die 1.
  ASSERT_EQ(ecc::ort_groups(bench.config, 2), 22U);
  EXPECT_TRUE(bench.ecc_registers.ort().at(21, 0).valid);
  EXPECT_EQ(bench.ecc_registers.ort().at(21, 0).step, 2U);
}

/// Random jobs, each block's content followed in the order in which they were sent, which the queue of a die keeps for
/// jobs of one block.
class RandomJobs {
 public:
  RandomJobs(ControllerBench& bench, std::uint64_t seed) : bench_(bench), seed_(seed) {}

  /// Sends up to twenty jobs and waits for them at times; what the reads brought is checked then.
  void round() {
    const std::uint32_t jobs = 1 + draw(20);
    for (std::uint32_t i = 0; i < jobs; ++i) send();
    bench_.doorbell();
    sc_core::wait(static_cast<double>(draw(600)), sc_core::SC_US);
    if (slot_ > 2000 || draw(3) == 0) finish();
  }
  void finish() {
    bench_.wait_for(sent_);
    for (const Expected& e : expected_) {
      EXPECT_EQ(bench_.owner(e.slot), e.lpn);
      EXPECT_EQ(bench_.buffer.slot(e.slot), data::LpageToken::uniform(Lpn(e.lpn), 3));
    }
    for (const SeenCompletion& seen : bench_.completions) EXPECT_EQ(seen.entry.status, WL_FLASH_OK);
    reads_ += expected_.size();
    expected_.clear();
    slot_ = 0;
  }
  [[nodiscard]] std::size_t lpages_read() const { return reads_; }
  [[nodiscard]] std::size_t erases(bool small) const { return erases_[small]; }

 private:
  struct Expected {
    std::uint32_t slot, lpn;
  };
  struct Block {
    std::uint32_t pages = 0;                                                               // programmed
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> lpn;  // page, plane, logical page
  };

  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(keyed_hash(seed_, draws_++) % below); }

  void send() {
    const auto die = static_cast<std::uint16_t>(draw(static_cast<std::uint32_t>(bench_.dies.size())));
    const std::uint32_t number = draw(2) == 0 ? 5 + draw(3) : 8 + draw(3);
    const bool small = number >= 8;
    Block& block = blocks_[{die, number}];
    const std::uint32_t lpages = small ? 1 : 8, pages = small ? kSmallPages : 24;
    const bool writes = block.pages == 0 || draw(4) == 0;
    ++sent_;
    if (writes && block.pages == pages) {
      ++erases_[small];
      block = {};
      bench_.push(bench_.write_job(WL_FLASH_ERASE, die, number, 0, 0));
      return;
    }
    if (writes) {
      const wl_flash_job job = bench_.write_job(WL_FLASH_PROGRAM, die, number, block.pages, slot_);
      fill_slots(bench_, slot_, job.count, lpn_);
      for (std::uint32_t i = 0; i < job.count; ++i) {
        block.lpn[{block.pages + i / lpages / 2, i / lpages % 2, i % lpages}] = lpn_ + i;
      }
      slot_ += job.count;
      lpn_ += job.count;
      block.pages += 3;
      bench_.push(job);
      return;
    }
    const std::uint32_t page = draw(block.pages), plane = draw(2), lpage = draw(lpages);
    // A run of a large page may go on into the next plane.
    const std::uint32_t count = small ? 1 : 1 + draw(plane * 8 + lpage < 13 ? 3 : 1);
    wl_flash_job job = ControllerBench::read_job(die, number, page, static_cast<std::uint16_t>(plane * 8 + lpage),
                                                 static_cast<std::uint16_t>(count), slot_);
    if (draw(4) == 0) job.priority = WL_PRIORITY_GC;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t s = plane * 8 + lpage + i;
      expected_.push_back({slot_ + i, block.lpn.at({page, s / 8, s % 8})});
    }
    slot_ += count;
    bench_.push(job);
  }

  ControllerBench& bench_;
  const std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  std::map<std::pair<std::uint16_t, std::uint32_t>, Block> blocks_;
  std::vector<Expected> expected_;
  std::uint32_t slot_ = 0, lpn_ = 1000;
  std::size_t sent_ = 0, reads_ = 0;
  std::array<std::size_t, 2> erases_{};
};

TEST(PageSizesOfAChannel, RandomJobsOfBothSizes) {
  const config::Config plain = one_channel();
  config::Config all = plain;
  all.channels.pair_planes = all.channels.cache_read = all.channels.cache_program = true;
  all.channels.suspend = config::SuspendPolicy::kBoth;
  all.channels.suspend_limit = 4;
  config::Config any = all;
  any.nand.geometry.plane_blocks = config::PlaneBlocks::kAny;
  any.channels.cache_program = false;
  any.channels.packages = 1;
  any.channels.dies_per_package = 2;
  ControllerBench first("plain", plain), second("all", all), third("any", any);
  std::uint64_t seed = 40;
  simulate(
      [&] {
        for (ControllerBench* bench : {&first, &second, &third}) {
          std::uint32_t asked = 0;
          bench->decoder.fails = [&asked] { return keyed_hash(9, asked++) % 10 == 0; };
          RandomJobs jobs(*bench, ++seed);
          for (int round = 0; round < 400; ++round) jobs.round();
          jobs.finish();
          EXPECT_GT(jobs.lpages_read(), 2000U);
          EXPECT_GT(jobs.erases(false), 10U);
          EXPECT_GT(jobs.erases(true), 20U);
          EXPECT_EQ(bench->controller->outstanding(), 0U);
          EXPECT_EQ(bench->checker.violations(), 0U);
        }
      },
      limit());
}

}  // namespace
}  // namespace wordline::testing::page_sizes_channel_test
