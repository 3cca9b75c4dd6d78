// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/scan_engine.h"

#include <algorithm>

namespace wordline::engines {

namespace regs = registers::engines;

ScanEngine::ScanEngine(const config::Config& config, BlockContext& block, const MapReader& map,
                       sc_core::sc_port<tlm_if::DramIf>& dram, ProgramUnitFillIf& units)
    : Engine(EngineId::kGc, config.engines, block), map_(map), dram_(dram), units_(units) {
  block.registers.command(regs::scan, [this](std::uint32_t ppa, Picoseconds at) { begin(ppa, at); });
  block.registers.counter(regs::scanned, scanned_);
}

bool ScanEngine::enable(std::uint32_t set) {
  if (!is_in(set)) return true;
  if (block_.registers[regs::map_base] < WL_DRAM_BASE || block_.registers[regs::owners_base] < WL_DRAM_BASE) {
    block_.error("ENGINES.ENABLE with a map, or an inverse map, that is not in DRAM");
    return false;
  }
  list_ = block_.table<wl_gc_list>(regs::gc_list, 1, "GC_LIST");
  return list_ != nullptr;
}

void ScanEngine::begin(std::uint32_t ppa, Picoseconds at) {
  if (!enabled() || end_ != kNever || filling_) {
    block_.error("ENGINES.SCAN while a scan runs, or without GC's engine enabled");
    return;
  }
  next_ppa_ = ppa;
  found_ = 0;
  if (block_.has(WL_ENGINES_COLLECT)) {
    filling_ = true;
    resume_ = at;
    block_.wake(at);
    return;
  }
  const std::uint32_t end = std::min(block_.registers[regs::scan_end], ppa + WL_GC_SCAN);
  begin_stretch(at);
  for (; next_ppa_ < end && found_ != WL_GC_FOUND; ++next_ppa_) {
    const std::uint32_t lpn = examine(at);
    if (lpn != WL_LPN_NONE) list_->found[found_++] = {next_ppa_, lpn};
  }
  scanned_ += next_ppa_ - ppa;
  finish();
}

void ScanEngine::begin_stretch(Picoseconds from) {
  stretch_ = next_ppa_;
  last_known_ = from;
}

/// Examines the next PPA, whose input is there at `at`. Returns its logical page if it is valid, else WL_LPN_NONE;
/// known_ is when that is known.
std::uint32_t ScanEngine::examine(Picoseconds at) {
  const Picoseconds begun = pipeline_.begin(block_.now(), at);
  if (next_ppa_ == stretch_ || next_ppa_ % MapReader::kEntriesPerBurst == 0)
    owners_ = dram_->reserve(begun, MapReader::kBurstBytes);
  Picoseconds known = std::max(begun, owners_);
  std::uint32_t lpn = map_.owner(next_ppa_);
  if (lpn != WL_LPN_NONE) {
    known = dram_->reserve(known, MapReader::kBurstBytes);
    if (map_.entry(lpn) != next_ppa_ + WL_MAP_PPA0) lpn = WL_LPN_NONE;
  }
  known_ = pipeline_.end(known);
  last_known_ = std::max(last_known_, known_);
  return lpn;
}

void ScanEngine::finish() {
  end_ = last_known_;
  block_.wake(end_);
}

bool ScanEngine::end(Picoseconds now) {
  if (end_ > now) return false;
  end_ = kNever;
  list_->count = found_;
  list_->next = next_ppa_;
  list_->done = list_->done + 1;
  return true;
}

/// A stretch of the scan that fills program units: to the end of the superblock, to WL_GC_SCAN PPAs, or to a valid page
/// for which no program unit is there. That one is checked again, since it may be invalid when a unit comes.
void ScanEngine::go_on(Picoseconds now) {
  if (!can_fill() || resume_ > now) return;
  const std::uint32_t end = block_.registers[regs::scan_end];
  begin_stretch(now);
  starved_ = false;
  for (; next_ppa_ < end && next_ppa_ - stretch_ != WL_GC_SCAN; ++next_ppa_) {
    const std::uint32_t lpn = examine(now);
    if (lpn == WL_LPN_NONE) continue;
    if (!units_.add_source({next_ppa_, lpn}, known_)) {
      starved_ = true;
      break;
    }
    ++found_;
  }
  scanned_ += next_ppa_ - stretch_;
  resume_ = last_known_;
  if (next_ppa_ >= end) {
    filling_ = false;
    finish();
  } else if (!starved_) {
    block_.wake(resume_);
  }
}

Picoseconds ScanEngine::next(Picoseconds now) const {
  // What is due now has woken the block already.
  const Picoseconds resumes = can_fill() && resume_ > now ? resume_ : kNever;
  return std::min(end_ > now ? end_ : kNever, resumes);
}

}  // namespace wordline::engines
