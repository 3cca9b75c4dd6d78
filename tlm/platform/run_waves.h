// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/config/config.h"
#include "models/results/collector.h"
#include "tlm/observe/fst_recorder.h"
#include "tlm/observe/gtkw_view.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/wave_trigger.h"

namespace wordline::platform {

/// The waveform of a run and its view, if they were asked for.
class RunWaves {
 public:
  /// `observe` outlives it. Throws std::runtime_error when the file cannot be made.
  RunWaves(const std::string& folder, const config::Observe& observe);

  /// Null: no waves.
  [[nodiscard]] tlm_if::RecorderIf* recorder() { return recorder_.get(); }
  void observe(results::Collector& collector);
  /// All signals are known: whatever ends the program, there is a view.
  void started() const;
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

  Picoseconds from_;
  std::unique_ptr<observe::FstRecorder> recorder_;
  std::unique_ptr<WaveTrigger> trigger_;
};

}  // namespace wordline::platform
