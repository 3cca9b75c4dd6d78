// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/wave_trigger.h"

#include <fmt/core.h>

#include <algorithm>

#include "tlm/protocol/interfaces.h"

namespace wordline::platform {

WaveTrigger::WaveTrigger(const tlm_if::SimulationContext& context, const config::Observe& observe,
                         tlm_if::RecorderIf* recorder)
    : context_(context),
      observe_(observe),
      trigger_(config::parse_latency_trigger(observe.trigger).value()),
      recorder_(recorder) {
  if (recorder_ != nullptr) request_ = recorder_->add_text("ssd.host", "slow_request");
}

void WaveTrigger::finished(const results::FinishedRequest& request) {
  if (request.latency() <= trigger_.above) return;
  if (!trigger_.op.empty() && trigger_.op != workload::op_name(request.op)) return;
  ++fired_;
  const Picoseconds from = request.completed - observe_.trigger_before, to = request.completed + observe_.trigger_after;
  if (windows_.size() < observe_.trigger_limit || request.completed <= windows_.back().stretch.to) {
    ++kept_;
    add({{from, to}, request.submitted, request.completed});
  }
  if (!tlm_if::listens(recorder_)) return;
  recorder_->set_text(request_, context_.now(),
                      fmt::format("{} LBA {} +{} B: {:.3f} us", workload::op_name(request.op), request.lba,
                                  request.bytes, static_cast<double>(request.latency().count()) * 1e-6));
}

void WaveTrigger::failed(Picoseconds now) {
  // The run has not lived to see the ends of windows.
  for (Window& window : windows_) window.stretch.to = std::min(window.stretch.to, now);
  add({{now - observe_.trigger_before, now}, now, now});
}

bool WaveTrigger::add(Window window) {
  observe::WaveStretch& stretch = window.stretch;
  stretch.from = std::max(stretch.from, Picoseconds(0));
  if (!windows_.empty()) {
    const Picoseconds before = windows_.back().stretch.to;
    if (stretch.to <= before) return false;
    stretch.from = std::max(stretch.from, before + Picoseconds(1));
  }
  windows_.push_back(window);
  return true;
}

std::string WaveTrigger::notice() const {
  if (fired_ == 0) {
    return fmt::format("observe.trigger = \"{}\": no request was slower{}", observe_.trigger,
                       windows_.empty() ? ", so there is no waveform" : "; the waveform shows the end of the run");
  }
  return fmt::format("observe.trigger = \"{}\": {} {} slower, {} of them in the {} of the waveform", observe_.trigger,
                     fired_, fired_ == 1 ? "request was" : "requests were", kept_,
                     windows_.size() == 1 ? "window" : fmt::format("{} windows", windows_.size()));
}

}  // namespace wordline::platform
