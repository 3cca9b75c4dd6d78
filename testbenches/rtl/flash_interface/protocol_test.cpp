// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The flash interface in gates by itself: its registers, what a drive does not do to it, and broken protocols.
#include <gtest/gtest.h>

#include <algorithm>

#include "rtl/verilated/simulation_stopped.h"
#include "testbenches/rtl/flash_interface/interface_bench.h"

namespace wordline::testing::protocol_test {
namespace {

using onfi::SegmentKind;
using rtl::FlashInterface;

config::ChannelClocks times() { return config::clocks_of(channels_in("nv-ddr3-10")); }

TEST(FlashInterfaceRegisters, AreSlowSdrAfterPowerOn) {
  FlashInterface dut;
  EXPECT_EQ(dut.apb({false, 0, 0}).data, 1U);
  for (unsigned i = 1; i <= FlashInterface::kTimes; ++i) EXPECT_EQ(dut.apb({false, 4 * i, 0}).data, 0xfffU) << i;
}

TEST(FlashInterfaceRegisters, HoldWhatIsWritten) {
  FlashInterface dut;
  dut.apb({true, 0, 0xfffffffe});
  for (unsigned i = 1; i <= FlashInterface::kTimes; ++i)
    EXPECT_FALSE(dut.apb({true, 4 * i, 0xfffff000U + 201 * i}).error);
  EXPECT_EQ(dut.apb({false, 0, 0}).data, 0U);
  for (unsigned i = 1; i <= FlashInterface::kTimes; ++i) EXPECT_EQ(dut.apb({false, 4 * i, 0}).data, 201 * i) << i;
}

TEST(FlashInterfaceRegisters, RefuseWhatIsNoRegister) {
  FlashInterface dut;
  dut.apb({true, 4, 5});
  EXPECT_TRUE(dut.apb({true, 4 * (FlashInterface::kTimes + 1), 1}).error);
  EXPECT_TRUE(dut.apb({false, 4 * (FlashInterface::kTimes + 1), 0}).error);
  EXPECT_TRUE(dut.apb({false, 0xfc, 0}).error);
  EXPECT_TRUE(dut.apb({true, 6, 1}).error);
  EXPECT_TRUE(dut.apb({true, 4, 1, 0x3}).error);
  EXPECT_EQ(dut.apb({false, 4, 0}).data, 5U);
}

/// Clocks the block until `until` or a few thousand clocks have passed.
template <class Until>
void clock_until(FlashInterface& dut, Until until) {
  for (int i = 0; i < 20'000 && !until(); ++i) dut.clock();
  ASSERT_TRUE(until());
}

TEST(FlashInterfaceProtocol, ABurstWaitsForItsBytes) {
  FlashInterface dut;
  dut.set_times(times());
  onfi::PinReader reader(times());
  dut.offer(data(1, SegmentKind::kDataIn, 6));
  // Page data start with their first byte there.
  for (int i = 0; i < 20; ++i) dut.clock();
  EXPECT_EQ(dut.pins().ce_n, 0xff);
  std::uint8_t byte = 0x10;
  dut.offer_byte(byte);
  dut.settle();
  std::int64_t pause = 0;
  bool over = false;
  for (std::int64_t clock = 1; !over && clock < 1000; ++clock) {
    const bool accepted = dut.ready();
    const bool taken = dut.byte_taken();
    dut.clock();
    if (accepted) dut.nothing_offered();
    if (taken && ++byte == 0x13) {
      dut.no_byte();
      pause = 9;
    } else if (taken) {
      dut.offer_byte(byte);
    } else if (pause > 0 && --pause == 0) {
      dut.offer_byte(byte);
    }
    dut.settle();
    over = reader.clock(clock, dut.pins());
  }
  EXPECT_EQ(reader.segment().in, (std::vector<std::uint8_t>{0x10, 0x11, 0x12, 0x13, 0x14, 0x15}));
  EXPECT_TRUE(reader.segment().uneven);
  EXPECT_EQ(reader.segment().last - reader.segment().first, 5 + 9);
}

TEST(FlashInterfaceProtocol, MissingStrobesAreReported) {
  FlashInterface dut;
  dut.set_times(times());
  dut.offer(data(0, SegmentKind::kDataOut, 4));
  dut.settle();
  clock_until(dut, [&] { return dut.pins().ce_n != 0xff; });
  dut.nothing_offered();
  clock_until(dut, [&] { return dut.done(); });
  EXPECT_TRUE(dut.done_short());
  // An input has none to miss.
  dut.offer(command(0, 0x80, 5));
  clock_until(dut, [&] { return dut.pins().ce_n != 0xff; });
  dut.nothing_offered();
  clock_until(dut, [&] { return dut.done(); });
  EXPECT_FALSE(dut.done_short());
}

TEST(FlashInterfaceProtocol, ChipEnableIsHighAsLongAsItsRegisterSays) {
  for (const std::uint32_t high : {0U, 1U, 2U, 3U, 17U}) {
    config::ChannelClocks programmed = times();
    programmed.chip_high = high;
    FlashInterface dut;
    dut.set_times(programmed);
    dut.offer(command(0, 0x80, 5));
    clock_until(dut, [&] { return dut.pins().ce_n != 0xff; });
    dut.offer(command(1, 0x80, 5));
    clock_until(dut, [&] { return dut.pins().ce_n == 0xff; });
    const std::uint64_t from = dut.clocks();
    clock_until(dut, [&] { return dut.pins().ce_n != 0xff; });
    dut.nothing_offered();
    EXPECT_EQ(dut.clocks() - from, std::max(high, 1U)) << high;
    EXPECT_EQ(dut.pins().ce_n, 0xfd);
  }
}

TEST(FlashInterfaceProtocol, ResetEndsWhatIsUnderWayAndEveryWait) {
  InterfaceBench bench(channels_in("nv-ddr3-10"));
  FlashInterface& dut = bench.engine.block();
  for (const unsigned after : {1U, 20U, 60U, 300U}) {
    dut.set_times(times());
    dut.offer(command(2, 0x80, 5));
    clock_until(dut, [&] { return dut.pins().ce_n != 0xff; });
    dut.nothing_offered();
    for (unsigned i = 0; i < after; ++i) dut.clock();
    dut.reset();
    EXPECT_EQ(dut.pins(), onfi::ChannelPins{});
    dut.set_times(times());
    // tADL of before would hold it.
    dut.offer(data(2, SegmentKind::kDataIn, 2));
    dut.offer_byte(0x55);
    dut.settle();
    EXPECT_TRUE(dut.ready());
    dut.clock();
    dut.nothing_offered();
    dut.no_byte();
    dut.reset();
  }
}

// ---- broken from outside --------------------------------------------------------------------------------------------

TEST(FlashInterfaceProtocol, ASegmentIsNotWithdrawn) {
  FlashInterface dut;
  dut.set_times(times());
  dut.set_ready_busy(0, false);
  for (int i = 0; i < 4; ++i) dut.clock();
  dut.offer(command(0, 0x60, 3, 0xd0));
  dut.clock();
  dut.nothing_offered();
  EXPECT_THROW(dut.clock(), rtl::SimulationStopped);
}

TEST(FlashInterfaceProtocol, PageDataHaveBytes) {
  FlashInterface dut;
  dut.set_times(times());
  dut.offer(data(0, SegmentKind::kDataOut, 0));
  EXPECT_THROW(
      {
        for (int i = 0; i < 5; ++i) dut.clock();
      },
      rtl::SimulationStopped);
}

TEST(FlashInterfaceProtocol, TimesStayWithinASegment) {
  FlashInterface dut;
  dut.set_times(times());
  dut.offer(command(0, 0x80, 5));
  clock_until(dut, [&] { return dut.pins().ce_n != 0xff; });
  dut.nothing_offered();
  EXPECT_THROW(
      {
        dut.apb({true, 4, 99});
        for (int i = 0; i < 5; ++i) dut.clock();
      },
      rtl::SimulationStopped);
}

}  // namespace
}  // namespace wordline::testing::protocol_test
