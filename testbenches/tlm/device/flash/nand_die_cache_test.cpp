// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// READ CACHE and CACHE PROGRAM: both registers at work. Times by hand from reference_config(): tR 37, 46, 37 us by page
// type, tRCBSY 3 us, tPCBSY 4 us, tPROG 660 us.
#include <gtest/gtest.h>

#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/notebook.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nand_die_cache_test {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using onfi::AddressCodec;
using onfi::SegmentKind;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

constexpr std::uint8_t kCacheReady = onfi::kNotProtected | onfi::kReady;  // RDY without ARDY
constexpr Picoseconds kPageOut = 66'250_ps + 23'240_ns;                   // 4 * 4648 bytes

std::uint32_t filled_lpn(std::uint8_t plane, std::uint32_t block, std::uint32_t page, std::uint32_t lpage) {
  return filled_lpage(DieId(0), {PlaneId(plane), BlockId(block), PageId(page), lpage}).lpn;
}

TEST(NandDieCache, SequentialReadHidesTheArrayBehindTheBus) {
  config::Config config = reference_config();
  config.channels.t_rr = 20_ns;
  ChannelBench bench(config);
  simulate(
      [&] {
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 1, 0)), 0_ps);
        const Picoseconds first = read.end + 100_ns + 37_us;
        bench.until(first);
        ASSERT_EQ(bench.readies.size(), 1U);

        // Page 0 moves to the cache register; the array reads page 1 (46 us).
        OnfiTransaction cache = bench.command(0, AddressCodec::command(onfi::kReadCache), first + 1_us);
        ASSERT_TRUE(cache.ok);
        EXPECT_EQ(cache.ready_at, first + 1_us + 45_ns + 100_ns + 3_us);
        EXPECT_EQ(cache.array_ready_at, cache.ready_at + 46_us);
        StoredLpage out[4];
        OnfiTransaction data = bench.data_out(0, out, 4, cache.ready_at + 20_ns);
        ASSERT_TRUE(data.ok);
        EXPECT_EQ(data.end - data.start, kPageOut);
        for (unsigned s = 0; s < 4; ++s) EXPECT_EQ(out[s].lpn, filled_lpn(0, 1, 0, s));
        // RDY comes back at once, ARDY when the array has read page 1.
        EXPECT_EQ(bench.status(0, data.end + 100_ns).status, kCacheReady);
        EXPECT_EQ(bench.status(0, cache.array_ready_at - 125_ns - 1_ps).status, kCacheReady);

        // The next 31h comes while the array still works in the second round: it waits.
        const Picoseconds array = cache.array_ready_at;
        cache = bench.command(0, AddressCodec::command(onfi::kReadCache), array + 1_us);
        EXPECT_EQ(cache.ready_at, cache.end + 100_ns + 3_us);
        EXPECT_EQ(cache.array_ready_at, cache.ready_at + 37_us);  // page 2
        const OnfiTransaction early = bench.command(0, AddressCodec::command(onfi::kReadCache), cache.ready_at);
        EXPECT_EQ(early.ready_at, cache.array_ready_at + 3_us);
        EXPECT_EQ(early.array_ready_at, early.ready_at + 37_us);  // page 3, LSB of the next word line
        data = bench.data_out(0, out, 1, early.ready_at + 20_ns);
        EXPECT_EQ(out[0].lpn, filled_lpn(0, 1, 2, 0));

        // 3Fh: the last page, nothing read ahead.
        const OnfiTransaction end = bench.command(0, AddressCodec::command(onfi::kReadCacheEnd), data.end + 100_ns);
        EXPECT_EQ(end.ready_at, early.array_ready_at + 3_us);
        EXPECT_EQ(end.array_ready_at, 0_ps);
        EXPECT_TRUE(bench.data_out(0, out, 1, end.ready_at + 20_ns).ok);
        EXPECT_EQ(out[0].lpn, filled_lpn(0, 1, 3, 0));
        bench.until(end.ready_at + 10_us);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus);
        EXPECT_EQ(bench.readies.size(), 1U);  // no event beside the first read's
        EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 4U);
        EXPECT_EQ(bench.dies[0]->work().busy().busy, 37_us + 46_us + 37_us + 37_us);
        EXPECT_EQ(bench.dies[0]->work().busy().uses, 4U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieCache, RandomReadOfSeveralPlanes) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const OnfiTransaction one = bench.command(0, bench.codec.read(at(0, 1, 4), onfi::kReadNextPlane), 0_ps);
        const OnfiTransaction two = bench.command(0, bench.codec.read(at(1, 1, 4)), one.ready_at);
        const Picoseconds first = two.end + 100_ns + 46_us;
        bench.until(first);
        // Block 3 page 9 of both planes next, then nothing.
        const OnfiTransaction next = bench.command(0, bench.codec.read(at(0, 3, 9), onfi::kReadNextPlane), first);
        const OnfiTransaction cache = bench.command(0, bench.codec.read(at(1, 3, 9), onfi::kReadCache), next.ready_at);
        ASSERT_TRUE(cache.ok);
        EXPECT_EQ(cache.ready_at, cache.end + 100_ns + 3_us);
        StoredLpage out;
        const auto plane = [&](std::uint8_t p, std::uint32_t block, std::uint32_t page, Picoseconds from) {
          const OnfiTransaction select = bench.command(0, bench.codec.change_read_column(at(p, block, page, 2)), from);
          const OnfiTransaction data = bench.data_out(0, &out, 1, select.end + 400_ns);
          EXPECT_TRUE(data.ok);
          EXPECT_EQ(out.lpn, filled_lpn(p, block, page, 2));
          return data.end + 100_ns;
        };
        Picoseconds now = plane(0, 1, 4, cache.ready_at);
        now = plane(1, 1, 4, now);
        const OnfiTransaction end = bench.command(0, AddressCodec::command(onfi::kReadCacheEnd), now);
        EXPECT_EQ(end.ready_at, cache.ready_at + 37_us + 3_us);  // page 9: LSB
        now = plane(1, 3, 9, end.ready_at);
        plane(0, 3, 9, now);
        EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 2U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieCache, ProgramOfThreeUnits) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction a = bench.program(0, BlockId(6), PageId(0), lpages, 0_ps, onfi::kProgramCache);
        ASSERT_TRUE(a.ok);
        EXPECT_EQ(a.ready_at, a.end + 100_ns + 4_us);
        EXPECT_EQ(a.array_ready_at, a.ready_at + 660_us);
        bench.until(a.ready_at);
        EXPECT_EQ(bench.status(0, a.ready_at).status, kCacheReady);
        // The next unit comes in while the first one is programmed, and waits for it.
        for (StoredLpage& s : lpages) s.lpn += 100;
        const OnfiTransaction b =
            bench.program(0, BlockId(6), PageId(3), lpages, a.ready_at + 1_us, onfi::kProgramCache);
        ASSERT_TRUE(b.ok);
        EXPECT_LT(b.end, a.array_ready_at);
        EXPECT_EQ(b.ready_at, a.array_ready_at + 4_us);
        EXPECT_EQ(b.array_ready_at, b.ready_at + 660_us);
        bench.until(a.array_ready_at - 1_us);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, onfi::kNotProtected);
        EXPECT_FALSE(bench.dies[0]->array().programmed(PlaneId(0), BlockId(6), PageId(0)));
        bench.until(b.ready_at);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kCacheReady);
        EXPECT_TRUE(bench.dies[0]->array().programmed(PlaneId(0), BlockId(6), PageId(0)));
        EXPECT_FALSE(bench.dies[0]->array().programmed(PlaneId(0), BlockId(6), PageId(3)));
        for (StoredLpage& s : lpages) s.lpn += 100;
        const OnfiTransaction c = bench.program(0, BlockId(6), PageId(6), lpages, b.ready_at + 1_us);
        EXPECT_EQ(c.ready_at, 0_ps);
        const Picoseconds end = b.array_ready_at + 4_us + 660_us;
        EXPECT_TRUE(bench.readies.empty());
        bench.until(end - 1_ps);
        EXPECT_TRUE(bench.readies.empty());
        bench.until(end);
        ASSERT_EQ(bench.readies.size(), 1U);
        EXPECT_EQ(bench.status(0, end).status, kIdleStatus);
        EXPECT_EQ(bench.dies[0]->array().lpage({PlaneId(1), BlockId(6), PageId(1), 3}).lpn, 5000U + 15);
        EXPECT_EQ(bench.dies[0]->array().lpage({PlaneId(1), BlockId(6), PageId(4), 3}).lpn, 5100U + 15);
        EXPECT_EQ(bench.dies[0]->array().lpage({PlaneId(1), BlockId(6), PageId(7), 3}).lpn, 5200U + 15);
        EXPECT_EQ(bench.dies[0]->work().busy().busy, 3 * 660_us);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieCache, AnIdleArrayTakesTheNextUnitAtOnce) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction a = bench.program(0, BlockId(6), PageId(0), lpages, 0_ps, onfi::kProgramCache);
        bench.until(a.array_ready_at + 1_us);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus);
        const OnfiTransaction b = bench.program(0, BlockId(6), PageId(3), lpages, tlm_if::kernel_time() + 1_us);
        bench.until(b.end + 100_ns + 660_us);  // nothing to move behind: as a program alone
        EXPECT_EQ(bench.readies.size(), 1U);
        EXPECT_TRUE(bench.readies[0].at == tlm_if::kernel_time());
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieCache, FailcTellsOfTheUnitBefore) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        // Block 2 is filled: the first program fails, the second (block 6) does not.
        const OnfiTransaction a = bench.program(0, BlockId(2), PageId(0), lpages, 0_ps, onfi::kProgramCache);
        const OnfiTransaction b = bench.program(0, BlockId(6), PageId(0), lpages, a.ready_at, onfi::kProgramCache);
        bench.until(b.ready_at);
        EXPECT_EQ(reports_seen(), 0U);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kCacheReady | onfi::kFailCache);
        EXPECT_EQ(reports_seen(), 1U);  // of the die, when the first one is committed
        const OnfiTransaction c = bench.program(0, BlockId(2), PageId(0), lpages, b.ready_at + 1_us);
        bench.until(b.array_ready_at + 4_us + 660_us);
        EXPECT_EQ(reports_seen(), 1U);
        ASSERT_TRUE(c.ok);
        ASSERT_EQ(bench.readies.size(), 1U);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus | onfi::kFail);
        // A program alone begins anew.
        const OnfiTransaction d = bench.program(0, BlockId(6), PageId(3), lpages, tlm_if::kernel_time() + 1_us);
        bench.until(d.end + 100_ns + 660_us);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieCache, TheProgramBehindAReadyDieIsSuspended) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction a = bench.program(0, BlockId(6), PageId(0), lpages, 0_ps, onfi::kProgramCache);
        bench.until(a.ready_at + 10_us);
        const OnfiTransaction suspend =
            bench.command(0, bench.codec.suspend_program(at(0, 6, 0)), tlm_if::kernel_time());
        EXPECT_EQ(bench.status(0, suspend.end + 100_ns).status, onfi::kNotProtected);
        bench.until(a.ready_at + 50_us + 20_us);
        ASSERT_EQ(bench.readies.size(), 1U);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus | onfi::kSuspended);
        const OnfiTransaction resume =
            bench.command(0, bench.codec.resume_program(at(0, 6, 0)), tlm_if::kernel_time() + 1_us);
        bench.until(resume.end + 100_ns + 610_us);
        ASSERT_EQ(bench.readies.size(), 2U);
        EXPECT_TRUE(bench.dies[0]->array().programmed(PlaneId(0), BlockId(6), PageId(0)));

        // In its last micro-operation it is let go; ready() tells that R/B_n, which fell, has risen.
        const OnfiTransaction b =
            bench.program(0, BlockId(6), PageId(3), lpages, tlm_if::kernel_time() + 1_us, onfi::kProgramCache);
        bench.until(b.array_ready_at - 1_us);
        bench.command(0, bench.codec.suspend_program(at(0, 6, 3)), tlm_if::kernel_time());
        bench.until(b.array_ready_at);
        ASSERT_EQ(bench.readies.size(), 3U);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieCache, WhatDoesNotContinueTheSequenceIsRefused) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        const auto refused = [&](const onfi::Cycles& cycles, Picoseconds at) {
          EXPECT_FALSE(bench.command(0, cycles, at).ok) << unsigned{cycles.opcode};
          EXPECT_EQ(reports_seen(), 1U);
          bench.checker.ready_busy(0, true, at + 500_us);  // it waits for R/B_n in vain
          bench.until(at + 500_us);
        };
        refused(AddressCodec::command(onfi::kReadCache), 0_us);  // no page was read
        bench.until(1_ms);
        const OnfiTransaction last = bench.command(0, bench.codec.read(at(0, 1, 23)), tlm_if::kernel_time());
        bench.until(last.end + 100_us);
        refused(AddressCodec::command(onfi::kReadCache), tlm_if::kernel_time());  // the last page of the block

        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction program =
            bench.program(0, BlockId(6), PageId(0), lpages, tlm_if::kernel_time(), onfi::kProgramCache);
        bench.until(program.ready_at);
        EXPECT_EQ(reports_seen(), 0U);
        EXPECT_FALSE(bench.command(0, bench.codec.read(at(0, 1, 0)), tlm_if::kernel_time()).ok);
        EXPECT_FALSE(bench.command(0, bench.codec.erase(at(0, 7, 0)), tlm_if::kernel_time() + 1_us).ok);
        OnfiTransaction set;
        set.kind = SegmentKind::kGetFeatures;
        set.cycles = bench.codec.get_features(0, onfi::kFeatureReferenceStep);
        EXPECT_FALSE(bench.send(set, tlm_if::kernel_time() + 2_us).ok);
        EXPECT_GE(reports_seen(), 3U);
      },
      limit());
}

TEST(NandDieCache, ALunIsSelectedBefore31h) {
  config::Config config = reference_config();
  config.channels.packages = 1;
  config.channels.dies_per_package = 2;
  ChannelBench bench(config);
  expect_reports(true);
  simulate(
      [&] {
        const OnfiTransaction a = bench.command(0, bench.codec.read(at(0, 0, 0, 0, 0)), 0_ps);
        const OnfiTransaction b = bench.command(1, bench.codec.read(at(0, 0, 0, 0, 1)), a.end);
        bench.until(b.end + 100_us);
        EXPECT_FALSE(
            bench.command(0, AddressCodec::command(onfi::kReadCache), tlm_if::kernel_time()).ok);  // LUN 1 would act
        EXPECT_EQ(reports_seen(), 1U);
        bench.until(tlm_if::kernel_time() + 1_us);
        EXPECT_TRUE(bench.command(1, AddressCodec::command(onfi::kReadCache), tlm_if::kernel_time()).ok);
      },
      limit());
}

TEST(NandDieCache, WaveformTellsArrayFromTransfer) {
  Notebook notebook;
  ChannelBench bench(reference_config(), &notebook);
  simulate(
      [&] {
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 1, 0)), 0_ps);
        const Picoseconds first = read.end + 100_ns + 37_us;
        bench.until(first);
        const OnfiTransaction cache = bench.command(0, AddressCodec::command(onfi::kReadCache), first);
        const OnfiTransaction end = bench.command(0, AddressCodec::command(onfi::kReadCacheEnd), cache.ready_at);
        bench.until(end.ready_at);
        EXPECT_EQ(notebook.notes.at("ssd.channel0.die0.state"),
                  (std::map<Picoseconds, std::string>{{read.end + 100_ns, "read"},
                                                      {first, "idle"},
                                                      {first + 145_ns, "cache busy"},
                                                      {cache.ready_at, "cache read"},
                                                      {cache.array_ready_at, "cache busy"},
                                                      {end.ready_at, "idle"}}));
      },
      limit());
}

}  // namespace
}  // namespace wordline::testing::nand_die_cache_test
