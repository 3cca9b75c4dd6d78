// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/nand/plan.h"
#include "models/nand/program_parameters.h"
#include "models/nand/read_parameters.h"

namespace wordline::nand {

/// The plans of a device, or of its blocks of one page size: one read per page type, one program per page type (or one
/// per word line in one shot), one erase. Pinned devices keep their micro-operations and scale them to the pinned
/// total.
///
/// Accuracy: eq. (1) of Shim, SNU 2020, with the default verify windows. A device programmed page by page takes one
/// pass per page type: pass p (from 1) forms 2^p - 1 levels with the word line's loops per level, so an LSB pass is
/// short and the last pass costs what one shot costs.
/// nand.layer_speed scales all micro-operations of a layer alike; nand.timing.page those of programs and erases.
/// Blocks of two page sizes differ by this rule alone: how many pages a block has, and the currents, which are those of
/// the device, do not depend on it.
/// With nand.aging.wear_times the erase of a fresh block takes one loop, and one more for each 1,000 P/E cycles up to
/// the configured number; a program takes 3 % less for each, 15 % at most (all assumed; that blocks need one loop when
/// young and up to five when worn: AERO, ASPLOS'24; that worn cells program faster: Grupp et al., MICRO'09). Known
/// gaps: blocks of the same wear are alike; without the key every erase takes the configured number of loops; erase
/// voltage rises 0.5 V per loop (assumed, for the record only).
class ArrayPlans {
 public:
  /// The plans of blocks with pages of `page` bytes. Throws std::invalid_argument naming the configuration key at
  /// fault.
  ArrayPlans(const config::Nand& nand, const config::Layout& layout, Bytes page);
  /// The plans of the blocks of the geometry.
  ArrayPlans(const config::Nand& nand, const config::Layout& layout) : ArrayPlans(nand, layout, nand.geometry.page) {}

  /// Page type (0 = LSB) of page `page` of a block: the pages of a word line follow each other.
  [[nodiscard]] unsigned page_type(std::uint32_t page) const { return page % page_types_; }
  [[nodiscard]] const Plan& read(unsigned page_type, unsigned layer = 0) const {
    return read_[(read_speed_ ? layer * page_types_ : 0) + page_type];
  }
  /// The plan of a read with shifted references or soft sensing: every further sense takes t_sense.
  [[nodiscard]] Plan read(unsigned page_type, unsigned layer, const ReadParameters& parameters) const;
  /// The program plan of the program unit that starts at a page of this type.
  [[nodiscard]] const Plan& program(unsigned page_type, unsigned layer = 0) const {
    return program_[(program_speed_ ? layer * passes() : 0) + (one_shot_ ? 0 : page_type)];
  }
  /// The plan of a program with other parameters; with the default ones, that of program(). The micro-operations of a
  /// pinned device keep their scaled lengths. Throws as program_scheme() does.
  [[nodiscard]] Plan program(unsigned page_type, unsigned layer, const ProgramParameters& parameters) const;
  [[nodiscard]] const Plan& erase() const { return erase_; }

  /// Whether times follow the P/E cycles of a block; else the two below are not asked.
  [[nodiscard]] bool follows_wear() const { return !worn_erase_.empty(); }
  /// `plan`: of a fresh block.
  [[nodiscard]] Plan worn_program(const Plan& plan, double pe_cycles) const;
  [[nodiscard]] const Plan& worn_erase(double pe_cycles) const;

 private:
  [[nodiscard]] unsigned passes() const { return one_shot_ ? 1 : page_types_; }
  [[nodiscard]] Plan derived_program(unsigned pass, const ProgramParameters& parameters) const;
  void spread_over_layers(const config::Nand& nand);

  unsigned page_types_;
  bool one_shot_;
  bool pinned_;
  bool read_speed_ = false, program_speed_ = false;  // layers differ: one plan for each
  unsigned states_;
  config::NandIspp ispp_;
  Picoseconds pulse_, verify_;
  double program_watts_;
  StateLevels verify_levels_{};
  std::array<StateLevels, kRetrySteps> reference_levels_{};
  std::vector<Plan> read_;                 // read by page type, of one layer or of each
  std::vector<Plan> program_;              // program by pass, of one layer or of each
  std::vector<Picoseconds> base_program_;  // base program by pass: the default plan before pinning and scaling
  Plan erase_;
  std::vector<Plan> worn_erase_;  // by loops, from one on; empty: all blocks take as many
};

/// Growth of tPROG and tBERS from a page of `base` to one of `page`: 10 % per doubling (Kim et al., TVLSI 2016,
/// measured in 21 nm). tR does not depend on the page size.
[[nodiscard]] double page_size_factor(Bytes page, Bytes base);
/// Time of layer `layer` over the mean of the block, slow at the top (layer 0): the slowest takes `ratio` times the
/// fastest.
[[nodiscard]] double layer_speed_factor(unsigned layer, unsigned layers, double ratio, config::LayerProfile profile);

/// "LSB", "CSB", "MSB", "TSB".
[[nodiscard]] std::string page_type_name(config::CellType cell, unsigned page_type);

/// One line per array time (tR by page type, tPROG, tBERS) with its micro-operations, for people to read.
[[nodiscard]] std::vector<std::string> describe_timing(const config::Nand& nand, const config::Layout& layout);

}  // namespace wordline::nand
