// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Each rule of the port is kept once and broken once.
#include "rtl/slot/stream_checker.h"

#include <gtest/gtest.h>

#include <vector>

namespace wordline::rtl::stream_checker_test {
namespace {

constexpr unsigned kBeats = 3;

StreamPort reset(bool valid = false) { return {true, valid, false, false, 0, 0}; }
StreamPort quiet() { return {false, false, true, false, 0, 0}; }
StreamPort beat(std::uint64_t data, bool last, bool ready = true, std::uint64_t user = 5) {
  return {false, true, ready, last, data, user};
}

/// What is said of the last of these clocks; nothing is to be said of the others.
std::string said(const std::vector<StreamPort>& clocks) {
  StreamChecker checker(kBeats);
  for (std::size_t i = 0; i + 1 < clocks.size(); ++i) EXPECT_EQ(checker.clock(clocks[i]), "") << "clock " << i;
  return checker.clock(clocks.back());
}

TEST(StreamChecker, TakesPacketsWithWaitsAndGaps) {
  StreamChecker checker(kBeats);
  for (const StreamPort& port :
       {reset(true), reset(), quiet(), beat(1, false, false), beat(1, false), quiet(), beat(2, false), beat(3, true),
        beat(4, false, true, 6), beat(5, false, true, 6), beat(6, true, false, 6), beat(6, true, true, 6), quiet()}) {
    EXPECT_EQ(checker.clock(port), "");
  }
  EXPECT_EQ(checker.packets(), 2U);
  EXPECT_EQ(checker.beat(), 0U);
}

TEST(StreamChecker, NamesEachRuleThatIsBroken) {
  EXPECT_EQ(said({reset(), reset(true)}), "m_axis_tvalid_o is high in reset");
  EXPECT_EQ(said({beat(1, false, false), quiet()}), "m_axis_tvalid_o fell before m_axis_tready_i had taken the beat");
  EXPECT_EQ(said({beat(1, false, false), beat(2, false)}),
            "m_axis_tdata_o changed from 0000000000000001 to 0000000000000002 while the beat waited for "
            "m_axis_tready_i");
  EXPECT_EQ(said({beat(1, false), beat(2, false), beat(3, true, false), beat(3, false)}),
            "m_axis_tlast_o changed while the beat waited for m_axis_tready_i");
  EXPECT_EQ(said({beat(1, false), beat(2, true)}), "m_axis_tlast_o is high, expected on beat 2 only");
  EXPECT_EQ(said({beat(1, false), beat(2, false), beat(3, false)}),
            "m_axis_tlast_o is low on the last beat of the codeword");
  EXPECT_EQ(said({beat(1, false), beat(2, false, true, 7)}),
            "m_axis_tuser_o is 7 and was 5, expected the same on every beat of a codeword");
  EXPECT_EQ(said({beat(1, false, false), beat(1, false, true, 7)}),
            "m_axis_tuser_o is 7 and was 5, expected the same on every beat of a codeword");
}

TEST(StreamChecker, AResetForgetsThePacket) {
  EXPECT_EQ(said({beat(1, false, false), reset(), quiet(), beat(9, false), beat(9, false), beat(9, true)}), "");
}

}  // namespace
}  // namespace wordline::rtl::stream_checker_test
