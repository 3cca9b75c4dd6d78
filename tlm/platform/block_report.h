// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/registry.h"
#include "tlm/device/drive.h"

namespace wordline::platform {

/// Bad blocks, spares and wear, as the firmware counted them.
void register_blocks(results::Registry& registry, const device::Drive& drive);

}  // namespace wordline::platform
