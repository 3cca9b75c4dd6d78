// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"

namespace wordline::config {

/// The drive, as the firmware finds it described; written to the start of tightly coupled memory before reset.
[[nodiscard]] wl_boot_info boot_info_of(const Config& config, const Layout& layout);

/// The step of a coarser ISPP program: `times` the step of the device, rounded to whole millivolts.
[[nodiscard]] Millivolts agcr_step(double times, Millivolts step);

}  // namespace wordline::config
