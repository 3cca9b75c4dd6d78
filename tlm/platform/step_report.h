// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/registry.h"
#include "tlm/platform/ssd_top.h"

namespace wordline::platform {

/// What policies that program in several steps have done.
void register_steps(results::Registry& registry, const SsdTop& ssd);

}  // namespace wordline::platform
