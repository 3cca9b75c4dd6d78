// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/registry.h"
#include "tlm/device/drive.h"

namespace wordline::platform {

/// placement[].*: a row for each placement handle, and a last one for superblocks in which GC puts data of any. Nothing
/// of a drive without handles.
void register_placement(results::Registry& registry, const device::Drive& drive);

}  // namespace wordline::platform
