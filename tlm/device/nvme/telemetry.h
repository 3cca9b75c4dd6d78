// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/controller_status.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/device/nvme/queues.h"

namespace wordline::host::nvme {

/// Telemetry (Base 5.16.1.8 and 5.16.1.9): the state of the controller at the moment at which the host asked for it.
/// Data area 1 has all of it, seven blocks of 512 bytes, and areas 2 and 3 no more (docs/nvme.md has the fields). The
/// controller itself begins no telemetry, so log 08h is a header alone.
class Telemetry {
 public:
  static constexpr std::size_t kBlock = 512, kBytes = kPageBytes;
  using Page = std::array<std::byte, kBytes>;

  /// Keeps the state as it is now.
  void capture(const QueueSet& queues, const ControllerStatus& status, const HostDataMover& mover, Picoseconds now);
  void fill_host_initiated(Page& page) const { page = host_initiated_; }
  void fill_controller_initiated(Page& page) const;

 private:
  Page host_initiated_ = header(kLogTelemetryHost, 0);
  std::uint8_t generation_ = 0;  // captures, modulo 256

  static Page header(std::uint8_t log, std::uint16_t last_block);
};

}  // namespace wordline::host::nvme
