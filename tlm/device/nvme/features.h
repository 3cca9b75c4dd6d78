// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tlm/device/nvme/interrupts.h"
#include "tlm/device/nvme/namespaces.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/device/nvme/queues.h"

namespace wordline::host::nvme {

/// Set Features and Get Features (Base 5.15, 5.27): current values, none can be saved. Number of queues, write cache,
/// interrupts, arbitration and power state answer with what the controller does; write atomicity is kept without
/// effect, and of error recovery the time limit. Temperature threshold and asynchronous events are the firmware's.
class Features {
 public:
  /// `power_safe`: the write buffer survives a power loss, so there is no volatile write cache.
  Features(QueueSet& queues, Interrupts& interrupts, const Namespaces& namespaces, bool power_safe, bool erases)
      : queues_(queues),
        interrupts_(interrupts),
        namespaces_(namespaces),
        power_safe_(power_safe),
        erases_(erases),
        recovery_(namespaces.last()) {}

  [[nodiscard]] static bool of_firmware(std::uint8_t feature) {
    return feature == kFeatureTemperatureThreshold || feature == kFeatureAsyncEvents;
  }
  /// `dw0`: dword 0 of the completion entry.
  Status run(const SubmissionEntry& sqe, std::uint32_t& dw0);
  /// Controller reset: what is kept here is as at power on; queues and interrupts have their own reset.
  void reset() {
    kept_ = {};
    recovery_.assign(recovery_.size(), 0);
    no_deallocate_response_ = false;
  }
  /// Namespaces of which a read of blocks without data is an error (DULBE), a bit each, the first is bit 0.
  [[nodiscard]] std::uint32_t unwritten_errors() const;
  /// The namespace is a new one.
  void forget(std::uint32_t nsid) { recovery_[nsid - 1] = 0; }
  /// Sanitize Config: a Sanitize that asks not to deallocate does so nevertheless.
  [[nodiscard]] bool no_deallocate_response() const { return no_deallocate_response_; }

 private:
  Status error_recovery(const SubmissionEntry& sqe, bool set, std::uint32_t& dw0);
  [[nodiscard]] Status interrupt_vector(bool set, std::uint32_t value, std::uint32_t& dw0);

  QueueSet& queues_;
  Interrupts& interrupts_;
  const Namespaces& namespaces_;
  const bool power_safe_, erases_;
  std::array<std::uint32_t, 12> kept_{};  // by identifier
  std::vector<std::uint32_t> recovery_;   // Error Recovery by namespace
  bool no_deallocate_response_ = false;
};

}  // namespace wordline::host::nvme
