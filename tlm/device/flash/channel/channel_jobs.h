// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/firmware/contract/contract.h"
#include "tlm/device/flash/channel/completion_ring.h"
#include "tlm/device/flash/channel/die_queue.h"
#include "tlm/device/flash/channel/read_ahead.h"

namespace wordline::flash {

/// The jobs of one channel from their arrival to their completion. Which die does which job when is not decided here.
class ChannelJobs {
 public:
  /// How a job ended. `at` is not before the present; `history` is for the firmware, wl_flash_completion::history.
  struct End {
    Picoseconds at;
    wl_flash_status status = WL_FLASH_OK;
    std::uint32_t retries = 0;
    std::uint32_t history = 0;
  };

  /// `ahead`: gets what the read-ahead has asked for; null: there is none.
  explicit ChannelJobs(CompletionRing& completions, ReadAhead* ahead = nullptr)
      : completions_(completions), ahead_(ahead) {}
  ChannelJobs(const ChannelJobs&) = delete;
  ChannelJobs& operator=(const ChannelJobs&) = delete;

  /// `parameters`: of a program.
  [[nodiscard]] JobIndex admit(const wl_flash_job& job, const wl_program_set& parameters, Picoseconds at) {
    ++outstanding_;
    return pool_.acquire({job, parameters, at});
  }
  /// A job of the read-ahead; finish() gives it back there.
  [[nodiscard]] JobIndex admit_ahead(const wl_flash_job& job, Picoseconds at) {
    const JobIndex index = pool_.acquire({job, {}, at});
    pool_[index].ahead = true;
    return index;
  }
  /// Posts the completion; the index is free again. `marks`: of a read.
  void finish(JobIndex index, const End& end, const tlm_if::ReadMarks& marks = {}) {
    const wl_flash_job& job = pool_[index].job;
    if (pool_[index].ahead) {
      ahead_->arrived(job, end.status == WL_FLASH_OK, end.at);
      pool_.release(index);
      return;
    }
    const wl_flash_completion completion{job.id, static_cast<std::uint8_t>(end.status),
                                         static_cast<std::uint8_t>(end.retries), end.history};
    const std::uint16_t tag = job.op == WL_FLASH_READ ? job.tag : static_cast<std::uint16_t>(WL_NO_TAG);
    tlm_if::ReadMarks read = marks;
    // Of an attempt by firmware they are codewords without data.
    if (end.status != WL_FLASH_ATTEMPT_FAIL) read.retries = end.retries;
    completions_.complete(end.at, completion, tag, read, outstanding_, job);
    pool_.release(index);
  }

  [[nodiscard]] JobPool& pool() { return pool_; }
  [[nodiscard]] QueuedJob& operator[](JobIndex index) { return pool_[index]; }
  /// Jobs admitted whose completion has not reached the firmware.
  [[nodiscard]] std::uint32_t outstanding() const { return outstanding_; }

 private:
  CompletionRing& completions_;
  ReadAhead* const ahead_;
  JobPool pool_;
  std::uint32_t outstanding_ = 0;
};

}  // namespace wordline::flash
