// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/units/quantity.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/host/nvme_driver/controller_access.h"
#include "tlm/host/nvme_driver/host_namespaces.h"
#include "tlm/host/nvme_driver/host_queues.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::host {

/// Brings the controller up as an operating system does: admin queue, CC.EN, CSTS.RDY, Identify, number of queues,
/// arbitration and coalescing where they are not as at power on, the I/O queues (Base 3.5.1), in the controller memory
/// buffer where host.submission_queues says so (Base 8.5). After that the admin
/// queue is not used any more.
///
/// Known gaps: while the controller starts up its status is read every 10 us, as it stands when the value arrives; no
/// Abort, no reset. What does not fit this host is an SC_ERROR, and the bring-up ends.
class BringUp final : public sc_core::sc_module, private tlm_if::AlarmQueue::Client {
 public:
  class UserIf {
   public:
    /// The I/O queues exist at both ends; a command has `max_nlb` LBAs at most.
    virtual void controller_is_up(std::uint32_t max_nlb) = 0;

   protected:
    ~UserIf() = default;
  };

  /// `namespaces`: those that are expected.
  BringUp(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Host& config,
          const HostNamespaces& namespaces, HostMemory& memory, ControllerAccess& controller, UserIf& user);

  /// An I/O completion queue, which is created here, with vector and identifier by its place among them. Before the
  /// simulation starts.
  void add(HostCompletionQueue& io) { io_cqs_.push_back(&io); }
  /// An I/O submission queue: as that. It completes in the queue of its place, modulo the number of these.
  void add(HostSubmissionQueue& io) { io_sqs_.push_back(&io); }

  /// Interrupt of the admin queue.
  void admin_interrupt();

 private:
  enum class Step : std::uint8_t {
    kReset,
    kConfigure,
    kControllerMemory,
    kPoll,
    kIdentifyController,
    kIdentifyNamespace,
    kNumberOfQueues,
    kArbitration,
    kCoalescing,
    kHostMemory,
    kCreateCq,
    kCreateSq,
    kUp,
    kFailed,
  };

  void start_of_simulation() override { next_step_.set(next_step_.now()); }
  void alarm() override;
  void configure();
  void find_controller_memory();
  void enable();
  void poll();
  void send(Step step);
  [[nodiscard]] bool needed(Step step) const;
  [[nodiscard]] Step behind(Step step);
  void create_sq(std::uint16_t id);
  void lend_memory(nvme::SubmissionEntry& entry);
  [[nodiscard]] nvme::SubmissionEntry entry_of(Step step);
  void take_identify_controller();
  void take_identify_namespace();
  void fail(const std::string& message);

  const config::Host config_;
  const HostNamespaces& namespaces_;
  HostMemory& memory_;
  ControllerAccess& controller_;
  HostSubmissionQueue admin_sq_;
  HostCompletionQueue admin_cq_;
  std::vector<HostCompletionQueue*> io_cqs_;
  std::vector<HostSubmissionQueue*> io_sqs_;
  std::size_t place_ = 0;  // of the queue that is created, or the namespace that is identified
  UserIf& user_;
  Step step_ = Step::kReset;
  Picoseconds ready_deadline_{};
  std::uint64_t identify_page_ = 0;
  std::uint32_t max_nlb_ = 0;
  std::uint32_t lent_pages_ = 0;  // of host memory, that the controller gets
  // Of the controller memory buffer in BAR0, and of what is left of it.
  std::uint32_t memory_begin_ = 0, memory_next_ = 0, memory_end_ = 0;
  tlm_if::Alarm next_step_;
};

}  // namespace wordline::host
