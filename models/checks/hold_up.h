// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/checks/validate.h"
#include "models/config/config.h"

namespace wordline::config {

/// What it takes to program a full write buffer when the host's power has failed: while every die is in an erase, and
/// GC has two programs for each, or two word lines where these wait for all their programs (ftl.recovery). Programs of
/// the slowest layer, with the device's own parameters.
///
/// Known gaps: the time of the firmware, and reads that had begun, are not in it; those that a write of a part of a
/// logical page waits for neither. The buffer may need room that GC has to make first: its copies, and their erases,
/// come on top, and have been seen to more than double the energy (docs/power_loss.md).
struct HoldUpNeed {
  std::uint64_t programs;  // of the buffer, and of GC
  Picoseconds time;
  double flash, controller;  // joules
  [[nodiscard]] double joules() const { return flash + controller; }
};
[[nodiscard]] HoldUpNeed hold_up_need(const Config& config, const Layout& layout);
/// The capacitor that gives so many joules, in farads.
[[nodiscard]] double capacitor_for(const Power& power, double joules);

/// What [power] says that cannot be.
[[nodiscard]] std::vector<Conflict> power_conflicts(const Config& config);

}  // namespace wordline::config
