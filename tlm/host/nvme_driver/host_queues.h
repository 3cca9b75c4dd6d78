// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/device/nvme/nvme.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/host/nvme_driver/controller_access.h"

namespace wordline::host {

/// A submission queue of the host and its doorbell (Base 3.3). It does not count what is in flight: its user keeps one
/// entry free.
class HostSubmissionQueue {
 public:
  HostSubmissionQueue(HostMemory& memory, ControllerAccess& controller) : memory_(memory), controller_(controller) {}

  /// Takes memory for `entries` entries.
  void create(std::uint16_t id, std::uint32_t entries);
  /// In the controller memory buffer: where it is in BAR0, and the address at which the controller finds it.
  void create_in_controller(std::uint16_t id, std::uint32_t entries, std::uint32_t offset, std::uint64_t address);
  [[nodiscard]] std::uint64_t address() const { return address_; }

  /// Puts an entry into the queue; no doorbell.
  void push(const nvme::SubmissionEntry& entry);
  /// Tail doorbell, if entries were pushed since the last one.
  void ring();
  /// A completion entry says how far the controller has read. Reported: a place where it cannot be.
  void controller_is_at(std::uint32_t head);

 private:
  HostMemory& memory_;
  ControllerAccess& controller_;
  std::uint16_t id_ = 0;
  std::uint32_t entries_ = 0;  // 0: not created
  std::uint64_t address_ = 0;
  std::uint32_t offset_ = 0;  // in BAR0; 0: it lies in host memory
  std::uint32_t tail_ = 0, rung_tail_ = 0;
  std::uint32_t head_ = 0;  // of the controller, as it has said
};

/// A completion queue of the host and its doorbell, for entries of one submission queue or several.
class HostCompletionQueue {
 public:
  HostCompletionQueue(HostMemory& memory, ControllerAccess& controller) : memory_(memory), controller_(controller) {}

  /// Takes memory for `entries` entries.
  void create(std::uint16_t id, std::uint32_t entries);
  [[nodiscard]] std::uint64_t address() const { return address_; }
  /// Tells `watcher` of each entry that the controller writes; after create().
  void watch(HostMemory::WatcherIf& watcher) { memory_.watch(address_, pages_, watcher); }

  /// Whether the next entry is new.
  [[nodiscard]] bool has_entry() const;
  /// Takes the next entry; its phase tag says whether it is new. False: there is none, which is reported.
  bool take(nvme::CompletionEntry& entry);
  /// Head doorbell, if entries were taken since the last one.
  void ring_head();
  /// The same, when a quarter of the queue was: the controller has room while a core finds entries without an end.
  void ring_head_of_many();

 private:
  HostMemory& memory_;
  ControllerAccess& controller_;
  std::uint16_t id_ = 0;
  std::uint32_t entries_ = 0;  // 0: not created
  std::uint32_t pages_ = 0;
  std::uint64_t address_ = 0;
  std::uint32_t head_ = 0, rung_head_ = 0;
  bool phase_ = true;
};

}  // namespace wordline::host
