// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/measurement.h"

#include <utility>

namespace wordline::platform {

Measurement::Measurement(tlm_if::SimulationContext& context, const device::Drive& drive, host::HostDriver& driver,
                         results::RequestStatistics& request_statistics, Picoseconds ramp, results::SteadyMeter meter)
    : drive_(drive),
      driver_(driver),
      request_statistics_(request_statistics),
      meter_(std::move(meter)),
      ramp_(ramp),
      ramp_end_(context.alarms(), *this) {
  request_statistics_.judge(meter_, [this] { meter_says(); });
  drive.register_resources(resources_);
  driver.listen(*this);
}

void Measurement::workload_begins() {
  const Picoseconds now = drive_.now();
  request_statistics_.begin(now, now + ramp_);
  if (ramp_ > Picoseconds(0)) {
    ramp_end_.set(now + ramp_);
  } else {
    begin();
  }
}

void Measurement::begin() {
  at_begin_ = at_end_ = drive_.firmware_statistics();
  resources_.begin(drive_.now());
}

/// The warm-up went on until now, or the numbers are sure.
void Measurement::meter_says() {
  if (request_statistics_.enough()) {
    end();
    return;
  }
  begin();
}

void Measurement::end() {
  if (!resources_.measuring()) return;
  at_end_ = drive_.firmware_statistics();
  // The driver finds that the workload is over when the last job would submit its next request.
  const Picoseconds now = drive_.now();
  const bool over = driver_.done() || driver_.verifying() || request_statistics_.enough();
  resources_.end(over && request_statistics_.requests() != 0 ? request_statistics_.measured_to() : now);
}

void Measurement::stop() { end(); }

Picoseconds Measurement::next_border() const {
  return resources_.measuring() ? resources_.next_border() : Picoseconds(INT64_MAX);
}

void Measurement::paused() {
  if (resources_.measuring() && drive_.now() >= resources_.next_border()) resources_.window_ends(drive_.now());
}

double Measurement::collected() const {
  const std::uint64_t programmed = at_end_.lpages_programmed - at_begin_.lpages_programmed;
  if (programmed == 0) return 0;
  return static_cast<double>(at_end_.gc_lpages_copied - at_begin_.gc_lpages_copied) / static_cast<double>(programmed);
}

}  // namespace wordline::platform
