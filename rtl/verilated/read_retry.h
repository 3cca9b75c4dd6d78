// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/read_retry/read_retry.sv, clock by clock, in the terms of models/ecc/retry/read_retry.h. Set the inputs, look at
/// the outputs of this clock, then clock(): what was both valid and ready has moved. What is set stays until it is set
/// anew. Outputs come from registers, but those of APB, which follow their inputs in the same clock. A violated
/// assertion of the block prints its text and throws SimulationStopped.
/// It sets pins and reads them, so it can break the protocol on purpose; read_retry_engine.h keeps to it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/ecc/retry/read_retry.h"
#include "rtl/verilated/axi_stream_block.h"
#include "rtl/verilated/read_retry_pins.h"

namespace wordline::rtl {

class ReadRetry {
 public:
  static constexpr unsigned kOrtGroups = 4;
  static constexpr unsigned kOrtLayers = 256;
  static constexpr unsigned kTags = 16;  ///< tags of commands; a tag comes again after so many

  ReadRetry();  ///< the shipped block; held in reset for two clocks, then ready
  explicit ReadRetry(std::unique_ptr<ReadRetryDoor> door);  ///< another one behind the same pins
  ~ReadRetry();
  ReadRetry(const ReadRetry&) = delete;
  ReadRetry& operator=(const ReadRetry&) = delete;

  void clock();
  void reset();
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }  ///< since the block was made, resets included
  /// What a waveform may show, in a fixed order: the state (its names: ecc::to_string), then the ports.
  [[nodiscard]] std::vector<StatusSignal> status() const;
  /// Called after every clock.
  void on_clock(std::function<void()> observer) { observer_ = std::move(observer); }
  [[nodiscard]] ecc::RetryState state() const;
  [[nodiscard]] bool irq() const;

  void offer_request(const ecc::RetryRequest& request);
  void no_request();
  [[nodiscard]] bool request_ready() const;
  void set_abort(bool abort);

  void set_flash_ready(bool ready);
  [[nodiscard]] bool flash_valid() const;
  [[nodiscard]] ecc::FlashCommand flash_command() const;
  [[nodiscard]] unsigned flash_tag() const;
  [[nodiscard]] unsigned flash_die() const;
  [[nodiscard]] std::uint32_t flash_address() const;
  [[nodiscard]] unsigned flash_page_type() const;
  void answer_flash(unsigned tag, bool ok);
  void no_flash_answer();

  void set_decode_ready(bool ready);
  [[nodiscard]] bool decode_valid() const;
  [[nodiscard]] ecc::DecodeCommand decode_command() const;
  [[nodiscard]] unsigned decode_tag() const;
  void give_verdict(unsigned tag, const ecc::CodewordVerdict& verdict);
  void no_verdict();

  void set_result_ready(bool ready);
  [[nodiscard]] bool result_valid() const;
  [[nodiscard]] ecc::RetryResult result() const;

  struct ApbTransfer {
    bool write;
    std::uint32_t address;  ///< address in the block ECC
    std::uint32_t data;
    std::uint8_t strobes = 0xf;  ///< strobes of a write
  };
  void apb_idle();
  void apb_setup(const ApbTransfer& transfer);
  void apb_access();              ///< the clock after the setup, and until apb_ready()
  void set_penable(bool enable);  ///< alone, to break the protocol
  void set_pwrite(bool write);    ///< likewise
  [[nodiscard]] bool apb_ready() const;
  [[nodiscard]] bool apb_error() const;  ///< when ready
  [[nodiscard]] std::uint32_t apb_data() const;

  struct ApbAnswer {
    bool error;
    std::uint32_t data;
  };
  /// A whole transfer, two clocks or more; the other inputs stay as they are. Throws std::runtime_error when the block
  /// does not end it within 1,000 clocks.
  ApbAnswer apb(const ApbTransfer& transfer);

 private:
  std::unique_ptr<ReadRetryDoor> door_;
  std::uint64_t clocks_ = 0;
  std::function<void()> observer_;
};

}  // namespace wordline::rtl
