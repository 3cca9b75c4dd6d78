// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// A block of somebody else's in a shared object (wordline_rtl_slot.h), held against the ports of its slot.
/// It loads, checks and clocks; what the pins mean is for others (slot_blocks.h). One instance of the block each; the
/// object stays loaded until the last one of it goes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "rtl/slot/port_window.h"
#include "rtl/slot/slots.h"
#include "rtl/slot/wordline_rtl_slot.h"
#include "rtl/verilated/axi_stream_block.h"

namespace wordline::rtl {

/// What is wrong with a block: the file, the pin, and how to mend it.
class SlotError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LoadedBlock {
 public:
  using Handle = std::uint32_t;  // handle of a pin

  /// Throws SlotError when the file is missing, is no block, of another version or slot, or lacks a port. `path` is
  /// relative to the working directory, as that of any file.
  LoadedBlock(const std::string& path, const Slot& slot);
  ~LoadedBlock();
  LoadedBlock(const LoadedBlock&) = delete;
  LoadedBlock& operator=(const LoadedBlock&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const wordline_rtl_block& description() const { return *block_; }

  /// Throws SlotError when there is none; the ports of the slot are there.
  [[nodiscard]] Handle pin(const char* name) const;
  void set(Handle pin, std::uint64_t value);  ///< sets a pin of at most 64 bits
  [[nodiscard]] std::uint64_t get(Handle pin) const;
  void set_words(Handle pin, const std::uint32_t* words) {
    block_->set(instance_, pin, words);
  }  ///< sets a pin of any width
  void get_words(Handle pin, std::uint32_t* words) const { block_->get(instance_, pin, words); }

  /// The functions of the slot's interface. They throw SlotError when the block has stopped itself.
  void evaluate();
  void clock();
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }  ///< rising edges so far

  /// What the block reports of itself, for a waveform.
  void add_status(std::vector<StatusSignal>& signals) const;

  /// From now on everything inside goes into the file; false: the block was built without TRACE. Throws SlotError when
  /// the file cannot be made.
  bool trace(const std::string& file);

 private:
  void check_members() const;
  void check_ports(const Slot& slot) const;
  void check_status() const;
  void ran(int failed) const;

  std::string path_;
  std::shared_ptr<void> object_;
  const wordline_rtl_block* block_ = nullptr;
  wordline_rtl_instance* instance_ = nullptr;
  std::uint64_t clocks_ = 0;
  bool traced_ = false;
};

/// For a window of these pins.
[[nodiscard]] std::vector<PortWindow::Pin> window_pins(const LoadedBlock& block,
                                                       const std::vector<LoadedBlock::Handle>& shown);

}  // namespace wordline::rtl
