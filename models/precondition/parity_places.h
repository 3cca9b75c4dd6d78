// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/config/config.h"
#include "models/precondition/drive_state.h"
#include "models/precondition/flash_scan.h"

namespace wordline::precondition {

/// Which places of flash hold parity over dies (models/firmware/contract/parity.h), for who looks at cells: it shares
/// nothing with a mount. Of a row of data the last die has nothing else. The last but one has parity where a superblock
/// was opened after the last die had failed: then the contents of all dies before the last are zero in sum. While the
/// last die works, such a sum is chance: that of four logical pages written in order, say. A superblock with a
/// checkpoint has metadata in all dies.
///
/// Costs: a byte for each row.
class ParityPlaces {
 public:
  /// `place`: by PPA. `last_die_failed`: as a whole.
  ParityPlaces(const config::Config& config, const config::Layout& layout, bool last_die_failed,
               std::function<Place(std::uint64_t ppa)> place);
  [[nodiscard]] bool at(std::uint64_t ppa);

 private:
  enum class Row : std::uint8_t { kUnknown, kLastDie, kLastButOne };
  [[nodiscard]] Row row_at(std::uint64_t first) const;
  [[nodiscard]] bool is_metadata(std::uint64_t ppa) const;

  Geometry geometry_;
  bool last_die_failed_;
  std::uint32_t rows_ = 0;  // with parity, in a superblock; 0: the drive has none
  std::function<Place(std::uint64_t ppa)> place_;
  std::vector<Row> known_;
};

/// What a reader without a map takes parity for: nobody's.
[[nodiscard]] inline Place nobodys() { return {Place::Cells::kWritten, {{}, 0xffffffff, 0}}; }

}  // namespace wordline::precondition
