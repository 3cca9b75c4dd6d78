// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
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
  if (plan(lookups_[tag], lpn, sectors) && take_slots()) {
    begin_runs(tag, known);
  } else {
    ++counters_.handed_over;
    host->hand_over(tag, known, WL_EVENT_LOOKED_UP);
  }
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

/// Cuts the command into runs. False: the engines cannot serve all of it.
bool EngineBlock::plan(const wl_lookup& answer, std::uint32_t lpn, std::uint32_t sectors) {
  if (sectors > WL_LOOKUP_SECTORS || !has(WL_ENGINE_COMPLETION)) return false;
  plan_.clear();
  for (std::uint32_t i = 0; i < sectors; ++i) {
    const wl_sector_state& sector = state(lpn + i);
    if (sector.opened != sector.closed || !add_run(answer.value[i], static_cast<std::uint16_t>(i))) return false;
  }
  return true;
}

/// A sector more, in the last run or in one of its own. False: there is no engine for it, or it was lost.
bool EngineBlock::add_run(std::uint32_t value, std::uint16_t sector) {
  Run* const last = plan_.empty() ? nullptr : &plan_.back();
  if (value == WL_MAP_DEALLOCATED) {
    if (last != nullptr && last->op == WL_JOB_ZERO_OUT) {
      ++last->count;
    } else {
      plan_.push_back({WL_JOB_ZERO_OUT, false, sector, 1, 0, 0});
    }
    return true;
  }
  if (value >= WL_MAP_BUFFER) {
    if (!has(WL_ENGINES_BUFFER)) return false;
    const std::uint32_t slot = value - WL_MAP_BUFFER;
    if (last != nullptr && last->op == WL_JOB_DMA_OUT && !last->flash && last->slot + last->count == slot) {
      ++last->count;
    } else {
      plan_.push_back({WL_JOB_DMA_OUT, false, sector, 1, 0, slot});
    }
    return true;
  }
  if (value < WL_MAP_PLACE0 || !has(WL_ENGINES_FLASH)) return false;
  const std::uint32_t place = value - WL_MAP_PLACE0;
  if (last != nullptr && last->flash && last->place + last->count == place && place % geometry_.page_sectors != 0 &&
      last->count < slots_.row()) {
    ++last->count;
  } else {
    plan_.push_back({WL_JOB_DMA_OUT, true, sector, 1, place, 0});
  }
  return true;
}

/// Slots for all flash runs, or none.
bool EngineBlock::take_slots() {
  while (!freed_.empty() && freed_.front().at <= tlm_if::now()) {
    std::pop_heap(freed_.begin(), freed_.end(), SlotsFreed::later);
    slots_.give(freed_.back().slot, freed_.back().count);
    freed_.pop_back();
  }
  for (auto run = plan_.begin(); run != plan_.end(); ++run) {
    if (!run->flash) continue;
    run->slot = slots_.take(run->count);
    if (run->slot != SlotRows::kNone) continue;
    for (auto taken = plan_.begin(); taken != run; ++taken) {
      if (taken->flash) slots_.give(taken->slot, taken->count);
    }
    return false;
  }
  return true;
}

/// `known`: when the lookup has answered.
void EngineBlock::begin_runs(std::uint16_t tag, Picoseconds known) {
  const Picoseconds now = tlm_if::now();
  Chain& chain = chains_[tag];
  chain.failed = false;
  chain.waiting = static_cast<std::uint16_t>(
      std::count_if(plan_.begin(), plan_.end(), [](const Run& run) { return run.flash; }));
  if (chain.waiting != 0) chain.group = places_.enter();  // for all of its places, until the last job is back
  bool buffered = false;
  for (const Run& run : plan_) {
    if (run.flash) {
      wl_flash_job job = build(run.place);
      job.op = WL_FLASH_READ;
      job.priority = WL_PRIORITY_HOST;
      job.id = static_cast<std::uint16_t>(run.slot);
      job.tag = tag;
      job.count = run.count;
      job.slot = words_[kSlotFirstWord] + run.slot;
      job.flags = WL_FLASH_ENGINE;
      run_sector_[run.slot] = run.sector;
      flash->submit(job_.run(now, known), job);
      continue;
    }
    const bool last = chain.waiting == 0 && &run == &plan_.back();
    if (run.op == WL_JOB_ZERO_OUT) {
      send(tag, run, known, last);
    } else {
      buffered = true;
      slots_until_ = std::max(slots_until_, send(tag, run, buffer_.run(now, known), last));
    }
  }
  ++(chain.waiting != 0 ? counters_.flash_reads : buffered ? counters_.buffer_reads : counters_.zero_reads);
}

/// The run's data are `ready` to go to the host. `last`: all others are on their way. Returns when they have left their slots.
Picoseconds EngineBlock::send(std::uint16_t tag, const Run& run, Picoseconds ready, bool last) {
  wl_host_job job{};
  job.op = static_cast<std::uint8_t>(run.op);
  job.flags = last ? WL_JOB_THEN_COMPLETE : 0;
  job.tag = tag;
  job.count = run.count;
  job.slot = run.slot;
  job.sector = run.sector;
  return host->send_data(job, completion_.run(tlm_if::now(), ready));
}

bool EngineBlock::completed(const wl_flash_job& job, const wl_flash_completion& completion) {
  const Picoseconds now = tlm_if::now();
  const bool ok = completion.status == WL_FLASH_OK;
  if ((job.flags & WL_FLASH_ENGINE) == 0) {
    if (!ok) return false;
    stages->mark(job.tag, tlm_if::Stage::kEngineDone, now);
    wl_host_job all{};
    all.op = WL_JOB_DMA_OUT;
    all.flags = WL_JOB_THEN_COMPLETE | WL_JOB_NOTIFY;
    all.tag = job.tag;
    all.count = job.count;
    all.slot = job.slot;
    host->send_data(all, completion_.run(now, now));
    return true;
  }
  Chain& chain = chains_[job.tag];
  const bool last = --chain.waiting == 0;
  if (last && places_.leave(chain.group)) end_grace(WL_GRACE_PLACES, std::max(now, places_asked_));
  chain.failed = chain.failed || !ok;
  Picoseconds left = now;
  if (!chain.failed) {
    stages->mark(job.tag, tlm_if::Stage::kEngineDone, now);
    left = send(job.tag, {WL_JOB_DMA_OUT, true, run_sector_[job.id], job.count, 0, job.slot}, now, last);
  } else if (last) {
    ++counters_.handed_over;
    host->hand_over(job.tag, completion_.run(now, now), 0);
  }
  freed_.push_back({left, job.id, job.count});
  std::push_heap(freed_.begin(), freed_.end(), SlotsFreed::later);
  return true;
}

void EngineBlock::write_begins(std::uint32_t lpn, std::uint32_t sectors) {
  if (!has(WL_ENGINE_L2P | WL_ENGINE_COMPLETION)) return;
  for (std::uint32_t i = 0; i < sectors; ++i) state(lpn + i).opened = state(lpn + i).opened + 1;
}

}  // namespace wordline::engines
