// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/units/quantity.h"
#include "tlm/device/nvme/namespaces.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// Flexible Data Placement (TP4146, Base 2.1), as far as the controller knows it by itself: the configuration, what a
/// write's directive means, and FDP events. One endurance group, one configuration, which is enabled; one reclaim
/// group, whose handles are the placement handles of the namespace. What is in reclaim units is the firmware's.
///
/// Known gaps: there is no event of a time limit, of a reset, or of a handle that the controller has changed; of GC's
/// data the first LBA is not given; asynchronous events do not tell of these.
class DataPlacement {
 public:
  DataPlacement(const config::Config& config, const Namespaces& namespaces, std::uint64_t unit_bytes);

  [[nodiscard]] bool on() const { return handles_ != 0; }
  [[nodiscard]] std::uint32_t handles() const { return handles_; }

  /// The placement handle of a write; kInvalidField: its directive is another one. A placement identifier that there is
  /// not is an event, and the write belongs to the first handle.
  Status handle_of(const SubmissionEntry& write, Picoseconds now, std::uint8_t& handle);
  /// WL_JOB_PLACEMENT_EVENT.
  void firmware_event(const wl_host_job& job, Picoseconds now);

  /// A log page of FDP that the controller has: its length; 0: it has no such one.
  std::size_t log(const SubmissionEntry& sqe, std::array<std::byte, kPageBytes>& page) const;
  /// Whether the log page or feature names the endurance group.
  [[nodiscard]] static bool names_group(const SubmissionEntry& log) { return log.cdw11 >> 16 == kEnduranceGroup; }

  /// Features 1Dh.
  [[nodiscard]] Status mode(bool set, std::uint32_t cdw11, std::uint32_t& dw0) const;
  /// Features 1Eh: how many event types the host names, or wants to be told.
  [[nodiscard]] static std::uint32_t event_types(const SubmissionEntry& sqe) { return sqe.cdw11 >> 16 & 0xffU; }
  [[nodiscard]] Status check_events(const SubmissionEntry& sqe) const;
  /// Enables or disables these.
  Status set_events(const SubmissionEntry& sqe, const std::uint8_t* types);
  /// Descriptors, two bytes each. Returns their number.
  std::uint32_t get_events(const SubmissionEntry& sqe, std::array<std::byte, kPageBytes>& page) const;
  /// Controller reset: no event is enabled.
  void reset();

 private:
  static constexpr std::size_t kEvents = 63;  // with the head one page of the log
  struct Event {
    std::uint8_t type;
    std::uint8_t flags;
    std::uint16_t pid;
    std::uint64_t timestamp;  // milliseconds
    std::uint32_t nsid;
    std::uint8_t specific[16];
    std::uint16_t group;
    std::uint8_t handle;
    std::uint8_t reserved[5];
    std::uint8_t vendor[24];
  } __attribute__((packed));
  static_assert(sizeof(Event) == 64);

  void add(std::uint8_t type, std::uint16_t pid, std::uint8_t handle, std::uint32_t lbas, Picoseconds now);
  [[nodiscard]] bool enabled(std::uint8_t type, std::uint8_t handle) const;

  const Namespaces& namespaces_;
  const std::uint32_t handles_;
  const bool persistent_;
  const std::uint64_t unit_bytes_;  // of a reclaim unit
  const bool volatile_cache_;
  std::array<std::uint32_t, WL_HANDLES> enabled_{};  // enabled types by handle, bits of kTypes
  std::deque<Event> of_host_, of_controller_;
};

}  // namespace wordline::host::nvme
