// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "tlm/device/nvme/completion_path.h"

namespace wordline::host::nvme {

/// Asynchronous Event Requests that the host has left here, and events that have found none (Base 5.2). Which events
/// there are, and which of them the host wants, is the firmware's to know, but for errors of doorbells: after an event
/// of one kind there is no other of it before the host has read the Error Information log.
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
  /// An error event with this information; none, if there has been one since errors_read().
  void report_error(std::uint32_t information, Picoseconds now) {
    if (told_[information]) return;
    told_[information] = true;
    report(async_event(kEventError, information, kLogErrorInformation), now);
  }
  /// The host has read the Error Information log, with Retain Asynchronous Event at 0.
  void errors_read() { told_ = {}; }
  /// Controller reset: the host has forgotten its requests, and hears of nothing that was before.
  void reset() {
    requests_.clear();
    events_.clear();
    told_ = {};
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
  std::array<bool, kInvalidDoorbellValue + 1> told_{};  // by information
};

}  // namespace wordline::host::nvme
