// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// RESET in every state: how long the die is busy, and what the array keeps. Also loss of power.
#include <gtest/gtest.h>

#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/notebook.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nand_die_reset_test {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using onfi::AddressCodec;
using onfi::SegmentKind;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

OnfiTransaction reset(ChannelBench& bench, Picoseconds from) {
  OnfiTransaction t;
  t.kind = SegmentKind::kReset;
  t.cycles = bench.codec.reset(at(0, 0, 0));
  bench.until(from);
  return bench.send(t, from);
}
void expect_idle(ChannelBench& bench, const OnfiTransaction& reset, Picoseconds t_rst, std::size_t readies) {
  ASSERT_TRUE(reset.ok);
  EXPECT_EQ(reset.ready_at, reset.end + 100_ns + t_rst);
  EXPECT_EQ(bench.status(0, reset.ready_at - 125_ns - 1_ps).status, onfi::kNotProtected);
  bench.until(reset.ready_at + 10_ms);
  EXPECT_EQ(bench.readies.size(), readies);
  EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus);
  EXPECT_FALSE(bench.dies[0]->operating());
  EXPECT_FALSE(bench.dies[0]->work().suspended().holds());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieReset, Idle) {
  ChannelBench bench(reference_config());
  simulate([&] { expect_idle(bench, reset(bench, 1_us), 5_us, 0); }, limit());
}

TEST(NandDieReset, CommandsWaitForItsEnd) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        const OnfiTransaction t = reset(bench, 1_us);
        EXPECT_FALSE(bench.command(0, bench.codec.read(at(0, 0, 0)), t.ready_at - 1_ps).ok);
        EXPECT_EQ(reports_seen(), 2U);
        EXPECT_EQ(bench.checker.last_violation().rule, "tRST");
      },
      limit());
}

TEST(NandDieReset, Program) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction first = bench.program(0, BlockId(6), PageId(0), lpages, 0_ps);
        bench.until(first.end + 100_ns + 660_us);
        const OnfiTransaction second = bench.program(0, BlockId(6), PageId(3), lpages, tlm_if::kernel_time());
        const Picoseconds begin = second.end + 100_ns;
        const OnfiTransaction t = reset(bench, begin + 300_us);
        expect_idle(bench, t, 30_us, 1);
        const nand::Die& array = bench.dies[0]->array();
        EXPECT_TRUE(array.readable(PlaneId(0), BlockId(6), PageId(2)));
        EXPECT_EQ(array.lpage({PlaneId(1), BlockId(6), PageId(2), 3}).token, written(23).token);
        EXPECT_TRUE(array.programmed(PlaneId(0), BlockId(6), PageId(3)));  // used up
        EXPECT_FALSE(array.readable(PlaneId(0), BlockId(6), PageId(3)));
        EXPECT_FALSE(array.readable(PlaneId(1), BlockId(6), PageId(5)));
        EXPECT_EQ(array.counters().interrupted, 1U);
        EXPECT_EQ(bench.dies[0]->work().busy().busy, 660_us + 300_us + 45_ns);
      },
      limit());
}

TEST(NandDieReset, BeforeTheFirstPulseNothingHappens) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction program = bench.program(0, BlockId(6), PageId(0), lpages, 0_ps);
        OnfiTransaction t;
        t.kind = SegmentKind::kReset;
        t.cycles = bench.codec.reset(at(0, 0, 0));
        bench.until(program.end);
        // The checker forbids a command before tWB; the die still may get one: 45 ns after the confirm.
        expect_reports(true);
        t = bench.send(t, program.end);
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_EQ(bench.checker.last_violation().rule, "tWB");
        EXPECT_FALSE(bench.dies[0]->array().programmed(PlaneId(0), BlockId(6), PageId(0)));
        EXPECT_EQ(bench.dies[0]->work().busy().busy, 0_ps);
        bench.until(t.ready_at);
        const OnfiTransaction again = bench.program(0, BlockId(6), PageId(0), lpages, t.ready_at);
        bench.until(again.end + 1_ms);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus);
        EXPECT_TRUE(bench.dies[0]->array().readable(PlaneId(0), BlockId(6), PageId(0)));
      },
      limit());
}

TEST(NandDieReset, Erase) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const OnfiTransaction erase = bench.command(0, bench.codec.erase(at(0, 2, 0)), 0_ps);
        const OnfiTransaction t = reset(bench, erase.end + 1_ms);
        expect_idle(bench, t, 500_us, 0);
        const nand::Die& array = bench.dies[0]->array();
        EXPECT_FALSE(array.readable(PlaneId(0), BlockId(2), PageId(0)));
        EXPECT_TRUE(array.readable(PlaneId(1), BlockId(2), PageId(0)));  // the other plane was not erased
        // It has to be erased before it is programmed again; then all is well.
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction one =
            bench.command(0, bench.codec.erase(at(0, 2, 0), onfi::kEraseNextPlane), tlm_if::kernel_time() + 1_us);
        const OnfiTransaction two = bench.command(0, bench.codec.erase(at(1, 2, 0)), one.ready_at);
        bench.until(two.end + 100_ns + 4_ms);
        const OnfiTransaction program = bench.program(0, BlockId(2), PageId(0), lpages, tlm_if::kernel_time());
        bench.until(program.end + 100_ns + 660_us);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus);
        EXPECT_TRUE(array.readable(PlaneId(0), BlockId(2), PageId(0)));
      },
      limit());
}

TEST(NandDieReset, SuspendedProgram) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction program = bench.program(0, BlockId(6), PageId(0), lpages, 0_ps);
        bench.until(program.end + 110_us);
        bench.command(0, bench.codec.suspend_program(at(0, 6, 0)), tlm_if::kernel_time());
        bench.until(program.end + 200_us);
        ASSERT_EQ(bench.readies.size(), 1U);
        expect_idle(bench, reset(bench, tlm_if::kernel_time()), 30_us, 1);
        EXPECT_FALSE(bench.dies[0]->array().readable(PlaneId(0), BlockId(6), PageId(0)));
        EXPECT_EQ(bench.dies[0]->array().counters().interrupted, 1U);
      },
      limit());
}

TEST(NandDieReset, SuspendedEraseWithAReadUnderWay) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const OnfiTransaction erase = bench.command(0, bench.codec.erase(at(0, 2, 0)), 0_ps);
        bench.until(erase.end + 100_us);
        bench.command(0, bench.codec.suspend_erase(at(0, 2, 0)), tlm_if::kernel_time());
        bench.until(erase.end + 1100_us);
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 3, 0)), tlm_if::kernel_time());
        const Picoseconds busy = bench.dies[0]->work().busy().busy;
        EXPECT_EQ(bench.dies[0]->work().busy_after(read.end + 100_ns + 12_us), 37_us - 12_us);
        EXPECT_EQ(bench.dies[0]->work().busy_after(read.end), 37_us);
        const OnfiTransaction t = reset(bench, read.end + 100_ns + 12_us);
        expect_idle(bench, t, 500_us, 1);
        EXPECT_EQ(bench.dies[0]->work().busy().busy, busy - 37_us + 12_us + 45_ns);
        EXPECT_FALSE(bench.dies[0]->array().readable(PlaneId(0), BlockId(2), PageId(0)));
        EXPECT_EQ(bench.dies[0]->array().counters().interrupted, 2U);
      },
      limit());
}

TEST(NandDieReset, CacheProgramWithAUnitWaiting) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction a = bench.program(0, BlockId(6), PageId(0), lpages, 0_ps, onfi::kProgramCache);
        const OnfiTransaction b = bench.program(0, BlockId(6), PageId(3), lpages, a.ready_at);
        EXPECT_EQ(bench.dies[0]->work().busy_after(b.end + 10_us), a.array_ready_at - b.end - 10_us + 660_us);
        EXPECT_EQ(bench.dies[0]->work().busy_after(a.array_ready_at + 1_ms), 0_ps);
        const OnfiTransaction t = reset(bench, b.end + 10_us);
        ASSERT_LT(t.end, a.array_ready_at);
        expect_idle(bench, t, 30_us, 0);
        const nand::Die& array = bench.dies[0]->array();
        EXPECT_FALSE(array.readable(PlaneId(0), BlockId(6), PageId(0)));
        EXPECT_FALSE(array.programmed(PlaneId(0), BlockId(6), PageId(3)));  // never begun
        EXPECT_EQ(bench.dies[0]->work().busy().busy, t.end - a.ready_at);
      },
      limit());
}

TEST(NandDieReset, CacheRead) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 1, 0)), 0_ps);
        bench.until(read.end + 40_us);
        const OnfiTransaction cache = bench.command(0, AddressCodec::command(onfi::kReadCache), tlm_if::kernel_time());
        const OnfiTransaction t = reset(bench, cache.ready_at + 10_us);
        expect_idle(bench, t, 10_us, 1);
        StoredLpage out;
        EXPECT_FALSE(bench.data_out(0, &out, 1, tlm_if::kernel_time() + 1_us).ok);  // nothing in the registers
        EXPECT_EQ(reports_seen(), 1U);
      },
      limit());
}

TEST(NandDieReset, FeaturesStay) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        OnfiTransaction set;
        set.kind = SegmentKind::kSetFeatures;
        set.cycles = bench.codec.set_features(0, onfi::kFeatureReferenceStep);
        set.parameters = {3, 0, 0, 0};
        set = bench.send(set, 0_ps);
        const OnfiTransaction t = reset(bench, set.end + 300_ns);  // in tFEAT
        expect_idle(bench, t, 5_us, 0);
        EXPECT_EQ(bench.dies[0]->features().read().step, 3U);
      },
      limit());
}

TEST(NandDieReset, AHalfLoadedUnitIsForgotten) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction load = bench.command(0, bench.codec.program(at(0, 6, 0)), 0_ps);
        const OnfiTransaction in = bench.data_in(0, lpages.data(), 4, load.end + 400_ns);
        const OnfiTransaction next = bench.command(0, AddressCodec::command(onfi::kProgramNextPlane), in.end);
        expect_idle(bench, reset(bench, next.ready_at), 5_us, 0);
        const OnfiTransaction program = bench.program(0, BlockId(7), PageId(0), lpages, tlm_if::kernel_time() + 1_us);
        EXPECT_TRUE(program.ok);
        bench.until(program.end + 1_ms);
        EXPECT_TRUE(bench.dies[0]->array().readable(PlaneId(1), BlockId(7), PageId(2)));
      },
      limit());
}

TEST(NandDieReset, WaveformIsCut) {
  Notebook notebook;
  ChannelBench bench(reference_config(), &notebook);
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction program = bench.program(0, BlockId(6), PageId(0), lpages, 0_ps);
        const Picoseconds begin = program.end + 100_ns;
        const OnfiTransaction t = reset(bench, begin + 20_us);
        bench.until(t.ready_at);
        EXPECT_EQ(notebook.notes.at("ssd.channel0.die0.state"),
                  (std::map<Picoseconds, std::string>{
                      {begin, "program"}, {t.end, "idle"}, {t.end + 100_ns, "reset"}, {t.ready_at, "idle"}}));
        const auto& ops = notebook.notes.at("ssd.channel0.die0.microop");
        EXPECT_EQ(ops, (std::map<Picoseconds, std::string>{{begin, "pulse"}, {t.end, "idle"}}));
      },
      limit());
}

TEST(NandDiePowerLoss, TearsWhatIsUnderWay) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction program = bench.program(0, BlockId(6), PageId(0), lpages, 0_ps);
        bench.until(program.end + 100_ns + 659_us);
        bench.dies[0]->power_loss();
        EXPECT_FALSE(bench.dies[0]->array().readable(PlaneId(0), BlockId(6), PageId(0)));
        EXPECT_EQ(bench.dies[0]->work().busy().busy, 659_us);
        bench.until(tlm_if::kernel_time() + 1_ms);
        EXPECT_TRUE(bench.readies.empty());
      },
      limit());
}

TEST(NandDiePowerLoss, WhatHasEndedStays) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction a = bench.program(0, BlockId(6), PageId(0), lpages, 0_ps, onfi::kProgramCache);
        bench.until(a.array_ready_at);  // nothing has announced it
        bench.dies[0]->power_loss();
        EXPECT_TRUE(bench.dies[0]->array().readable(PlaneId(0), BlockId(6), PageId(0)));
        EXPECT_EQ(bench.dies[0]->array().counters().interrupted, 0U);
      },
      limit());
}

}  // namespace
}  // namespace wordline::testing::nand_die_reset_test
