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

/// Records the queues and stories that the clock reports.
struct Told final : CommandObserver {
  void released(std::uint16_t queue, std::uint16_t, std::uint16_t, Picoseconds, Picoseconds) override {
    queues.push_back(queue);
  }
  void finished(const CommandStory& story) override {
    reads.push_back(story.reads);
    latencies.push_back(story.finished - story.submitted);
    times.push_back(story.times.times);
  }
  std::vector<std::uint16_t> queues;
  std::vector<bool> reads;
  std::vector<Picoseconds> latencies;
  std::vector<StageTimes> times;
};

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
  StageClock clock{testing::context()};
  clock.submitted(1, 7, 1_us);
  clock.begin(3, 1, 7, 1_us + 300_ns);
  clock.mark(3, Stage::kQueueCore, 2_us);
  clock.work(3, 2500_ns, 3_us);  // the host task
  clock.work(3, 3100_ns, 4_us);  // the ftl task, until the doorbell
  clock.flash_read(3, 12, {4_us, 5_us, 6_us, 46_us, 47_us, 48_us, 49_us, 49_us + 800_ns, Picoseconds(-1)}, false);
  clock.mark(3, Stage::kQueueResume, 50_us);
  clock.work(3, 50_us + 200_ns, 51_us);
  clock.mark(3, Stage::kDma, 51_us);
  clock.work(3, 51_us, 55_us);  // it tidies up: no part of the latency
  clock.release(3, 52_us);
  EXPECT_EQ(clock.in_flight(), 1U);
  const tlm_if::Finished finished = clock.finish(1, 7, 53_us, WL_WAITER_READ);
  EXPECT_EQ(finished.die, 12);
  const StageTimes& t = finished.times;
  EXPECT_EQ(of(t, Stage::kSubmit), 300_ns);
  EXPECT_EQ(of(t, Stage::kFetch), 700_ns);
  EXPECT_EQ(of(t, Stage::kQueueCore), 600_ns);
  EXPECT_EQ(of(t, Stage::kFirmware), 1400_ns);
  EXPECT_EQ(of(t, Stage::kQueueBuffer), 0_ns);
  EXPECT_EQ(of(t, Stage::kQueueFlash), 1_us);
  EXPECT_EQ(of(t, Stage::kBusCommand), 1_us);
  EXPECT_EQ(of(t, Stage::kArray), 40_us);
  EXPECT_EQ(of(t, Stage::kQueueBus), 1_us);
  EXPECT_EQ(of(t, Stage::kBusData), 1_us);
  EXPECT_EQ(of(t, Stage::kQueueEcc), 1_us);
  EXPECT_EQ(of(t, Stage::kEcc), 800_ns);
  EXPECT_EQ(of(t, Stage::kQueueStore), 200_ns);
  EXPECT_EQ(of(t, Stage::kRetry), 0_us);
  EXPECT_EQ(of(t, Stage::kQueueResume), 200_ns);
  EXPECT_EQ(of(t, Stage::kFirmwareDone), 800_ns);
  EXPECT_EQ(of(t, Stage::kDma), 1_us);
  EXPECT_EQ(of(t, Stage::kComplete), 1_us);
  EXPECT_EQ(sum(t), 52_us);
  EXPECT_EQ(clock.in_flight(), 0U);
}

TEST(StageClockTest, WaitingForABufferIsNeitherWorkNorWaitingForACore) {
  StageClock clock{testing::context()};
  clock.pool(WL_WAITER_WRITE, WL_POOL_WRITE_BUFFER, 5_us);
  clock.pool(WL_WAITER_READ, WL_POOL_READ_BUFFER, 6_us);  // of no concern to a write
  clock.submitted(0, 0, 0_us);
  clock.begin(1, 0, 0, 0_us);
  clock.mark(1, Stage::kQueueCore, 4_us);
  clock.work(1, 6_us, 7_us);
  clock.pool(WL_WAITER_WRITE, WL_POOL_NONE, 10_us);
  clock.pool(WL_WAITER_WRITE, WL_POOL_FREE_SPACE, 12_us);
  clock.pool(WL_WAITER_WRITE, WL_POOL_NONE, 13_us);
  clock.work(1, 14_us, 16_us);
  clock.work(1, 15_us, 17_us);  // another core at the same time
  clock.mark(1, Stage::kDma, 20_us);
  clock.release(1, 20_us);
  const StageTimes t = clock.finish(0, 0, 20_us, WL_WAITER_WRITE).times;
  EXPECT_EQ(of(t, Stage::kFirmware), 4_us);     // 6..7, 14..17
  EXPECT_EQ(of(t, Stage::kQueueBuffer), 5_us);  // 5..6, 7..10, 12..13
  EXPECT_EQ(of(t, Stage::kQueueCore), 7_us);
  EXPECT_EQ(sum(t), 20_us);
  EXPECT_EQ(clock.pool_waits().total(WL_WAITER_WRITE, WL_POOL_WRITE_BUFFER, 20_us), 5_us);
  EXPECT_EQ(clock.pool_waits().total(WL_WAITER_WRITE, WL_POOL_FREE_SPACE, 20_us), 1_us);
  EXPECT_EQ(clock.pool_waits().total(WL_WAITER_READ, WL_POOL_READ_BUFFER, 20_us), 14_us) << "still waiting";
}

TEST(StageClockTest, WaitingForACommandOfTheSameLogicalPageIsItsOwnStage) {
  StageClock clock{testing::context()};
  clock.submitted(0, 0, 0_us);
  clock.begin(1, 0, 0, 0_us);
  clock.mark(1, Stage::kQueueCore, 1_us);
  clock.held(1, Stage::kQueueOrder, 3_us);
  clock.held(1, Stage::kQueueOrder, 6_us);  // looked at again, and held again
  clock.work(1, 2_us, 4_us);                // reported at its end; the command was found to wait in it
  clock.pool(WL_WAITER_WRITE, WL_POOL_WRITE_BUFFER, 8_us);
  clock.pool(WL_WAITER_WRITE, WL_POOL_NONE, 12_us);
  clock.work(1, 10_us, 11_us);  // it goes on
  clock.mark(1, Stage::kDma, 15_us);
  clock.release(1, 15_us);
  const StageTimes t = clock.finish(0, 0, 15_us, WL_WAITER_WRITE).times;
  EXPECT_EQ(of(t, Stage::kFirmware), 3_us);
  EXPECT_EQ(of(t, Stage::kQueueOrder), 6_us) << "4 to 10, whoever waits for the buffer";
  EXPECT_EQ(of(t, Stage::kQueueBuffer), 1_us);
  EXPECT_EQ(of(t, Stage::kQueueCore), 4_us);
  EXPECT_EQ(sum(t), 15_us);
}

TEST(StageClockTest, WaitingForAMapPageIsItsOwnStageBesideThat) {
  StageClock clock{testing::context()};
  clock.submitted(0, 0, 0_us);
  clock.begin(1, 0, 0, 0_us);
  clock.mark(1, Stage::kQueueCore, 1_us);
  clock.work(1, 1_us, 2_us);
  clock.held(1, Stage::kQueueMap, 2_us);
  clock.work(1, 7_us, 8_us);  // the map page is there, and another write in the way
  clock.held(1, Stage::kQueueOrder, 8_us);
  clock.work(1, 11_us, 12_us);
  clock.mark(1, Stage::kDma, 12_us);
  clock.release(1, 15_us);
  const tlm_if::Finished finished = clock.finish(0, 0, 15_us, WL_WAITER_WRITE);
  EXPECT_EQ(of(finished.times, Stage::kQueueMap), 5_us);
  EXPECT_EQ(of(finished.times, Stage::kQueueOrder), 3_us);
  EXPECT_EQ(of(finished.times, Stage::kQueueCore), 0_us);
  EXPECT_EQ(sum(finished.times), 15_us);
  EXPECT_EQ(finished.waits[static_cast<std::size_t>(results::WaitCause::kMap)], 5_us);
}

TEST(StageClockTest, ARetryBeginsWhenTheFirstDecodingHasFailed) {
  StageClock clock{testing::context()};
  clock.submitted(0, 0, 0_us);
  clock.begin(1, 0, 0, 0_us);
  clock.flash_read(1, 0, {1_us, 2_us, 3_us, 40_us, 41_us, 45_us, 46_us, 190_us, 48_us}, false);
  clock.mark(1, Stage::kQueueResume, 200_us);
  clock.release(1, 210_us);
  const StageTimes t = clock.finish(0, 0, 210_us, WL_WAITER_READ).times;
  EXPECT_EQ(of(t, Stage::kArray), 37_us);
  EXPECT_EQ(of(t, Stage::kEcc), 2_us);
  EXPECT_EQ(of(t, Stage::kRetry), 152_us);
  // Attempts of the firmware are one retry, which ends with the last of them; one of an earlier job is forgotten.
  clock.submitted(0, 0, 0_us);
  clock.begin(1, 0, 0, 0_us);
  clock.flash_read(1, 0, {1_us, 2_us, 3_us, 40_us, 41_us, 45_us, 46_us, 47_us, 47_us}, false);
  clock.flash_read(1, 0, {1_us, 2_us, 3_us, 42_us, 43_us, 45_us, 46_us, Picoseconds(-1), Picoseconds(-1)}, false);
  clock.mark(1, Stage::kQueueResume, 50_us);
  clock.flash_read(1, 0, {60_us, 61_us, 62_us, 80_us, 81_us, 82_us, 83_us, 84_us, Picoseconds(-1)}, true);
  clock.flash_read(1, 0, {90_us, 91_us, 92_us, 93_us, 94_us, 95_us, 96_us, 97_us, Picoseconds(-1)}, true);
  clock.mark(1, Stage::kQueueResume, 100_us);
  clock.release(1, 101_us);
  const StageTimes u = clock.finish(0, 0, 101_us, WL_WAITER_READ).times;
  EXPECT_EQ(of(u, Stage::kEcc), 14_us) << "the firmware's part before the first attempt";
  EXPECT_EQ(of(u, Stage::kRetry), 40_us);
}

TEST(StageClockTest, WorkForATagThatIsFreeIsLeftOut) {
  StageClock clock{testing::context()};
  clock.work(3, 1_us, 2_us);
  clock.submitted(0, 0, 0_us);
  clock.begin(3, 0, 0, 0_us);
  clock.mark(3, Stage::kQueueCore, 1_us);
  clock.release(3, 5_us);
  clock.work(3, 2_us, 3_us);
  EXPECT_EQ(of(clock.finish(0, 0, 6_us, WL_WAITER_READ).times, Stage::kFirmware), 0_us);
}

TEST(StageClockTest, WaitsAreDividedByTheirCause) {
  using results::WaitCause;
  StageClock clock{testing::context()};
  const auto behind = [](const tlm_if::Finished& finished, WaitCause cause) {
    return finished.waits[static_cast<std::size_t>(cause)];
  };
  const auto waiting = [](const tlm_if::Finished& finished) {
    Picoseconds total{};
    for (unsigned s = 0; s < kStages; ++s) {
      if (stage_is_wait(static_cast<Stage>(s))) total += finished.times[s];
    }
    return total;
  };
  const auto behind_all = [](const tlm_if::Finished& finished) {
    Picoseconds total{};
    for (const Picoseconds wait : finished.waits) total += wait;
    return total;
  };
  // A read: 2 us for a core, 3 us for a slot, 40 us for its die, of which 25 erase and 5 a program of GC.
  clock.submitted(1, 0, 0_us);
  clock.begin(3, 1, 0, 1_us);
  clock.mark(3, Stage::kQueueCore, 2_us);
  clock.pool(WL_WAITER_READ, WL_POOL_READ_BUFFER, 3_us);
  clock.pool(WL_WAITER_READ, WL_POOL_NONE, 6_us);
  clock.work(3, 7_us, 10_us);
  tlm_if::ReadMarks marks{10_us, 50_us, 51_us, 91_us, 95_us, 96_us, 96_us, Picoseconds(-1), Picoseconds(-1)};
  marks.behind[static_cast<std::size_t>(tlm_if::DieWork::kErase)] = 25_us;
  marks.behind[static_cast<std::size_t>(tlm_if::DieWork::kGcProgram)] = 5_us;
  marks.retries = 2;
  clock.flash_read(3, 7, marks, false);
  clock.mark(3, Stage::kQueueResume, 97_us);
  clock.release(3, 98_us);
  const tlm_if::Finished read = clock.finish(1, 0, 99_us, WL_WAITER_READ);
  EXPECT_EQ(behind(read, WaitCause::kErase), 25_us);
  EXPECT_EQ(behind(read, WaitCause::kGcProgram), 5_us);
  EXPECT_EQ(behind(read, WaitCause::kChannel), 10_us + 4_us) << "what is left of its wait, and the page's";
  EXPECT_EQ(behind(read, WaitCause::kReadBuffer), 3_us);
  EXPECT_EQ(behind(read, WaitCause::kCore), 2_us + 1_us);
  EXPECT_EQ(behind_all(read), waiting(read));
  EXPECT_EQ(read.retries, 2U);
  EXPECT_EQ(*read.dies, std::vector<std::uint16_t>{7});
  // A write: 8 us for a slot, 5 of them while programs waited for free space.
  clock.submitted(1, 1, 100_us);
  clock.begin(4, 1, 1, 100_us);
  clock.mark(4, Stage::kQueueCore, 100_us);
  clock.pool(WL_WAITER_WRITE, WL_POOL_WRITE_BUFFER, 101_us);
  clock.pool(WL_WAITER_PROGRAM, WL_POOL_FREE_SPACE, 104_us);
  clock.pool(WL_WAITER_WRITE, WL_POOL_NONE, 109_us);
  clock.work(4, 109_us, 110_us);
  clock.release(4, 110_us);
  const tlm_if::Finished write = clock.finish(1, 1, 110_us, WL_WAITER_WRITE);
  EXPECT_EQ(behind(write, WaitCause::kWriteBuffer), 3_us);
  EXPECT_EQ(behind(write, WaitCause::kFreeSpace), 5_us);
  EXPECT_EQ(behind(write, WaitCause::kCore), 1_us);
  EXPECT_EQ(behind_all(write), waiting(write));
  EXPECT_TRUE(write.dies->empty());
}

TEST(PoolWaitsTest, OldWaitsAreForgottenAndTotalsKept) {
  PoolWaits waits;
  for (std::int64_t i = 0; i < 100; ++i) {
    waits.set(WL_WAITER_READ, WL_POOL_READ_BUFFER, Picoseconds(10 * i));
    waits.set(WL_WAITER_READ, WL_POOL_NONE, Picoseconds(10 * i + 4));
  }
  EXPECT_EQ(waits.overlap(WL_WAITER_READ, Picoseconds(502), Picoseconds(522)), Picoseconds(2 + 4 + 2));
  waits.forget_before(Picoseconds(500));
  EXPECT_EQ(waits.remembered(), 50U);
  EXPECT_EQ(waits.overlap(WL_WAITER_READ, Picoseconds(502), Picoseconds(522)), Picoseconds(2 + 4 + 2));
  EXPECT_EQ(waits.total(WL_WAITER_READ, WL_POOL_READ_BUFFER, Picoseconds(2000)), Picoseconds(400));
}

TEST(StageClockTest, MarksGoByTimeNotByStageOrCall) {
  StageClock clock{testing::context()};
  clock.submitted(0, 0, 0_ns);
  clock.begin(0, 0, 0, 1_ns);
  clock.mark(0, Stage::kQueueResume, 30_ns);  // given ahead of time
  clock.mark(0, Stage::kDma, 10_ns);          // a write fetches its data first
  clock.mark(0, Stage::kQueueCore, 20_ns);
  clock.release(0, 40_ns);
  const StageTimes t = clock.finish(0, 0, 45_ns, WL_WAITER_READ).times;
  EXPECT_EQ(of(t, Stage::kFetch), 9_ns);
  EXPECT_EQ(of(t, Stage::kDma), 10_ns);
  EXPECT_EQ(of(t, Stage::kQueueCore), 10_ns);
  EXPECT_EQ(of(t, Stage::kQueueResume), 10_ns);
  EXPECT_EQ(of(t, Stage::kComplete), 5_ns);
}

TEST(StageClockTest, OfSeveralJobsTheLastDeliveredCounts) {
  StageClock clock{testing::context()};
  clock.submitted(0, 0, 0_ns);
  clock.begin(0, 0, 0, 0_ns);
  clock.mark(0, Stage::kEngine, 5_ns);
  // Job A, then job B, each when it completes.
  clock.mark(0, Stage::kQueueFlash, 10_ns);
  clock.mark(0, Stage::kArray, 12_ns);
  clock.mark(0, Stage::kBusData, 20_ns);
  clock.mark(0, Stage::kQueueFlash, 11_ns);
  clock.mark(0, Stage::kArray, 30_ns);
  clock.mark(0, Stage::kBusData, 38_ns);
  clock.release(0, 40_ns);
  const StageTimes t = clock.finish(0, 0, 40_ns, WL_WAITER_READ).times;
  EXPECT_EQ(of(t, Stage::kEngine), 6_ns);
  EXPECT_EQ(of(t, Stage::kQueueFlash), 19_ns);
  EXPECT_EQ(of(t, Stage::kArray), 8_ns);
  EXPECT_EQ(of(t, Stage::kBusData), 2_ns);
  EXPECT_EQ(sum(t), 40_ns);
}

TEST(StageClockTest, OfEqualTimesTheLastMarkedLasts) {
  StageClock clock{testing::context()};
  clock.submitted(0, 0, 5_ns);
  clock.begin(0, 0, 0, 5_ns);
  clock.mark(0, Stage::kDma, 10_ns);
  clock.mark(0, Stage::kQueueFlash, 10_ns);
  clock.mark(0, Stage::kBusCommand, 10_ns);
  clock.release(0, 20_ns);
  const StageTimes t = clock.finish(0, 0, 20_ns, WL_WAITER_READ).times;
  EXPECT_EQ(of(t, Stage::kSubmit), 0_ns);
  EXPECT_EQ(of(t, Stage::kFetch), 5_ns);
  EXPECT_EQ(of(t, Stage::kDma), 0_ns);
  EXPECT_EQ(of(t, Stage::kQueueFlash), 0_ns);
  EXPECT_EQ(of(t, Stage::kBusCommand), 10_ns);
  EXPECT_EQ(of(t, Stage::kComplete), 0_ns);
}

TEST(StageClockTest, TagIsFreeAfterReleaseWhileTheOldCommandIsStillOnItsWay) {
  StageClock clock{testing::context()};
  clock.submitted(2, 1, 0_ns);
  clock.submitted(2, 65535, 1_ns);
  clock.begin(9, 2, 1, 2_ns);
  clock.release(9, 10_ns);
  clock.begin(9, 2, 65535, 4_ns);
  clock.mark(9, Stage::kArray, 12_ns);
  EXPECT_EQ(of(clock.finish(2, 1, 20_ns, WL_WAITER_READ).times, Stage::kComplete), 10_ns);
  clock.submitted(2, 1, 21_ns);  // its identifier is free as well, and starts clean
  clock.release(9, 30_ns);
  EXPECT_EQ(of(clock.finish(2, 65535, 33_ns, WL_WAITER_READ).times, Stage::kArray), 18_ns);
  clock.begin(9, 2, 1, 40_ns);
  clock.release(9, 41_ns);
  const StageTimes t = clock.finish(2, 1, 42_ns, WL_WAITER_READ).times;
  EXPECT_EQ(of(t, Stage::kArray), 0_ns);
  EXPECT_EQ(of(t, Stage::kSubmit), 19_ns);
}

TEST(StageClockTest, ReadsAndWritesPassTheirStagesInTheirUsualOrders) {
  const std::vector<Stage> fetch{Stage::kSubmit, Stage::kFetch};
  const std::vector<Stage> transfer{Stage::kQueueDma, Stage::kDmaSetup, Stage::kDma, Stage::kSettle};
  const std::vector<Stage> flash{Stage::kEngine, Stage::kQueueFlash, Stage::kArray, Stage::kEngineDone};
  StageClock clock{testing::context()};
  for (const bool reads : {true, false}) {
    std::vector<Stage> order = fetch;
    const auto append = [&](const std::vector<Stage>& more) { order.insert(order.end(), more.begin(), more.end()); };
    append(reads ? flash : transfer);
    append(reads ? transfer : flash);
    order.push_back(Stage::kComplete);
    clock.submitted(0, 0, 10_ns);
    clock.begin(0, 0, 0, 11_ns);
    // The stage in place i lasts i + 1 ns, but for one in the middle, which gives way within its instant.
    StageTimes expected{};
    Picoseconds at = 11_ns;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (i > 1 && i + 1 < order.size()) clock.mark(0, order[i], at);
      if (i + 1 == order.size()) clock.release(0, at);
      const Picoseconds lasts = i == 4 ? 0_ns : static_cast<std::int64_t>(i + 1) * 1_ns;
      expected[static_cast<std::size_t>(order[i])] = lasts;
      at += lasts;
    }
    expected[0] = 1_ns;
    EXPECT_EQ(clock.finish(0, 0, at, reads ? WL_WAITER_READ : WL_WAITER_WRITE).times, expected) << reads;
  }
}

TEST(StageClockTest, RandomMarksInsideTheIntervalSumExactlyAndMatchTheDefinition) {
  StageClock clock{testing::context()};
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
    const bool reads = run % 2 == 0;
    const std::uint64_t count = keyed_hash(7, run) % 30;
    for (std::uint64_t i = 1; i <= count; ++i) {
      const auto stage = static_cast<Stage>(1 + keyed_hash(8, run, i) % (kStages - 1));
      // These come from work(), held() and pool().
      const bool divided = stage == Stage::kFirmware || stage == Stage::kFirmwareDone || stage == Stage::kQueueMap;
      if (divided || stage == Stage::kQueueBuffer || stage == Stage::kQueueOrder) continue;
      clock.mark(tag, stage, inside(i));
      note(stage, inside(i));
    }
    clock.release(tag, inside(99));
    note(Stage::kComplete, inside(99));
    const Picoseconds end(start + length);
    const StageTimes times = clock.finish(qid, cid, end, reads ? WL_WAITER_READ : WL_WAITER_WRITE).times;

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
  StageClock clock{testing::context()};
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
  const StageTimes t = clock.finish(1, 1, 200_ns, WL_WAITER_READ).times;
  EXPECT_EQ(reports_seen(), 1U);
  EXPECT_EQ(sum(t), 100_ns);
  EXPECT_EQ(of(t, Stage::kBusData), 0_ps);
  EXPECT_EQ(of(t, Stage::kDma), 0_ps);
}

TEST(StageClockTest, WorkOfACoreThatRanAheadOfTheFinishEndsAtTheFinish) {
  StageClock clock{testing::context()};
  clock.submitted(1, 1, 100_ns);
  clock.begin(5, 1, 1, 110_ns);
  clock.mark(5, Stage::kQueueCore, 120_ns);
  clock.work(5, 130_ns, 140_ns);
  clock.work(5, 195_ns, 230_ns);
  clock.release(5, 190_ns);
  clock.work(5, 230_ns, 240_ns);
  const StageTimes t = clock.finish(1, 1, 200_ns, WL_WAITER_READ).times;
  EXPECT_EQ(of(t, Stage::kFirmware), 10_ns);
  EXPECT_EQ(of(t, Stage::kQueueCore), 60_ns);
  EXPECT_EQ(of(t, Stage::kComplete), 10_ns);
  EXPECT_EQ(sum(t), 100_ns);
}

TEST(StageClockTest, AProgramThatACoreNotedBehindTheFinishIsLeftOut) {
  StageClock clock{testing::context()};
  clock.submitted(1, 1, 100_ns);
  clock.begin(5, 1, 1, 110_ns);
  clock.mark(5, Stage::kDma, 120_ns);
  clock.programs(5, 200_ns + 1_ps);
  clock.release(5, 190_ns);
  const StageTimes t = clock.finish(1, 1, 200_ns, WL_WAITER_WRITE).times;
  EXPECT_EQ(of(t, Stage::kProgram), 0_ps);
  EXPECT_EQ(of(t, Stage::kDma), 70_ns);
  EXPECT_EQ(sum(t), 100_ns);
}

TEST(StageClockTest, CallsOutOfTurnAreErrors) {
  expect_reports(true);
  StageClock clock{testing::context()};
  const auto rejected = [](auto&& call) {
    call();
    EXPECT_EQ(reports_seen(), 1U);
  };
  clock.mark(WL_NO_TAG, Stage::kArray, 1_ns);
  EXPECT_EQ(reports_seen(), 0U);
  rejected([&] { clock.mark(4, Stage::kArray, 1_ns); });
  rejected([&] { clock.flash_read(4, 0, {}, false); });
  rejected([&] { clock.release(4, 1_ns); });
  rejected([&] { clock.begin(4, 0, 0, 1_ns); });
  rejected([&] { clock.finish(0, 0, 1_ns, WL_WAITER_READ).times; });
  clock.submitted(0, 0, 1_ns);
  rejected([&] { clock.submitted(0, 0, 2_ns); });
  rejected([&] { clock.begin(WL_NO_TAG, 0, 0, 2_ns); });
  clock.begin(4, 0, 0, 2_ns);
  for (const Stage divided :
       {Stage::kFirmware, Stage::kFirmwareDone, Stage::kQueueBuffer, Stage::kQueueOrder, Stage::kQueueMap}) {
    rejected([&] { clock.mark(4, divided, 3_ns); });
  }
  rejected([&] { clock.begin(5, 0, 0, 2_ns); });
  clock.submitted(0, 1, 1_ns);
  rejected([&] { clock.begin(4, 0, 1, 2_ns); });
  rejected([&] { clock.finish(0, 0, 3_ns, WL_WAITER_READ).times; });  // not released; the tag is taken back
  clock.begin(4, 0, 1, 2_ns);
  clock.release(4, 5_ns);
  EXPECT_EQ(sum(clock.finish(0, 1, 5_ns, WL_WAITER_READ).times), 4_ns);
  EXPECT_EQ(reports_seen(), 0U);
}

TEST(StageClockTest, AForeignHostsCommandsEndWithTheirRelease) {
  StageClock clock{testing::context()};
  Told told;
  clock.observe(told);
  clock.serve_foreign_host([](std::uint16_t tag) -> unsigned { return tag == 3 ? WL_WAITER_READ : WL_WAITER_WRITE; });
  clock.begin(3, 1, 7, 1_us);
  clock.begin(4, 2, 7, 2_us);
  clock.begin(5, 0, 9, 2_us);  // an admin command: the observer hears of its release alone
  clock.mark(3, Stage::kQueueCore, 2_us);
  clock.work(3, 2_us, 3_us);
  clock.flash_read(3, 12, {3_us, 5_us, 6_us, 46_us, 47_us, 48_us, 49_us, 49_us + 800_ns, Picoseconds(-1)}, false);
  clock.release(3, 52_us);
  clock.mark(4, Stage::kQueueCore, 3_us);
  clock.pool(WL_WAITER_WRITE, WL_POOL_WRITE_BUFFER, 5_us);
  clock.pool(WL_WAITER_WRITE, WL_POOL_NONE, 10_us);
  clock.programs(4, 11_us);
  clock.release(4, 60_us);
  clock.release(5, 61_us);
  EXPECT_EQ(clock.in_flight(), 0U);
  EXPECT_EQ(told.queues, (std::vector<std::uint16_t>{1, 2, 0}));
  EXPECT_EQ(told.reads, (std::vector<bool>{true, false}));
  ASSERT_EQ(told.latencies, (std::vector<Picoseconds>{51_us, 58_us}));
  EXPECT_EQ(of(told.times[0], Stage::kArray), 40_us);
  EXPECT_EQ(of(told.times[1], Stage::kQueueBuffer), 5_us);
  EXPECT_EQ(of(told.times[1], Stage::kProgram), 49_us);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(sum(told.times[i]), told.latencies[i]);
  clock.begin(3, 1, 7, 70_us);  // the identifier is free
  clock.release(3, 71_us);
  EXPECT_EQ(told.latencies.back(), 1_us);
}

}  // namespace
}  // namespace wordline::observe
