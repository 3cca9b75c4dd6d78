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
      ramp_end_(context.alarms(), *this),
      of_drive_(drive) {
  request_statistics_.judge(meter_, [this] { meter_says(); });
  driver.listen(*this);
  driver.register_resources(of_drive_.resources());
}

void Measurement::reached(host::RunBorder border) {
  if (border == host::RunBorder::kWorkloadBegins) workload_begins();
  if (border == host::RunBorder::kWorkloadEnds) workload_ends();
}

void Measurement::workload_begins() {
  const Picoseconds now = drive_.now();
  request_statistics_.begin(now, now + ramp_);
  if (ramp_ > Picoseconds(0)) {
    ramp_end_.set(now + ramp_);
  } else {
    of_drive_.begin();
  }
}

/// The warm-up went on until now, or the numbers are sure.
void Measurement::meter_says() {
  if (request_statistics_.enough()) {
    workload_ends();
  } else {
    of_drive_.begin();
  }
}

void Measurement::workload_ends() {
  // The driver finds that the workload is over when the last job would submit its next request.
  const bool over = driver_.done() || driver_.verifying() || request_statistics_.enough();
  of_drive_.end(over && request_statistics_.requests() != 0 ? request_statistics_.measured_to() : drive_.now());
}

}  // namespace wordline::platform
