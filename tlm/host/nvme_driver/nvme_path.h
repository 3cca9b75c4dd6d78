// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "tlm/device/link/pcie_link.h"
#include "tlm/device/nvme/interrupts.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/host/nvme_driver/bring_up.h"
#include "tlm/host/nvme_driver/controller_access.h"
#include "tlm/host/nvme_driver/queue_pair.h"
#include "tlm/protocol/host_path_if.h"

namespace wordline::host {

/// The host's end of host.model = nvme: brings the controller up (BringUp), turns the driver's commands into entries of
/// one I/O queue pair, with PRPs and PRP lists, and takes completions at their interrupt. A command's identifier is its
/// CID.
///
/// The head doorbell of the completion queue is written in interrupt(), once per entry. Vector 0 is the admin queue's,
/// 1 the I/O queue's. Known gaps: one I/O queue pair; a PRP list is one page, so a command has 2 MiB at most.
class NvmePath final : public sc_core::sc_module, public HostPathIf, public HostInterruptIf, private BringUp::UserIf {
 public:
  NvmePath(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Host& config,
           std::uint64_t user_lbas, HostMemory& memory, PcieLink& link);

  /// To BAR0.
  [[nodiscard]] auto& socket() { return controller_.socket; }

  // HostPathIf
  void connect(HostPathClientIf& client) override { client_ = &client; }
  [[nodiscard]] std::uint32_t depth() const override { return static_cast<std::uint32_t>(prp_lists_.size()); }
  bool submit(const PathCommand& command) override;
  void ring() override { io_.ring(); }
  // HostInterruptIf
  void interrupt(unsigned vector, Picoseconds at) override;

 private:
  void controller_is_up(std::uint32_t max_nlb) override { client_->ready(max_nlb); }
  void set_data_pointer(const PathCommand& command, nvme::SubmissionEntry& entry);

  HostMemory& memory_;
  ControllerAccess controller_;
  QueuePair io_;
  BringUp bring_up_;
  std::vector<std::uint64_t> prp_lists_;  // prp lists by CID: page of the list, kept once it was needed
  HostPathClientIf* client_ = nullptr;
};

}  // namespace wordline::host
