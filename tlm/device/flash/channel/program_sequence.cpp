// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/program_sequence.h"

#include <algorithm>
#include <utility>

namespace wordline::flash {

void ProgramSequence::prefetch(Picoseconds earliest) {
  if (queue_.empty()) return;
  QueuedJob& next = context_.jobs[queue_.next()];
  if (next.job.op != WL_FLASH_PROGRAM || next.fetched >= Picoseconds(0)) return;
  next.fetched = fetch(earliest, lpages_of(next.job));
}

bool ProgramSequence::caches_next() const {
  if (!context_.rules.channels.cache_program || alone_ || queue_.empty() || wants_report()) return false;
  if (modifies(context_.jobs[job_].job)) return false;
  const QueuedJob& next = context_.jobs[queue_.next()];
  return next.job.op == WL_FLASH_PROGRAM && !modifies(next.job) && !needs_features(next);
}

/// The content of the next page, as the slots hold it now.
void ProgramSequence::load(const wl_flash_job& job) {
  const std::uint32_t lpages = lpages_of(job);
  const std::uint32_t slot = job.slot + position_ * lpages;
  if (is_sum(job)) {
    for (std::uint32_t i = 0; i < lpages; ++i) context_.bus.page()[i] = context_.slots.load_sum(slot + i);
    return;
  }
  for (std::uint32_t i = 0; i < lpages; ++i) context_.bus.page()[i] = context_.slots.load(slot + i);
}

Next ProgramSequence::read_source(Picoseconds at) {
  wl_flash_job source = context_.jobs[job_].job;
  source.block = source.source / context_.rules.pages;
  source.page = source.source % context_.rules.pages;
  ChannelBus& bus = context_.bus;
  bus.command(context_.die, bus.codec().read(bus.address(context_.die, source, 0), onfi::kReadCopyback), at);
  return {Step::kCopyRead};
}

Next ProgramSequence::data_in(Picoseconds at) {
  const wl_flash_job& job = context_.jobs[job_].job;
  const ChannelRules& rules = context_.rules;
  const std::uint32_t plane = position_ % rules.planes;
  const bool last = position_ + 1 == rules.planes * (in_slc_mode(job) ? 1 : rules.pages_per_program);
  if (position_ == 0) context_.arbiter.load_begins();
  if (last) context_.arbiter.load_ends();
  ChannelBus& bus = context_.bus;
  onfi::Address to = bus.address(context_.die, job, plane);
  to.page = PageId(job.page + position_ / rules.planes);
  load(job);
  if (modifies(job)) {
    to.column = bus.codec().column_of(job.lpage);
    bus.command(context_.die, bus.codec().copyback_program(to), at);
  } else {
    bus.command(context_.die, bus.codec().program(to), at);
  }
  const Picoseconds begin = bus.last().start;
  const OnfiTransaction& data = bus.data_in(context_.die, lpages_of(job), bus.last().end + rules.channels.t_adl);
  context_.arbiter.data_took(data.end - data.start);
  const bool more = last && caches_next();
  const std::uint8_t confirm = more                       ? onfi::kProgramCache
                               : last                     ? onfi::kProgramConfirm
                               : plane + 1 < rules.planes ? onfi::kProgramNextPlane
                                                          : onfi::kProgramNextPage;
  const OnfiTransaction& sent = bus.command(context_.die, onfi::AddressCodec::command(confirm), data.end);
  if (more) {
    const Step next = in_array_ == kNoJob ? Step::kDataIn : Step::kCacheStatus;
    before_ = std::exchange(in_array_, job_);
    prefetch(begin);
    start(queue_.pop(), false);
    return {next, std::max(sent.ready_at, context_.jobs[job_].fetched)};
  }
  if (last) {
    prefetch(begin);
    return {Step::kArray, sent.end + rules.channels.t_wb};  // a suspend comes tWB later at the earliest
  }
  ++position_;
  return {Step::kDataIn, std::max(sent.ready_at, fetch(begin, lpages_of(job)))};
}

Next ProgramSequence::cache_status(const PlaneFailures& failed, Picoseconds from) {
  finish(std::exchange(before_, kNoJob), failed.before);
  return {Step::kDataIn, std::max(from, context_.jobs[job_].fetched)};
}

Next ProgramSequence::status(const PlaneFailures& failed, Picoseconds from) {
  if (in_array_ != kNoJob) finish(std::exchange(in_array_, kNoJob), failed.before);
  if (wants_report()) {
    if (failed.last == 0) {
      features_.begin_report((context_.jobs[job_].job.control & WL_PROGRAM_REPORT) != 0);
      return {Step::kReport, from};
    }
    context_.tables.write(context_.jobs[job_].job.id, {});  // a program that failed has measured nothing
  }
  finish(std::exchange(job_, kNoJob), failed.last);
  return {Step::kIdle, from};
}

Step ProgramSequence::first_step() {
  const wl_program_set& parameters = context_.jobs[job_].parameters;
  return features_.differs(parameters) && features_.change_to(parameters) ? Step::kParameters : Step::kDataIn;
}

Next ProgramSequence::set_feature(Picoseconds at) {
  Picoseconds ready{};
  if (!features_.set_one(at, ready)) return {Step::kParameters, ready};
  return {Step::kDataIn, awaits_source() ? ready : std::max(ready, context_.jobs[job_].fetched)};
}

Next ProgramSequence::report(Picoseconds at) {
  Picoseconds ready{};
  if (!features_.read_one(context_.jobs[job_].job.id, at, ready)) return {Step::kReport, ready};
  finish(std::exchange(job_, kNoJob), 0);
  return {Step::kIdle, ready};
}

/// Slots that are added are read, and so is the sum, which is written; what is added to itself is only cleared.
Picoseconds ProgramSequence::add(const wl_flash_job& job, Picoseconds from) {
  BufferSlots& slots = context_.slots;
  const std::uint32_t sum = job.sum - 1;
  if (is_sum(job)) {
    for (std::uint32_t i = 0; i < job.count; ++i) slots.clear(sum + i);
    return slots.transfer(from, job.count);
  }
  XorUnit::Lpages unit;
  for (std::uint32_t i = 0; i < job.count; ++i) unit.push_back(slots.load(job.slot + i));
  slots.add(sum, unit);
  const Picoseconds moved = slots.transfer(from, 3U * job.count);
  return std::max(moved, slots.xor_time(from, job.count));
}

void ProgramSequence::finish(JobIndex index, std::uint32_t failed) {
  queue_.done(index);
  const wl_flash_job& job = context_.jobs[index].job;
  const bool adds = job.sum != 0 && !modifies(job) && (failed == 0 || is_sum(job));
  const Picoseconds end = adds ? add(job, context_.bus.last().end) : context_.bus.last().end;
  context_.jobs.finish(index, {end, failed != 0 ? WL_FLASH_PROGRAM_FAIL : WL_FLASH_OK, 0, failed});
}

}  // namespace wordline::flash
