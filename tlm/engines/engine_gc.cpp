// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The collector's engines.
#include <algorithm>
#include <cstring>

#include "tlm/engines/engine_block.h"

namespace wordline::engines {

/// Sector that the inverse map names for a place, WL_LPN_NONE: none.
std::uint32_t EngineBlock::owner(std::uint32_t place) const {
  std::uint32_t value;
  std::memcpy(&value, map_memory_ + (words_[kOwnersBaseWord] - WL_DRAM_BASE) + place * sizeof value, sizeof value);
  if (value == WL_LPN_NONE) return WL_LPN_NONE;
  if (value != 0) return value - 1;
  return words_[kMapInitialWord] != 0 && place < words_[kMapSectorsWord] ? place : WL_LPN_NONE;
}

void EngineBlock::begin_scan(std::uint32_t from, Picoseconds at) {
  if (!has(WL_ENGINE_GC) || scan_end_.count() >= 0) {
    error("ENGINES.SCAN while a scan runs, or without the collector's engine enabled");
    return;
  }
  const Picoseconds now = tlm_if::now();
  const std::uint32_t end = std::min(words_[kScanEndWord], from + WL_GC_SCAN);
  std::uint32_t place = from;
  Picoseconds owners{}, last = at;  // the burst with the owner of `place` is there
  scan_count_ = 0;
  for (; place < end && scan_count_ != WL_GC_FOUND; ++place) {
    const Picoseconds begun = gc_.begin(now, at);
    if (place == from || place % kEntriesPerBurst == 0) owners = dram->reserve(begun, kBurstBytes);
    Picoseconds known = std::max(begun, owners);
    const std::uint32_t lpn = owner(place);
    if (lpn != WL_LPN_NONE) {
      known = dram->reserve(known, kBurstBytes);
      if (map_entry(lpn) == place + kMapPlace0) gc_list_->found[scan_count_++] = {place, lpn};
    }
    last = std::max(last, gc_.end(known));
  }
  scanned_ += place - from;
  scan_next_ = place;
  scan_end_ = last;
  wake_.notify(tlm_if::to_sc_time(last - now));
}

void EngineBlock::end_scan() {
  scan_end_ = Picoseconds(-1);
  gc_list_->count = scan_count_;
  gc_list_->next = scan_next_;
  gc_list_->done = gc_list_->done + 1;
}

}  // namespace wordline::engines
