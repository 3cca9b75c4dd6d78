// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "models/config/bus_modes.h"
#include "models/config/schema.h"
#include "rtl/verilated/flash_interface_engine.h"
#include "testbenches/rtl/flash_interface/expected_pins.h"

namespace wordline::testing {

/// Channels in a mode by its name, as a configuration has them.
[[nodiscard]] config::Channels channels_in(std::string_view mode);

/// The flash interface in gates with a hand that asks for segments and moves R/B_n; each clock at the pins is compared
/// with expected_pins(). The first difference of any kind stays in difference().
class InterfaceBench {
 public:
  explicit InterfaceBench(const config::Channels& channels, const config::ChannelClocks& programmed);
  explicit InterfaceBench(const config::Channels& channels) : InterfaceBench(channels, config::clocks_of(channels)) {}

  /// Offered at `at`; what the die answers, or the page data in, are random.
  const rtl::FlashInterfaceEngine::Carried& carry(const onfi::InterfaceSegment& segment, Picoseconds at);
  /// R/B_n low in [fall, rise).
  void busy(unsigned die, Picoseconds fall, Picoseconds rise);

  [[nodiscard]] Picoseconds period() const { return engine.times().period; }
  [[nodiscard]] const std::string& difference() const { return difference_; }

  rtl::FlashInterfaceEngine engine;
  std::mt19937_64 random{1};

 private:
  std::string difference_;
};

/// Command with as many address cycles, of random content.
[[nodiscard]] onfi::InterfaceSegment command(std::uint8_t die, std::uint8_t opcode, unsigned addresses,
                                             std::uint8_t confirm = 0);
[[nodiscard]] onfi::InterfaceSegment data(std::uint8_t die, onfi::SegmentKind kind, std::uint32_t bytes);

}  // namespace wordline::testing
