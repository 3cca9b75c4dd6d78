// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/collector.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

#include "models/units/keyed_random.h"

namespace wordline::results {
namespace {

using namespace wordline::literals;

TEST(CollectorTest, StagesMustSumToTheLatency) {
  Collector collector(3);
  const Picoseconds good[] = {1_us, 2_us, 3_us};
  collector.record(Op::kRead, 4096, 10_us, 16_us, good);
  const Picoseconds early[] = {1_us, 2_us, 3_us - 1_ps};
  EXPECT_THROW(collector.record(Op::kRead, 4096, 10_us, 16_us, early), std::logic_error);
  const Picoseconds late[] = {1_us, 2_us, 3_us + 1_ps};
  EXPECT_THROW(collector.record(Op::kRead, 4096, 10_us, 16_us, late), std::logic_error);
  EXPECT_EQ(collector.requests(), 1U);  // nothing of a refused request is kept
  EXPECT_EQ(collector.bytes(Op::kRead), 4096U);
  const Picoseconds backwards[] = {0_ps, 0_ps, 0_ps - 1_ps};
  EXPECT_THROW(collector.record(Op::kRead, 4096, 10_us, 10_us - 1_ps, backwards), std::logic_error);
  EXPECT_THROW(Collector(Collector::kMaxStages + 1), std::invalid_argument);
}

TEST(CollectorTest, StageMeansAndTotalsAddUp) {
  constexpr std::size_t kStages = 14;
  Collector collector(kStages);
  std::vector<std::uint64_t> totals(kStages);
  std::uint64_t all = 0;
  for (std::uint64_t i = 0; i < 10'007; ++i) {
    Picoseconds stages[kStages];
    Picoseconds sum{};
    for (std::size_t s = 0; s < kStages; ++s) {
      stages[s] = Picoseconds(static_cast<std::int64_t>(keyed_hash(1, i, s) % 9'999'999));
      sum += stages[s];
      totals[s] += static_cast<std::uint64_t>(stages[s].count());
    }
    all += static_cast<std::uint64_t>(sum.count());
    collector.record(Op::kWrite, 512, Picoseconds(static_cast<std::int64_t>(i)),
                     Picoseconds(static_cast<std::int64_t>(i)) + sum, stages);
  }
  EXPECT_EQ(collector.stage_totals(Op::kWrite), totals);
  EXPECT_EQ(collector.latency(Op::kWrite).sum(), all);
  const auto means = collector.stage_means(Op::kWrite);
  Picoseconds sum{};
  for (std::size_t s = 0; s < kStages; ++s) {
    sum += means[s];
    EXPECT_NEAR(static_cast<double>(means[s].count()), static_cast<double>(totals[s]) / 10'007, 1.0) << s;
  }
  EXPECT_EQ(sum, collector.latency(Op::kWrite).mean());
  for (const std::uint64_t total : collector.stage_totals(Op::kRead)) EXPECT_EQ(total, 0U);
}

TEST(CollectorTest, RatesCountFromFirstSubmissionToLastCompletion) {
  Collector collector(1);
  const Picoseconds millisecond = 1_ms;
  collector.record(Op::kWrite, 8192, 5_ms, 6_ms, &millisecond);
  collector.record(Op::kRead, 4096, 2_ms, 3_ms, &millisecond);
  collector.record(Op::kRead, 4096, 11_ms, 12_ms, &millisecond);
  EXPECT_EQ(collector.span(), 10_ms);
  EXPECT_DOUBLE_EQ(collector.iops(Op::kRead), 200);
  EXPECT_DOUBLE_EQ(collector.iops(Op::kWrite), 100);
  EXPECT_DOUBLE_EQ(collector.bytes_per_second(Op::kWrite), 819'200);
  EXPECT_EQ(Collector(1).span(), 0_ps);
  EXPECT_EQ(Collector(1).iops(Op::kRead), 0.0);
}

}  // namespace
}  // namespace wordline::results
