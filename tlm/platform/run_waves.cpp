// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/run_waves.h"

#include <algorithm>
#include <vector>

#include "models/results/report.h"
#include "tlm/platform/child_run.h"

namespace wordline::platform {
namespace {

using namespace wordline::literals;

/// The last look before a run failed: a few commands on their way.
constexpr Picoseconds kLastLook = 100_us;

}  // namespace

RunWaves::RunWaves(const std::string& folder, const config::Observe& observe) : from_(observe.waves_from) {
  if (!observe.waves) return;
  const std::string path = folder + "/waves.fst";
  if (observe.trigger.empty()) {
    recorder_ = std::make_unique<observe::FstRecorder>(path, observe::WaveWindow{observe.waves_from, observe.waves_to});
    return;
  }
  recorder_ = std::make_unique<observe::FstRecorder>(path, observe::FstRecorder::Later{});
  trigger_ = std::make_unique<WaveTrigger>(observe, *recorder_);
}

void RunWaves::observe(results::Collector& collector) {
  if (trigger_) collector.observe(*trigger_);
}

void RunWaves::started() const {
  if (!trigger_) write({from_, {}});
}

void RunWaves::paused(std::uint64_t completed) {
  if (trigger_) trigger_->paused(completed);
}

void RunWaves::simulated(Ending::Status status) {
  if (trigger_) trigger_->ended(status != Ending::Status::kCompleted);
}

void RunWaves::ended(Ending::Status status, Picoseconds run_start) {
  if (recorder_ == nullptr) return;
  if (trigger_) {
    if (trigger_->windows().empty()) return;
    write_windows(status);
    return;
  }
  if (status == Ending::Status::kCompleted) {
    recorder_->close();
    write({std::max(run_start, from_), {}});
    return;
  }
  // GTKWave begins at time 0 when a view would go beyond the file, so that has some time left behind the end.
  recorder_->close(3 * kLastLook);
  const Picoseconds end = recorder_->last_time();
  write({std::max(recorder_->first_time(), end - kLastLook * 4 / 5), kLastLook, end});
}

void RunWaves::write_windows(Ending::Status status) const {
  const std::vector<WaveTrigger::Window>& windows = trigger_->windows();
  const WaveTrigger::Window& first = windows.front();
  const Picoseconds margin = std::max((first.completed - first.submitted) / 10, kLastLook / 10);
  const Picoseconds from = std::max(first.from, first.submitted - margin);
  observe::WaveZoom zoom{from, first.completed + margin - from, first.completed};
  if (status != Ending::Status::kCompleted) {
    const Picoseconds end = windows.back().to;
    zoom = {std::max(windows.back().from, end - kLastLook), kLastLook, end};
  }
  std::vector<Picoseconds> marks;
  for (const WaveTrigger::Window& window : windows) {
    if (marks.size() < observe::kNamedMarkers) marks.push_back(window.completed);
  }
  const std::string path = observe::write_gtkw(*recorder_, observe::default_groups(recorder_->signals()), zoom);
  std::string text = observe::gtkw_focus(read_file(path), zoom, marks, {});
  std::vector<observe::WaveStretch> stretches;
  for (const WaveTrigger::Window& window : windows) stretches.push_back({window.from, window.to});
  text += observe::stretch_comments(stretches);
  results::write_file(path, text);
}

std::string RunWaves::notice() const { return trigger_ ? trigger_->notice() : std::string(); }

void RunWaves::write(observe::WaveZoom zoom) const {
  if (recorder_ == nullptr) return;
  observe::write_gtkw(*recorder_, observe::default_groups(recorder_->signals()), zoom);
}

}  // namespace wordline::platform
