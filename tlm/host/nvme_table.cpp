// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Commands that firmware parses (engines.parse = off): the command table, and PRP lists and ranges on a job of the firmware
// (models/firmware/contract/).
#include <cstring>

#include "tlm/host/nvme_controller.h"

namespace wordline::host {

static_assert(sizeof(wl_sqe) == sizeof(nvme::SubmissionEntry));
static_assert(sizeof(wl_dsm_range) == sizeof(nvme::DsmRange));

bool NvmeController::lay_tables() {
  entries_ = reinterpret_cast<wl_sqe*>(memory->at(table_base_, commands_.size() * sizeof *entries_));
  extents_ = reinterpret_cast<std::uint32_t*>(memory->at(extent_base_, commands_.size() * sizeof *extents_));
  range_table_ = memory->at(range_base_, sizeof ranges_);
  return entries_ != nullptr && extents_ != nullptr && range_table_ != nullptr;
}

// The port into tightly coupled memory takes a word per clock of the cores, one transfer after the other.
Picoseconds NvmeController::write_table(Picoseconds from, std::size_t bytes) {
  table_free_ = std::max(table_free_, from) + cycles_time(bytes / sizeof(std::uint32_t), config_.cpu.clock);
  return table_free_;
}

// The entry is in its slot. Nothing in it has been looked at.
void NvmeController::fetched(std::uint32_t tag) {
  Command& command = commands_[tag];
  command.state = Command::State::kFirmware;
  command.slba = 0;
  command.blocks = 0;
  command.ranges = 0;
  command.list = 0;
  std::memcpy(&entries_[tag], &command.sqe, sizeof command.sqe);
  extents_[tag] = 0;
  record_command(command);
  stages->mark(static_cast<std::uint16_t>(tag), tlm_if::Stage::kQueueFirmware, tlm_if::now());
  wl_host_event event{};
  event.type = WL_EVENT_SQE;
  event.tag = static_cast<std::uint16_t>(tag);
  push_event(event, true);
}

// The extent that firmware found in the entry; from then on data can move. False: it does not fit the controller's copy.
bool NvmeController::take_extent(std::uint32_t tag) {
  Command& command = commands_[tag];
  if (command.blocks != 0) return true;
  const std::uint32_t extent = extents_[tag];
  command.slba = extent & ((1U << WL_EXTENT_FIRST_BITS) - 1);  // only where it lies within its sector is known, and needed
  command.blocks = extent >> WL_EXTENT_FIRST_BITS;
  const bool data = command.sqe.opcode == nvme::kRead || command.sqe.opcode == nvme::kWrite;
  const bool fits = data && command.blocks != 0 && command.blocks <= kLbasPerSector << mdts_;
  if (!fits || (!lost(command) && start_prps(command) != nvme::kSuccess)) {
    error("extent of " + std::to_string(command.blocks) + " blocks for tag " + std::to_string(tag) +
          " does not fit its entry, opcode " + std::to_string(command.sqe.opcode));
    return false;
  }
  if (command.list == 0) count(command.sqe.opcode);  // else when its list is good
  return true;
}

// False: `job` moves no data for the host, and is done with, or is wrong.
bool NvmeController::is_data_job(const wl_host_job& job) {
  if (job.op == WL_JOB_PRP_LIST) {
    start_prp_list(job.tag);
    return false;
  }
  if (job.op == WL_JOB_RANGES) {
    bring_ranges(job);
    return false;
  }
  if (!take_extent(job.tag)) return false;
  if (commands_[job.tag].list == 0) return true;
  error("data job for tag " + std::to_string(job.tag) + " before its PRP list is read");
  return false;
}

void NvmeController::start_prp_list(std::uint32_t tag) {
  if (!take_extent(tag)) return;
  const Command& command = commands_[tag];
  if (lost(command)) {
    answer(tag, WL_EVENT_LIST, nvme::kAbortedQueueDeleted);
  } else if (command.list == 0) {
    error("job for a PRP list, but tag " + std::to_string(tag) + " has none, or it was read");
  } else {
    request_prp_list(tag);
  }
}

void NvmeController::bring_ranges(const wl_host_job& job) {
  Command& command = commands_[job.tag];
  const bool fits = command.sqe.opcode == nvme::kDatasetManagement && command.ranges == 0 && job.count != 0 &&
                    job.count <= nvme::kMaxDsmRanges;
  if (fits) command.ranges = job.count;
  if (!fits || (!lost(command) && start_prps(command) != nvme::kSuccess)) {
    error("job for " + std::to_string(job.count) + " ranges does not fit tag " + std::to_string(job.tag) + ", opcode " +
          std::to_string(command.sqe.opcode));
    return;
  }
  if (deallocating_ == kNone) {
    start_ranges(job.tag);
  } else {
    deallocate_queue_.push_back(job.tag);
  }
}

// A list or ranges are there, or the reason why not.
void NvmeController::answer(std::uint32_t tag, std::uint8_t type, nvme::Status status) {
  wl_host_event event{};
  event.type = type;
  event.tag = static_cast<std::uint16_t>(tag);
  event.count = status;
  push_event(event, true);
}

}  // namespace wordline::host
