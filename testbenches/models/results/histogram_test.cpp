// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/units/keyed_random.h"

namespace wordline::results::histogram_test {
namespace {

using namespace wordline::literals;

TEST(HistogramTest, BucketsAreFios) {
  // Values of fio's own plat_val_to_idx and plat_idx_to_val (stat.c, 6 bits).
  EXPECT_EQ(Histogram::bucket_of_ns(0), 0U);
  EXPECT_EQ(Histogram::bucket_of_ns(127), 127U);
  EXPECT_EQ(Histogram::bucket_of_ns(128), 128U);
  EXPECT_EQ(Histogram::bucket_of_ns(129), 128U);
  EXPECT_EQ(Histogram::bucket_of_ns(130), 129U);
  EXPECT_EQ(Histogram::bucket_of_ns(255), 191U);
  EXPECT_EQ(Histogram::bucket_of_ns(256), 192U);
  EXPECT_EQ(Histogram::bucket_value_ns(127), 127U);
  EXPECT_EQ(Histogram::bucket_value_ns(128), 129U);
  EXPECT_EQ(Histogram::bucket_value_ns(192), 258U);
  std::uint32_t last = 0;
  for (std::uint64_t ns = 1; ns < (std::uint64_t{1} << 53); ns += 1 + ns / 50) {
    const std::uint32_t bucket = Histogram::bucket_of_ns(ns);
    ASSERT_LT(bucket, Histogram::kBuckets);
    ASSERT_GE(bucket, last);
    last = bucket;
    ASSERT_EQ(Histogram::bucket_of_ns(Histogram::bucket_value_ns(bucket)), bucket);
  }
}

TEST(HistogramTest, PercentilesAreWithinTheStatedBound) {
  for (std::uint64_t run = 0; run < 20; ++run) {
    Histogram h;
    std::vector<std::int64_t> values;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      // From 64 ns to 100 ms, evenly by order of magnitude.
      const double u = unit_interval(keyed_hash(1, run, i));
      values.push_back(static_cast<std::int64_t>(64e3 * std::pow(1.5e6, u)));
      h.add(Picoseconds(values.back()));
    }
    std::sort(values.begin(), values.end());
    for (const double percent : {0.01, 1.0, 25.0, 50.0, 80.0, 90.0, 95.0, 99.0, 99.9, 99.99, 100.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(percent * 1e4 * 5000 / 1e6));
      const auto exact = static_cast<double>(values[std::max<std::size_t>(rank, 1) - 1]);
      EXPECT_NEAR(static_cast<double>(h.percentile(percent).count()), exact, exact / 128 + 1) << percent;
    }
    EXPECT_EQ(h.min(), Picoseconds(values.front()));
    EXPECT_EQ(h.max(), Picoseconds(values.back()));
    EXPECT_EQ(h.percentile(0), h.min());
    EXPECT_EQ(h.percentile(100), h.max());
  }
}

TEST(HistogramTest, APercentileIsExactWhereItsBucketHoldsOneValue) {
  Histogram h;
  for (int i = 0; i < 1000; ++i) h.add(38'319'000_ps);  // its bucket: 37.888 to 38.399 us
  h.add(20_us);
  h.add(90_us);
  for (const double percent : {1.0, 50.0, 99.0, 99.8}) EXPECT_EQ(h.percentile(percent), 38'319'000_ps) << percent;
  Histogram other;
  other.add(38'319'000_ps);
  h.merge(other);
  EXPECT_EQ(h.percentile(50), 38'319'000_ps);
}

TEST(HistogramTest, APercentileIsBetweenTheLatenciesOfItsBucket) {
  // 1,000 of them in one bucket, at its upper end: its middle would be below all.
  Histogram h;
  for (int i = 0; i < 1000; ++i) h.add(Picoseconds(38'300'000 + 10 * i));
  h.add(20_us);
  h.add(90_us);
  EXPECT_EQ(h.percentile(0.15), 38'300'000_ps) << "the first of the bucket";
  EXPECT_EQ(h.percentile(50), 38'304'995_ps);
  EXPECT_EQ(h.percentile(99.9), 38'309'990_ps) << "the last";
}

TEST(HistogramTest, MeanAndDeviationAreExact) {
  Histogram h;
  for (const Picoseconds t : {10_us, 10_us + 1_ps, 10_us + 2_ps, 10_us + 3_ps}) h.add(t);
  EXPECT_EQ(h.mean(), 10_us + 2_ps);  // 1.5 rounds up
  EXPECT_EQ(h.stddev(), 1_ps);        // 1.29
  EXPECT_EQ(h.sum(), static_cast<unsigned __int128>(40'000'006));
  // Far from zero and close together: no cancellation.
  Histogram far;
  for (std::int64_t i = 0; i < 1000; ++i) far.add(Picoseconds(600'000'000'000'000 + i % 2 * 2000));
  EXPECT_NEAR(static_cast<double>(far.stddev().count()), 1000.5, 0.6);
}

// The sample's, which of few values is not the population's.
TEST(HistogramTest, DeviationOfFewValuesIsThatOfASample) {
  Histogram h;
  h.add(Picoseconds(1'000'000));
  h.add(Picoseconds(3'000'000));
  EXPECT_EQ(h.stddev(), Picoseconds(1'414'214));  // 2 us / sqrt(2)
}

TEST(HistogramTest, MergingKeepsBothEnds) {
  Histogram low, high;
  low.add(Picoseconds(3'000'000));
  high.add(Picoseconds(10'000'000));
  Histogram low_first = low, high_first = high;
  low_first.merge(high);
  high_first.merge(low);
  for (const Histogram* h : {&low_first, &high_first}) {
    EXPECT_EQ(h->min(), Picoseconds(3'000'000));
    EXPECT_EQ(h->max(), Picoseconds(10'000'000));
  }
}

TEST(HistogramTest, OneAndNone) {
  Histogram h;
  EXPECT_EQ(h.min(), 0_ps);
  EXPECT_EQ(h.max(), 0_ps);
  EXPECT_EQ(h.mean(), 0_ps);
  EXPECT_EQ(h.stddev(), 0_ps);
  EXPECT_EQ(h.percentile(50), 0_ps);
  h.add(77_us + 123_ps);
  for (const double percent : {0.0, 50.0, 99.99, 100.0}) EXPECT_EQ(h.percentile(percent), 77_us + 123_ps);
}

TEST(HistogramTest, MergeIsAsIfAddedTogether) {
  Histogram a;
  Histogram b;
  Histogram both;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Picoseconds t(static_cast<std::int64_t>(keyed_hash(2, i) % 1'000'000'000));
    (i % 3 == 0 ? a : b).add(t);
    both.add(t);
  }
  a.merge(b);
  EXPECT_EQ(a.count(), both.count());
  EXPECT_EQ(a.sum(), both.sum());
  EXPECT_EQ(a.min(), both.min());
  EXPECT_EQ(a.max(), both.max());
  EXPECT_EQ(a.stddev(), both.stddev());
  for (const double percent : {1.0, 50.0, 99.0}) EXPECT_EQ(a.percentile(percent), both.percentile(percent));
}

TEST(HistogramTest, SumsBeyond64BitsSaturate) {
  EXPECT_EQ(saturated(UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(saturated(static_cast<unsigned __int128>(UINT64_MAX) + 1), UINT64_MAX);
  EXPECT_EQ(saturated(5), 5U);
  EXPECT_EQ(rounded_mean(7, 2), 4);
  EXPECT_EQ(rounded_mean(7, 0), 0);
}

}  // namespace
}  // namespace wordline::results::histogram_test
