// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/arrivals.h"

#include <gtest/gtest.h>

#include <string>

namespace wordline::testing::arrivals_test {
namespace {

TEST(Arrivals, ComeInOrderOfTimeAndOfEqualTimesInOrderOfWriting) {
  tlm_if::Arrivals<char> arrivals;
  EXPECT_TRUE(arrivals.empty());
  arrivals.add(Picoseconds(30), 'd');
  arrivals.add(Picoseconds(10), 'a');
  arrivals.add(Picoseconds(20), 'b');
  arrivals.add(Picoseconds(20), 'c');
  std::string seen;
  const auto see = [&seen](Picoseconds at, char what) { seen += what + std::to_string(at.count()) + ' '; };
  EXPECT_EQ(arrivals.next(), Picoseconds(10));
  arrivals.deliver(Picoseconds(9), see);
  EXPECT_EQ(seen, "");
  arrivals.deliver(Picoseconds(20), see);
  EXPECT_EQ(seen, "a10 b20 c20 ");
  EXPECT_EQ(arrivals.next(), Picoseconds(30));
  arrivals.deliver(Picoseconds(100), see);
  EXPECT_EQ(seen, "a10 b20 c20 d30 ");
  EXPECT_TRUE(arrivals.empty());
}

TEST(Arrivals, MayLeadToOthers) {
  tlm_if::Arrivals<int> arrivals;
  for (int i = 0; i < 3; ++i) arrivals.add(Picoseconds(10), i);
  std::string seen;
  arrivals.deliver(Picoseconds(10), [&](Picoseconds at, int what) {
    seen += std::to_string(what) + ' ';
    if (what == 0) arrivals.add(at, 7);
    if (what == 1) arrivals.add(Picoseconds(11), 8);
  });
  EXPECT_EQ(seen, "0 1 2 7 ");
  EXPECT_EQ(arrivals.next(), Picoseconds(11));
}

}  // namespace
}  // namespace wordline::testing::arrivals_test
