// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The firmware's jobs: data between host memory and the data buffer, and the end of commands.
#include <algorithm>

#include "tlm/host/nvme_controller.h"

namespace wordline::host {
namespace {

constexpr std::uint64_t kPageMask = nvme::kPageBytes - 1;

// Blocks of the command that lie in its sector `k`, [first, last), in LBAs.
struct BlockRun {
  std::uint64_t first, last;
  [[nodiscard]] std::uint64_t bytes() const { return (last - first) * kLbaBytes; }
  [[nodiscard]] bool whole() const { return last - first == kLbasPerSector; }
};
BlockRun blocks_of(const Command& command, std::uint32_t k) {
  const std::uint64_t sector = command.slba / kLbasPerSector + k;
  return {std::max(command.slba, sector * kLbasPerSector),
          std::min(command.slba + command.blocks, (sector + 1) * kLbasPerSector)};
}

// Where in host memory the block `lba` of the command is.
std::uint64_t host_address(const Command& command, std::uint64_t lba) {
  const std::uint64_t offset = (command.pages[0] & kPageMask) + (lba - command.slba) * kLbaBytes;
  return (command.pages[offset / nvme::kPageBytes] & ~kPageMask) + offset % nvme::kPageBytes;
}

wl_host_event done_event(const wl_host_job& job, std::uint8_t opcode) {
  wl_host_event event{};
  event.type = WL_EVENT_DMA_DONE;
  event.opcode = opcode;
  event.tag = job.tag;
  event.count = job.count;
  event.slot = job.slot;
  event.sector = job.sector;
  return event;
}

}  // namespace

void NvmeController::jobs(std::uint32_t produced) {
  if (!firmware_ready_) {
    error("job doorbell before NVME.CONTROL.READY");
    return;
  }
  if (recorder_ != nullptr && job_ring_.waiting(produced) != 0) {
    recorder_->set(wave_events_, tlm_if::now(), event_ring_.level());
  }
  if (job_ring_.read_until(produced, [this](const wl_host_job& job) { start_job(job, tlm_if::now()); })) return;
  error("job doorbell " + std::to_string(produced) + " with " + std::to_string(job_ring_.consumed()) +
        " consumed: more entries than the ring's " + std::to_string(job_size_));
}

void NvmeController::copy(const wl_host_job& job, Command& command) {
  if (command.sqe.opcode != nvme::kWrite || job.count != 1 || job.flags != 0) {
    error("copy job for tag " + std::to_string(job.tag) + ": only of one slot, without flags, for a write");
    return;
  }
  const Picoseconds now = tlm_if::now();
  stages->mark(job.tag, tlm_if::Stage::kDma, now);
  const data::SectorToken content = buffer->slot(job.sector);
  buffer->slot(job.slot) = content;
  command.data_end = std::max(command.data_end, dram->reserve(dram->reserve(now, kSectorBytes), kSectorBytes));
}

/// `from`: the present, or later for a job of the engines. Returns when its data have been moved.
Picoseconds NvmeController::start_job(const wl_host_job& job, Picoseconds from) {
  const Picoseconds now = from;
  if (job.tag >= commands_.size() || commands_[job.tag].state != Command::State::kFirmware) {
    error("job " + std::to_string(job.op) + " for tag " + std::to_string(job.tag) +
          ", which the firmware does not hold");
    return now;
  }
  Command& command = commands_[job.tag];
  if (job.op == WL_JOB_COMPLETE) {
    const bool moves_data = command.sqe.opcode == nvme::kRead || command.sqe.opcode == nvme::kWrite;
    if (!parser_.on() && !moves_data && job.status == nvme::kSuccess) count(command.sqe.opcode);
    if (command.jobs_running == 0) {
      complete(job.tag, job.status, now, nullptr);
    } else {
      complete_after_jobs(command, job.status);
    }
    return now;
  }
  if (!parser_.on() && !is_data_job(job)) return now;
  if (job.op == WL_JOB_COPY) {
    copy(job, command);
    return now;
  }
  const std::uint64_t end_sector = (command.slba + command.blocks + kLbasPerSector - 1) / kLbasPerSector;
  const std::uint64_t sectors = end_sector - command.slba / kLbasPerSector;
  const bool in = job.op == WL_JOB_DMA_IN;
  const bool fits = in ? command.sqe.opcode == nvme::kWrite : command.sqe.opcode == nvme::kRead;
  if (job.op > WL_JOB_ZERO_OUT || job.op == 0 || !fits || job.count == 0 || job.count > sectors ||
      job.sector > sectors - job.count) {
    error("job " + std::to_string(job.op) + " for tag " + std::to_string(job.tag) + ", sectors " +
          std::to_string(job.sector) + " +" + std::to_string(job.count) + ", does not fit the command, opcode " +
          std::to_string(command.sqe.opcode) + " of " + std::to_string(sectors) + " sectors");
    return now;
  }
  stages->mark(job.tag, tlm_if::Stage::kDma, now);
  Picoseconds end = reserve_data(job, command, now);
  watch_slots(job, command, now, end);
  if (in) end = std::max(end, command.data_end);  // behind the copy that it changes a part of
  command.data_end = std::max(command.data_end, end);
  if (!in && !lost(command)) move_out(job, command);

  const bool then_complete = (job.flags & WL_JOB_THEN_COMPLETE) != 0;
  const bool notify = (job.flags & WL_JOB_NOTIFY) != 0;
  const bool quiet = (job.flags & WL_JOB_NOTIFY_QUIET) != 0;
  // Data out that only the completion entry waits for needs no instant of its own; a quiet event comes with the entry.
  const bool alone = !in && !notify && command.jobs_running == 0;
  if (alone && then_complete) {
    const wl_host_event event = done_event(job, command.sqe.opcode);
    complete(job.tag, job.status, end, quiet ? &event : nullptr);
    return end;
  }
  if (!in && !notify && !quiet && !then_complete) return end;
  if (then_complete) complete_after_jobs(command, job.status);
  ++command.jobs_running;
  const std::uint32_t index = transfers_.acquire();
  transfers_[index].job = job;
  transfers_[index].event_only = false;
  schedule(end, Kind::kTransferEnd, index);
  return end;
}

void NvmeController::complete_after_jobs(Command& command, nvme::Status status) {
  command.state = Command::State::kCompleting;  // the firmware has let go of it
  command.complete_then = true;
  command.status = status;
}

void NvmeController::transfer_end(std::uint32_t index) {
  const Transfer transfer = transfers_[index];
  transfers_.release(index);
  if (transfer.event_only) {
    push_event(transfer.event, false);
    return;
  }
  const wl_host_job& job = transfer.job;
  Command& command = commands_[job.tag];
  if (job.op == WL_JOB_DMA_IN && !lost(command)) move_in(job, command);
  --command.jobs_running;
  const bool notify = (job.flags & WL_JOB_NOTIFY) != 0;
  if (notify || (job.flags & WL_JOB_NOTIFY_QUIET) != 0) push_event(done_event(job, command.sqe.opcode), notify);
  if (command.complete_then && command.jobs_running == 0) complete(job.tag, command.status, tlm_if::now(), nullptr);
}

// All requests of the job are issued now, sector by sector; the resources queue them. Returns the end of the last.
Picoseconds NvmeController::reserve_data(const wl_host_job& job, const Command& command, Picoseconds now) {
  Picoseconds end = now;
  std::uint64_t blocks = 0;
  for (std::uint32_t k = job.sector; k < job.sector + job.count; ++k) {
    const std::uint64_t bytes = blocks_of(command, k).bytes();
    blocks += bytes / kLbaBytes;
    Picoseconds sector_end;
    if (job.op == WL_JOB_DMA_IN) {
      sector_end = dram->reserve(link_.read(now, bytes), bytes);
    } else {
      const Picoseconds in_hand = job.op == WL_JOB_DMA_OUT ? dram->reserve(now, bytes) : now;
      sector_end = link_.posted_write(Direction::kUpstream, in_hand, bytes) - link_.latency();
    }
    end = std::max(end, sector_end);
  }
  (job.op == WL_JOB_DMA_IN ? counters_.blocks_written : counters_.blocks_read) += blocks;
  return end;
}

/// A slot of the write buffer must not be given to new data while a read still takes the old ones to the host. Who breaks that
/// reads right in this model, whose contents move at one instant, and wrong in hardware: so it is watched.
void NvmeController::watch_slots(const wl_host_job& job, const Command& command, Picoseconds from, Picoseconds end) {
  if (job.op == WL_JOB_ZERO_OUT) return;
  for (std::uint32_t i = 0; i < job.count && job.slot + i < leaving_.size(); ++i) {
    Picoseconds& leaving = leaving_[job.slot + i];
    if (job.op == WL_JOB_DMA_OUT) {
      leaving = std::max(leaving, end);
      continue;
    }
    const bool fresh = (job.flags & WL_JOB_ZERO_REST) != 0 || blocks_of(command, job.sector + i).whole();
    if (fresh && from < leaving) {
      error("slot " + std::to_string(job.slot + i) + " is given to new data by tag " + std::to_string(job.tag) +
            " while a read takes the old ones to the host until " + std::to_string(leaving.count()) + " ps");
      return;
    }
  }
}

void NvmeController::move_out(const wl_host_job& job, Command& command) {
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const data::SectorToken token = job.op == WL_JOB_DMA_OUT ? buffer->slot(job.slot + i) : data::SectorToken{};
    const BlockRun run = blocks_of(command, job.sector + i);
    const std::uint64_t address = host_address(command, run.first);
    if (run.whole() && (address & kPageMask) == 0) {
      host_.page(address) = buffer->pool().expand(token);
      continue;
    }
    for (std::uint64_t lba = run.first; lba < run.last; ++lba) {
      host_.block(host_address(command, lba)) =
          buffer->pool().block(token, static_cast<unsigned>(lba % kLbasPerSector));
    }
  }
}

void NvmeController::move_in(const wl_host_job& job, Command& command) {
  data::TokenPool& pool = buffer->pool();
  for (std::uint32_t i = 0; i < job.count; ++i) {
    data::SectorToken& slot = buffer->slot(job.slot + i);
    const BlockRun run = blocks_of(command, job.sector + i);
    const std::uint64_t address = host_address(command, run.first);
    if (run.whole() && (address & kPageMask) == 0) {
      slot = pool.intern(host_.page(address));
      continue;
    }
    const bool keep = !run.whole() && (job.flags & WL_JOB_ZERO_REST) == 0;
    data::SectorBlocks blocks = keep ? pool.expand(slot) : data::SectorBlocks{};
    for (std::uint64_t lba = run.first; lba < run.last; ++lba) {
      blocks[lba % kLbasPerSector] = host_.block(host_address(command, lba));
    }
    slot = pool.intern(blocks);
  }
}

// The command ends: its completion entry leaves at `ready` or later. Data jobs that end with an action have ended.
void NvmeController::complete(std::uint32_t tag, nvme::Status status, Picoseconds ready, const wl_host_event* quiet) {
  Command& command = commands_[tag];
  command.state = Command::State::kCompleting;
  ready = std::max({ready, command.data_end, tlm_if::now()});
  if (status != nvme::kSuccess) ++counters_.errors;
  if ((status & 0x700U) == 0x200U) ++counters_.media_errors;
  if (lost(command)) {
    if (quiet != nullptr) push_later(*quiet, ready);
    stages->release(static_cast<std::uint16_t>(tag), ready);
    free_tag(tag, ready);
  } else {
    const std::uint32_t index = take_completion();
    Completion& completion = completions_[index];
    completion.sq = command.sq;
    completion.cid = command.sqe.cid;
    completion.status = status;
    completion.tag = tag;
    completion.ready = ready;
    completion.quiet = quiet != nullptr;
    if (quiet != nullptr) completion.event = *quiet;
    if (command.direct) {
      stages->release(static_cast<std::uint16_t>(tag), ready);
      schedule(ready, Kind::kDirectDone, index);
    } else {
      post(index);
    }
  }
  if (!command.direct && --active_ == 0) drained();
  if (tag == deallocating_) next_deallocate();
}

void NvmeController::push_later(const wl_host_event& event, Picoseconds at) {
  const std::uint32_t index = transfers_.acquire();
  transfers_[index].event_only = true;
  transfers_[index].event = event;
  schedule(at, Kind::kTransferEnd, index);
}

}  // namespace wordline::host
