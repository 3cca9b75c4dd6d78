// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/config/config.h"
#include "models/nand/cell_model.h"
#include "models/nand/program_rates.h"
#include "models/nand/region_ages.h"
#include "models/nand/timing.h"

namespace wordline::nand {

/// Whether blocks of the device may be programmed in SLC mode: it has several bits a cell, all pages of a word line are
/// programmed in one shot, and its blocks are alike.
[[nodiscard]] bool has_slc_mode(const config::Nand& nand);

/// Blocks of a device in SLC mode: one bit a cell, so the first page of each word line alone.
///
/// Accuracy: tR and tPROG are given (nand.slc_mode); within them the program takes the pulses and verifies of one state
/// with a coarser step, three times that of the device (assumed: nothing lies beside the state), and the read one
/// sense. Cells are those of the device at two states, as CellModel has them for SLC.
/// Known gaps: erases take as long as those of other blocks, and wear the block as much: real devices stand tens of
/// thousands of P/E cycles in this mode.
class SlcMode {
 public:
  /// Of a device for which has_slc_mode() is true.
  SlcMode(const config::Nand& nand, const config::Layout& layout, const RegionAges& ages);

  [[nodiscard]] Plan plan_read(unsigned layer, const ReadParameters& parameters) const;
  [[nodiscard]] const Plan& plan_program(unsigned layer) const { return plans_.program(0, layer); }

  [[nodiscard]] const CellModel& cells() const { return cells_; }
  [[nodiscard]] ProgramRates& rates() const { return *rates_; }

 private:
  SlcMode(const config::Nand& one_bit, const config::Layout& layout, const std::vector<double>& days);

  const ArrayPlans plans_;
  const CellModel cells_;
  const std::unique_ptr<ProgramRates> rates_;
};

}  // namespace wordline::nand
