// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tlm/device/nvme/async_events.h"
#include "tlm/device/nvme/firmware_admin.h"
#include "tlm/device/nvme/io_commands.h"
#include "tlm/device/nvme/namespaces.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// Namespace Management and Namespace Attachment (Base 5.23, 5.22, 8.11): one at a time, as admin commands come. What
/// detaches or deletes a namespace has its commands refused, waits for those that are under way, and of a deletion for
/// the firmware, which deallocates what the namespace held.
///
/// Accuracy: no time but that of the wait, of the data on the link and of the firmware. Known gaps: one controller, so
/// no namespace is private to another (119h); no sharing, sets, ANA groups, or protection information.
class NamespaceCommands {
 public:
  static constexpr std::size_t kBytes = kPageBytes;  // of the host's data

  NamespaceCommands(Namespaces& namespaces, IoCommands& commands, HostDataMover& mover, AsyncEvents& events,
                    EventRecorder& recorder, FirmwareAdmin& firmware, FirmwareAdmin::AnswerIf& user)
      : namespaces_(namespaces),
        commands_(commands),
        mover_(mover),
        events_(events),
        recorder_(recorder),
        firmware_(firmware),
        user_(user) {}

  /// What can be said of it without its data.
  [[nodiscard]] Status check(const SubmissionEntry& sqe) const;
  /// The command comes with kBytes of data.
  [[nodiscard]] static bool has_data(const SubmissionEntry& sqe) {
    return sqe.opcode == kNamespaceAttachment || (sqe.cdw10 & kSelectMask) == kCreateNamespace;
  }
  /// One that has been checked. Nothing: the user hears of its end by answered(). `result`: dword 0 of the completion,
  /// or after kNoNamespaceCapacity the bytes that the namespace takes, for the error log.
  std::optional<Status> run(const SubmissionEntry& sqe, const std::byte* data, std::uint64_t& result);
  /// An I/O command has ended while namespaces leave.
  void command_ended();
  /// Controller reset: a command that waits is forgotten; one that the firmware has is not.
  void reset();

 private:
  [[nodiscard]] Status create(const SubmissionEntry& sqe, const std::byte* data, std::uint64_t& result);
  Status attach(const SubmissionEntry& sqe);
  [[nodiscard]] bool under_way() const;

  Namespaces& namespaces_;
  IoCommands& commands_;
  HostDataMover& mover_;
  AsyncEvents& events_;
  EventRecorder& recorder_;
  FirmwareAdmin& firmware_;
  FirmwareAdmin::AnswerIf& user_;
  std::optional<SubmissionEntry> waiting_;  // for commands of the namespaces that leave
};

}  // namespace wordline::host::nvme
