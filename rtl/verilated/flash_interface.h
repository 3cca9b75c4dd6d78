// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// A flash interface, clock by clock: the Verilated rtl/flash_interface, or whatever is behind the same pins. Set
/// inputs, settle() to see what is ready with them, clock(). Outputs are those after the last clock() or settle(). No
/// SystemC. A violated assertion of the block prints its text and throws SimulationStopped. It sets pins and reads
/// them, so it can break the protocol on purpose; tlm/device/flash/bus/gate_wires.h keeps to it.
#pragma once

#include <cstdint>
#include <memory>

#include "models/config/channel_clocks.h"
#include "models/onfi/interface_clocks.h"
#include "models/onfi/pin_reader.h"
#include "rtl/verilated/flash_interface_pins.h"

namespace wordline::rtl {

class FlashInterface {
 public:
  static constexpr unsigned kChips = 8;
  static constexpr unsigned kDies = 8;
  static constexpr unsigned kTimes = 18;  ///< registers after CONTROL

  /// Held in reset for four clocks, which R/B_n takes to come through, with R/B_n high.
  FlashInterface() : FlashInterface(shipped_flash_interface()) {}
  explicit FlashInterface(std::unique_ptr<FlashInterfaceDoor> door);
  ~FlashInterface();
  FlashInterface(const FlashInterface&) = delete;
  FlashInterface& operator=(const FlashInterface&) = delete;

  void clock();
  void settle();  ///< no edge: what follows from inputs alone
  void reset();
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }  ///< since the block was made, resets included

  /// Writes every register, four clocks each at most.
  void set_times(const config::ChannelClocks& times);
  /// What the registers hold, in order: CONTROL, then the times.
  [[nodiscard]] static std::uint32_t register_value(const config::ChannelClocks& times, unsigned index);

  void offer(const onfi::InterfaceSegment& segment);
  void nothing_offered();
  [[nodiscard]] bool offered() const { return door_->pins.segment_valid_i != 0; }
  [[nodiscard]] bool ready() const;

  void offer_byte(std::uint8_t byte);
  void no_byte();
  [[nodiscard]] bool byte_taken() const;  ///< with the next clock
  [[nodiscard]] bool byte_out() const;
  [[nodiscard]] std::uint8_t out() const;
  [[nodiscard]] bool out_last() const;

  [[nodiscard]] bool done() const;
  [[nodiscard]] std::uint32_t done_data() const;
  [[nodiscard]] bool done_short() const;
  [[nodiscard]] bool quiet() const;

  [[nodiscard]] onfi::ChannelPins pins() const;
  void set_die(std::uint8_t dq, bool dqs);  ///< what a die drives
  void set_ready_busy(unsigned die, bool ready);

  struct ApbTransfer {
    bool write;
    std::uint32_t address, data;
    std::uint8_t strobes = 0xf;
  };
  struct ApbAnswer {
    bool error;
    std::uint32_t data;
  };
  /// A whole transfer: two clocks, and the wait states of the block. Throws std::runtime_error when it never ends.
  ApbAnswer apb(const ApbTransfer& transfer);

 private:
  std::unique_ptr<FlashInterfaceDoor> door_;
  std::uint64_t clocks_ = 0;
};

}  // namespace wordline::rtl
