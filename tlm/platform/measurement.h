// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/request_statistics.h"
#include "models/results/steady/steady_meter.h"
#include "tlm/device/drive.h"
#include "tlm/host/testbed.h"
#include "tlm/platform/drive_measurement.h"

namespace wordline::platform {

/// The measurement of a run: begins with the workload, or after the ramp time, and ends with the workload, so that
/// neither boot nor verification are in it; with run.until it begins with the end of the drive's warm-up and ends when
/// the numbers are as sure as asked.
class Measurement final : private host::HostDriver::Listener, private tlm_if::AlarmQueue::Client {
 public:
  /// All outlive the measurement.
  Measurement(tlm_if::SimulationContext& context, const device::Drive& drive, host::Testbed& host,
              results::RequestStatistics& request_statistics, Picoseconds ramp, results::SteadyMeter meter);
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

  /// When the simulation should pause next so that paused() can be called; never: INT64_MAX.
  [[nodiscard]] Picoseconds next_border() const { return of_drive_.next_border(); }
  /// The simulation has paused.
  void paused() { of_drive_.paused(); }
  /// Ends the measurement of a run that ended early.
  void stop() { workload_ends(); }

  [[nodiscard]] const DriveMeasurement& of_drive() const { return of_drive_; }
  [[nodiscard]] const results::Resources& resources() const { return of_drive_.resources(); }

 private:
  void reached(host::RunBorder border) override;
  void workload_begins();
  void workload_ends();
  void alarm() override { begin(); }  // the ramp time is over
  void begin();
  void meter_says();

  const device::Drive& drive_;
  host::Testbed& host_;
  results::RequestStatistics& request_statistics_;
  results::SteadyMeter meter_;
  const Picoseconds ramp_;
  tlm_if::Alarm ramp_end_;
  DriveMeasurement of_drive_;
};

}  // namespace wordline::platform
