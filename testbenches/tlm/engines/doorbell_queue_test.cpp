// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/engines/doorbell_queue.h"

#include <gtest/gtest.h>

namespace wordline::testing {
namespace {

TEST(DoorbellQueue, TheEarliestIsTakenFirstWhenItIsDue) {
  engines::DoorbellQueue queue;
  EXPECT_EQ(queue.next(), engines::kNever);
  queue.ring(3, 20_ns);  // of a core that runs ahead; another one is behind
  queue.ring(1, 10_ns);
  EXPECT_EQ(queue.next(), 10_ns);
  EXPECT_FALSE(queue.take(10_ns - 1_ps));
  EXPECT_EQ(queue.take(10_ns)->produced, 1U);
  EXPECT_FALSE(queue.take(10_ns));
  EXPECT_EQ(queue.take(30_ns)->produced, 3U);
  EXPECT_EQ(queue.next(), engines::kNever);
}

TEST(DoorbellQueue, OfOneInstantTheFirstWrittenIsFirst) {
  engines::DoorbellQueue queue;
  for (std::uint32_t i = 1; i <= 3; ++i) queue.ring(i, 10_ns);
  for (std::uint32_t i = 1; i <= 3; ++i) EXPECT_EQ(queue.take(10_ns)->produced, i);
}

}  // namespace
}  // namespace wordline::testing
