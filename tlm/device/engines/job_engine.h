// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "tlm/device/engines/engine.h"
#include "tlm/protocol/arrivals.h"
#include "tlm/protocol/engine_if.h"
#include "tlm/protocol/ring.h"

namespace wordline::engines {

/// engines.job: makes a flash job from a PPA and gives it to its channel, for the firmware's ring
/// (ENGINES.JOB_DOORBELL) and for reads that hardware serves. It orders nothing: what is posted first goes first, and
/// the channel arbitrates.
class JobEngine final : public Engine {
 public:
  JobEngine(const config::Config& config, BlockContext& block, sc_core::sc_port<tlm_if::FlashJobIf>& flash);

  bool enable(std::uint32_t set) override;
  void go_on(Picoseconds now) override;
  [[nodiscard]] Picoseconds next(Picoseconds /*now*/) const override {
    return doorbells_.empty() ? kNever : doorbells_.next();
  }

  /// `job` has its address; its input is there at `ready`.
  void submit(const wl_flash_job& job, Picoseconds ready) { flash_->submit(pipeline_.run(block_.now(), ready), job); }

 private:
  void take(Picoseconds at, std::uint32_t produced);

  sc_core::sc_port<tlm_if::FlashJobIf>& flash_;
  tlm_if::Arrivals<std::uint32_t> doorbells_;
  tlm_if::RingConsumer<wl_ppa_job> ring_;
};

}  // namespace wordline::engines
