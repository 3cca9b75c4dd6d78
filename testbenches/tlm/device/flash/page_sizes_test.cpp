// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A die with two page sizes behind its pins: every time is tight (one picosecond before it the die is busy), and what
// does not fit the smaller pages is refused.
#include <gtest/gtest.h>

#include <vector>

#include "models/onfi/features.h"
#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/page_sizes_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::page_sizes_test {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

std::vector<StoredLpage> some(std::uint32_t count, std::uint32_t from = 0) {
  std::vector<StoredLpage> lpages;
  for (std::uint32_t i = 0; i < count; ++i) lpages.push_back(written(from + i));
  return lpages;
}
constexpr std::uint32_t kSmallUnit = 2 * 3, kLargeUnit = kSmallUnit * 8;

/// Lets what was announced go by, and returns the time.
Picoseconds later(ChannelBench& bench) {
  bench.until(tlm_if::kernel_time() + 200_us);
  return tlm_if::kernel_time();
}

/// The die has just been given an operation by `last`: it ends `duration` after tWB, to the picosecond.
void expect_busy_for(ChannelBench& bench, const OnfiTransaction& last, Picoseconds duration) {
  const std::size_t before = bench.readies.size();
  const Picoseconds ready = last.end + 100_ns + duration;
  bench.until(ready - 1_ps);
  EXPECT_EQ(bench.readies.size(), before) << "too early";
  bench.until(ready);
  ASSERT_EQ(bench.readies.size(), before + 1);
  EXPECT_EQ(bench.readies.back().at, ready);
}

// mpnfm.time.large_worse: in one die the small pages are programmed and erased faster; mpnfm.time.tr_flat: and read
// alike.
TEST(PageSizesOfADie, EveryTimeIsTight) {
  ChannelBench bench(two_page_sizes());
  simulate(
      [&] {
        for (const std::uint32_t block : {kSmallBlock, kLargeBlock}) {
          const bool small = block == kSmallBlock;
          std::vector<StoredLpage> data = some(small ? kSmallUnit : kLargeUnit);
          const auto gap = [&] { return later(bench); };
          expect_busy_for(bench, bench.program(0, BlockId(block), PageId(0), data, gap()),
                          small ? kSmallProgram : kLargeProgram);
          EXPECT_EQ(bench.status(0, gap()).status, kIdleStatus);
          expect_busy_for(bench, bench.command(0, bench.codec.read(at(0, block, 0)), gap()), 37_us);
          expect_busy_for(bench, bench.command(0, bench.codec.read(at(0, block, 1)), gap()), 46_us);
          const OnfiTransaction one =
              bench.command(0, bench.codec.erase(at(0, block, 0), onfi::kEraseNextPlane), gap());
          expect_busy_for(bench, bench.command(0, bench.codec.erase(at(1, block, 0)), one.ready_at),
                          small ? kSmallErase : kLargeErase);
        }
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(PageSizesOfADie, WhatLiesOutsideSmallPagesIsRefused) {
  ChannelBench bench(two_page_sizes());
  expect_reports(true);
  simulate(
      [&] {
        const auto gap = [&] { return later(bench); };
        std::vector<StoredLpage> data = some(kLargeUnit);
        const OnfiTransaction programmed = bench.program(0, BlockId(kSmallBlock), PageId(0), data, gap());
        ASSERT_TRUE(programmed.ok);
        bench.until(programmed.end + 1_ms);

        EXPECT_FALSE(bench.command(0, bench.codec.read(at(0, kSmallBlock, kSmallPages)), gap()).ok);
        EXPECT_NE(
            last_report().find("plane 0 block 9 page 12 is outside this die (LUN 0, 2 planes, 11 blocks, 12 pages)"),
            std::string::npos)
            << last_report();
        EXPECT_FALSE(bench.command(0, bench.codec.erase(at(0, 11, 0)), gap()).ok);

        // Logical page 1 of a page of one.
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(1, kSmallBlock, 2)), gap());
        bench.until(read.end + 1_ms);
        StoredLpage out[2];
        EXPECT_FALSE(bench.data_out(0, out, 2, gap()).ok);
        EXPECT_NE(last_report().find("the page 1 logical pages"), std::string::npos) << last_report();
        const OnfiTransaction again = bench.command(0, bench.codec.change_read_column(at(1, kSmallBlock, 2)), gap());
        EXPECT_TRUE(bench.data_out(0, out, 1, again.end + 400_ns).ok);
        EXPECT_EQ(out[0].lpn, written(5).lpn);
        EXPECT_FALSE(bench.data_out(0, out, 1, gap()).ok) << "behind the end of the page";

        // Two logical pages into a page of one.
        const OnfiTransaction load = bench.command(0, bench.codec.program(at(0, kSmallBlock, 3)), gap());
        EXPECT_FALSE(bench.data_in(0, data.data(), 2, load.end + 400_ns).ok);
        EXPECT_FALSE(bench.command(0, onfi::AddressCodec::command(onfi::kProgramNextPlane), gap()).ok);
        EXPECT_NE(last_report().find("page load of 0 logical pages, a page has 1"), std::string::npos) << last_report();
        EXPECT_EQ(bench.dies[0]->array().counters().programs, 1U);
      },
      limit());
}

TEST(PageSizesOfADie, ReadCacheEndsWithTheShorterBlock) {
  ChannelBench bench(two_page_sizes());
  expect_reports(true);
  simulate(
      [&] {
        std::vector<StoredLpage> data = some(kSmallUnit);
        Picoseconds next = 0_ps;
        for (std::uint32_t page = 0; page < kSmallPages; page += 3) {
          next = bench.program(0, BlockId(kSmallBlock), PageId(page), data, next).end + 1_ms;
          bench.until(next);
        }
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, kSmallBlock, kSmallPages - 2)), next);
        bench.until(read.end + 1_ms);
        const OnfiTransaction ahead = bench.command(0, onfi::AddressCodec::command(onfi::kReadCache),
                                                    tlm_if::kernel_time());  // page 11 behind page 10
        EXPECT_TRUE(ahead.ok);
        bench.until(ahead.ready_at + 1_ms);
        EXPECT_EQ(reports_seen(), 0U);
        EXPECT_FALSE(bench.command(0, onfi::AddressCodec::command(onfi::kReadCache), tlm_if::kernel_time()).ok);
        EXPECT_NE(last_report().find("31h after the last page of the block"), std::string::npos) << last_report();
        const OnfiTransaction end =
            bench.command(0, onfi::AddressCodec::command(onfi::kReadCacheEnd), tlm_if::kernel_time() + 1_us);
        EXPECT_TRUE(end.ok);
        bench.until(end.ready_at + 1_us);
        StoredLpage out;
        EXPECT_TRUE(bench.data_out(0, &out, 1, tlm_if::kernel_time()).ok);
        EXPECT_EQ(out.lpn, written(4).lpn);  // plane 0 of the third page of a unit
      },
      limit());
}

TEST(PageSizesOfADie, OperationsAcrossPageSizes) {
  config::Config c = two_page_sizes();
  c.nand.geometry.plane_blocks = config::PlaneBlocks::kAny;
  ChannelBench bench(c);
  expect_reports(true);
  simulate(
      [&] {
        const auto gap = [&] { return later(bench); };
        OnfiTransaction one = bench.command(0, bench.codec.erase(at(0, kLargeBlock, 0), onfi::kEraseNextPlane), gap());
        EXPECT_FALSE(bench.command(0, bench.codec.erase(at(1, kSmallBlock, 0)), one.ready_at).ok);
        EXPECT_NE(last_report().find("address blocks of two page sizes"), std::string::npos) << last_report();

        std::vector<StoredLpage> data = some(kLargeUnit);
        one = bench.command(0, bench.codec.program(at(0, kSmallBlock, 0)), gap());
        one = bench.data_in(0, data.data(), 1, one.end + 400_ns);
        one = bench.command(0, onfi::AddressCodec::command(onfi::kProgramNextPlane), one.end);
        EXPECT_TRUE(one.ok);
        EXPECT_FALSE(bench.command(0, bench.codec.program(at(1, kLargeBlock, 0)), one.ready_at).ok);
        EXPECT_NE(last_report().find("address blocks of two page sizes"), std::string::npos) << last_report();

        // A read senses both: its time is that of the page number.
        one = bench.command(0, bench.codec.read(at(0, 3, 0), onfi::kReadNextPlane), gap());
        const OnfiTransaction two = bench.command(0, bench.codec.read(at(1, kSmallBlock, 0)), one.ready_at);
        EXPECT_TRUE(two.ok);
        expect_busy_for(bench, two, 37_us);
        StoredLpage out[8];
        const OnfiTransaction column = bench.command(0, bench.codec.change_read_column(at(0, 3, 0)), gap());
        EXPECT_TRUE(bench.data_out(0, out, 8, column.end + 400_ns).ok);
        EXPECT_EQ(out[7].lpn, filled_lpage(DieId(0), {PlaneId(0), BlockId(3), PageId(0), 7}).lpn);

        // A copy of a large page does not become a small one.
        const OnfiTransaction source = bench.command(0, bench.codec.read(at(0, 3, 0), onfi::kReadCopyback), gap());
        bench.until(source.end + 1_ms);
        EXPECT_FALSE(bench.command(0, bench.codec.copyback_program(at(0, kSmallBlock, 0)), gap()).ok);
        EXPECT_NE(last_report().find("85h to a page of 1 logical pages with one of 8 in the register"),
                  std::string::npos)
            << last_report();
        EXPECT_TRUE(bench.command(0, bench.codec.copyback_program(at(0, kLargeBlock, 0)), gap()).ok);
      },
      limit());
}

// Copyback within small pages: content, and the raw errors that it brings along.
TEST(PageSizesOfADie, ASmallPageIsCopiedWithItsErrors) {
  config::Config c = two_page_sizes();
  c.nand.geometry.program = config::ProgramGranularity::kPage;
  c.nand.aging.pe_cycles = 3000;
  c.nand.aging.retention_days = 300;
  ChannelBench bench(c);
  simulate(
      [&] {
        const auto gap = [&] { return later(bench); };
        OnfiTransaction t = bench.command(0, bench.codec.program(at(0, 8, 0)), gap());
        StoredLpage data = written(77);
        t = bench.data_in(0, &data, 1, t.end + 400_ns);
        t = bench.command(0, onfi::AddressCodec::command(onfi::kProgramConfirm), t.end);
        bench.until(t.end + 2_ms);
        t = bench.command(0, bench.codec.read(at(0, 8, 0), onfi::kReadCopyback), gap());
        bench.until(t.end + 1_ms);
        const nand::Die& array = bench.dies[0]->array();
        unsigned brought[2];
        for (unsigned i = 0; i < 2; ++i) {
          brought[i] = bench.dies[0]->registers().bit_errors(PlaneId(0), 0, i);
          EXPECT_GT(brought[i], 0U);
        }
        t = bench.command(0, bench.codec.copyback_program(at(0, 10, 0)), gap());
        ASSERT_TRUE(t.ok);
        t = bench.command(0, onfi::AddressCodec::command(onfi::kProgramConfirm), t.end + 1_us);
        bench.until(t.end + 2_ms);
        t = bench.command(0, bench.codec.read(at(0, 10, 0)), gap());
        bench.until(t.end + 1_ms);
        for (unsigned i = 0; i < 2; ++i) {
          const unsigned own = array.bit_errors(PlaneId(0), BlockId(10), PageId(0), i, ecc::kCodewordBits, 0U);
          EXPECT_EQ(bench.dies[0]->registers().bit_errors(PlaneId(0), 0, i), own + brought[i]);
        }
        StoredLpage out;
        EXPECT_TRUE(bench.data_out(0, &out, 1, gap()).ok);
        EXPECT_EQ(out.lpn, written(77).lpn);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

// The factory mark is the first byte of the spare area of its own page.
TEST(PageSizesOfADie, MarksLieBehindTheDataOfThePage) {
  config::Config c = two_page_sizes();
  c.nand.faults.bad_blocks = 0.5;
  ChannelBench bench(c);
  simulate(
      [&] {
        const auto mark_at = [&](std::uint32_t block, std::uint32_t column) {
          const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, block, 0)), later(bench));
          bench.until(read.end + 1_ms);
          onfi::Address address = at(0, block, 0);
          address.column = column;
          const OnfiTransaction select = bench.command(0, bench.codec.change_read_column(address), later(bench));
          OnfiTransaction t;
          t.kind = onfi::SegmentKind::kDataOut;
          t.bytes = onfi::kMarkBytes;
          t = bench.send(t, select.end + 400_ns);
          EXPECT_TRUE(t.ok);
          return t.status;
        };
        unsigned bad = 0;
        for (std::uint32_t block = 4; block < 11; ++block) {
          const bool marked =
              bench.dies[0]->array().health(PlaneId(0), BlockId(block)) == nand::BlockHealth::kFactoryBad;
          bad += marked ? 1 : 0;
          EXPECT_EQ(mark_at(block, block < 8 ? 32768 : 4096), marked ? onfi::kFactoryBadMark : 0xff) << block;
        }
        EXPECT_GT(bad, 0U);
        EXPECT_LT(bad, 7U);
      },
      limit());
}

}  // namespace
}  // namespace wordline::testing::page_sizes_test
