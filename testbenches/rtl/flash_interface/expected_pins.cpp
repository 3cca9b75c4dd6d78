// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/rtl/flash_interface/expected_pins.h"

namespace wordline::testing {
namespace {

using onfi::ChannelPins;
using onfi::SegmentKind;

class Trace {
 public:
  Trace(unsigned chip, const config::ChannelClocks& times) : times_(times) {
    idle_.ce_n = static_cast<std::uint8_t>(~(1U << chip));
  }

  [[nodiscard]] ChannelPins idle() const { return idle_; }
  void hold(const ChannelPins& pins, std::uint32_t clocks) { pins_.insert(pins_.end(), clocks, pins); }

  /// A cycle of WE_n: low, high.
  void write(ChannelPins pins, std::uint8_t byte) {
    pins.dq_driven = true;
    pins.dq = byte;
    pins.we_n = false;
    hold(pins, times_.write_low);
    pins.we_n = true;
    hold(pins, times_.write_cycle - times_.write_low);
  }
  void latch(bool command, std::uint8_t byte) {
    ChannelPins pins = idle_;
    pins.cle = command;
    pins.ale = !command;
    write(pins, byte);
  }
  /// A burst of bytes on both edges of DQS, which is low before it.
  void strobe(const std::vector<std::uint8_t>& bytes) {
    ChannelPins pins = idle_;
    pins.dq_driven = pins.dqs_driven = true;
    hold(pins, times_.write_preamble);
    for (const std::uint8_t byte : bytes) {
      pins.dqs = !pins.dqs;
      pins.dq = byte;
      hold(pins, 1);
    }
    pins.dq = 0;
    hold(pins, times_.write_postamble);
  }
  /// RE_n for as many bytes out.
  void ask(std::uint32_t bytes) {
    ChannelPins pins = idle_;
    if (times_.sdr) {
      for (std::uint32_t i = 0; i < bytes; ++i) {
        pins.re_n = false;
        hold(pins, times_.read_low);
        pins.re_n = true;
        hold(pins, times_.read_cycle - times_.read_low);
      }
      return;
    }
    if (times_.read_preamble != 0) pins.re_n = false;
    hold(pins, times_.read_preamble);
    for (std::uint32_t i = 0; i < bytes; ++i) {
      pins.re_n = !pins.re_n;
      hold(pins, 1);
    }
    hold(pins, times_.read_latency + times_.read_postamble);
  }

  std::vector<ChannelPins> take() { return std::move(pins_); }

 private:
  const config::ChannelClocks times_;
  ChannelPins idle_;
  std::vector<ChannelPins> pins_;
};

}  // namespace

std::vector<ChannelPins> expected_pins(const onfi::InterfaceSegment& s, const config::ChannelClocks& times,
                                       const std::vector<std::uint8_t>& data) {
  Trace trace(s.chip, times);
  const bool page = s.kind == SegmentKind::kDataIn || s.kind == SegmentKind::kDataOut;
  if (page || s.kind == SegmentKind::kFeatureOut) {
    if (times.sdr) trace.hold(trace.idle(), times.setup);
  } else {
    ChannelPins setup = trace.idle();
    setup.cle = true;
    trace.hold(setup, times.setup);
    trace.latch(true, s.cycles.opcode);
    for (unsigned i = 0; i < s.cycles.address_count; ++i) trace.latch(false, s.cycles.address.at(i));
    if (s.cycles.confirm != onfi::kNoConfirm) trace.latch(true, s.cycles.confirm);
  }
  std::vector<std::uint8_t> in;
  switch (s.kind) {
    case SegmentKind::kDataIn:
      in.assign(times.sdr ? 0 : times.warm_up, 0);
      in.insert(in.end(), data.begin(), data.end());
      if (!times.sdr && s.bytes % 2 != 0) in.push_back(0);
      break;
    case SegmentKind::kSetFeatures:
      trace.hold(trace.idle(), times.adl);
      for (const std::uint8_t p : s.parameters) in.insert(in.end(), times.sdr ? 1 : 2, p);
      break;
    case SegmentKind::kDataOut:
      trace.ask(times.sdr ? s.bytes : times.warm_up + (s.bytes + 1) / 2 * 2);
      break;
    case SegmentKind::kStatus:
      trace.hold(trace.idle(), times.whr);
      trace.ask(times.sdr ? 1 : 2);
      break;
    case SegmentKind::kFeatureOut:
      trace.ask(times.sdr ? 4 : 8);
      break;
    default:
      break;
  }
  if (!in.empty() && times.sdr) {
    for (const std::uint8_t byte : in) trace.write(trace.idle(), byte);
  } else if (!in.empty()) {
    trace.strobe(in);
  }
  return trace.take();
}

}  // namespace wordline::testing
