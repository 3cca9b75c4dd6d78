// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/die_queue.h"

#include <utility>

namespace wordline::flash {

void DieQueue::append(List& list, JobIndex index) {
  (*pool_)[index].next = kNoJob;
  if (list.tail == kNoJob) {
    list.head = index;
  } else {
    (*pool_)[list.tail].next = index;
  }
  list.tail = index;
}

JobIndex DieQueue::take(List& list) {
  const JobIndex index = list.head;
  list.head = (*pool_)[index].next;
  if (list.head == kNoJob) list.tail = kNoJob;
  return index;
}

// ---- reads of one page ----------------------------------------------------------------------------------------------

void DieQueue::add_mate(JobIndex first, JobIndex index) {
  JobPool& pool = *pool_;
  JobIndex& last = pool[first].last_mate;
  pool[last == kNoJob ? first : last].mate = index;
  last = index;
}

/// Whether `first` and its mates can be sensed together with `job`.
bool DieQueue::one_sense(JobIndex first, const wl_flash_job& job) const {
  const JobPool& pool = *pool_;
  if (pool[first].job.page != job.page) return false;
  if (any_block_lpages_ == 0) return pool[first].job.block == job.block;
  const auto planes = [this](const wl_flash_job& read) {
    return std::pair(read.lpage / any_block_lpages_, (read.lpage + read.count - 1U) / any_block_lpages_);
  };
  const auto [from, to] = planes(job);
  for (JobIndex index = first; index != kNoJob; index = pool[index].mate) {
    const wl_flash_job& mate = pool[index].job;
    const auto [mate_from, mate_to] = planes(mate);
    if (mate.block != job.block && mate_from <= to && from <= mate_to) return false;
  }
  return true;
}

bool DieQueue::join(JobIndex index) {
  JobPool& pool = *pool_;
  const wl_flash_job& job = pool[index].job;
  JobIndex& head = bucket(job);
  for (JobIndex first = head; first != kNoJob; first = pool[first].same_bucket) {
    if (one_sense(first, job)) {
      add_mate(first, index);
      return true;
    }
  }
  pool[index].same_bucket = head;
  head = index;
  return false;
}

void DieQueue::forget_page(JobIndex first) {
  JobPool& pool = *pool_;
  JobIndex* link = &bucket(pool[first].job);
  while (*link != first) link = &pool[*link].same_bucket;
  *link = pool[first].same_bucket;
  pool[first].same_bucket = kNoJob;
}

JobIndex DieQueue::take_reads() {
  JobPool& pool = *pool_;
  const JobIndex first = reads_.head;
  const bool bounded = bound_ != 0 && others_ != 0 && !waits_for_reads();
  const std::uint32_t most = bounded ? bound_ - passed_ : 0xffffffff;
  std::uint32_t count = 1;
  JobIndex last = first;
  --blocks_[pool[first].job.block].readers;
  for (; count < most && pool[last].mate != kNoJob; ++count) {
    last = pool[last].mate;
    --blocks_[pool[last].job.block].readers;
  }
  if (others_ != 0) passed_ += count;
  if (pairs() && pool[first].job.control == 0) forget_page(first);
  const JobIndex rest = pool[last].mate;
  if (rest == kNoJob) return take(reads_);
  // The bound cuts the chain: what is left keeps the place in the list.
  pool[last].mate = kNoJob;
  pool[rest].next = pool[first].next;
  pool[rest].last_mate = pool[first].last_mate;
  pool[first].last_mate = last;
  reads_.head = rest;
  if (reads_.tail == first) reads_.tail = rest;
  JobIndex& head = bucket(pool[rest].job);
  pool[rest].same_bucket = head;
  head = rest;
  return first;
}

/// Those at the head of `list`, from which `first` was taken.
JobIndex DieQueue::take_gc_reads(JobIndex first, List& list) {
  JobPool& pool = *pool_;
  const wl_flash_job& job = pool[first].job;
  if (job.control != 0) return first;
  while (list.head != kNoJob) {
    const wl_flash_job& next = pool[list.head].job;
    if (next.op != WL_FLASH_READ || next.control != 0 || !one_sense(first, next)) break;
    --blocks_[next.block].others;
    add_mate(first, take(list));
    --others_;
  }
  return first;
}

// ---- order ----------------------------------------------------------------------------------------------------------

void DieQueue::push(JobIndex index) {
  const wl_flash_job& job = (*pool_)[index].job;
  BlockUse& use = blocks_[job.block];
  if (job.op != WL_FLASH_READ) {
    ++use.writers;
  } else if (job.priority == WL_PRIORITY_HOST && use.writers == 0 && !is_being_written(job)) {
    ++use.readers;
    if (!pairs() || job.control != 0 || !join(index)) append(reads_, index);
    return;
  }
  if (use.others++ == 0) use.list = list_of(job);
  ++others_;
  append(lists_[use.list], index);
}

DieQueue::ListName DieQueue::list_of(const wl_flash_job& job) const {
  const bool host = job.priority == WL_PRIORITY_HOST && job.op != WL_FLASH_ERASE;
  if (host || order_ == config::QueueOrder::kArrival) return kHost;
  if (order_ == config::QueueOrder::kAlternate) return kErases;
  return job.op == WL_FLASH_READ ? kGcReads : job.op == WL_FLASH_PROGRAM ? kGcPrograms : kErases;
}

/// kHost: GC has none.
DieQueue::ListName DieQueue::oldest_of_gc() const {
  ListName oldest = kHost;
  for (const ListName list : {kErases, kGcReads, kGcPrograms}) {
    if (lists_[list].head == kNoJob) continue;
    if (oldest == kHost || (*pool_)[lists_[list].head].arrived < (*pool_)[lists_[oldest].head].arrived) oldest = list;
  }
  return oldest;
}

DieQueue::ListName DieQueue::next_of_gc() const {
  if (overtaken_ >= bound_) return oldest_of_gc();
  for (const ListName list : {kErases, kGcReads, kGcPrograms}) {
    if (lists_[list].head != kNoJob) return list;
  }
  return kHost;
}

/// Where a job waits that is no host read ahead of the others.
DieQueue::ListName DieQueue::next_list() const {
  const bool host = lists_[kHost].head != kNoJob;
  if (host && !host_went_) return kHost;
  const ListName gc = next_of_gc();
  return gc != kHost || !host ? gc : kHost;
}

/// Before the job is taken from its list.
void DieQueue::count_turn(ListName taken) {
  host_went_ = taken == kHost;
  if (host_went_) return;
  overtaken_ = taken == oldest_of_gc() ? 0 : overtaken_ + 1;
}

bool DieQueue::is_being_written(const wl_flash_job& read) const {
  return std::any_of(running_.begin(), running_.end(), [&](JobIndex index) {
    if (index == kNoJob) return false;
    const wl_flash_job& writer = (*pool_)[index].job;
    return writer.block == read.block &&
           (writer.op == WL_FLASH_ERASE || read.page / unit_pages_ == writer.page / unit_pages_);
  });
}

bool DieQueue::waits_for_reads() const {
  const wl_flash_job& other = (*pool_)[lists_[next_list()].head].job;
  return other.op != WL_FLASH_READ && blocks_[other.block].readers != 0;
}

/// Without a bound no other is passed, and none may pass: moves for refresh can keep a die busy for good.
bool DieQueue::came_before_others() const {
  return bound_ == 0 && (*pool_)[reads_.head].arrived < (*pool_)[lists_[next_list()].head].arrived;
}

bool DieQueue::takes_read() const {
  if (reads_.head == kNoJob) return false;
  if (others_ == 0) return true;
  return passed_ < bound_ || waits_for_reads() || came_before_others();
}

bool DieQueue::takes_transfer() const {
  if (empty()) return false;
  const wl_flash_job& job = (*pool_)[next()].job;
  if (job.op != WL_FLASH_READ && job.op != WL_FLASH_PROGRAM) return false;
  return std::none_of(running_.begin(), running_.end(), [&](JobIndex index) {
    return index != kNoJob && (*pool_)[index].job.block == job.block && (*pool_)[index].job.op == WL_FLASH_ERASE;
  });
}

JobIndex DieQueue::pop() {
  if (takes_read()) return take_reads();
  passed_ = 0;
  const ListName list = next_list();
  count_turn(list);
  const JobIndex index = take(lists_[list]);
  --others_;
  const wl_flash_job& job = (*pool_)[index].job;
  --blocks_[job.block].others;
  if (job.op == WL_FLASH_READ) return pairs() ? take_gc_reads(index, lists_[list]) : index;
  --blocks_[job.block].writers;
  *std::find(running_.begin(), running_.end(), kNoJob) = index;
  return index;
}

bool DieQueue::pass(const wl_flash_job& job) {
  if (blocks_[job.block].writers != 0 || is_being_written(job)) return false;
  if (others_ == 0) return true;
  if (passed_ >= bound_) return false;
  ++passed_;
  return true;
}

}  // namespace wordline::flash
