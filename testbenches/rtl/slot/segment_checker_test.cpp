// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Each rule of the ports of a flash sequencer is kept once and broken once.
#include "rtl/slot/segment_checker.h"

#include <gtest/gtest.h>

#include <functional>
#include <type_traits>
#include <vector>

namespace wordline::rtl::segment_checker_test {
namespace {

/// Where the pins are kept.
struct Ports {
#define WORDLINE_PORT(name, bits, direction) std::remove_reference_t<PinOf<bits>> name{};
#include "rtl/verilated/flash_interface_ports.def"
#undef WORDLINE_PORT
  [[nodiscard]] FlashInterfacePins pins() {
    return {
#define WORDLINE_PORT(name, bits, direction) name,
#include "rtl/verilated/flash_interface_ports.def"
#undef WORDLINE_PORT
    };
  }
};

/// A clock: what is other than with nothing asked for and nothing under way.
using Clock = std::function<void(Ports&)>;

const Clock kNothing = [](Ports&) {};
const Clock kReset = [](Ports& p) { p.rst_ni = 0; };
const Clock kTaken = [](Ports& p) { p.segment_valid_i = p.segment_ready_o = p.segment_chip_i = 1; };
const Clock kDataOutTaken = [](Ports& p) {
  kTaken(p);
  p.segment_kind_i = 2;
  p.segment_bytes_i = 2;
};
const Clock kSelected = [](Ports& p) { p.ce_no = 0xfd; };
const Clock kByte = [](Ports& p) {
  p.ce_no = 0xfd;
  p.m_axis_tvalid_o = 1;
};
const Clock kLastByte = [](Ports& p) {
  kByte(p);
  p.m_axis_tlast_o = 1;
};
const Clock kDone = [](Ports& p) { p.done_o = 1; };

/// What is said of the last of these clocks; nothing is to be said of the others.
std::string said(const std::vector<Clock>& clocks) {
  SegmentChecker checker;
  std::string found;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    EXPECT_EQ(found, "") << "clock " << i - 1;
    Ports ports;
    ports.rst_ni = 1;
    ports.ce_no = 0xff;
    clocks[i](ports);
    found = checker.clock(ports.pins());
  }
  return found;
}

TEST(SegmentChecker, TakesSegmentsAndTheirPauses) {
  EXPECT_EQ(said({kReset, kReset, kNothing, kTaken, kNothing, kSelected, kSelected, kDone}), "");
  EXPECT_EQ(said({kDataOutTaken, kSelected, kByte, kSelected, kLastByte, kNothing, kDone, kTaken, kSelected, kDone,
                  kDataOutTaken, kByte, kLastByte, kDone}),
            "");
  const Clock done_and_next = [](Ports& p) {
    kDone(p);
    kTaken(p);
  };
  EXPECT_EQ(said({kTaken, kSelected, done_and_next, kSelected, kDone}), "");
  const Clock last_with_done = [](Ports& p) { p.m_axis_tvalid_o = p.m_axis_tlast_o = p.done_o = 1; };
  EXPECT_EQ(said({kDataOutTaken, kSelected, kByte, last_with_done}), "");
  const Clock done_short = [](Ports& p) { p.done_o = p.done_short_o = 1; };
  EXPECT_EQ(said({kDataOutTaken, kSelected, kByte, done_short, kNothing}), "");
}

TEST(SegmentChecker, NothingMovesInReset) {
  const auto in_reset = [](const Clock& clock) {
    return Clock([clock](Ports& p) {
      clock(p);
      p.rst_ni = 0;
    });
  };
  EXPECT_EQ(said({in_reset(kSelected)}), "") << "registers know of it a clock later";
  EXPECT_EQ(said({kReset, in_reset(kSelected)}), "ce_no is fdh in reset, expected ffh");
  EXPECT_EQ(said({kReset, in_reset(kDone)}), "done_o is high in reset");
  EXPECT_EQ(said({kReset, in_reset([](Ports& p) { p.m_axis_tvalid_o = 1; })}), "m_axis_tvalid_o is high in reset");
  EXPECT_EQ(said({kTaken, kReset, kNothing, kSelected}), "ce_no is fdh, expected ffh: no segment was taken");
}

TEST(SegmentChecker, NothingMovesWithoutASegment) {
  EXPECT_EQ(said({kSelected}), "ce_no is fdh, expected ffh: no segment was taken");
  EXPECT_EQ(said({kDone}), "done_o is high, and no segment was taken");
  EXPECT_EQ(said({[](Ports& p) { p.m_axis_tvalid_o = 1; }}), "m_axis_tvalid_o is high, and no segment was taken");
  EXPECT_EQ(said({kTaken, kSelected, kDone, kDone}), "done_o is high, and no segment was taken");
}

TEST(SegmentChecker, ASegmentHasOneChipAndOneDoneAfterIt) {
  EXPECT_EQ(said({kTaken, [](Ports& p) { p.ce_no = 0xfe; }}), "ce_no is feh, expected fdh");
  EXPECT_EQ(said({kTaken, [](Ports& p) { p.ce_no = 0xfc; }}), "ce_no is fch, expected fdh");
  EXPECT_EQ(said({kTaken, kSelected, kNothing, kSelected}),
            "ce_no falls again within one segment: chip enable stays low to its end");
  EXPECT_EQ(said({kTaken, kDone}), "done_o is high before chip enable was low");
  const Clock early = [](Ports& p) {
    kSelected(p);
    kDone(p);
  };
  EXPECT_EQ(said({kTaken, kSelected, early}), "done_o is high before chip enable has risen");
  EXPECT_EQ(said({kTaken, [](Ports& p) { p.quiet_o = 1; }}),
            "quiet_o is high within a segment: the drive would stop the clock");
  EXPECT_EQ(said({kTaken, kTaken}), "segment_ready_o is high, and the segment before has had no done_o");
}

TEST(SegmentChecker, BytesOutAreThoseThatWereAskedFor) {
  EXPECT_EQ(said({kTaken, kByte}), "m_axis_tvalid_o is high in a segment that is no data out");
  EXPECT_EQ(said({kDataOutTaken, kLastByte}), "m_axis_tlast_o is 1 with byte 0 of 2");
  EXPECT_EQ(said({kDataOutTaken, kByte, kByte}), "m_axis_tlast_o is 0 with byte 1 of 2");
  EXPECT_EQ(said({kDataOutTaken, kByte, kLastByte, kByte}), "m_axis_tvalid_o is high, and all 2 bytes came out");
  EXPECT_EQ(said({kDataOutTaken, kByte, kDone}), "done_o is high after 1 of 2 bytes came out, and done_short_o is low");
}

}  // namespace
}  // namespace wordline::rtl::segment_checker_test
