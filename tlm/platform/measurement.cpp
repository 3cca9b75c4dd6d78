// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/measurement.h"

#include <utility>

namespace wordline::platform {

Measurement::Measurement(const sc_core::sc_module_name& name, const SsdTop& ssd,
                         results::RequestStatistics& request_statistics, Picoseconds ramp, results::SteadyMeter meter)
    : sc_module(name), ssd_(ssd), request_statistics_(request_statistics), meter_(std::move(meter)), ramp_(ramp) {
  request_statistics_.judge(meter_, [this] { meter_says(); });
  ssd.register_resources(resources_);
  SC_HAS_PROCESS(Measurement);
  SC_METHOD(begin);
  sensitive << ssd.driver.started_event();
  dont_initialize();
  SC_METHOD(end);
  sensitive << ssd.driver.workload_over_event();
  dont_initialize();
}

void Measurement::begin() {
  const Picoseconds now = tlm_if::now();
  if (!ramping_) request_statistics_.begin(now, now + ramp_);
  if (!ramping_ && ramp_ > Picoseconds(0)) {
    ramping_ = true;
    next_trigger(tlm_if::to_sc_time(ramp_));
    return;
  }
  at_begin_ = at_end_ = ssd_.firmware_statistics();
  resources_.begin(now);
}

/// The warm-up went on until now, or the numbers are sure.
void Measurement::meter_says() {
  if (request_statistics_.enough()) {
    end();
    return;
  }
  at_begin_ = at_end_ = ssd_.firmware_statistics();
  resources_.begin(tlm_if::now());
}

void Measurement::end() {
  if (!resources_.measuring()) return;
  at_end_ = ssd_.firmware_statistics();
  // The driver finds that the workload is over when the last job would submit its next request.
  const Picoseconds now = tlm_if::now();
  const bool over = ssd_.driver.done() || ssd_.driver.verifying() || request_statistics_.enough();
  resources_.end(over && request_statistics_.requests() != 0 ? request_statistics_.measured_to() : now);
}

void Measurement::stop() { end(); }

Picoseconds Measurement::next_border() const {
  return resources_.measuring() ? resources_.next_border() : Picoseconds(INT64_MAX);
}

void Measurement::paused() {
  if (resources_.measuring() && tlm_if::now() >= resources_.next_border()) resources_.window_ends(tlm_if::now());
}

double Measurement::collected() const {
  const std::uint64_t programmed = at_end_.lpages_programmed - at_begin_.lpages_programmed;
  if (programmed == 0) return 0;
  return static_cast<double>(at_end_.gc_lpages_copied - at_begin_.gc_lpages_copied) / static_cast<double>(programmed);
}

}  // namespace wordline::platform
