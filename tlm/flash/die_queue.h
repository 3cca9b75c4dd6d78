// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/firmware/contract.h"
#include "models/units/quantity.h"

namespace wordline::flash {

using JobIndex = std::uint32_t;
inline constexpr JobIndex kNoJob = 0xffffffff;

/// A flash job inside a channel controller.
struct QueuedJob {
  wl_flash_job job{};
  Picoseconds arrived{};
  Picoseconds fetched{-1};  // program: its first page is in the controller from then on; -1: not asked for
  JobIndex next = kNoJob;
};

/// Jobs of one channel, reused: nothing is allocated once as many have been outstanding as ever will be.
class JobPool {
 public:
  [[nodiscard]] JobIndex acquire();
  void release(JobIndex index);
  [[nodiscard]] QueuedJob& operator[](JobIndex index) { return jobs_[index]; }
  [[nodiscard]] const QueuedJob& operator[](JobIndex index) const { return jobs_[index]; }

 private:
  std::vector<QueuedJob> jobs_;
  JobIndex free_ = kNoJob;
};

/// Which job a die does next. Host reads go first; all other jobs (GC reads, programs, erases) go in their order of
/// arrival. Every choice is O(1).
///
/// - A host read of a block with a program or erase waiting queues behind it, with the other jobs.
/// - No program or erase starts while an earlier read of its block waits.
/// - A waiting program, erase or GC read is passed by at most `starvation_bound` host reads; then it goes, unless
/// earlier
///   reads of its block still wait: those go first.
class DieQueue {
 public:
  DieQueue(JobPool& pool, std::uint32_t blocks, std::uint32_t starvation_bound)
      : pool_(&pool), blocks_(blocks), bound_(starvation_bound) {}

  void push(JobIndex index);
  [[nodiscard]] bool empty() const { return reads_.head == kNoJob && others_.head == kNoJob; }
  /// The job that pop() returns; only when not empty.
  [[nodiscard]] JobIndex next() const { return takes_read() ? reads_.head : others_.head; }
  JobIndex pop();

 private:
  struct List {
    JobIndex head = kNoJob;
    JobIndex tail = kNoJob;
  };
  struct BlockUse {
    std::uint16_t writers = 0;  // waiting programs and erases
    std::uint16_t readers = 0;  // waiting host reads ahead of them
  };

  [[nodiscard]] bool takes_read() const;
  void append(List& list, JobIndex index);
  JobIndex take(List& list);

  JobPool* pool_;
  std::vector<BlockUse> blocks_;
  std::uint32_t bound_;
  std::uint32_t passed_ = 0;  // host reads served while another job waited
  List reads_;
  List others_;
};

}  // namespace wordline::flash
