// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/hold_up.h"

#include <fmt/core.h>

#include <algorithm>

namespace wordline::platform {
namespace {

constexpr Picoseconds kLook(1'000'000);

void run_on(tlm_if::SimulationContext& context) {
  context.alarms().run_ahead_to(context.now() + kLook);
  sc_core::sc_start(tlm_if::to_sc_time(kLook), sc_core::SC_RUN_TO_TIME);
}

}  // namespace

HoldUp hold_up(tlm_if::SimulationContext& context, device::Drive& drive, host::Testbed& testbed,
               const config::Power& power) {
  const Picoseconds failed = context.now();
  const double before = drive.flash.energy().count();
  HoldUp held;
  held.capacity = power.hold_up;
  testbed.driver.stop();
  drive.host->host_power_fails();
  for (;;) {
    held.time = context.now() - failed;
    held.flash_joules = 1e-12 * (drive.flash.energy().count() - before);
    held.joules = held.flash_joules + power.controller * static_cast<double>(held.time.count()) * 1e-12;
    held.flushed = drive.host->buffer_is_safe();
    const bool rests = context.alarms().empty() && !sc_core::sc_pending_activity();
    if (held.flushed || held.joules >= held.capacity || rests) return held;
    run_on(context);
  }
}

std::string to_json(const HoldUp& held) {
  return fmt::format(
      "{{\"time\": {:.12f}, \"energy\": {:.9f}, \"flash_energy\": {:.9f}, \"capacity\": {:.9f}, \"flushed\": {}}}",
      static_cast<double>(held.time.count()) * 1e-12, held.joules, held.flash_joules, held.capacity, held.flushed);
}

std::string summary(const HoldUp& held) {
  return fmt::format("the host's power fails: {} {:.3f} ms later, {:.3f} of {:.3f} mJ used ({:.3f} mJ by the flash)\n",
                     held.flushed ? "the write buffer is on flash" : "power.hold_up is used up before the flush ends",
                     static_cast<double>(held.time.count()) * 1e-9, 1e3 * held.joules, 1e3 * held.capacity,
                     1e3 * held.flash_joules);
}

}  // namespace wordline::platform
