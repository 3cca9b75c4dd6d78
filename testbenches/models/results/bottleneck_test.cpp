// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/bottleneck.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace wordline::results {
namespace {

using namespace wordline::literals;

GroupShares server(const char* key, const char* member, std::vector<double> shares) {
  return {key, member, ResourceKind::kServer, std::move(shares)};
}
GroupShares pool(const char* key, const char* member, double share) {
  return {key, member, ResourceKind::kPool, {share}};
}

/// A drive that is idle but for what is said; 32 requests in flight.
Evidence evidence(std::vector<GroupShares> shares) {
  Evidence evidence;
  evidence.shares = std::move(shares);
  evidence.queue_depth = 32;
  return evidence;
}

TEST(BottleneckTest, WithoutAMeasurementThereIsNoVerdict) {
  Evidence e = evidence({server("dies", "die", {0})});
  e.measured = false;
  EXPECT_EQ(find_bottleneck(e).resource, "none");
  EXPECT_EQ(find_bottleneck(e).sentence, "Nothing was measured.");
}

TEST(BottleneckTest, AFullServerLimits) {
  const Bottleneck link = find_bottleneck(evidence({server("link", "link", {0.95}), server("cores", "core", {0.3})}));
  EXPECT_EQ(link.resource, "link");
  EXPECT_EQ(link.next, "cores");
  EXPECT_EQ(link.utilisation, 0.95);
  EXPECT_EQ(link.sentence, "Limit: the link is busy 95 % of the time; next: the core 30 %.");
}

TEST(BottleneckTest, NearlyFullLimitsUnlessRequestsWaitForAnother) {
  Evidence e = evidence({server("cores", "core", {0.85}), server("dies", "die", {0.6, 0.6})});
  EXPECT_EQ(find_bottleneck(e).resource, "cores") << "nothing is known of waiting";
  e.stages = {{"", 60}, {"cores", 30}, {"dies", 10}};
  EXPECT_EQ(find_bottleneck(e).resource, "cores");
  e.stages = {{"", 60}, {"cores", 10}, {"dies", 30}};
  const Bottleneck dies = find_bottleneck(e);
  EXPECT_EQ(dies.resource, "dies");
  EXPECT_EQ(dies.utilisation, 0.6);
  EXPECT_EQ(dies.next, "cores");
  EXPECT_NEAR(dies.waiting, 0.4, 1e-9);
  EXPECT_EQ(dies.sentence,
            "Limit: dies are busy 60 % of the time; 40 % of the latency is waiting, most of it for dies; next: the "
            "core 85 %.");
  e.shares[0].shares = {0.96};
  EXPECT_EQ(find_bottleneck(e).resource, "cores") << "full is full";
  // Nobody waits for the link by name: its waits are in the stage of the transfer.
  e = evidence({server("link", "link", {0.86}), server("dies", "die", {0.6})});
  e.stages = {{"", 60}, {"dies", 40}};
  EXPECT_EQ(find_bottleneck(e).resource, "link");
  e.shares[0].shares = {0.8499};
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
}

TEST(BottleneckTest, OneHotMemberIsEnoughAndIsNamed) {
  const Bottleneck hot = find_bottleneck(evidence({server("dies", "die", {0.1, 0.99, 0.1, 0.1})}));
  EXPECT_EQ(hot.resource, "dies");
  EXPECT_NE(hot.sentence.find("die 1 is busy 99 % of the time (mean of all dies 32 %)"), std::string::npos)
      << hot.sentence;
}

TEST(BottleneckTest, QueueDepthOnlyWhenRequestsHardlyWait) {
  Evidence e = evidence({server("dies", "die", {0.5, 0.5}), server("cores", "core", {0.2})});
  e.stages = {{"", 90}, {"dies", 10}};
  const Bottleneck depth = find_bottleneck(e);
  EXPECT_EQ(depth.resource, "queue_depth");
  EXPECT_EQ(depth.next, "dies");
  EXPECT_EQ(depth.utilisation, 0.5);
  EXPECT_EQ(depth.sentence,
            "No resource is saturated: the queue depth (32) limits; 10 % of the latency is waiting; next: dies 50 %.");
  e.tags = 16;
  EXPECT_EQ(find_bottleneck(e).resource, "tags");
  e.tags = 32;
  EXPECT_EQ(find_bottleneck(e).resource, "queue_depth");
  e.queue_depth = 0;
  EXPECT_EQ(find_bottleneck(e).resource, "arrival_rate");
  e.stages = {{"", 60}, {"dies", 40}};
  EXPECT_EQ(find_bottleneck(e).resource, "arrival_rate") << "requests that come in bursts wait on an idle drive, too";
  e.queue_depth = 32;
  e.stages = {{"", 60}, {"same_sector", 40}};
  const Bottleneck order = find_bottleneck(e);
  EXPECT_EQ(order.resource, "same_sector");
  EXPECT_EQ(order.sentence,
            "No resource is saturated: requests wait for others that write the same sector; 40 % of the latency is "
            "waiting; next: dies 50 %.");
}

TEST(BottleneckTest, APoolLimitsWhereNoServerIsFull) {
  Evidence e = evidence({server("dies", "die", {0.7}), pool("write_buffer", "write buffer", 0.9)});
  const Bottleneck buffer = find_bottleneck(e);
  EXPECT_EQ(buffer.resource, "write_buffer");
  EXPECT_EQ(buffer.sentence, "Limit: requests wait for the write buffer 90 % of the time; next: the die 70 %.");
  e.shares[0].shares = {0.96};
  EXPECT_EQ(find_bottleneck(e).resource, "dies") << "they are why the buffer is full";
  e.shares[0].shares = {0.86};
  e.stages = {{"", 60}, {"dies", 10}, {"write_buffer", 30}};
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
  e.stages.clear();
  e.shares = {server("dies", "die", {0.7}), pool("write_buffer", "write buffer", 0.49)};
  EXPECT_EQ(find_bottleneck(e).resource, "queue_depth");
}

TEST(BottleneckTest, APoolThatSeveralWaitForHasNoNumbers) {
  const GroupShares space{"free_space", "free space", ResourceKind::kPool, {0.1, 0.4}};
  Evidence e = evidence({server("dies", "die", {0.5}), space});
  e.stages = {{"", 60}, {"free_space", 40}};
  const Bottleneck found = find_bottleneck(e);
  EXPECT_EQ(found.resource, "free_space");
  EXPECT_EQ(found.sentence,
            "Limit: requests wait for free space 40 % of the time; 40 % of the latency is waiting, most of it for "
            "free_space; next: the die 50 %.");
}

TEST(BottleneckTest, GcIsNamedWhereItTakesTheDiesOrTheSpace) {
  Evidence e = evidence({server("dies", "die", {0.97, 0.97}), server("cores", "core", {0.4})});
  e.collected = 0.5;
  const Bottleneck gc = find_bottleneck(e);
  EXPECT_EQ(gc.resource, "gc");
  EXPECT_EQ(gc.next, "cores");
  EXPECT_EQ(gc.sentence,
            "Limit: GC: 50 % of what is programmed are its copies, and dies are busy 97 %; next: the core 40 %.");
  e.collected = 0.49;
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
  // GC is slow although dies are free.
  e.shares = {server("dies", "die", {0.5}), pool("write_buffer", "write buffer", 0.9),
              pool("free_space", "free space", 0.8), pool("gc_buffer", "GC buffer", 0.2)};
  EXPECT_EQ(find_bottleneck(e).resource, "gc");
  e.shares[3].shares = {0.6};
  EXPECT_EQ(find_bottleneck(e).resource, "gc_buffer");
}

TEST(BottleneckTest, RetriesAreNamedWhereTheyHoldTheDies) {
  Evidence e = evidence({server("dies", "die", {0.96}), server("retry", "read-retry controller", {0.75})});
  EXPECT_EQ(find_bottleneck(e).resource, "retry");
  e.shares[1].shares = {0.7};
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
  // The same where requests wait for dies that are not full.
  e.shares = {server("dies", "die", {0.6}), server("retry", "read-retry controller", {0.5})};
  e.stages = {{"", 60}, {"dies", 40}};
  EXPECT_EQ(find_bottleneck(e).resource, "retry");
  e.shares[1].shares = {0.4};
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
}

TEST(BottleneckTest, TheLinkIsItsBusierDirection) {
  const Bottleneck link =
      find_bottleneck(evidence({server("link", "link", {0.97, 0.1}), server("dies", "die", {0.5})}));
  EXPECT_EQ(link.sentence, "Limit: the link is busy 97 % of the time; next: the die 50 %.");
}

TEST(BottleneckTest, WhatLimitsInMostPartsOfTheMeasurementIsTheVerdict) {
  Evidence e = evidence({server("dies", "die", {0.8}), server("link", "link", {0.5})});
  const std::vector<GroupShares> link = {server("dies", "die", {0.2}), server("link", "link", {0.99})};
  const std::vector<GroupShares> dies = {server("dies", "die", {0.99}), server("link", "link", {0.2})};
  e.shares_by_part = {link, dies, dies, dies};
  const Bottleneck found = find_bottleneck(e);
  EXPECT_EQ(found.resource, "dies");
  EXPECT_EQ(found.part, 0.75);
  EXPECT_NE(found.sentence.find("in 75 % of the measurement"), std::string::npos) << found.sentence;
}

TEST(BottleneckTest, StatisticsAreTheVerdict) {
  Registry registry;
  Evidence e = evidence({server("link", "link", {0.95}), server("cores", "core", {0.3})});
  e.stages = {{"", 80}, {"cores", 20}};
  register_bottleneck(registry, [&e] { return e; });
  EXPECT_EQ(registry.get<std::string>("bottleneck.resource"), "link");
  EXPECT_EQ(registry.get<double>("bottleneck.utilisation"), 0.95);
  EXPECT_EQ(registry.get<double>("bottleneck.part"), 1.0);
  EXPECT_EQ(registry.get<double>("bottleneck.waiting"), 0.2);
  EXPECT_EQ(registry.get<std::string>("bottleneck.next"), "cores");
  EXPECT_EQ(registry.get<std::string>("bottleneck.sentence"), find_bottleneck(e).sentence);
}

/// A resource that a test makes busy.
struct Clock {
  Picoseconds busy{};
};

TEST(ResourcesTest, SharesAreOfTheMeasurementAndItsParts) {
  Clock a, b;
  Resources resources;
  const ResourceGroup group{"dies", "die", ResourceKind::kServer, true, "Dies."};
  resources.add(group, [&a] { return a.busy; });
  resources.add(group, [&b] { return b.busy; });
  resources.add({"link", "link", ResourceKind::kServer, false, "Link."}, [&b] { return b.busy; });
  EXPECT_EQ(resources.shares()[0].shares, (std::vector<double>{0, 0})) << "nothing measured";
  a.busy = 500_us;  // boot
  resources.begin(1_ms);
  EXPECT_EQ(resources.next_border(), 1_ms + 50_us);
  for (int i = 0; i < 20; ++i) {  // 1 ms: a works in the first half, b always for a tenth
    if (i < 10) a.busy += 50_us;
    b.busy += 5_us;
    resources.window_ends(resources.next_border());
  }
  resources.end(2_ms);
  a.busy += 1_ms;  // verification
  EXPECT_EQ(resources.shares()[0].shares, (std::vector<double>{0.5, 0.1}));
  EXPECT_EQ(resources.shares_of("link").greatest(), 0.1);
  EXPECT_TRUE(resources.shares_of("dram").shares.empty());
  const auto parts = resources.shares_by_part(4);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0][0].shares, (std::vector<double>{1, 0.1}));
  EXPECT_EQ(parts[3][0].shares, (std::vector<double>{0, 0.1}));
  Registry registry;
  resources.register_statistics(registry);
  EXPECT_EQ(registry.get<std::vector<double>>("utilisation.dies"), (std::vector<double>{0.5, 0.1}));
  EXPECT_EQ(registry.get<double>("utilisation.link"), 0.1);
}

TEST(ResourcesTest, WindowsGrowWithTheRun) {
  Clock clock;
  Resources resources;
  resources.add({"link", "link", ResourceKind::kServer, false, "Link."}, [&clock] { return clock.busy; });
  resources.begin(0_ps);
  unsigned windows = 0;
  while (resources.next_border() < 100_ms) {
    clock.busy = resources.next_border() / 2;
    resources.window_ends(resources.next_border());
    ++windows;
  }
  clock.busy = 50_ms;
  resources.end(100_ms);
  EXPECT_LT(windows, 400U) << "not 2,000 of 50 us";
  for (const auto& part : resources.shares_by_part(8)) EXPECT_NEAR(part[0].greatest(), 0.5, 1e-9);
  EXPECT_EQ(resources.shares_by_part(8).size(), 8U);
}

TEST(ResourcesTest, WindowsBehindTheEndAreNotPartsOfTheMeasurement) {
  Clock clock;
  Resources resources;
  resources.add({"link", "link", ResourceKind::kServer, false, "Link."}, [&clock] { return clock.busy; });
  resources.begin(0_ps);
  for (int i = 0; i < 10; ++i) {  // 500 us, busy until the last request completes at 220 us
    clock.busy = std::min(220_us, resources.next_border());
    resources.window_ends(resources.next_border());
  }
  resources.end(220_us);
  const auto parts = resources.shares_by_part(8);
  EXPECT_EQ(parts.size(), 4U);
  for (const auto& part : parts) EXPECT_EQ(part[0].greatest(), 1.0);
}

TEST(ResourcesTest, AShareNeverExceedsOne) {
  Clock clock;
  Resources resources;
  resources.add({"link", "link", ResourceKind::kServer, false, "Link."}, [&clock] { return clock.busy; });
  resources.begin(0_ps);
  clock.busy = 3_ms;  // reserved ahead
  resources.end(2_ms);
  EXPECT_EQ(resources.shares_of("link").greatest(), 1.0);
}

}  // namespace
}  // namespace wordline::results
