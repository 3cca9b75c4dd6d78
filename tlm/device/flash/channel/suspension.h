// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/onfi/commands.h"
#include "tlm/device/flash/channel/sequence_context.h"

namespace wordline::flash {

/// Suspend (channels.suspend): a host read that comes while the die programs or erases stops it; a status read shows
/// whether it has stopped or ended. Then host reads go, at most `starvation_bound` of them, and the operation goes on.
/// It is suspended at most `suspend_limit` times. A die in CACHE PROGRAM is not suspended.
///
/// With channels.suspended_by = all every read and program that the queue gives next stops an erase, and goes while the
/// erase is suspended. With channels.suspend_depth = 2 such a program is suspended, too, and goes on before the erase.
class Suspension {
 public:
  /// `queue`: of the same die.
  Suspension(const SequenceContext& context, const DieQueue& queue) : context_(context), queue_(queue) {}

  /// Whether `job`, in the array of its die, is to be suspended now.
  [[nodiscard]] bool wanted(const wl_flash_job& job) const;
  /// Whether what was suspended last is to go on now.
  [[nodiscard]] bool over() const {
    return depth_ != 0 && (last().served >= context_.rules.channels.starvation_bound || !takes_one(last().erase));
  }
  [[nodiscard]] bool active() const { return depth_ != 0; }
  /// An erase is suspended, and a program that went meanwhile.
  [[nodiscard]] bool both() const { return depth_ == 2; }
  /// Whether one more read may be served before the operation goes on.
  [[nodiscard]] bool serves_more() const {
    return depth_ == 0 || last().served < context_.rules.channels.starvation_bound;
  }

  /// Another operation begins: none of it has been suspended.
  void begins() { held_[depth_].times = 0; }
  /// Whether a status read shows that the operation is suspended which the suspend command meant.
  [[nodiscard]] bool shown(std::uint8_t status) const {
    return (status & (depth_ == 0 ? onfi::kSuspended : onfi::kBothSuspended)) != 0;
  }
  /// It is.
  void begin(const wl_flash_job& job) {
    Held& held = held_[depth_++];
    held.erase = job.op == WL_FLASH_ERASE;
    held.served = 0;
    ++held.times;
  }
  /// So many jobs go, meanwhile if any operation is suspended.
  void serve(std::uint32_t jobs) {
    if (depth_ != 0) held_[depth_ - 1].served += jobs;
  }

  /// 84h ADDR or 61h ROW; 13h ADDR or D2h.
  Next suspend(const wl_flash_job& job, Picoseconds at);
  Next resume(const wl_flash_job& job, Picoseconds at);

 private:
  struct Held {
    bool erase = false;
    std::uint32_t times = 0;   // that this operation was suspended
    std::uint32_t served = 0;  // jobs since it was
  };
  [[nodiscard]] const Held& last() const { return held_[depth_ - 1]; }
  /// Whether the next job of the queue may go while an erase, or a program, is suspended.
  [[nodiscard]] bool takes_one(bool erase) const {
    const bool others = erase && context_.rules.channels.suspended_by == config::SuspendedBy::kAll;
    return others ? queue_.takes_transfer() : queue_.takes_read();
  }

  const SequenceContext& context_;
  const DieQueue& queue_;
  std::array<Held, 2> held_{};  // in the order in which they were suspended
  std::size_t depth_ = 0;       // suspended of them
};

}  // namespace wordline::flash
