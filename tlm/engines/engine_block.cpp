// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/engines/engine_block.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace wordline::engines {
namespace {

constexpr std::uint64_t kBurstBytes = 64;  // of a DRAM access; LPDDR4: 16 beats of 32 bits
constexpr std::uint32_t kEntriesPerBurst = kBurstBytes / sizeof(std::uint32_t);
constexpr std::uint32_t kMapInitial = 0, kMapDeallocated = 1, kMapPlace0 = 3, kMapBuffer = 0x80000000U;

}  // namespace

std::uint32_t engine_set(const config::Engines& config) {
  std::uint32_t set = 0;
  if (config.l2p.on) set |= WL_ENGINE_L2P;
  if (config.buffer.on) set |= WL_ENGINE_BUFFER;
  if (config.job.on) set |= WL_ENGINE_JOB;
  if (config.completion.on) set |= WL_ENGINE_COMPLETION;
  if (config.gc.on) set |= WL_ENGINE_GC;
  return set;
}

std::uint32_t engine_slots(const config::Engines& config, std::uint32_t tags, std::uint32_t read_slots) {
  return (engine_set(config) & WL_ENGINES_FLASH) == WL_ENGINES_FLASH ? std::min(tags, read_slots / 2) : 0;
}

EngineBlock::EngineBlock(const sc_core::sc_module_name& name, const config::Config& config, const std::byte* map_memory)
    : sc_module(name),
      present_(engine_set(config.engines)),
      tags_(config.nvme.tags),
      map_memory_(map_memory),
      target_([this](std::uint32_t offset, std::uint32_t& value,
                     sc_core::sc_time&) { return read_register(offset, value); },
              [this](std::uint32_t offset, std::uint32_t value, sc_core::sc_time& delay) {
                return write_register(offset, value, tlm_if::now() + tlm_if::to_picoseconds(delay));
              }),
      l2p_(config.engines.l2p),
      buffer_(config.engines.buffer),
      job_(config.engines.job),
      completion_(config.engines.completion),
      gc_(config.engines.gc) {
  socket.register_b_transport(this, &EngineBlock::b_transport);
  SC_HAS_PROCESS(EngineBlock);
  SC_METHOD(act);
  sensitive << wake_;
  dont_initialize();
}

// ---- reads from the host --------------------------------------------------------------------------------------------

std::uint32_t EngineBlock::map_entry(std::uint32_t lpn) const {
  std::uint32_t value;
  std::memcpy(&value, map_memory_ + (words_[kMapBaseWord] - WL_DRAM_BASE) + lpn * sizeof value, sizeof value);
  if (value != kMapInitial) return value;
  return words_[kMapInitialWord] != 0 ? lpn + kMapPlace0 : kMapDeallocated;
}

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

wl_flash_job EngineBlock::build(std::uint32_t place) const {
  const PlaceLocation at = locate(geometry_, place);
  wl_flash_job job{};
  job.die = static_cast<std::uint16_t>(at.die);
  job.block = at.block;
  job.page = at.page;
  job.sector = static_cast<std::uint16_t>(at.sector);
  return job;
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

// ---- grace periods and the firmware's jobs ----------------------------------------------------------------------------

void EngineBlock::begin_grace(wl_grace kind, Picoseconds at) {
  if (grace_end_[kind].count() >= 0 || (kind == WL_GRACE_PLACES && places_.running())) {
    error("a grace period is begun while one of its kind runs");
    return;
  }
  if (kind == WL_GRACE_SLOTS) {
    end_grace(kind, std::max(at, slots_until_));
    return;
  }
  places_asked_ = at;
  if (places_.begin()) end_grace(kind, at);
}

void EngineBlock::end_grace(wl_grace kind, Picoseconds at) {
  if (kind == WL_GRACE_PLACES) places_.ended();
  grace_end_[kind] = at;
  wake_.notify(tlm_if::to_sc_time(at - tlm_if::now()));  // the earlier of two notifications stays
}

void EngineBlock::act() {
  const Picoseconds now = tlm_if::now();
  Picoseconds next{-1};
  const auto later = [&next](Picoseconds at) {
    if (next.count() < 0 || at < next) next = at;
  };
  bool ended = false;
  for (unsigned kind = 0; kind < WL_GRACES; ++kind) {
    if (grace_end_[kind].count() < 0) continue;
    if (grace_end_[kind] > now) {
      later(grace_end_[kind]);
      continue;
    }
    grace_end_[kind] = Picoseconds(-1);
    grace_->done[kind] = grace_->done[kind] + 1;
    ended = true;
  }
  if (scan_end_.count() >= 0) {
    if (scan_end_ > now) {
      later(scan_end_);
    } else {
      scan_end_ = Picoseconds(-1);
      gc_list_->count = scan_count_;
      gc_list_->next = scan_next_;
      gc_list_->done = gc_list_->done + 1;
      ended = true;
    }
  }
  if (ended) interrupt->raise(WL_IRQ_ENGINE);
  std::size_t due = 0;
  while (due < doorbells_.size() && doorbells_[due].at <= now) take_jobs(doorbells_[due++]);
  doorbells_.erase(doorbells_.begin(), doorbells_.begin() + static_cast<std::ptrdiff_t>(due));
  if (!doorbells_.empty()) later(doorbells_.front().at);
  if (next.count() >= 0) wake_.notify(tlm_if::to_sc_time(next - now));
}

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

void EngineBlock::take_jobs(const Doorbell& doorbell) {
  if (!has(WL_ENGINE_JOB)) {
    error("ENGINES.JOB_DOORBELL without the job engine enabled");
    return;
  }
  const std::uint32_t size = words_[kJobRingSizeWord];
  if (doorbell.produced - job_ring_->consumed > size) {
    error("job doorbell " + std::to_string(doorbell.produced) + " with " + std::to_string(job_ring_->consumed) +
          " consumed overflows the ring of " + std::to_string(size) + " entries");
    return;
  }
  const auto* const entries = reinterpret_cast<const std::byte*>(job_ring_) + WL_RING_ENTRIES;
  while (job_ring_->consumed != doorbell.produced) {
    wl_place_job posted;
    std::memcpy(&posted, entries + (job_ring_->consumed & (size - 1)) * sizeof posted, sizeof posted);
    job_ring_->consumed = job_ring_->consumed + 1;
    wl_flash_job job = build(posted.place);
    job.op = posted.op;
    job.priority = posted.priority;
    job.id = posted.id;
    job.tag = posted.tag;
    job.count = posted.count;
    job.slot = posted.slot;
    job.flags = posted.flags;
    flash->submit(job_.run(tlm_if::now(), doorbell.at), job);
  }
}

}  // namespace wordline::engines
