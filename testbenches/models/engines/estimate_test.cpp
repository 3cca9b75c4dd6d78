// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/engines/estimate.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <string>

#include "models/engines/synthesised.h"

namespace wordline::testing::estimate_test {
namespace {

TEST(Estimate, AnEngineThatIsNotThereCostsNothing) {
  EXPECT_EQ(engines::engine_estimate({false, 8_ns, 2_ns, 16}, {100, 1000, 4}).gates, 0);
}

TEST(Estimate, EntriesLogicAndMemoryAddUp) {
  const engines::Estimate e = engines::engine_estimate({true, 8_ns, 2_ns, 16}, {100, 1000, 4});
  EXPECT_DOUBLE_EQ(e.gates, 100 * 16 * 8 + 1000);
  // Four cycles, in each a fifth of the 1,800 gates at work, 1.5 fJ each; four accesses of 8 pJ.
  EXPECT_DOUBLE_EQ(e.energy.count(), 1800 * 0.2 * 0.0015 * 4 + 32);
}

/// As rtl/sizes.table has them, which scripts/sizes writes.
TEST(Estimate, EnginesInGatesAreAsLargeAsTheirBlocks) {
  std::map<std::string, std::array<std::uint32_t, 4>> table;
  std::ifstream file(WORDLINE_SOURCE "/rtl/sizes.table");
  for (std::string top; file >> top;) {
    if (top[0] == '#') {
      file.ignore(1000, '\n');
    } else {
      for (std::uint32_t& number : table[top]) file >> number;
    }
  }
  config::Config config{};
  for (const engines::Synthesised& block : engines::kSynthesised) {
    ASSERT_EQ(table.count(block.block), 1U) << block.block;
    EXPECT_EQ(block.gates, table.at(block.block)[0]) << block.block;
    EXPECT_EQ(block.flip_flops, table.at(block.block)[1]) << block.block;
    EXPECT_EQ(block.memory_bits, table.at(block.block)[2]) << block.block;
    config::Engine& engine = config.engines[block.id];
    engine.on = true;
    engine.depth = block.depth;
    EXPECT_NEAR(engines::engine_estimate(block.id, config).gates, block.gate_equivalents(), 1) << block.block;
  }
  EXPECT_EQ(engines::synthesised(engines::EngineId::kJob), nullptr);
}

/// parse was estimated at 9,096, l2p at 24,980, victim at 2,536.
TEST(Estimate, RangesComeOfWhatTheSynthesisedEnginesWereEstimatedAt) {
  const auto [low, high] = engines::kTruthOfEstimates;
  EXPECT_NEAR(low, (4721 + 4 * 1179) / 24980.0, 1e-9);
  EXPECT_NEAR(high, (1642 + 4 * 252) / 2536.0, 1e-9);
  config::Config config{};
  config.engines[engines::EngineId::kL2p] = {true, 8_ns, 2_ns, 16};
  config.engines[engines::EngineId::kCompletion] = {true, 8_ns, 4_ns, 4};
  const auto l2p = engines::engine_range(engines::EngineId::kL2p, config);
  EXPECT_DOUBLE_EQ(l2p.low.gates, l2p.high.gates);
  EXPECT_DOUBLE_EQ(l2p.low.gates, engines::engine_estimate(engines::EngineId::kL2p, config).gates);
  const auto completion = engines::engine_range(engines::EngineId::kCompletion, config);
  EXPECT_DOUBLE_EQ(completion.low.gates, low * 8608);
  EXPECT_DOUBLE_EQ(completion.high.gates, high * 8608);
  // Four cycles of 5,152 gates; accesses of memory are what they are.
  EXPECT_DOUBLE_EQ(completion.low.energy.count(), low * 5152 * 0.2 * 0.0015 * 4 + 7 * 8);
  const auto off = engines::engine_range(engines::EngineId::kJob, config);
  EXPECT_EQ(off.high.gates, 0);
}

TEST(Estimate, AReadRetryControllerForEachDie) {
  config::Config config{};
  config.channels.count = 3;
  config.channels.packages = 2;
  config.channels.dies_per_package = 5;
  const auto gates = [&config] { return engines::engine_estimate(engines::EngineId::kRetry, config).gates; };
  EXPECT_EQ(gates(), 0);
  config.engines[engines::EngineId::kRetry].on = true;
  EXPECT_DOUBLE_EQ(gates(), 30 * (246 * 8 + 3000));
}

TEST(Estimate, ACoreIsABusyCycle) {
  EXPECT_DOUBLE_EQ(engines::core_estimate().energy.count(), 26'600 * 0.2 * 0.0015 + 10);
}

}  // namespace
}  // namespace wordline::testing::estimate_test
