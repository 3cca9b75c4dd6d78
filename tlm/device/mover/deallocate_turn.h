// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/units/growing_ring.h"
#include "tlm/device/mover/host_command.h"

namespace wordline::host {

/// The contract passes one deallocation to the firmware at a time (models/firmware/contract/host_ring.h: the event
/// ring's bound, the range table). Others wait here, in order.
class DeallocateTurn {
 public:
  /// True: it is the turn of `tag`. False: the tag waits, and done() will return it.
  bool take(std::uint32_t tag) {
    if (running_ == kNone) {
      running_ = tag;
      return true;
    }
    waiting_.push(tag);
    return false;
  }
  [[nodiscard]] bool runs(std::uint32_t tag) const { return running_ == tag; }
  /// The running one has completed. Returns the tag whose turn it is now, or kNone.
  std::uint32_t done() {
    running_ = kNone;
    if (waiting_.empty()) return kNone;
    running_ = waiting_.front();
    waiting_.pop();
    return running_;
  }

 private:
  std::uint32_t running_ = kNone;
  GrowingRing<std::uint32_t> waiting_;
};

}  // namespace wordline::host
