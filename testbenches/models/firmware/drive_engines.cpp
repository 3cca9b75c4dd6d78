// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "drive_engines.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "models/firmware/context.h"
#include "registers/wordline_regs.hpp"

namespace wordline::testing {
namespace {

namespace reg = registers::engines;

}  // namespace

DriveEngines::DriveEngines(const wl_boot_info& boot, Around around)
    : boot_(boot),
      around_(std::move(around)),
      rows_(boot.engine_slots, std::max(1U, std::min(boot.planes * boot.lpages_per_page, boot.engine_slots / 2))),
      chains_(boot.host_tags),
      lpage_of_(boot.engine_slots) {}

void DriveEngines::write32(std::uint32_t offset, std::uint32_t value) {
  words_.at(offset / 4) = value;
  if (offset == reg::grace) {
    if ((value & reg::grace_slots_mask) != 0 && slots_.begin()) grace_ended(WL_GRACE_SLOTS);
    if ((value & reg::grace_ppas_mask) != 0 && ppas_.begin()) grace_ended(WL_GRACE_PPAS);
  } else if (offset == reg::job_doorbell) {
    later_.emplace_back([this, value] { take_jobs(value); });
  } else if (offset == reg::scan) {
    later_.emplace_back([this, value] { scan(value); });
  }
}

std::uint32_t DriveEngines::read32(std::uint32_t offset) const {
  if (offset != reg::slots_read) throw std::runtime_error("read of an unknown register of the engines");
  return buffer_runs_ != 0 ? 1 : 0;
}

bool DriveEngines::step() {
  if (later_.empty()) return false;
  const std::size_t pick = around_.random() % later_.size();
  const std::function<void()> action = std::move(later_[pick]);
  later_.erase(later_.begin() + static_cast<std::ptrdiff_t>(pick));
  action();
  return true;
}

std::uint32_t DriveEngines::dram(std::uint32_t address) const {
  std::uint32_t value;
  std::memcpy(&value, around_.hal->dram + (address - WL_DRAM_BASE), sizeof value);
  return value;
}
std::uint32_t DriveEngines::map(std::uint32_t lpn) const {
  const std::uint32_t value = dram(word(reg::map_base) + 4 * lpn);
  return wl_map_resolve(value, lpn, word(reg::map_initial));
}
wl_lpage_state& DriveEngines::state(std::uint32_t lpn) const {
  return tcm<wl_lpage_state>(word(reg::lpage_states))[lpn % WL_LPAGE_STATES];
}

wl_flash_job DriveEngines::job_at(std::uint32_t ppa) const {
  const wl_geometry geometry =
      wl_geometry_of(word(reg::dies), word(reg::page_lpages), word(reg::unit_pages), word(reg::superblock_units));
  const wl_location at = wl_locate(&geometry, ppa);
  wl_flash_job job{};
  job.die = static_cast<std::uint16_t>(at.die);
  job.block = at.block;
  job.page = at.page;
  job.lpage = static_cast<std::uint16_t>(at.lpage);
  return job;
}

void DriveEngines::write_begins(std::uint32_t lpn, std::uint32_t lpages) {
  if (!has(WL_ENGINE_L2P | WL_ENGINE_COMPLETION)) return;
  for (std::uint32_t i = 0; i < lpages; ++i) state(lpn + i).opened = state(lpn + i).opened + 1;
}

bool DriveEngines::take_read(std::uint16_t tag, std::uint32_t lpn, std::uint32_t lpages) {
  if (!has(WL_ENGINE_L2P)) return false;
  wl_lookup& answer = tcm<wl_lookup>(word(reg::lookups))[tag];
  for (std::uint32_t i = 0; i < std::min(lpages, WL_LOOKUP_LPAGES); ++i) {
    answer.changes[i] = state(lpn + i).changes;
    answer.value[i] = map(lpn + i);
  }
  if (lpages <= WL_LOOKUP_LPAGES && chain(tag, lpn, lpages, answer)) {
    ++chained;
    return true;
  }
  ++handed_over;
  later_.emplace_back([this, tag] { around_.hand_over(tag, WL_EVENT_LOOKED_UP); });
  return true;
}

bool DriveEngines::chain(std::uint16_t tag, std::uint32_t lpn, std::uint32_t lpages, const wl_lookup& answer) {
  struct Run {
    std::uint32_t value, lpage, count, slot;
  };
  if (!has(WL_ENGINE_COMPLETION) || around_.random() % 8 == 0) return false;
  const auto in_flash = [](const Run& run) { return run.value >= WL_MAP_PPA0 && run.value < WL_MAP_BUFFER; };
  std::vector<Run> plan;
  for (std::uint32_t i = 0; i < lpages; ++i) {
    const std::uint32_t value = answer.value[i];
    if (state(lpn + i).opened != state(lpn + i).closed || value == WL_MAP_LOST) return false;
    if (value >= WL_MAP_BUFFER && !has(WL_ENGINES_BUFFER)) return false;
    if (value >= WL_MAP_PPA0 && value < WL_MAP_BUFFER && !has(WL_ENGINES_FLASH)) return false;
    Run* const last = plan.empty() ? nullptr : &plan.back();
    bool grows = last != nullptr && around_.random() % 4 != 0;
    if (grows && value == WL_MAP_DEALLOCATED) grows = last->value == value;
    if (grows && value != WL_MAP_DEALLOCATED)
      grows = last->value != WL_MAP_DEALLOCATED && last->value + last->count == value;
    if (grows && in_flash(*last))
      grows = (value - WL_MAP_PPA0) % word(reg::page_lpages) != 0 && last->count < rows_.row();
    if (grows)
      ++last->count;
    else
      plan.push_back({value, i, 1, 0});
  }
  for (auto run = plan.begin(); run != plan.end(); ++run) {
    if (!in_flash(*run)) continue;
    run->slot = rows_.take(run->count);
    if (run->slot != engines::SlotRows::kNone) continue;
    for (auto taken = plan.begin(); taken != run; ++taken)
      if (in_flash(*taken)) rows_.give(taken->slot, taken->count);
    return false;
  }
  Chain& c = chains_[tag];
  c.failed = false;
  c.waiting = static_cast<std::uint32_t>(std::count_if(plan.begin(), plan.end(), in_flash));
  if (c.waiting != 0) c.ppas = ppas_.enter();
  c.slots = engines::Grace::Group(-1);
  for (const Run& run : plan) {
    ++runs;
    if (in_flash(run)) {
      wl_flash_job job = job_at(run.value - WL_MAP_PPA0);
      job.op = WL_FLASH_READ;
      job.id = static_cast<std::uint16_t>(run.slot);
      job.tag = tag;
      job.count = static_cast<std::uint16_t>(run.count);
      job.slot = word(reg::slot_first) + run.slot;
      job.flags = WL_FLASH_ENGINE;
      lpage_of_.at(run.slot) = run.lpage;
      later_.emplace_back([this, job] { around_.flash(job); });
      continue;
    }
    wl_host_job job{};
    job.tag = tag;
    job.count = static_cast<std::uint16_t>(run.count);
    job.lpage = run.lpage;
    job.flags = c.waiting == 0 && &run == &plan.back() ? WL_JOB_THEN_COMPLETE : 0;
    job.op = WL_JOB_ZERO_OUT;
    if (run.value >= WL_MAP_BUFFER) {
      job.op = WL_JOB_DMA_OUT;
      job.slot = wl_map_slot(run.value);
      job.flags |= kFromBuffer;
      // All runs of a command are in one group: nothing of the model happens between them.
      c.slots = slots_.enter();
      ++buffer_runs_;
    }
    around_.host(job);
  }
  return true;
}

bool DriveEngines::completed(const wl_flash_job& job, std::uint8_t status) {
  if ((job.flags & (WL_FLASH_AUTOMATIC | WL_FLASH_ENGINE)) == 0) return false;
  const bool own = (job.flags & WL_FLASH_ENGINE) != 0;
  if (!own && status != WL_FLASH_OK) return false;
  wl_host_job out{};
  out.op = WL_JOB_DMA_OUT;
  out.tag = job.tag;
  out.count = job.count;
  out.slot = job.slot;
  if (!own) {
    out.flags = WL_JOB_THEN_COMPLETE | WL_JOB_NOTIFY;
    around_.host(out);
    return true;
  }
  Chain& c = chains_[job.tag];
  c.failed = c.failed || status != WL_FLASH_OK;
  const bool last = --c.waiting == 0;
  if (last && ppas_.leave(c.ppas)) grace_ended(WL_GRACE_PPAS);
  if (!c.failed) {
    out.lpage = lpage_of_.at(job.id);
    out.flags = static_cast<std::uint8_t>(kFromFlash | (last ? WL_JOB_THEN_COMPLETE : 0));
    around_.host(out);
    return true;
  }
  rows_.give(job.id, job.count);
  if (last) {
    ++failed;
    later_.emplace_back([this, tag = job.tag] { around_.hand_over(tag, 0); });
  }
  return true;
}

void DriveEngines::sent(const wl_host_job& job) {
  if ((job.flags & kFromFlash) != 0) rows_.give(job.slot - word(reg::slot_first), job.count);
  if ((job.flags & kFromBuffer) != 0) --buffer_runs_;
  if ((job.flags & kFromBuffer) != 0 && slots_.leave(chains_[job.tag].slots)) grace_ended(WL_GRACE_SLOTS);
}

void DriveEngines::grace_ended(wl_grace kind) {
  (kind == WL_GRACE_SLOTS ? slots_ : ppas_).ended();
  later_.emplace_back([this, kind] {
    wl_grace_state* const grace = tcm<wl_grace_state>(word(reg::grace_base));
    grace->done[kind] = grace->done[kind] + 1;
    around_.interrupt();
  });
}

void DriveEngines::take_jobs(std::uint32_t produced) {
  auto* const ring = tcm<wl_ring>(word(reg::job_ring_base));
  const auto* const entries = reinterpret_cast<const std::uint8_t*>(ring) + WL_RING_ENTRIES;
  if (produced - ring->consumed > word(reg::job_ring_size)) return;  // a later doorbell has come first
  while (ring->consumed != produced) {
    wl_ppa_job posted;
    std::memcpy(&posted, entries + ring->consumed % word(reg::job_ring_size) * sizeof posted, sizeof posted);
    ring->consumed = ring->consumed + 1;
    wl_flash_job job = job_at(posted.ppa);
    job.op = posted.op;
    job.priority = posted.priority;
    job.id = posted.id;
    job.tag = posted.tag;
    job.count = posted.count;
    job.slot = posted.slot;
    job.flags = posted.flags;
    job.control = posted.control;
    around_.flash(job);
  }
}

/// Looks now and answers later.
void DriveEngines::scan(std::uint32_t from) {
  ++scans;
  auto* const list = tcm<wl_gc_list>(word(reg::gc_list));
  const std::uint32_t end = std::min(word(reg::scan_end), from + WL_GC_SCAN);
  std::uint32_t ppa = from, count = 0;
  for (; ppa < end && count != WL_GC_FOUND; ++ppa) {
    const std::uint32_t value = dram(word(reg::owners_base) + 4 * ppa);
    std::uint32_t lpn = value - 1;
    if (value == 0) lpn = word(reg::map_initial) != 0 && ppa < word(reg::map_lpages) ? ppa : WL_LPN_NONE;
    if (value == WL_LPN_NONE || lpn == WL_LPN_NONE || map(lpn) != ppa + WL_MAP_PPA0) continue;
    list->found[count++] = {ppa, lpn};
  }
  later_.emplace_back([this, list, count, ppa] {
    list->count = count;
    list->next = ppa;
    list->done = list->done + 1;
    around_.interrupt();
  });
}

}  // namespace wordline::testing
