// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/engines/estimate.h"

#include <gtest/gtest.h>

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
