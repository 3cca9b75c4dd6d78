// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/results/steady/batches.h"
#include "models/results/steady/ratio.h"
#include "models/results/steady/steady_meter.h"
#include "models/results/steady/steady_statistics.h"
#include "models/units/keyed_random.h"

namespace wordline::results::steady_test {
namespace {

using namespace wordline::literals;

double normal(std::uint64_t seed, std::uint64_t i) {  // Irwin-Hall of twelve
  double sum = -6;
  for (std::uint64_t k = 0; k < 12; ++k) sum += unit_interval(keyed_hash(seed, i, k));
  return sum;
}

/// Of 400 series of `batches` values around 100: how many intervals hold 100.
template <class Next>
double coverage(std::size_t batches, const Next& next) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Ratio ratio;
    double before = normal(seed, 999);
    for (std::size_t i = 0; i < batches; ++i) {
      before = next(before, normal(seed, i));
      ratio.add(100 + before, 1);
    }
    held += std::abs(ratio.value() - 100) <= ratio.half_width() ? 1 : 0;
  }
  return held / 400.0;
}

TEST(RatioTest, NineteenOfTwentyIntervalsHoldTheTruth) {
  for (const std::size_t batches : {32U, 40U, 48U, 63U}) {
    EXPECT_NEAR(coverage(batches, [](double, double x) { return x; }), 0.97, 0.03) << batches;
    // Neighbours that pull each other along, or push each other away.
    EXPECT_GT(coverage(batches, [](double before, double x) { return 0.4 * before + x; }), 0.91) << batches;
    EXPECT_GT(coverage(batches, [](double before, double x) { return -0.6 * before + x; }), 0.94) << batches;
  }
}

TEST(RatioTest, BordersThatCutBurstsDoNotWidenTheInterval) {
  Ratio cut;
  Ratio independent;
  double before = 0;
  for (std::uint64_t i = 0; i < 48; ++i) {
    const double x = normal(1, i);
    cut.add(100 + x - before, 1);  // what this batch lacks the next one has
    independent.add(100 + x, 1);
    before = x;
  }
  EXPECT_LT(cut.half_width(), independent.half_width() / 1.5);
}

TEST(RatioTest, HalvesTellATrend) {
  int found = 0;
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Ratio rising;
    Ratio flat;
    for (std::uint64_t i = 0; i < 48; ++i) {
      rising.add(100 + 0.1 * static_cast<double>(i) + normal(seed, i), 1);
      flat.add(100 + normal(seed, i), 1);
    }
    found += rising.halves_differ() > 2.2 ? 1 : 0;
    wrong += std::abs(flat.halves_differ()) > 2.2 ? 1 : 0;
    EXPECT_NEAR(rising.change(), 0.024, 0.01);
  }
  EXPECT_GT(found, 180);
  EXPECT_LT(wrong, 20);
}

TEST(RatioTest, RatioIsOfTheSums) {
  Ratio ratio;
  ratio.add(1, 10);
  ratio.add(9, 10);
  ratio.add(20, 80);
  EXPECT_DOUBLE_EQ(ratio.value(), 0.3);
  EXPECT_EQ(ratio.half_width(), 0) << "three batches have no spectrum";
  EXPECT_EQ(ratio.parts(3), (std::vector<double>{0.1, 0.9, 0.25}));
  EXPECT_EQ(Ratio().value(), 0);
}

TEST(BatchesTest, KeepHalfToAllOfThemWhateverTheLength) {
  Batches batches;
  batches.begin(0_us);
  std::uint64_t requests = 0;
  double latency = 0;
  for (Picoseconds at = 1_us; requests < 300'000; at += 1_us) {
    const Picoseconds took = Picoseconds(static_cast<std::int64_t>(80'000'000 + keyed_hash(3, requests) % 90'000'000));
    latency += static_cast<double>(took.count());
    const Op op = requests % 3 == 0 ? Op::kWrite : Op::kRead;
    if (batches.add(op, took, at)) batches.end_batch({});
    ++requests;
    if (requests >= 64U * Batches::kFirstLength) {
      ASSERT_GE(batches.all().size(), Batches::kMost / 2);
      ASSERT_LT(batches.all().size(), Batches::kMost);
    }
  }
  std::uint64_t count = 0;
  std::uint64_t buckets = 0;
  std::size_t bytes = 0;
  Picoseconds end = 0_us;
  for (const Batch& batch : batches.all()) {
    EXPECT_EQ(batch.begin, end);
    end = batch.end;
    std::uint64_t of_batch = 0;
    for (const OpBatch& op : batch.ops) {
      of_batch += op.count;
      for (const auto& [bucket, times] : op.buckets) buckets += times;
      bytes += op.buckets.capacity() * sizeof(op.buckets[0]);
      EXPECT_TRUE(std::is_sorted(op.buckets.begin(), op.buckets.end()));
    }
    EXPECT_EQ(of_batch, batches.length());
    count += of_batch;
  }
  EXPECT_EQ(count, batches.requests());
  EXPECT_EQ(buckets, count);
  EXPECT_GT(count, 300'000 - batches.length());
  EXPECT_EQ(batches.longest_pause(), 1_us);
  EXPECT_LT(bytes, 300U * 1024);
}

/// A drive of superblocks of 1,000 pages and a write buffer of 4,096, whose counts the test sets. Requests take 80 us
/// with 8 in flight, +-10 %.
class Load {
 public:
  explicit Load(SteadyGoal goal, bool open_loop = false, double offered = 0, std::uint64_t pages_otherwise = 0)
      : meter(goal, drive(open_loop, offered, pages_otherwise)) {
    meter.begin(at);
  }
  SteadyDrive drive(bool open_loop, double offered, std::uint64_t pages_otherwise) {
    SteadyDrive drive;
    drive.superblock_pages = 1000;
    drive.buffer_pages = 4096;
    drive.superblocks_otherwise = 48;
    drive.waf_of_state = 1.05;
    drive.gc_start = 2;
    drive.open_loop = open_loop;
    drive.offered = offered;
    drive.other_writes = pages_otherwise != 0;
    drive.pages_otherwise = pages_otherwise;
    drive.counts = [this] { return counts; };
    return drive;
  }
  /// `requests` writes or reads of a page each; the rate is `speed` times that of 8 in flight at 80 us. Returns what
  /// the meter said last that was not kGoOn.
  SteadyMeter::Step run(std::uint64_t requests, Op op, double speed = 1, double latency = 0) {
    if (latency == 0) latency = 80 / speed;
    auto said = SteadyMeter::Step::kGoOn;
    for (std::uint64_t i = 0; i < requests && said != SteadyMeter::Step::kEnough; ++i) {
      const double noise = 0.9 + 0.2 * unit_interval(keyed_hash(9, number++));
      at += Picoseconds(static_cast<std::int64_t>(10'000'000 * noise / speed));
      FinishedRequest request;
      request.op = op;
      request.completed = at;
      request.submitted = at - Picoseconds(static_cast<std::int64_t>(latency * 1e6 * noise));
      if (op == Op::kWrite) {
        ++counts.written;
        counts.buffered = std::min<std::uint64_t>(counts.buffered + fills, 4096);
        counts.programmed += pages;
        if (collects && counts.written % 250 == 0) ++counts.collected;
      }
      const auto step = meter.add(request);
      if (step != SteadyMeter::Step::kGoOn) said = step;
    }
    return said;
  }
  [[nodiscard]] SteadyAnswer answer() const { return meter.answer(Picoseconds(0), at); }

  DriveCounts counts{0, 0, 0, 0, 0, 50};
  std::uint64_t number = 0;
  std::uint64_t fills = 0;  // pages that stay in the buffer, by write
  std::uint64_t pages = 1;  // programmed by write
  bool collects = false;
  Picoseconds at{};
  SteadyMeter meter;
};

SteadyGoal to(double width) {
  SteadyGoal goal;
  goal.rule = SteadyGoal::Rule::kInterval;
  goal.width = width;
  return goal;
}

TEST(SteadyMeterTest, ReadsAreSteadyOnceThereAreEnough) {
  Load load({});
  load.run(1500, Op::kRead);
  EXPECT_EQ(load.answer().steady, SteadyClass::kTooShort);
  EXPECT_EQ(load.answer().least, 2048U);
  load.run(18'500, Op::kRead);
  const SteadyAnswer answer = load.answer();
  EXPECT_EQ(answer.steady, SteadyClass::kSteady) << answer.reason;
  EXPECT_EQ(answer.since, 0U);
  EXPECT_NEAR(answer.iops.value, 100'000, 300);
  EXPECT_LT(answer.iops.low, 100'000);
  EXPECT_GT(answer.iops.high, 100'000);
  EXPECT_LT(answer.iops.width(), 0.005);
  EXPECT_NEAR(answer.in_flight, 8, 0.1);
  EXPECT_FALSE(answer.waf.known);
  const OpIntervals& read = answer.ops[0];
  EXPECT_NEAR(read.mean.value, 80e6, 0.3e6);
  EXPECT_NEAR(read.percentiles[0].value, 80e6, 1e6);
  EXPECT_TRUE(read.percentiles[1].known);
  EXPECT_FALSE(read.percentiles[3].known) << "two of 20,000 are beyond: nothing is known of the upper end";
  EXPECT_FALSE(answer.ops[1].iops.known);
}

TEST(SteadyMeterTest, WithAGoalAReadRunEndsWhenItIsReachedAndNotBefore) {
  Load narrow(to(0.0005));
  Load wide(to(0.05));
  EXPECT_EQ(wide.run(400'000, Op::kRead), SteadyMeter::Step::kEnough);
  EXPECT_EQ(narrow.run(400'000, Op::kRead), SteadyMeter::Step::kEnough);
  EXPECT_LE(wide.number, 4096U);
  EXPECT_GT(narrow.number, 4 * wide.number);
  EXPECT_LE(narrow.answer().iops.width(), 0.0005);
  EXPECT_LE(narrow.answer().ops[0].mean.width(), 0.0005);
  SteadyGoal most = to(0.0001);
  most.most_requests = 9000;
  Load given_up(most);
  EXPECT_EQ(given_up.run(400'000, Op::kRead), SteadyMeter::Step::kEnough);
  EXPECT_NEAR(static_cast<double>(given_up.number), 9000, 256);
}

TEST(SteadyMeterTest, AWriteBufferThatFillsUpIsNoSteadyState) {
  Load load(to(0.05));
  load.fills = 1;
  EXPECT_NE(load.run(4096, Op::kWrite, 3), SteadyMeter::Step::kEnough) << "the rate of the buffer is flat";
  EXPECT_EQ(load.answer().steady, SteadyClass::kTooShort);
  EXPECT_EQ(load.run(100'000, Op::kWrite), SteadyMeter::Step::kEnough);
  const SteadyAnswer answer = load.answer();
  EXPECT_EQ(answer.steady, SteadyClass::kBeforeGc) << answer.reason;
  EXPECT_NEAR(static_cast<double>(answer.since), 4096, 300);
  EXPECT_GE(load.number, 2 * answer.since);
  EXPECT_NEAR(answer.iops.value, 100'000, 1000);
  ASSERT_TRUE(answer.writes_until_gc.has_value());
  EXPECT_EQ(*answer.writes_until_gc, 48'000U);
}

TEST(SteadyMeterTest, ADriveThatCollectsNeedsSixteenSuperblocksAndSixteenMore) {
  Load load(to(0.05));
  load.counts.superblocks = 2;
  load.run(6000, Op::kWrite, 3);
  EXPECT_EQ(load.answer().steady, SteadyClass::kNotSteady);
  EXPECT_EQ(load.answer().reason, "0 of 32 superblocks collected");
  load.collects = true;
  EXPECT_EQ(load.run(250 * 15, Op::kWrite, 2), SteadyMeter::Step::kGoOn);
  EXPECT_EQ(load.answer().steady, SteadyClass::kNotSteady);
  EXPECT_EQ(load.run(600, Op::kWrite), SteadyMeter::Step::kAnew) << "what was before is no part of it";
  EXPECT_EQ(load.run(200'000, Op::kWrite), SteadyMeter::Step::kEnough);
  const SteadyAnswer answer = load.answer();
  EXPECT_EQ(answer.steady, SteadyClass::kSteady) << answer.reason;
  EXPECT_GE(answer.superblocks_collected, 32U);
  EXPECT_GE(load.number, 2 * answer.since);
  EXPECT_NEAR(answer.iops.value, 100'000, 1000);
  EXPECT_NEAR(answer.waf.value, 1, 1e-9);
}

TEST(SteadyMeterTest, WithoutAGoalTheAnswerIsOfTheRestAndSaysHowMuchIsMissing) {
  Load load({});
  load.counts.superblocks = 0;
  load.collects = true;
  EXPECT_EQ(load.run(3900, Op::kWrite, 3), SteadyMeter::Step::kGoOn);
  EXPECT_EQ(load.answer().reason, "15 of 32 superblocks collected");
  EXPECT_TRUE(load.answer().iops.known) << "the interval is told all the same";
  load.run(2000, Op::kWrite);
  EXPECT_EQ(load.answer().steady, SteadyClass::kTooShort);
  load.run(1200, Op::kWrite);
  EXPECT_EQ(load.answer().reason, "12 of 16 superblocks collected since the warm-up");
  load.run(8000, Op::kWrite);
  EXPECT_EQ(load.answer().steady, SteadyClass::kSteady) << load.answer().reason;
  EXPECT_NEAR(load.answer().iops.value, 100'000, 1000);
}

// Twice the write amplification of the state: other writes made it, and the drive is turned over first.
TEST(SteadyMeterTest, WritesOfAnotherKindThanThoseOfTheStateTakeLonger) {
  Load load(to(0.05));
  load.counts.superblocks = 0;
  load.collects = true;
  load.pages = 2;
  EXPECT_NE(load.run(250 * 47, Op::kWrite), SteadyMeter::Step::kEnough);
  EXPECT_EQ(load.answer().superblocks_needed, 48U + 16U);
  EXPECT_EQ(load.answer().steady, SteadyClass::kNotSteady);
  EXPECT_EQ(load.answer().reason.find("46 of 64 superblocks collected, as many as"), 0U) << load.answer().reason;
  EXPECT_EQ(load.run(200'000, Op::kWrite), SteadyMeter::Step::kEnough);
  EXPECT_EQ(load.answer().steady, SteadyClass::kSteady) << load.answer().reason;
  EXPECT_NEAR(load.answer().waf.value, 2, 1e-9);
  // Where that takes longer than the run may, it ends at once and says so.
  SteadyGoal goal = to(0.05);
  goal.most_requests = 10'000;
  Load short_of(goal);
  short_of.counts.superblocks = 0;
  short_of.collects = true;
  short_of.pages = 2;
  EXPECT_EQ(short_of.run(10'000, Op::kWrite), SteadyMeter::Step::kEnough);
  EXPECT_LT(short_of.number, 6000U);
  EXPECT_EQ(short_of.answer().steady, SteadyClass::kNotSteady);
}

TEST(SteadyMeterTest, WritesThatMakeAnotherStateAreAsManyAsTheHostHasToWriteAnew) {
  Load load(to(0.05), false, 0, 60'000);
  load.counts.superblocks = 0;
  load.collects = true;
  EXPECT_NE(load.run(40'000, Op::kWrite, 0.8), SteadyMeter::Step::kEnough) << "GC has turned it over three times";
  EXPECT_EQ(load.answer().steady, SteadyClass::kNotSteady);
  EXPECT_NE(load.answer().reason.find(" of 60000 pages written"), std::string::npos) << load.answer().reason;
  EXPECT_EQ(load.run(200'000, Op::kWrite), SteadyMeter::Step::kEnough);
  EXPECT_EQ(load.answer().steady, SteadyClass::kSteady) << load.answer().reason;
  EXPECT_GE(load.answer().since, 60'000U) << "what was before is no part of it";
  EXPECT_NEAR(load.answer().iops.value, 100'000, 1000);
  // Where that takes longer than the run may, it ends at once and says so.
  SteadyGoal goal = to(0.05);
  goal.most_requests = 50'000;
  Load short_of(goal, false, 0, 60'000);
  short_of.counts.superblocks = 0;
  short_of.collects = true;
  EXPECT_EQ(short_of.run(50'000, Op::kWrite), SteadyMeter::Step::kEnough);
  EXPECT_LT(short_of.number, 30'000U);
  EXPECT_EQ(short_of.answer().steady, SteadyClass::kNotSteady);
}

TEST(SteadyMeterTest, AWriteBufferThatWandersDoesNotBeginTheStretchAnew) {
  Load load({});
  load.fills = 1;
  load.run(1000, Op::kWrite);
  load.fills = 0;
  load.run(40'000, Op::kWrite);
  load.counts.buffered = 1500;  // 600 more, of 40,000 that were written
  load.run(10'000, Op::kWrite);
  EXPECT_LT(load.answer().since, 1200U);
  EXPECT_EQ(load.answer().steady, SteadyClass::kBeforeGc) << load.answer().reason;
  load.counts.buffered = 4000;
  load.run(10'000, Op::kWrite);
  EXPECT_GT(load.answer().since, 51'000U) << "that much is the buffer that takes them in";
}

TEST(SteadyMeterTest, ReadsThatStillLearnReferencesAreTheWarmUp) {
  Load load(to(0.05));
  std::uint64_t learned = 0;
  for (int i = 0; i < 100; ++i, learned += 20) {  // one of five reads
    load.counts.learned = learned;
    ASSERT_NE(load.run(100, Op::kRead, 0.8 + 0.002 * i), SteadyMeter::Step::kEnough);
  }
  EXPECT_NE(load.answer().steady, SteadyClass::kSteady);
  EXPECT_EQ(load.run(100'000, Op::kRead), SteadyMeter::Step::kEnough);
  EXPECT_GT(load.answer().since, 5000U);
  EXPECT_EQ(load.answer().steady, SteadyClass::kSteady) << load.answer().reason;
  EXPECT_NEAR(load.answer().iops.value, 100'000, 1000);
}

TEST(SteadyMeterTest, ATrendIsNoSteadyState) {
  Load load({});
  for (int i = 0; i < 100; ++i) load.run(200, Op::kRead, 1 + 0.01 * i);
  EXPECT_EQ(load.answer().steady, SteadyClass::kNotSteady);
  EXPECT_NE(load.answer().reason.find("the rate changed by"), std::string::npos) << load.answer().reason;
}

TEST(SteadyMeterTest, MoreThanTheDriveServesIsOverload) {
  Load jobs(to(0.05), false, 120'000);
  EXPECT_EQ(jobs.run(100'000, Op::kRead), SteadyMeter::Step::kEnough);
  EXPECT_EQ(jobs.answer().steady, SteadyClass::kOverload);
  EXPECT_EQ(jobs.answer().reason.find("120000 requests/s are offered and "), 0U) << jobs.answer().reason;
  Load slower(to(0.05), false, 101'000);
  slower.run(100'000, Op::kRead);
  EXPECT_EQ(slower.answer().steady, SteadyClass::kSteady);
  // Open loop: latencies that grow by 0.2 s a second have 1.25 times as many arrivals as are served.
  Load trace({}, true);
  for (int i = 0; i < 400; ++i) trace.run(100, Op::kRead, 1, 80 + 200.0 * i);
  EXPECT_EQ(trace.answer().steady, SteadyClass::kOverload);
  EXPECT_NEAR(trace.answer().offered, 125'000, 1000);
}

TEST(SteadyMeterTest, SniaWantsFiveRoundsOfSuperblocks) {
  SteadyGoal goal;
  goal.rule = SteadyGoal::Rule::kSnia;
  Load load(goal);
  load.counts.superblocks = 0;
  load.collects = true;
  EXPECT_EQ(load.run(400'000, Op::kWrite), SteadyMeter::Step::kEnough);
  EXPECT_GE(load.answer().superblocks_collected, 16U + 80U);
  Load falling(goal);
  falling.counts.superblocks = 0;
  falling.collects = true;
  for (int i = 0; i < 400; ++i) {
    ASSERT_NE(falling.run(1000, Op::kWrite, std::pow(0.99, i)), SteadyMeter::Step::kEnough) << i;
  }
}

TEST(SteadyMeterTest, PeriodicLoadsAreToldNoCloserThanAPause) {
  Load load({});
  for (int i = 0; i < 200; ++i) {
    load.run(100, Op::kRead);
    load.at += 5_ms;
  }
  const SteadyAnswer answer = load.answer();
  EXPECT_GE(answer.iops.width(), 5.0 / 1200);
}

TEST(SteadySentence, SaysWhatHolds) {
  Load load({});
  load.run(20'000, Op::kRead);
  EXPECT_EQ(steady_sentence(load.answer()).find("Steady: 100,"), 0U) << steady_sentence(load.answer());
  Load short_run({});
  short_run.run(100, Op::kRead);
  EXPECT_EQ(steady_sentence(short_run.answer()), "Too short: 100 requests, 2048 are the fewest to judge by.");
}

}  // namespace
}  // namespace wordline::results::steady_test
