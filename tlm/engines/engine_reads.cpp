// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// Reads from the host.
#include <algorithm>
#include <string>

#include "tlm/engines/engine_block.h"

namespace wordline::engines {

bool EngineBlock::take_read(std::uint16_t tag, std::uint32_t lpn, std::uint32_t sectors) {
  if (!has(WL_ENGINE_L2P)) return false;
  if (lpn + sectors > words_[kMapSectorsWord]) {
    error("lookup of sector " + std::to_string(lpn) + " + " + std::to_string(sectors) + " of a map of " +
          std::to_string(words_[kMapSectorsWord]));
    return false;
  }
  stages->mark(tag, tlm_if::Stage::kEngine, tlm_if::now());
  const Picoseconds known = look_up(tag, lpn, sectors);
  const std::uint32_t value = map_entry(lpn);
  const bool settled = state(lpn).opened == state(lpn).closed;
  if (sectors == 1 && settled) {
    if (value >= kMapBuffer) {
      if (has(WL_ENGINES_BUFFER)) {
        read_buffer(tag, value - kMapBuffer, known);
        return true;
      }
    } else if (std::uint32_t slot; value >= kMapPlace0 && has(WL_ENGINES_FLASH) && take_slot(slot)) {
      read_flash(tag, value - kMapPlace0, slot, known);
      return true;
    }
  }
  ++counters_.handed_over;
  host->hand_over(tag, known, WL_EVENT_LOOKED_UP);
  return true;
}

/// Writes the answer for the firmware too: it may be handed over yet. Returns when the answer is known.
Picoseconds EngineBlock::look_up(std::uint16_t tag, std::uint32_t lpn, std::uint32_t sectors) {
  const std::uint32_t count = std::min(sectors, WL_LOOKUP_SECTORS);
  wl_lookup& answer = lookups_[tag];
  for (std::uint32_t i = 0; i < count; ++i) {
    answer.changes[i] = state(lpn + i).changes;
    answer.value[i] = map_entry(lpn + i);
  }
  counters_.looked_up += count;
  const std::uint64_t bursts = (lpn + count - 1) / kEntriesPerBurst - lpn / kEntriesPerBurst + 1;
  const Picoseconds begun = l2p_.begin(tlm_if::now(), tlm_if::now());
  return l2p_.end(dram->reserve(begun, bursts * kBurstBytes));
}

void EngineBlock::read_buffer(std::uint16_t tag, std::uint32_t slot, Picoseconds from) {
  ++counters_.buffer_reads;
  const Picoseconds now = tlm_if::now();
  const Picoseconds found = buffer_.run(now, from);
  slots_until_ = std::max(slots_until_, host->finish_read(tag, slot, 1, completion_.run(now, found), false));
}

void EngineBlock::read_flash(std::uint16_t tag, std::uint32_t place, std::uint32_t slot, Picoseconds from) {
  ++counters_.flash_reads;
  wl_flash_job job = build(place);
  job.op = WL_FLASH_READ;
  job.priority = WL_PRIORITY_HOST;
  job.id = static_cast<std::uint16_t>(slot - words_[kSlotFirstWord]);
  job.tag = tag;
  job.count = 1;
  job.slot = slot;
  job.flags = WL_FLASH_ENGINE;
  group_[job.id] = places_.enter();
  flash->submit(job_.run(tlm_if::now(), from), job);
}

bool EngineBlock::take_slot(std::uint32_t& slot) {
  while (!freed_.empty() && freed_.front().at <= tlm_if::now()) {
    std::pop_heap(freed_.begin(), freed_.end(), SlotFreed::later);
    free_slots_.push_back(freed_.back().slot);
    freed_.pop_back();
  }
  if (free_slots_.empty()) return false;
  slot = free_slots_.back();
  free_slots_.pop_back();
  return true;
}

void EngineBlock::free_slot(std::uint32_t slot, Picoseconds at) {
  freed_.push_back({at, slot});
  std::push_heap(freed_.begin(), freed_.end(), SlotFreed::later);
}

bool EngineBlock::completed(const wl_flash_job& job, const wl_flash_completion& completion) {
  const Picoseconds now = tlm_if::now();
  const bool ok = completion.status == WL_FLASH_OK;
  const bool own = (job.flags & WL_FLASH_ENGINE) != 0;
  if (own && places_.leave(group_[job.id])) end_grace(WL_GRACE_PLACES, std::max(now, places_asked_));
  if (!ok) {
    if (!own) return false;
    free_slot(job.slot, now);
    ++counters_.handed_over;
    host->hand_over(job.tag, completion_.run(now, now), 0);
    return true;
  }
  stages->mark(job.tag, tlm_if::Stage::kEngineDone, now);
  const Picoseconds left = host->finish_read(job.tag, job.slot, job.count, completion_.run(now, now), !own);
  if (own) free_slot(job.slot, left);
  return true;
}

void EngineBlock::write_begins(std::uint32_t lpn, std::uint32_t sectors) {
  if (!has(WL_ENGINE_L2P | WL_ENGINE_COMPLETION)) return;
  for (std::uint32_t i = 0; i < sectors; ++i) state(lpn + i).opened = state(lpn + i).opened + 1;
}

}  // namespace wordline::engines
