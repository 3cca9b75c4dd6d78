// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/nand/stored_lpage.h"
#include "models/precondition/drive_state.h"

namespace wordline::precondition {

/// A place of flash as a reader without a map finds it.
struct Place {
  enum class Cells : std::uint8_t { kBlank, kWritten, kTorn };
  Cells cells = Cells::kBlank;
  nand::StoredLpage stored;  // written: what its record says
};

/// What flash says of itself: of all spare records of a logical page that with the highest sequence has its data.
///
/// The state is that of a mount without time: superblocks with data are closed, whatever was open, so nothing is
/// written behind a torn unit; those without are erased; where too few are free then, the emptiest are packed as by GC.
/// Superblocks are ordered by the highest sequence in them. What a
/// tombstone says is deallocated holds nothing; without ftl.recovery deallocations leave no record, and what was
/// deallocated is there again. The map is by logical pages.
struct FlashScan {
  DriveState state;
  std::uint64_t records = 0;             // with an owner
  std::uint64_t torn = 0;                // places that were programmed and cannot be read
  std::uint32_t erased = 0;              // superblocks that the mount erases
  std::vector<std::uint32_t> sequences;  // by logical page: the highest, a tombstone's too; 0: none
  std::vector<std::uint64_t> ppas;       // by logical page: its data, before anything was packed; kNowhere
  static constexpr std::uint64_t kNowhere = UINT64_MAX;
};

/// `place`: by PPA. `superblocks`: number, erases and whether a block of it is bad, by number.
[[nodiscard]] FlashScan scan_flash(const Geometry& geometry, const std::vector<Superblock>& superblocks,
                                   const std::function<Place(std::uint64_t ppa)>& place);

}  // namespace wordline::precondition
