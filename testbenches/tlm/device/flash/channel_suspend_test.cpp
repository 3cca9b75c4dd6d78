// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Host reads that suspend programs and erases: times by hand, bounds, mean wait, data.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/nand/timing.h"
#include "models/units/keyed_random.h"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::channel_suspend_test {
namespace {

using config::SuspendedBy;
using config::SuspendPolicy;

// Worked out from reference_config.h.
constexpr Picoseconds kDataOverhead{15'000 + 25'000 + 26'250};
constexpr Picoseconds kLpage{4648 * 1250};
constexpr Picoseconds kTurn = 100_ns;                                     // tRHW
constexpr Picoseconds kSuspend = 170_ns;                                  // 84h or 13h and five address cycles
constexpr Picoseconds kResume = 45_ns;                                    // D2h
constexpr Picoseconds kStatus = 45_ns + 80_ns + kDataOverhead + 2500_ps;  // 70h, tWHR, one byte in two transfers
constexpr Picoseconds kReadOnDie =
    195_ns + 100_ns + 37_us + 20_ns + kDataOverhead + kLpage;              // page 0, one logical page
constexpr Picoseconds kAfterData = 1_us + Picoseconds(512'000 + 100'000);  // decoder, DRAM

config::Config suspending(SuspendPolicy policy, std::uint32_t limit = 4, SuspendedBy by = SuspendedBy::kReads,
                          std::uint32_t depth = 1) {
  config::Config c = reference_config();
  c.channels.count = 1;
  c.channels.packages = 1;
  c.channels.suspend = policy;
  c.channels.suspend_limit = limit;
  c.channels.suspended_by = by;
  c.channels.suspend_depth = depth;
  c.dram = {BytesPerSecond(8'000'000'000), 100_ns};
  return c;
}

sc_core::sc_time limit() { return {10, sc_core::SC_SEC}; }

const nand::Plan& program_plan(const ControllerBench& bench) {
  static const nand::ArrayPlans plans(bench.config.nand, bench.layout);
  return plans.program(0);
}

/// End of the micro-operation under way when a suspend that is sent `offset` after the start of the plan takes effect.
Picoseconds boundary(const nand::Plan& plan, Picoseconds offset) {
  const nand::Plan::Step step = plan.at(offset + kSuspend + 100_ns);
  return std::min(plan.total(), step.begin + step.op.duration);
}

std::size_t count_of(const ControllerBench& bench, std::uint8_t opcode) {
  return static_cast<std::size_t>(
      std::count_if(bench.segments.begin(), bench.segments.end(),
                    [&](const SeenSegment& s) { return s.kind == onfi::SegmentKind::kCommand && s.opcode == opcode; }));
}

TEST(ChannelSuspend, TimesWorkedOutByHand) {
  ControllerBench bench("bench", suspending(SuspendPolicy::kProgram));
  const nand::Plan& plan = program_plan(bench);
  const Picoseconds page = 170_ns + 400_ns + 15_ns + Picoseconds(18592 * 1250) + 21'500_ps + 45_ns;
  const Picoseconds begin = 2148_ns + 6 * page + 5 * (100_ns + 500_ns) + 100_ns;
  const Picoseconds offset = 123'456_ns;
  simulate(
      [&] {
        bench.push(bench.write_job(WL_FLASH_PROGRAM, 0, 6, 0, 0));
        bench.doorbell();
        sc_core::wait(tlm_if::to_sc_time(begin + offset));
        bench.push(ControllerBench::read_job(0, 0, 0, 0, 1, 100));
        bench.doorbell();
        bench.wait_for(2);
      },
      limit());
  const Picoseconds stop = boundary(plan, offset);
  const Picoseconds read_begin = begin + stop + bench.config.channels.t_suspend_program + kStatus + kTurn;
  EXPECT_EQ(bench.completion(1).at.count(), (read_begin + kReadOnDie + kAfterData).count());
  const Picoseconds resumed = read_begin + kReadOnDie + kTurn + kSuspend + 100_ns;
  EXPECT_EQ(bench.completion(0).at.count(), (resumed + plan.total() - stop + kStatus).count());
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_OK);
  EXPECT_EQ(bench.buffer.slot(100), ControllerBench::filled(DieId(0), {PlaneId(0), BlockId(0), PageId(0), 0}).token);
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(ChannelSuspend, OnlyWhatThePolicyNames) {
  ControllerBench never("never", suspending(SuspendPolicy::kNever));
  ControllerBench program("program", suspending(SuspendPolicy::kProgram));
  ControllerBench erase("erase", suspending(SuspendPolicy::kErase));
  ControllerBench both("both", suspending(SuspendPolicy::kBoth));
  const auto all = {&never, &program, &erase, &both};
  simulate(
      [&] {
        for (ControllerBench* bench : all) {
          bench->push(bench->write_job(WL_FLASH_PROGRAM, 0, 6, 0, 0));
          bench->doorbell();
        }
        sc_core::wait(300, sc_core::SC_US);
        for (ControllerBench* bench : all) {
          bench->push(ControllerBench::read_job(0, 0, 0, 0, 1, 100));
          bench->doorbell();
        }
        for (ControllerBench* bench : all) bench->wait_for(2);
        for (ControllerBench* bench : all) {
          bench->push(bench->write_job(WL_FLASH_ERASE, 0, 5, 0, 0));
          bench->doorbell();
        }
        sc_core::wait(300, sc_core::SC_US);
        for (ControllerBench* bench : all) {
          bench->push(ControllerBench::read_job(0, 0, 0, 0, 1, 101));
          bench->doorbell();
        }
        for (ControllerBench* bench : all) bench->wait_for(4);
      },
      limit());
  EXPECT_EQ(count_of(never, onfi::kSuspendProgram) + count_of(never, onfi::kSuspendErase), 0U);
  EXPECT_EQ(count_of(program, onfi::kSuspendProgram), 1U);
  EXPECT_EQ(count_of(program, onfi::kSuspendErase), 0U);
  EXPECT_EQ(count_of(erase, onfi::kSuspendProgram), 0U);
  EXPECT_EQ(count_of(erase, onfi::kSuspendErase), 1U);
  EXPECT_EQ(count_of(both, onfi::kSuspendProgram), 1U);
  EXPECT_EQ(count_of(both, onfi::kSuspendErase), 1U);
  EXPECT_LT(both.completion(3).at.count(), program.completion(3).at.count());
}

/// End of the last command of this opcode; below 0: there was none.
Picoseconds time_of(const ControllerBench& bench, std::uint8_t opcode) {
  Picoseconds end{-1};
  for (const SeenSegment& s : bench.segments) {
    if (s.kind == onfi::SegmentKind::kCommand && s.opcode == opcode) end = s.end;
  }
  return end;
}

/// A program of GC comes while another block is erased, and a host read while that program is under way.
class ProgramDuringErase {
 public:
  ProgramDuringErase(const char* name, SuspendedBy by, std::uint32_t depth = 1)
      : bench(name, suspending(SuspendPolicy::kBoth, 4, by, depth)) {}

  void run() {
    bench.push(bench.write_job(WL_FLASH_ERASE, 0, 5, 0, 0));
    bench.doorbell();
    while (time_of(bench, onfi::kErase) < Picoseconds(0)) sc_core::wait(1, sc_core::SC_US);
    sc_core::wait(tlm_if::to_sc_time(kOffset));
    wl_flash_job program = bench.write_job(WL_FLASH_PROGRAM, 0, 6, 0, 0);
    program.priority = WL_PRIORITY_GC;
    bench.push(program);
    bench.doorbell();
    while (time_of(bench, onfi::kProgramConfirm) < Picoseconds(0)) sc_core::wait(1, sc_core::SC_US);
    sc_core::wait(300, sc_core::SC_US);
    bench.push(ControllerBench::read_job(0, 0, 0, 0, 1, 100));
    bench.doorbell();
    bench.wait_for(3);
  }

  static constexpr Picoseconds kOffset = 1'234_us;  // in the midst of tBERS
  ControllerBench bench;
};

TEST(ChannelSuspend, AProgramSuspendsAnEraseIfItMay) {
  ProgramDuringErase reads("reads", SuspendedBy::kReads);
  ProgramDuringErase all("all", SuspendedBy::kAll);
  simulate(
      [&] {
        reads.run();
        all.run();
      },
      limit());
  EXPECT_LT(time_of(reads.bench, onfi::kSuspendErase).count(), 0) << "the program waits for the end";
  EXPECT_LT(reads.bench.completion(0).at.count(), reads.bench.completion(1).at.count());
  EXPECT_LT(reads.bench.completion(2).at.count(), reads.bench.completion(1).at.count())
      << "and is suspended by the read";

  const ControllerBench& bench = all.bench;
  EXPECT_EQ(count_of(bench, onfi::kSuspendErase), 1U);
  EXPECT_EQ(count_of(bench, onfi::kSuspendProgram), 0U) << "a die holds one suspended operation";
  const nand::ArrayPlans plans(bench.config.nand, bench.layout);
  const Picoseconds erase = time_of(bench, onfi::kErase) + 100_ns;
  const Picoseconds acts = time_of(bench, onfi::kSuspendErase) + 100_ns;
  const nand::Plan::Step step = plans.erase().at(acts - erase);
  const Picoseconds stop = step.begin + step.op.duration;
  const Picoseconds ready = erase + stop + bench.config.channels.t_suspend_erase;
  Picoseconds loads{-1};
  for (const SeenSegment& s : bench.segments) {
    if (loads < Picoseconds(0) && s.kind == onfi::SegmentKind::kCommand && s.opcode == onfi::kProgram) loads = s.start;
  }
  EXPECT_EQ(loads.count(), (ready + kStatus + kTurn).count()) << "the program goes as soon as the erase has stopped";
  const Picoseconds programmed = bench.completion(1).at;
  EXPECT_EQ(programmed.count(),
            (time_of(bench, onfi::kProgramConfirm) + 100_ns + program_plan(bench).total() + kStatus).count());
  // The read goes behind it, then the erase needs what is left of its plan.
  EXPECT_EQ(bench.completion(2).at.count(), (programmed + kTurn + kReadOnDie + kAfterData).count());
  const Picoseconds resumed = time_of(bench, onfi::kResumeErase) + 100_ns;
  EXPECT_EQ(resumed.count(), (programmed + kTurn + kReadOnDie + kTurn + kResume + 100_ns).count());
  EXPECT_EQ(bench.completion(0).at.count(), (resumed + plans.erase().total() - stop + kStatus).count());
  for (const SeenCompletion& seen : bench.completions) EXPECT_EQ(seen.entry.status, WL_FLASH_OK);
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(ChannelSuspend, TheProgramIsSuspendedTooIfItMay) {
  ProgramDuringErase both("both", SuspendedBy::kAll, 2);
  simulate([&] { both.run(); }, limit());
  ControllerBench& bench = both.bench;
  const nand::Plan& plan = program_plan(bench);
  const Picoseconds program = time_of(bench, onfi::kProgramConfirm) + 100_ns;
  const Picoseconds acts = time_of(bench, onfi::kSuspendProgram) + 100_ns;
  const nand::Plan::Step step = plan.at(acts - program);
  const Picoseconds stop = step.begin + step.op.duration;
  const Picoseconds read = program + stop + bench.config.channels.t_suspend_program + kStatus + kTurn;
  EXPECT_EQ(bench.completion(2).at.count(), (read + kReadOnDie + kAfterData).count());
  // The program goes on before the erase.
  const Picoseconds resumed = read + kReadOnDie + kTurn + kSuspend;
  EXPECT_EQ(time_of(bench, onfi::kResumeProgram).count(), resumed.count());
  const Picoseconds programmed = bench.completion(1).at;
  EXPECT_EQ(programmed.count(), (resumed + 100_ns + plan.total() - stop + kStatus).count());
  EXPECT_EQ(time_of(bench, onfi::kResumeErase).count(), (programmed + kTurn + kResume).count());
  EXPECT_EQ(count_of(bench, onfi::kSuspendErase), 1U);
  EXPECT_EQ(count_of(bench, onfi::kSuspendProgram), 1U);
  for (const SeenCompletion& seen : bench.completions) EXPECT_EQ(seen.entry.status, WL_FLASH_OK);
  EXPECT_EQ(bench.buffer.slot(100), ControllerBench::filled(DieId(0), {PlaneId(0), BlockId(0), PageId(0), 0}).token);
  EXPECT_EQ(bench.checker.violations(), 0U);
}

/// A stream of reads that never lets go: there is always one waiting. The program ends all the same, within the bound
/// that follows from the configuration.
void expect_end_within_bound(Picoseconds hand_over) {
  config::Config c = suspending(SuspendPolicy::kProgram, 3);
  c.channels.hand_over = hand_over;
  c.channels.starvation_bound = 5;
  ControllerBench bench("bench", c);
  Picoseconds begin{};
  simulate(
      [&] {
        bench.push(bench.write_job(WL_FLASH_PROGRAM, 0, 6, 0, 0));
        bench.doorbell();
        std::size_t seen = 0;
        std::size_t reads = 0;
        const auto done = [&] {
          return std::any_of(bench.completions.begin(), bench.completions.end(),
                             [](const SeenCompletion& s) { return s.entry.id == 0; });
        };
        for (std::uint16_t i = 1; !done() && i < 1000; ++i) {
          for (; reads < bench.completions.size() + 8; ++reads) {
            bench.push(ControllerBench::read_job(0, 0, 3, 0, 8, 200));  // the longest read: whole page, all planes
            bench.doorbell();
          }
          bench.wait_for(++seen);
        }
      },
      limit());
  const SeenCompletion program = bench.completion(0);
  for (const SeenSegment& s : bench.segments) {
    if (s.kind == onfi::SegmentKind::kCommand && s.opcode == onfi::kProgramConfirm) begin = s.end + 100_ns;
  }
  ASSERT_GT(begin.count(), 0);
  const nand::ArrayPlans plans(bench.config.nand, bench.layout);
  Picoseconds longest_step{};
  plans.program(0).for_each(
      [&](Picoseconds, const nand::MicroOp& op) { longest_step = std::max(longest_step, op.duration); });
  Picoseconds longest_read{};
  for (unsigned type = 0; type < 3; ++type) longest_read = std::max(longest_read, plans.read(type).total());
  // Commands of two planes with tDBSY, tR, by plane selection, tCCS, data; turn-around after each output.
  const Picoseconds read =
      2 * 195_ns + 2 * 100_ns + 500_ns + longest_read + 2 * (195_ns + 400_ns + kDataOverhead + 4 * kLpage + kTurn);
  const Picoseconds suspend = kSuspend + 100_ns + longest_step + c.channels.t_suspend_program + kStatus + kTurn;
  const Picoseconds round = suspend + hand_over + 5 * (read + hand_over) + kSuspend + 100_ns;
  // No segment that is under way delays a suspend: the die itself is the only one on the bus.
  const Picoseconds bound = plans.program(0).total() + 3 * round + kStatus;
  EXPECT_EQ(count_of(bench, onfi::kSuspendProgram), 3U) << "as often as it may";
  EXPECT_LE((program.at - begin).count(), bound.count());
  EXPECT_GT((program.at - begin).count(), bound.count() / 10 * 8) << "the bound is not far from what happens";
}

TEST(ChannelSuspend, AProgramEndsWithinItsBoundWhateverIsRead) { expect_end_within_bound(0_ps); }
TEST(ChannelSuspend, AProgramEndsWithinItsBoundWithHandOver) { expect_end_within_bound(20_us); }

/// One read per program, at offsets spread evenly over tPROG: what it waits for is the rest of tPROG, or the rest of
/// the micro-operation and tSUSPEND. Means from the plan alone.
TEST(ChannelSuspend, MeanWaitIsThatOfTheClosedForm) {
  constexpr unsigned kReads = 56;
  double measured[2];
  ControllerBench plain("plain", suspending(SuspendPolicy::kNever), 1024, 1);
  ControllerBench suspend("suspend", suspending(SuspendPolicy::kProgram), 1024, 1);
  const nand::Plan& plan = program_plan(plain);
  for (ControllerBench* bench : {&plain, &suspend}) bench->segments.reserve(4096);
  simulate(
      [&] {
        unsigned which = 0;
        for (ControllerBench* bench : {&plain, &suspend}) {
          Picoseconds sum{};
          for (unsigned i = 0; i < kReads; ++i) {
            bench->push(bench->write_job(WL_FLASH_PROGRAM, 0, 1 + i / 8, i % 8 * 3, 0));
            bench->doorbell();
            while (bench->segments.empty() || bench->segments.back().opcode != onfi::kProgramConfirm) {
              sc_core::wait(1, sc_core::SC_US);
            }
            const Picoseconds begin = bench->segments.back().end + 100_ns;
            const Picoseconds offset = plan.total() * (2 * i + 1) / (2 * kReads);
            sc_core::wait(tlm_if::to_sc_time(begin + offset - tlm_if::kernel_time()));
            const Picoseconds asked = tlm_if::kernel_time();
            const std::uint16_t id = bench->push(ControllerBench::read_job(0, 0, 0, 0, 1, 100));
            bench->doorbell();
            bench->wait_for(2 * i + 2);
            sum += bench->completion(id).at - asked;
          }
          measured[which++] = static_cast<double>(sum.count()) / kReads;
        }
      },
      limit());
  // Rest of a micro-operation of length d, when the moment falls on it with probability d / tPROG: d^2 / 2 tPROG.
  const auto total = static_cast<double>(plan.total().count());
  double rest = 0;
  double last = 0;
  plan.for_each([&](Picoseconds, const nand::MicroOp& op) {
    last = static_cast<double>(op.duration.count());
    rest += last * last / (2 * total);
  });
  const auto service = static_cast<double>((kStatus + kTurn + kReadOnDie + kAfterData).count());
  const auto acts = static_cast<double>((kSuspend + 100_ns).count());
  const auto t_suspend = static_cast<double>(suspend.config.channels.t_suspend_program.count());
  const double without = total / 2 + service;
  // In the last micro-operation there is nothing to suspend.
  const double with = acts + rest + t_suspend * (1 - last / total) + service;
  EXPECT_NEAR(measured[0] / without, 1, 0.01);
  EXPECT_NEAR(measured[1] / with, 1, 0.01);
  EXPECT_NEAR((measured[0] - measured[1]) / (without - with), 1, 0.02);
}

struct Suspends {
  const char* name;
  SuspendedBy by;
  std::uint32_t depth;
  bool cuts;
};
class SuspendedWorkOf : public ::testing::TestWithParam<Suspends> {};

/// Random reads, programs and erases: nothing is lost, whatever is suspended.
TEST_P(SuspendedWorkOf, RandomWorkKeepsItsData) {
  config::Config c = suspending(SuspendPolicy::kBoth, 2, GetParam().by, GetParam().depth);
  c.channels.cut_erase_pulse = GetParam().cuts;
  c.channels.packages = 2;
  c.channels.dies_per_package = 2;
  c.channels.pair_planes = true;
  c.channels.starvation_bound = 3;
  ControllerBench bench("bench", c, 1024, 4);
  unsigned decodes = 0;
  bench.decoder.fails = [&decodes] { return keyed_hash(2, decodes++) % 16 == 0; };
  std::vector<std::uint32_t> next_unit(4, 0);  // of block 6
  unsigned checked = 0;
  simulate(
      [&] {
        std::size_t jobs = 0;
        for (std::uint32_t i = 0; i < 600; ++i) {
          const auto draw = [i](std::uint32_t what, std::uint32_t below) {
            return static_cast<std::uint32_t>(keyed_hash(21, i, what) % below);
          };
          const auto die = static_cast<std::uint16_t>(draw(0, 4));
          if (draw(1, 5) == 0) {
            std::uint32_t& unit = next_unit[die];
            if (unit == 8) {
              bench.push(bench.write_job(WL_FLASH_ERASE, die, 6, 0, 0));
              unit = 0;
            } else {
              const std::uint32_t slot = (die * 8U + unit) * 24;
              for (std::uint32_t s = 0; s < 24; ++s) {
                bench.buffer.slot(slot + s) = data::LpageToken::uniform(Lpn(die * 1000U + unit * 24 + s), 3);
              }
              bench.push(bench.write_job(WL_FLASH_PROGRAM, die, 6, unit * 3, slot));
              ++unit;
            }
          } else {
            const auto lpage = static_cast<std::uint16_t>(draw(2, 8));
            bench.push(ControllerBench::read_job(die, draw(3, 4), draw(4, 24), lpage, 1, 1000 + i));
          }
          ++jobs;
          bench.doorbell();
          if (draw(5, 3) == 0) sc_core::wait(static_cast<double>(draw(6, 300)), sc_core::SC_US);
          if (bench.completions.size() < jobs && draw(7, 8) == 0) bench.wait_for(jobs);
        }
        bench.wait_for(jobs);
        // What was programmed last.
        for (std::uint16_t die = 0; die < 4; ++die) {
          for (std::uint32_t page = 0; page < next_unit[die] * 3; ++page) {
            bench.push(ControllerBench::read_job(die, 6, page, 0, 8, 2000));
            bench.doorbell();
            bench.wait_for(++jobs);
            for (std::uint32_t s = 0; s < 8; ++s, ++checked) {
              ASSERT_EQ(bench.buffer.slot(2000 + s), data::LpageToken::uniform(Lpn(die * 1000U + page * 8 + s), 3));
            }
          }
        }
      },
      limit());
  for (std::uint32_t i = 0; i < 600; ++i) {
    const auto draw = [i](std::uint32_t what, std::uint32_t below) {
      return static_cast<std::uint32_t>(keyed_hash(21, i, what) % below);
    };
    if (draw(1, 5) == 0) continue;
    const std::uint32_t lpage = draw(2, 8);
    const nand::StoredLpage content = ControllerBench::filled(
        DieId(static_cast<std::uint16_t>(draw(0, 4))),
        {PlaneId(static_cast<std::uint8_t>(lpage / 4)), BlockId(draw(3, 4)), PageId(draw(4, 24)), lpage % 4});
    ASSERT_EQ(bench.buffer.slot(1000 + i), content.token) << i;
  }
  for (const SeenCompletion& seen : bench.completions) EXPECT_EQ(seen.entry.status, WL_FLASH_OK);
  EXPECT_GT(checked, 100U);
  EXPECT_GT(count_of(bench, onfi::kSuspendProgram), 10U);
  EXPECT_GT(count_of(bench, onfi::kSuspendErase), 0U);
  EXPECT_EQ(bench.checker.violations(), 0U);
  EXPECT_EQ(bench.controller->outstanding(), 0U);
}

INSTANTIATE_TEST_SUITE_P(ChannelSuspend, SuspendedWorkOf,
                         ::testing::Values(Suspends{"Reads", SuspendedBy::kReads, 1, false},
                                           Suspends{"All", SuspendedBy::kAll, 1, true},
                                           Suspends{"Both", SuspendedBy::kAll, 2, false},
                                           Suspends{"BothCut", SuspendedBy::kAll, 2, true}),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace wordline::testing::channel_suspend_test
