// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>

#include "models/workload/source.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::host {

/// What a waveform shows of the driver: commands in flight, requests that wait in the host, and the request started
/// last.
class DriverWaves {
 public:
  /// A null recorder: no waves.
  DriverWaves(const tlm_if::SimulationContext& context, tlm_if::RecorderIf* recorder)
      : context_(context), recorder_(recorder) {
    if (recorder_ == nullptr) return;
    in_flight_ = recorder_->add_vector("ssd.host", "queue_depth", 16);
    waiting_ = recorder_->add_vector("ssd.host", "waiting_depth", 32);
    request_ = recorder_->add_text("ssd.host", "request");
  }

  void levels(unsigned in_flight, std::size_t waiting) const {
    if (!tlm_if::listens(recorder_)) return;
    recorder_->set(in_flight_, context_.now(), in_flight);
    recorder_->set(waiting_, context_.now(), waiting);
  }
  void request(const workload::Request& what, bool verify) const {
    if (!tlm_if::listens(recorder_) || !recorder_->active()) return;
    recorder_->set_text(
        request_, context_.now(),
        fmt::format("{}{} {}+{}", verify ? "verify " : "", workload::op_name(what.op), what.lba.value(), what.nlb));
  }

 private:
  const tlm_if::SimulationContext& context_;
  tlm_if::RecorderIf* recorder_;
  tlm_if::RecorderIf::Signal in_flight_{}, waiting_{}, request_{};
};

}  // namespace wordline::host
