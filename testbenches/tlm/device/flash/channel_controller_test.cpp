// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/channel_controller.h"

#include <gtest/gtest.h>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::channel_controller_test {
namespace {

using onfi::SegmentKind;
namespace regs = registers::channel;

// Lengths worked out from reference_config.h: 20 ns + 7 cycles of 25 ns; 15 + 25 + 26.25 ns around the data.
constexpr Picoseconds kReadCommand = 195_ns;
constexpr Picoseconds kLpage{4648 * 1250};
constexpr Picoseconds kDataOverhead{15'000 + 25'000 + 26'250};
constexpr Picoseconds kTr = 37_us;  // pages 0: two senses
constexpr Picoseconds kEccLatency = 1_us;
constexpr Picoseconds kDramTime{512'000 + 100'000};  // 4096 bytes at 8 GB/s, latency

config::Config one_channel(unsigned packages = 2, unsigned luns = 1) {
  config::Config c = reference_config();
  c.channels.count = 1;
  c.channels.packages = packages;
  c.channels.dies_per_package = luns;
  c.dram = {BytesPerSecond(8'000'000'000), 100_ns};
  return c;
}

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

TEST(ChannelController, ReadTakesTheTimeWorkedOutByHand) {
  ControllerBench bench("bench", one_channel());
  simulate(
      [&] {
        wl_flash_job job = ControllerBench::read_job(1, 2, 0, 1, 1, 9);
        job.tag = 77;
        bench.push(job);
        bench.doorbell();
        EXPECT_EQ(bench.read(regs::status), 0U) << "not before the doorbell arrives";
        bench.wait_for(1);
        EXPECT_EQ(bench.read(regs::status), 0U);
      },
      limit());
  const Picoseconds command_end = kReadCommand;
  const Picoseconds ready = command_end + 100_ns + kTr;
  const Picoseconds data = ready + 20_ns;
  const Picoseconds data_end = data + kDataOverhead + kLpage;
  const Picoseconds done = data_end + kEccLatency + kDramTime;
  EXPECT_EQ(done.count(), 44'803'250);
  const SeenCompletion seen = bench.completion(0);
  EXPECT_EQ(seen.at.count(), done.count());
  EXPECT_EQ(seen.entry.status, WL_FLASH_OK);
  EXPECT_EQ(seen.entry.retries, 0);
  EXPECT_EQ(bench.interrupts, 1U);

  const nand::StoredLpage content = ControllerBench::filled(DieId(1), {PlaneId(0), BlockId(2), PageId(0), 1});
  EXPECT_EQ(bench.buffer.slot(9), content.token);
  EXPECT_EQ(bench.owner(9), content.lpn);

  ASSERT_EQ(bench.reads.size(), 1U);
  EXPECT_EQ(bench.reads[0].tag, 77);
  EXPECT_EQ(bench.reads[0].die, 1);
  EXPECT_FALSE(bench.reads[0].attempt);
  const tlm_if::ReadMarks& marks = bench.reads[0].marks;
  EXPECT_EQ(marks.arrived.count(), 0);
  EXPECT_EQ(marks.command.count(), 0);
  EXPECT_EQ(marks.array.count(), command_end.count());
  EXPECT_EQ(marks.ready.count(), ready.count());
  EXPECT_EQ(marks.data.count(), data.count());
  EXPECT_EQ(marks.decode_wait.count(), data_end.count());
  EXPECT_EQ(marks.decode.count(), data_end.count()) << "the decoder is free";
  EXPECT_EQ(marks.store.count(), done.count()) << "so is the DRAM port";
  EXPECT_LT(marks.retry.count(), 0);
  EXPECT_EQ(bench.resumes, (std::vector<std::pair<std::uint16_t, Picoseconds>>{{77, done}}));
}

TEST(ChannelController, DoorbellCountsWhenItArrives) {
  ControllerBench bench("bench", one_channel());
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 0, 0, 0, 1, 0));
        bench.doorbell(3_us);
        bench.push(ControllerBench::read_job(1, 0, 0, 0, 1, 1));  // beyond the doorbell: not to be seen
        sc_core::wait(tlm_if::to_sc_time(3_us - 1_ps));
        EXPECT_EQ(bench.read(regs::status), 0U);
        EXPECT_TRUE(bench.segments.empty());
        sc_core::wait(1, sc_core::SC_PS);
        sc_core::wait(sc_core::SC_ZERO_TIME);
        EXPECT_EQ(bench.read(regs::status), 1U);
        bench.wait_for(1);
        EXPECT_EQ(bench.read(regs::status), 0U);
      },
      limit());
  ASSERT_EQ(bench.completions.size(), 1U);
  EXPECT_EQ(bench.segments[0].start.count(), (3_us).count());
  EXPECT_EQ(bench.completion(0).at.count(), (3_us).count() + 44'803'250);
}

TEST(ChannelController, DiesWorkInParallelAndShareTheBus) {
  ControllerBench bench("bench", one_channel());
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 0, 0, 0, 1, 0));
        bench.push(ControllerBench::read_job(1, 0, 0, 0, 1, 1));
        bench.doorbell();
        bench.wait_for(2);
      },
      limit());
  const Picoseconds first_data = kReadCommand + 100_ns + kTr + 20_ns;
  const Picoseconds second_data =
      first_data + kDataOverhead + kLpage;  // ready 195 ns after the first: waits for the bus
  const Picoseconds end = second_data + kDataOverhead + kLpage + kEccLatency + kDramTime;
  ASSERT_EQ(bench.segments.size(), 4U);
  EXPECT_EQ(bench.segments[1].start.count(), kReadCommand.count());
  EXPECT_EQ(bench.segments[3].start.count(), second_data.count());
  const unsigned second = bench.segments[1].die;
  EXPECT_EQ(bench.completion(static_cast<std::uint16_t>(second)).at.count(), end.count());
}

TEST(ChannelController, CommandsOfIdleDiesGoBeforeData) {
  ControllerBench bench("bench", one_channel());
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 0, 0, 0, 4, 0));
        bench.doorbell();
        // Arrives while die 0 waits for tRR (announced data) - just before its data are announced.
        sc_core::wait(tlm_if::to_sc_time(kReadCommand + 100_ns + kTr - 100_ns));
        bench.push(ControllerBench::read_job(1, 0, 0, 0, 4, 4));
        bench.doorbell();
        bench.wait_for(2);
      },
      limit());
  ASSERT_EQ(bench.segments.size(), 4U);
  EXPECT_EQ(bench.segments[1].die, 1U);
  EXPECT_EQ(bench.segments[1].kind, SegmentKind::kCommand);
  EXPECT_EQ(bench.segments[2].die, 0U);
  EXPECT_EQ(bench.segments[2].start.count(), bench.segments[1].end.count()) << "data follow the command at once";
}

// Keeps `jobs` single-logical page reads outstanding per die until `total` have completed.
void saturate(ControllerBench& bench, unsigned dies, std::size_t total) {
  for (std::size_t i = 0; i < total; ++i) {
    bench.push(ControllerBench::read_job(static_cast<std::uint16_t>(i % dies), i / dies % 4, 0,
                                         static_cast<std::uint16_t>(i % 8), 1, static_cast<std::uint32_t>(i)));
  }
  bench.doorbell();
  bench.wait_for(total);
}

TEST(ChannelController, SaturatedBusNeverIdles) {
  ControllerBench bench("bench", one_channel(64));
  simulate([&] { saturate(bench, 64, 1024); }, limit());
  // From the first data to the last, while work is left for every die: no picosecond between segments.
  std::size_t first = 0;
  while (bench.segments[first].kind != SegmentKind::kDataOut) ++first;
  std::size_t last = bench.segments.size() - 1;
  while (bench.segments[last].kind == SegmentKind::kDataOut) --last;  // the last command
  ASSERT_GT(last, first + 1000);
  for (std::size_t i = first + 1; i <= last; ++i) {
    ASSERT_EQ(bench.segments[i].start.count(), bench.segments[i - 1].end.count()) << "segment " << i;
  }
  EXPECT_EQ(bench.controller->outstanding(), 0U);
}

TEST(ChannelController, LunsAreAsGoodAsPackages) {
  ControllerBench wide("wide", one_channel(64, 1));
  ControllerBench deep("deep", one_channel(16, 4));
  simulate(
      [&] {
        for (ControllerBench* bench : {&wide, &deep}) {
          for (std::size_t i = 0; i < 1024; ++i) {
            bench->push(ControllerBench::read_job(static_cast<std::uint16_t>(i % 64), i / 64 % 4, 0, i % 8, 1, i));
          }
          bench->doorbell();
        }
        wide.wait_for(1024);
        deep.wait_for(1024);
      },
      limit());
  // A LUN pays a column selection (195 ns on the bus) where another LUN of its package was addressed since: 3.3 % of
  // command and data.
  const double ratio =
      static_cast<double>(deep.completions.back().at.count()) / static_cast<double>(wide.completions.back().at.count());
  EXPECT_GE(ratio, 1.0);
  EXPECT_LE(ratio, 1.04);
}

TEST(ChannelController, ReadAcrossPlanesSensesOnceAndStreamsByPlane) {
  ControllerBench bench("bench", one_channel());
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 3, 1, 2, 4, 20));  // logical pages 2, 3 of plane 0; 0, 1 of plane 1
        bench.doorbell();
        bench.wait_for(1);
      },
      limit());
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned lpage = 2 + i;
    const nand::StoredLpage content = ControllerBench::filled(
        DieId(0), {PlaneId(static_cast<std::uint8_t>(lpage / 4)), BlockId(3), PageId(1), lpage % 4});
    EXPECT_EQ(bench.buffer.slot(20 + i), content.token) << i;
    EXPECT_EQ(bench.owner(20 + i), content.lpn) << i;
  }
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 1U);
  // 00h-32h, tDBSY, 00h-30h, tWB and tR (page 1: three senses, 46 us); then per plane 06h-E0h, tCCS, two logical pages;
  // the second selection waits tRHW.
  const Picoseconds ready = kReadCommand + 100_ns + 500_ns + kReadCommand + 100_ns + 46_us;
  const Picoseconds first = ready + kReadCommand + 400_ns;
  const Picoseconds first_end = first + kDataOverhead + 2 * kLpage;
  const Picoseconds second_end = first_end + 100_ns + kReadCommand + 400_ns + kDataOverhead + 2 * kLpage;
  EXPECT_EQ(bench.segments.back().end.count(), second_end.count());
  EXPECT_EQ(bench.segments.size(), 6U);
  // The third logical page was decoded long before; DRAM takes it and the last one back to back.
  EXPECT_EQ(bench.completion(0).at.count(), (second_end + kEccLatency + kDramTime).count());
}

// cube.read.linear: each retry adds a round of the same length.
TEST(ChannelController, RetryStepsReferencesAndStreamsOnlyTheFailedLogicalPage) {
  ControllerBench bench("bench", one_channel());
  unsigned decodes = 0;
  // Four logical pages; the second fails in the first pass, then twice more.
  bench.decoder.fails = [&decodes] {
    const unsigned n = decodes++;
    return n == 1 || n == 4 || n == 5;
  };
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 0, 0, 0, 4, 0));
        bench.doorbell();
        bench.wait_for(1);
        sc_core::wait(10, sc_core::SC_US);
      },
      limit());
  EXPECT_EQ(bench.completion(0).entry.retries, 3);
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_OK);
  std::vector<unsigned> steps;
  std::vector<unsigned> streamed;
  for (const SeenSegment& s : bench.segments) {
    if (s.kind == SegmentKind::kSetFeatures) steps.push_back(s.parameter);
    if (s.kind == SegmentKind::kDataOut) streamed.push_back(s.lpages);
  }
  EXPECT_EQ(steps, (std::vector<unsigned>{1, 2, 3, 0}));
  EXPECT_EQ(streamed, (std::vector<unsigned>{4, 1, 1, 1}));
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 4U);
  EXPECT_EQ(bench.dies[0]->features().read().step, 0U);
  EXPECT_EQ(bench.ecc_registers.counters().retries, 3U);
  EXPECT_EQ(bench.ecc_registers.counters().decoded_lpages, 4U);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(bench.buffer.slot(i), ControllerBench::filled(DieId(0), {PlaneId(0), BlockId(0), PageId(0), i}).token);
  }
  // Times: the verdict on logical page 1, which had come in 1.25 ns * 4648 * 2 after the start (the others after it),
  // is out before tRHW has passed or not: SET FEATURES starts at the later. It takes 20 + 2 * 25 ns, tADL 400, 15 + 10
  // + 21.5.
  const Picoseconds data = kReadCommand + 100_ns + kTr + 20_ns;
  const Picoseconds data_end = data + kDataOverhead + 4 * kLpage;
  const Picoseconds verdict = data + kDataOverhead + 2 * kLpage + kEccLatency;
  const Picoseconds set = 20_ns + 50_ns + 400_ns + 15_ns + 10_ns + 21'500_ps;
  ASSERT_LT(verdict, data_end);
  const Picoseconds set_start = data_end + 100_ns;
  EXPECT_EQ(bench.segments[2].start.count(), set_start.count());
  // From here on one round lasts: SET FEATURES, tFEAT, command, tWB, tR, tRR, one logical page, decoder.
  const Picoseconds round =
      set + 100_ns + 1_us + kReadCommand + 100_ns + kTr + 20_ns + kDataOverhead + kLpage + kEccLatency;
  EXPECT_EQ(bench.segments[2].end.count() - bench.segments[2].start.count(), set.count());
  // The retry controller takes some clocks of 2.5 ns between them: at most two each for the data, two verdicts and
  // their judgement, the next step, the command; the first step begins before set_start.
  const Picoseconds without = set_start + 3 * round + kDramTime;
  EXPECT_GT(bench.completion(0).at.count(), without.count());
  EXPECT_LE(bench.completion(0).at.count(), (without + 3 * 8 * 2500_ps).count());
}

TEST(ChannelController, GivesUpAfterMaxRetriesWithoutInventingData) {
  config::Config c = one_channel();
  c.ecc.max_retries = 2;
  ControllerBench bench("bench", c);
  bench.decoder.fails = [] { return true; };
  bench.buffer.slot(5) = data::LpageToken::uniform(Lpn(99), 9);
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 0, 0, 0, 1, 5));
        bench.doorbell();
        bench.wait_for(1);
        bench.decoder.fails = [] { return false; };
        bench.push(ControllerBench::read_job(0, 0, 0, 1, 1, 6));  // the next job starts from the default references
        bench.doorbell();
        bench.wait_for(2);
      },
      limit());
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_UNCORRECTABLE);
  EXPECT_EQ(bench.completion(0).entry.retries, 2);
  EXPECT_TRUE(bench.buffer.slot(5).is_zero());
  EXPECT_EQ(bench.owner(5), WL_LPN_NONE);
  EXPECT_EQ(bench.ecc_registers.counters().uncorrectable_lpages, 1U);
  EXPECT_EQ(bench.completion(1).entry.status, WL_FLASH_OK);
  EXPECT_EQ(bench.completion(1).entry.retries, 0);
  EXPECT_EQ(bench.dies[0]->features().read().step, 0U);
}

TEST(ChannelController, ProgramReadEraseRoundTrip) {
  ControllerBench bench("bench", one_channel());
  const std::uint32_t unit = bench.layout.lpages_per_program;
  for (std::uint32_t i = 0; i < unit; ++i) {
    bench.buffer.slot(i) = data::LpageToken::uniform(Lpn(1000 + i), 5);
    bench.spare(i) = {1000 + i, 90000 - i};
  }
  simulate(
      [&] {
        bench.push(bench.write_job(WL_FLASH_PROGRAM, 1, 6, 0, 0));
        for (std::uint32_t page = 0; page < 3; ++page) {  // queued behind the program: same block
          bench.push(ControllerBench::read_job(1, 6, page, 0, 8, 100 + page * 8));
        }
        bench.push(bench.write_job(WL_FLASH_ERASE, 1, 6, 0, 0));
        bench.buffer.slot(300) = data::LpageToken::uniform(Lpn(1), 1);
        bench.push(ControllerBench::read_job(1, 6, 0, 0, 1, 300));
        bench.doorbell();
        bench.wait_for(6);
      },
      limit());
  for (std::uint16_t id = 0; id < 6; ++id) EXPECT_EQ(bench.completion(id).entry.status, WL_FLASH_OK) << id;
  for (std::uint32_t i = 0; i < unit; ++i) {
    EXPECT_EQ(bench.buffer.slot(100 + i), data::LpageToken::uniform(Lpn(1000 + i), 5)) << i;
    EXPECT_EQ(bench.owner(100 + i), 1000 + i) << i;
    EXPECT_EQ(bench.spare(100 + i).record, 90000 - i) << i;
  }
  EXPECT_TRUE(bench.buffer.slot(300).is_zero()) << "erased";
  EXPECT_EQ(bench.owner(300), WL_LPN_NONE);
  EXPECT_EQ(bench.decoder.errors, (std::vector<unsigned>{0, 0})) << "an erased page is recognised";
  // Six pages of data in; status once after the program and once after the erase, never polled.
  EXPECT_EQ(bench.count(SegmentKind::kDataIn), 6U);
  EXPECT_EQ(bench.count(SegmentKind::kStatus), 2U);
  EXPECT_EQ(bench.dies[1]->array().counters().programs, 1U);
  EXPECT_EQ(bench.dies[1]->array().counters().erases, 1U);

  // The program by hand. First page of DRAM: 16384 bytes in 2048 + 100 ns. Each page: 80h and five address cycles 170
  // ns, tADL 400, 15 + 18592 * 1.25 + 21.5 ns, confirm 45 ns; between pages tWB and tDBSY, at the end tWB and tPROG.
  const Picoseconds page = 170_ns + 400_ns + 15_ns + Picoseconds(18592 * 1250) + 21'500_ps + 45_ns;
  const Picoseconds ready = 2148_ns + 6 * page + 5 * (100_ns + 500_ns) + 100_ns + 660_us;
  // 70h: 45 ns, tWHR 80, one byte in two transfers.
  const Picoseconds status = ready + 45_ns + 80_ns + kDataOverhead + 2500_ps;
  EXPECT_EQ(bench.completion(0).at.count(), status.count());
}

TEST(ChannelController, ProgramOverDataFails) {
  ControllerBench bench("bench", one_channel());
  expect_reports(true);
  simulate(
      [&] {
        bench.push(bench.write_job(WL_FLASH_PROGRAM, 0, 1, 0, 0));  // block 1 holds the fill
        bench.doorbell();
        bench.wait_for(1);
      },
      limit());
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_PROGRAM_FAIL);
  EXPECT_EQ(reports_seen(), 1U) << "the die says so too";
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(ChannelController, ReadsPassAProgramUpToTheBound) {
  config::Config c = one_channel();
  c.channels.starvation_bound = 3;
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 0, 0, 0, 1, 0));
        bench.push(bench.write_job(WL_FLASH_PROGRAM, 0, 6, 0, 100));
        for (std::uint16_t i = 1; i < 8; ++i) bench.push(ControllerBench::read_job(0, 0, 0, 0, 1, i));
        bench.doorbell();
        bench.wait_for(9);
      },
      limit());
  // The jobs arrive together: reads 0, 2 and 3 pass the program (job 1), the rest follow it.
  std::vector<unsigned> order;
  for (const SeenCompletion& seen : bench.completions) order.push_back(seen.entry.id);
  EXPECT_EQ(order, (std::vector<unsigned>{0, 2, 3, 1, 4, 5, 6, 7, 8}));
}

/// A read says what its die did while it waited: the rest of the erase, then the read before it, to the picosecond.
TEST(ChannelController, ReadsKnowWhatTheyWaitedBehind) {
  ControllerBench bench("bench", one_channel());
  const Picoseconds after = 300_us;
  simulate(
      [&] {
        bench.push(bench.write_job(WL_FLASH_ERASE, 0, 6, 0, 0));
        bench.doorbell();
        sc_core::wait(tlm_if::to_sc_time(after));
        wl_flash_job gc = ControllerBench::read_job(0, 1, 0, 0, 1, 100);
        gc.priority = WL_PRIORITY_GC;
        bench.push(gc);
        for (std::uint16_t i = 1; i <= 2; ++i) {
          wl_flash_job read = ControllerBench::read_job(0, 0, 3U * i, 0, 1, 100U + i);
          read.tag = i;
          bench.push(read);
        }
        bench.doorbell();
        bench.wait_for(4);
      },
      limit());
  ASSERT_EQ(bench.reads.size(), 2U) << "those with a tag";
  const auto behind = [](const tlm_if::ReadMarks& marks, tlm_if::DieWork work) {
    return marks.behind[static_cast<std::size_t>(work)];
  };
  const tlm_if::ReadMarks& first = bench.reads[0].marks;
  const tlm_if::ReadMarks& second = bench.reads[1].marks;
  EXPECT_EQ(first.arrived, after);
  EXPECT_EQ(behind(first, tlm_if::DieWork::kErase), first.command - after);
  EXPECT_GT(behind(first, tlm_if::DieWork::kErase), 1_ms) << "an erase takes milliseconds";
  EXPECT_EQ(behind(first, tlm_if::DieWork::kReads), 0_us);
  EXPECT_EQ(behind(second, tlm_if::DieWork::kErase), behind(first, tlm_if::DieWork::kErase));
  EXPECT_EQ(behind(second, tlm_if::DieWork::kReads), second.command - first.command);
  EXPECT_EQ(behind(second, tlm_if::DieWork::kGcReads), 0_us) << "reads of the host go first";
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(ChannelController, FullRingIsReported) {
  ControllerBench bench("bench", one_channel(), 4);
  expect_reports(true);
  simulate(
      [&] {
        for (std::uint16_t i = 0; i < 5; ++i) bench.push(ControllerBench::read_job(0, 0, 0, 0, 1, i));
        bench.doorbell();
        sc_core::wait(200, sc_core::SC_US);
      },
      limit());
  EXPECT_EQ(reports_seen(), 1U);
  EXPECT_TRUE(bench.completions.empty());
}

TEST(ChannelController, JobsOutsideTheDriveAreReported) {
  ControllerBench bench("bench", one_channel());
  expect_reports(true);
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(2, 0, 0, 0, 1, 0));
        bench.push(ControllerBench::read_job(0, 8, 0, 0, 1, 0));
        bench.push(ControllerBench::read_job(0, 0, 24, 0, 1, 0));
        bench.push(ControllerBench::read_job(0, 0, 0, 7, 2, 0));
        bench.push(bench.write_job(WL_FLASH_PROGRAM, 0, 6, 1, 0));
        bench.push(ControllerBench::read_job(0, 0, 0, 7, 1, 3));
        bench.doorbell();
        bench.wait_for(1);
      },
      limit());
  EXPECT_EQ(reports_seen(), 5U);
  EXPECT_EQ(bench.completions[0].entry.id, 5) << "the good one is done";
}

TEST(ChannelController, ReadCostsFourTimedEvents) {
  ControllerBench bench("bench", one_channel());
  sc_dt::uint64 deltas = 0;
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 0, 0, 0, 1, 0));
        bench.doorbell(1_us);
        deltas = sc_core::sc_delta_count();
        bench.wait_for(1);
        deltas = sc_core::sc_delta_count() - deltas;
      },
      limit());
  EXPECT_EQ(deltas, 4U) << "doorbell, end of tR, end of data, completion";
}

}  // namespace
}  // namespace wordline::testing::channel_controller_test
