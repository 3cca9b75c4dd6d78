// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of program and erase jobs: data in, erase command, status.
#include <algorithm>
#include <utility>

#include "tlm/flash/channel/channel_controller.h"

namespace wordline::flash {

Picoseconds ChannelController::fetch_page(Picoseconds earliest) {
  return dram->reserve(earliest, std::uint64_t{sectors_per_page_} * kSectorBytes);
}

/// The first page of the program that is next, when it is one.
void ChannelController::fetch_next(std::uint32_t die, Picoseconds earliest) {
  const DieQueue& queue = dies_[die].queue;
  if (queue.empty()) return;
  QueuedJob& next = pool_[queue.next()];
  if (next.job.op == WL_FLASH_PROGRAM && next.fetched < Picoseconds(0)) next.fetched = fetch_page(earliest);
}

void ChannelController::data_in(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const wl_flash_job& job = pool_[d.job].job;
  const std::uint32_t plane = d.plane % planes_;
  const bool last = d.plane + 1 == planes_ * pages_per_program_;
  if (d.plane == 0) ++loading_;
  if (last) --loading_;
  onfi::Address to = address(die, job, plane);
  to.page = PageId(job.page + d.plane / planes_);
  for (std::uint32_t i = 0; i < sectors_per_page_; ++i) {
    const std::uint32_t slot = job.slot + d.plane * sectors_per_page_ + i;
    const wl_slot_info* info = owner(slot);
    page_[i] = {buffer->slot(slot), info != nullptr ? info->lpn : WL_LPN_NONE};
  }
  const Picoseconds command_end = send(die, onfi::SegmentKind::kCommand, codec_.program(to), command_after(die, at));
  const Picoseconds begin = transaction_.start;
  const Picoseconds data_end =
      send_data(die, onfi::SegmentKind::kDataIn, sectors_per_page_, command_end + rules_.t_adl);
  const bool more = last && caches_program(d);
  const std::uint8_t confirm = more                  ? onfi::kProgramCache
                               : last                ? onfi::kProgramConfirm
                               : plane + 1 < planes_ ? onfi::kProgramNextPlane
                                                     : onfi::kProgramNextPage;
  send(die, onfi::SegmentKind::kCommand, onfi::AddressCodec::command(confirm), data_end);
  if (more) {
    d.step = d.in_array == kNoJob ? Step::kDataIn : Step::kCacheStatus;
    d.before = std::exchange(d.in_array, d.job);
    fetch_next(die, begin);
    d.job = d.queue.pop();
    d.plane = 0;
    d.eligible = std::max(transaction_.ready_at, pool_[d.job].fetched);
    return;
  }
  if (last) {
    d.step = Step::kArray;
    d.eligible = transaction_.end + rules_.t_wb;  // of a suspend
    fetch_next(die, begin);
    return;
  }
  ++d.plane;
  d.eligible = std::max(transaction_.ready_at, fetch_page(begin));
}

void ChannelController::erase_command(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const bool last = d.plane + 1 == planes_;
  onfi::Address to = address(die, pool_[d.job].job, d.plane);
  to.page = PageId(0);
  send(die, onfi::SegmentKind::kCommand, codec_.erase(to, last ? onfi::kEraseConfirm : onfi::kEraseNextPlane),
       command_after(die, at));
  if (last) {
    d.step = Step::kArray;
    d.eligible = transaction_.end + rules_.t_wb;
    return;
  }
  ++d.plane;
  d.eligible = transaction_.ready_at;
}

std::uint8_t ChannelController::status_of(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const Picoseconds end = send(die, onfi::SegmentKind::kStatus, codec_.read_status(address(die, pool_[d.job].job, 0)),
                               command_after(die, at));
  output_end_[package(die)] = end;
  d.eligible = end + rules_.t_rhw;
  return transaction_.status;
}

void ChannelController::finish_write(std::uint32_t die, JobIndex index, bool failed) {
  const wl_flash_status failure =
      pool_[index].job.op == WL_FLASH_PROGRAM ? WL_FLASH_PROGRAM_FAIL : WL_FLASH_ERASE_FAIL;
  dies_[die].queue.done(index);
  finish(index, transaction_.end, failed ? failure : WL_FLASH_OK, 0, {});
}

void ChannelController::read_status(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const std::uint8_t status = status_of(die, at);
  if ((status & onfi::kSuspended) != 0) {
    d.suspended = true;
    ++d.suspends;
    d.served = 0;
    d.step = Step::kIdle;
    return;
  }
  if (d.in_array != kNoJob) {
    finish_write(die, std::exchange(d.in_array, kNoJob), (status & onfi::kFailCache) != 0);
  }
  finish_write(die, std::exchange(d.job, kNoJob), (status & onfi::kFail) != 0);
  d.step = Step::kIdle;
}

// ---- CACHE PROGRAM --------------------------------------------------------------------------------------------------

bool ChannelController::caches_program(const Die& d) const {
  return rules_.cache_program && !d.queue.empty() && pool_[d.queue.next()].job.op == WL_FLASH_PROGRAM;
}

/// The unit before the one in the array has ended when the die takes the next one.
void ChannelController::read_cache_status(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const std::uint8_t status = status_of(die, at);
  finish_write(die, std::exchange(d.before, kNoJob), (status & onfi::kFailCache) != 0);
  d.eligible = std::max(d.eligible, pool_[d.job].fetched);
  d.step = Step::kDataIn;
}

// ---- suspend and resume ---------------------------------------------------------------------------------------------

bool ChannelController::wants_suspend(const Die& d) const {
  if (rules_.suspend == config::SuspendPolicy::kNever || d.job == kNoJob || d.suspended || d.in_array != kNoJob) {
    return false;
  }
  const config::SuspendPolicy covers = pool_[d.job].job.op == WL_FLASH_PROGRAM ? config::SuspendPolicy::kProgram
                                                                                : config::SuspendPolicy::kErase;
  return (rules_.suspend == covers || rules_.suspend == config::SuspendPolicy::kBoth) &&
         d.suspends < rules_.suspend_limit && rules_.starvation_bound != 0 && d.queue.takes_read();
}

bool ChannelController::wants_resume(const Die& d) const {
  return d.suspended && (d.served >= rules_.starvation_bound || !d.queue.takes_read());
}

void ChannelController::suspend(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const wl_flash_job& job = pool_[d.job].job;
  const onfi::Address to = address(die, job, 0);
  send(die, onfi::SegmentKind::kCommand,
       job.op == WL_FLASH_PROGRAM ? codec_.suspend_program(to) : codec_.suspend_erase(to), command_after(die, at));
  d.step = Step::kStopping;
  d.eligible = transaction_.end + rules_.t_wb;
}

void ChannelController::resume(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const wl_flash_job& job = pool_[d.job].job;
  const onfi::Address to = address(die, job, 0);
  send(die, onfi::SegmentKind::kCommand,
       job.op == WL_FLASH_PROGRAM ? codec_.resume_program(to) : codec_.resume_erase(to), command_after(die, at));
  d.suspended = false;
  d.step = Step::kArray;
  d.eligible = transaction_.end + rules_.t_wb;
}

}  // namespace wordline::flash
