// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "tlm/device/link/pcie_link.h"
#include "tlm/device/nvme/interrupts.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/host/driver/host_cores.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/host/nvme_driver/bring_up.h"
#include "tlm/host/nvme_driver/controller_access.h"
#include "tlm/host/nvme_driver/queue_pair.h"
#include "tlm/protocol/host_path_if.h"

namespace wordline::host {

/// The host's end of host.model = nvme: brings the controller up (BringUp), turns the driver's commands into entries of
/// I/O queue pairs, with PRPs and PRP lists, and takes completions at their interrupt. A command's identifier is its
/// CID.
///
/// Vector 0 is the admin queue's, 1 that of the first I/O queue pair, and so on. An interrupt stands for one entry, and
/// the head doorbell is written for each: what the controller sends without coalescing, to cores whose time counts
/// nothing. Otherwise the core of the pair is busy with the interrupt, then takes all entries that are there, one after
/// the other, and writes one head doorbell; an interrupt that comes meanwhile has nothing to add.
/// Known gaps: a PRP list is one page, so a command has 2 MiB at most; pairs that cores share are served by the first
/// of these.
class NvmePath final : public sc_core::sc_module, public HostPathIf, public HostInterruptIf, private BringUp::UserIf {
 public:
  NvmePath(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Host& config,
           std::uint64_t user_lbas, HostMemory& memory, HostCores& cores, PcieLink& link);

  /// To BAR0.
  [[nodiscard]] auto& socket() { return controller_.socket; }

  // HostPathIf
  void connect(HostPathClientIf& client) override { client_ = &client; }
  [[nodiscard]] std::uint32_t depth() const override { return depth_; }
  [[nodiscard]] std::uint32_t pairs() const override { return static_cast<std::uint32_t>(ends_.size()); }
  bool submit(const PathCommand& command) override;
  void ring() override;
  // HostInterruptIf
  void interrupt(unsigned vector, Picoseconds at) override;

 private:
  /// A queue pair, and the core that takes its completions.
  class End final : private tlm_if::AlarmQueue::Client {
   public:
    End(NvmePath& path, tlm_if::SimulationContext& context, std::uint32_t pair, HostMemory& memory)
        : queue(memory, path.controller_), path_(path), pair_(pair), next_(context.alarms(), *this) {}
    void interrupt(Picoseconds at);

    QueuePair queue;

   private:
    void alarm() override;
    void take_one(Picoseconds at);

    NvmePath& path_;
    const std::uint32_t pair_;
    bool found_ = false;  // an entry is being dealt with
    tlm_if::Alarm next_;
  };

  void controller_is_up(std::uint32_t max_nlb) override { client_->ready(max_nlb); }
  void set_data_pointer(const PathCommand& command, nvme::SubmissionEntry& entry);

  HostMemory& memory_;
  HostCores& cores_;
  const bool takes_all_;  // entries that are there, at an interrupt
  const std::uint32_t depth_;
  ControllerAccess controller_;
  std::vector<std::unique_ptr<End>> ends_;
  BringUp bring_up_;
  std::vector<std::uint64_t> prp_lists_;  // prp lists by pair and CID: page of the list, kept once it was needed
  HostPathClientIf* client_ = nullptr;
};

}  // namespace wordline::host
