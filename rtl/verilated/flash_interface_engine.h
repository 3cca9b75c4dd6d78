// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The flash interface in gates, a segment at a time: offers it, clocks the block until it is over, is the die at the
/// pins, and reads the pins back. Every segment is compared with the reference (onfi::InterfaceClocks) and with what
/// was asked for. No SystemC; no clock runs between segments but those in which something is counted.
///
/// Lengths::kAtLeast is for a block that may take other clocks: then the pins have what was asked for, in order and
/// with every time at least as long as it has to be, the bytes are right both ways, and done comes once, with the right
/// data. When a segment begins and ends is the block's affair; whether it may is for who checks times at the pins.
///
/// Clock n of the block begins at n periods; clocks that change nothing (FlashInterface::quiet) are left out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/onfi/interface_clocks.h"
#include "models/onfi/pin_reader.h"
#include "rtl/verilated/flash_interface.h"

namespace wordline::rtl {

class FlashInterfaceEngine {
 public:
  /// `programmed`: what the registers are given; other times than those of `channels` are a fault, for tests.
  FlashInterfaceEngine(const config::Channels& channels, const config::ChannelClocks& programmed);
  explicit FlashInterfaceEngine(const config::Channels& channels)
      : FlashInterfaceEngine(channels, config::clocks_of(channels)) {}
  /// Another block than the shipped one.
  FlashInterfaceEngine(const config::Channels& channels, const config::ChannelClocks& programmed,
                       std::unique_ptr<FlashInterfaceDoor> door, onfi::Lengths lengths);

  /// An edge of R/B_n at `at`, not before the end of the last segment.
  void ready_busy(unsigned die, bool ready, Picoseconds at);

  struct Span {
    Picoseconds start{}, end{};
  };
  /// When the segment will take place, offered at `offered`. carry() has to follow. With kAtLeast the block has begun
  /// it when this returns, and `end` is the earliest one; `bytes`: page data in.
  Span expect(const onfi::InterfaceSegment& segment, Picoseconds offered, const std::vector<std::uint8_t>& bytes = {});

  struct Carried {
    Span span;  // span at the pins
    onfi::PinReader::Segment read;
    std::vector<std::uint8_t> out;  // page data that came out of the block
    std::uint32_t data = 0;         // status, P1 to P4
    std::uint64_t number = 0;       // number of the segment, from 1 on
    std::string difference;         // difference from the reference or from what was asked for; "": none
  };
  /// The segment of expect(). `bytes`: page data in; or what the die drives: page data, the status, P1 to P4.
  const Carried& carry(const onfi::InterfaceSegment& segment, const std::vector<std::uint8_t>& bytes);

  [[nodiscard]] const config::ChannelClocks& times() const { return model_.times(); }
  [[nodiscard]] std::uint64_t segments() const { return segments_; }
  [[nodiscard]] std::uint64_t clocked() const { return block_.clocks(); }  ///< clocks that were simulated
  /// Called with the pins of every clock of a segment, the first idle one after it included.
  using PinObserver = std::function<void(std::int64_t clock, const onfi::ChannelPins&, const onfi::DiePins&)>;
  void on_pins(PinObserver observer) { observer_ = std::move(observer); }
  [[nodiscard]] FlashInterface& block() { return block_; }

 private:
  void advance(std::int64_t clock);
  void edge();
  void offer(const onfi::InterfaceSegment& segment, const std::vector<std::uint8_t>& bytes);
  bool step(const std::vector<std::uint8_t>& bytes);
  void answer(const onfi::InterfaceSegment& segment, const std::vector<std::uint8_t>& bytes);
  void take_out(const std::vector<std::uint8_t>& bytes);
  void await_done(const std::vector<std::uint8_t>& bytes);
  [[nodiscard]] bool exact() const { return lengths_ == onfi::Lengths::kExact; }
  void compare(const onfi::InterfaceSegment& segment, const std::vector<std::uint8_t>& bytes);

  onfi::InterfaceClocks model_;
  FlashInterface block_;
  const onfi::Lengths lengths_;
  onfi::PinReader reader_;
  PinObserver observer_;
  std::int64_t clock_ = 0;  // the next edge
  std::multimap<std::int64_t, std::pair<unsigned, bool>> edges_;
  std::multimap<std::int64_t, std::uint8_t> strobes_;  // what the die will drive, by the edge that takes it
  std::uint32_t asked_ = 0;                            // bytes out in this segment
  std::size_t offered_bytes_ = 0;                      // offered bytes of its page data in
  onfi::DiePins die_;
  std::int64_t offered_ = 0;
  onfi::InterfaceClocks::Span expected_;
  std::uint64_t segments_ = 0;
  Carried carried_;
};

}  // namespace wordline::rtl
