// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the steps of all jobs share: segments on the bus, the start and the end of a job. The steps of reads are in
// channel_reads.cpp, those of programs and erases in channel_programs.cpp.
#include <algorithm>

#include "tlm/flash/channel/channel_controller.h"

namespace wordline::flash {
Picoseconds ChannelController::command_after(std::uint32_t die, Picoseconds at) const {
  return std::max(at, output_end_[package(die)] + rules_.t_rhw);
}

onfi::Address ChannelController::address(std::uint32_t die, const wl_flash_job& job, std::uint32_t plane) const {
  return {die / packages_, PlaneId(static_cast<std::uint8_t>(plane)), BlockId(job.block), PageId(job.page), 0};
}

Picoseconds ChannelController::transport(std::uint32_t die, Picoseconds at) {
  transaction_.die = static_cast<std::uint16_t>(die);
  transaction_.ready_at = Picoseconds(0);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = tlm_if::to_sc_time(at - tlm_if::now());
  bus->nb_transport_fw(transaction_, phase, delay);
  bus_free_ = transaction_.end;
  addressed_[package(die)] = die;
  return transaction_.end;
}

Picoseconds ChannelController::send(std::uint32_t die, onfi::SegmentKind kind, const onfi::Cycles& cycles,
                                    Picoseconds at) {
  transaction_.kind = kind;
  transaction_.cycles = cycles;
  transaction_.bytes = 0;
  transaction_.sectors = nullptr;
  transaction_.sector_count = 0;
  return transport(die, at);
}

Picoseconds ChannelController::send_data(std::uint32_t die, onfi::SegmentKind kind, std::uint32_t sectors,
                                         Picoseconds at) {
  transaction_.kind = kind;
  transaction_.cycles = {};
  transaction_.bytes = sectors * codec_.sector_bytes();
  transaction_.sectors = page_.data();
  transaction_.sector_count = sectors;
  transport(die, at);
  burst_ = transaction_.end - transaction_.start;
  return transaction_.end;
}

void ChannelController::grant(std::uint32_t die, Picoseconds at) {
  set_class(die, kNoClass);
  if (dies_[die].step == Step::kIdle && !wants_resume(dies_[die])) start_job(die, at);
  switch (dies_[die].step) {
    case Step::kReadCommand:
      read_command(die, at);
      break;
    case Step::kCacheCommand:
      cache_command(die, at);
      break;
    case Step::kDataOut:
      data_out(die, at);
      break;
    case Step::kReferences:
      set_references(die, at);
      break;
    case Step::kDataIn:
      data_in(die, at);
      break;
    case Step::kEraseCommand:
      erase_command(die, at);
      break;
    case Step::kStatus:
      read_status(die, at);
      break;
    case Step::kCacheStatus:
      read_cache_status(die, at);
      break;
    case Step::kIdle:
      resume(die, at);
      break;
    case Step::kArray:
      suspend(die, at);
      break;
    case Step::kStreaming:
    case Step::kStopping:
      SC_REPORT_FATAL("wordline/flash", "the bus was given to a die that does not wait for it");
      break;
  }
  evaluate(die, at);
}

void ChannelController::start_job(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const JobIndex index = d.queue.pop();
  d.plane = 0;
  switch (pool_[index].job.op) {
    case WL_FLASH_READ:
      d.reads.start(index);
      if (d.suspended) d.served += d.reads.members();
      d.step = Step::kReadCommand;
      if (retry_by_firmware_) {
        start_firmware_read(die, at);
      } else if (starts_from_ort(die)) {
        start_retry(die, false, at);
      }
      return;
    case WL_FLASH_PROGRAM:
      d.step = Step::kDataIn;
      break;
    default:
      d.step = Step::kEraseCommand;
      break;
  }
  d.job = index;
  d.suspends = 0;
}

void ChannelController::finish(JobIndex index, Picoseconds at, wl_flash_status status, std::uint32_t retries,
                               const JobMarks& marks, std::uint32_t history) {
  const wl_flash_job& job = pool_[index].job;
  const wl_flash_completion completion{job.id, static_cast<std::uint8_t>(status), static_cast<std::uint8_t>(retries),
                                       history};
  const std::uint16_t tag = job.op == WL_FLASH_READ ? job.tag : static_cast<std::uint16_t>(WL_NO_TAG);
  shared_.completions.complete(at, completion, tag, marks, outstanding_, job);
  pool_.release(index);
}

wl_slot_info* ChannelController::owner(std::uint32_t slot) {
  return reinterpret_cast<wl_slot_info*>(
      memory->at(shared_.slot_table + slot * static_cast<std::uint32_t>(sizeof(wl_slot_info)), sizeof(wl_slot_info)));
}

}  // namespace wordline::flash
