// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/resources.h"
#include "tlm/device/drive.h"
#include "tlm/platform/over_time.h"

namespace wordline::platform {

/// A measurement of what a drive can say by itself, whoever drives it: the busy times of its resources and the counts
/// of its firmware, at the borders and between.
class DriveMeasurement {
 public:
  /// The drive outlives it.
  explicit DriveMeasurement(const device::Drive& drive) : drive_(drive), over_time_(drive, resources_) {
    drive.register_resources(resources_);
  }

  /// Begins at the present; again, when it has begun.
  void begin() {
    at_begin_ = at_end_ = drive_.firmware_statistics();
    resources_.begin(drive_.now());
  }
  /// Ends at `at`, which is not after the present. Nothing, when it has not begun.
  void end(Picoseconds at) {
    if (!resources_.measuring()) return;
    at_end_ = drive_.firmware_statistics();
    resources_.end(at);
  }
  [[nodiscard]] bool measuring() const { return resources_.measuring(); }

  /// When the simulation should pause next so that paused() can be called; never: INT64_MAX.
  [[nodiscard]] Picoseconds next_border() const {
    return measuring() ? resources_.next_border() : Picoseconds(INT64_MAX);
  }
  /// The simulation has paused.
  void paused() {
    if (measuring() && drive_.now() >= resources_.next_border()) resources_.window_ends(drive_.now());
  }

  [[nodiscard]] const results::Resources& resources() const { return resources_; }
  [[nodiscard]] const OverTime& over_time() const { return over_time_; }
  /// To add what is not of the drive, before begin().
  [[nodiscard]] results::Resources& resources() { return resources_; }
  /// Share of what the firmware programmed in the measurement that GC copied.
  [[nodiscard]] double collected() const {
    const std::uint64_t programmed = at_end_.lpages_programmed - at_begin_.lpages_programmed;
    if (programmed == 0) return 0;
    return static_cast<double>(at_end_.gc_lpages_copied - at_begin_.gc_lpages_copied) / static_cast<double>(programmed);
  }

 private:
  const device::Drive& drive_;
  results::Resources resources_;
  OverTime over_time_;
  struct wl_firmware_statistics at_begin_ {
  }, at_end_{};
};

}  // namespace wordline::platform
