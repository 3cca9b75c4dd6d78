// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

#include "models/firmware/contract/contract.h"
#include "tlm/protocol/arrivals.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/ring.h"

namespace wordline::flash {

/// The registers of CHANNEL[i] and the ring of flash jobs that they describe. Jobs are taken when a doorbell arrives;
/// what becomes of them is the controller's matter. A doorbell without a valid ring, or of more jobs than the ring
/// holds, is reported and takes none.
class JobRing {
 public:
  /// `owner` names the channel in reports. `memory` outlives this object.
  JobRing(std::string owner, sc_core::sc_port<tlm_if::SharedMemoryIf>& memory)
      : owner_(std::move(owner)), memory_(memory) {}

  /// Registers by their offset in the block; false: there is none. `outstanding`: what STATUS shows. A doorbell that is
  /// written arrives at `at`.
  [[nodiscard]] bool read_register(std::uint32_t offset, std::uint32_t outstanding, std::uint32_t& value) const;
  [[nodiscard]] bool write_register(std::uint32_t offset, std::uint32_t value, Picoseconds at);

  [[nodiscard]] bool waiting() const { return !doorbells_.empty(); }
  /// Arrival of the first doorbell; only when waiting().
  [[nodiscard]] Picoseconds next() const { return doorbells_.next(); }
  /// Calls take(job, at) for every job whose doorbell arrives by `now`.
  template <class Take>
  void deliver(Picoseconds now, Take&& take) {
    doorbells_.deliver(now, [&](Picoseconds at, std::uint32_t produced) {
      if (!open()) return;
      if (!ring_.read_until(produced, [&](const wl_flash_job& job) { take(job, at); })) report_overflow(produced);
    });
  }

 private:
  [[nodiscard]] bool open();
  void report_overflow(std::uint32_t produced) const;

  const std::string owner_;
  sc_core::sc_port<tlm_if::SharedMemoryIf>& memory_;
  std::uint32_t base_ = 0;
  std::uint32_t size_ = 0;
  tlm_if::RingConsumer<wl_flash_job> ring_;
  tlm_if::Arrivals<std::uint32_t> doorbells_;
};

}  // namespace wordline::flash
