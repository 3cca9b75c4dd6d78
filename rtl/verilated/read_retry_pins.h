// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The pins of a read-retry controller, whatever is behind them: the shipped block, or one of somebody else's
/// (rtl/slot).
#pragma once

#include <vector>

#include "rtl/verilated/axi_stream_block.h"
#include "rtl/verilated/block_pins.h"

namespace wordline::rtl {

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
