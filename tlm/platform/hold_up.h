// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/config/config.h"
#include "tlm/device/drive.h"
#include "tlm/host/testbed.h"

namespace wordline::platform {

/// From the instant at which the host's power fails to that at which the drive has none.
struct HoldUp {
  Picoseconds time{};
  double joules = 0;        // used: flash and power.controller
  double flash_joules = 0;  // of these
  double capacity = 0;      // power.hold_up
  bool flushed = false;     // else the energy was used up before the buffer was programmed
};

/// The host's power fails now: no command comes or ends any more, and the firmware programs what it has buffered, until
/// it says so or power.hold_up is used up. Simulated time goes on; there are no other modules in the simulation.
///
/// Accuracy: the energy is looked at every microsecond. Of the controller and DRAM it is power.controller.
[[nodiscard]] HoldUp hold_up(tlm_if::SimulationContext& context, device::Drive& drive, host::Testbed& testbed,
                             const config::Power& power);
[[nodiscard]] std::string to_json(const HoldUp& held);
[[nodiscard]] std::string summary(const HoldUp& held);

}  // namespace wordline::platform
