// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// MQSim's multi-queue experiments (FAST 2018), as docs/fairness.md has them: two flows with a queue pair each, alone
// and together. What MQSim 7ec40e3 says of its own input files stands beside what is expected here.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::two_flows_test {
namespace {

using Sets = std::vector<std::string>;

struct Flow {
  std::string options;
  unsigned depth;
};

/// Mean latency of each flow, in the order of `flows`; the first in the first half of the drive, the second in the
/// other.
std::vector<double> latencies(const std::vector<std::pair<std::string, Flow>>& flows, const Sets& sets) {
  std::string text = "[global]\nioengine=libaio\nbs=4k\nnorandommap\ntime_based\nruntime=100ms\n";
  for (const auto& [name, flow] : flows) {
    text += "[" + name + "]\n" + flow.options + "\niodepth=" + std::to_string(flow.depth) + "\n";
    if (name == "flow2") text += "offset=50%\n";
  }
  const auto result = run_drive({"configs/ssds/mqsim_fast18.toml", text, sets, {}}).result;
  std::vector<double> means;
  for (const auto& job : result["jobs"]) means.push_back(job["lat_ps"]["mean"].get<double>());
  return means;
}

struct Slowdowns {
  double first, second;
  [[nodiscard]] double fairness() const { return std::min(first, second) / std::max(first, second); }
};

Slowdowns slowdowns(const Flow& first, const Flow& second, const Sets& drive, const Sets& arbitration = {}) {
  Sets together = drive;
  together.insert(together.end(), arbitration.begin(), arbitration.end());
  const auto both = latencies({{"flow1", first}, {"flow2", second}}, together);
  return {both.at(0) / latencies({{"flow1", first}}, drive).at(0),
          both.at(1) / latencies({{"flow2", second}}, drive).at(0)};
}

Flow reads(unsigned depth) { return {"rw=randread\nsize=50%", depth}; }

// The dies serve who asks most: the flow with two requests pays for the depth of the other.
TEST(TwoFlows, AtTheBackEndTheShallowFlowPaysAsInMqsim) {
  struct Expected {
    unsigned depth;
    double first, second;  // MQSim
  };
  double before = 1.1;
  for (const Expected& mqsim : {Expected{2, 1.08, 1.08}, Expected{16, 1.75, 1.07}, Expected{64, 4.62, 1.03}}) {
    const Slowdowns here = slowdowns(reads(2), reads(mqsim.depth), {});
    EXPECT_NEAR(here.first / mqsim.first, 1, 0.15) << mqsim.depth;
    EXPECT_NEAR(here.second / mqsim.second, 1, 0.05) << mqsim.depth;
    EXPECT_LT(here.fairness(), before) << mqsim.depth;
    before = here.fairness();
  }
  EXPECT_LT(before, 0.3);
}

// With as many commands in flight of each flow as the limit lets, more depth of one costs the other no more.
TEST(TwoFlows, ALimitOfCommandsByQueueBoundsWhatTheDeepFlowTakes) {
  const Slowdowns some = slowdowns(reads(8), reads(32), {"nvme.queue_tags=16"});
  const Slowdowns more = slowdowns(reads(8), reads(256), {"nvme.queue_tags=16"});
  EXPECT_NEAR(some.first / 1.69, 1, 0.15);
  EXPECT_NEAR(some.second / 1.28, 1, 0.05);
  EXPECT_NEAR(more.first / 1.69, 1, 0.15);
  EXPECT_NEAR(more.fairness(), some.fairness(), 0.03);
  EXPECT_NEAR(more.fairness(), 0.755, 0.1);
  const Slowdowns unbounded = slowdowns(reads(8), reads(256), {"nvme.queue_tags=1024"});
  EXPECT_GT(unbounded.first, 5 * more.first);
  EXPECT_LT(unbounded.fairness(), 0.15) << "MQSim: 0.074";
}

// Both write more than the dies take, so the buffer is full: each has the share of its depth.
TEST(TwoFlows, AtTheWriteBufferEachHasTheShareOfItsDepth) {
  const Flow small{"rw=randwrite\nsize=1%\nrandom_distribution=zoned:99/1:1/99", 8};
  for (const unsigned depth : {32U, 128U}) {
    const Slowdowns here = slowdowns(small, {"rw=randwrite\nsize=50%", depth}, {});
    EXPECT_NEAR(here.first, (8.0 + depth) / 8, 0.02 * here.first) << depth;
    EXPECT_NEAR(here.second, (8.0 + depth) / depth, 0.02 * here.second) << depth;
  }
}

// Sixteen tags for both: weights say who waits for them. Two to three makes both flows equally slow.
TEST(TwoFlows, WeightsSayWhoPays) {
  const Sets tags{"nvme.tags=16"};
  const auto with = [&](const std::string& low, const std::string& high) {
    return slowdowns(reads(8), reads(256), tags,
                     {"host.arbitration=weighted", "host.arbitration_burst=0", "host.priorities=[low, high]",
                      "host.weights=[" + low + ", 1, " + high + "]"});
  };
  const Slowdowns in_turn = slowdowns(reads(8), reads(256), tags);
  const Slowdowns fair = with("2", "3"), deep = with("1", "4"), shallow = with("3", "1");
  EXPECT_GT(fair.fairness(), 0.97);
  EXPECT_LT(in_turn.fairness(), 0.9);
  EXPECT_LT(deep.fairness(), 0.5);
  EXPECT_GT(deep.first, 2 * in_turn.first);
  EXPECT_LT(deep.second, 0.8 * in_turn.second);
  EXPECT_LT(shallow.first, in_turn.first);
  EXPECT_GT(shallow.second, in_turn.second);
}

}  // namespace
}  // namespace wordline::testing::two_flows_test
