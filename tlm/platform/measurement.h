// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/request_statistics.h"
#include "models/results/resources.h"
#include "models/results/steady/steady_meter.h"
#include "tlm/device/drive.h"
#include "tlm/host/testbed.h"

namespace wordline::platform {

/// The measurement of a run: begins with the workload, or after the ramp time, and ends with the workload, so that
/// neither boot nor verification are in it; with run.until it begins with the end of the drive's warm-up and ends when
/// the numbers are as sure as asked. Reads the busy times of all resources at its borders and between.
class Measurement final : private host::HostDriver::Listener, private tlm_if::AlarmQueue::Client {
 public:
  /// All outlive the measurement.
  Measurement(tlm_if::SimulationContext& context, const device::Drive& drive, host::HostDriver& driver,
              results::RequestStatistics& request_statistics, Picoseconds ramp, results::SteadyMeter meter);
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

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
  void workload_begins() override;
  void workload_ends() override { end(); }
  void alarm() override { begin(); }  // the ramp time is over
  void begin();
  void end();
  void meter_says();

  const device::Drive& drive_;
  const host::HostDriver& driver_;
  results::RequestStatistics& request_statistics_;
  results::SteadyMeter meter_;
  const Picoseconds ramp_;
  tlm_if::Alarm ramp_end_;
  results::Resources resources_;
  struct wl_firmware_statistics at_begin_ {
  }, at_end_{};
};

}  // namespace wordline::platform
