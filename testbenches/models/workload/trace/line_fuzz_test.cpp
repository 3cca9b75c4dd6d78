// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/models/workload/trace/line_fuzz.h"

#include <gtest/gtest.h>

namespace wordline::workload::line_fuzz_test {
namespace {

TEST(LineFuzzTest, EveryDamagedLineIsARequestAnErrorOrCounted) {
  const FuzzResult result = fuzz_lines(40'000, 1);
  for (const std::string& failure : result.failures) ADD_FAILURE() << failure;
  EXPECT_EQ(result.requests + result.refused + result.left_out, result.lines);
  // A few characters each: many lines stay good, many do not.
  EXPECT_GT(result.requests, result.lines / 5);
  EXPECT_GT(result.refused, result.lines / 5);
}

}  // namespace
}  // namespace wordline::workload::line_fuzz_test
