// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/channel_clocks.h"

#include <gtest/gtest.h>

#include <string>

#include "models/config/bus_modes.h"
#include "models/config/schema.h"

namespace wordline::config::channel_clocks_test {
namespace {

using namespace wordline::literals;

Channels channels_in(BusMode mode) {
  Config config{};
  for (const Key& key : schema()) {
    if (table_of(key.name) == "channels") key.set(config, default_value(key));
  }
  return switched_to(config.channels, mode);
}

constexpr Picoseconds Channels::*kWaits[] = {
    &Channels::t_cs,   &Channels::t_cals,  &Channels::t_wc,   &Channels::t_adl,  &Channels::t_ccs,
    &Channels::t_whr,  &Channels::t_rhw,   &Channels::t_wb,   &Channels::t_rr,   &Channels::t_rpre,
    &Channels::t_rpst, &Channels::t_dqsre, &Channels::t_wpre, &Channels::t_wpst, &Channels::t_wpsth,
};

// 800 MT/s: a clock is 1250 ps. By hand.
TEST(ChannelClocks, OfModeTen) {
  const ChannelClocks n = clocks_of(channels_in({BusInterface::kNvDdr3, 10}));
  EXPECT_EQ(n.period, 1250_ps);
  EXPECT_FALSE(n.sdr);
  EXPECT_EQ(n.setup, 16U);
  EXPECT_EQ(n.write_cycle, 20U);
  EXPECT_EQ(n.write_low, 10U);
  EXPECT_EQ(n.adl, 320U);
  EXPECT_EQ(n.ccs, 320U);
  EXPECT_EQ(n.whr, 64U);
  EXPECT_EQ(n.rhw, 80U);
  EXPECT_EQ(n.wb, 80U);
  EXPECT_EQ(n.rr, 16U);
  EXPECT_EQ(n.write_preamble, 12U);
  EXPECT_EQ(n.write_postamble, 6U + 12U);  // 6.5 ns is 5.2 clocks
  EXPECT_EQ(n.read_preamble, 12U);
  EXPECT_EQ(n.read_latency, 20U);
  EXPECT_EQ(n.read_postamble, 21U);
  EXPECT_EQ(n.warm_up, 0U);
}

TEST(ChannelClocks, OfSdrAreAFourthOfACycleAtMost) {
  const ChannelClocks five = clocks_of(channels_in({BusInterface::kSdr, 5}));
  EXPECT_EQ(five.period, 5_ns);
  EXPECT_EQ(five.write_cycle, 4U);
  EXPECT_EQ(five.read_cycle, 4U);
  const ChannelClocks one = clocks_of(channels_in({BusInterface::kSdr, 1}));
  EXPECT_EQ(one.period, 5_ns);  // divides 45 ns and 50 ns
  EXPECT_EQ(one.write_cycle, 9U);
  EXPECT_EQ(one.read_cycle, 10U);
}

// No time gets shorter, none longer than to the next clock, and rates by no more than a thousandth.
TEST(ChannelClocks, EveryModeIsRoundedUp) {
  for (const BusModeName& mode : bus_modes()) {
    const Channels channels = channels_in(mode.mode);
    ASSERT_EQ(clocks_fault(channels), "") << mode.name;
    const Channels rounded = in_whole_clocks(channels);
    const Picoseconds period = clocks_of(channels).period;
    for (const auto time : kWaits) {
      EXPECT_GE(rounded.*time, channels.*time) << mode.name;
      if (time != &Channels::t_wc) {
        EXPECT_LT(rounded.*time, channels.*time + period) << mode.name;
      }
      EXPECT_EQ((rounded.*time).count() % period.count(), 0) << mode.name;
    }
    EXPECT_GE(rounded.t_wc, period * 2) << mode.name;
    if (mode.mode.interface == BusInterface::kSdr) continue;
    EXPECT_LE(rounded.rate, channels.rate) << mode.name;
    // 67 MT/s of the slowest modes are 66.65 where a clock is whole picoseconds.
    EXPECT_GE(static_cast<double>(rounded.rate.count()), 0.994 * static_cast<double>(channels.rate.count()))
        << mode.name;
    // A burst is whole clocks, to the picosecond.
    for (const std::uint64_t transfers : {2U, 8U, 4648U, 18592U, 74368U}) {
      EXPECT_EQ(transfer_time(transfers, BytesPerSecond(rounded.rate.count())),
                period * static_cast<std::int64_t>(transfers))
          << mode.name;
    }
  }
}

TEST(ChannelClocks, SayWhatDoesNotFit) {
  Channels channels = channels_in({BusInterface::kNvDdr3, 10});
  channels.t_adl = 1250_ps * 2047;
  EXPECT_EQ(clocks_fault(channels), "");
  channels.t_adl += 1_ps;
  EXPECT_EQ(clocks_fault(channels), "channels.t_adl = 2558751 ps is 2048 clocks of 1250 ps, expected at most 2047");
  channels = channels_in({BusInterface::kSdr, 5});
  channels.t_rc = 20'001_ps;
  EXPECT_NE(clocks_fault(channels).find("no common clock"), std::string::npos);
}

}  // namespace
}  // namespace wordline::config::channel_clocks_test
