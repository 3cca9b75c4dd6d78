// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/config/config.h"
#include "tlm/device/engines/pipeline.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/completion_path.h"
#include "tlm/device/nvme/controller_status.h"
#include "tlm/device/nvme/features.h"
#include "tlm/device/nvme/information_pages.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/device/nvme/queue_management.h"
#include "tlm/device/nvme/queues.h"

namespace wordline::host::nvme {

/// The admin queue: fetches one command at a time, carries it out and completes it (Base 5). The firmware takes no
/// part.
///
/// Time: an entry passes the parser, as those of I/O queues; what a command does takes no time but that of its data on
/// the link. Known gaps: no asynchronous events (requests stay outstanding), Abort aborts nothing, no firmware or
/// namespace management.
class AdminCommands final : private Agenda::Client, private DmaAccess::Client {
 public:
  AdminCommands(const config::Config& config, QueueSet& queues, Interrupts& interrupts, ControllerStatus& status,
                HostDataMover& mover, Agenda& agenda, engines::Pipeline& parser, CompletionPath& completions);

  /// The queue may have entries.
  void fetch();
  /// The host has the completion of an I/O command of submission queue `qid`.
  void command_left(std::uint32_t qid);
  /// Controller reset.
  void reset();
  /// Commands that ended with a status other than success.
  [[nodiscard]] std::uint64_t errors() const { return errors_; }

 private:
  enum class Kind : std::uint32_t { kParsed };  // value: epoch
  enum class Access : std::uint32_t {
    kEntry,  // index: epoch
    kPage,   // index: identifier of the command
  };
  void act(const Agenda::Action& action) override;
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override;
  void run();
  void done(Status status, std::uint32_t dw0, Picoseconds ready);
  bool keep_async_request();
  Status identify(const SubmissionEntry& sqe, Picoseconds& ready);
  Status log_page(const SubmissionEntry& sqe, Picoseconds& ready);
  Status send_page(const SubmissionEntry& sqe, std::size_t bytes, Picoseconds& ready);

  QueueSet& queues_;
  ControllerStatus& status_;
  HostDataMover& mover_;
  Agenda& agenda_;
  engines::Pipeline& parser_;
  CompletionPath& completions_;
  QueueManagement management_;
  Features features_;
  InformationPages pages_;
  SubmissionEntry sqe_{};  // entry of the command being carried out
  bool busy_ = false;
  std::uint32_t async_requests_ = 0;
  std::uint64_t errors_ = 0;
};

}  // namespace wordline::host::nvme
