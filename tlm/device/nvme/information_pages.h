// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/config/config.h"
#include "tlm/device/nvme/data_placement.h"
#include "tlm/device/nvme/error_log.h"
#include "tlm/device/nvme/event_log.h"
#include "tlm/device/nvme/firmware_images.h"
#include "tlm/device/nvme/latency_monitor.h"
#include "tlm/device/nvme/namespaces.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/device/nvme/telemetry.h"
#include "tlm/device/nvme/timestamp.h"

namespace wordline::host::nvme {

/// Content of Identify (Base 5.17; NVM 4.1.5) and of log pages (Base 5.16). It makes one page at a time; bringing it to
/// the host is a matter of AdminCommands. What the SMART log holds comes from the firmware.
class InformationPages {
 public:
  /// `transfer_exponent`: MDTS.
  InformationPages(const config::Config& config, const Namespaces& namespaces, const FirmwareImages& images,
                   std::uint32_t transfer_exponent)
      : config_(config),
        namespaces_(namespaces),
        images_(images),
        mdts_(static_cast<std::uint8_t>(transfer_exponent)) {}

  /// Whose content the controller's own logs are.
  struct Sources {
    const ErrorLog& errors;
    const DataPlacement& placement;
    const Telemetry& telemetry;
    LatencyMonitor& latencies;
  };

  /// On success page() is the answer, all of it.
  Status identify(const SubmissionEntry& sqe);
  /// The firmware has the content of this log: check_range(), and then log_of_firmware() with what it says.
  [[nodiscard]] bool log_is_of_firmware(std::uint8_t log) const;
  /// Whether the host may ask so for a part of a log of `length` bytes.
  [[nodiscard]] static Status check_range(const SubmissionEntry& sqe, std::size_t length);
  /// One of the controller's own. On success the first `bytes` of page() are the answer.
  Status log(const SubmissionEntry& sqe, const Sources& sources, Picoseconds now, std::size_t& bytes);
  /// Descriptors of FDP events, from Features 1Eh: their number, and page() has them.
  std::uint32_t fdp_events(const DataPlacement& placement, const SubmissionEntry& sqe);
  /// A part of the context of the Persistent Event Log, which check_range() has found good: its bytes.
  std::size_t events(const EventLog& log, const SubmissionEntry& sqe);
  /// page(), all zeros, for the data of a feature.
  std::byte* clear();
  /// The first of the returned number of bytes of page() are the answer.
  std::size_t log_of_firmware(const SubmissionEntry& sqe, const std::byte* data, std::size_t bytes);
  /// Format NVM and Sanitize are there.
  [[nodiscard]] bool erases() const { return config_.ftl.recovery == config::Recovery::kNone; }
  [[nodiscard]] const std::byte* page() const { return page_.data(); }

 private:
  std::size_t cut_out(const SubmissionEntry& sqe);

  const config::Config& config_;
  const Namespaces& namespaces_;
  const FirmwareImages& images_;
  const std::uint8_t mdts_;
  std::array<std::byte, kPageBytes> page_{};
};

}  // namespace wordline::host::nvme
