// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/nand/die.h"
#include "models/onfi/features.h"
#include "models/onfi/timing.h"
#include "tlm/device/flash/bus/onfi_transaction.h"
#include "tlm/device/flash/die/selection.h"

namespace wordline::flash {

/// SET and GET FEATURES of one die: its feature registers, the timing mode of its target, and the report on the last
/// program. What the registers mean to the array is models/onfi/features.h.
///
/// Functions that can fail return what is wrong, "" if nothing, and then have changed nothing. Known gap: a target of
/// several LUNs keeps its timing mode.
class DieFeatures {
 public:
  /// `timing`: after power-on. `lun` of `luns` in its target. The report comes from `array`.
  DieFeatures(const onfi::TargetTiming& timing, unsigned lun, unsigned luns, const nand::Die& array);

  [[nodiscard]] const onfi::FeatureRegisters& registers() const { return registers_; }
  [[nodiscard]] const onfi::TargetTiming& timing() const { return timing_; }

  /// Whether a feature command with these cycles is for this LUN.
  [[nodiscard]] std::string check_lun(const onfi::Cycles& cycles) const;
  /// For the operations, and the segments, that follow.
  [[nodiscard]] std::string set(std::uint8_t feature, const onfi::FeatureParameters& value);
  /// Chooses what parameters() returns.
  void select(std::uint8_t feature);
  [[nodiscard]] const onfi::FeatureParameters& parameters() const { return registers_.get(selected_); }

  /// A program has ended: B0h..B9h are about it.
  void programmed(const Selection& unit, bool failed);
  /// The blocks have been erased, or torn: nothing is left to report on.
  void blocks_lost(const Selection& lost) {
    for (std::size_t plane = 0; plane < lost.blocks.size(); ++plane) {
      const bool both = ((reported_.planes & lost.planes) >> plane & 1U) != 0;
      if (both && reported_.blocks[plane] == lost.blocks[plane]) reported_.drop();
    }
  }

  /// RESET (FFh): the interface after power-on.
  void reset_interface() { switch_mode(onfi::mode_after_reset(timing_.mode())); }
  /// Supply gone. Bringing the interface up again is not modelled.
  void power_on();

 private:
  [[nodiscard]] nand::ProgramReport measured() const;

  void switch_mode(config::BusMode mode);

  const unsigned lun_, luns_;
  const nand::Die& array_;
  onfi::FeatureRegisters registers_;
  onfi::TargetTiming timing_;
  std::uint8_t selected_ = 0;
  Selection reported_;  // the program of B0h..B9h
  bool reported_fail_ = false;
};

}  // namespace wordline::flash
