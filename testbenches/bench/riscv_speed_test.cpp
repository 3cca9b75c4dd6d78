// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "testbenches/bench/riscv_drive.h"

namespace wordline::testing {
namespace {

// Instructions per microsecond of CPU time, the best of three: the host may be busy with something else.
double mips(bool block_cache, std::uint64_t cycles) {
  Drive drive(block_cache);
  drive.load(WORDLINE_RISCV_FTL);
  drive.hart.run(cycles / 10);
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t first = drive.hart.instructions();
    const std::clock_t start = std::clock();
    EXPECT_EQ(drive.hart.run(cycles), riscv::StopReason::kBudget);
    const double microseconds = static_cast<double>(std::clock() - start) * 1e6 / CLOCKS_PER_SEC;
    best = std::max(best, static_cast<double>(drive.hart.instructions() - first) / std::max(microseconds, 1.0));
  }
  return best;
}

TEST(RiscvSpeed, BlockCacheIsFourTimesAsFastAsDecodingEachTime) {
#ifndef NDEBUG
  GTEST_SKIP() << "a budget of the release build";
#endif
  const double cached = mips(true, 50'000'000), plain = mips(false, 5'000'000);
  RecordProperty("mips_block_cache", std::to_string(cached));
  RecordProperty("mips_decode_each", std::to_string(plain));
  EXPECT_GE(cached, 4 * plain) << cached << " and " << plain << " MIPS";
}

}  // namespace
}  // namespace wordline::testing
