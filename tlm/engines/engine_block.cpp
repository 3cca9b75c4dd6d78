// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/engines/engine_block.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "models/engines/engine_set.h"

namespace wordline::engines {

EngineBlock::EngineBlock(const sc_core::sc_module_name& name, const config::Config& config, const std::byte* map_memory)
    : sc_module(name),
      present_(engine_set(config.engines) & WL_ENGINES_BLOCK),
      tags_(config.nvme.tags),
      map_memory_(map_memory),
      target_([this](std::uint32_t offset, std::uint32_t& value,
                     sc_core::sc_time&) { return read_register(offset, value); },
              [this](std::uint32_t offset, std::uint32_t value, sc_core::sc_time& delay) {
                return write_register(offset, value, tlm_if::now() + tlm_if::to_picoseconds(delay));
              }),
      l2p_(config.engines[EngineId::kL2p]),
      buffer_(config.engines[EngineId::kBuffer]),
      job_(config.engines[EngineId::kJob]),
      completion_(config.engines[EngineId::kCompletion]),
      gc_(config.engines[EngineId::kGc]),
      copy_(config.engines[EngineId::kCopy]),
      victim_(config.engines[EngineId::kVictim]),
      chains_(config.nvme.tags) {
  plan_.reserve(WL_LOOKUP_SECTORS);
  socket.register_b_transport(this, &EngineBlock::b_transport);
  SC_HAS_PROCESS(EngineBlock);
  SC_METHOD(act);
  sensitive << wake_;
  dont_initialize();
}

const Pipeline& EngineBlock::pipeline(EngineId id) const {
  switch (id) {
    case EngineId::kL2p: return l2p_;
    case EngineId::kBuffer: return buffer_;
    case EngineId::kJob: return job_;
    case EngineId::kCompletion: return completion_;
    case EngineId::kGc: return gc_;
    case EngineId::kCopy: return copy_;
    case EngineId::kVictim: return victim_;
    default: throw std::logic_error(std::string(row_of(id).name) + " is no engine of this block");
  }
}

std::uint32_t EngineBlock::map_entry(std::uint32_t lpn) const {
  std::uint32_t value;
  std::memcpy(&value, map_memory_ + (words_[kMapBaseWord] - WL_DRAM_BASE) + lpn * sizeof value, sizeof value);
  return wl_map_resolve(value, lpn, words_[kMapInitialWord]);
}

wl_flash_job EngineBlock::build(std::uint32_t place) const {
  const wl_location at = wl_locate(&geometry_, place);
  wl_flash_job job{};
  job.die = static_cast<std::uint16_t>(at.die);
  job.block = at.block;
  job.page = at.page;
  job.sector = static_cast<std::uint16_t>(at.sector);
  return job;
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
      end_scan();
      ended = true;
    }
  }
  if (search_end_.count() >= 0) {
    if (search_end_ > now) {
      later(search_end_);
    } else {
      end_search();
      ended = true;
    }
  }
  if (ended) interrupt->raise(WL_IRQ_ENGINE);
  std::size_t due = 0;
  while (due < doorbells_.size() && doorbells_[due].at <= now) take_jobs(doorbells_[due++]);
  doorbells_.erase(doorbells_.begin(), doorbells_.begin() + static_cast<std::ptrdiff_t>(due));
  if (!doorbells_.empty()) later(doorbells_.front().at);
  due = 0;
  while (due < copy_doorbells_.size() && copy_doorbells_[due].at <= now) take_copies(copy_doorbells_[due++]);
  copy_doorbells_.erase(copy_doorbells_.begin(), copy_doorbells_.begin() + static_cast<std::ptrdiff_t>(due));
  if (!copy_doorbells_.empty()) later(copy_doorbells_.front().at);
  collect();
  if (scan_goes_on() && scan_resume_ > now) later(scan_resume_);
  if (scan_end_ > now) later(scan_end_);
  if (next.count() >= 0) wake_.notify(tlm_if::to_sc_time(next - now));
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
