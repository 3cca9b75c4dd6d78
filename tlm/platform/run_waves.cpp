// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/run_waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "models/checks/load.h"
#include "models/config/value.h"
#include "models/results/report.h"
#include "tlm/platform/child_run.h"
#include "tlm/platform/simulation.h"

namespace wordline::platform {
namespace {

using namespace wordline::literals;

/// The last look before a run failed: a few commands on their way.
constexpr Picoseconds kLastLook = 100_us;

/// A module gives values for the time ahead when an operation of a die begins: a window needs those of the longest, an
/// erase, or a program that has to be repeated in part.
Picoseconds longest_operation(const config::NandTiming& timing) {
  Picoseconds longest = std::max(timing.t_bers, timing.erase_loops * (timing.t_erase_pulse + timing.t_erase_verify));
  for (const Picoseconds program : timing.t_prog) longest = std::max(longest, program);
  return 2 * std::max(longest, 3_ms);
}

/// Where one begins before another is over, or just then, they are one.
std::vector<observe::WaveWindow> windows_of(const std::vector<observe::WaveStretch>& stretches, Picoseconds lead) {
  std::vector<observe::WaveWindow> windows;
  for (const observe::WaveStretch& stretch : stretches) {
    const Picoseconds end = stretch.to + 1_ps;
    if (!windows.empty() && stretch.from <= windows.back().to) {
      windows.back().to = std::max(windows.back().to, end);
    } else {
      windows.push_back({stretch.from, end, lead});
    }
  }
  return windows;
}

}  // namespace

observe::WaveStretch parse_stretch(const std::string& text, const std::string& option) {
  const auto dots = text.find("..");
  if (dots != std::string::npos) {
    const auto from = config::parse_quantity(config::Kind::kTime, text.substr(0, dots));
    const auto to = config::parse_quantity(config::Kind::kTime, text.substr(dots + 2));
    if (from && to && std::get<std::int64_t>(*from) >= 0 &&
        std::get<std::int64_t>(*from) <= std::get<std::int64_t>(*to)) {
      return {Picoseconds(std::get<std::int64_t>(*from)), Picoseconds(std::get<std::int64_t>(*to))};
    }
  }
  throw config::ConfigError(
      fmt::format("{} {}: error: expected FROM..TO, a window of simulated time: 1ms..1.5ms", option, text));
}

std::vector<observe::WaveStretch> parse_stretches(const std::vector<std::string>& texts) {
  std::vector<observe::WaveStretch> stretches;
  for (const std::string& text : texts) stretches.push_back(parse_stretch(text, "--record"));
  std::stable_sort(stretches.begin(), stretches.end(),
                   [](const auto& one, const auto& other) { return one.from < other.from; });
  return stretches;
}

std::vector<std::string> stretch_texts(const std::vector<observe::WaveStretch>& stretches) {
  std::vector<std::string> texts;
  for (const auto& stretch : stretches) {
    texts.push_back(fmt::format("{}ps..{}ps", stretch.from.count(), stretch.to.count()));
  }
  return texts;
}

RunWaves::RunWaves(const tlm_if::SimulationContext& context, const std::string& folder, const config::Config& config,
                   std::vector<observe::WaveStretch> stretches)
    : context_(context), from_(config.observe.waves_from), stretches_(std::move(stretches)) {
  const config::Observe& observe = config.observe;
  const observe::WaveWindow window{observe.waves_from, observe.waves_to};
  if (observe.timeline) {
    timeline_ = std::make_unique<observe::Timeline>(context, folder + "/timeline.json", observe.timeline_limit.count(),
                                                    window, config.channels.count);
  }
  if (!observe.waves) return;
  const std::string path = folder + "/waves.fst";
  if (!stretches_.empty()) {
    recorder_ = std::make_unique<observe::FstRecorder>(context, path,
                                                       windows_of(stretches_, longest_operation(config.nand.timing)));
  } else if (observe.trigger.empty()) {
    recorder_ = std::make_unique<observe::FstRecorder>(context, path, window);
    if (timeline_) both_ = std::make_unique<observe::RecorderPair>(*recorder_, timeline_->recorder());
    if (timeline_) timeline_->take_names_from(*both_);
  }
  if (!observe.trigger.empty()) trigger_ = std::make_unique<WaveTrigger>(context, observe, recorder_.get());
}

tlm_if::RecorderIf* RunWaves::recorder() {
  if (both_) return both_.get();
  return timeline_ ? &timeline_->recorder() : recorder_.get();
}

void RunWaves::observe(results::RequestStatistics& request_statistics) {
  if (trigger_) request_statistics.observe(*trigger_);
}

void RunWaves::started() {
  if (stretches_.empty()) write({from_, {}});
}

bool RunWaves::paused() {
  if (stretches_.empty()) return true;
  recorder_->listen_near(kPauseEvery);
  return context_.now() <= stretches_.back().to;
}

void RunWaves::ended(Ending::Status status, Picoseconds run_start) {
  interrupted_ = status == Ending::Status::kInterrupted;
  if (timeline_) timeline_->close();
  if (trigger_ && status == Ending::Status::kFailed) trigger_->failed(context_.now());
  if (recorder_) write_waves(status, run_start);
}

std::vector<observe::WaveStretch> RunWaves::wanted() const {
  std::vector<observe::WaveStretch> stretches;
  if (trigger_ == nullptr || recorder_ != nullptr) return stretches;
  for (const WaveTrigger::Window& window : trigger_->windows()) stretches.push_back(window.stretch);
  return stretches;
}

void RunWaves::write_waves(Ending::Status status, Picoseconds run_start) {
  if (!stretches_.empty()) {
    recorder_->close();
    write_stretches(status);
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

void RunWaves::write_stretches(Ending::Status status) const {
  observe::WaveZoom zoom{stretches_.front().from, stretches_.front().to - stretches_.front().from};
  std::vector<Picoseconds> marks;
  if (const auto windows = trigger_ ? trigger_->windows() : std::vector<WaveTrigger::Window>(); !windows.empty()) {
    const auto quicker = [](const auto& a, const auto& b) { return a.latency() < b.latency(); };
    const WaveTrigger::Window& slowest = *std::max_element(windows.begin(), windows.end(), quicker);
    const Picoseconds margin = std::max(slowest.latency() / 10, kLastLook / 10);
    const Picoseconds from = std::max(slowest.stretch.from, slowest.submitted - margin);
    zoom = {from, slowest.completed + margin - from, slowest.completed};
    for (const WaveTrigger::Window& window : windows) {
      if (marks.size() < observe::kNamedMarkers) marks.push_back(window.completed);
    }
  }
  if (status != Ending::Status::kCompleted) {
    const Picoseconds end = std::min(stretches_.back().to, context_.now());
    zoom = {std::max(stretches_.back().from, end - kLastLook), kLastLook, end};
  }
  const std::string path = observe::write_gtkw(*recorder_, observe::default_groups(recorder_->signals()), zoom);
  const std::string text = observe::gtkw_focus(read_file(path), zoom, marks, {});
  results::write_file(path, text + observe::stretch_comments(stretches_));
}

std::string RunWaves::notice() const {
  if (timeline_) return timeline_->notice();  // not with a trigger
  if (!trigger_) return {};
  const std::vector<observe::WaveStretch> windows = wanted();
  if (!interrupted_ || windows.empty()) return trigger_->notice();
  return fmt::format(
      "observe.trigger = \"{}\": its windows were not recorded; the same command does it with --record {}",
      trigger_->text(), fmt::join(stretch_texts(windows), " --record "));
}

void RunWaves::write(observe::WaveZoom zoom) const {
  if (recorder_ == nullptr) return;
  observe::write_gtkw(*recorder_, observe::default_groups(recorder_->signals()), zoom);
}

std::unique_ptr<RunWaves> waves_of_library(const tlm_if::SimulationContext& context, const std::string& folder,
                                           const config::Config& config) {
  const config::Observe& observe = config.observe;
  if (!observe.trigger.empty()) {
    throw config::ConfigError(
        "observe.trigger: error: finds its windows in a run before the one that records them, and a program of yours "
        "has "
        "one; set observe.waves, with waves_from and waves_to, or take `wordline run`");
  }
  if ((observe.waves || observe.timeline) && folder.empty()) {
    throw config::ConfigError(fmt::format("observe.{} = true: error: needs a folder; name it in DriveOptions::out",
                                          observe.waves ? "waves" : "timeline"));
  }
  return std::make_unique<RunWaves>(context, folder, config, std::vector<observe::WaveStretch>{});
}

}  // namespace wordline::platform
