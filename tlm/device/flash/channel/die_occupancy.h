// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/firmware/contract/contract.h"
#include "models/units/quantity.h"
#include "tlm/device/flash/channel/die_queue.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::flash {

/// How long a die has been at each kind of work. A read notes the times when it begins to wait, and when its turn comes
/// the difference is what it waited behind.
///
/// Accuracy: exact; work lasts from its first use of the bus until the die may be addressed again. An operation that is
/// suspended is not at work.
class DieOccupancy {
 public:
  static constexpr auto kRests = tlm_if::DieWork::kCount;

  /// The kind of work of a job.
  [[nodiscard]] static tlm_if::DieWork kind_of(const wl_flash_job& job) {
    const bool gc = job.priority == WL_PRIORITY_GC;
    if (job.op == WL_FLASH_READ || job.op == WL_FLASH_MARKS) {
      return gc ? tlm_if::DieWork::kGcReads : tlm_if::DieWork::kReads;
    }
    if (job.op == WL_FLASH_ERASE) return tlm_if::DieWork::kErase;
    return gc ? tlm_if::DieWork::kGcProgram : tlm_if::DieWork::kProgram;
  }

  /// The die is at `work` from `at` on, kRests: at none.
  void set(tlm_if::DieWork work, Picoseconds at) {
    if (work == work_) return;
    if (work_ != kRests && at > since_) times_[static_cast<std::size_t>(work_)] += at - since_;
    work_ = work;
    since_ = at;
  }
  /// The times of all work until `at`.
  [[nodiscard]] tlm_if::DieWorkTimes until(Picoseconds at) const {
    tlm_if::DieWorkTimes times = times_;
    if (work_ != kRests && at > since_) times[static_cast<std::size_t>(work_)] += at - since_;
    return times;
  }
  /// The turn of a read, with its mates, comes at `at`; until() was noted in each when it began to wait.
  void end_waits(JobPool& pool, JobIndex first, Picoseconds at) const {
    const tlm_if::DieWorkTimes now = until(at);
    for (JobIndex index = first; index != kNoJob; index = pool[index].mate) {
      tlm_if::DieWorkTimes& behind = pool[index].behind;
      for (std::size_t i = 0; i < behind.size(); ++i) behind[i] = now[i] - behind[i];
    }
  }

 private:
  tlm_if::DieWorkTimes times_{};
  tlm_if::DieWork work_ = kRests;
  Picoseconds since_{};
};

}  // namespace wordline::flash
