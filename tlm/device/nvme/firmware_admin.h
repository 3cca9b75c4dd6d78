// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "models/firmware/contract/contract.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/async_events.h"
#include "tlm/device/nvme/data_placement.h"
#include "tlm/device/nvme/event_recorder.h"
#include "tlm/device/nvme/io_commands.h"
#include "tlm/device/nvme/namespaces.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// Admin commands that firmware carries out, on their way to it and back: contract/host_ring.h. The firmware has one at
/// a time; after a reset of the controller its answer to the one before is waited for, and dropped. A normal shutdown
/// goes the same way, behind all commands. A Format or
/// a Sanitize waits for the I/O commands that are under way, and others are refused until it is over, resets of the
/// controller or not.
///
/// Accuracy: an entry is in tightly coupled memory when its event is, and the data of an answer are taken at once, as
/// in FirmwarePort.
class FirmwareAdmin {
 public:
  /// Whose command the firmware carries out.
  class AnswerIf {
   public:
    /// The command has been carried out; `data` are the first `bytes` bytes of what the host asks for.
    virtual void answered(Status status, std::uint32_t dw0, const std::byte* data, std::size_t bytes) = 0;

   protected:
    ~AnswerIf() = default;
  };
  /// What lies above.
  class UserIf : public AnswerIf {
   public:
    /// The firmware has ended its part of a shutdown.
    virtual void shutdown_ended() = 0;

   protected:
    ~UserIf() = default;
  };

  FirmwareAdmin(HostDataMover& mover, IoCommands& commands, Namespaces& namespaces, CompletionPath& completions,
                AsyncEvents& events, EventRecorder& recorder, DataPlacement& placement, UserIf& user,
                const Reports& reports)
      : mover_(mover),
        commands_(commands),
        namespaces_(namespaces),
        completions_(completions),
        events_(events),
        recorder_(recorder),
        placement_(placement),
        user_(user),
        reports_(reports) {}

  /// As HostFrontEndIf.
  bool firmware_ready();
  bool take_job(const wl_host_job& job);
  void carry_out(const SubmissionEntry& sqe);
  /// An I/O Management command of `user`, one at a time, which is answered whatever happens.
  void carry_out(const SubmissionEntry& sqe, AnswerIf& user);
  /// A Sanitize goes on, whose command has ended.
  [[nodiscard]] bool sanitizes() const { return sanitizes_; }
  /// Namespaces that it deletes, a bit each; a reset of the controller does not end that.
  [[nodiscard]] std::uint32_t deletes() const { return deletion_.namespaces; }
  /// A normal shutdown: the firmware hears of it when it has no command any more.
  void shut_down();
  /// As HostInterface. An answer that the firmware owes is not waited for.
  void host_power_fails();
  [[nodiscard]] bool buffer_is_safe() const { return buffer_is_safe_; }
  /// No I/O command is under way.
  void commands_ended();
  /// Controller reset.
  void reset();

 private:
  void go_on();
  void hand_over(const SubmissionEntry& sqe);
  void push(std::uint8_t flags, std::uint32_t tag);
  [[nodiscard]] std::uint32_t command_to_abort(const SubmissionEntry& sqe) const;
  void answer(const wl_host_job& job);
  [[nodiscard]] std::uint16_t resets() const { return static_cast<std::uint16_t>(mover_.commands().epoch()); }

  HostDataMover& mover_;
  IoCommands& commands_;
  Namespaces& namespaces_;
  CompletionPath& completions_;
  AsyncEvents& events_;
  EventRecorder& recorder_;
  DataPlacement& placement_;
  UserIf& user_;
  const Reports& reports_;
  std::byte* entry_ = nullptr;
  const std::byte* page_ = nullptr;
  bool first_ = true;  // since a reset
  bool busy_ = false;  // the firmware owes an answer
  bool sanitizes_ = false;
  bool power_failed_ = false;
  bool buffer_is_safe_ = false;
  struct Turn {
    bool waits = false;  // to be told to the firmware, behind what came before
    bool runs = false;   // the answer that the firmware owes is to that
  };
  Turn shutdown_, reset_;
  bool keeps_tag_ = false;           // ... about a command to abort
  std::optional<LbaFormat> format_;  // ... to a Format: LBA format that its end brings
  struct Deletion {
    SubmissionEntry sqe{};
    std::uint32_t namespaces = 0;
  };
  Deletion deletion_;                          // ... to a Namespace Management
  bool tested_ = false;                        // a self-test has been begun since the firmware heard of a reset
  std::optional<SubmissionEntry> management_;  // waits
  AnswerIf* manages_ = nullptr;                // whose command it is, or that which the firmware has
  bool managing_ = false;                      // the answer is to that
  std::optional<SubmissionEntry> waiting_;     // for the firmware's answer to one before a reset, or for I/O commands
};

}  // namespace wordline::host::nvme
