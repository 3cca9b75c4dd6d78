// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::determinism_test {
namespace {

RunResult mixed(const std::string& seed, const std::string& cpu) {
  return run_drive({"configs/ssds/small.toml",
                    "[job]\nrw=randrw\nbs=4k\niodepth=16\nnumber_ios=4000\nrandom_distribution=zipf:1.1\n",
                    {"run.seed=" + seed, "cpu.model=" + cpu},
                    {}});
}

TEST(Determinism, SameSeedSameBytes) {
  EXPECT_EQ(mixed("7", "native").result_text, mixed("7", "native").result_text);
  EXPECT_EQ(mixed("7", "iss").result_text, mixed("7", "iss").result_text);
}

TEST(Determinism, AnotherSeedAnotherResult) {
  EXPECT_NE(mixed("7", "native").result["simulated_ps"], mixed("8", "native").result["simulated_ps"]);
}

}  // namespace
}  // namespace wordline::testing::determinism_test
