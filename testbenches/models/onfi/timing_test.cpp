// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/timing.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "models/config/bus_modes.h"
#include "testbenches/tlm/device/flash/reference_config.h"

namespace wordline::onfi::timing_test {
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

config::Channels sdr(unsigned mode) { return config::switched_to(channels(), {config::BusInterface::kSdr, mode}); }

TEST(BusTiming, SdrMovesAByteInEachCycle) {
  const BusTiming slow(sdr(0));  // tCS 70, tWC and tRC 100, tWHR 120
  EXPECT_EQ(slow.command(7), 770_ns);
  EXPECT_EQ(slow.data_in(2048), 70_ns + 204'800_ns);
  EXPECT_EQ(slow.data_out(2048), 70_ns + 204'800_ns);
  EXPECT_EQ(slow.data_out(1), 170_ns);  // no pairs
  EXPECT_EQ(slow.status_sample(1), 290_ns);
  EXPECT_EQ(slow.status(1), 390_ns);
  EXPECT_EQ(slow.segment(SegmentKind::kSetFeatures, {kSetFeatures, kNoConfirm, 1, {}}, 0), 270_ns + 400_ns + 400_ns);
  EXPECT_EQ(slow.segment(SegmentKind::kFeatureOut, {}, 0), 470_ns);
  const BusTiming second(sdr(1));  // tWC 45, tRC 50
  EXPECT_EQ(second.data_in(1000), 35_ns + 45_us);
  EXPECT_EQ(second.data_out(1000), 35_ns + 50_us);
}

TEST(BusTiming, WarmUpCyclesComeBeforePageData) {
  config::Channels c = channels();
  c.warmup_cycles = 2;
  const BusTiming timing(c);
  const BusTiming without(channels());
  EXPECT_EQ(timing.data_in(4648), without.data_in(4648) + 5_ns);  // 4 transfers of 1.25 ns
  EXPECT_EQ(timing.data_out(4648), without.data_out(4648) + 5_ns);
  EXPECT_EQ(timing.status(1), without.status(1));
  EXPECT_EQ(timing.segment(SegmentKind::kFeatureOut, {}, 0), without.segment(SegmentKind::kFeatureOut, {}, 0));
}

TEST(BusTiming, APageAtTwoThousandFourHundred) {
  const BusTiming timing(config::switched_to(channels(), {config::BusInterface::kNvDdr3, 19}));
  // 15 + 25 + (25 + 0.417) ns and 4 + 18592 transfers at 2.4 GT/s: 7748.33 ns.
  EXPECT_EQ(timing.data_out(18592), 65'417_ps + 7'748'334_ps);
}

}  // namespace
}  // namespace wordline::onfi::timing_test
