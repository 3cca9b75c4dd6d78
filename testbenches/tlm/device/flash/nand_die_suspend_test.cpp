// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs and erases that stop between two micro-operations and go on later. Times by hand from reference_config():
// a program is 9 loops of a 50 us pulse and 5 us verifies (7, 7, 7, 6, 5, 4, 3, 2, 1 of them), an erase 5 loops of 750
// us and 50 us; suspending takes 20 us and 300 us after the micro-operation.
#include <gtest/gtest.h>

#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/notebook.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nand_die_suspend_test {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using onfi::SegmentKind;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

constexpr std::uint8_t kSuspendedStatus = kIdleStatus | onfi::kSuspended;
// 84h and 13h with five address cycles, 61h with three, D2h alone.
constexpr Picoseconds kProgramCommand = 170_ns, kEraseCommand = 120_ns, kResumeErase = 45_ns;

/// A program of block 6 page 0; the time at which its first pulse begins.
Picoseconds begin_program(ChannelBench& bench) {
  std::vector<StoredLpage> lpages = unit(bench);
  return bench.program(0, BlockId(6), PageId(0), lpages, tlm_if::kernel_time()).end + 100_ns;
}
Picoseconds begin_erase(ChannelBench& bench) {
  return bench.command(0, bench.codec.erase(at(0, 2, 0)), tlm_if::kernel_time()).end + 100_ns;
}

TEST(NandDieSuspend, ProgramStopsAtTheEndOfThePulse) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const Picoseconds begin = begin_program(bench);
        // The die acts 10 us into the first pulse; the pulse ends at 50 us.
        const Picoseconds sent = begin + 10_us - 100_ns - kProgramCommand;
        bench.until(sent);
        const OnfiTransaction suspend = bench.command(0, bench.codec.suspend_program(at(0, 6, 0)), sent);
        ASSERT_TRUE(suspend.ok);
        EXPECT_EQ(suspend.end, begin + 10_us - 100_ns);
        EXPECT_EQ(suspend.ready_at, 0_ps);
        const Picoseconds ready = begin + 50_us + 20_us;
        EXPECT_EQ(bench.dies[0]->work().busy_after(suspend.end), ready - suspend.end);
        EXPECT_EQ(bench.status(0, ready - 125_ns - 300_ns).status, onfi::kNotProtected);
        bench.until(ready - 1_ps);
        EXPECT_TRUE(bench.readies.empty());
        bench.until(ready);
        ASSERT_EQ(bench.readies.size(), 1U);
        EXPECT_TRUE(bench.dies[0]->work().suspended().holds());
        EXPECT_EQ(bench.status(0, ready).status, kSuspendedStatus);
        EXPECT_EQ(bench.dies[0]->work().busy().busy, 70_us);
        EXPECT_FALSE(bench.dies[0]->array().programmed(PlaneId(0), BlockId(6), PageId(0)));

        // 610 us of the 660 us remain.
        const OnfiTransaction resume = bench.command(0, bench.codec.resume_program(at(0, 6, 0)), ready + 1_us);
        const Picoseconds end = resume.end + 100_ns + 610_us;
        bench.until(end - 1_ps);
        EXPECT_EQ(bench.readies.size(), 1U);
        EXPECT_FALSE(bench.dies[0]->work().suspended().holds());
        bench.until(end);
        ASSERT_EQ(bench.readies.size(), 2U);
        EXPECT_EQ(bench.status(0, end).status, kIdleStatus);
        EXPECT_TRUE(bench.dies[0]->array().programmed(PlaneId(1), BlockId(6), PageId(2)));
        EXPECT_EQ(bench.dies[0]->work().busy().busy, 680_us);
        EXPECT_EQ(bench.dies[0]->work().busy().uses, 1U);
        EXPECT_EQ(bench.dies[0]->array().counters().programs, 1U);
        EXPECT_EQ(bench.dies[0]->array().lpage({PlaneId(1), BlockId(6), PageId(2), 3}).token, written(23).token);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

/// When the die is ready after a suspend on which it acts `offset` after the first pulse began.
Picoseconds stop_of(Picoseconds offset) {
  ChannelBench bench(reference_config());
  Picoseconds stop{};
  simulate(
      [&] {
        const Picoseconds begin = begin_program(bench);
        bench.until(begin + offset - 100_ns - kProgramCommand);
        bench.command(0, bench.codec.suspend_program(at(0, 6, 0)), tlm_if::kernel_time());
        bench.until(begin + 2_ms);
        ASSERT_EQ(bench.readies.size(), 1U);
        stop = bench.readies[0].at - begin;
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
  return stop;
}

// The boundary between the pulse and the first verify, from both sides.
TEST(NandDieSuspend, LastPicosecondOfAPulse) { EXPECT_EQ(stop_of(50_us - 1_ps), 50_us + 20_us); }
TEST(NandDieSuspend, FirstPicosecondOfAVerify) { EXPECT_EQ(stop_of(50_us), 55_us + 20_us); }
// Loop 1 has seven verifies: loop 2 begins at 85 us.
TEST(NandDieSuspend, SecondLoop) { EXPECT_EQ(stop_of(85_us), 135_us + 20_us); }
// The last micro-operation, a verify, is the operation's end: nothing is left to suspend.
TEST(NandDieSuspend, LastMicroOperationEndsTheProgram) { EXPECT_EQ(stop_of(655_us), 660_us); }
TEST(NandDieSuspend, BeforeTheLastMicroOperation) { EXPECT_EQ(stop_of(655_us - 1_ps), 655_us + 20_us); }
TEST(NandDieSuspend, CommandAcrossTheEnd) { EXPECT_EQ(stop_of(660_us), 660_us); }

TEST(NandDieSuspend, EraseAndReadOfAnotherBlock) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const Picoseconds begin = begin_erase(bench);
        bench.until(begin + 900_us - 100_ns - kEraseCommand);  // in the second pulse, 800 to 1550 us
        ASSERT_TRUE(bench.command(0, bench.codec.suspend_erase(at(0, 2, 0)), tlm_if::kernel_time()).ok);
        const Picoseconds ready = begin + 1550_us + 300_us;
        bench.until(ready - 1_ps);
        EXPECT_TRUE(bench.readies.empty());
        bench.until(ready);
        ASSERT_EQ(bench.readies.size(), 1U);
        EXPECT_EQ(bench.status(0, ready).status, kSuspendedStatus);

        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 3, 0)), ready + 1_us);
        EXPECT_EQ(bench.status(0, read.end + 1_us).status, onfi::kNotProtected);
        bench.until(read.end + 100_ns + 37_us);
        ASSERT_EQ(bench.readies.size(), 2U);
        StoredLpage out;
        const OnfiTransaction data = bench.data_out(0, &out, 1, tlm_if::kernel_time() + 20_ns);
        ASSERT_TRUE(data.ok);
        EXPECT_EQ(out.lpn, filled_lpage(DieId(0), {PlaneId(0), BlockId(3), PageId(0), 0}).lpn);
        EXPECT_EQ(bench.dies[0]->array().erase_count(PlaneId(0), BlockId(2)), 0U);

        const OnfiTransaction resume = bench.command(0, bench.codec.resume_erase(at(0, 2, 0)), data.end + 100_ns);
        EXPECT_EQ(resume.end - resume.start, kResumeErase);
        const Picoseconds end = resume.end + 100_ns + 4_ms - 1550_us;
        bench.until(end - 1_ps);
        EXPECT_EQ(bench.readies.size(), 2U);
        bench.until(end);
        ASSERT_EQ(bench.readies.size(), 3U);
        EXPECT_EQ(bench.dies[0]->array().erase_count(PlaneId(0), BlockId(2)), 1U);
        EXPECT_EQ(bench.status(0, end).status, kIdleStatus);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieSuspend, EverySuspendLetsOneMicroOperationPass) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        Picoseconds begin = begin_program(bench);
        unsigned stops = 0;
        Picoseconds worked{};
        while (true) {
          bench.until(begin);
          bench.command(0, bench.codec.suspend_program(at(0, 6, 0)), begin);
          while (bench.readies.size() == stops) sc_core::wait(1, sc_core::SC_US);
          worked += bench.readies[stops].at - begin;
          ++stops;
          if (!bench.dies[0]->work().suspended().holds()) break;
          worked -= 20_us;
          begin = bench.command(0, bench.codec.resume_program(at(0, 6, 0)), tlm_if::kernel_time()).end + 100_ns;
        }
        EXPECT_EQ(stops, 9U + 42U);  // micro-operations; the last one cannot be followed by a stop
        EXPECT_EQ(worked, 660_us);
        EXPECT_TRUE(bench.dies[0]->array().programmed(PlaneId(0), BlockId(6), PageId(0)));
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieSuspend, OtherPagesOfTheBlockAreReadDuringAProgram) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction first = bench.program(0, BlockId(6), PageId(0), lpages, 0_ps);
        bench.until(first.end + 100_ns + 660_us);
        const OnfiTransaction second = bench.program(0, BlockId(6), PageId(3), lpages, tlm_if::kernel_time());
        bench.until(second.end + 200_us);
        bench.command(0, bench.codec.suspend_program(at(0, 6, 3)), tlm_if::kernel_time());
        bench.until(tlm_if::kernel_time() + 100_us);
        ASSERT_EQ(bench.readies.size(), 2U);
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 6, 2)), tlm_if::kernel_time());
        ASSERT_TRUE(read.ok);
        bench.until(read.end + 100_ns + 37_us);
        StoredLpage out;
        ASSERT_TRUE(bench.data_out(0, &out, 1, tlm_if::kernel_time() + 20_ns).ok);
        EXPECT_EQ(out.lpn, written(16).lpn);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieSuspend, AProgramDuringASuspendedErase) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const Picoseconds begin = begin_erase(bench);
        bench.until(begin + 10_us);
        bench.command(0, bench.codec.suspend_erase(at(0, 2, 0)), tlm_if::kernel_time());
        bench.until(begin + 750_us + 300_us);
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction confirm = bench.program(0, BlockId(6), PageId(0), lpages, tlm_if::kernel_time());
        ASSERT_TRUE(confirm.ok);
        bench.until(confirm.end + 100_ns + 660_us);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kSuspendedStatus);
        EXPECT_TRUE(bench.dies[0]->array().programmed(PlaneId(0), BlockId(6), PageId(0)));
        const OnfiTransaction resume =
            bench.command(0, bench.codec.resume_erase(at(0, 2, 0)), tlm_if::kernel_time() + 1_us);
        bench.until(resume.end + 100_ns + 3250_us);
        EXPECT_EQ(bench.readies.size(), 3U);
        EXPECT_EQ(bench.dies[0]->array().erase_count(PlaneId(0), BlockId(2)), 1U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

// The program that went meanwhile goes on first.
TEST(NandDieSuspend, AnEraseAndAProgramAtATime) {
  config::Config config = reference_config();
  config.channels.suspend_depth = 2;
  ChannelBench bench(config);
  simulate(
      [&] {
        const Picoseconds begin = begin_erase(bench);
        bench.until(begin + 10_us);
        bench.command(0, bench.codec.suspend_erase(at(0, 2, 0)), tlm_if::kernel_time());
        bench.until(begin + 750_us + 300_us);
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction confirm = bench.program(0, BlockId(6), PageId(0), lpages, tlm_if::kernel_time());
        bench.until(confirm.end + 10_us);
        ASSERT_TRUE(bench.command(0, bench.codec.suspend_program(at(0, 6, 0)), tlm_if::kernel_time()).ok);
        bench.until(confirm.end + 100_ns + 50_us + 20_us);
        ASSERT_EQ(bench.readies.size(), 2U);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kSuspendedStatus | onfi::kBothSuspended);
        EXPECT_EQ(bench.dies[0]->work().under_way(), 750_us + 50_us);

        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 3, 0)), tlm_if::kernel_time() + 1_us);
        ASSERT_TRUE(read.ok);
        bench.until(read.end + 100_ns + 37_us);
        StoredLpage out;
        ASSERT_TRUE(bench.data_out(0, &out, 1, tlm_if::kernel_time() + 20_ns).ok);
        EXPECT_EQ(out.lpn, filled_lpage(DieId(0), {PlaneId(0), BlockId(3), PageId(0), 0}).lpn);

        const OnfiTransaction resume =
            bench.command(0, bench.codec.resume_program(at(0, 6, 0)), tlm_if::kernel_time() + 20_us);
        ASSERT_TRUE(resume.ok);
        bench.until(resume.end + 100_ns + 610_us);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kSuspendedStatus);
        EXPECT_TRUE(bench.dies[0]->array().programmed(PlaneId(0), BlockId(6), PageId(0)));
        const OnfiTransaction last =
            bench.command(0, bench.codec.resume_erase(at(0, 2, 0)), tlm_if::kernel_time() + 1_us);
        ASSERT_TRUE(last.ok);
        bench.until(last.end + 100_ns + 3250_us);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus);
        EXPECT_EQ(bench.dies[0]->array().erase_count(PlaneId(0), BlockId(2)), 1U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

/// When a die that cuts pulses is ready, of an erase on whose suspend it acts `offset` after it began; its erase ends
/// after so much more than the 4 ms.
std::pair<Picoseconds, Picoseconds> cut_at(Picoseconds offset) {
  config::Config config = reference_config();
  config.channels.cut_erase_pulse = true;
  ChannelBench bench(config);
  std::pair<Picoseconds, Picoseconds> seen;
  simulate(
      [&] {
        const Picoseconds begin = begin_erase(bench);
        bench.until(begin + offset - 100_ns - kEraseCommand);
        bench.command(0, bench.codec.suspend_erase(at(0, 2, 0)), tlm_if::kernel_time());
        bench.until(begin + offset + 300_us);
        ASSERT_EQ(bench.readies.size(), 1U);
        seen.first = bench.readies[0].at - begin;
        const OnfiTransaction resume = bench.command(0, bench.codec.resume_erase(at(0, 2, 0)), tlm_if::kernel_time());
        bench.until(begin + 10_ms);
        ASSERT_EQ(bench.readies.size(), 2U);
        seen.second = bench.readies[1].at - (resume.end + 100_ns) + offset - 4_ms;
        EXPECT_EQ(bench.dies[0]->array().erase_count(PlaneId(0), BlockId(2)), 1U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
  return seen;
}
TEST(NandDieSuspend, APulseIsCutIfItMay) { EXPECT_EQ(cut_at(900_us), std::pair(1200_us, 0_us)); }
TEST(NandDieSuspend, APulseIsCutAsItBegins) { EXPECT_EQ(cut_at(800_us), std::pair(1100_us, 0_us)); }
TEST(NandDieSuspend, APulseIsCutBeforeItsEnd) { EXPECT_EQ(cut_at(1550_us - 1_ps), std::pair(1850_us - 1_ps, 0_us)); }
TEST(NandDieSuspend, AVerifyIsCutToo) { EXPECT_EQ(cut_at(1560_us), std::pair(1860_us, 0_us)); }

TEST(NandDieSuspend, AReadyDieIgnoresIt) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const OnfiTransaction suspend = bench.command(0, bench.codec.suspend_program(at(0, 6, 0)), 1_us);
        EXPECT_TRUE(suspend.ok);
        EXPECT_EQ(bench.status(0, suspend.end).status, kIdleStatus);
        EXPECT_TRUE(bench.command(0, bench.codec.suspend_erase(at(0, 6, 0)), 2_us).ok);
        EXPECT_TRUE(bench.command(0, bench.codec.read(at(0, 0, 0)), 3_us).ok);
        bench.until(100_us);
        EXPECT_EQ(bench.readies.size(), 1U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieSuspend, LunsOfAPackageAreSuspendedAlone) {
  config::Config config = reference_config();
  config.channels.packages = 1;
  config.channels.dies_per_package = 2;
  ChannelBench bench(config);
  simulate(
      [&] {
        const OnfiTransaction a = bench.command(0, bench.codec.erase(at(0, 2, 0, 0, 0)), 0_ps);
        const OnfiTransaction b = bench.command(1, bench.codec.erase(at(0, 2, 0, 0, 1)), a.end);
        bench.until(b.end + 10_us);
        bench.command(1, bench.codec.suspend_erase(at(0, 2, 0, 0, 1)), tlm_if::kernel_time());
        bench.until(b.end + 100_ns + 1050_us);
        ASSERT_EQ(bench.readies.size(), 1U);
        EXPECT_EQ(bench.readies[0].die, 1U);
        const OnfiTransaction resume =
            bench.command(1, bench.codec.resume_erase(at(0, 2, 0, 0, 1)), tlm_if::kernel_time());
        ASSERT_TRUE(resume.ok);
        bench.until(a.end + 100_ns + 4_ms);
        EXPECT_EQ(bench.readies.size(), 2U);
        bench.until(resume.end + 100_ns + 3250_us);
        EXPECT_EQ(bench.readies.size(), 3U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieSuspend, WhatIsNotAllowed) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        EXPECT_FALSE(bench.command(0, bench.codec.resume_program(at(0, 6, 0)), 0_us).ok);  // nothing is suspended
        EXPECT_EQ(reports_seen(), 1U);
        // The checker took 13h for a confirm: wait for R/B_n in vain.
        bench.checker.ready_busy(0, true, 1_us);
        bench.until(10_us);

        const Picoseconds begin = begin_program(bench);
        bench.until(begin + 10_us);
        EXPECT_FALSE(bench.command(0, bench.codec.suspend_erase(at(0, 6, 0)), tlm_if::kernel_time()).ok);  // a program
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_TRUE(bench.command(0, bench.codec.suspend_program(at(0, 6, 0)), tlm_if::kernel_time() + 1_us).ok);
        EXPECT_FALSE(
            bench.command(0, bench.codec.suspend_program(at(0, 6, 0)), tlm_if::kernel_time() + 2_us).ok);  // again
        EXPECT_EQ(reports_seen(), 1U);
        bench.until(begin + 100_us);
        ASSERT_EQ(bench.readies.size(), 1U);
        const auto refused = [&](const onfi::Cycles& cycles, Picoseconds at) {
          EXPECT_FALSE(bench.command(0, cycles, at).ok);
          EXPECT_EQ(reports_seen(), 1U);
          bench.checker.ready_busy(0, true, at + 1_us);
        };
        refused(bench.codec.read(at(1, 6, 1)), begin + 110_us);     // a page of the unit
        refused(bench.codec.program(at(0, 7, 0)), begin + 120_us);  // the buffers are taken
        refused(bench.codec.erase(at(0, 7, 0)), begin + 130_us);
        refused(bench.codec.resume_erase(at(0, 6, 0)), begin + 140_us);
        const OnfiTransaction resume = bench.command(0, bench.codec.resume_program(at(0, 6, 0)), begin + 150_us);
        EXPECT_TRUE(resume.ok);
        bench.until(resume.end + 100_ns + 610_us);
        EXPECT_EQ(bench.readies.size(), 2U);

        bench.until(tlm_if::kernel_time() + 10_us);
        const Picoseconds erase = begin_erase(bench);
        bench.until(erase + 10_us);
        EXPECT_TRUE(bench.command(0, bench.codec.suspend_erase(at(0, 2, 0)), tlm_if::kernel_time()).ok);
        bench.until(erase + 1100_us);
        refused(bench.codec.read(at(0, 2, 5)), erase + 1110_us);                           // the block is being erased
        EXPECT_TRUE(bench.command(0, bench.codec.read(at(1, 2, 5)), erase + 1120_us).ok);  // of the other plane
      },
      limit());
}

TEST(NandDieSuspend, WaveformStopsAndGoesOn) {
  Notebook notebook;
  ChannelBench bench(reference_config(), &notebook);
  simulate(
      [&] {
        const Picoseconds begin = begin_program(bench);
        bench.until(begin + 60_us - 100_ns - kProgramCommand);  // P3 is verified from 60 to 65 us
        bench.command(0, bench.codec.suspend_program(at(0, 6, 0)), tlm_if::kernel_time());
        const Picoseconds ready = begin + 65_us + 20_us;
        bench.until(ready);
        const OnfiTransaction resume = bench.command(0, bench.codec.resume_program(at(0, 6, 0)), ready + 10_us);
        const Picoseconds again = resume.end + 100_ns;
        bench.until(again + 595_us);

        const auto& state = notebook.notes.at("ssd.channel0.die0.state");
        EXPECT_EQ(state, (std::map<Picoseconds, std::string>{{begin, "program"},
                                                             {begin + 65_us, "suspending"},
                                                             {ready, "idle"},
                                                             {again, "program"},
                                                             {again + 595_us, "idle"}}));
        const auto& suspended = notebook.notes.at("ssd.channel0.die0.suspended");
        EXPECT_EQ(suspended, (std::map<Picoseconds, std::string>{{ready, "1"}, {again, "0"}}));
        const auto& ops = notebook.notes.at("ssd.channel0.die0.microop");
        EXPECT_EQ(ops.at(begin + 60_us), "verify P3");
        EXPECT_EQ(ops.at(begin + 65_us), "idle");
        EXPECT_EQ(ops.upper_bound(begin + 65_us)->first, again);
        EXPECT_EQ(ops.at(again), "verify P4");
        EXPECT_EQ(ops.size(), 4U + 1U + 47U + 1U);  // pulse, P1, P2, P3; idle; the others; idle
      },
      limit());
}

}  // namespace
}  // namespace wordline::testing::nand_die_suspend_test
