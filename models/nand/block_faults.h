// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/config/config.h"
#include "models/nand/array_geometry.h"
#include "models/nand/block_table.h"

namespace wordline::nand {

/// Whether a block left the factory bad: the same in every run of this seed.
[[nodiscard]] bool factory_bad(const ArrayGeometry& geometry, const config::NandFaults& faults, std::uint64_t seed,
                               std::uint32_t plane, std::uint32_t block);

/// Which blocks are bad from the factory, and which program or erase fails: keyed by flash address and P/E count, so a
/// block fails in the same operation in every run.
///
/// Accuracy: the share of failures grows with the fourth power of wear, and is the configured one at the rated cycles
/// (assumed).
class BlockFaults {
 public:
  /// `pe_before`: P/E cycles that every block has behind it when the run begins.
  BlockFaults(const ArrayGeometry& geometry, const BlockTable& blocks, const config::NandFaults& faults,
              double pe_before, std::uint64_t seed)
      : geometry_(geometry), blocks_(blocks), faults_(faults), pe_before_(pe_before), seed_(seed) {}

  /// The die as a whole has failed (nand.faults.dead_dies): so do all its programs and erases from now on, and no page
  /// of it can be read.
  void fail_all() { all_failed_ = true; }
  [[nodiscard]] bool all_failed() const { return all_failed_; }

  [[nodiscard]] bool factory_bad(std::uint32_t plane, std::uint32_t block) const;
  [[nodiscard]] bool program_fails(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  /// Whether the page holds more errors than can be corrected, since the last erase of its block.
  [[nodiscard]] bool page_unreadable(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  /// Once a program or erase of a block has failed, every later erase of it fails too.
  [[nodiscard]] bool erase_fails(std::uint32_t plane, std::uint32_t block) const;
  /// Word line `word_line` came out of its program with more bit errors, in all planes.
  [[nodiscard]] bool program_disturbed(std::uint32_t plane, std::uint32_t block, std::uint32_t word_line) const;
  /// The only step of the retry table at which h-layer `layer` can be read, in all planes; 0: its references have not
  /// moved.
  [[nodiscard]] unsigned moved_step(std::uint32_t plane, std::uint32_t block, std::uint32_t layer) const;

 private:
  [[nodiscard]] double probability(double rated, std::uint32_t erases) const;

  const ArrayGeometry& geometry_;
  const BlockTable& blocks_;
  const config::NandFaults faults_;
  const double pe_before_;
  const std::uint64_t seed_;
  bool all_failed_ = false;
};

}  // namespace wordline::nand
