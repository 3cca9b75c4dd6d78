// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/device/nvme/nvme.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/host/nvme_driver/controller_access.h"

namespace wordline::host {

/// A submission and a completion queue of the host, with the same identifier and length, and their doorbells
/// (Base 3.3). It does not count what is in flight: its user keeps one entry of the submission queue free.
class QueuePair {
 public:
  QueuePair(HostMemory& memory, ControllerAccess& controller) : memory_(memory), controller_(controller) {}

  /// Takes memory for `entries` entries each.
  void create(std::uint16_t id, std::uint32_t entries);
  [[nodiscard]] std::uint64_t sq() const { return sq_; }
  [[nodiscard]] std::uint64_t cq() const { return cq_; }

  /// Puts an entry into the submission queue; no doorbell.
  void push(const nvme::SubmissionEntry& entry);
  /// Tail doorbell, if entries were pushed since the last one.
  void ring();
  /// Whether the next completion entry is new.
  [[nodiscard]] bool has_entry() const;
  /// Takes the next completion entry; its phase tag says whether it is new. False: there is none, which is reported.
  bool take(nvme::CompletionEntry& entry);
  /// Head doorbell, if entries were taken since the last one.
  void ring_head();

 private:
  HostMemory& memory_;
  ControllerAccess& controller_;
  std::uint16_t id_ = 0;
  std::uint32_t entries_ = 0;  // 0: not created
  std::uint64_t sq_ = 0, cq_ = 0;
  std::uint32_t tail_ = 0, rung_tail_ = 0, head_ = 0, rung_head_ = 0;
  bool phase_ = true;
};

}  // namespace wordline::host
