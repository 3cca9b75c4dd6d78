// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/copy_engine.h"

#include <fmt/core.h>

#include <algorithm>

#include "tlm/device/engines/flash_job_at.h"

namespace wordline::engines {

namespace regs = registers::engines;

CopyEngine::CopyEngine(const config::Config& config, BlockContext& block, sc_core::sc_port<tlm_if::FlashJobIf>& flash)
    : Engine(EngineId::kCopy, config.engines, block), flash_(flash) {
  block.registers.command(regs::copy_doorbell, [this](std::uint32_t produced, Picoseconds at) {
    doorbells_.add(at, produced);
    block_.wake(at);
  });
  block.registers.counter(regs::copied, copied_);
  block.registers.counter(regs::copies_handed_over, returned_);
}

bool CopyEngine::enable(std::uint32_t set) {
  if (!is_in(set)) return true;
  const EngineRegisters& words = block_.registers;
  const std::uint32_t size = words[regs::copy_ring_size];
  if (!tlm_if::is_ring_size(size)) {
    block_.error(fmt::format("ENGINES.ENABLE with COPY_RING_SIZE {}, must be a power of two", size));
    return false;
  }
  const std::uint32_t first = words[regs::copy_slot_first], count = words[regs::copy_slot_count];
  if (!block_.open(ring_, regs::copy_ring_base, size, "COPY_RING_BASE")) return false;
  sources_ = block_.table<wl_gc_source>(regs::copy_sources, count, "COPY_SOURCES");
  programmed_ = block_.table<std::uint32_t>(regs::copy_ppas, count / unit_lpages(), "COPY_PPAS");
  slot_table_ = block_.table<wl_slot_info>(regs::slot_table, std::size_t{first} + count, "SLOT_TABLE");
  return sources_ != nullptr && programmed_ != nullptr && slot_table_ != nullptr;
}

void CopyEngine::go_on(Picoseconds now) {
  doorbells_.deliver(now, [this](Picoseconds, std::uint32_t produced) {
    if (take_until(produced) && units_posted) units_posted();
  });
}

/// False: an error was reported.
bool CopyEngine::take_until(std::uint32_t produced) {
  if (!enabled()) {
    block_.error("ENGINES.COPY_DOORBELL without the copy engine enabled");
    return false;
  }
  if (ring_.read_until(produced, [this](const wl_copy_job& posted) { take(posted); })) return true;
  block_.error(fmt::format("copy doorbell {} with {} consumed overflows the ring of {} entries", produced,
                           ring_.consumed(), ring_.size()));
  return false;
}

void CopyEngine::take(const wl_copy_job& posted) {
  if ((posted.flags & WL_COPY_CLOSE) != 0) {
    close_units();
    return;
  }
  const std::uint32_t slot = posted.slot - block_.registers[regs::copy_slot_first];
  if (slot + unit_lpages() > block_.registers[regs::copy_slot_count] ||
      ((posted.flags & WL_COPY_FILL) != 0 && !block_.has(WL_ENGINE_GC))) {
    block_.error(
        fmt::format("copy of slots from {} on, which are not GC's, or filled by a scan without its "
                    "engine",
                    posted.slot));
    return;
  }
  const auto same = [&posted](const ProgramUnit& u) { return u.job.slot == posted.slot; };
  const auto returned = std::find_if(units_.begin(), units_.end(), same);
  if (returned != units_.end()) {
    if (returned->state != State::kReturned || (posted.flags & WL_COPY_READY) == 0) {
      block_.error(fmt::format("the program unit at slot {} is posted while it is copied", posted.slot));
      return;
    }
    program(*returned);
    return;
  }
  units_.push_back({posted, 0, 0, false, State::kFilling});
  ppas_left_.push_back(posted.ppa);
  if ((posted.flags & WL_COPY_FILL) != 0) return;
  ProgramUnit& unit = units_.back();
  unit.filled = unit_lpages();
  if ((posted.flags & WL_COPY_READY) != 0) {
    program(unit);
  } else {
    read(unit, block_.now());
  }
}

/// Program units that are not full get padding. Reading a unit may end it at once, and take it off the list.
void CopyEngine::close_units() {
  for (auto at = unit_to_fill(); at != units_.end(); at = unit_to_fill()) {
    ProgramUnit& unit = units_[static_cast<std::size_t>(at - units_.begin())];
    for (; unit.filled != unit_lpages(); ++unit.filled)
      source(unit.job.slot + unit.filled) = {WL_LPN_NONE, WL_LPN_NONE};
    read(unit, block_.now());
  }
}

bool CopyEngine::add_source(const wl_gc_source& found, Picoseconds known) {
  const auto at = unit_to_fill();
  if (at == units_.end()) return false;
  ProgramUnit& unit = units_[static_cast<std::size_t>(at - units_.begin())];
  source(unit.job.slot + unit.filled) = found;
  if (++unit.filled == unit_lpages()) read(unit, known);
  return true;
}

/// A read for every run: neighbours in the program unit that are neighbours in a page. `from`: when the last source is
/// known.
void CopyEngine::read(ProgramUnit& unit, Picoseconds from) {
  const std::uint32_t end = unit.job.slot + unit_lpages();
  const std::uint32_t page = block_.geometry.page_lpages;
  unit.state = State::kReading;
  for (std::uint32_t slot = unit.job.slot; slot != end;) {
    const std::uint32_t ppa = source(slot).ppa;
    std::uint32_t count = 1;
    if (ppa != WL_LPN_NONE) {
      const std::uint32_t most = page - ppa % page;
      while (count < most && slot + count != end && source(slot + count).ppa == ppa + count) ++count;
      wl_flash_job job = flash_job_at(block_.geometry, ppa);
      job.op = WL_FLASH_READ;
      job.priority = WL_PRIORITY_GC;
      job.id = unit.job.id;
      job.tag = WL_NO_TAG;
      job.count = static_cast<std::uint16_t>(count);
      job.slot = slot;
      job.flags = WL_FLASH_COPY;
      ++unit.reads;
      flash_->submit(pipeline_.run(block_.now(), from), job);
    }
    slot += count;
  }
  if (unit.reads == 0) program(unit);  // padding only
}

bool CopyEngine::read_completed(const wl_flash_job& job, wl_flash_completion& completion) {
  const auto is_of = [&](const ProgramUnit& u) { return job.slot - u.job.slot < unit_lpages(); };
  const auto unit = std::find_if(units_.begin(), units_.end(), is_of);
  if (unit == units_.end()) {
    block_.error(fmt::format("a copied run of slot {} completes, of no program unit", job.slot));
    return true;
  }
  if (completion.status != WL_FLASH_OK) {
    for (std::uint32_t i = 0; i < job.count; ++i) source(job.slot + i).ppa |= WL_COPY_FAILED;
    unit->failed = true;
  }
  if (--unit->reads != 0) return true;
  if (unit->failed) {
    ++returned_;
    unit->failed = false;
    unit->state = State::kReturned;
    completion = {unit->job.id, WL_FLASH_UNCORRECTABLE, 0, 0};
    return false;
  }
  program(*unit);
  return true;
}

/// To the first PPA that is left, which the firmware learns from the table of PPAs. Ends `unit`.
void CopyEngine::program(ProgramUnit& unit) {
  const std::uint32_t slot = unit.job.slot;
  for (std::uint32_t i = 0; i < unit_lpages(); ++i) {
    const wl_gc_source& from = source(slot + i);
    slot_table_[slot + i].lpn = from.ppa == WL_LPN_NONE ? WL_LPN_NONE : from.lpn;
  }
  const std::uint32_t ppa = ppas_left_.front();
  ppas_left_.pop_front();
  programmed_[(slot - block_.registers[regs::copy_slot_first]) / unit_lpages()] = ppa;
  wl_flash_job job = flash_job_at(block_.geometry, ppa);
  job.op = WL_FLASH_PROGRAM;
  job.priority = WL_PRIORITY_GC;
  job.id = unit.job.id;
  job.tag = WL_NO_TAG;
  job.count = static_cast<std::uint16_t>(unit_lpages());
  job.slot = slot;
  flash_->submit(pipeline_.run(block_.now(), block_.now()), job);
  ++copied_;
  units_.erase(units_.begin() + (&unit - units_.data()));
}

CopyEngine::Units::const_iterator CopyEngine::unit_to_fill() const {
  return std::find_if(units_.begin(), units_.end(), [](const ProgramUnit& u) { return u.state == State::kFilling; });
}

wl_gc_source& CopyEngine::source(std::uint32_t slot) {
  return sources_[slot - block_.registers[regs::copy_slot_first]];
}

}  // namespace wordline::engines
