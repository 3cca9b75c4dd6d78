// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/workload/profile/profile.h"

namespace wordline::workload::profile_source_test {
namespace {

constexpr const char* kText = R"(
[profile]
name = "test"

[generator]
requests = 20_000
write_share = 0.7
misaligned = 0.25

[generator.pages]
read_only = 8000
write_only = 3000
both = 1000

[generator.reads]
mean = "16KiB"
modes = [["4KiB", 0.5]]
own = 0.8

[generator.writes]
modes = [["4KiB", 0.6], ["16KiB", 0.4]]
own = 0.9
hottest = 0.05
head = 0.3
theta = 0.6

[generator.arrival]
interarrival = "1ms"
)";

/// kText with other lines in place of the first that begin as they do, or at the end of [generator].
Profile profile(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  std::string text = kText;
  for (const auto& [from, to] : changes) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  return parse_profile("t.toml", text);
}

LoadOptions options(std::uint64_t seed = 1) {
  LoadOptions o;
  o.drive_lbas = 1 << 20;
  o.seed = seed;
  return o;
}

std::vector<Request> all(const Profile& p, const LoadOptions& o = options()) {
  const auto source = make_profile_source("t.toml", p, o);
  std::vector<Request> requests;
  Request r;
  while (source->next(0, Picoseconds(0), r)) requests.push_back(r);
  return requests;
}

std::string error(const Profile& p, const LoadOptions& o = options()) {
  try {
    (void)make_profile_source("t.toml", p, o);
  } catch (const WorkloadError& e) {
    return e.what();
  }
  return "";
}

/// Accesses by page of 4 KiB.
std::map<std::uint64_t, unsigned> page_counts(const std::vector<Request>& requests, Op op) {
  std::map<std::uint64_t, unsigned> counts;
  for (const Request& r : requests) {
    if (r.op != op) continue;
    for (std::uint64_t page = r.lba.value() / 8; page * 8 < r.lba.value() + r.nlb; ++page) ++counts[page];
  }
  return counts;
}

double total(const std::map<std::uint64_t, unsigned>& counts) {
  double sum = 0;
  for (const auto& [page, n] : counts) sum += n;
  return sum;
}

TEST(ProfileSourceTest, SharesAndSizesAreMetBySmallCounts) {
  const auto requests = all(profile());
  ASSERT_EQ(requests.size(), 20'000U);
  double writes = 0, small_writes = 0, read_bytes = 0, misaligned = 0;
  for (const Request& r : requests) {
    writes += r.op == Op::kWrite ? 1 : 0;
    small_writes += r.op == Op::kWrite && r.nlb == 8 ? 1 : 0;
    read_bytes += r.op == Op::kRead ? r.nlb * 512.0 : 0;
    misaligned += r.lba.value() % 8 != 0 ? 1 : 0;
    EXPECT_TRUE(r.lba.value() % 8 == 0 || r.lba.value() % 8 == 7);
  }
  EXPECT_NEAR(writes / 20'000, 0.7, 0.001);
  EXPECT_NEAR(small_writes / writes, 0.6, 0.006);
  EXPECT_NEAR(read_bytes / (20'000 - writes) / 16384, 1.0, 0.02);
  EXPECT_NEAR(misaligned / 20'000, 0.25, 0.003);
}

TEST(ProfileSourceTest, EveryPageOfEachKindIsUsed) {
  const auto requests = all(profile());
  const auto reads = page_counts(requests, Op::kRead);
  const auto writes = page_counts(requests, Op::kWrite);
  // The regions lie one after the other: read only, write only, both; each ends with its extent.
  const auto in = [](const auto& counts, std::uint64_t from, std::uint64_t to) {
    return std::distance(counts.lower_bound(from), counts.lower_bound(to));
  };
  EXPECT_EQ(in(reads, 0, 8000), 8000);
  EXPECT_EQ(in(writes, 0, 8000), 0);
  EXPECT_EQ(in(writes, 8000, 11'008), 3000);
  EXPECT_EQ(in(reads, 8000, 11'008), 0);
  EXPECT_EQ(in(writes, 11'008, 12'008), 1000);
  EXPECT_EQ(in(reads, 11'008, 12'008), 1000);
  EXPECT_EQ(reads.rbegin()->first, 12'007U);
}

TEST(ProfileSourceTest, AThirdOfAnEditionUsesAThirdOfThePages) {
  auto o = options();
  o.requests = 7000;
  const auto writes = page_counts(all(profile({{"head = 0.3", ""}, {"theta = 0.6", "theta = 3.5"}}), o), Op::kWrite);
  // 7,000 of the 20,000 requests: sequential sweeps reach that share of their pages. Random draws add little, because
  // with this exponent nearly all of them hit a few extents.
  EXPECT_NEAR(static_cast<double>(writes.size()), 4000 * 0.35, 300);
}

TEST(ProfileSourceTest, ScaledItIsTheSameWorkload) {
  auto o = options();
  o.footprint = 0.5;
  const auto requests = all(profile(), o);
  EXPECT_EQ(requests.size(), 10'000U);
  EXPECT_EQ(page_counts(requests, Op::kWrite).size(), 2000U);
  o.requests = 3;
  EXPECT_EQ(all(profile(), o).size(), 3U);
}

TEST(ProfileSourceTest, HottestAndHead) {
  const auto counts = page_counts(all(profile()), Op::kWrite);
  std::vector<unsigned> sorted;
  for (const auto& [page, n] : counts) sorted.push_back(n);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double top = 0;
  for (std::size_t i = 0; i < sorted.size() / 100; ++i) top += sorted[i];
  EXPECT_GT(top / total(counts), 0.3);
  const auto flat = page_counts(all(profile({{"hottest = 0.05\nhead = 0.3\ntheta = 0.6", ""}})), Op::kWrite);
  const auto most = [](const auto& of) {
    return std::max_element(of.begin(), of.end(), [](auto& a, auto& b) { return a.second < b.second; })->second;
  };
  EXPECT_LT(most(flat), 60U);
  // The hottest place gets its share of the draws for the pages of one kind, and what a page gets anyway.
  const auto one = page_counts(all(profile({{"head = 0.3\ntheta = 0.6", "sweeps = 0"}})), Op::kWrite);
  EXPECT_NEAR(most(one), 20'000 * 0.7 * 0.9 * 0.05 + 20, 40);
}

TEST(ProfileSourceTest, NoSweepLeavesWhatTheDrawsLeave) {
  // Uniform draws of one page: of P pages n draws reach P (1 - (1 - 1/P)^n).
  const auto p = profile({{"write_share = 0.7", "write_share = 1"},
                          {"misaligned = 0.25", ""},
                          {"[[\"4KiB\", 0.6], [\"16KiB\", 0.4]]", "[[\"4KiB\", 1.0]]"},
                          {"own = 0.9", "own = 1\nsweeps = 0"},
                          {"write_only = 3000", "write_only = 16000"},
                          {"hottest = 0.05\nhead = 0.3\ntheta = 0.6", ""}});
  const double expected = 16'000 * (1 - std::pow(1 - 1 / 16'000.0, 20'000));
  EXPECT_NEAR(static_cast<double>(page_counts(all(p), Op::kWrite).size()), expected, 150);
}

TEST(ProfileSourceTest, OnlySweepsGoToPagesThatAreNotWarm) {
  const auto p = profile({{"write_share = 0.7", "write_share = 1"},
                          {"misaligned = 0.25", ""},
                          {"own = 0.9", "own = 1\nwarm = 0.25"},
                          {"hottest = 0.05\nhead = 0.3\ntheta = 0.6", ""}});
  const auto counts = page_counts(all(p), Op::kWrite);
  EXPECT_EQ(counts.size(), 3000U);
  const auto rewritten = std::count_if(counts.begin(), counts.end(), [](const auto& page) { return page.second > 1; });
  EXPECT_NEAR(static_cast<double>(rewritten) / 3000, 0.25, 0.02);
}

TEST(ProfileSourceTest, SweepsAreSequentialByStretches) {
  const auto p = profile({{"write_share = 0.7", "write_share = 1"},
                          {"misaligned = 0.25", ""},
                          {"[[\"4KiB\", 0.6], [\"16KiB\", 0.4]]", "[[\"16KiB\", 1.0]]"},
                          {"own = 0.9", "own = 1\nsweeps = 100\nstretch = 64"},
                          {"write_only = 3000", "write_only = 6400"}});
  const auto requests = all(p);
  std::size_t sequential = 0;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    sequential += requests[i].lba.value() == requests[i - 1].lba.value() + requests[i - 1].nlb ? 1 : 0;
  }
  // 15 of the 16 requests of a stretch follow the one before; a hundred stretches a sweep.
  EXPECT_NEAR(static_cast<double>(sequential) / 20'000, 15.0 / 16, 0.002);
}

TEST(ProfileSourceTest, ShortRequestsMayLeaveTheSweepToLongOnes) {
  const auto p = profile({{"write_share = 0.7", "write_share = 1"},
                          {"misaligned = 0.25", ""},
                          {"own = 0.9", "own = 1\ndrawn_below = \"16KiB\""},
                          {"theta = 0.6", "warm = 0.01"}});
  const auto requests = all(p);
  EXPECT_EQ(page_counts(requests, Op::kWrite).size(), 3000U);
  std::set<std::uint64_t> short_ones;
  for (const Request& r : requests) {
    if (r.nlb == 8) short_ones.insert(r.lba.value());
  }
  // 1 % of 188 extents, twice 16 places.
  EXPECT_EQ(short_ones.size(), 32U);
}

TEST(ProfileSourceTest, MisalignedSweepsGoOnWhereTheyEnded) {
  const auto p = profile({{"write_share = 0.7", "write_share = 1"},
                          {"misaligned = 0.25", "misaligned = 1"},
                          {"own = 0.9", "own = 1\nsweeps = 100\nstretch = 1000"}});
  const auto requests = all(p);
  std::size_t sequential = 0;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    sequential += requests[i].lba.value() == requests[i - 1].lba.value() + requests[i - 1].nlb ? 1 : 0;
  }
  EXPECT_GT(sequential, 19'800U);
}

TEST(ProfileSourceTest, RunsOfGeometricLength) {
  const auto p = profile({{"write_share = 0.7", "write_share = 1"},
                          {"misaligned = 0.25", ""},
                          {"own = 0.9", "own = 1\nsweeps = 0\nrun = 5"},
                          {"hottest = 0.05\nhead = 0.3\ntheta = 0.6", ""}});
  const auto requests = all(p);
  double runs = 1;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    runs += requests[i].lba.value() != requests[i - 1].lba.value() + requests[i - 1].nlb ? 1 : 0;
  }
  EXPECT_NEAR(20'000 / runs, 5.0, 0.3);
}

TEST(ProfileSourceTest, DensityLeavesTheRestOfAnExtentAlone) {
  const auto p = profile({{"both = 1000", "both = 1000\nused = 4"}});
  for (const Op op : {Op::kRead, Op::kWrite}) {
    const auto requests = all(p);
    for (const Request& r : requests) {
      if (r.op != op || r.lba.value() % 8 + r.nlb > 32) continue;  // longer than what is in use
      const std::uint64_t first = r.lba.value() / 8 % 16, last = (r.lba.value() + r.nlb - 1) / 8 % 16;
      ASSERT_LE(first, last);
      ASSERT_LT(last, 4U);
    }
  }
}

TEST(ProfileSourceTest, CorrelatedReadsFollowTheRanksOfTheWrites) {
  const auto hot_overlap = [](const std::string& correlation) {
    const auto p = profile({{"own = 0.8", "own = 0\ntheta = 1.2\nsweeps = 0"},
                            {"own = 0.9", "own = 0\nsweeps = 0"},
                            {"theta = 0.6", "theta = 1.2"},
                            {"head = 0.3", ""},
                            {"both = 1000", "both = 6400\ncorrelation = " + correlation}});
    const auto requests = all(p);
    std::map<std::uint64_t, std::array<double, 2>> extents;
    for (const Request& r : requests) ++extents[r.lba.value() / 128][static_cast<std::size_t>(r.op)];
    double xy = 0, xx = 0, yy = 0;
    for (const auto& [extent, n] : extents) {
      xy += n[0] * n[1];
      xx += n[0] * n[0];
      yy += n[1] * n[1];
    }
    return xy / std::sqrt(xx * yy);
  };
  EXPECT_GT(hot_overlap("1"), 0.95);
  EXPECT_LT(hot_overlap("0"), 0.4);
  const double half = hot_overlap("0.5");
  EXPECT_GT(half, 0.5);
  EXPECT_LT(half, 0.9);
}

TEST(ProfileSourceTest, PoissonArrivalsAndBursts) {
  const auto gaps = [](const std::vector<Request>& requests) {
    std::vector<double> result;
    for (std::size_t i = 1; i < requests.size(); ++i) {
      result.push_back(static_cast<double>((requests[i].arrival - requests[i - 1].arrival).count()) * 1e-9);
    }
    return result;
  };
  const auto mean_and_cv = [](const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (const double v : values) sum += v, squares += v * v;
    const double mean = sum / static_cast<double>(values.size());
    return std::pair(mean, std::sqrt(squares / static_cast<double>(values.size()) - mean * mean) / mean);
  };
  const auto [mean, cv] = mean_and_cv(gaps(all(profile())));
  EXPECT_NEAR(mean, 1.0, 0.03);
  EXPECT_NEAR(cv, 1.0, 0.05);
  const auto [burst_mean, burst_cv] = mean_and_cv(
      gaps(all(profile({{"interarrival = \"1ms\"", "interarrival = \"1ms\"\nburst = 20\nburst_gap = \"10us\""}}))));
  EXPECT_NEAR(burst_mean, 1.0, 0.1);
  EXPECT_GT(burst_cv, 4.0);
  auto o = options();
  o.speedup = 10;
  EXPECT_NEAR(mean_and_cv(gaps(all(profile(), o))).first, 0.1, 0.003);
}

TEST(ProfileSourceTest, ClosedLoopPausesAndFlushes) {
  const auto p = profile({{"interarrival = \"1ms\"", "queue_depth = 4\nburst = 10\nthink = \"2ms\"\nflush_every = 3"},
                          {"requests = 20_000", "requests = 30"},
                          {"write_share = 0.7", "write_share = 1"},
                          {"own = 0.9", "own = 1"}});
  const auto source = make_profile_source("t.toml", p, options());
  EXPECT_FALSE(source->open_loop());
  EXPECT_EQ(source->depth(0), 4U);
  Picoseconds now(0);
  std::vector<Request> requests;
  Request r;
  while (source->next(0, now, r)) {
    requests.push_back(r);
    now = std::max(now, r.arrival);
  }
  ASSERT_EQ(requests.size(), 30U + 10U - 1U + (requests.back().op == Op::kFlush ? 1U : 0U));
  EXPECT_EQ(requests[3].op, Op::kFlush);
  EXPECT_EQ(requests[3].nlb, 0U);
  EXPECT_EQ(requests[12].arrival, Picoseconds(0));              // the tenth write
  EXPECT_EQ(requests[13].arrival, Picoseconds(2'000'000'000));  // the eleventh
  EXPECT_EQ(requests.back().arrival, Picoseconds(4'000'000'000));
}

TEST(ProfileSourceTest, AQueueDepthReplacesArrivals) {
  auto o = options();
  o.trace.queue_depth = 8;
  const auto source = make_profile_source("t.toml", profile(), o);
  EXPECT_FALSE(source->open_loop());
  EXPECT_EQ(source->depth(0), 8U);
  Request r;
  EXPECT_TRUE(source->next(0, Picoseconds(77), r));
  EXPECT_EQ(r.arrival, Picoseconds(77));
  o.speedup = 2;
  EXPECT_NE(error(profile(), o).find("--speedup"), std::string::npos);
}

TEST(ProfileSourceTest, TheSeedDecidesAllOfIt) {
  const auto key = [](const Request& r) { return std::tuple(r.op, r.lba.value(), r.nlb, r.arrival.count()); };
  const auto a = all(profile()), b = all(profile()), c = all(profile(), options(2));
  std::size_t same = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(key(a[i]), key(b[i]));
    same += key(a[i]) == key(c[i]) ? 1 : 0;
  }
  EXPECT_LT(same, 100U);
}

TEST(ProfileSourceTest, WhatDoesNotFitIsAnError) {
  auto o = options();
  o.drive_lbas = 50'000;
  EXPECT_NE(error(profile(), o).find("--footprint 0.5"), std::string::npos) << error(profile(), o);
  o = options();
  o.footprint = 0.001;
  EXPECT_NE(error(profile(), o).find("generator.pages.both"), std::string::npos) << error(profile(), o);
  EXPECT_NE(error(profile({{"mean = \"16KiB\"", "mean = \"3KiB\""}})).find("generator.reads.mean"), std::string::npos);
  EXPECT_NE(error(profile({{"mean = \"16KiB\"", ""}})).find("generator.reads.mean: missing"), std::string::npos);
}

}  // namespace
}  // namespace wordline::workload::profile_source_test
