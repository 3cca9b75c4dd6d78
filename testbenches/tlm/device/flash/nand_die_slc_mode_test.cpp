// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A2h: blocks with one bit a cell, at the pins of the die.
#include <gtest/gtest.h>

#include <string>

#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nand_die_slc_mode_test {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using onfi::Address;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

config::Config with_slc_mode() {
  config::Config c = reference_config();
  c.nand.slc_mode = {25_us, 200_us};
  return c;
}

Address slc(Address at) {
  at.slc_mode = true;
  return at;
}

/// The first page of a word line in both planes; the transaction of 10h.
OnfiTransaction program(ChannelBench& bench, std::uint32_t block, std::uint32_t page, Picoseconds from) {
  OnfiTransaction last;
  for (std::uint8_t plane = 0; plane < 2; ++plane) {
    const OnfiTransaction load = bench.command(0, bench.codec.program(slc(at(plane, block, page))), from);
    std::vector<StoredLpage> lpages;
    for (std::uint32_t i = 0; i < 4; ++i) lpages.push_back(written(4 * plane + i));
    const OnfiTransaction in = bench.data_in(0, lpages.data(), 4, load.end + 400_ns);
    last = bench.command(0, onfi::AddressCodec::command(plane == 0 ? 0x11 : 0x10), in.end);
    from = last.ready_at;
  }
  return last;
}

TEST(NandDieSlcMode, ThePrefixIsACycleMoreAndTimesAreThoseOfTheMode) {
  ChannelBench bench(with_slc_mode());
  simulate(
      [&] {
        const OnfiTransaction confirm = program(bench, 5, 0, 0_ps);
        ASSERT_TRUE(confirm.ok);
        // Two loads of (20 + 7 x 25) + 400 + 23276.5 + 45 ns: 80h ADDR has six cycles, A2h is the seventh.
        EXPECT_EQ(confirm.end, 2 * (195_ns + 400_ns + 23'276'500_ps + 45_ns) + 600_ns);
        const Picoseconds done = confirm.end + 100_ns + 200_us;
        bench.until(done - 1_ps);
        EXPECT_TRUE(bench.readies.empty());
        bench.until(done);
        ASSERT_EQ(bench.readies.size(), 1U);
        EXPECT_EQ(bench.status(0, done).status, kIdleStatus);
        EXPECT_TRUE(bench.dies[0]->array().in_slc_mode(PlaneId(1), BlockId(5)));

        const OnfiTransaction read = bench.command(0, bench.codec.read(slc(at(1, 5, 0))), done + 1_us);
        ASSERT_TRUE(read.ok);
        EXPECT_EQ(read.end, done + 1_us + 220_ns);
        const Picoseconds ready = read.end + 100_ns + 25_us;
        bench.until(ready - 1_ps);
        EXPECT_EQ(bench.readies.size(), 1U);
        bench.until(ready);
        ASSERT_EQ(bench.readies.size(), 2U);
        StoredLpage out[4];
        ASSERT_TRUE(bench.data_out(0, out, 4, ready + 20_ns).ok);
        for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(out[i].token, written(4 + i).token);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

/// Whether the die refuses the segment, with a report; the checker, which takes each for a command, may have another.
bool refused(ChannelBench& bench, const onfi::Cycles& cycles, Picoseconds when) {
  const bool ok = bench.command(0, cycles, when).ok;
  return !ok && reports_seen() != 0;
}

TEST(NandDieSlcMode, ReadsAreInTheModeOfTheBlock) {
  ChannelBench bench(with_slc_mode());
  expect_reports(true);
  simulate(
      [&] {
        const Picoseconds done = program(bench, 5, 0, 0_ps).end + 100_ns + 200_us;
        bench.until(done);
        Picoseconds t = bench.status(0, done).end + 1_us;
        EXPECT_EQ(reports_seen(), 0U);
        EXPECT_TRUE(refused(bench, bench.codec.read(at(0, 5, 0)), t)) << "without A2h";
        EXPECT_TRUE(refused(bench, bench.codec.read(slc(at(0, 2, 0))), t += 10_us)) << "a block of another mode";
      },
      limit());
}

TEST(NandDieSlcMode, ThePrefixComesBeforeReadsAndPageLoadsAlone) {
  ChannelBench bench(with_slc_mode());
  expect_reports(true);
  simulate(
      [&] {
        Picoseconds t = 1_us;
        onfi::Cycles cycles = bench.codec.erase(at(0, 5, 0));
        cycles.prefix = onfi::kSlcMode;
        EXPECT_TRUE(refused(bench, cycles, t)) << "an erase";
        cycles = bench.codec.copyback_program(at(0, 5, 0));
        cycles.prefix = onfi::kSlcMode;
        EXPECT_TRUE(refused(bench, cycles, t += 10_us)) << "85h";
        cycles = bench.codec.read(at(0, 2, 0));
        cycles.prefix = 0xa3;
        EXPECT_TRUE(refused(bench, cycles, t += 10_us)) << "a prefix that there is not";
        // One plane with it, the other without: blocks that hold nothing may be read in either mode.
        bench.until(t += 10_us);
        const OnfiTransaction erase = bench.command(0, bench.codec.erase(at(0, 3, 0), onfi::kEraseNextPlane), t);
        const Picoseconds erased = bench.command(0, bench.codec.erase(at(1, 3, 0)), erase.ready_at).end + 100_ns + 4_ms;
        bench.until(erased);
        t = bench.status(0, erased).end + 1_us;
        const OnfiTransaction first = bench.command(0, bench.codec.read(slc(at(0, 3, 0)), onfi::kReadNextPlane), t);
        EXPECT_TRUE(first.ok);
        EXPECT_TRUE(refused(bench, bench.codec.read(at(1, 3, 0)), first.ready_at));
      },
      limit());
}

TEST(NandDieSlcMode, AnotherUnitOfTheBlockInTheOtherModeFails) {
  ChannelBench bench(with_slc_mode());
  expect_reports(true);
  simulate(
      [&] {
        const Picoseconds done = program(bench, 5, 0, 0_ps).end + 100_ns + 200_us;
        bench.until(done);
        const Picoseconds t = bench.status(0, done).end + 1_us;
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction confirm = bench.program(0, BlockId(5), PageId(3), lpages, t);
        EXPECT_TRUE(confirm.ok);
        EXPECT_EQ(reports_seen(), 0U);
        bench.until(confirm.end + 100_ns + bench.dies[0]->array().plan_program(BlockId(5), PageId(3)).total());
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_FALSE(bench.dies[0]->array().programmed(PlaneId(0), BlockId(5), PageId(3)));
      },
      limit());
}

}  // namespace
}  // namespace wordline::testing::nand_die_slc_mode_test
