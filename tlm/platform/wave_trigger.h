// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/config/latency_trigger.h"
#include "models/results/request_observer.h"
#include "tlm/observe/fst_recorder.h"
#include "tlm/observe/gtkw_view.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::platform {

/// Finds the windows around slow requests that observe.trigger asks for, and names the requests in a waveform.
///
/// Which window is wanted is known when the run is over: the slowest have them, each from its submission on. A run is
/// deterministic: one that records nothing finds the windows, and the same once more records them (RunWaves). Requests
/// that were slow at the same time share a window. Windows do not overlap: what one has, the next leaves out.
class WaveTrigger final : public results::RequestObserver {
 public:
  struct Window {
    observe::WaveStretch stretch;
    Picoseconds submitted, completed;  // times of its slowest request; of a run's end both the end
    std::uint64_t requests = 1;        // slow ones in it
    [[nodiscard]] Picoseconds latency() const { return completed - submitted; }
  };

  /// `recorder`: has the requests as the text ssd.host.slow_request; no module of the drive has been made yet. Null:
  /// none.
  WaveTrigger(const tlm_if::SimulationContext& context, const config::Observe& observe, tlm_if::RecorderIf* recorder);

  void finished(const results::FinishedRequest& request) override;
  /// The run has failed now: what was last before that is wanted, too.
  void failed(Picoseconds now);

  /// In order of time.
  [[nodiscard]] std::vector<Window> windows() const;
  /// The condition.
  [[nodiscard]] const std::string& text() const { return observe_.trigger; }
  /// What became of the slow requests, in a sentence.
  [[nodiscard]] std::string notice() const;

 private:
  void keep(const Window& window);
  bool joined(const Window& window);

  const tlm_if::SimulationContext& context_;
  const config::Observe& observe_;
  const config::LatencyTrigger trigger_;
  tlm_if::RecorderIf* recorder_;
  tlm_if::RecorderIf::Signal request_ = 0;
  std::vector<Window> windows_;  // by their ends; they may overlap
  std::uint64_t fired_ = 0;
};

}  // namespace wordline::platform
