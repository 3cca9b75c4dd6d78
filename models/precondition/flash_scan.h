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
  static constexpr std::uint64_t kNowhere = UINT64_MAX;
  /// What says it of a logical page.
  struct Newest {
    std::uint32_t lpn = 0;
    std::uint32_t sequence = 0;
    std::uint64_t ppa = kNowhere;  // its data, before anything was packed; of a tombstone kNowhere
  };

  DriveState state;            // with ScanFor::kState
  std::uint64_t records = 0;   // with an owner
  std::uint64_t torn = 0;      // places that were programmed and cannot be read
  std::uint32_t erased = 0;    // superblocks that the mount erases
  std::vector<Newest> newest;  // ascending, of those logical pages of which flash says something

  [[nodiscard]] std::uint64_t ppa_of(std::uint32_t lpn) const;
  /// The highest, a tombstone's too; 0: none.
  [[nodiscard]] std::uint32_t sequence_of(std::uint32_t lpn) const;

 private:
  [[nodiscard]] const Newest* find(std::uint32_t lpn) const;
};

/// Flash as a scan reads it. Superblocks of which nothing is used are left out, so the cost of a scan is that of what
/// was written, whatever the capacity.
struct FlashReader {
  std::function<bool(std::uint32_t superblock)> used;
  std::function<Place(std::uint64_t ppa)> place;
};
enum class ScanFor : std::uint8_t { kContents, kState };  // a state takes memory for each place of flash

/// `superblocks`: number, erases and whether a block of it is bad, by number.
[[nodiscard]] FlashScan scan_flash(const Geometry& geometry, const std::vector<Superblock>& superblocks,
                                   const FlashReader& flash, ScanFor what = ScanFor::kContents);

}  // namespace wordline::precondition
