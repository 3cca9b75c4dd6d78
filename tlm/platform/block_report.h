// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/registry.h"
#include "tlm/platform/ssd_top.h"

namespace wordline::platform {

/// Bad blocks, spares and wear, as the firmware counted them.
void register_blocks(results::Registry& registry, const SsdTop& ssd);

}  // namespace wordline::platform
