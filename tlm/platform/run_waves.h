// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/results/request_statistics.h"
#include "tlm/observe/fst_recorder.h"
#include "tlm/observe/gtkw_view.h"
#include "tlm/observe/recorder_pair.h"
#include "tlm/observe/timeline.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/wave_trigger.h"

namespace wordline::platform {

/// Stretches as `--record` has them ("1ms..2ms"; both ends are part of one), in order of time. Throws
/// config::ConfigError.
[[nodiscard]] observe::WaveStretch parse_stretch(const std::string& text, const std::string& option);
[[nodiscard]] std::vector<observe::WaveStretch> parse_stretches(const std::vector<std::string>& texts);
/// The texts of stretches, the inverse of the function before.
[[nodiscard]] std::vector<std::string> stretch_texts(const std::vector<observe::WaveStretch>& stretches);

class RunWaves;
/// The waveform and timeline of a drive in a program of others, into `folder`. Throws config::ConfigError where a key
/// of [observe] asks for what it has no folder for, or for observe.trigger, which takes two runs.
[[nodiscard]] std::unique_ptr<RunWaves> waves_of_library(const tlm_if::SimulationContext& context,
                                                         const std::string& folder, const config::Config& config);

/// The waveform of a run and its view, and its timeline, if they were asked for.
///
/// With observe.trigger the run finds the windows and has no waveform (wanted()): the same run, with these windows as
/// its `stretches`, records them.
class RunWaves {
 public:
  /// `config` outlives it. `stretches`: alone they are recorded; empty: what the configuration says. Throws
  /// std::runtime_error when a file cannot be made.
  RunWaves(const tlm_if::SimulationContext& context, const std::string& folder, const config::Config& config,
           std::vector<observe::WaveStretch> stretches);

  /// Null: neither waves nor a timeline.
  [[nodiscard]] tlm_if::RecorderIf* recorder();
  /// Null: no timeline.
  [[nodiscard]] observe::CommandObserver* observer() { return timeline_.get(); }
  void observe(results::RequestStatistics& request_statistics);
  /// All signals are known: whatever ends the program, there is a view.
  void started();
  /// The simulation pauses, before it begins and every kPauseEvery. False: all stretches are recorded.
  [[nodiscard]] bool paused();
  /// The view opens where the workload begins: before that the firmware boots and the host brings the controller up.
  /// With observe.trigger it opens at the first slow request. Of a run that has not come to its end it shows the last
  /// that happened.
  void ended(Ending::Status status, Picoseconds run_start);
  /// After ended(): what the same run has to record.
  [[nodiscard]] std::vector<observe::WaveStretch> wanted() const;
  /// A sentence for the summary, or nothing.
  [[nodiscard]] std::string notice() const;

 private:
  void write(observe::WaveZoom zoom) const;
  void write_stretches(Ending::Status status) const;
  void write_waves(Ending::Status status, Picoseconds run_start);

  const tlm_if::SimulationContext& context_;
  Picoseconds from_;
  const std::vector<observe::WaveStretch> stretches_;
  std::unique_ptr<observe::FstRecorder> recorder_;
  std::unique_ptr<WaveTrigger> trigger_;
  std::unique_ptr<observe::Timeline> timeline_;
  std::unique_ptr<observe::RecorderPair> both_;
  bool interrupted_ = false;
};

}  // namespace wordline::platform
