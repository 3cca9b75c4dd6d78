// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/arbiter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

namespace wordline::host::nvme::nvme_arbiter_test {
namespace {

std::uint32_t feature(std::uint32_t burst, std::uint32_t low, std::uint32_t medium, std::uint32_t high) {
  return burst | (low - 1) << 8 | (medium - 1) << 16 | (high - 1) << 24;
}

/// Commands of each queue in `grants` turns; all queues always wait. `tags`: commands that a turn finds room for.
std::map<std::uint32_t, std::uint32_t> shares(Arbiter& arbiter, unsigned grants, std::uint32_t tags,
                                              std::map<std::uint32_t, std::uint32_t>* turns = nullptr) {
  std::map<std::uint32_t, std::uint32_t> commands;
  for (unsigned i = 0; i < grants; ++i) {
    const Arbiter::Turn turn = arbiter.next();
    const std::uint32_t taken = std::min(turn.commands, tags);
    commands[turn.qid] += taken;
    if (turns != nullptr) ++(*turns)[turn.qid];
    arbiter.served(turn.qid, taken);
  }
  return commands;
}

// Base 3.4.4.1: one after the other, whatever their priority says, since weights are not in use.
TEST(NvmeArbiter, RoundRobinGoesFromQueueToQueue) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    Arbiter arbiter;
    std::vector<std::uint32_t> waiting;
    for (std::uint32_t qid = 1; qid <= kMaxIoQueues; ++qid) {
      arbiter.set_priority(qid, static_cast<QueuePriority>(random() % 4));
      if (random() % 3 != 0) continue;
      arbiter.set_pending(qid, true);
      waiting.push_back(qid);
    }
    if (waiting.empty()) continue;
    for (int turn = 0; turn < 200; ++turn) {
      const Arbiter::Turn next = arbiter.next();
      ASSERT_EQ(next.qid, waiting[static_cast<std::size_t>(turn) % waiting.size()]);
      ASSERT_EQ(next.commands, UINT32_MAX) << "burst 7: no limit";
      arbiter.served(next.qid, 1);
    }
  }
}

TEST(NvmeArbiter, ABurstIsTheMostOfATurn) {
  Arbiter arbiter;
  arbiter.set_pending(3, true);
  for (std::uint32_t power = 0; power < 7; ++power) {
    arbiter.set_feature(power);
    EXPECT_EQ(arbiter.next().commands, 1U << power);
  }
  EXPECT_EQ(arbiter.feature(), 6U);
}

// Base 3.4.4.2: while all wait, each class has commands as its weight says, and within a class the turns go round.
TEST(NvmeArbiter, SharesAreTheWeights) {
  struct Setting {
    std::uint32_t burst, low, medium, high, tags;
  };
  constexpr std::array<Setting, 10> kSettings{{{0, 1, 1, 1, 1},
                                               {0, 1, 2, 4, 1},
                                               {7, 1, 2, 4, 64},
                                               {3, 4, 8, 16, 64},
                                               {2, 7, 11, 13, 3},
                                               {7, 256, 256, 256, 5},
                                               {0, 3, 1, 1, 1},
                                               {5, 1, 1, 100, 7},
                                               {1, 10, 20, 30, 2},
                                               {4, 16, 1, 16, 16}}};
  for (const Setting& s : kSettings) {
    Arbiter arbiter;
    arbiter.use_weights(true);
    arbiter.set_feature(feature(s.burst, s.low, s.medium, s.high));
    // Two queues of each class.
    for (std::uint32_t qid = 1; qid <= 6; ++qid) {
      arbiter.set_priority(qid, static_cast<QueuePriority>(1 + (qid - 1) % 3));
      arbiter.set_pending(qid, true);
    }
    std::map<std::uint32_t, std::uint32_t> turns;
    const auto commands = shares(arbiter, 200'000, s.tags, &turns);
    double all = 0;
    for (const auto& [qid, count] : commands) all += count;
    const std::array<double, 3> weights{double(s.high), double(s.medium), double(s.low)};
    const double sum = weights[0] + weights[1] + weights[2];
    for (std::size_t c = 0; c < 3; ++c) {
      const auto first = static_cast<std::uint32_t>(c + 1);
      const double share = (commands.at(first) + commands.at(first + 3)) / all;
      EXPECT_NEAR(share * sum / weights[c], 1, 0.02)
          << "class " << c << " of " << s.high << ':' << s.medium << ':' << s.low;
      EXPECT_LE(turns.at(first) - turns.at(first + 3), 1U) << "queues of one class";
    }
  }
}

TEST(NvmeArbiter, WeightsOfThoseThatDoNotWaitAreNobodys) {
  Arbiter arbiter;
  arbiter.use_weights(true);
  arbiter.set_feature(feature(0, 1, 50, 3));
  arbiter.set_priority(1, QueuePriority::kHigh);
  arbiter.set_priority(2, QueuePriority::kMedium);
  arbiter.set_priority(3, QueuePriority::kLow);
  arbiter.set_pending(1, true);
  arbiter.set_pending(3, true);
  const auto commands = shares(arbiter, 4'000, 1);
  EXPECT_EQ(commands.at(1), 3'000U);
  EXPECT_EQ(commands.at(3), 1'000U);
  EXPECT_EQ(commands.count(2), 0U);
}

TEST(NvmeArbiter, UrgentQueuesGoBeforeAllOthers) {
  Arbiter arbiter;
  arbiter.use_weights(true);
  arbiter.set_feature(feature(1, 1, 1, 256));
  arbiter.set_priority(1, QueuePriority::kHigh);
  for (const std::uint32_t qid : {5U, 9U}) arbiter.set_priority(qid, QueuePriority::kUrgent);
  for (const std::uint32_t qid : {1U, 5U, 9U}) arbiter.set_pending(qid, true);
  auto commands = shares(arbiter, 100, 64);
  EXPECT_EQ(commands[5], 100U) << "fifty turns of two";
  EXPECT_EQ(commands[9], 100U);
  EXPECT_EQ(commands[1], 0U);
  for (const std::uint32_t qid : {5U, 9U}) arbiter.set_pending(qid, false);
  EXPECT_EQ(arbiter.next().qid, 1U);
}

TEST(NvmeArbiter, AResetIsTheStateOfPowerOn) {
  Arbiter arbiter;
  arbiter.use_weights(true);
  arbiter.set_feature(feature(2, 5, 6, 7));
  arbiter.set_priority(4, QueuePriority::kHigh);
  arbiter.set_pending(4, true);
  arbiter.reset();
  EXPECT_FALSE(arbiter.any_pending());
  EXPECT_EQ(arbiter.feature(), 7U);
}

}  // namespace
}  // namespace wordline::host::nvme::nvme_arbiter_test
