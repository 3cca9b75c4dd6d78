// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/stage_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/firmware/contract/contract.h"
#include "models/units/keyed_random.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::observe {
namespace {

using namespace wordline::literals;
using testing::expect_reports;
using testing::reports_seen;
using tlm_if::Stage;
using tlm_if::StageTimes;

constexpr auto kStages = static_cast<unsigned>(Stage::kCount);

Picoseconds of(const StageTimes& times, Stage stage) { return times[static_cast<std::size_t>(stage)]; }

Picoseconds sum(const StageTimes& times) {
  Picoseconds total{};
  for (const Picoseconds t : times) total += t;
  return total;
}

TEST(StageTableTest, EveryStageHasItsOwnNameAndOnlyQueuesWait) {
  std::set<std::string_view> names;
  for (unsigned s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    names.insert(stage_name(stage));
    EXPECT_EQ(stage_is_wait(stage), stage_name(stage).substr(0, 6) == "queue_") << stage_name(stage);
  }
  EXPECT_EQ(names.size(), kStages);
  EXPECT_EQ(stage_name(Stage::kQueueBus), "queue_bus");
  EXPECT_EQ(stage_name(Stage::kComplete), "complete");
}

TEST(StageClockTest, ReadPassesItsStages) {
  StageClock clock;
  clock.submitted(1, 7, 1_us);
  clock.begin(3, 1, 7, 1_us + 300_ns);
  clock.mark(3, Stage::kQueueFirmware, 2_us);
  clock.mark(3, Stage::kFirmware, 2500_ns);
  clock.mark(3, Stage::kArray, 4_us);
  clock.mark(3, Stage::kBusData, 44_us + 1_ps);
  clock.release(3, 50_us);
  EXPECT_EQ(clock.in_flight(), 1U);
  const StageTimes t = clock.finish(1, 7, 51_us);
  EXPECT_EQ(of(t, Stage::kSubmit), 300_ns);
  EXPECT_EQ(of(t, Stage::kFetch), 700_ns);
  EXPECT_EQ(of(t, Stage::kQueueFirmware), 500_ns);
  EXPECT_EQ(of(t, Stage::kFirmware), 1500_ns);
  EXPECT_EQ(of(t, Stage::kArray), 40_us + 1_ps);
  EXPECT_EQ(of(t, Stage::kBusData), 6_us - 1_ps);
  EXPECT_EQ(of(t, Stage::kComplete), 1_us);
  EXPECT_EQ(of(t, Stage::kDma), 0_ps);
  EXPECT_EQ(sum(t), 50_us);
  EXPECT_EQ(clock.in_flight(), 0U);
}

TEST(StageClockTest, MarksGoByTimeNotByStageOrCall) {
  StageClock clock;
  clock.submitted(0, 0, 0_ns);
  clock.begin(0, 0, 0, 1_ns);
  clock.mark(0, Stage::kFirmwareDone, 30_ns);  // given ahead of time
  clock.mark(0, Stage::kDma, 10_ns);           // a write fetches its data first
  clock.mark(0, Stage::kQueueFirmware, 20_ns);
  clock.release(0, 40_ns);
  const StageTimes t = clock.finish(0, 0, 45_ns);
  EXPECT_EQ(of(t, Stage::kFetch), 9_ns);
  EXPECT_EQ(of(t, Stage::kDma), 10_ns);
  EXPECT_EQ(of(t, Stage::kQueueFirmware), 10_ns);
  EXPECT_EQ(of(t, Stage::kFirmwareDone), 10_ns);
  EXPECT_EQ(of(t, Stage::kComplete), 5_ns);
}

TEST(StageClockTest, OfSeveralJobsTheLastDeliveredCounts) {
  StageClock clock;
  clock.submitted(0, 0, 0_ns);
  clock.begin(0, 0, 0, 0_ns);
  clock.mark(0, Stage::kFirmware, 5_ns);
  // Job A, then job B, each when it completes.
  clock.mark(0, Stage::kQueueFlash, 10_ns);
  clock.mark(0, Stage::kArray, 12_ns);
  clock.mark(0, Stage::kBusData, 20_ns);
  clock.mark(0, Stage::kQueueFlash, 11_ns);
  clock.mark(0, Stage::kArray, 30_ns);
  clock.mark(0, Stage::kBusData, 38_ns);
  clock.release(0, 40_ns);
  const StageTimes t = clock.finish(0, 0, 40_ns);
  EXPECT_EQ(of(t, Stage::kFirmware), 6_ns);
  EXPECT_EQ(of(t, Stage::kQueueFlash), 19_ns);
  EXPECT_EQ(of(t, Stage::kArray), 8_ns);
  EXPECT_EQ(of(t, Stage::kBusData), 2_ns);
  EXPECT_EQ(sum(t), 40_ns);
}

TEST(StageClockTest, OfEqualTimesTheLastMarkedLasts) {
  StageClock clock;
  clock.submitted(0, 0, 5_ns);
  clock.begin(0, 0, 0, 5_ns);
  clock.mark(0, Stage::kDma, 10_ns);
  clock.mark(0, Stage::kQueueFlash, 10_ns);
  clock.mark(0, Stage::kBusCommand, 10_ns);
  clock.release(0, 20_ns);
  const StageTimes t = clock.finish(0, 0, 20_ns);
  EXPECT_EQ(of(t, Stage::kSubmit), 0_ns);
  EXPECT_EQ(of(t, Stage::kFetch), 5_ns);
  EXPECT_EQ(of(t, Stage::kDma), 0_ns);
  EXPECT_EQ(of(t, Stage::kQueueFlash), 0_ns);
  EXPECT_EQ(of(t, Stage::kBusCommand), 10_ns);
  EXPECT_EQ(of(t, Stage::kComplete), 0_ns);
}

TEST(StageClockTest, TagIsFreeAfterReleaseWhileTheOldCommandIsStillOnItsWay) {
  StageClock clock;
  clock.submitted(2, 1, 0_ns);
  clock.submitted(2, 65535, 1_ns);
  clock.begin(9, 2, 1, 2_ns);
  clock.release(9, 10_ns);
  clock.begin(9, 2, 65535, 4_ns);
  clock.mark(9, Stage::kArray, 12_ns);
  EXPECT_EQ(of(clock.finish(2, 1, 20_ns), Stage::kComplete), 10_ns);
  clock.submitted(2, 1, 21_ns);  // its identifier is free as well, and starts clean
  clock.release(9, 30_ns);
  EXPECT_EQ(of(clock.finish(2, 65535, 33_ns), Stage::kArray), 18_ns);
  clock.begin(9, 2, 1, 40_ns);
  clock.release(9, 41_ns);
  const StageTimes t = clock.finish(2, 1, 42_ns);
  EXPECT_EQ(of(t, Stage::kArray), 0_ns);
  EXPECT_EQ(of(t, Stage::kSubmit), 19_ns);
}

TEST(StageClockTest, RandomMarksInsideTheIntervalSumExactlyAndMatchTheDefinition) {
  StageClock clock;
  for (std::uint64_t run = 0; run < 3000; ++run) {
    const auto qid = static_cast<std::uint16_t>(keyed_hash(1, run) % 5);
    const auto cid = static_cast<std::uint16_t>(keyed_hash(2, run) % 300);
    const auto tag = static_cast<std::uint16_t>(keyed_hash(3, run) % 64);
    const auto start = static_cast<std::int64_t>(keyed_hash(4, run) >> 20);
    // Short intervals now and then, so that equal times are common.
    const auto length = static_cast<std::int64_t>(keyed_hash(5, run) % (run % 3 == 0 ? 6 : 100'000'000));
    const auto inside = [&](std::uint64_t i) {
      return Picoseconds(start +
                         static_cast<std::int64_t>(keyed_hash(6, run, i) % static_cast<std::uint64_t>(length + 1)));
    };
    // Reference: stages in order of call, the last of each kept, then sorted stably by time.
    std::vector<std::pair<Stage, Picoseconds>> marks{{Stage::kSubmit, Picoseconds(start)}};
    const auto note = [&](Stage stage, Picoseconds at) {
      marks.erase(std::remove_if(marks.begin(), marks.end(), [&](const auto& m) { return m.first == stage; }),
                  marks.end());
      marks.emplace_back(stage, at);
    };
    clock.submitted(qid, cid, Picoseconds(start));
    clock.begin(tag, qid, cid, inside(0));
    note(Stage::kFetch, inside(0));
    const std::uint64_t count = keyed_hash(7, run) % 30;
    for (std::uint64_t i = 1; i <= count; ++i) {
      const auto stage = static_cast<Stage>(1 + keyed_hash(8, run, i) % (kStages - 1));
      clock.mark(tag, stage, inside(i));
      note(stage, inside(i));
    }
    clock.release(tag, inside(99));
    note(Stage::kComplete, inside(99));
    const Picoseconds end(start + length);
    const StageTimes times = clock.finish(qid, cid, end);

    ASSERT_EQ(sum(times), Picoseconds(length)) << "run " << run;
    std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    StageTimes expected{};
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const Picoseconds ends = i + 1 < marks.size() ? marks[i + 1].second : end;
      expected[static_cast<std::size_t>(marks[i].first)] = ends - marks[i].second;
    }
    ASSERT_EQ(times, expected) << "run " << run;
  }
  EXPECT_EQ(clock.in_flight(), 0U);
}

TEST(StageClockTest, MarksOutsideTheCommandAreErrorsAndLeaveTheSumExact) {
  expect_reports(true);
  StageClock clock;
  clock.submitted(1, 1, 100_ns);
  clock.begin(5, 1, 1, 110_ns);
  clock.mark(5, Stage::kArray, 100_ns);
  EXPECT_EQ(reports_seen(), 0U);
  clock.mark(5, Stage::kDma, 100_ns - 1_ps);
  EXPECT_EQ(reports_seen(), 1U);
  clock.mark(5, Stage::kEcc, 200_ns);
  clock.mark(5, Stage::kBusData, 200_ns + 1_ps);
  clock.mark(5, Stage::kSubmit, 150_ns);
  EXPECT_EQ(reports_seen(), 1U);
  clock.release(5, 190_ns);
  const StageTimes t = clock.finish(1, 1, 200_ns);
  EXPECT_EQ(reports_seen(), 1U);
  EXPECT_EQ(sum(t), 100_ns);
  EXPECT_EQ(of(t, Stage::kBusData), 0_ps);
  EXPECT_EQ(of(t, Stage::kDma), 0_ps);
}

TEST(StageClockTest, ACoreThatRanAheadOfTheFinishMarksTheFinish) {
  StageClock clock;
  clock.submitted(1, 1, 100_ns);
  clock.begin(5, 1, 1, 110_ns);
  clock.mark(5, Stage::kFirmware, 120_ns);
  clock.mark(5, Stage::kEcc, 150_ns);
  clock.mark(5, Stage::kFirmwareDone, 230_ns);
  clock.release(5, 190_ns);
  const StageTimes t = clock.finish(1, 1, 200_ns);
  EXPECT_EQ(of(t, Stage::kFirmware), 30_ns);
  EXPECT_EQ(of(t, Stage::kEcc), 40_ns);
  EXPECT_EQ(of(t, Stage::kComplete), 10_ns);
  EXPECT_EQ(of(t, Stage::kFirmwareDone), 0_ps);
  EXPECT_EQ(sum(t), 100_ns);
}

TEST(StageClockTest, CallsOutOfTurnAreErrors) {
  expect_reports(true);
  StageClock clock;
  const auto rejected = [](auto&& call) {
    call();
    EXPECT_EQ(reports_seen(), 1U);
  };
  clock.mark(WL_NO_TAG, Stage::kArray, 1_ns);
  EXPECT_EQ(reports_seen(), 0U);
  rejected([&] { clock.mark(4, Stage::kArray, 1_ns); });
  rejected([&] { clock.release(4, 1_ns); });
  rejected([&] { clock.begin(4, 0, 0, 1_ns); });
  rejected([&] { clock.finish(0, 0, 1_ns); });
  clock.submitted(0, 0, 1_ns);
  rejected([&] { clock.submitted(0, 0, 2_ns); });
  rejected([&] { clock.begin(WL_NO_TAG, 0, 0, 2_ns); });
  clock.begin(4, 0, 0, 2_ns);
  rejected([&] { clock.begin(5, 0, 0, 2_ns); });
  clock.submitted(0, 1, 1_ns);
  rejected([&] { clock.begin(4, 0, 1, 2_ns); });
  rejected([&] { clock.finish(0, 0, 3_ns); });  // not released; the tag is taken back
  clock.begin(4, 0, 1, 2_ns);
  clock.release(4, 5_ns);
  EXPECT_EQ(sum(clock.finish(0, 1, 5_ns)), 4_ns);
  EXPECT_EQ(reports_seen(), 0U);
}

}  // namespace
}  // namespace wordline::observe
