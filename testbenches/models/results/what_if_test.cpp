// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/what_if.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace wordline::results::what_if_test {
namespace {

/// 48 windows of 1 ms.
RunNumbers run(double per_window, std::size_t windows = 48) {
  RunNumbers numbers;
  numbers.iops = per_window * 1000;
  numbers.width = 1e9;
  numbers.completed.assign(windows, per_window);
  return numbers;
}

TEST(WhatIfTest, NumbersAreThoseOfTheResult) {
  const RunNumbers numbers = run_numbers(R"({
    "ios": {"read": {"count": 3, "iops": 30.0, "lat_ps": {"mean": 10, "p99": 40},
                     "interval": {"mean_ps": {"value": 10, "low": 9, "high": 11},
                                  "p99_ps": {"value": 40, "low": 38, "high": 50}}},
            "write": {"count": 1, "iops": 10.0, "lat_ps": {"mean": 50, "p99": 60},
                      "interval": {"mean_ps": {"value": 50, "low": 49, "high": 51}}},
            "trim": {"count": 0, "iops": 0.0, "lat_ps": {"mean": null, "p99": null}}},
    "series": {"width_ps": 100, "completed": {"read": [2, 1], "write": [0, 1]}}})");
  EXPECT_EQ(numbers.iops, 40);
  EXPECT_EQ(numbers.mean_latency, 20);
  EXPECT_DOUBLE_EQ(numbers.mean_half.value(), (3.0 * 1 + 1.0 * 1) / (3 * 10 + 1 * 50));
  EXPECT_EQ(numbers.read_p99, 40);
  EXPECT_EQ(numbers.read_p99_half, 0.25) << "of the side that is farther away";
  EXPECT_EQ(numbers.width, 100);
  EXPECT_EQ(numbers.completed, (std::vector<double>{2, 2}));
  EXPECT_THROW(run_numbers("{}"), std::runtime_error);
}

TEST(WhatIfTest, TheGainIsOfTheSameRequests) {
  const Gain half_more = iops_gain(run(100), run(150));
  EXPECT_NEAR(half_more.mean, 0.5, 1e-9);
  ASSERT_TRUE(half_more.half);
  EXPECT_NEAR(*half_more.half, 0, 1e-9) << "every batch has the same gain";

  // Batches of 400 requests: six take as long in both runs, six take half. Ratios 1 and 2, deviation 0.5222.
  RunNumbers other = run(100, 36);
  for (std::size_t i = 0; i < 12; ++i) other.completed[24 + i] = 200;
  other.iops = 100 * 1000 * 4.0 / 3;
  const Gain uneven = iops_gain(run(100), other);
  EXPECT_NEAR(uneven.mean, 1.0 / 3, 1e-9);
  ASSERT_TRUE(uneven.half);
  EXPECT_NEAR(*uneven.half, 2.201 * 0.52223 / std::sqrt(12.0), 1e-4);

  EXPECT_FALSE(iops_gain(run(100, 23), run(100)).half) << "too short to say";
  EXPECT_EQ(iops_gain(run(0), run(100)).mean, 0);
}

TEST(WhatIfTest, LatenciesHaveTheIntervalOfTwoRuns) {
  RunNumbers base;
  base.mean_latency = 100;
  base.mean_half = 0.03;
  base.read_p99 = 1000;
  RunNumbers other;
  other.mean_latency = 50;
  other.mean_half = 0.04;
  other.read_p99 = 800;
  other.read_p99_half = 0.01;
  EXPECT_DOUBLE_EQ(latency_change(base, other).mean, -0.5);
  EXPECT_DOUBLE_EQ(latency_change(base, other).half.value(), 0.5 * 0.05);
  EXPECT_DOUBLE_EQ(read_p99_change(base, other)->mean, -0.2);
  EXPECT_FALSE(read_p99_change(base, other)->half) << "fewer than ten were beyond in one of them";
  base.read_p99_half = 0;
  EXPECT_DOUBLE_EQ(read_p99_change(base, other)->half.value(), 0.8 * 0.01);
  other.mean_half.reset();
  EXPECT_FALSE(latency_change(base, other).half);
  other.read_p99.reset();
  EXPECT_FALSE(read_p99_change(base, other)) << "no reads";
  EXPECT_FALSE(latency_change(RunNumbers(), other).half);
}

WhatIfRow row(const char* resource, double gain, double half, double latency) {
  WhatIfRow made;
  made.resource = resource;
  made.change = std::string(resource) + " x2";
  made.settings = "key=2";
  made.iops = {gain, half};
  made.latency.mean = latency;
  return made;
}

TEST(WhatIfTest, TheNextIsTheNextGainThatIsNoChance) {
  WhatIf found;
  found.rows = {row("link", 0.005, 0.001, 0), row("cores", 0.02, 0.03, 0), row("dies", 0.25, 0.01, -0.2),
                row("channels", 0.045, 0.01, 0)};
  sort_by_gain(found);
  EXPECT_EQ(found.rows.front().resource, "dies");
  EXPECT_EQ(found.next("dies"), "channels");
  EXPECT_EQ(found.next("dram"), "dies");
  found.rows.erase(found.rows.begin(), found.rows.begin() + 2);
  EXPECT_EQ(found.next("dies"), "") << "cores by chance, the link too little";
  // The host makes no more requests: only the latency says something.
  found.rows = {row("cores", 0.004, 0, -0.01), row("t_r", 0, 0, -0.4)};
  sort_by_gain(found);
  EXPECT_EQ(found.rows.front().resource, "t_r");
}

TEST(WhatIfTest, ItsTextHasAllOfIt) {
  WhatIf found;
  found.rows = {row("dies", 0.25, 0.011, -0.2), row("link", -0.0001, 0, 0)};
  found.rows.front().latency.half = 0.004;
  found.rows.front().read_p99 = Gain{-0.5, {}};
  found.rows.front().note = "of half the capacity";
  found.not_tried = {{"tR /2", "no reads"}, {"tags x2", "enough"}, {"decoders x2", "no reads"}};
  EXPECT_EQ(what_if_text(found),
            "What if, by runs with the same seed\n"
            "              IOPS  +- 95 %   latency  +- 95 %  read p99  +- 95 %\n"
            "  dies x2  +25.0 %  +-1.1     -20.0 %  +-0.4     -50.0 %  short     of half the capacity\n"
            "  link x2    0.0 %  +-0.0       0.0 %  short           -            key=2\n"
            "  not tried: tR /2, decoders x2: no reads\n"
            "  not tried: tags x2: enough\n");
}

TEST(WhatIfTest, StatisticsAreItsRows) {
  WhatIf found;
  Registry registry;
  register_what_if(registry, found);
  EXPECT_TRUE(registry.get<std::vector<std::string>>("what_if[].resource").empty());
  found.rows = {row("dies", 0.25, 0.01, -0.2)};
  found.rows.front().iops.half.reset();
  EXPECT_EQ(registry.get<std::vector<std::string>>("what_if[].resource"), std::vector<std::string>{"dies"});
  EXPECT_EQ(registry.get<std::vector<std::string>>("what_if[].change"), std::vector<std::string>{"dies x2"});
  EXPECT_EQ(registry.get<std::vector<std::string>>("what_if[].settings"), std::vector<std::string>{"key=2"});
  EXPECT_EQ(registry.get<std::vector<std::string>>("what_if[].note"), std::vector<std::string>{""});
  EXPECT_EQ(registry.get<std::vector<double>>("what_if[].iops_gain"), std::vector<double>{0.25});
  EXPECT_EQ(registry.get<std::vector<double>>("what_if[].half_width"), std::vector<double>{-1});
  EXPECT_EQ(registry.get<std::vector<double>>("what_if[].latency_change"), std::vector<double>{-0.2});
  EXPECT_EQ(registry.get<std::vector<double>>("what_if[].latency_half_width"), std::vector<double>{-1});
  EXPECT_EQ(registry.get<std::vector<double>>("what_if[].read_p99_change"), std::vector<double>{0});
  EXPECT_EQ(registry.get<std::vector<double>>("what_if[].read_p99_half_width"), std::vector<double>{-1});
  found.rows.front().latency.half = 0.02;
  found.rows.front().read_p99 = Gain{-0.5, 0.1};
  EXPECT_EQ(registry.get<std::vector<double>>("what_if[].latency_half_width"), std::vector<double>{0.02});
  EXPECT_EQ(registry.get<std::vector<double>>("what_if[].read_p99_change"), std::vector<double>{-0.5});
  EXPECT_EQ(registry.get<std::vector<double>>("what_if[].read_p99_half_width"), std::vector<double>{0.1});
}

}  // namespace
}  // namespace wordline::results::what_if_test
