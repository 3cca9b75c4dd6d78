// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <utility>
#include <vector>

#include "models/config/config.h"
#include "tlm/device/link/pcie_link.h"
#include "tlm/device/nvme/interrupts.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/host/driver/host_cores.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/host/nvme_driver/bring_up.h"
#include "tlm/host/nvme_driver/completion_end.h"
#include "tlm/host/nvme_driver/controller_access.h"
#include "tlm/host/nvme_driver/host_namespaces.h"
#include "tlm/host/nvme_driver/host_queues.h"
#include "tlm/host/nvme_driver/shut_down.h"
#include "tlm/protocol/host_path_if.h"

namespace wordline::host {

/// The host's end of host.model = nvme: brings the controller up (BringUp), turns the driver's commands into entries of
/// I/O submission queues, with PRPs and PRP lists, or SGLs, and passes on the completions that its CompletionEnds find.
/// A command's identifier is its CID. Pair p is submission queue p + 1; with host.completion_queues several pairs
/// complete in one queue.
///
/// Vector 0 is the admin queue's, 1 that of the first I/O completion queue, and so on.
/// Known gap: a PRP list is one page, so a command has 2 MiB at most, an SGL has one segment.
class NvmePath final : public sc_core::sc_module,
                       public HostPathIf,
                       public HostInterruptIf,
                       private BringUp::UserIf,
                       private ShutDown::UserIf,
                       private CompletionEnd::UserIf {
 public:
  NvmePath(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Config& config,
           std::uint64_t user_lbas, HostMemory& memory, HostCores& cores, PcieLink& link);

  /// To BAR0.
  [[nodiscard]] auto& socket() { return controller_.socket; }
  /// How many commands the drive has fetched from submission queue `qid`; without it, 0.
  void count_fetched_by(std::function<std::uint64_t(std::uint32_t qid)> fetched) { fetched_ = std::move(fetched); }

  // HostPathIf
  void connect(HostPathClientIf& client) override { client_ = &client; }
  [[nodiscard]] std::uint32_t depth() const override { return depth_; }
  [[nodiscard]] std::uint32_t pairs() const override { return static_cast<std::uint32_t>(submission_.size()); }
  [[nodiscard]] PairCounts counts(std::uint32_t pair) const override;
  [[nodiscard]] std::uint64_t room_from(std::uint64_t lba) const override { return namespaces_.name_of(lba).room; }
  [[nodiscard]] std::uint32_t grain() const override { return 1U << namespaces_.shift(); }
  bool submit(const PathCommand& command) override;
  void ring() override;
  bool shut_down() override {
    shut_down_.begin();
    return true;
  }
  // HostInterruptIf
  void interrupt(unsigned vector, Picoseconds at) override;

 private:
  void controller_is_up(std::uint32_t max_nlb) override;
  void controller_is_down() override { client_->shut_down(); }
  void completed(const nvme::CompletionEntry& entry, Picoseconds at) override;
  void set_data_pointer(const PathCommand& command, nvme::SubmissionEntry& entry);
  void set_prps(const PathCommand& command, nvme::SubmissionEntry& entry);
  void set_sgl(const PathCommand& command, nvme::SubmissionEntry& entry);
  void set_metadata(const PathCommand& command, std::uint64_t lba, nvme::SubmissionEntry& entry);
  [[nodiscard]] std::uint64_t list_of(const PathCommand& command);
  void name_range(const PathCommand& command, std::uint64_t first);

  HostMemory& memory_;
  const HostNamespaces namespaces_;
  const bool polls_;
  const std::uint32_t depth_;
  ControllerAccess controller_;
  std::vector<HostSubmissionQueue> submission_;       // by pair
  std::vector<std::unique_ptr<CompletionEnd>> ends_;  // by completion queue
  BringUp bring_up_;
  ShutDown shut_down_;
  const bool sgl_;                    // host.data_pointers
  const bool contiguous_;             // host.buffers
  std::vector<std::uint64_t> lists_;  // of PRPs or SGL descriptors, by pair and CID: its memory, kept once needed
  std::vector<nvme::SglDescriptor> segment_;
  std::function<std::uint64_t(std::uint32_t qid)> fetched_;
  HostPathClientIf* client_ = nullptr;
};

}  // namespace wordline::host
