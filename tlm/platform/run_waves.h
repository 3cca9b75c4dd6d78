// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "models/config/config.h"
#include "models/results/collector.h"
#include "tlm/observe/fst_recorder.h"
#include "tlm/observe/gtkw_view.h"
#include "tlm/observe/recorder_pair.h"
#include "tlm/observe/timeline.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/wave_trigger.h"

namespace wordline::platform {

/// The waveform of a run and its view, and its timeline, if they were asked for.
class RunWaves {
 public:
  /// `config` outlives it. Throws std::runtime_error when a file cannot be made.
  RunWaves(const std::string& folder, const config::Config& config);

  /// Null: neither waves nor a timeline.
  [[nodiscard]] tlm_if::RecorderIf* recorder();
  /// Null: no timeline.
  [[nodiscard]] observe::CommandObserver* observer() { return timeline_.get(); }
  /// Null: no trigger.
  [[nodiscard]] wl_journal* journal() { return trigger_ ? trigger_->journal() : nullptr; }
  void observe(results::Collector& collector);
  /// All signals are known: whatever ends the program, there is a view. `leave_out`: see WaveTrigger::in_copies().
  void started(std::function<void()> leave_out);
  /// The simulation pauses. See WaveTrigger for this call and the next one: they may end a copy of the process.
  void paused(std::uint64_t completed);
  void simulated(Ending::Status status);
  /// The view opens where the workload begins: before that the firmware boots and the host brings the controller up.
  /// With observe.trigger it opens at the first slow request. Of a run that has not come to its end it shows the last
  /// that happened.
  void ended(Ending::Status status, Picoseconds run_start);
  /// A sentence for the summary, or nothing.
  [[nodiscard]] std::string notice() const;

 private:
  void write(observe::WaveZoom zoom) const;
  void write_windows(Ending::Status status) const;
  void write_waves(Ending::Status status, Picoseconds run_start);

  Picoseconds from_;
  std::unique_ptr<observe::FstRecorder> recorder_;
  std::unique_ptr<WaveTrigger> trigger_;
  std::unique_ptr<observe::Timeline> timeline_;
  std::unique_ptr<observe::RecorderPair> both_;
};

}  // namespace wordline::platform
