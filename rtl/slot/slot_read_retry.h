// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// A read-retry controller of somebody else's (docs/own_rtl.md) behind the pins of the shipped one, checked at its
/// ports in every clock: commands and results stay until they are taken, pslverr_o only where a transfer ends, nothing
/// is offered in reset. What is wrong is a SlotError that names the read and the clock. Whether the commands are right
/// is for the drive, which has the reference.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rtl/slot/loaded_block.h"
#include "rtl/slot/port_window.h"
#include "rtl/verilated/read_retry_pins.h"

namespace wordline::rtl {

class SlotReadRetry final : public ReadRetryDoor {
 public:
  /// Throws SlotError when the block does not fit the slot.
  explicit SlotReadRetry(const std::string& path);
  ~SlotReadRetry() override;

  void evaluate() override;
  void clock() override;
  void add_status(std::vector<StatusSignal>& signals) const override;

  [[nodiscard]] const LoadedBlock& block() const { return block_; }
  /// "read 3, clock 2763": of the one that began last.
  [[nodiscard]] std::string place() const;
  void write_window(const std::string& path) const { window_.write(path, block_.description().top); }

 private:
  struct Store;
  /// A port whose valid and payload stay until ready.
  struct Offer {
    const char* valid_name;
    const char* ready_name;
    const std::uint8_t* valid;
    const std::uint8_t* ready;
    std::vector<LoadedBlock::Handle> payload;
    bool held = false;                    // it was high, and nothing has taken it
    std::vector<std::uint32_t> before{};  // words of the payload then
  };

  SlotReadRetry(const std::string& path, std::unique_ptr<Store> store);
  [[nodiscard]] Offer offer(const char* name, const std::uint8_t& valid, const std::uint8_t& ready) const;
  [[nodiscard]] std::vector<std::uint32_t> words_of(const Offer& offer) const;
  void outputs();
  void check();
  void stays(const Offer& offer) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::unique_ptr<Store> store_;
  LoadedBlock block_;
  std::vector<LoadedBlock::Handle> pins_;   // pins in the order of the ports
  std::vector<LoadedBlock::Handle> shown_;  // shown outputs of at most 64 bits
  PortWindow window_;
  std::vector<Offer> offers_;
  bool was_reset_ = false;
  std::uint64_t reads_ = 0;
};

}  // namespace wordline::rtl
