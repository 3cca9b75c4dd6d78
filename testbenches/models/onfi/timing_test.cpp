// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/timing.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "testbenches/tlm/flash/reference_config.h"

namespace wordline::onfi {
namespace {

using namespace wordline::literals;

config::Channels channels() { return testing::reference_config().channels; }

// All numbers are worked out by hand from the times in reference_config.h.

TEST(BusTiming, CommandIsSetupAndCycles) {
  const BusTiming timing(channels());
  EXPECT_EQ(timing.command(1), 45_ns);   // 20 + 25
  EXPECT_EQ(timing.command(7), 195_ns);  // 00h, five address cycles, 30h: 20 + 7 * 25
  EXPECT_EQ(timing.command(5), 145_ns);  // 60h, three row cycles, D0h
}

TEST(BusTiming, LatchEnableSetupCountsWhenItIsLonger) {
  config::Channels c = channels();
  c.t_cals = 33_ns;
  EXPECT_EQ(BusTiming(c).command(2), 83_ns);
}

TEST(BusTiming, DataBursts) {
  const BusTiming timing(channels());
  EXPECT_EQ(timing.data_out(4648), 5'876'250_ps);      // 15 + 25 + 26.25 + 4648 * 1.25
  EXPECT_EQ(timing.data_in(4 * 4648), 23'276'500_ps);  // 15 + 6.5 + 15 + 18592 * 1.25
}

TEST(BusTiming, OddBytesTakeAWholeStrobeCycle) {
  const BusTiming timing(channels());
  EXPECT_EQ(timing.data_out(1), timing.data_out(2));
  EXPECT_EQ(timing.data_out(3), timing.data_out(2) + 2'500_ps);
}

TEST(BusTiming, RateThatDoesNotDivideIsRoundedUpOnce) {
  config::Channels c = channels();
  c.rate = TransfersPerSecond(1'467'000'000);
  const BusTiming timing(c);
  // 4648 / 1.467e9 s = 3168370.82 ps
  EXPECT_EQ(timing.data_out(4648), 66'250_ps + 3'168'371_ps);
  // 2 / 1.467e9 s = 1363.33 ps
  EXPECT_EQ(timing.data_out(2), 66'250_ps + 1'364_ps);
}

TEST(BusTiming, StatusIsCommandWaitAndByte) {
  const BusTiming timing(channels());
  EXPECT_EQ(timing.status_sample(1), 125_ns);             // 45 + 80
  EXPECT_EQ(timing.status(1), 193'750_ps);                // 125 + 66.25 + 2 * 1.25
  EXPECT_EQ(timing.status(4), timing.status(1) + 75_ns);  // 78h and three row cycles
}

TEST(BusTiming, SegmentKinds) {
  const BusTiming timing(channels());
  const Cycles set{kSetFeatures, kNoConfirm, 1, {kFeatureReferenceStep}};
  EXPECT_EQ(timing.segment(SegmentKind::kSetFeatures, set, 0), 516'500_ps);  // 70 + 400 + 36.5 + 8 * 1.25
  const Cycles get{kGetFeatures, kNoConfirm, 1, {kFeatureReferenceStep}};
  EXPECT_EQ(timing.segment(SegmentKind::kGetFeatures, get, 0), 70_ns);
  EXPECT_EQ(timing.segment(SegmentKind::kFeatureOut, {}, 0), 76'250_ps);  // 66.25 + 8 * 1.25
  EXPECT_EQ(timing.segment(SegmentKind::kReset, {kReset, kNoConfirm, 0, {}}, 0), 45_ns);
  EXPECT_EQ(timing.segment(SegmentKind::kStatus, {kReadStatus, kNoConfirm, 0, {}}, 0), timing.status(1));
  EXPECT_EQ(timing.segment(SegmentKind::kDataIn, {}, 100), timing.data_in(100));
  EXPECT_EQ(timing.segment(SegmentKind::kDataOut, {}, 100), timing.data_out(100));
  EXPECT_EQ(timing.segment(SegmentKind::kCommand, {kRead, kReadConfirm, 5, {}}, 0), 195_ns);
}

TEST(BusTiming, ZeroRateIsRefused) {
  config::Channels c = channels();
  c.rate = TransfersPerSecond(0);
  EXPECT_THROW(BusTiming{c}, std::invalid_argument);
}

}  // namespace
}  // namespace wordline::onfi
