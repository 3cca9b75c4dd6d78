// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs with parameters of their own, and with reports, through a channel controller: which features go over the
// bus, when, at what cost, and what is refused. The timing checker watches every segment.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/nand/program_parameters.h"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/measured.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::program_features_test {
namespace {

using namespace wordline::literals;
using onfi::SegmentKind;

// Worked out from reference_config.h.
constexpr Picoseconds kSet = 70_ns + 400_ns + 46'500_ps;  // EFh FA, tADL, four bytes on both edges with their strobes
constexpr Picoseconds kGet = 70_ns;
constexpr Picoseconds kBytesOut = 76'250_ps;
constexpr Picoseconds kFeatureBusy = 100_ns + 1_us;  // tWB, tFEAT
constexpr Picoseconds kTurn = 100_ns;                // tRHW

config::Config drive() {
  config::Config c = reference_config();
  c.channels.count = 1;
  c.channels.packages = 1;
  c.dram = {BytesPerSecond(8'000'000'000), 100_ns};
  return c;
}

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

/// All verifies that no cell needs.
wl_program_set safe_set(const config::Config& config) {
  const nand::StateLoops skips = nand::safe_skips(nand::pass_windows(9, 7, config.nand.ispp.state_loops));
  wl_program_set set{};
  std::copy(skips.begin(), skips.end(), set.skip);
  return set;
}

wl_flash_job program(const ControllerBench& bench, std::uint32_t page, std::uint32_t control, std::uint16_t die = 0,
                     std::uint32_t block = 6) {
  wl_flash_job job = bench.write_job(WL_FLASH_PROGRAM, die, block, page, 0);
  job.control = control;
  return job;
}

/// Does one job and waits for its end; its id.
std::uint16_t run(ControllerBench& bench, const wl_flash_job& job) {
  const std::uint16_t id = bench.push(job);
  bench.doorbell();
  bench.wait_for(bench.completions.size() + 1);
  return id;
}

using Features = std::vector<std::pair<unsigned, onfi::FeatureParameters>>;
Features features(const ControllerBench& bench) {
  Features all;
  for (const SeenSegment& s : bench.segments) {
    if (s.kind == SegmentKind::kSetFeatures) all.emplace_back(s.feature, s.parameters);
  }
  return all;
}

std::size_t confirms(const ControllerBench& bench, std::uint8_t code) {
  return static_cast<std::size_t>(
      std::count_if(bench.segments.begin(), bench.segments.end(),
                    [code](const SeenSegment& s) { return s.kind == SegmentKind::kCommand && s.opcode == code; }));
}

/// From the doorbell to the completion of a program of a die that has nothing else to do.
Picoseconds time_of(ControllerBench& bench, std::uint32_t page, std::uint32_t control) {
  const Picoseconds start = tlm_if::kernel_time();
  return bench.completion(run(bench, program(bench, page, control))).at - start;
}

TEST(ProgramFeatures, WhatDiffersIsSetBeforeTheDataAndOnlyThat) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        bench.program_set(1) = safe_set(bench.config);
        bench.program_set(2) = safe_set(bench.config);
        bench.program_set(2).start_raise_mv = 180;
        run(bench, program(bench, 0, 0));
        EXPECT_EQ(features(bench), Features{}) << "the device's own program";
        run(bench, program(bench, 3, 1));
        EXPECT_EQ(features(bench), (Features{{0x91, {0, 1, 2, 3}}, {0x92, {4, 5, 6, 0}}}));
        bench.segments.clear();
        run(bench, program(bench, 6, 1));
        EXPECT_EQ(features(bench), Features{}) << "they are set";
        run(bench, program(bench, 9, 2));
        EXPECT_EQ(features(bench), (Features{{0x90, {0, 0, 18, 0}}}));
        bench.segments.clear();
        run(bench, program(bench, 12, 0));
        EXPECT_EQ(features(bench), (Features{{0x90, {0, 0, 0, 0}}, {0x91, {0, 0, 0, 0}}, {0x92, {0, 0, 0, 0}}}));
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(ProgramFeatures, TheirCostOnTheBusIsThatOfTheirSegments) {
  ControllerBench bench("bench", drive());
  Picoseconds plain{}, first{}, again{}, back{};
  simulate(
      [&] {
        bench.program_set(1) = safe_set(bench.config);
        plain = time_of(bench, 0, 0);
        first = time_of(bench, 3, 1);
        again = time_of(bench, 6, 1);
        back = time_of(bench, 9, 0);
      },
      limit());
  const Picoseconds skipped = 5_us * 21;  // of 42 verifies
  EXPECT_EQ((plain - again).count(), skipped.count());
  // tRHW after the status read of the program before, then the features; the fetch of the first page, 2148 ns, is
  // hidden.
  const Picoseconds fetch = 2148_ns;
  EXPECT_EQ((first - again).count(), (kTurn + (kSet + kFeatureBusy) * 2 - fetch).count());
  EXPECT_EQ((back - plain).count(), (kTurn + (kSet + kFeatureBusy) * 2 - fetch).count());

  // Back to back: every segment begins where the gates allow, not a picosecond later; the checker says, not earlier.
  const auto* const set = std::find_if(bench.segments.data(), bench.segments.data() + bench.segments.size(),
                                       [](const SeenSegment& s) { return s.kind == SegmentKind::kSetFeatures; });
  EXPECT_EQ((set[0].end - set[0].start).count(), kSet.count());
  EXPECT_EQ((set[1].start - set[0].end).count(), kFeatureBusy.count());
  EXPECT_EQ(set[2].opcode, onfi::kProgram);
  EXPECT_EQ((set[2].start - set[1].end).count(), kFeatureBusy.count());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

// cube.maxloop.ber_ep1: the report of a leader has it, read by GET FEATURES.
TEST(ProgramFeatures, ReportIsWhatTheDieMeasuredAndIsThereBeforeTheCompletion) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        const Picoseconds start = tlm_if::kernel_time();
        const std::uint16_t plain = run(bench, program(bench, 0, 0));
        const Picoseconds without = bench.completion(plain).at - start;
        EXPECT_EQ(bench.count(SegmentKind::kGetFeatures), 0U);
        EXPECT_EQ(bench.program_report(plain).states, 0);
        const Picoseconds second = tlm_if::kernel_time();
        const std::uint16_t id = run(bench, program(bench, 3, WL_PROGRAM_REPORT));
        // Four features of seven states' windows, BER_EP1, loops: tRHW after the status, EEh, busy, tRR, four bytes.
        EXPECT_EQ((bench.completion(id).at - second - without).count(),
                  ((kTurn + kGet + kFeatureBusy + 20_ns + kBytesOut) * 6).count());
      },
      limit());
  EXPECT_EQ(bench.count(SegmentKind::kGetFeatures), 6U);
  const nand::ProgramReport die = measured_of(bench.dies[0]->array(), BlockId(6), PageId(3));
  const wl_program_report& report = bench.program_report(1);
  EXPECT_EQ(report.states, 7);
  EXPECT_EQ(report.loops, 9);
  for (unsigned s = 1; s <= 7; ++s) {
    EXPECT_EQ(report.l_min[s], die.windows.min[s]) << s;
    EXPECT_EQ(report.l_max[s], die.windows.max[s]) << s;
  }
  EXPECT_NEAR(report.ber_ep1, die.ber_ep1 * 1e9, 0.5);
  EXPECT_GT(report.ber_ep1, 0U);
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(ProgramFeatures, ACheckReadsOneFeature) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        const Picoseconds start = tlm_if::kernel_time();
        const std::uint16_t plain = run(bench, program(bench, 0, 0));
        const Picoseconds without = bench.completion(plain).at - start;
        const Picoseconds second = tlm_if::kernel_time();
        const std::uint16_t id = run(bench, program(bench, 3, WL_PROGRAM_CHECK));
        EXPECT_EQ((bench.completion(id).at - second - without).count(),
                  (kTurn + kGet + kFeatureBusy + 20_ns + kBytesOut).count());
      },
      limit());
  EXPECT_EQ(bench.count(SegmentKind::kGetFeatures), 1U);
  const nand::ProgramReport die = measured_of(bench.dies[0]->array(), BlockId(6), PageId(3));
  EXPECT_NEAR(bench.program_report(1).ber_ep1, die.ber_ep1 * 1e9, 0.5);
  EXPECT_EQ(bench.program_report(1).states, 0) << "windows are not read";
  EXPECT_EQ(bench.program_report(1).l_max[7], 0);
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(ProgramFeatures, ReportOfAProgramThatFailedIsEmpty) {
  config::Config c = drive();
  c.nand.faults.bad_blocks = 1;  // every block
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        const_cast<wl_program_report&>(bench.program_report(0)).states = 7;  // of an earlier job
        run(bench, program(bench, 0, WL_PROGRAM_REPORT));
      },
      limit());
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_PROGRAM_FAIL);
  EXPECT_EQ(bench.program_report(0).states, 0);
  EXPECT_EQ(bench.count(SegmentKind::kGetFeatures), 0U);
}

TEST(ProgramFeatures, ASetOfItsOwnEndsCacheProgram) {
  config::Config c = drive();
  c.channels.cache_program = true;
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        bench.program_set(1) = safe_set(bench.config);
        const auto all = [&](std::vector<std::uint32_t> controls, std::uint32_t block) {
          const std::size_t before = bench.completions.size();
          std::uint32_t page = 0;
          for (const std::uint32_t control : controls) {
            bench.push(program(bench, page, control, 0, block));
            page += 3;
          }
          bench.doorbell();
          bench.wait_for(before + controls.size());
        };
        all({1, 1, 1}, 5);
        EXPECT_EQ(confirms(bench, onfi::kProgramCache), 2U) << "one set: one sequence";
        EXPECT_EQ(features(bench).size(), 2U);
        bench.segments.clear();
        all({1, 0, 0}, 6);
        EXPECT_EQ(confirms(bench, onfi::kProgramCache), 1U)
            << "the first unit ends with 10h, the others are a sequence";
        EXPECT_EQ(features(bench).size(), 2U);
        bench.segments.clear();
        all({0, WL_PROGRAM_REPORT, 0}, 7);
        EXPECT_EQ(confirms(bench, onfi::kProgramCache), 1U) << "the unit that wants a report ends its sequence";
        EXPECT_EQ(bench.count(SegmentKind::kGetFeatures), 6U);
      },
      limit());
  for (const SeenCompletion& seen : bench.completions) EXPECT_EQ(seen.entry.status, WL_FLASH_OK);
  const nand::ProgramReport die = measured_of(bench.dies[0]->array(), BlockId(7), PageId(3));
  EXPECT_NEAR(bench.program_report(7).ber_ep1, die.ber_ep1 * 1e9, 0.5);
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(ProgramFeatures, SuspendAndRetriesInBetweenLeaveThemAlone) {
  config::Config c = drive();
  c.channels.suspend = config::SuspendPolicy::kProgram;
  c.channels.suspend_limit = 4;
  ControllerBench bench("bench", c);
  bool failed = false;
  bench.decoder.fails = [&] { return !std::exchange(failed, true); };
  simulate(
      [&] {
        bench.program_set(1) = safe_set(bench.config);
        const std::uint16_t id = bench.push(program(bench, 0, 1 | WL_PROGRAM_REPORT));
        bench.doorbell();
        sc_core::wait(400, sc_core::SC_US);
        bench.push(ControllerBench::read_job(0, 0, 0, 0, 1, 200));  // fails once: SET FEATURES 89h there and back
        bench.doorbell();
        bench.wait_for(2);
        EXPECT_EQ(bench.completion(id).entry.status, WL_FLASH_OK);
        run(bench, program(bench, 3, 1));
      },
      limit());
  EXPECT_EQ(confirms(bench, onfi::kSuspendProgram), 1U);
  EXPECT_EQ(features(bench),
            (Features{{0x91, {0, 1, 2, 3}}, {0x92, {4, 5, 6, 0}}, {0x89, {1, 0, 0, 0}}, {0x89, {0, 0, 0, 0}}}))
      << "the second program finds its own set";
  EXPECT_EQ(bench.program_report(0).states, 7);
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(ProgramFeatures, EachLunHasItsOwnAndTheBytesOfOneAreNotTheOthers) {
  config::Config c = drive();
  c.channels.dies_per_package = 2;
  c.nand.ispp.state_loops = 3;
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        bench.program_set(1) = safe_set(bench.config);
        bench.push(program(bench, 0, 1 | WL_PROGRAM_REPORT, 0));
        bench.push(program(bench, 0, WL_PROGRAM_REPORT, 1));
        bench.doorbell();
        for (std::uint32_t i = 0; i < 60; ++i) {  // data out of both LUNs while reports are fetched
          sc_core::wait(25, sc_core::SC_US);
          if (bench.completions.size() >= 2 + i) continue;
          bench.push(ControllerBench::read_job(static_cast<std::uint16_t>(i % 2), 0, 0, 0, 1, 200 + i));
          bench.doorbell();
        }
        bench.wait_for(62);
      },
      limit());
  for (const std::uint16_t die : {0, 1}) {
    const nand::ProgramReport measured = measured_of(bench.dies[die]->array(), BlockId(6), PageId(0));
    EXPECT_NEAR(bench.program_report(die).ber_ep1, measured.ber_ep1 * 1e9, 0.5) << die;
  }
  // From EEh/D4h to its bytes nothing else of the package is on the wires.
  for (std::size_t i = 0; i < bench.segments.size(); ++i) {
    if (bench.segments[i].kind != SegmentKind::kGetFeatures) continue;
    EXPECT_EQ(bench.segments.at(i + 1).kind, SegmentKind::kFeatureOut);
    EXPECT_EQ(bench.segments.at(i + 1).die, bench.segments[i].die);
  }
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(ProgramFeatures, TheFirstAndTheLastSetAreTaken) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        for (const std::uint32_t number : {1U, WL_PROGRAM_SETS - 1}) {
          wl_program_set& set = bench.program_set(number);
          set.step_mv = 200;
          set.start_raise_mv = number == 1 ? 0 : 200;
          set.final_cut_mv = number == 1 ? 1400 : 0;
        }
        run(bench, program(bench, 0, 1));
        run(bench, program(bench, 3, WL_PROGRAM_SETS - 1));
      },
      limit());
  EXPECT_EQ(features(bench), (Features{{0x90, {200, 0, 0, 140}}, {0x90, {200, 0, 20, 0}}}));
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_OK);
  EXPECT_EQ(bench.completion(1).entry.status, WL_FLASH_OK);
}

TEST(ProgramFeatures, WhatCannotBeIsRefusedByName) {
  ControllerBench bench("bench", drive());
  using Tables = flash::ProgramTableRegisters;
  const Tables good = bench.program_tables;
  struct Case {
    std::uint32_t control;
    Tables tables;
    wl_program_set set;
    const char* text;
  };
  const auto with = [&](std::uint32_t Tables::*member, std::uint32_t value) {
    Tables tables = good;
    tables.*member = value;
    return tables;
  };
  wl_program_set raise{}, cut{}, all{}, skip{}, beyond{}, reserved{}, zero{};
  raise.start_raise_mv = 125;
  cut.final_cut_mv = 2560;
  all.start_raise_mv = 1600;
  skip.skip[1] = 3;  // P1 is verified in three loops
  beyond.skip[8] = 1;
  reserved.reserved = 1;
  zero.skip[0] = 1;
  const Case cases[] = {
      {64, good, {}, "set 64: expected a number below the 64 of FLASH.PROGRAM_SET_COUNT"},
      {1, with(&Tables::set_count, 1), {}, "set 1: expected a number below the 1 of FLASH.PROGRAM_SET_COUNT"},
      {1, with(&Tables::set_count, 65), {}, "FLASH.PROGRAM_SET_COUNT is 65, expected at most 64"},
      {1, with(&Tables::sets, 0), {}, "write FLASH.PROGRAM_SETS and FLASH.PROGRAM_SET_COUNT first"},
      {1, with(&Tables::sets, good.sets + 2), {}, "expected a multiple of 4"},
      {1, with(&Tables::sets, 0x80000000), {}, "FLASH.PROGRAM_SETS is 0x80000000: no tightly coupled memory there"},
      {1, good, raise, "start_raise_mv of 125 mV, expected a multiple of 10 up to 2550"},
      {1, good, cut, "final_cut_mv of 2560 mV"},
      {1, good, all, "drop all 9 loops"},
      {1, good, skip, "P1"},
      {1, good, beyond, "skip of P8, and P7 is the last state"},
      {1, good, reserved, "reserved and skip[0] are 0"},
      {1, good, zero, "reserved and skip[0] are 0"},
      {0x1000, good, {}, "control 0x1000 of a program"},
      {WL_PROGRAM_REPORT | WL_PROGRAM_CHECK, good, {}, "WL_PROGRAM_REPORT or WL_PROGRAM_CHECK, not both"},
      {WL_PROGRAM_REPORT,
       with(&Tables::reports, 0),
       {},
       "write FLASH.PROGRAM_REPORTS and FLASH.PROGRAM_REPORT_COUNT first"},
      {WL_PROGRAM_REPORT, with(&Tables::reports, good.reports + 1), {}, "expected a multiple of 4"},
      {WL_PROGRAM_REPORT, with(&Tables::report_count, 3), {}, "is not below the 3 of FLASH.PROGRAM_REPORT_COUNT"},
      {WL_PROGRAM_REPORT, with(&Tables::reports, 0x80000000), {}, "FLASH.PROGRAM_REPORTS is 0x80000000"},
  };
  simulate(
      [&] {
        expect_reports(true);
        for (std::uint16_t i = 0; i < 3; ++i) run(bench, ControllerBench::read_job(0, 0, 0, 0, 1, 0));
        (void)reports_seen();
        for (const Case& k : cases) {
          bench.program_tables = k.tables;
          bench.program_set(1) = k.set;
          bench.push(program(bench, 0, k.control));
          bench.doorbell();
          sc_core::wait(10, sc_core::SC_US);
          EXPECT_GE(reports_seen(), 1U) << k.text;
          EXPECT_NE(last_report().find(k.text), std::string::npos) << k.text << " in " << last_report();
        }
        wl_flash_job erase = bench.write_job(WL_FLASH_ERASE, 0, 5, 0, 0);
        erase.control = 1;
        bench.push(erase);
        bench.doorbell();
        sc_core::wait(10, sc_core::SC_US);
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_EQ(bench.controller->outstanding(), 0U) << "none was taken";
      },
      limit());
}

}  // namespace
}  // namespace wordline::testing::program_features_test
