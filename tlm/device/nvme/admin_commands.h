// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/config/config.h"
#include "tlm/device/engines/pipeline.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/async_events.h"
#include "tlm/device/nvme/completion_path.h"
#include "tlm/device/nvme/controller_status.h"
#include "tlm/device/nvme/error_log.h"
#include "tlm/device/nvme/event_recorder.h"
#include "tlm/device/nvme/features.h"
#include "tlm/device/nvme/firmware_admin.h"
#include "tlm/device/nvme/firmware_images.h"
#include "tlm/device/nvme/host_memory_buffer.h"
#include "tlm/device/nvme/information_pages.h"
#include "tlm/device/nvme/namespace_commands.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/device/nvme/queue_management.h"
#include "tlm/device/nvme/queues.h"
#include "tlm/device/nvme/telemetry.h"
#include "tlm/device/nvme/timestamp.h"

namespace wordline::host::nvme {

/// The admin queue: fetches one command at a time, carries it out, or has the firmware do so, and completes it
/// (Base 5). What concerns health, events and commands in flight is the firmware's (FirmwareAdmin).
///
/// Time: an entry passes the parser, as those of I/O queues; what a command does here takes no time but that of its
/// data on the link. Known gaps: events are those of the SMART log, the end of a Sanitize, changes of namespaces and
/// errors of doorbells alone.
class AdminCommands final : private Agenda::Client, private DmaAccess::Client, private FirmwareAdmin::UserIf {
 public:
  AdminCommands(const config::Config& config, QueueSet& queues, Namespaces& namespaces, Interrupts& interrupts,
                ControllerStatus& status, IoCommands& commands, DataPlacement& placement, const ErrorLog& errors,
                LatencyMonitor& latencies, HostDataMover& mover, Agenda& agenda, engines::Pipeline& parser,
                CompletionPath& completions, const Reports& reports);

  /// For commands of I/O queues that the firmware carries out, and for a shutdown.
  [[nodiscard]] FirmwareAdmin& firmware() { return firmware_; }
  [[nodiscard]] NamespaceCommands& namespace_commands() { return namespace_commands_; }

  /// As HostFrontEndIf.
  bool firmware_ready() { return firmware_.firmware_ready(); }
  bool take_job(const wl_host_job& job) { return host_buffer_.take_job(job) || firmware_.take_job(job); }

  /// The host has written a doorbell of a queue that there is not, or (`exists`) a value that it cannot have.
  void doorbell_error(bool exists) {
    events_.report_error(exists ? kInvalidDoorbellValue : kInvalidDoorbellRegister, agenda_.now());
  }
  /// The queue may have entries.
  void fetch();
  /// The host has the completion of an I/O command of submission queue `qid`.
  void command_left(std::uint32_t qid);
  /// No I/O command is under way.
  void commands_ended() { firmware_.commands_ended(); }
  /// As HostInterface.
  [[nodiscard]] bool buffer_is_safe() const { return firmware_.buffer_is_safe(); }
  /// A command is being carried out; Asynchronous Event Requests that wait for an event are none.
  [[nodiscard]] bool busy() const { return busy_; }
  /// Controller reset.
  void reset();
  /// Commands that ended with a status other than success.
  [[nodiscard]] std::uint64_t errors() const { return errors_; }

 private:
  enum class Kind : std::uint32_t {
    kParsed,  // value: epoch
    kData,    // index: whether host memory had them, value: epoch
  };
  enum class Access : std::uint32_t {
    kEntry,  // index: epoch
    kPage,   // index: identifier of the command
    kData,   // from the host, of Features 0Dh, 0Eh, 1Eh, C5h, a Firmware Image Download or a namespace; index: epoch
  };
  void act(const Agenda::Action& action) override;
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override;
  void run();
  /// `place`: of an error, for its log.
  void done(Status status, std::uint32_t dw0, Picoseconds ready, ErrorLog::Place place = {});
  void answered(Status status, std::uint32_t dw0, const std::byte* data, std::size_t bytes) override;
  void shutdown_ended() override { status_.shutdown_ended(); }
  Status feature(std::uint32_t& dw0, Picoseconds& ready, bool& waits);
  Status feature_with_data(Picoseconds& ready, bool& waits);
  Status host_memory(std::uint32_t& dw0, Picoseconds& ready, bool& waits);
  Status fdp_feature(std::uint32_t& dw0, Picoseconds& ready, bool& waits);
  Status bring(std::size_t bytes, bool& waits);
  void take_data(bool good);
  void run_namespace_command();
  Status firmware_image(bool& waits);
  bool give_to_firmware(Status& status);
  bool ask_for_snapshot(Status& status);
  [[nodiscard]] Status check_format() const;
  [[nodiscard]] Status check_sanitize() const;
  Status log_page(const SubmissionEntry& sqe, Picoseconds& ready);
  Status send_page(const SubmissionEntry& sqe, std::size_t bytes, Picoseconds& ready);

  QueueSet& queues_;
  Namespaces& namespaces_;
  ControllerStatus& status_;
  HostDataMover& mover_;
  Agenda& agenda_;
  engines::Pipeline& parser_;
  CompletionPath& completions_;
  const ErrorLog& error_log_;
  LatencyMonitor& latencies_;
  DataPlacement& placement_;
  QueueManagement management_;
  Features features_;
  Timestamp timestamp_;
  Telemetry telemetry_;
  HostMemoryBuffer host_buffer_;
  IoCommands& commands_;
  FirmwareImages images_;
  InformationPages pages_;
  AsyncEvents events_;
  EventRecorder recorder_;
  FirmwareAdmin firmware_;
  NamespaceCommands namespace_commands_;
  SubmissionEntry sqe_{};                         // entry of the command being carried out
  std::array<std::byte, kPageBytes> received_{};  // its data from the host
  bool busy_ = false;
  std::uint64_t errors_ = 0;
};

}  // namespace wordline::host::nvme
