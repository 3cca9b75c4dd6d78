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
  const Picoseconds from = std::min(request.submitted, request.completed - observe_.trigger_before);
  keep({{from, request.completed + observe_.trigger_after}, request.submitted, request.completed});
  if (!tlm_if::listens(recorder_)) return;
  recorder_->set_text(request_, context_.now(),
                      fmt::format("{} LBA {} +{} B: {:.3f} us", workload::op_name(request.op), request.lba,
                                  request.bytes, static_cast<double>(request.latency().count()) * 1e-6));
}

/// Completions come in order of time, so that the window ends last.
void WaveTrigger::keep(const Window& window) {
  if (joined(window)) return;
  if (windows_.size() == observe_.trigger_limit) {
    const auto quicker = [](const Window& a, const Window& b) { return a.latency() < b.latency(); };
    const auto quickest = std::min_element(windows_.begin(), windows_.end(), quicker);
    if (quickest->latency() >= window.latency()) return;
    windows_.erase(quickest);
  }
  windows_.push_back(window);
}

/// Requests behind one stall are slow together, and one window has them. It grows to twice its slowest request at most:
/// on a drive that is always busy the slow ones are a chain without an end.
bool WaveTrigger::joined(const Window& window) {
  for (std::size_t i = windows_.size(); i-- > 0;) {
    Window both = windows_[i];
    if (window.submitted > both.completed) continue;
    both.stretch = {std::min(both.stretch.from, window.stretch.from), window.stretch.to};
    if (window.latency() > both.latency()) {
      both.submitted = window.submitted;
      both.completed = window.completed;
    }
    if (window.completed - both.stretch.from > 2 * std::max(both.latency(), observe_.trigger_before)) continue;
    ++both.requests;
    windows_.erase(windows_.begin() + static_cast<std::ptrdiff_t>(i));
    windows_.push_back(both);
    return true;
  }
  return false;
}

void WaveTrigger::failed(Picoseconds now) {
  // The run has not lived to see the ends of windows.
  for (Window& window : windows_) window.stretch.to = std::min(window.stretch.to, now);
  windows_.push_back({{now - observe_.trigger_before, now}, now, now, 0});
}

std::vector<WaveTrigger::Window> WaveTrigger::windows() const {
  std::vector<Window> apart;
  for (Window window : windows_) {
    observe::WaveStretch& stretch = window.stretch;
    stretch.from = std::max(stretch.from, Picoseconds(0));
    if (!apart.empty()) {
      const Picoseconds before = apart.back().stretch.to;
      if (stretch.to <= before) continue;
      stretch.from = std::max(stretch.from, before + Picoseconds(1));
    }
    apart.push_back(window);
  }
  return apart;
}

std::string WaveTrigger::notice() const {
  if (fired_ == 0) {
    return fmt::format("observe.trigger = \"{}\": no request was slower{}", observe_.trigger,
                       windows_.empty() ? ", so there is no waveform" : "; the waveform shows the end of the run");
  }
  std::uint64_t kept = 0;
  for (const Window& window : windows_) kept += window.requests;
  const std::size_t count = windows().size();
  return fmt::format("observe.trigger = \"{}\": {} {} slower, {} of them in the {} of the waveform{}", observe_.trigger,
                     fired_, fired_ == 1 ? "request was" : "requests were", kept,
                     count == 1 ? "window" : fmt::format("{} windows", count),
                     kept == fired_ ? "" : ", around the slowest");
}

}  // namespace wordline::platform
