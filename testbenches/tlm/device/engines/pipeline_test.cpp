// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/pipeline.h"

#include <gtest/gtest.h>

#include <deque>

#include "models/units/keyed_random.h"
#include "testbenches/tlm/device/flash/notebook.h"

namespace wordline::testing::pipeline_test {
namespace {

using engines::Pipeline;

TEST(Pipeline, LatencyAndInterval) {
  Pipeline p({true, 10_ns, 3_ns, 8});
  EXPECT_EQ(p.run(0_ps, 100_ns).count(), (110_ns).count());
  EXPECT_EQ(p.run(0_ps, 100_ns).count(), (113_ns).count());
  EXPECT_EQ(p.run(0_ps, 105_ns).count(), (116_ns).count()) << "a picosecond before its turn, it waits";
  EXPECT_EQ(p.run(0_ps, 109_ns).count(), (119_ns).count()) << "in its turn, it does not";
  EXPECT_EQ(p.operations(), 4U);
  EXPECT_EQ(p.busy().count(), (12_ns).count());
}

/// Busy by its interval: two operations in a row are one stretch, and a pause is one.
TEST(Pipeline, TheWaveformShowsWhenItIsBusy) {
  Notebook notebook;
  Pipeline p({true, 10_ns, 3_ns, 8});
  p.record(&notebook, "l2p");
  p.run(0_ps, 100_ns);
  p.run(0_ps, 100_ns);
  p.run(0_ps, 120_ns);
  EXPECT_EQ(
      notebook.notes["ssd.engines.l2p"],
      (std::map<Picoseconds, std::string>{{100_ns, "1"}, {103_ns, "1"}, {106_ns, "0"}, {120_ns, "1"}, {123_ns, "0"}}));
  Pipeline off({false, 10_ns, 3_ns, 8});
  off.record(&notebook, "job");
  off.run(0_ps, 200_ns);
  EXPECT_EQ(notebook.notes.count("ssd.engines.job"), 0U) << "an engine that is not there has no signal";
}

TEST(Pipeline, DepthBoundsWhatIsUnderWay) {
  Pipeline p({true, 10_ns, 1_ns, 2});
  EXPECT_EQ(p.run(0_ps, 0_ps).count(), (10_ns).count());
  EXPECT_EQ(p.run(0_ps, 0_ps).count(), (11_ns).count());
  EXPECT_EQ(p.run(0_ps, 0_ps).count(), (20_ns).count()) << "begins when the first has ended";
  EXPECT_EQ(p.run(0_ps, 0_ps).count(), (21_ns).count());
}

TEST(Pipeline, MemoryHoldsAPlaceAndComesBeforeTheLatency) {
  Pipeline p({true, 10_ns, 1_ns, 1});
  EXPECT_EQ(p.begin(0_ps, 5_ns).count(), (5_ns).count());
  EXPECT_EQ(p.end(65_ns).count(), (75_ns).count());
  EXPECT_EQ(p.begin(0_ps, 6_ns).count(), (75_ns).count());
}

// A second way: a queue that is stepped through, for inputs in order of time.
TEST(Pipeline, RandomAgainstAQueue) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::uint32_t depth = 1 + static_cast<std::uint32_t>(keyed_hash(seed, 1) % 5);
    const Picoseconds latency(static_cast<std::int64_t>(keyed_hash(seed, 2) % 9000));
    const Picoseconds interval(static_cast<std::int64_t>(keyed_hash(seed, 3) % 3000));
    Pipeline p({true, latency, interval, depth});
    std::deque<Picoseconds> under_way;
    Picoseconds input{}, last{-1'000'000};
    for (std::uint64_t i = 0; i < 300; ++i) {
      input += Picoseconds(static_cast<std::int64_t>(keyed_hash(seed, 4, i) % 4000));
      Picoseconds begin = std::max(input, last + interval);
      if (under_way.size() == depth) {
        begin = std::max(begin, under_way.front());
        under_way.pop_front();
      }
      last = begin;
      under_way.push_back(begin + latency);
      ASSERT_EQ(p.run(input, input).count(), (begin + latency).count()) << "seed " << seed << " operation " << i;
    }
  }
}

}  // namespace
}  // namespace wordline::testing::pipeline_test
