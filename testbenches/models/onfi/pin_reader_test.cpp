// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What is said of a segment at the pins whose times may be longer than asked for: each one longer, and each a clock too
// short, worked out by hand. Exact lengths are held by testbenches/rtl/flash_interface.
#include "models/onfi/pin_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace wordline::onfi::pin_reader_test {
namespace {

config::ChannelClocks with_dqs() {
  config::ChannelClocks t;
  t.setup = 4;
  t.write_cycle = 8;
  t.write_low = 4;
  t.read_cycle = t.read_low = 1;
  t.adl = 20;
  t.whr = 12;
  t.write_preamble = 3;
  t.write_postamble = 2;
  t.read_preamble = 3;
  t.read_latency = 4;
  t.read_postamble = 2;
  return t;
}

struct Asked {
  SegmentKind kind;
  Cycles cycles;
  std::uint32_t bytes = 0;
};

Asked status() { return {SegmentKind::kStatus, {0x70, kNoConfirm, 0, {}}}; }
Asked erase() { return {SegmentKind::kCommand, {0x60, 0xd0, 1, {{0x05}}}}; }

/// 70h from clock 4 to 12, RE_n low in 24, strobes in 27 and 28; they come back 4 clocks later.
PinReader::Segment seen_status() {
  PinReader::Segment s;
  s.setup = 4;
  s.cycles = {{true, 0x70}};
  s.cycles_end = 12;
  s.data = 24;
  s.first = 27;
  s.last = 28;
  s.out = 2;
  s.end = 35;
  return s;
}

/// Three cycles from clock 4 to 28.
PinReader::Segment seen_erase() {
  PinReader::Segment s;
  s.setup = 4;
  s.shortest_cycle = 8;
  s.cycles = {{true, 0x60}, {false, 0x05}, {true, 0xd0}};
  s.cycles_end = s.end = 28;
  return s;
}

std::string said(const Asked& asked, const PinReader::Segment& seen, Lengths lengths = Lengths::kAtLeast) {
  return difference(seen, asked.kind, asked.cycles, asked.bytes, with_dqs(), lengths);
}

TEST(PinReader, LongerTimesAreTakenWhereTheyMayBe) {
  EXPECT_EQ(said(status(), seen_status()), "");
  EXPECT_EQ(said(erase(), seen_erase()), "");
  PinReader::Segment longer = seen_erase();
  longer.setup += 2;
  longer.shortest_cycle += 1;
  longer.end += 5;
  EXPECT_EQ(said(erase(), longer), "");
  EXPECT_EQ(said(erase(), longer, Lengths::kExact), "the cycles end 33 clocks from their start, expected 28");
  longer = seen_status();
  longer.data += 1;
  longer.first += 3;
  longer.last += 4;
  longer.uneven = true;
  longer.end += 10;
  EXPECT_EQ(said(status(), longer), "");
  EXPECT_EQ(said(status(), longer, Lengths::kExact), "bytes are not one cycle apart");
}

TEST(PinReader, EachTimeThatIsAClockShortIsNamed) {
  PinReader::Segment s = seen_erase();
  s.end -= 1;
  EXPECT_EQ(said(erase(), s), "the cycles end 27 clocks from their start, expected at least 28");
  s = seen_erase();
  s.setup -= 1;
  EXPECT_EQ(said(erase(), s), "the first cycle begins after 3 clocks, expected at least 4");
  s = seen_erase();
  s.shortest_cycle -= 1;
  EXPECT_EQ(said(erase(), s), "a cycle of 7 clocks, expected at least 8");
  s = seen_status();
  s.early = true;
  EXPECT_EQ(said(status(), s), "bytes are less than one cycle apart");
  s = seen_status();
  s.data -= 1;
  EXPECT_EQ(said(status(), s), "data begin after 11 clocks, expected at least 12 (tWHR)");
  s = seen_status();
  s.first -= 1;
  EXPECT_EQ(said(status(), s), "a preamble of 2 clocks, expected at least 3");
  s = seen_status();
  s.end -= 1;
  EXPECT_EQ(said(status(), s), "it ends 6 clocks after its last byte, expected at least 7");
}

/// Pins with cycles of WE_n so many clocks apart, the first one after `setup`; without `cle` they are bytes of SDR.
PinReader::Segment read(std::int64_t setup, const std::vector<std::int64_t>& cycles, bool cle = true) {
  config::ChannelClocks times = with_dqs();
  times.sdr = !cle;
  PinReader reader(times);
  ChannelPins pins;
  pins.ce_n = 0xfe;
  pins.cle = cle;
  pins.dq_driven = true;
  std::int64_t clock = 0;
  for (; clock < setup; ++clock) EXPECT_FALSE(reader.clock(clock, pins));
  for (const std::int64_t cycle : cycles) {
    for (std::int64_t i = 0; i < cycle; ++i) {
      pins.we_n = i >= 3;
      EXPECT_FALSE(reader.clock(clock++, pins));
      EXPECT_TRUE(reader.active());
    }
  }
  EXPECT_TRUE(reader.clock(clock, {}));
  EXPECT_FALSE(reader.active());
  return reader.segment();
}

TEST(PinReader, MeasuresSetUpAndTheShortestCycle) {
  EXPECT_EQ(read(5, {9, 9}).setup, 5);
  EXPECT_EQ(read(0, {6, 6}).setup, 0);
  EXPECT_EQ(read(5, {9, 9}).shortest_cycle, 9);
  EXPECT_EQ(read(5, {9, 7, 8, 9}).shortest_cycle, 7);
  EXPECT_EQ(read(5, {9}).shortest_cycle, -1) << "the last one ends with the segment";
}

TEST(PinReader, BytesMayBeFurtherApartAndNoNearer) {
  EXPECT_FALSE(read(4, {8, 8, 8}, false).uneven);
  EXPECT_TRUE(read(4, {8, 9, 8}, false).uneven);
  EXPECT_FALSE(read(4, {8, 9, 8}, false).early);
  EXPECT_TRUE(read(4, {8, 7, 8}, false).early);
}

}  // namespace
}  // namespace wordline::onfi::pin_reader_test
