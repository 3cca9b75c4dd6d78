// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/run_waves.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/results/report.h"
#include "tlm/platform/child_run.h"

namespace wordline::platform {
namespace {

using namespace wordline::literals;

/// The last look before a run failed: a few commands on their way.
constexpr Picoseconds kLastLook = 100_us;

}  // namespace

RunWaves::RunWaves(const std::string& folder, const config::Config& config) : from_(config.observe.waves_from) {
  const config::Observe& observe = config.observe;
  const observe::WaveWindow window{observe.waves_from, observe.waves_to};
  if (observe.timeline) {
    timeline_ = std::make_unique<observe::Timeline>(folder + "/timeline.json", observe.timeline_limit.count(), window,
                                                    config.channels.count);
  }
  if (!observe.waves) return;
  const std::string path = folder + "/waves.fst";
  if (observe.trigger.empty()) {
    recorder_ = std::make_unique<observe::FstRecorder>(path, window);
    if (timeline_) both_ = std::make_unique<observe::RecorderPair>(*recorder_, timeline_->recorder());
    if (timeline_) timeline_->take_names_from(*both_);
    return;
  }
  recorder_ = std::make_unique<observe::FstRecorder>(path, observe::FstRecorder::Later{});
  trigger_ = std::make_unique<WaveTrigger>(config, *recorder_);
}

tlm_if::RecorderIf* RunWaves::recorder() {
  if (both_) return both_.get();
  return timeline_ ? &timeline_->recorder() : recorder_.get();
}

void RunWaves::observe(results::Collector& collector) {
  if (trigger_) collector.observe(*trigger_);
}

void RunWaves::started(std::function<void()> leave_out) {
  if (trigger_) {
    trigger_->in_copies(std::move(leave_out));
  } else {
    write({from_, {}});
  }
}

void RunWaves::paused(std::uint64_t completed) {
  if (trigger_) trigger_->paused(completed);
}

void RunWaves::simulated(Ending::Status status) {
  if (trigger_) trigger_->ended(status != Ending::Status::kCompleted);
}

void RunWaves::ended(Ending::Status status, Picoseconds run_start) {
  if (timeline_) timeline_->close();
  write_waves(status, run_start);
}

void RunWaves::write_waves(Ending::Status status, Picoseconds run_start) {
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

std::string RunWaves::notice() const {
  if (timeline_) return timeline_->notice();  // not with a trigger
  return trigger_ ? trigger_->notice() : std::string();
}

void RunWaves::write(observe::WaveZoom zoom) const {
  if (recorder_ == nullptr) return;
  observe::write_gtkw(*recorder_, observe::default_groups(recorder_->signals()), zoom);
}

}  // namespace wordline::platform
