// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/nand/array_geometry.h"
#include "models/nand/bit_error_draw.h"
#include "models/nand/block_faults.h"
#include "models/nand/block_table.h"
#include "models/nand/device.h"
#include "models/nand/die.h"

namespace wordline::nand {

/// Raw bit errors of the pages of a die: the rate by cells, wear, age, reads and references, the errors of one read
/// drawn from it, and the bins of soft senses. Blocks are read, never changed.
///
/// Accuracy: rates as in CellModel and ProgramRates, times a factor of the block and of the word line. Program speed of
/// a layer (standard deviation 0.15 loops, assumed) counts where verifies are skipped only. Moved references
/// (nand.faults) are a number of errors for each step of distance (assumed), not a shift of the distributions: offsets
/// of single references do not make up for them. Known gap: an interrupted
/// word line has a rate of 0.25, whatever the moment of the interruption.
class PageErrors {
 public:
  /// All references outlive the object. `seed`: of the run.
  PageErrors(const ArrayGeometry& geometry, const BlockTable& blocks, const Device& device, const BlockFaults& faults,
             const Fill& fill, std::uint64_t seed);

  /// Errors per bit; of a page with data of several ages, in the oldest.
  [[nodiscard]] double rate(PlaneId plane, BlockId block, PageId page, const ReadParameters& parameters) const;
  /// The bit errors of codewords of the page, in its last read: an entry of `errors` for each.
  void bit_errors(PlaneId plane, BlockId block, PageId page, const Codewords& codewords,
                  const ReadParameters& parameters, unsigned* errors) const;
  /// The channel of the oldest data in the page, by soft senses.
  [[nodiscard]] SoftChannel soft_channel(PlaneId plane, BlockId block, PageId page,
                                         const ReadParameters& parameters) const;
  /// The program report of a word line that is programmed.
  [[nodiscard]] ProgramReport program_report(PlaneId plane, BlockId block, PageId page) const;
  /// False where an interrupted or failed operation left cells anywhere.
  [[nodiscard]] bool readable(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;

  /// Rates may have changed otherwise than by a read.
  void forget_rate() { last_.plane = kNoPlane; }

 private:
  static constexpr std::uint32_t kNoPlane = 0xffffffff;
  struct LastRate {  // codewords of a page are evaluated one after the other
    std::uint32_t plane = kNoPlane, block = 0, page = 0, reads = 0;
    unsigned age = 0;
    ReadParameters parameters;
    double rate = 0;
    std::uint64_t lasting_key = 0;  // lasting key of the block
  };

  /// The age of what the fill put into a logical page, in the cell model's numbers; 0 where there is none at this
  /// address.
  [[nodiscard]] unsigned fill_age(PlaneId plane, BlockId block, PageId page, std::uint32_t lpage) const;
  [[nodiscard]] unsigned oldest_fill_age(PlaneId plane, BlockId block, PageId page) const;
  // `age`: of the fill; it counts where nothing else has been written.
  [[nodiscard]] double rate(PlaneId plane, BlockId block, PageId page, unsigned age,
                            const ReadParameters& parameters) const;
  /// Cells of the block, and the rates of programs with parameters: those of its mode.
  [[nodiscard]] const CellModel& cells_of(const Block& b) const {
    return blocks_.extra(b).slc_mode ? slc_mode_->cells() : cells_;
  }
  [[nodiscard]] ProgramRates& rates_of(const Block& b) const {
    return blocks_.extra(b).slc_mode ? slc_mode_->rates() : rates_;
  }
  [[nodiscard]] ProgramRates::WordLineState word_line_state(std::uint32_t plane, std::uint32_t block,
                                                            std::uint32_t page, unsigned age) const;
  [[nodiscard]] ProgramRates::WordLineState word_line_state_with_speed(std::uint32_t plane, std::uint32_t block,
                                                                       std::uint32_t page, unsigned age) const;
  /// `extra`: steps added to each.
  [[nodiscard]] static References references(const CellModel& cells, const ReadParameters& parameters, double extra);
  /// Reads of the block as they disturb this page: those of a neighbour in its v-layer count more.
  [[nodiscard]] std::uint32_t disturbing_reads(const Block& b, std::uint32_t page) const;
  /// The factor on the rate of block and word line.
  [[nodiscard]] double factor(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  [[nodiscard]] double rate_of(std::uint32_t plane, std::uint32_t block, std::uint32_t page, unsigned age,
                               const ReadParameters& parameters) const;
  /// What the cells of an average block would have.
  [[nodiscard]] double rate_of_cells(std::uint32_t plane, std::uint32_t block, std::uint32_t page, unsigned age,
                                     const ReadParameters& parameters) const;
  /// What a read comes to where references may have moved: one with `parameters`, and `more` errors per bit.
  struct Sensed {
    ReadParameters parameters;
    double more;
  };
  [[nodiscard]] Sensed sensed(std::uint32_t plane, std::uint32_t block, std::uint32_t page, unsigned age,
                              const ReadParameters& parameters) const;

  const ArrayGeometry& geometry_;
  const BlockTable& blocks_;
  const ArrayPlans& plans_;
  const BlockFaults& faults_;
  const Fill& fill_;
  const RegionAges& ages_;
  const CellModel& cells_;
  ProgramRates& rates_;
  const SlcMode* slc_mode_;  // null: the device has none
  const std::uint64_t seed_;
  BitErrorDraws& draws_;
  mutable const BitErrorDraw* draw_ = nullptr;  // draw of the last codeword length
  mutable unsigned draw_bits_ = 0;
  mutable LastRate last_;
};

}  // namespace wordline::nand
