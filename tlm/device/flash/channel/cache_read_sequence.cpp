// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/cache_read_sequence.h"

#include <algorithm>
#include <utility>

namespace wordline::flash {

CacheReadSequence::CacheReadSequence(const SequenceContext& context, ReadSequence& reads, DieQueue& queue,
                                     const DieOccupancy& occupancy)
    : context_(context), reads_(reads), queue_(queue), occupancy_(occupancy), behind_(context.no_reads()) {}

/// Whether the job that is next may be read behind the data of this one. A read that is known to have failed ends the
/// sequence: its retries need the registers.
bool CacheReadSequence::takes_next(Picoseconds at) const {
  if (!context_.rules.channels.cache_read || queue_.empty()) return false;
  const wl_flash_job& next = context_.jobs[queue_.next()].job;
  if (next.op != WL_FLASH_READ || next.control != 0) return false;
  return std::none_of(deferred_.begin(), deferred_.end(),
                      [at](const ReadGroup& failed) { return failed.verdict <= at; });
}

void CacheReadSequence::take_next(Picoseconds at) {
  const JobIndex index = queue_.pop();
  occupancy_.end_waits(context_.jobs.pool(), index, at);
  behind_.start(index);
}

bool CacheReadSequence::begins(Picoseconds at) {
  if (reads_.group().alone || !takes_next(at)) return false;
  take_next(at);
  return true;
}

void CacheReadSequence::defer() {
  deferred_.push_back(context_.no_reads());
  std::swap(deferred_.back(), reads_.group());
}

Next CacheReadSequence::advance(Picoseconds at) {
  std::swap(reads_.group(), behind_);
  if (takes_next(at)) take_next(at);
  return {Step::kCacheCommand};
}

Next CacheReadSequence::resume() {
  ReadGroup& group = reads_.group();
  std::swap(group, deferred_.back());
  deferred_.pop_back();
  group.again();
  group.alone = true;
  return {Step::kReadCommand, group.verdict};
}

Next CacheReadSequence::command(Picoseconds at) {
  const ReadGroup& group = reads_.group();
  ChannelBus& bus = context_.bus;
  if (behind_.empty()) {
    if (!bus.addressed_last(context_.die)) {  // 3Fh carries no address: 78h selects the LUN
      at = bus.status(context_.die, bus.address(context_.die, group.any(), 0), at).end;
    }
    bus.command(context_.die, onfi::AddressCodec::command(onfi::kReadCacheEnd), at);
  } else if (behind_.sensed == 0 && is_next_page()) {
    const OnfiTransaction& sent = bus.command(context_.die, onfi::AddressCodec::command(onfi::kReadCache), at);
    behind_.command = sent.start;
    behind_.array = sent.end;
    behind_.sensed = group.sensed;
  } else {
    const std::uint32_t follows = behind_.next_plane(behind_.plane + 1);
    const bool last = follows == ReadGroup::kNoPlane;
    const onfi::Address to = bus.address(context_.die, behind_, behind_.plane);
    bus.serves(behind_.any().tag);
    const OnfiTransaction& sent =
        bus.command(context_.die, bus.codec().read(to, last ? onfi::kReadCache : onfi::kReadNextPlane), at);
    if (behind_.command < Picoseconds(0)) behind_.command = sent.start;
    behind_.sensed |= 1U << behind_.plane;
    if (!last) {
      behind_.plane = follows;
      return {Step::kCacheCommand, sent.ready_at};
    }
    behind_.array = sent.end;
  }
  return reads_.cached(bus.last().ready_at);
}

/// 31h alone reads the page after the one read last, in the same planes.
bool CacheReadSequence::is_next_page() const {
  const ReadGroup& last = reads_.group();
  if (!context_.bus.addressed_last(context_.die) || last.any().page + 1 != behind_.any().page) return false;
  return behind_.wanted_planes() == last.sensed && behind_.same_blocks(last);
}

}  // namespace wordline::flash
