// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/hardware_reads.h"

#include <fmt/core.h>

#include <algorithm>

#include "tlm/device/engines/flash_job_at.h"

namespace wordline::engines {

namespace regs = registers::engines;

HardwareReads::HardwareReads(const config::Config& config, BlockContext& block, const Path& path,
                             sc_core::sc_port<tlm_if::HostCommandIf>& host,
                             sc_core::sc_port<tlm_if::StageClockIf>& stages)
    : EnginePart(block), path_(path), host_(host), stages_(stages), commands_(config.nvme.tags) {
  plan_.reserve(WL_LOOKUP_LPAGES);
  block.registers.counter(regs::buffer_reads, buffer_reads_);
  block.registers.counter(regs::flash_reads, flash_reads_);
  block.registers.counter(regs::zero_reads, zero_reads_);
  block.registers.counter(regs::handed_over, returned_);
}

bool HardwareReads::enable(std::uint32_t /*set*/) {
  const std::uint32_t slots = block_.registers[regs::slot_count];
  if (slots > kMaxSlots) {
    block_.error(
        fmt::format("ENGINES.ENABLE with SLOT_COUNT {}, at most {} have a number in a flash job", slots, kMaxSlots));
    return false;
  }
  // A row holds a page, or less where there would not be eight of them.
  std::uint32_t row = std::min(block_.geometry.page_lpages, SlotRows::kMaxRow);
  while (row > 1 && slots / row < 8) row /= 2;
  slots_.reset(slots, row);
  run_first_.assign(slots, 0);
  return true;
}

bool HardwareReads::take(std::uint16_t tag, std::uint32_t lpn, std::uint32_t pages) {
  if (!block_.has(WL_ENGINE_L2P)) return false;
  const std::uint32_t mapped = block_.registers[regs::map_lpages];
  if (lpn + pages > mapped) {
    block_.error(fmt::format("lookup of logical page {} + {} of a map of {}", lpn, pages, mapped));
    return false;
  }
  stages_->mark(tag, tlm_if::Stage::kEngine, block_.now());
  const Picoseconds known = path_.lookup.look_up(tag, lpn, pages);
  if (plan(path_.lookup.answer(tag), lpn, pages) && take_slots()) {
    begin(tag, known);
  } else {
    ++returned_;
    host_->hand_over(tag, known, WL_EVENT_LOOKED_UP);
  }
  return true;
}

/// Cuts the command into runs. False: the engines cannot serve all of it.
bool HardwareReads::plan(const wl_lookup& answer, std::uint32_t lpn, std::uint32_t pages) {
  if (pages > WL_LOOKUP_LPAGES || !block_.has(WL_ENGINE_COMPLETION)) return false;
  plan_.clear();
  for (std::uint32_t i = 0; i < pages; ++i) {
    if (path_.lookup.is_written(lpn + i) || !add_to_plan(answer.value[i], static_cast<std::uint16_t>(i))) return false;
  }
  return true;
}

/// A logical page more, in the last run or in one of its own. False: there is no engine for it, or it was lost.
bool HardwareReads::add_to_plan(std::uint32_t value, std::uint16_t page) {
  Run* const last = plan_.empty() ? nullptr : &plan_.back();
  if (value == WL_MAP_DEALLOCATED) {
    if (last != nullptr && last->op == WL_JOB_ZERO_OUT) {
      ++last->count;
    } else {
      plan_.push_back({WL_JOB_ZERO_OUT, false, page, 1, 0, 0});
    }
    return true;
  }
  if (value >= WL_MAP_BUFFER) {
    if (!block_.has(WL_ENGINES_BUFFER)) return false;
    const std::uint32_t slot = wl_map_slot(value);
    if (last != nullptr && last->op == WL_JOB_DMA_OUT && !last->flash && last->slot + last->count == slot) {
      ++last->count;
    } else {
      plan_.push_back({WL_JOB_DMA_OUT, false, page, 1, 0, slot});
    }
    return true;
  }
  if (value < WL_MAP_PPA0 || !block_.has(WL_ENGINES_FLASH)) return false;
  const std::uint32_t ppa = value - WL_MAP_PPA0;
  if (last != nullptr && last->flash && last->ppa + last->count == ppa && ppa % block_.geometry.page_lpages != 0 &&
      last->count < slots_.row()) {
    ++last->count;
  } else {
    plan_.push_back({WL_JOB_DMA_OUT, true, page, 1, ppa, 0});
  }
  return true;
}

/// Slots for all flash runs, or none.
bool HardwareReads::take_slots() {
  slots_.return_due(block_.now());
  for (auto run = plan_.begin(); run != plan_.end(); ++run) {
    if (!run->flash) continue;
    run->slot = slots_.take(run->count);
    if (run->slot != TimedSlots::kNone) continue;
    for (auto taken = plan_.begin(); taken != run; ++taken) {
      if (taken->flash) slots_.give(taken->slot, taken->count);
    }
    return false;
  }
  return true;
}

/// `known`: when the lookup has answered.
void HardwareReads::begin(std::uint16_t tag, Picoseconds known) {
  Command& command = commands_[tag];
  command.failed = false;
  command.waiting =
      static_cast<std::uint16_t>(std::count_if(plan_.begin(), plan_.end(), [](const Run& run) { return run.flash; }));
  if (command.waiting != 0)
    command.group = path_.quiescence.enter();  // for all of its PPAs, until the last job is back
  bool buffered = false;
  for (const Run& run : plan_) {
    const bool last = command.waiting == 0 && &run == &plan_.back();
    if (run.flash) {
      read_flash(tag, run, known);
    } else if (run.op == WL_JOB_ZERO_OUT) {
      path_.completion.send(host_job(tag, run, last), known);
    } else {
      buffered = true;
      path_.buffer.serve(host_job(tag, run, last), known);
    }
  }
  ++(command.waiting != 0 ? flash_reads_ : buffered ? buffer_reads_ : zero_reads_);
}

void HardwareReads::read_flash(std::uint16_t tag, const Run& run, Picoseconds known) {
  wl_flash_job job = flash_job_at(block_.geometry, run.ppa);
  job.op = WL_FLASH_READ;
  job.priority = WL_PRIORITY_HOST;
  job.id = static_cast<std::uint16_t>(run.slot);
  job.tag = tag;
  job.count = run.count;
  job.slot = block_.registers[regs::slot_first] + run.slot;
  job.flags = WL_FLASH_ENGINE;
  run_first_[run.slot] = run.first;
  path_.job.submit(job, known);
}

/// `last`: all other runs are on their way.
wl_host_job HardwareReads::host_job(std::uint16_t tag, const Run& run, bool last) {
  wl_host_job job{};
  job.op = static_cast<std::uint8_t>(run.op);
  job.flags = last ? WL_JOB_THEN_COMPLETE : 0;
  job.tag = tag;
  job.count = run.count;
  job.slot = run.slot;
  job.lpage = run.first;
  return job;
}

void HardwareReads::completed(const wl_flash_job& job, bool ok) {
  const Picoseconds now = block_.now();
  Command& command = commands_[job.tag];
  const bool last = --command.waiting == 0;
  if (last) path_.quiescence.leave(command.group);
  command.failed = command.failed || !ok;
  Picoseconds left = now;
  if (!command.failed) {
    stages_->mark(job.tag, tlm_if::Stage::kEngineDone, now);
    left = path_.completion.send(
        host_job(job.tag, {WL_JOB_DMA_OUT, true, run_first_[job.id], job.count, 0, job.slot}, last), now);
  } else if (last) {
    ++returned_;
    path_.completion.return_to_firmware(job.tag);
  }
  slots_.give_at(left, job.id, job.count);
}

void HardwareReads::write_begins(std::uint32_t lpn, std::uint32_t pages) {
  if (block_.has(WL_ENGINE_L2P | WL_ENGINE_COMPLETION)) path_.lookup.write_begins(lpn, pages);
}

}  // namespace wordline::engines
