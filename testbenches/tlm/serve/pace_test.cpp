// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/pace.h"

#include <gtest/gtest.h>

namespace wordline::serve::pace_test {
namespace {

using namespace std::chrono_literals;

TEST(Pace, KnowsItsNames) {
  EXPECT_TRUE(Pace::parse("free")->is_free());
  EXPECT_EQ(Pace::parse("wall")->factor(), 1U);
  EXPECT_TRUE(Pace::parse("lockstep")->is_lockstep());
  EXPECT_FALSE(Pace::parse("lockstep")->is_free());
  EXPECT_FALSE(Pace::parse("free")->is_lockstep());
  EXPECT_EQ(Pace::parse("dilated:50")->factor(), 50U);
  for (const char* wrong : {"", "fast", "dilated", "dilated:", "dilated:0", "dilated:-1", "dilated:2x", "dilated:1.5",
                            "dilated:1000001", "dilated:99999999999", "lockstep:1"})
    EXPECT_FALSE(Pace::parse(wrong)) << wrong;
}

TEST(Pace, ConvertsBothWays) {
  Pace pace = *Pace::parse("dilated:50");
  const Pace::Clock::time_point begin{1h};
  pace.begin(begin, Picoseconds(7'000'000));
  EXPECT_EQ(pace.simulated_at(begin + 50us).count(), 8'000'000);
  EXPECT_EQ(pace.wall_at(Picoseconds(8'000'000)), begin + 50us);
  // Weeks later, too.
  EXPECT_EQ(pace.simulated_at(begin + 1000h).count(), 7'000'000 + 72'000'000'000'000'000);
}

TEST(Pace, MeasuresHowLateAnswersAre) {
  Pace pace = *Pace::parse("wall");
  const Pace::Clock::time_point begin{1h};
  pace.begin(begin, Picoseconds(0));
  pace.left(Picoseconds(10'000'000), begin + 10us);
  pace.left(Picoseconds(20'000'000), begin + 50us);
  EXPECT_EQ(pace.lateness().max().count(), 30'000'000);
  EXPECT_EQ(pace.lateness().mean().count(), 15'000'000);
  for (const char* other : {"free", "lockstep"}) {
    Pace none = *Pace::parse(other);
    none.left(Picoseconds(1), begin);
    EXPECT_EQ(none.lateness().count(), 0U);
    EXPECT_EQ(none.lateness_text(), "");
  }
}

TEST(Pace, SaysWhatNumbersMean) {
  EXPECT_NE(Pace::parse("dilated:7")->meaning().find("divide a client's latencies by 7"), std::string::npos);
  EXPECT_NE(Pace::parse("free")->meaning().find("nothing about the drive"), std::string::npos);
  EXPECT_NE(Pace::parse("wall")->meaning().find("measures the drive"), std::string::npos);
  EXPECT_NE(Pace::parse("lockstep")->meaning().find("the same in every run"), std::string::npos);
}

}  // namespace
}  // namespace wordline::serve::pace_test
