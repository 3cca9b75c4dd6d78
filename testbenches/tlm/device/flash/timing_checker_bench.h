// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/flash/bus/timing_checker.h"

/// Segments of exact length, by hand, for a timing checker without a bus.
namespace wordline::testing::checker_bench {

using flash::OnfiTransaction;
using flash::TimingChecker;
using onfi::SegmentKind;
using namespace wordline::literals;

// Lengths by hand, see models/onfi's tests.
inline constexpr Picoseconds kCommand1 = 45_ns, kCommand2 = 70_ns, kCommand5 = 145_ns, kCommand6 = 170_ns,
                             kCommand7 = 195_ns, kStatusLength = 193'750_ps, kSetLength = 516'500_ps,
                             kLpageOut = 5'876'250_ps, kPageIn = 23'276'500_ps, kFeatureLength = 76'250_ps;

inline OnfiTransaction segment(SegmentKind kind, std::uint8_t opcode, std::uint8_t addresses, std::uint8_t confirm,
                               std::uint32_t bytes, Picoseconds start, Picoseconds length, std::uint16_t die = 0) {
  OnfiTransaction t;
  t.kind = kind;
  t.die = die;
  t.cycles.opcode = opcode;
  t.cycles.address_count = addresses;
  t.cycles.confirm = confirm;
  t.bytes = bytes;
  t.start = start;
  t.end = start + length;
  return t;
}
inline OnfiTransaction read(Picoseconds at, std::uint8_t confirm = 0x30, std::uint16_t die = 0) {
  return segment(SegmentKind::kCommand, 0x00, 5, confirm, 0, at, kCommand7, die);
}
inline OnfiTransaction status(Picoseconds at, std::uint16_t die = 0) {
  return segment(SegmentKind::kStatus, 0x70, 0, 0, 0, at, kStatusLength, die);
}
inline OnfiTransaction data_out(Picoseconds at, std::uint16_t die = 0) {
  return segment(SegmentKind::kDataOut, 0, 0, 0, 4648, at, kLpageOut, die);
}
inline OnfiTransaction load(Picoseconds at) { return segment(SegmentKind::kCommand, 0x80, 5, 0, 0, at, kCommand6); }
inline OnfiTransaction data_in(Picoseconds at) { return segment(SegmentKind::kDataIn, 0, 0, 0, 4 * 4648, at, kPageIn); }
inline OnfiTransaction confirm(std::uint8_t code, Picoseconds at) {
  return segment(SegmentKind::kCommand, code, 0, 0, 0, at, kCommand1);
}
inline OnfiTransaction change_column(Picoseconds at) {
  return segment(SegmentKind::kCommand, 0x06, 5, 0xe0, 0, at, kCommand7);
}
inline OnfiTransaction set_features(Picoseconds at) {
  return segment(SegmentKind::kSetFeatures, 0xef, 1, 0, 0, at, kSetLength);
}
inline OnfiTransaction get_features(Picoseconds at) {
  return segment(SegmentKind::kGetFeatures, 0xee, 1, 0, 0, at, kCommand2);
}

/// Runs `prepare` on a fresh checker twice, then `probe(at)` at the limit and 1 ps before it.
template <class Prepare, class Probe>
void expect_tight(const char* rule, Picoseconds limit, Picoseconds required, Prepare&& prepare, Probe&& probe) {
  expect_reports(true);
  TimingChecker on_time("on_time", reference_config().channels);
  prepare(on_time);
  on_time.segment(probe(limit));
  EXPECT_EQ(on_time.violations(), 0U) << rule << ": " << on_time.last_violation().rule;
  EXPECT_EQ(reports_seen(), 0U);

  TimingChecker early("early", reference_config().channels);
  prepare(early);
  early.segment(probe(limit - 1_ps));
  EXPECT_EQ(early.violations(), 1U);
  EXPECT_EQ(reports_seen(), 1U);
  EXPECT_EQ(early.last_violation().rule, rule);
  EXPECT_EQ(early.last_violation().required, required);
  EXPECT_EQ(early.last_violation().measured, required - 1_ps);
}

inline constexpr Picoseconds kStart = 1_us;

/// A read of die 0 that became ready at `at`.
inline void finished_read(TimingChecker& c, Picoseconds at) {
  c.segment(read(kStart));
  c.ready_busy(0, false, kStart + kCommand7 + 100_ns);
  c.ready_busy(0, true, at);
}

}  // namespace wordline::testing::checker_bench
