// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// READ CACHE: while the data of one page go over the bus, the array reads the next one.
#include <algorithm>
#include <utility>

#include "tlm/flash/channel/channel_controller.h"

namespace wordline::flash {

/// Whether the job that is next may be read behind the data of this one. A read that is known to have failed ends the
/// sequence: its retries need the registers.
bool ChannelController::caches_next(const Die& d, Picoseconds at) const {
  if (!rules_.cache_read || d.suspended || d.queue.empty()) return false;
  const wl_flash_job& next = pool_[d.queue.next()].job;
  if (next.op != WL_FLASH_READ || next.retry != 0) return false;
  return std::none_of(d.deferred.begin(), d.deferred.end(),
                      [at](const ReadGroup& failed) { return failed.verdict <= at; });
}

/// The page of the first read is in both registers.
void ChannelController::begin_sequence(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  if (!d.retry.idle() || d.reads.alone || !caches_next(d, at)) return;
  d.behind.start(d.queue.pop());
  d.step = Step::kCacheCommand;
}

/// The data of one page are out, the next page is in the page register or on its way there.
void ChannelController::continue_sequence(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  if (!d.reads.empty() && retry_by_firmware_) {
    hand_back(die);
  } else if (!d.reads.empty()) {
    d.reads.for_each_left([&](std::uint32_t s) { d.retry.sectors[s].wanted = DieRetry::kAll; });
    d.deferred.emplace_back(pool_, planes_, sectors_per_page_);
    std::swap(d.deferred.back(), d.reads);
  }
  std::swap(d.reads, d.behind);
  if (caches_next(d, at)) d.behind.start(d.queue.pop());
  d.step = Step::kCacheCommand;
}

/// The sequence has ended: a page that failed in it is read again, and its retries may follow.
void ChannelController::resume_deferred(std::uint32_t die) {
  Die& d = dies_[die];
  std::swap(d.reads, d.deferred.back());
  d.deferred.pop_back();
  d.reads.again();
  d.reads.alone = true;
  d.eligible = std::max(d.eligible, d.reads.verdict);
  d.step = Step::kReadCommand;
}

/// 31h with or without an address, plane by plane; 3Fh when nothing follows.
void ChannelController::cache_command(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  ReadGroup& next = d.behind;
  Picoseconds after = command_after(die, at);
  if (next.empty()) {
    if (addressed_[package(die)] != die) {  // 3Fh carries no address: 78h selects the LUN
      after = send(die, onfi::SegmentKind::kStatus, codec_.read_status(address(die, d.reads.any(), 0)), after);
      output_end_[package(die)] = after;
      after = after + rules_.t_rhw;
    }
    send(die, onfi::SegmentKind::kCommand, onfi::AddressCodec::command(onfi::kReadCacheEnd), after);
  } else if (next.sensed == 0 && is_next_page(die)) {
    send(die, onfi::SegmentKind::kCommand, onfi::AddressCodec::command(onfi::kReadCache), after);
    next.command = transaction_.start;
    next.array = transaction_.end;
    next.sensed = d.reads.sensed;
  } else {
    const std::uint32_t follows = next.next_plane(next.plane + 1);
    const std::uint8_t confirm = follows != kNoPlane ? onfi::kReadNextPlane : onfi::kReadCache;
    send(die, onfi::SegmentKind::kCommand, codec_.read(address(die, next.any(), next.plane), confirm), after);
    if (next.command < Picoseconds(0)) next.command = transaction_.start;
    next.sensed |= 1U << next.plane;
    if (follows != kNoPlane) {
      next.plane = follows;
      d.eligible = transaction_.ready_at;
      return;
    }
    next.array = transaction_.end;
  }
  begin_output(die, transaction_.ready_at);
  // The column is 0, the plane the only one.
  d.in_place = (d.reads.sensed & (d.reads.sensed - 1)) == 0 && d.reads.sector % sectors_per_page_ == 0;
}

/// 31h alone reads the page after the one read last, in the same planes.
bool ChannelController::is_next_page(std::uint32_t die) const {
  const Die& d = dies_[die];
  const wl_flash_job& last = d.reads.any();
  const wl_flash_job& next = d.behind.any();
  return addressed_[package(die)] == die && last.block == next.block && last.page + 1 == next.page &&
         d.behind.wanted_planes() == d.reads.sensed;
}

/// Data can go out from `at` on.
void ChannelController::begin_output(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  d.step = Step::kDataOut;
  d.eligible = at;
  d.data_after = at + rules_.t_rr;
  d.streamed = d.selected = false;
  d.reads.ready = at;
  d.reads.find_run();
}

}  // namespace wordline::flash
