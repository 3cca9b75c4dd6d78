// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/queue_results.h"

#include <gtest/gtest.h>

#include <vector>

namespace wordline::testing::queue_results_test {
namespace {

using namespace wordline::literals;
using results::QueueResults;
using results::Registry;
using Counts = std::vector<std::uint64_t>;
using Times = std::vector<Picoseconds>;

// Two pairs that share a completion queue. What comes before and behind the measurement counts nothing, and a
// measurement that begins again forgets what it had.
TEST(QueueResultsTest, CountsTheMeasurementAlone) {
  std::uint64_t fetched = 1000, interrupts = 500;
  QueueResults results;
  results.open(2, [&](std::uint32_t pair) -> QueueResults::Counts { return {fetched + pair * 7, interrupts, 3}; });
  results.add(0, 9_us);
  results.begin(40_us);
  results.add(1, 8_us);
  results.begin(100_us);
  for (int i = 1; i <= 100; ++i) results.add(0, 1_us * i);
  results.add(1, 60_us);
  fetched += 104;
  interrupts += 33;
  results.end(1100_us);
  results.add(1, 7_us);
  fetched += 5;
  interrupts += 5;
  results.end(2000_us);
  Registry registry;
  results.register_statistics(registry);
  EXPECT_EQ(registry.get<Counts>("queues[].commands"), (Counts{100, 1}));
  EXPECT_EQ(registry.get<Times>("queues[].lat_ps.mean"), (Times{50'500_ns, 60_us}));
  EXPECT_NEAR(static_cast<double>(registry.get<Times>("queues[].lat_ps.p99")[0].count()), 99e6, 0.01 * 99e6);
  EXPECT_EQ(registry.get<Times>("queues[].lat_ps.p99")[1], 60_us);
  const auto iops = registry.get<std::vector<double>>("queues[].iops");
  EXPECT_DOUBLE_EQ(iops[0], 100'000);
  EXPECT_DOUBLE_EQ(iops[1], 1000);
  const auto depth = registry.get<std::vector<double>>("queues[].depth");
  EXPECT_DOUBLE_EQ(depth[0], 5.05) << "5050 us of commands in 1000 us";
  EXPECT_DOUBLE_EQ(depth[1], 0.06);
  EXPECT_EQ(registry.get<Counts>("queues[].fetched"), (Counts{104, 104}));
  EXPECT_EQ(registry.get<Counts>("queues[].interrupts"), (Counts{33, 33}));
  EXPECT_EQ(registry.get<Counts>("queues[].completion_queue"), (Counts{3, 3}));
}

TEST(QueueResultsTest, OnePairHasNothingOfItsOwn) {
  QueueResults results;
  results.open(1, [](std::uint32_t) -> QueueResults::Counts { throw std::logic_error("asked"); });
  results.begin(0_us);
  results.add(0, 1_us);
  results.end(1_us);
  Registry registry;
  results.register_statistics(registry);
  EXPECT_TRUE(registry.in_order().empty());
}

TEST(QueueResultsTest, AMeasurementThatNeverBeganHasZeros) {
  QueueResults results;
  results.open(2, [](std::uint32_t) -> QueueResults::Counts { return {}; });
  results.end(5_us);
  Registry registry;
  results.register_statistics(registry);
  EXPECT_EQ(registry.get<Counts>("queues[].commands"), (Counts{0, 0}));
  EXPECT_EQ(registry.get<std::vector<double>>("queues[].iops"), (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace wordline::testing::queue_results_test
