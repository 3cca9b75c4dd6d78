// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// ENGINES: the registers, and what enabling lays open.
#include <algorithm>

#include "registers/wordline_regs.hpp"
#include "tlm/engines/engine_block.h"

namespace wordline::engines {

namespace regs = registers::engines;

bool EngineBlock::read_register(std::uint32_t offset, std::uint32_t& value) const {
  switch (offset) {
    case regs::present: value = present_; return true;
    case regs::enable: value = enabled_; return true;
    case regs::grace:
    case regs::scan:
    case regs::search:
    case regs::copy_doorbell:
    case regs::job_doorbell: value = 0; return true;  // write only
    case regs::looked_up: value = static_cast<std::uint32_t>(counters_.looked_up); return true;
    case regs::buffer_reads: value = static_cast<std::uint32_t>(counters_.buffer_reads); return true;
    case regs::zero_reads: value = static_cast<std::uint32_t>(counters_.zero_reads); return true;
    case regs::flash_reads: value = static_cast<std::uint32_t>(counters_.flash_reads); return true;
    case regs::scanned: value = static_cast<std::uint32_t>(scanned_); return true;
    case regs::copied: value = static_cast<std::uint32_t>(copied_); return true;
    case regs::copies_handed_over: value = static_cast<std::uint32_t>(copies_handed_over_); return true;
    case regs::searched: value = static_cast<std::uint32_t>(searches_); return true;
    case regs::handed_over: value = static_cast<std::uint32_t>(counters_.handed_over); return true;
    default:
      if (offset >= regs::kStride) return false;
      value = words_[offset / 4];
      return true;
  }
}

bool EngineBlock::write_register(std::uint32_t offset, std::uint32_t value, Picoseconds at) {
  switch (offset) {
    case regs::enable:
      enable(value & present_);
      return true;
    case regs::grace:
      if (grace_ == nullptr) {
        error("ENGINES.GRACE before ENGINES.ENABLE");
        return true;
      }
      if ((value & regs::grace_slots_mask) != 0) begin_grace(WL_GRACE_SLOTS, at);
      if ((value & regs::grace_places_mask) != 0) begin_grace(WL_GRACE_PLACES, at);
      return true;
    case regs::job_doorbell:
    case regs::copy_doorbell: {
      std::vector<Doorbell>& doorbells = offset == regs::job_doorbell ? doorbells_ : copy_doorbells_;
      auto place = doorbells.end();
      while (place != doorbells.begin() && at < std::prev(place)->at) --place;
      doorbells.insert(place, {at, value});
      wake_.notify(tlm_if::to_sc_time(at - tlm_if::now()));
      return true;
    }
    case regs::search:
      begin_search(value, at);
      return true;
    case regs::scan:
      begin_scan(value, at);
      return true;
    case regs::present:
    case regs::scanned:
    case regs::copied:
    case regs::copies_handed_over:
    case regs::searched:
    case regs::looked_up:
    case regs::buffer_reads:
    case regs::flash_reads:
    case regs::zero_reads:
    case regs::handed_over:
      return true;  // read only: the write has no effect
    default:
      if (offset >= regs::kStride) return false;
      words_[offset / 4] = value;
      return true;
  }
}

std::byte* EngineBlock::table(std::uint32_t base, std::size_t bytes, const char* name) {
  std::byte* const at = memory->at(base, bytes);
  if (at == nullptr) error(std::string("ENGINES.ENABLE: no memory behind ENGINES.") + name);
  return at;
}

wl_geometry EngineBlock::geometry() const {
  return wl_geometry_of(words_[regs::dies / 4], words_[regs::page_sectors / 4], words_[regs::unit_pages / 4],
                        words_[regs::line_units / 4]);
}

/// The tables are where the registers say from now on.
void EngineBlock::enable(std::uint32_t set) {
  enabled_ = 0;
  if (set == 0) return;
  geometry_ = geometry();
  if (geometry_.page_sectors == 0 || geometry_.unit_pages == 0 || geometry_.line_units == 0 || geometry_.dies == 0) {
    error("ENGINES.ENABLE before PAGE_SECTORS, UNIT_PAGES, LINE_UNITS and DIES are set");
    return;
  }
  const std::uint32_t jobs = words_[kJobRingSizeWord];
  if ((set & WL_ENGINE_JOB) != 0 && (jobs == 0 || (jobs & (jobs - 1)) != 0)) {
    error("ENGINES.ENABLE with JOB_RING_SIZE " + std::to_string(jobs) + ", must be a power of two");
    return;
  }
  const auto ring_bytes = WL_RING_ENTRIES + jobs * sizeof(wl_place_job);
  grace_ = reinterpret_cast<wl_grace_state*>(table(words_[regs::grace_base / 4], sizeof *grace_, "GRACE_BASE"));
  states_ = reinterpret_cast<wl_sector_state*>(
      table(words_[regs::sector_states / 4], WL_SECTOR_STATES * sizeof *states_, "SECTOR_STATES"));
  if ((set & WL_ENGINE_L2P) != 0) {
    lookups_ = reinterpret_cast<wl_lookup*>(table(words_[regs::lookups / 4], tags_ * sizeof *lookups_, "LOOKUPS"));
    const std::uint64_t end = std::uint64_t{words_[kMapBaseWord]} + words_[kMapSectorsWord] * std::uint64_t{4};
    if (words_[kMapBaseWord] < WL_DRAM_BASE || end > std::uint64_t{WL_DRAM_BASE} + WL_DRAM_SIZE) {
      error("ENGINES.ENABLE with a map that is not in DRAM");
      return;
    }
  }
  if ((set & WL_ENGINE_JOB) != 0) {
    job_ring_ = reinterpret_cast<wl_ring*>(table(words_[regs::job_ring_base / 4], ring_bytes, "JOB_RING_BASE"));
  }
  if ((set & WL_ENGINE_GC) != 0) {
    gc_list_ = reinterpret_cast<wl_gc_list*>(table(words_[regs::gc_list / 4], sizeof *gc_list_, "GC_LIST"));
    if (words_[kMapBaseWord] < WL_DRAM_BASE || words_[kOwnersBaseWord] < WL_DRAM_BASE) {
      error("ENGINES.ENABLE with a map, or an inverse map, that is not in DRAM");
      return;
    }
  }
  if ((set & WL_ENGINE_COPY) != 0 && !enable_copy()) return;
  if ((set & WL_ENGINE_VICTIM) != 0) {
    const std::uint32_t stride = words_[kLineStrideWord], lines = words_[kLinesWord];
    if (lines == 0 || stride < sizeof(wl_line_head)) {
      error("ENGINES.ENABLE with " + std::to_string(lines) + " LINES of LINE_STRIDE " + std::to_string(stride) + ", must be some of " +
            std::to_string(sizeof(wl_line_head)) + " bytes or more");
      return;
    }
    line_table_ = table(words_[regs::line_table / 4], std::size_t{lines} * stride, "LINE_TABLE");
    victim_answer_ = reinterpret_cast<wl_victim*>(table(words_[regs::victim / 4], sizeof *victim_answer_, "VICTIM"));
  }
  const std::uint32_t slots = words_[regs::slot_count / 4];
  if (slots > kMaxSlots) {
    error("ENGINES.ENABLE with SLOT_COUNT " + std::to_string(slots) + ", at most " + std::to_string(kMaxSlots) +
          " have a number in a flash job");
    return;
  }
  // A row holds a page, or less where there would not be eight of them.
  std::uint32_t row = std::min(geometry_.page_sectors, SlotRows::kMaxRow);
  while (row > 1 && slots / row < 8) row /= 2;
  slots_ = SlotRows(slots, row);
  run_sector_.assign(slots, 0);
  freed_.clear();
  freed_.reserve(slots);
  enabled_ = set;
}

bool EngineBlock::enable_copy() {
  const std::uint32_t size = words_[kCopyRingSizeWord];
  if (size == 0 || (size & (size - 1)) != 0) {
    error("ENGINES.ENABLE with COPY_RING_SIZE " + std::to_string(size) + ", must be a power of two");
    return false;
  }
  const std::uint32_t first = words_[kCopySlotFirstWord], count = words_[kCopySlotCountWord];
  copy_ring_ = reinterpret_cast<wl_ring*>(
      table(words_[regs::copy_ring_base / 4], WL_RING_ENTRIES + size * sizeof(wl_copy_job), "COPY_RING_BASE"));
  sources_ = reinterpret_cast<wl_gc_source*>(
      table(words_[regs::copy_sources / 4], count * sizeof *sources_, "COPY_SOURCES"));
  copy_places_ = reinterpret_cast<std::uint32_t*>(
      table(words_[regs::copy_places / 4], count / unit_sectors() * sizeof *copy_places_, "COPY_PLACES"));
  slot_table_ = reinterpret_cast<wl_slot_info*>(
      table(words_[regs::slot_table / 4], (std::size_t{first} + count) * sizeof *slot_table_, "SLOT_TABLE"));
  return true;
}

void EngineBlock::error(const std::string& text) const {
  SC_REPORT_ERROR("wordline/engines", (std::string(name()) + ": " + text).c_str());
}

}  // namespace wordline::engines
