// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The flash interface in gates against its reference: random segments in any order, at random times, R/B_n moving
// beneath them. Start and end in clocks (onfi::InterfaceClocks), every pin in every clock (expected_pins.h), what a die
// would read from the pins (onfi::PinReader), every byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "testbenches/rtl/flash_interface/interface_bench.h"

namespace wordline::testing::lockstep_test {
namespace {

using onfi::SegmentKind;

struct Sequence {
  std::uint8_t opcode, confirm;
  std::uint8_t addresses;
  bool busy;
};
constexpr std::array<Sequence, 24> kSequences = {{
    {0x00, 0x30, 5, true},  {0x00, 0x32, 5, true},  {0x00, 0x35, 5, true},  {0x31, 0x00, 0, true},
    {0x3f, 0x00, 0, true},  {0x10, 0x00, 0, true},  {0x11, 0x00, 0, true},  {0x15, 0x00, 0, true},
    {0x1a, 0x00, 0, true},  {0x60, 0xd0, 3, true},  {0x60, 0xd1, 3, true},  {0xef, 0x00, 1, true},
    {0xd5, 0x00, 2, true},  {0xee, 0x00, 1, true},  {0xd4, 0x00, 2, true},  {0xff, 0x00, 0, true},
    {0x80, 0x00, 5, false}, {0x85, 0x00, 5, false}, {0x85, 0x00, 2, false}, {0x06, 0xe0, 5, false},
    {0xc0, 0x00, 1, false}, {0x00, 0x00, 0, false}, {0x70, 0x00, 0, false}, {0x78, 0x00, 7, false},
}};

class RandomTraffic {
 public:
  RandomTraffic(const config::Channels& channels, std::uint64_t seed) : bench_(channels), random_(seed) {}

  void segment() {
    const auto die = static_cast<std::uint8_t>(below(4));
    const std::uint64_t kind = below(10);
    onfi::InterfaceSegment segment;
    bool busy = false;
    if (kind < 3) {
      constexpr std::array<SegmentKind, 3> kData = {SegmentKind::kDataIn, SegmentKind::kDataOut,
                                                    SegmentKind::kFeatureOut};
      segment = data(die, kData.at(below(3)), static_cast<std::uint32_t>(1 + below(40)));
    } else {
      const Sequence& sequence = kSequences.at(below(kSequences.size()));
      segment = command(die, sequence.opcode, sequence.addresses, sequence.confirm);
      busy = sequence.busy;
    }
    // Two LUNs behind a chip: dies 0 and 2, 1 and 3.
    segment.chip = die % 2;
    const rtl::FlashInterfaceEngine::Carried& carried = bench_.carry(segment, now_);
    ASSERT_EQ(bench_.difference(), "");
    const Picoseconds end = carried.span.end;
    if (busy && ready_.at(die) < end) {  // else RESET of a busy die, which stays so
      // At the latest in the clock that tWB ends with; low for a few clocks up to a few microseconds.
      const config::ChannelClocks& times = bench_.engine.times();
      const Picoseconds fall = end + bench_.period() * static_cast<std::int64_t>(1 + below(times.wb)) -
                               Picoseconds(static_cast<std::int64_t>(below(2) * below(300)));
      const std::int64_t low = below(8) == 0 ? 0 : below(3) == 0 ? below(12) : below(4000);
      ready_.at(die) = fall + bench_.period() * low + Picoseconds(static_cast<std::int64_t>(1 + below(2500)));
      bench_.busy(die, fall, ready_.at(die));
    }
    // Asked for at once, or while something is waited for, or long after.
    const std::uint64_t pause = below(3);
    now_ = pause == 0 ? Picoseconds(0)
                      : end + Picoseconds(static_cast<std::int64_t>(below(pause == 1 ? 2'000'000 : 9'000'000)));
  }
  [[nodiscard]] const InterfaceBench& bench() const { return bench_; }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  InterfaceBench bench_;
  std::mt19937_64 random_;
  Picoseconds now_{};
  std::array<Picoseconds, 4> ready_{};  // by die, when R/B_n rises
};

class LockstepInMode : public ::testing::TestWithParam<const char*> {};

TEST_P(LockstepInMode, RandomSegmentsHaveTheReferencesPins) {
  RandomTraffic traffic(channels_in(GetParam()), 11);
  for (int i = 0; i < 400; ++i) {
    traffic.segment();
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(traffic.bench().engine.segments(), 400U);
}

INSTANTIATE_TEST_SUITE_P(FlashInterface, LockstepInMode,
                         ::testing::Values("sdr-0", "sdr-1", "sdr-3", "sdr-5", "nv-ddr2-0", "nv-ddr2-5", "nv-ddr2-10",
                                           "nv-ddr3-4", "nv-ddr3-10", "nv-ddr3-12", "nv-ddr3-15", "nv-ddr3-19"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Times that no mode has: zeros, ones, and what registers just hold.
TEST(FlashInterface, OddTimesHoldToo) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 40; ++round) {
    config::Channels channels = channels_in(round % 3 == 0 ? "sdr-5" : "nv-ddr3-10");
    const Picoseconds period = config::clocks_of(channels).period;
    for (Picoseconds config::Channels::*time :
         {&config::Channels::t_cs, &config::Channels::t_cals, &config::Channels::t_adl, &config::Channels::t_ccs,
          &config::Channels::t_whr, &config::Channels::t_rhw, &config::Channels::t_wb, &config::Channels::t_rr,
          &config::Channels::t_rpre, &config::Channels::t_dqsre, &config::Channels::t_rpst, &config::Channels::t_wpre,
          &config::Channels::t_wpst, &config::Channels::t_wpsth}) {
      const std::uint64_t kind = random() % 8;
      const std::uint64_t clocks = kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? 2047 : random() % 60;
      channels.*time = period * static_cast<std::int64_t>(clocks);
    }
    if (round % 3 != 0) channels.t_wc = period * static_cast<std::int64_t>(2 + random() % 12);
    channels.warmup_cycles = static_cast<std::uint32_t>(random() % 9);
    RandomTraffic traffic(channels, random());
    for (int i = 0; i < 60; ++i) {
      traffic.segment();
      if (HasFatalFailure()) return;
    }
  }
}

/// The traffic above is of four dies and short transfers.
TEST(FlashInterface, EveryDieChipAndLengthHoldToo) {
  InterfaceBench bench(channels_in("nv-ddr3-19"));
  const auto carry = [&](onfi::InterfaceSegment segment, unsigned chip) {
    segment.chip = static_cast<std::uint8_t>(chip);
    for (unsigned i = 0; i < segment.cycles.address_count; ++i) {
      segment.cycles.address.at(i) = static_cast<std::uint8_t>(bench.random());
    }
    for (std::uint8_t& parameter : segment.parameters) parameter = static_cast<std::uint8_t>(bench.random());
    bench.carry(segment, Picoseconds(0));
    ASSERT_EQ(bench.difference(), "") << "die " << int{segment.die} << ", chip " << chip;
  };
  for (unsigned i = 0; i < 16; ++i) {
    const auto die = static_cast<std::uint8_t>(i % 8);
    const unsigned chip = i < 8 ? i : 15 - i;
    carry(command(die, 0x80, 5), chip);
    carry(data(die, SegmentKind::kDataIn, 5), chip);
    carry(command(die, 0xd5, 2), chip);  // SET FEATURES of a LUN
    carry(command(die, 0x06, 5, 0xe0), chip);
    carry(data(die, SegmentKind::kDataOut, 3), chip);
    carry(command(die, 0x70, 0), chip);
    if (HasFatalFailure()) return;
  }
  // Nothing is known of what follows READ ID: the die is asked for it at once.
  carry(command(3, 0x90, 1), 3);
  carry(data(3, SegmentKind::kDataOut, 6), 3);
  // The most that a segment can say.
  carry(data(5, SegmentKind::kDataIn, (1U << 17) - 1), 5);
  carry(data(6, SegmentKind::kDataOut, (1U << 17) - 1), 6);
}

}  // namespace
}  // namespace wordline::testing::lockstep_test
