// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The pins of a flash interface, whatever is behind them: the shipped block, or one of somebody else's (rtl/slot).
#pragma once

#include <memory>
#include <vector>

#include "rtl/verilated/axi_stream_block.h"
#include "rtl/verilated/block_pins.h"

namespace wordline::rtl {

struct FlashInterfacePins {
#define WORDLINE_PORT(name, bits, direction) PinOf<bits> name;
#include "rtl/verilated/flash_interface_ports.def"
#undef WORDLINE_PORT
};

class FlashInterfaceDoor {
 public:
  explicit FlashInterfaceDoor(const FlashInterfacePins& pins) : pins(pins) {}
  virtual ~FlashInterfaceDoor() = default;
  FlashInterfaceDoor(const FlashInterfaceDoor&) = delete;
  FlashInterfaceDoor& operator=(const FlashInterfaceDoor&) = delete;

  virtual void evaluate() = 0;  ///< outputs follow the inputs, without an edge
  virtual void clock() = 0;     ///< a rising edge
  virtual void add_status(std::vector<StatusSignal>& /*signals*/) const {}

  const FlashInterfacePins pins;
};

/// The block of rtl/flash_interface, held in reset.
[[nodiscard]] std::unique_ptr<FlashInterfaceDoor> shipped_flash_interface();

}  // namespace wordline::rtl
