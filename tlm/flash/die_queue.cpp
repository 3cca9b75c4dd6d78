// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/flash/die_queue.h"

namespace wordline::flash {

JobIndex JobPool::acquire() {
  if (free_ == kNoJob) {
    jobs_.emplace_back();
    return static_cast<JobIndex>(jobs_.size() - 1);
  }
  const JobIndex index = free_;
  free_ = jobs_[index].next;
  jobs_[index] = {};
  return index;
}

void JobPool::release(JobIndex index) {
  jobs_[index].next = free_;
  free_ = index;
}

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

void DieQueue::push(JobIndex index) {
  const wl_flash_job& job = (*pool_)[index].job;
  BlockUse& use = blocks_[job.block];
  if (job.op != WL_FLASH_READ) {
    ++use.writers;
  } else if (job.priority == WL_PRIORITY_HOST && use.writers == 0) {
    ++use.readers;
    append(reads_, index);
    return;
  }
  append(others_, index);
}

bool DieQueue::takes_read() const {
  if (reads_.head == kNoJob) return false;
  if (others_.head == kNoJob) return true;
  const wl_flash_job& other = (*pool_)[others_.head].job;
  const bool waits_for_reads = other.op != WL_FLASH_READ && blocks_[other.block].readers != 0;
  return passed_ < bound_ || waits_for_reads;
}

JobIndex DieQueue::pop() {
  if (takes_read()) {
    if (others_.head != kNoJob) ++passed_;
    const JobIndex index = take(reads_);
    --blocks_[(*pool_)[index].job.block].readers;
    return index;
  }
  passed_ = 0;
  const JobIndex index = take(others_);
  const wl_flash_job& job = (*pool_)[index].job;
  if (job.op != WL_FLASH_READ) --blocks_[job.block].writers;
  return index;
}

}  // namespace wordline::flash
