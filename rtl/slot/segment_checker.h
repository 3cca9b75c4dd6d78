// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What the ports of a flash interface may do from clock to clock, whatever its lengths: a segment that was taken has
/// one chip enable, its page data out, and one done after chip enable has risen; without a segment nothing moves.
/// Not seen: what the cycles say, and their times (onfi::PinReader, the timing checker).
#pragma once

#include <cstdint>
#include <string>

#include "rtl/verilated/flash_interface_pins.h"

namespace wordline::rtl {

class SegmentChecker {
 public:
  /// The pins in one clock, settled, before its rising edge. What is wrong with them; "": nothing.
  [[nodiscard]] std::string clock(const FlashInterfacePins& pins);

  /// Taken so far.
  [[nodiscard]] std::uint64_t segments() const { return segments_; }

 private:
  [[nodiscard]] static std::string in_reset(const FlashInterfacePins& pins);
  [[nodiscard]] std::string idle(const FlashInterfacePins& pins) const;
  [[nodiscard]] std::string under_way(const FlashInterfacePins& pins);

  bool was_reset_ = false;
  bool under_way_ = false;    // taken, and its done has not come
  bool selected_ = false;     // its chip enable was low
  bool over_ = false;         // and has risen
  std::uint8_t chip_ = 0xff;  // the value of ce_no that goes with it
  std::uint32_t bytes_ = 0;   // bytes of page data out
  std::uint32_t came_out_ = 0;
  std::uint64_t segments_ = 0;
};

}  // namespace wordline::rtl
