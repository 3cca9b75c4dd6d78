// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// A flash interface of somebody else's (docs/own_rtl.md) behind the pins of the shipped one, checked at its ports in
/// every clock (SegmentChecker). With a reference beside it, every port has to be that of the reference in every
/// clock. What is wrong is a SlotError that names the segment and the clock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rtl/slot/loaded_block.h"
#include "rtl/slot/port_window.h"
#include "rtl/slot/segment_checker.h"
#include "rtl/verilated/flash_interface_pins.h"

namespace wordline::rtl {

class SlotFlashInterface final : public FlashInterfaceDoor {
 public:
  /// Throws SlotError when the block does not fit the slot. `reference`: what its ports are compared with, or null.
  explicit SlotFlashInterface(const std::string& path, std::unique_ptr<FlashInterfaceDoor> reference = nullptr);
  ~SlotFlashInterface() override;

  void evaluate() override;
  void clock() override;
  void add_status(std::vector<StatusSignal>& signals) const override;

  [[nodiscard]] const LoadedBlock& block() const { return block_; }
  /// From now on everything inside goes into the file, as LoadedBlock::trace().
  bool trace(const std::string& file) { return block_.trace(file); }
  /// "segment 3, clock 2763": of the one that was taken last, from 1 on; clocks count from the start of the reset.
  [[nodiscard]] std::string place() const;
  void write_window(const std::string& path) const { window_.write(path, block_.description().top); }

 private:
  struct Store;

  SlotFlashInterface(const std::string& path, std::unique_ptr<Store> store,
                     std::unique_ptr<FlashInterfaceDoor> reference);
  void outputs();
  void follow();
  void compare() const;
  template <class Step>
  void guarded(Step step);
  [[noreturn]] void fail(const std::string& what) const;

  std::unique_ptr<Store> store_;
  LoadedBlock block_;
  std::unique_ptr<FlashInterfaceDoor> reference_;
  std::vector<LoadedBlock::Handle> pins_;   // pins in the order of the ports
  std::vector<LoadedBlock::Handle> shown_;  // and what the block reports of itself
  PortWindow window_;
  SegmentChecker checker_;
};

}  // namespace wordline::rtl
