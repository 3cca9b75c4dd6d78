// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/results/resources.h"
#include "models/units/pool.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/command_table.h"
#include "tlm/device/mover/command_waves.h"
#include "tlm/device/mover/copies.h"
#include "tlm/device/mover/data_path.h"
#include "tlm/device/mover/deallocate_turn.h"
#include "tlm/device/mover/firmware_port.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/device/mover/host_dma.h"
#include "tlm/device/mover/incoming_data.h"
#include "tlm/device/mover/inner_data.h"
#include "tlm/device/mover/protected_data.h"
#include "tlm/device/mover/range_list.h"
#include "tlm/device/mover/reports.h"
#include "tlm/device/mover/slot_watch.h"
#include "tlm/protocol/engine_if.h"
#include "tlm/protocol/host_link_if.h"
#include "tlm/protocol/host_memory_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/register_socket.h"

namespace wordline::host {

/// What the mover asks of the host interface above it.
class HostFrontEndIf {
 public:
  /// The firmware takes commands from now on. False: the interface has found and reported an error in its own tables.
  virtual bool firmware_ready() = 0;
  /// A job of the firmware, before the mover carries it out. True: carry it out. False: the interface has done so
  /// itself (WL_JOB_PRP_LIST, WL_JOB_RANGES), or has refused and reported it.
  virtual bool take_job(const wl_host_job& /*job*/) { return true; }
  /// A job that belongs to no command of the mover's (WL_NO_TAG). False: the interface knows no such job.
  virtual bool take_admin_job(const wl_host_job& /*job*/) { return false; }
  /// Commands that ended with a status other than success, those of the interface itself included.
  [[nodiscard]] virtual std::uint64_t errors() const = 0;
  /// The turn of this deallocation or copy has come: bring its ranges, then HostDataMover::send_ranges() or
  /// Copies::begin().
  virtual void bring_ranges(std::uint32_t tag) = 0;
  /// The command has ended with `status`; its data have left by `ready`, not before the present. The interface posts
  /// the completion to the host at `ready` or later, and frees the tag. `quiet`: an event that the firmware gets by
  /// push_event() when the completion arrives at the host, before the host sees it.
  virtual void completed(std::uint32_t tag, CommandStatus status, Picoseconds ready, const wl_host_event* quiet) = 0;
  /// Host memory that takes time did not take data of this command, which completed() may have ended already.
  virtual void data_lost(std::uint16_t queue, std::uint16_t id) = 0;

 protected:
  ~HostFrontEndIf() = default;
};

/// The part of a host interface that does not depend on its protocol: commands with their tags, the event ring to the
/// firmware and the job ring from it, and the data between host memory and the data buffer. An interface
/// (tlm/device/nvme, tlm/device/direct) takes a tag from commands(), fills in the HostCommand and calls deliver();
/// HostFrontEndIf::completed() reports the end of the command. The mover contains nothing of queues, entries, PRPs or
/// doorbells of the host.
///
/// Time: an event reaches the firmware at once; a job acts when its doorbell arrives; data as in DataPath. A read's
/// data are put into host memory when its job begins, a write's are taken when its job has ended: the host does not
/// read the one before the completion, nor change the other. Firmware that has a slot of the write buffer read and
/// written at the same time is reported (SlotWatch). A host memory access that fails ends the command with Data
/// Transfer Error, if with no other error, and the firmware hears of it (WL_EVENT_FAILED).
class HostDataMover final : public sc_core::sc_module,
                            public tlm_if::HostCommandIf,
                            private Agenda::Client,
                            private DmaAccess::Client,
                            private IncomingData::UserIf,
                            private FirmwarePort::UserIf {
 public:
  struct Counters {
    // Given to the firmware; those that firmware parses: found good by the firmware.
    std::uint64_t reads = 0, writes = 0, flushes = 0, write_zeroes = 0, deallocates = 0;
    std::uint64_t errors = 0;        // commands that ended with a status other than success
    std::uint64_t media_errors = 0;  // requests, of these, that failed by the medium

    /// The command has been found good. Halves of a Copy are counted with it, as a write; Write Uncorrectable is no
    /// command that SMART counts.
    void count(const HostCommand& command);
  };

  /// A null recorder: no waves. `reports`, `agenda` and `front_end` outlive the mover.
  HostDataMover(const sc_core::sc_module_name& name, const config::Config& config, std::uint64_t user_lpages,
                Agenda& agenda, HostFrontEndIf& front_end, const Reports& reports, tlm_if::RecorderIf* recorder);

  /// NVME block of wordline.rdl, offset 0 = EVENT_RING_BASE, as the firmware addresses it.
  tlm_if::RegisterSocket register_socket;
  sc_core::sc_port<tlm_if::SharedMemoryIf> memory{"memory"};
  sc_core::sc_port<tlm_if::InterruptIf> interrupt{"interrupt"};
  sc_core::sc_port<tlm_if::DramIf> dram{"dram"};
  sc_core::sc_port<tlm_if::DataBufferIf> buffer{"buffer"};
  sc_core::sc_port<tlm_if::StageClockIf> stages{"stages"};
  /// Unbound: all commands are the firmware's.
  sc_core::sc_port<tlm_if::HostEngineIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> engines{"engines"};
  sc_core::sc_port<HostMemoryIf> host_memory{"host_memory"};
  sc_core::sc_port<HostLinkIf> link{"link"};

  // ---- for the host interface ----
  Copies copies;
  ProtectedData protected_data;
  [[nodiscard]] CommandTable& commands() { return commands_; }
  [[nodiscard]] const CommandTable& commands() const { return commands_; }
  [[nodiscard]] const HostLimits& limits() const { return limits_; }
  /// The firmware is ready.
  [[nodiscard]] bool takes_commands() const { return firmware_.ready(); }
  [[nodiscard]] const FirmwarePort::Tables& tables() const { return firmware_.tables(); }
  /// Delivers a command that is checked and whose pages are known: to the engines, to the firmware, or into the queue
  /// of deallocations and copies.
  void deliver(std::uint32_t tag);
  /// A deallocation, or a copy, waits for its turn: HostFrontEndIf::bring_ranges().
  void queue_deallocation(std::uint32_t tag);
  /// The ranges of a deallocation, at least one: an event for each.
  void send_ranges(std::uint32_t tag, const RangeList& ranges);
  /// Ends a command: by the firmware's job, or by the interface, which found an error or nothing to do.
  void complete(std::uint32_t tag, CommandStatus status, Picoseconds ready, const wl_host_event* quiet = nullptr);
  [[nodiscard]] Picoseconds now() const { return agenda_.now(); }
  /// Accesses of host memory, other than those of data.
  [[nodiscard]] HostDma& dma() { return dma_; }
  void push_event(const wl_host_event& event, bool wake) { firmware_.push(event, wake); }
  /// The firmware gets the event at `at`, without an interrupt.
  void push_event_later(const wl_host_event& event, Picoseconds at);
  [[nodiscard]] Counters& counters() { return counters_; }
  /// What a waveform shows of the commands.
  [[nodiscard]] const CommandWaves& waves() const { return waves_; }

  // ---- for the hardware engines ----
  Picoseconds send_data(const wl_host_job& job, Picoseconds from) override { return start_job(job, from); }
  void hand_over(std::uint16_t tag, Picoseconds at, std::uint8_t flags) override;

  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const DataPath::Counters& data_counters() const { return data_.counters(); }
  void register_resources(results::Resources& resources) const;

 private:
  enum class Kind : std::uint32_t {
    kTransferEnd,  // index: transfer
    kHandOver,     // index: tag, value: event flags; from the engines to the firmware
  };
  /// A data job that ends with an action: content to commit, or an event for the firmware.
  struct Transfer {
    wl_host_job job{};
    bool event_only = false;  // `event` is all that is left to do
    wl_host_event event{};
  };

  void act(const Agenda::Action& action) override;
  bool count(std::uint32_t offset, std::uint32_t& value) const override;
  bool firmware_ready() override { return front_end_.firmware_ready(); }
  void job(const wl_host_job& job) override { (void)start_job(job, agenda_.now()); }

  bool offer_to_engines(std::uint32_t tag);
  void push_command(std::uint32_t tag, std::uint8_t flags);
  Picoseconds start_job(const wl_host_job& job, Picoseconds from);
  void copy(const wl_host_job& job, HostCommand& command);
  // Host memory that takes time.
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override;
  void data_came(std::uint32_t transfer, const DataPath::Times& times, Picoseconds from) override;
  void send(const wl_host_job& job, HostCommand& command);
  void transfer_end(std::uint32_t index);

  Agenda& agenda_;
  HostFrontEndIf& front_end_;
  const Reports& reports_;
  const CommandWaves waves_;
  const HostLimits limits_;
  CommandTable commands_;
  FirmwarePort firmware_;
  HostDma dma_;
  DataPath data_;
  IncomingData incoming_;
  InnerData inner_;
  SlotWatch slots_;
  Pool<Transfer> transfers_;
  DeallocateTurn turn_;
  Counters counters_;
};

}  // namespace wordline::host
