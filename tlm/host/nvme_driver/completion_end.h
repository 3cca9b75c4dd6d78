// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/config/config.h"
#include "models/units/quantity.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/host/driver/host_cores.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/host/nvme_driver/host_queues.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::host {

/// A completion queue, and the core of the host that takes its entries: completion queue q is served by core q.
///
/// An interrupt stands for one entry, and the head doorbell is written for each: what the controller sends without
/// coalescing, to cores whose time counts nothing. Otherwise the core is busy with the interrupt, then takes all
/// entries that are there, one after the other, and writes one head doorbell, or one for each quarter of the queue, as
/// SPDK does; an interrupt that comes meanwhile has nothing to add. With host.completion = polling there is no
/// interrupt: the core looks at the queue every host.polling_period, and takes all entries that are there in the same
/// way; a look for which it is busy takes place when it has done what there is.
///
/// Accuracy: looks that find nothing are not simulated; the memory says when an entry arrives, and the first look
/// behind that instant finds it. A look delays no submission. Known gap: entries for requests of other cores are taken
/// by this one, without a message between cores.
class CompletionEnd final : private HostMemory::WatcherIf, private tlm_if::AlarmQueue::Client {
 public:
  class UserIf {
   public:
    /// The host has an entry at `at`, the present.
    virtual void completed(const nvme::CompletionEntry& entry, Picoseconds at) = 0;

   protected:
    ~UserIf() = default;
  };

  CompletionEnd(tlm_if::SimulationContext& context, const config::Host& config, std::uint32_t core, HostCores& cores,
                HostMemory& memory, ControllerAccess& controller, UserIf& user);

  /// Controller and host have created the queue: polling begins.
  void begin();
  void interrupt(Picoseconds at);
  [[nodiscard]] std::uint64_t interrupts() const { return interrupts_; }

  HostCompletionQueue queue;

 private:
  void written() override;
  void alarm() override;
  void take_one(Picoseconds at);

  const bool polls_;
  const bool takes_all_;  // entries that are there, at an interrupt
  const std::uint32_t core_;
  HostCores& cores_;
  UserIf& user_;
  std::uint64_t interrupts_ = 0;
  bool found_ = false;  // an entry is being dealt with
  tlm_if::Alarm next_;
};

}  // namespace wordline::host
