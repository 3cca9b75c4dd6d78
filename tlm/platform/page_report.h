// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/registry.h"
#include "tlm/device/drive.h"

namespace wordline::platform {

/// Pages of one plane: programs, read and modify, false capacity, as the firmware counted them.
void register_pages(results::Registry& registry, const device::Drive& drive);

}  // namespace wordline::platform
