// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "tlm/device/nvme/completion_path.h"

namespace wordline::host::nvme {

/// Asynchronous Event Requests that the host has left here, and events that have found none (Base 5.2). Which events
/// there are, and which of them the host wants, is the firmware's to know.
class AsyncEvents {
 public:
  static constexpr std::size_t kMost = 4;  // Identify AERL + 1

  explicit AsyncEvents(CompletionPath& completions) : completions_(completions) {}

  /// False: as many are outstanding as there may be.
  bool request(std::uint16_t cid, Picoseconds now) {
    if (requests_.size() == kMost) return false;
    requests_.push_back(cid);
    match(now);
    return true;
  }
  /// `dw0`: type, information and log page of the event.
  void report(std::uint32_t dw0, Picoseconds now) {
    events_.push_back(dw0);
    match(now);
  }
  /// Controller reset: the host has forgotten its requests, and hears of nothing that was before.
  void reset() {
    requests_.clear();
    events_.clear();
  }

 private:
  void match(Picoseconds now) {
    while (!requests_.empty() && !events_.empty()) {
      completions_.post_admin(requests_.front(), kSuccess, events_.front(), now);
      requests_.pop_front();
      events_.pop_front();
    }
  }

  CompletionPath& completions_;
  std::deque<std::uint16_t> requests_;  // by command identifier, in order
  std::deque<std::uint32_t> events_;
};

}  // namespace wordline::host::nvme
