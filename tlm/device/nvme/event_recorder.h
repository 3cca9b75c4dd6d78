// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/event_log.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/device/nvme/timestamp.h"

namespace wordline::host::nvme {

/// Writes what happens into the Persistent Event Log, with the timestamp of that moment.
class EventRecorder {
 public:
  EventRecorder(const Timestamp& timestamp, const HostDataMover& mover) : timestamp_(timestamp), mover_(mover) {}

  [[nodiscard]] EventLog& log() { return log_; }
  [[nodiscard]] std::uint64_t timestamp() const;

  /// Power is on, or the controller has been reset; `activated`: with another firmware image.
  void reset(const std::string& revision, bool activated);
  /// Features 0Eh has been set; the timestamp before.
  void timestamp_changed(std::uint64_t previous);
  /// `revision`: that of the drive before; `committed`: of the image.
  void firmware_committed(const SubmissionEntry& sqe, const std::string& revision, const std::string& committed,
                          Status status);
  /// `data`: what the host has said of a namespace that has been created; null: one has been deleted.
  void namespace_changed(const SubmissionEntry& sqe, const std::byte* data, std::uint32_t nsid);
  /// The firmware is given a Format or a Sanitize, which the end of a Format, or the begin of a Sanitize, refers to.
  void erasure_given(const SubmissionEntry& sqe);
  void format_ended(Status status);
  void sanitize_begun();
  void sanitize_ended();
  /// Makes the log of this moment the context, the SMART log of this moment with it.
  void establish(const std::byte* smart);

 private:
  template <class Event>
  void add(EventLog::Type type, const Event& event) {
    log_.add(type, timestamp(), &event, sizeof event);
  }

  const Timestamp& timestamp_;
  const HostDataMover& mover_;
  EventLog log_;
  SubmissionEntry erasure_{};
  Picoseconds reset_at_{};
};

}  // namespace wordline::host::nvme
