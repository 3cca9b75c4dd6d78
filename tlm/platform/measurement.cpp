// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/measurement.h"

#include <utility>

namespace wordline::platform {

Measurement::Measurement(tlm_if::SimulationContext& context, const device::Drive& drive, host::Testbed& host,
                         results::RequestStatistics& request_statistics, Picoseconds ramp, results::SteadyMeter meter)
    : drive_(drive),
      host_(host),
      request_statistics_(request_statistics),
      meter_(std::move(meter)),
      ramp_(ramp),
      ramp_end_(context.alarms(), *this),
      of_drive_(drive) {
  request_statistics_.judge(meter_, [this] { meter_says(); });
  host.driver.listen(*this);
  host.cores.register_resources(of_drive_.resources());
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
    begin();
  }
}

void Measurement::begin() {
  of_drive_.begin();
  host_.by_queue.begin(drive_.now());
}

/// The warm-up went on until now, or the numbers are sure.
void Measurement::meter_says() {
  if (request_statistics_.enough()) {
    workload_ends();
  } else {
    begin();
  }
}

void Measurement::workload_ends() {
  // The driver finds that the workload is over when the last job would submit its next request.
  const bool over = host_.driver.done() || host_.driver.verifying() || request_statistics_.enough();
  const Picoseconds end =
      over && request_statistics_.requests() != 0 ? request_statistics_.measured_to() : drive_.now();
  of_drive_.end(end);
  host_.by_queue.end(end);
}

}  // namespace wordline::platform
