// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/bottleneck.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace wordline::results::bottleneck_test {
namespace {

using namespace wordline::literals;

GroupShares server(const char* key, const char* member, std::vector<double> shares) {
  return {key, member, ResourceKind::kServer, std::move(shares)};
}
GroupShares pool(const char* key, const char* member, double share) {
  return {key, member, ResourceKind::kPool, {share}};
}
StageShare waits(const char* group, double time) { return {group, time, ""}; }
StageShare serves(const char* what, double time) { return {"", time, what}; }

/// A drive that is idle but for what is said; 32 requests in flight.
Evidence evidence(std::vector<GroupShares> shares) {
  Evidence evidence;
  evidence.shares = std::move(shares);
  evidence.queue_depth = 32;
  evidence.in_flight = 32;
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
  EXPECT_EQ(link.busiest, "cores");
  EXPECT_EQ(link.utilisation, 0.95);
  EXPECT_EQ(link.sentence, "Limit: the link is busy 95 % of the time.");
}

TEST(BottleneckTest, WaitsComeBeforeBusyShares) {
  Evidence e = evidence({server("dram", "DRAM", {0.92}), server("dies", "die", {0.81, 0.7})});
  e.stages = {serves("t_r", 20), waits("dram", 5), waits("dies", 75)};
  const Bottleneck dies = find_bottleneck(e);
  EXPECT_EQ(dies.resource, "dies");
  EXPECT_EQ(dies.utilisation, 0.81);
  EXPECT_EQ(dies.busiest, "dram");
  EXPECT_NEAR(dies.waiting, 0.8, 1e-9);
  EXPECT_EQ(dies.sentence,
            "Limit: dies are busy 81 % of the time; 80 % of the latency is waiting, most of it for dies.");
  e.shares[0].shares = {0.97};
  EXPECT_EQ(find_bottleneck(e).resource, "dram") << "full, and clearly busier";
  e.shares[1].shares = {0.93, 0.9};
  EXPECT_EQ(find_bottleneck(e).resource, "dies") << "as good as full";
}

TEST(BottleneckTest, WhatIsLessThanHalfBusyNeverLimits) {
  Evidence e = evidence({server("cores", "core", {0.01}), server("dies", "die", {0.49})});
  e.stages = {serves("t_r", 35), waits("dies", 40), waits("cores", 25)};
  const Bottleneck served = find_bottleneck(e);
  EXPECT_EQ(served.resource, "t_r");
  EXPECT_EQ(served.utilisation, 0.49) << "of the busiest";
  EXPECT_EQ(
      served.sentence,
      "Limit: 35 % of the latency is the array's read time, tR; with 32 in flight 65 % is waiting; the die is busy "
      "49 % of the time, the busiest resource.");
  e.shares[1].shares = {0.5};
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
}

TEST(BottleneckTest, OneHotMemberIsEnoughAndIsNamed) {
  const Bottleneck hot = find_bottleneck(evidence({server("dies", "die", {0.1, 0.99, 0.1, 0.1})}));
  EXPECT_EQ(hot.resource, "dies");
  EXPECT_NE(hot.sentence.find("die 1 is busy 99 % of the time (mean of all dies 32 %)"), std::string::npos)
      << hot.sentence;
}

TEST(BottleneckTest, WithoutWaitsItIsWhatServesForAThirdOfTheLatency) {
  Evidence e = evidence({server("dies", "die", {0.3}), server("cores", "core", {0.2})});
  e.stages = {serves("cores", 20), serves("t_r", 19), serves("retry", 34), serves("cores", 14), waits("dies", 13)};
  EXPECT_EQ(find_bottleneck(e).resource, "cores") << "stages of one server count together, 34 and 34: the first";
  e.stages[2].time = 36;
  EXPECT_EQ(find_bottleneck(e).resource, "retry");
  e.queue_depth = 0;
  EXPECT_EQ(find_bottleneck(e).resource, "arrival_rate");
}

TEST(BottleneckTest, TheLoadLimitsWhereNothingElseDoes) {
  Evidence e = evidence({server("dies", "die", {0.5, 0.5}), server("cores", "core", {0.2})});
  e.stages = {serves("t_r", 30), serves("cores", 30), serves("link", 30), waits("dies", 10)};
  const Bottleneck depth = find_bottleneck(e);
  EXPECT_EQ(depth.resource, "queue_depth");
  EXPECT_EQ(depth.busiest, "dies");
  EXPECT_EQ(depth.utilisation, 0.5);
  EXPECT_EQ(
      depth.sentence,
      "No resource is saturated: the queue depth (32) limits; 10 % of the latency is waiting; 30 % is the array's "
      "read time, tR; dies are busy 50 % of the time, the busiest resource.");
  e.tags = 16;
  EXPECT_EQ(find_bottleneck(e).resource, "tags");
  e.tags = 32;
  EXPECT_EQ(find_bottleneck(e).resource, "queue_depth");
  e.queue_depth = 0;
  EXPECT_EQ(find_bottleneck(e).resource, "arrival_rate");
  e.stages.push_back(waits("dies", 80));
  EXPECT_EQ(find_bottleneck(e).resource, "arrival_rate") << "requests that come in bursts wait on an idle drive, too";
  e.shares[0].shares = {0.96};
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
  e.queue_depth = 32;
  e.stages = {serves("t_r", 60), waits("same_sector", 40)};
  const Bottleneck order = find_bottleneck(e);
  EXPECT_EQ(order.resource, "same_sector");
}

TEST(BottleneckTest, TheHostLimitsWhereFewRequestsAreInFlight) {
  Evidence e = evidence({server("dies", "die", {0.96})});
  e.queue_depth = 64;
  e.in_flight = 4.04;
  e.jobs = {{200, 4.04, 64}};
  e.stages = {serves("t_r", 60), waits("dies", 40)};
  const Bottleneck host = find_bottleneck(e);
  EXPECT_EQ(host.resource, "host");
  EXPECT_EQ(
      host.sentence,
      "Limit: the host: on average 4.0 of 64 requests are in flight; the die is busy 96 % of the time, the busiest "
      "resource.");
  e.jobs = {{200, 45, 64}};
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
  // Jobs one after the other have their depth in flight while they run.
  e.queue_depth = 128;
  e.in_flight = 62;
  e.jobs = {{200, 62, 64}, {200, 62, 64}};
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
  e.jobs[1].in_flight = 2;
  EXPECT_EQ(find_bottleneck(e).resource, "dies") << "half of the requests";
  e.jobs[1].requests = 201;
  EXPECT_EQ(find_bottleneck(e).resource, "host") << "more";
  e.jobs = {{127, 2, 64}};
  EXPECT_EQ(find_bottleneck(e).resource, "dies") << "too few requests to say";
  // A job waits for flushes: that is no pause of its own.
  e.jobs = {{200, 1, 64}};
  e.flushing = 0.9;
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
  e.jobs.push_back(e.jobs.front());
  EXPECT_EQ(find_bottleneck(e).resource, "host");
  e.queue_depth = 0;
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
}

TEST(BottleneckTest, ReadsThatMetNoDataGiveNoVerdict) {
  Evidence e = evidence({server("link", "link", {0.99})});
  e.reads = 0.5;
  e.without_data = 0.5;
  EXPECT_EQ(find_bottleneck(e).resource, "no_data");
  EXPECT_EQ(find_bottleneck(e).sentence.find("No verdict: 50 % of what was read had never been written"), 0U);
  e.without_data = 0.49;
  EXPECT_EQ(find_bottleneck(e).resource, "link");
  e.without_data = 1;
  e.reads = 0.49;
  EXPECT_EQ(find_bottleneck(e).resource, "link") << "most requests are writes";
}

TEST(BottleneckTest, APoolLimitsWhereNoServerDrainsItTooSlowly) {
  Evidence e = evidence({server("dies", "die", {0.7}), pool("write_buffer", "write buffer", 0.9)});
  e.stages = {serves("cores", 40), waits("write_buffer", 60)};
  const Bottleneck buffer = find_bottleneck(e);
  EXPECT_EQ(buffer.resource, "write_buffer");
  EXPECT_EQ(
      buffer.sentence,
      "Limit: requests wait for the write buffer 90 % of the time; 60 % of the latency is waiting, most of it for "
      "write_buffer.");
  e.shares[0].shares = {0.86};
  EXPECT_EQ(find_bottleneck(e).resource, "dies") << "they are why the buffer is full";
  e.queue_depth = 0;
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
  e.shares[0].shares = {0.7};
  EXPECT_EQ(find_bottleneck(e).resource, "write_buffer");
  e.shares[1].shares = {0.49};
  EXPECT_EQ(find_bottleneck(e).resource, "arrival_rate");
  // Tags are no group of resources.
  e = evidence({server("dies", "die", {0.7})});
  e.tags = 8;
  e.stages = {serves("t_r", 40), waits("tags", 60)};
  EXPECT_EQ(find_bottleneck(e).resource, "tags");
  EXPECT_EQ(
      find_bottleneck(e).sentence,
      "No resource is saturated: the drive's tags limit (nvme.tags = 8); 60 % of the latency is waiting; the die is "
      "busy 70 % of the time, the busiest resource.");
}

TEST(BottleneckTest, APoolThatSeveralWaitForHasNoNumbers) {
  const GroupShares ids{"flash_jobs", "flash job ids", ResourceKind::kPool, {0.1, 0.4}};
  Evidence e = evidence({server("dies", "die", {0.5}), ids});
  e.stages = {serves("t_r", 60), waits("flash_jobs", 40)};
  EXPECT_EQ(find_bottleneck(e).sentence,
            "Limit: requests wait for flash job ids 40 % of the time; 40 % of the latency is waiting, most of it for "
            "flash_jobs.");
}

TEST(BottleneckTest, GcIsNamedWhereItTakesTheDiesOrTheSpace) {
  Evidence e = evidence({server("dies", "die", {0.97, 0.97}), server("cores", "core", {0.4})});
  e.collected = 0.5;
  const Bottleneck gc = find_bottleneck(e);
  EXPECT_EQ(gc.resource, "gc");
  EXPECT_EQ(gc.busiest, "cores");
  EXPECT_EQ(gc.sentence, "Limit: GC: 50 % of what is programmed are its copies, and dies are busy 97 %.");
  e.collected = 0.49;
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
  // GC is slow although dies are free.
  e.shares = {server("dies", "die", {0.5}), pool("write_buffer", "write buffer", 0.9),
              pool("free_space", "free space", 0.8), pool("gc_buffer", "GC buffer", 0.2)};
  e.stages = {serves("cores", 20), waits("write_buffer", 80)};
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
  e.stages = {serves("t_r", 60), waits("dies", 40)};
  EXPECT_EQ(find_bottleneck(e).resource, "retry");
  e.shares[1].shares = {0.4};
  EXPECT_EQ(find_bottleneck(e).resource, "dies");
}

TEST(BottleneckTest, TheLinkIsItsBusierDirection) {
  const Bottleneck link =
      find_bottleneck(evidence({server("link", "link", {0.97, 0.1}), server("dies", "die", {0.5})}));
  EXPECT_EQ(link.sentence, "Limit: the link is busy 97 % of the time.");
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
  e.stages = {serves("t_r", 80), waits("cores", 20)};
  register_bottleneck(registry, [&e] { return e; });
  EXPECT_EQ(registry.get<std::string>("bottleneck.resource"), "link");
  EXPECT_EQ(registry.get<double>("bottleneck.utilisation"), 0.95);
  EXPECT_EQ(registry.get<double>("bottleneck.part"), 1.0);
  EXPECT_EQ(registry.get<double>("bottleneck.waiting"), 0.2);
  EXPECT_EQ(registry.get<double>("bottleneck.in_flight"), 32.0);
  EXPECT_EQ(registry.get<std::string>("bottleneck.busiest"), "cores");
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

TEST(ResourcesTest, MembersThatAreReadTogetherMayBeLeftOutWhereNothingChanged) {
  const ResourceGroup dies{"dies", "die", ResourceKind::kServer, true, "Dies."};
  std::vector<Clock> clocks(5);
  std::vector<bool> changed(5, false);
  Resources together, one_by_one;
  for (Resources* resources : {&together, &one_by_one}) {
    resources->add({"link", "link", ResourceKind::kServer, false, "Link."}, [&] { return clocks[0].busy; });
  }
  for (const Clock& clock : clocks) one_by_one.add(dies, [&clock] { return clock.busy; });
  together.add(dies, clocks.size(), [&](Picoseconds* busy) {
    for (std::size_t i = 0; i < clocks.size(); ++i) {
      if (changed[i]) busy[i] = clocks[i].busy;
    }
    changed.assign(clocks.size(), false);
  });
  for (Resources* resources : {&together, &one_by_one}) {
    resources->add({"dram", "dram", ResourceKind::kServer, false, "DRAM."}, [&] { return clocks[1].busy; });
    resources->begin(0_ps);
  }
  for (std::size_t window = 0; window < 20; ++window) {
    const std::size_t i = window * window % clocks.size();
    clocks[i].busy += 30_us;
    changed[i] = true;
    const Picoseconds border = together.next_border();
    together.window_ends(border);
    one_by_one.window_ends(border);
  }
  together.end(together.next_border());
  one_by_one.end(one_by_one.next_border());
  ASSERT_EQ(together.shares().size(), 3U);
  for (std::size_t group = 0; group < 3; ++group) {
    EXPECT_EQ(together.shares()[group].shares, one_by_one.shares()[group].shares);
    for (std::size_t part = 0; part < 8; ++part) {
      EXPECT_EQ(together.shares_by_part(8)[part][group].shares, one_by_one.shares_by_part(8)[part][group].shares);
    }
  }
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
}  // namespace wordline::results::bottleneck_test
