// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host of a Drive, and the controller that moves its data: commands, the jobs of the firmware for them, and what
// must hold when one ends.
#include <algorithm>
#include <string>

#include "testbenches/models/firmware/drive.h"
#include "testbenches/models/firmware/drive_rings.h"

extern "C" {
#include "models/firmware/map/map.h"
}

namespace wordline::testing {

std::uint16_t Drive::submit(const Command& command) {
  const std::uint16_t tag = free_tags_.back();
  free_tags_.pop_back();
  Tag& t = tags_[tag];
  t.command = command;
  t.busy = true;
  t.submitted = ++now_;
  t.notifying = 0;
  t.status = 0;
  t.failed = false;
  t.jobs.clear();
  t.data.assign(command.blocks, 0);
  t.moved.assign(command.blocks, false);
  if (command.opcode == WL_OP_WRITE) {
    ++version_;
    for (std::uint64_t i = 0; i < command.blocks; ++i) {
      t.data[i] = (command.slba + i) << 32 | version_;
      begin_content(command.slba + i, t.data[i], t.submitted);
    }
  }
  if (command.opcode == WL_OP_WRITE_ZEROES)
    for (std::uint64_t i = 0; i < command.blocks; ++i) begin_content(command.slba + i, 0, t.submitted);
  for (const auto& [slba, blocks] : command.ranges)
    for (std::uint64_t lpn = (slba + 7) / 8; lpn < (slba + blocks) / 8; ++lpn)
      for (std::uint64_t i = 0; i < 8; ++i) begin_content(lpn * 8 + i, 0, t.submitted);
  arrived_.push_back(tag);
  return tag;
}

bool Drive::step_command() {
  if (arrived_.empty() || !ready_) return false;
  const std::uint16_t tag = arrived_.front();
  const Command& c = tags_[tag].command;
  if (c.opcode == WL_OP_DEALLOCATE && dsm_busy_) return false;
  arrived_.pop_front();
  wl_host_event e{};
  e.type = WL_EVENT_COMMAND;
  e.opcode = c.opcode;
  e.tag = tag;
  if (c.opcode == WL_OP_DEALLOCATE) {
    dsm_busy_ = true;
    for (std::size_t i = 0; i < c.ranges.size(); ++i) {
      e.slba = c.ranges[i].first;
      e.blocks = c.ranges[i].second;
      e.flags = i + 1 == c.ranges.size() ? WL_EVENT_LAST : 0;
      push(events_, e);
    }
    raise(WL_IRQ_HOST);
    return true;
  }
  const auto lpn = static_cast<std::uint32_t>(c.slba / 8);
  const auto lpages = static_cast<std::uint32_t>((c.slba + c.blocks + 7) / 8) - lpn;
  if (engines_ != nullptr && c.opcode == WL_OP_WRITE) engines_->write_begins(lpn, lpages);
  if (engines_ != nullptr && c.opcode == WL_OP_WRITE_ZEROES) {
    const bool one = lpages == 1, ends = (c.slba + c.blocks) % 8 != 0;
    if (c.slba % 8 != 0 || (one && ends)) engines_->write_begins(lpn, 1);
    if (!one && ends) engines_->write_begins(lpn + lpages - 1, 1);
  }
  if (engines_ != nullptr && c.opcode == WL_OP_READ && engines_->take_read(tag, lpn, lpages)) return true;
  push_command(tag, c.fua ? WL_EVENT_FUA : 0);
  return true;
}

void Drive::push_command(std::uint16_t tag, std::uint8_t flags) {
  const Command& c = tags_[tag].command;
  wl_host_event e{};
  e.type = WL_EVENT_COMMAND;
  e.opcode = c.opcode;
  e.tag = tag;
  e.slba = c.slba;
  e.blocks = c.blocks;
  e.flags = flags;
  if (boot_.ftl.placement.handles != 0 && c.opcode == WL_OP_WRITE) {
    const std::uint64_t handle =
        c.handle >= 0 ? static_cast<unsigned>(c.handle) : random() % boot_.ftl.placement.handles;
    e.flags = static_cast<std::uint8_t>(e.flags | handle << WL_EVENT_HANDLE_SHIFT);
  }
  push(events_, e);
  raise(WL_IRQ_HOST);
}

void Drive::take_jobs() {
  wl_host_job job;
  while (pop(host_jobs_, &job)) {
    if (!host_buffer_.take(job) && !admin_.take(job)) add_job(job);
  }
}

void Drive::add_job(const wl_host_job& job) {
  Tag& t = tags_.at(job.tag);
  if (!t.busy) fail("job for a tag without a command");
  if ((job.flags & (WL_JOB_NOTIFY | WL_JOB_NOTIFY_QUIET)) != 0 && ++t.notifying > WL_DMA_JOBS_PER_TAG)
    fail("too many notifying jobs");
  slot_use_.begin(job);
  if (t.jobs.empty()) dma_tags_.push_back(job.tag);
  t.jobs.push_back(job);
}

/// All blocks of the command that lie in its `sector`.
bool Drive::comes(const Tag& tag, std::uint32_t lpage) const {
  const Command& c = tag.command;
  const std::uint64_t end = std::min(c.slba + c.blocks, (c.slba / 8 + lpage + 1) * 8);
  return end <= c.slba + c.gone_from;
}

void Drive::do_job(std::uint16_t tag, const wl_host_job& job) {
  Tag& t = tags_[tag];
  const Command& c = t.command;
  slot_use_.end(job);
  if (job.op == WL_JOB_COMPLETE) {
    complete(tag, job.status);
    return;
  }
  if (job.op == WL_JOB_COPY) {
    if (job.count == 0 || job.flags != 0) fail("copy job without a count or with flags");
    for (std::uint32_t i = 0; i < job.count; ++i) slots_.at(job.slot + i) = slots_.at(job.lpage + i);
    ++copies;
    return;
  }
  const std::uint64_t base = c.slba / 8 * 8;
  for (std::uint32_t s = 0; s < job.count; ++s) {
    if (job.op == WL_JOB_DMA_IN && !comes(t, job.lpage + s)) {
      t.failed = true;
      continue;
    }
    for (std::uint64_t k = 0; k < 8; ++k) {
      const std::uint64_t lba = base + (job.lpage + s) * 8ull + k;
      const bool inside = lba >= c.slba && lba < c.slba + c.blocks;
      if (job.op == WL_JOB_DMA_IN) {
        std::uint64_t& cell = slots_.at(job.slot + s)[k];
        if (inside)
          cell = t.data[lba - c.slba];
        else if (job.flags & WL_JOB_ZERO_REST)
          cell = 0;
      } else if (inside) {
        t.data[lba - c.slba] = job.op == WL_JOB_DMA_OUT ? slots_.at(job.slot + s)[k] : 0;
      }
      if (inside) t.moved[lba - c.slba] = true;
    }
  }
  if (engines_ != nullptr) engines_->sent(job);
  if (job.flags & (WL_JOB_NOTIFY | WL_JOB_NOTIFY_QUIET)) {
    --t.notifying;
    wl_host_event e{};
    e.type = WL_EVENT_DMA_DONE;
    e.flags = t.failed ? WL_EVENT_FAILED : 0;
    e.tag = tag;
    e.count = job.count;
    e.slot = job.slot;
    e.lpage = job.lpage;
    push(events_, e);
    if (job.flags & WL_JOB_NOTIFY) raise(WL_IRQ_HOST);
  }
  if (job.flags & WL_JOB_THEN_COMPLETE) complete(tag, 0);
}

/// One that has failed may have happened or not, block by block; but nothing of what has not come.
void Drive::end_of_write(const Tag& tag) {
  const Command& c = tag.command;
  const std::uint64_t oldest = oldest_read();
  for (std::uint32_t i = 0; i < c.blocks; ++i) {
    const std::uint64_t lba = c.slba + i;
    if (promises != nullptr && tag.status == 0) promises->end(lba, tag.submitted, now_, c.fua);
    if (tag.status == 0)
      oracle_.end(lba, tag.submitted, now_, oldest);
    else
      oracle_.fail(lba, tag.submitted, now_, comes(tag, static_cast<std::uint32_t>(lba / 8 - c.slba / 8)));
  }
}

void Drive::complete(std::uint16_t tag, std::uint16_t status) {
  Tag& t = tags_[tag];
  if (status == 0 && t.failed) status = WL_STATUS_TRANSFER_ERROR | WL_STATUS_DNR;
  if (!t.busy || !t.jobs.empty()) fail("completion of a tag with jobs left");
  const Command& c = t.command;
  last_end_ = ++now_;
  t.status = status;
  if (status != 0) {
    ++errors[status];
  } else if (c.opcode == WL_OP_READ || c.opcode == WL_OP_WRITE) {
    if (std::find(t.moved.begin(), t.moved.end(), false) != t.moved.end()) fail("completed without all its data");
  }
  if (status == 0 && c.opcode == WL_OP_READ) {
    for (std::uint64_t i = 0; i < c.blocks; ++i) {
      if (!oracle_.legal(c.slba + i, t.data[i], t.submitted))
        fail("block " + std::to_string(c.slba + i) + " read as " + std::to_string(t.data[i] >> 32) + " version " +
             std::to_string(t.data[i] & 0xffffffff));
      ++reads_checked;
    }
  }
  if (status == 0 && c.opcode == WL_OP_FLUSH) check_flushed(t.submitted);
  if (status == 0 && c.opcode == WL_OP_FLUSH && promises != nullptr) promises->flushed(t.submitted);
  t.busy = false;
  const std::uint64_t oldest = oldest_read();
  if (c.opcode == WL_OP_WRITE || c.opcode == WL_OP_WRITE_ZEROES) end_of_write(t);
  for (const auto& [slba, blocks] : c.ranges)
    for (std::uint64_t lpn = (slba + 7) / 8; lpn < (slba + blocks) / 8; ++lpn)
      for (std::uint64_t i = 0; i < 8; ++i) {
        if (status != 0) { /* a drive that is read-only */
          oracle_.fail(lpn * 8 + i, t.submitted, now_, true);
          continue;
        }
        if (promises != nullptr) promises->end(lpn * 8 + i, t.submitted, now_, false);
        oracle_.end(lpn * 8 + i, t.submitted, now_, oldest);
      }
  if (c.opcode == WL_OP_DEALLOCATE) dsm_busy_ = false;
  free_tags_.push_back(tag);
}

/// What nobody has written since the FLUSH was submitted is in the write buffer no more: sectors, or pages where the
/// map is of those (a page that is written in part takes its other sectors along).
void Drive::check_flushed(std::uint64_t submitted) {
  if (boot_.power_safe != 0 || fw_ == nullptr) return;
  const std::uint32_t unit = std::max<std::uint32_t>(1, boot_.ftl.map_page);
  for (std::uint32_t first = 0; first < boot_.user_lpages; first += unit) {
    const std::uint32_t end = std::min(first + unit, boot_.user_lpages);
    bool at_rest = true;
    for (std::uint64_t lba = first * 8ULL; lba < end * 8ULL; ++lba)
      at_rest = at_rest && oracle_.at_rest_since(lba, submitted);
    for (std::uint32_t lpn = first; at_rest && lpn < end; ++lpn) {
      if (wl_map_get(fw_, lpn) >= WL_MAP_BUFFER)
        fail("a FLUSH has ended, and sector " + std::to_string(lpn) + ", written before it, is not on flash");
      ++lpages_found_on_flash;
    }
  }
}

bool Drive::step_copy() {
  if (!ready_) return false;
  take_jobs();
  if (host_buffer_.at_rest()) return false;
  push(events_, host_buffer_.step());
  raise(WL_IRQ_HOST);
  return true;
}

bool Drive::step_dma() {
  if (!ready_) return false;
  take_jobs();
  if (dma_tags_.empty()) return false;
  const std::size_t pick = random() % dma_tags_.size();
  const std::uint16_t tag = dma_tags_[pick];
  const wl_host_job job = tags_[tag].jobs.front();
  tags_[tag].jobs.pop_front();
  if (tags_[tag].jobs.empty()) {
    dma_tags_[pick] = dma_tags_.back();
    dma_tags_.pop_back();
  }
  do_job(tag, job);
  return true;
}

}  // namespace wordline::testing
