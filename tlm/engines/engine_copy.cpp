// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The copy engine: a unit of the collector from its sources to its place.
#include <algorithm>
#include <cstring>
#include <string>

#include "tlm/engines/engine_block.h"

namespace wordline::engines {

wl_gc_source& EngineBlock::source(std::uint32_t slot) { return sources_[slot - words_[kCopySlotFirstWord]]; }

/// The first one that is not full, or null.
EngineBlock::CopyUnit* EngineBlock::unit_to_fill() {
  const auto at = std::find_if(copies_.begin(), copies_.end(), [](const CopyUnit& u) { return u.state == CopyState::kFilling; });
  return at == copies_.end() ? nullptr : &*at;
}

void EngineBlock::take_copies(const Doorbell& doorbell) {
  if (!has(WL_ENGINE_COPY)) {
    error("ENGINES.COPY_DOORBELL without the copy engine enabled");
    return;
  }
  const std::uint32_t size = words_[kCopyRingSizeWord];
  if (doorbell.produced - copy_ring_->consumed > size) {
    error("copy doorbell " + std::to_string(doorbell.produced) + " with " + std::to_string(copy_ring_->consumed) +
          " consumed overflows the ring of " + std::to_string(size) + " entries");
    return;
  }
  const auto* const entries = reinterpret_cast<const std::byte*>(copy_ring_) + WL_RING_ENTRIES;
  while (copy_ring_->consumed != doorbell.produced) {
    wl_copy_job posted;
    std::memcpy(&posted, entries + (copy_ring_->consumed & (size - 1)) * sizeof posted, sizeof posted);
    copy_ring_->consumed = copy_ring_->consumed + 1;
    take_copy(posted);
  }
  collect();
}

void EngineBlock::take_copy(const wl_copy_job& posted) {
  const Picoseconds now = tlm_if::now();
  if ((posted.flags & WL_COPY_CLOSE) != 0) {
    // Reading a unit may end it at once, and take it off the list: no reference outlives that.
    while (CopyUnit* unit = unit_to_fill()) {
      for (; unit->filled != unit_sectors(); ++unit->filled) source(unit->job.slot + unit->filled) = {WL_LPN_NONE, WL_LPN_NONE};
      read_unit(*unit, now);
    }
    return;
  }
  const std::uint32_t slot = posted.slot - words_[kCopySlotFirstWord];
  if (slot + unit_sectors() > words_[kCopySlotCountWord] || ((posted.flags & WL_COPY_FILL) != 0 && !has(WL_ENGINE_GC))) {
    error("copy of slots from " + std::to_string(posted.slot) + " on, which are not the collector's, or filled by a scan without its engine");
    return;
  }
  const auto same = [&posted](const CopyUnit& u) { return u.job.slot == posted.slot; };
  const auto held = std::find_if(copies_.begin(), copies_.end(), same);
  if (held != copies_.end()) {
    if (held->state != CopyState::kHeld || (posted.flags & WL_COPY_READY) == 0) {
      error("the unit at slot " + std::to_string(posted.slot) + " is posted while it is copied");
      return;
    }
    program_unit(*held);
    return;
  }
  copies_.push_back({posted, 0, 0, false, CopyState::kFilling});
  copy_places_left_.push_back(posted.place);
  if ((posted.flags & WL_COPY_FILL) != 0) return;
  CopyUnit& unit = copies_.back();
  unit.filled = unit_sectors();
  if ((posted.flags & WL_COPY_READY) != 0)
    program_unit(unit);
  else
    read_unit(unit, now);
}

/// A read for every run: neighbours in the unit that are neighbours in a page. `from`: when the last source is known.
void EngineBlock::read_unit(CopyUnit& unit, Picoseconds from) {
  const Picoseconds now = tlm_if::now();
  const std::uint32_t end = unit.job.slot + unit_sectors();
  unit.state = CopyState::kReading;
  for (std::uint32_t slot = unit.job.slot; slot != end;) {
    const std::uint32_t place = source(slot).place;
    std::uint32_t count = 1;
    if (place != WL_LPN_NONE) {
      const std::uint32_t page = geometry_.page_sectors - place % geometry_.page_sectors;
      while (count < page && slot + count != end && source(slot + count).place == place + count) ++count;
      wl_flash_job job = build(place);
      job.op = WL_FLASH_READ;
      job.priority = WL_PRIORITY_GC;
      job.id = unit.job.id;
      job.tag = WL_NO_TAG;
      job.count = static_cast<std::uint16_t>(count);
      job.slot = slot;
      job.flags = WL_FLASH_COPY;
      ++unit.reads;
      flash->submit(copy_.run(now, from), job);
    }
    slot += count;
  }
  if (unit.reads == 0) program_unit(unit);  // padding only
}

bool EngineBlock::copy_read(const wl_flash_job& job, wl_flash_completion& completion) {
  const auto mine = [&](const CopyUnit& u) { return job.slot - u.job.slot < unit_sectors(); };
  const auto unit = std::find_if(copies_.begin(), copies_.end(), mine);
  if (unit == copies_.end()) {
    error("a copied run of slot " + std::to_string(job.slot) + " completes, of no unit");
    return true;
  }
  if (completion.status != WL_FLASH_OK) {
    for (std::uint32_t i = 0; i < job.count; ++i) source(job.slot + i).place |= WL_COPY_FAILED;
    unit->failed = true;
  }
  if (--unit->reads != 0) return true;
  if (unit->failed) {
    ++copies_handed_over_;
    unit->failed = false;
    unit->state = CopyState::kHeld;
    completion = {unit->job.id, WL_FLASH_UNCORRECTABLE, 0, 0};
    return false;
  }
  program_unit(*unit);
  return true;
}

/// To the first place that is left, which the firmware learns from the table of places.
void EngineBlock::program_unit(CopyUnit& unit) {
  const Picoseconds now = tlm_if::now();
  const std::uint32_t slot = unit.job.slot;
  for (std::uint32_t i = 0; i < unit_sectors(); ++i) {
    const wl_gc_source& from = source(slot + i);
    slot_table_[slot + i].lpn = from.place == WL_LPN_NONE ? WL_LPN_NONE : from.lpn;
  }
  const std::uint32_t place = copy_places_left_.front();
  copy_places_left_.pop_front();
  copy_places_[(slot - words_[kCopySlotFirstWord]) / unit_sectors()] = place;
  wl_flash_job job = build(place);
  job.op = WL_FLASH_PROGRAM;
  job.priority = WL_PRIORITY_GC;
  job.id = unit.job.id;
  job.tag = WL_NO_TAG;
  job.count = static_cast<std::uint16_t>(unit_sectors());
  job.slot = slot;
  flash->submit(copy_.run(now, now), job);
  ++copied_;
  copies_.erase(copies_.begin() + (&unit - copies_.data()));
}

}  // namespace wordline::engines
