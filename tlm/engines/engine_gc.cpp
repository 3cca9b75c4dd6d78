// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The collector's engines: which line, and what of it is valid.
#include <algorithm>
#include <cstring>

#include "tlm/engines/engine_block.h"

namespace wordline::engines {

/// Sector that the inverse map names for a place, WL_LPN_NONE: none.
std::uint32_t EngineBlock::owner(std::uint32_t place) const {
  std::uint32_t value;
  std::memcpy(&value, map_memory_ + (words_[kOwnersBaseWord] - WL_DRAM_BASE) + place * sizeof value, sizeof value);
  return wl_owner_resolve(value, place, words_[kMapInitialWord] != 0 ? words_[kMapSectorsWord] : 0);
}

/// Looks at the next place of the scan, whose input is there at `at`. Returns its valid sector or WL_LPN_NONE; scan_known_ is when
/// that is known.
std::uint32_t EngineBlock::examine(Picoseconds at) {
  const Picoseconds begun = gc_.begin(tlm_if::now(), at);
  if (scan_next_ == scan_burst_ || scan_next_ % kEntriesPerBurst == 0) scan_owners_ = dram->reserve(begun, kBurstBytes);
  Picoseconds known = std::max(begun, scan_owners_);
  std::uint32_t lpn = owner(scan_next_);
  if (lpn != WL_LPN_NONE) {
    known = dram->reserve(known, kBurstBytes);
    if (map_entry(lpn) != scan_next_ + WL_MAP_PLACE0) lpn = WL_LPN_NONE;
  }
  scan_known_ = gc_.end(known);
  scan_last_ = std::max(scan_last_, scan_known_);
  return lpn;
}

void EngineBlock::begin_scan(std::uint32_t from, Picoseconds at) {
  if (!has(WL_ENGINE_GC) || scan_end_.count() >= 0 || collecting_) {
    error("ENGINES.SCAN while a scan runs, or without the collector's engine enabled");
    return;
  }
  scan_next_ = from;
  scan_count_ = 0;
  if (has(WL_ENGINES_COLLECT)) {
    collecting_ = true;
    scan_resume_ = at;
    wake_.notify(tlm_if::to_sc_time(at - tlm_if::now()));
    return;
  }
  const std::uint32_t end = std::min(words_[kScanEndWord], from + WL_GC_SCAN);
  scan_burst_ = from;
  scan_last_ = at;
  for (; scan_next_ < end && scan_count_ != WL_GC_FOUND; ++scan_next_) {
    const std::uint32_t lpn = examine(at);
    if (lpn != WL_LPN_NONE) gc_list_->found[scan_count_++] = {scan_next_, lpn};
  }
  scanned_ += scan_next_ - from;
  finish_scan();
}

void EngineBlock::finish_scan() {
  scan_end_ = scan_last_;
  wake_.notify(tlm_if::to_sc_time(scan_last_ - tlm_if::now()));
}

void EngineBlock::end_scan() {
  scan_end_ = Picoseconds(-1);
  gc_list_->count = scan_count_;
  gc_list_->next = scan_next_;
  gc_list_->done = gc_list_->done + 1;
}

/// A stretch of the scan that fills the copy engine's units: to the end of the line, to WL_GC_SCAN places, or to a valid sector for
/// which no unit is there. That one is looked at again, since it may be invalid when a unit comes.
void EngineBlock::collect() {
  const Picoseconds now = tlm_if::now();
  if (!scan_goes_on() || scan_resume_ > now) return;
  const std::uint32_t end = words_[kScanEndWord];
  const std::uint32_t from = scan_next_;
  scan_burst_ = from;
  scan_last_ = now;
  scan_waits_ = false;
  CopyUnit* unit = unit_to_fill();
  for (; scan_next_ < end && scan_next_ - from != WL_GC_SCAN; ++scan_next_) {
    const std::uint32_t lpn = examine(now);
    if (lpn == WL_LPN_NONE) continue;
    if (unit == nullptr) {
      scan_waits_ = true;
      break;
    }
    source(unit->job.slot + unit->filled) = {scan_next_, lpn};
    ++scan_count_;
    if (++unit->filled == unit_sectors()) {
      read_unit(*unit, scan_known_);
      unit = unit_to_fill();
    }
  }
  scanned_ += scan_next_ - from;
  scan_resume_ = scan_last_;
  if (scan_next_ >= end) {
    collecting_ = false;
    finish_scan();
  } else if (!scan_waits_) {
    wake_.notify(tlm_if::to_sc_time(scan_last_ - now));
  }
}

/// The closed line with the fewest valid sectors; of equal ones the first from `from` on, round the table. The table is read when
/// the search is given to the engine.
void EngineBlock::begin_search(std::uint32_t from, Picoseconds at) {
  const std::uint32_t lines = words_[kLinesWord];
  if (!has(WL_ENGINE_VICTIM) || search_end_.count() >= 0 || from >= lines) {
    error("ENGINES.SEARCH while a search runs, beyond the line table, or without the victim engine enabled");
    return;
  }
  const Picoseconds now = tlm_if::now();
  std::uint32_t fewest = ~0U;
  Picoseconds last = at;
  search_line_ = WL_LPN_NONE;
  for (std::uint32_t i = 0, line = from; i != lines; ++i, line = line + 1 == lines ? 0 : line + 1) {
    wl_line_head head;
    std::memcpy(&head, line_table_ + line * std::size_t{words_[kLineStrideWord]}, sizeof head);
    last = std::max(last, victim_.run(now, at));
    if (head.state != WL_LINE_SEARCHED || head.valid >= fewest) continue;
    fewest = head.valid;
    search_line_ = line;
  }
  ++searches_;
  search_end_ = last;
  wake_.notify(tlm_if::to_sc_time(last - now));
}

void EngineBlock::end_search() {
  search_end_ = Picoseconds(-1);
  victim_answer_->line = search_line_;
  victim_answer_->done = victim_answer_->done + 1;
}

}  // namespace wordline::engines
