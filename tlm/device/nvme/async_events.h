// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "tlm/device/nvme/completion_path.h"

namespace wordline::host::nvme {

/// Asynchronous Event Requests that the host has left here, and events that have found none (Base 5.2). Which events
/// there are, and which of them the host wants, is the firmware's to know, but for errors of doorbells and for changes
/// of namespaces: after an event of one kind there is no other of it before the host has read its log.
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
  /// The Changed Namespace List has become longer: a notice, unless the host does not want it (Features 0Bh), or has
  /// had one since namespaces_read().
  void namespaces_changed(Picoseconds now) {
    if (!tells_namespaces_ || told_namespaces_) return;
    told_namespaces_ = true;
    report(async_event(kEventNotice, kNamespaceAttributeChanged, kLogChangedNamespaces), now);
  }
  void namespaces_read() { told_namespaces_ = false; }
  /// Features have been set: Asynchronous Event Configuration says what the host wants.
  void set_wanted(std::uint32_t value, std::uint32_t feature) {
    if (static_cast<std::uint8_t>(feature) == kFeatureAsyncEvents) {
      tells_namespaces_ = (value & kNamespaceNotices) != 0;
    }
  }
  /// Controller reset: the host has forgotten its requests, and hears of nothing that was before.
  void reset() {
    requests_.clear();
    events_.clear();
    told_ = {};
    tells_namespaces_ = told_namespaces_ = false;
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
  bool tells_namespaces_ = false, told_namespaces_ = false;
};

}  // namespace wordline::host::nvme
