// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of read jobs: command, data out, end. Verdict and read retry are in channel_retry.cpp.
#include <algorithm>

#include "tlm/flash/channel/channel_controller.h"

namespace wordline::flash {

/// A read of a page that is being read takes part when its planes are sensed or about to be.
bool ChannelController::join(std::uint32_t die, JobIndex index) {
  Die& d = dies_[die];
  const wl_flash_job& job = pool_[index].job;
  if (!rules_.pair_planes || job.op != WL_FLASH_READ || job.priority != WL_PRIORITY_HOST) return false;
  if (d.job != kNoJob && !d.suspended) return false;
  const bool ahead = d.reads.same_page(job);
  if (!ahead && !d.behind.same_page(job)) return false;
  ReadGroup& group = ahead ? d.reads : d.behind;
  if (job.retry != 0 || !d.retry.idle() || (group.joined >= rules_.starvation_bound && !d.queue.empty())) return false;
  const bool commands = d.step == (ahead ? Step::kReadCommand : Step::kCacheCommand);
  const std::uint32_t last = job.sector + job.count - 1U;
  for (std::uint32_t plane = job.sector / sectors_per_page_; plane <= last / sectors_per_page_; ++plane) {
    const bool to_come = commands && plane >= group.plane;
    if (!to_come && (group.sensed >> plane & 1U) == 0) return false;
  }
  // Sectors that are on the bus now have gone by in part.
  if (ahead && d.step == Step::kStreaming && job.sector < group.sector + group.run && group.sector <= last) return false;
  if (d.suspended && d.served >= rules_.starvation_bound) return false;
  if (!d.queue.pass(job)) return false;
  ++d.served;
  ++group.joined;
  group.join(index);
  if (ahead && d.step == Step::kDataOut && !d.selected && !d.in_place) group.find_run();
  return true;
}

void ChannelController::read_command(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  ReadGroup& group = d.reads;
  const std::uint32_t next = group.next_plane(group.plane + 1);
  const bool single = next == kNoPlane && group.sensed == 0;
  onfi::Address to = address(die, group.any(), group.plane);
  if (single) {
    group.find_run();
    to.column = codec_.column_of(group.sector % sectors_per_page_);
  }
  const Picoseconds end =
      send(die, onfi::SegmentKind::kCommand,
           codec_.read(to, next == kNoPlane ? onfi::kReadConfirm : onfi::kReadNextPlane), command_after(die, at));
  if (group.command < Picoseconds(0)) group.command = transaction_.start;
  group.sensed |= 1U << group.plane;
  if (next != kNoPlane) {
    group.plane = next;
    d.eligible = transaction_.ready_at;
    return;
  }
  d.step = Step::kArray;
  d.in_place = single;
  d.selected = false;
  if (group.array < Picoseconds(0)) group.array = end;
}

void ChannelController::data_out(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  ReadGroup& group = d.reads;
  if (group.wants_more()) {
    turn_ = die;
  } else if (turn_ == die) {
    turn_ = kNoJob;
  }
  if (needs_selection(die)) {
    onfi::Address to = address(die, group.any(), group.sector / sectors_per_page_);
    to.column = codec_.column_of(group.sector % sectors_per_page_);
    const Picoseconds end =
        send(die, onfi::SegmentKind::kCommand, codec_.change_read_column(to), command_after(die, at));
    d.selected = true;
    locked_ |= std::uint64_t{1} << package(die);
    d.eligible = std::max(end + rules_.t_ccs, d.data_after);
    return;
  }
  send_data(die, onfi::SegmentKind::kDataOut, group.run, std::max(at, d.data_after));
  locked_ &= ~(std::uint64_t{1} << package(die));
  d.selected = false;
  d.in_place = false;
  d.streamed = true;
  output_end_[package(die)] = transaction_.end;
  d.step = Step::kStreaming;
  streaming_ = die;
}

/// `lacks`: codewords that are missing of it.
void ChannelController::deliver(const wl_flash_job& job, std::uint32_t sector, const nand::StoredSector& stored,
                                unsigned lacks) {
  const std::uint32_t slot = job.slot + sector - job.sector;
  if (lacks != 0 && slot >= lacking_.size()) lacking_.resize(slot + 1U);
  if (slot < lacking_.size()) lacking_[slot] = static_cast<std::uint8_t>(lacks);
  buffer->slot(slot) = stored.token;
  if (wl_slot_info* info = owner(slot)) info->lpn = stored.lpn;
}

void ChannelController::finish_read(std::uint32_t die, JobIndex index, wl_flash_status status, std::uint32_t retries,
                                    std::uint32_t history) {
  const ReadGroup& group = dies_[die].reads;
  const QueuedJob& reader = pool_[index];
  // A read that came when its page was being read begins its stages then.
  const auto mark = [&](Picoseconds at) { return std::max(at, reader.arrived); };
  const JobMarks marks{reader.arrived,        mark(group.command), mark(group.array), mark(group.ready),
                       mark(reader.first_data), mark(reader.last_data)};
  finish(index, reader.done, status, retries, marks, history);
}

void ChannelController::end_of_data(std::uint32_t die) {
  Die& d = dies_[die];
  decode_run(die);
  finish_complete(die);
  d.eligible = transaction_.end + rules_.t_rhw;
  if (d.reads.find_run()) {
    d.step = Step::kDataOut;
  } else {
    if (turn_ == die) turn_ = kNoJob;
    if (d.behind.empty()) {
      end_of_attempt(die, transaction_.end);
    } else {
      continue_sequence(die, transaction_.end);
    }
  }
  evaluate(die, tlm_if::now());
}

}  // namespace wordline::flash
