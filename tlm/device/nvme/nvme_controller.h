// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <memory>
#include <systemc>

#include "models/config/config.h"
#include "tlm/device/mover/host_interface.h"
#include "tlm/device/nvme/admin_commands.h"
#include "tlm/device/nvme/bar_registers.h"
#include "tlm/device/nvme/command_fetcher.h"
#include "tlm/device/nvme/completion_gates.h"
#include "tlm/device/nvme/completion_path.h"
#include "tlm/device/nvme/controller_status.h"
#include "tlm/device/nvme/data_placement.h"
#include "tlm/device/nvme/interrupts.h"
#include "tlm/device/nvme/io_commands.h"
#include "tlm/device/nvme/latency_monitor.h"
#include "tlm/device/nvme/management_commands.h"
#include "tlm/device/nvme/queues.h"

namespace wordline::host {

/// NVMe controller, the drive's end of host.model = nvme: constructs its blocks and connects them. Registers and
/// doorbells (BarRegisters) start the fetch of entries (CommandFetcher), which are parsed (IoCommands) and given to the
/// mover; what has ended goes out by CompletionPath. Most admin commands (AdminCommands) and commands with errors end
/// here; the others, Read, Write, Flush, Write Zeroes and Dataset Management go to the firmware as events, and come
/// back as jobs.
///
/// A 4 KiB read takes four instants: doorbell, entry parsed, job doorbell, completion at the host.
/// 4 KiB pages; logical blocks of 512 bytes or 4 KiB, with metadata or without, in all namespaces (Namespaces). What is
/// inexact or missing stands in the blocks' heads. Source: NVM Express Base Specification 2.0, NVM Command Set
/// Specification 1.0.
class NvmeController final : public HostInterface, private nvme::CompletionPath::UserIf {
 public:
  /// `user_lpages`: exported. A null recorder: no waves.
  NvmeController(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Config& config,
                 std::uint64_t user_lpages, tlm_if::RecorderIf* recorder);

  /// BAR0 (registers, doorbells and the controller memory buffer), seen from the host (BarRegisters). The delay given
  /// is when the access arrives (PcieLink::posted_write).
  tlm_utils::simple_target_socket<NvmeController> host_socket{"host_socket"};
  sc_core::sc_port<HostInterruptIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> host_interrupt{"host_interrupt"};

  /// Notified when CSTS.RDY or CSTS.CFS changes: a driver waits for it instead of polling.
  [[nodiscard]] const sc_core::sc_event& status_changed() const { return status_.changed(); }
  [[nodiscard]] std::uint32_t status() const { return status_.csts(); }
  /// Commands that ended with a status other than success, admin commands included.
  [[nodiscard]] std::uint64_t errors() const override { return mover.counters().errors + admin_.errors(); }
  void record_parser(rtl::BlockRecording* to) override { commands_->record(to); }
  [[nodiscard]] const engines::OwnEngine* own_parser() const override { return commands_->own_engine(); }
  void host_power_fails() override;
  /// PCI Express function level reset (Initiate FLR, in configuration space), which arrives at `at`.
  void function_level_reset(Picoseconds at) { registers_.function_level_reset(at); }
  [[nodiscard]] bool buffer_is_safe() const override { return admin_.buffer_is_safe(); }
  /// Time has to pass before the host can expect nothing more: commands are under way, entries are to be fetched,
  /// CSTS is to follow CC, or a message is held back. Asynchronous Event Requests do not count.
  [[nodiscard]] bool at_work() const;
  /// CC.EN is 0, or a function level reset has come, and commands are still in flight.
  [[nodiscard]] bool resetting() const { return status_.resetting(); }
  [[nodiscard]] const nvme::QueueSet& queues() const { return queues_; }
  /// Commands that were fetched from I/O submission queue `qid` since it was created.
  [[nodiscard]] std::uint64_t fetched(std::uint32_t qid) const { return queues_.sq(qid).fetched; }

 private:
  // HostFrontEndIf
  bool firmware_ready() override;
  bool take_job(const wl_host_job& job) override { return commands_->take_job(job); }
  bool take_admin_job(const wl_host_job& job) override { return admin_.take_job(job); }
  void bring_ranges(std::uint32_t tag) override { commands_->bring_ranges(tag); }
  void completed(std::uint32_t tag, CommandStatus status, Picoseconds ready, const wl_host_event* quiet) override;
  void data_lost(std::uint16_t queue, std::uint16_t id) override { completions_.data_lost(queue, id); }
  // CompletionPath::UserIf
  void tag_freed() override { fetcher_.tag_freed(); }
  void command_left(std::uint32_t qid) override;
  [[nodiscard]] nvme::ErrorLog::Place place_of(std::uint32_t tag) const override { return commands_->place_of(tag); }

  void host_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    registers_.transport(payload, delay);
  }

  ControllerMemory memory_;
  nvme::Namespaces namespaces_;
  std::unique_ptr<nvme::CompletionGates> completion_gates_;  // null: engines.model = model
  nvme::QueueSet queues_;
  nvme::ControllerStatus status_;
  nvme::Interrupts interrupts_;
  nvme::ErrorLog error_log_;
  nvme::LatencyMonitor latencies_;
  nvme::CompletionPath completions_;
  nvme::DataPlacement placement_;
  std::unique_ptr<nvme::IoCommands> commands_;
  nvme::CommandFetcher fetcher_;
  nvme::AdminCommands admin_;
  nvme::ManagementCommands management_;
  nvme::BarRegisters registers_;
};

}  // namespace wordline::host
