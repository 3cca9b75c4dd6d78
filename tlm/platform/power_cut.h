// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/precondition/flash_scan.h"
#include "models/units/quantity.h"
#include "tlm/device/drive.h"
#include "tlm/host/driver/oracle.h"

namespace wordline::platform {

/// What a power cut has left on flash, and how that compares with what the host was told.
struct PowerCut {
  Picoseconds at{};
  std::uint64_t interrupted = 0;  // operations of dies that stay half done
  precondition::FlashScan scan;
  // Logical pages: what the records say of them is what a read would have had to return; an older content, or one that
  // was lost, while the newer was in the buffer alone; nothing; or again what was deallocated.
  std::uint64_t kept = 0, older = 0, missing = 0, returned = 0;
};

/// Throws what such a drive cannot do: ConfigError.
void check_can_be_cut(const config::Config& config);
/// `--cut-power`. Throws ConfigError.
[[nodiscard]] Picoseconds parse_cut(const std::string& text);
/// Power fails now: programs and erases stop in their pulses, everything but cells is gone. The simulation is over.
[[nodiscard]] PowerCut cut_power(device::Drive& drive, host::Oracle& oracle, const config::Config& config,
                                 const config::Layout& layout);
[[nodiscard]] std::string to_json(const PowerCut& cut);
[[nodiscard]] std::string summary(const PowerCut& cut);
/// The state that a mount without time makes of it. `origin`: of what it is.
void save_cut_state(const PowerCut& cut, const std::string& origin, const std::string& path);

}  // namespace wordline::platform
