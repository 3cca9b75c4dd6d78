// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tlm/device/nvme/interrupts.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/device/nvme/queues.h"

namespace wordline::host::nvme {

/// Set Features and Get Features (Base 5.15, 5.27): current values, none can be saved. Number of queues, write cache,
/// interrupts, arbitration and power state answer with what the controller does; error recovery and write atomicity are
/// kept without effect. Temperature threshold and asynchronous events are the firmware's.
class Features {
 public:
  /// `power_safe`: the write buffer survives a power loss, so there is no volatile write cache.
  Features(QueueSet& queues, Interrupts& interrupts, bool power_safe)
      : queues_(queues), interrupts_(interrupts), power_safe_(power_safe) {}

  [[nodiscard]] static bool of_firmware(std::uint8_t feature) {
    return feature == kFeatureTemperatureThreshold || feature == kFeatureAsyncEvents;
  }
  /// `dw0`: dword 0 of the completion entry.
  Status run(const SubmissionEntry& sqe, std::uint32_t& dw0);
  /// Controller reset: what is kept here is as at power on; queues and interrupts have their own reset.
  void reset() { kept_ = {}; }

 private:
  [[nodiscard]] Status interrupt_vector(bool set, std::uint32_t value, std::uint32_t& dw0);

  QueueSet& queues_;
  Interrupts& interrupts_;
  const bool power_safe_;
  std::array<std::uint32_t, 12> kept_{};  // by identifier
};

}  // namespace wordline::host::nvme
