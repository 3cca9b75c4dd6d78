// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/device/flash/channel/sequence_context.h"

namespace wordline::flash {

/// Suspend (channels.suspend): a host read that comes while the die programs or erases stops it; a status read shows
/// whether it has stopped or ended. Then host reads go, at most `starvation_bound` of them, and the operation goes on.
/// It is suspended at most `suspend_limit` times. A die in CACHE PROGRAM is not suspended.
///
/// With channels.suspended_by = all every read and program that the queue gives next stops an erase, and goes while the
/// erase is suspended. A die holds one suspended operation: such a program is not suspended itself.
class Suspension {
 public:
  /// `queue`: of the same die.
  Suspension(const SequenceContext& context, const DieQueue& queue) : context_(context), queue_(queue) {}

  /// Whether `job`, in the array of its die, is to be suspended now.
  [[nodiscard]] bool wanted(const wl_flash_job& job) const;
  /// Whether the suspended operation is to go on now.
  [[nodiscard]] bool over() const {
    return active_ && (served_ >= context_.rules.channels.starvation_bound || !takes_one());
  }
  [[nodiscard]] bool active() const { return active_; }
  /// Whether one more read may be served before the operation goes on.
  [[nodiscard]] bool serves_more() const { return !active_ || served_ < context_.rules.channels.starvation_bound; }

  /// Another operation: none of it has been suspended.
  void reset() { suspends_ = 0; }
  /// The status read has shown that the operation is suspended.
  void begin(const wl_flash_job& job) {
    active_ = true;
    erase_ = job.op == WL_FLASH_ERASE;
    ++suspends_;
    served_ = 0;
  }
  void serve(std::uint32_t jobs) { served_ += jobs; }

  /// 84h ADDR or 61h ROW; 13h ADDR or D2h.
  Next suspend(const wl_flash_job& job, Picoseconds at);
  Next resume(const wl_flash_job& job, Picoseconds at);

 private:
  /// Whether the next job of the queue may go while an erase, or a program, is suspended.
  [[nodiscard]] bool takes_one() const { return takes_one(erase_); }
  [[nodiscard]] bool takes_one(bool erase) const {
    const bool others = erase && context_.rules.channels.suspended_by == config::SuspendedBy::kAll;
    return others ? queue_.takes_transfer() : queue_.takes_read();
  }

  const SequenceContext& context_;
  const DieQueue& queue_;
  bool active_ = false;
  bool erase_ = false;          // what is suspended
  std::uint32_t suspends_ = 0;  // suspensions of the operation
  std::uint32_t served_ = 0;    // jobs since it was suspended
};

}  // namespace wordline::flash
