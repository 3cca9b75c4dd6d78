// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The pins of a read-retry controller, whatever is behind them: the shipped block, or one of somebody else's
/// (rtl/slot). A pin is a reference to where the block keeps it, or, of more than 64 bits, a pointer to its words, the
/// lowest first.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "rtl/verilated/axi_stream_block.h"

namespace wordline::rtl {

template <unsigned bits>
using PinOf = std::conditional_t<
    (bits > 64), std::uint32_t*,
    std::conditional_t<(bits > 32), std::uint64_t&,
                       std::conditional_t<(bits > 16), std::uint32_t&,
                                          std::conditional_t<(bits > 8), std::uint16_t&, std::uint8_t&>>>>;

struct ReadRetryPins {
#define WORDLINE_PORT(name, bits, direction) PinOf<bits> name;
#include "rtl/verilated/read_retry_ports.def"
#undef WORDLINE_PORT
};

class ReadRetryDoor {
 public:
  explicit ReadRetryDoor(const ReadRetryPins& pins) : pins(pins) {}
  virtual ~ReadRetryDoor() = default;
  ReadRetryDoor(const ReadRetryDoor&) = delete;
  ReadRetryDoor& operator=(const ReadRetryDoor&) = delete;

  virtual void evaluate() = 0;  ///< outputs follow the inputs, without an edge
  virtual void clock() = 0;     ///< a rising edge
  virtual void add_status(std::vector<StatusSignal>& /*signals*/) const {}

  const ReadRetryPins pins;
};

}  // namespace wordline::rtl
