// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/results/request_statistics.h"
#include "models/results/resources.h"
#include "models/results/steady/steady_meter.h"
#include "tlm/platform/ssd_top.h"

namespace wordline::platform {

/// The measurement of a run: begins with the workload, or after the ramp time, and ends with the workload, so that
/// neither boot nor verification are in it; with run.until it begins with the end of the drive's warm-up and ends when
/// the numbers are as sure as asked. Reads the busy times of all resources at its borders and between.
class Measurement final : public sc_core::sc_module {
 public:
  /// All outlive the measurement.
  Measurement(const sc_core::sc_module_name& name, const SsdTop& ssd, results::RequestStatistics& request_statistics,
              Picoseconds ramp, results::SteadyMeter meter);

  /// When the simulation should pause next so that window_ends() can be called; never: INT64_MAX.
  [[nodiscard]] Picoseconds next_border() const;
  /// The simulation has paused.
  void paused();
  /// Ends the measurement of a run that ended early.
  void stop();

  [[nodiscard]] const results::Resources& resources() const { return resources_; }
  /// Share of what the firmware programmed in the measurement that GC copied.
  [[nodiscard]] double collected() const;

 private:
  void begin();
  void end();
  void meter_says();

  const SsdTop& ssd_;
  results::RequestStatistics& request_statistics_;
  results::SteadyMeter meter_;
  const Picoseconds ramp_;
  bool ramping_ = false;
  results::Resources resources_;
  struct wl_firmware_statistics at_begin_ {
  }, at_end_{};
};

}  // namespace wordline::platform
