// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/nand/die.h"
#include "models/results/registry.h"

namespace wordline::flash {

/// Operations of the array of one die and their energy, as parts of the sums over all dies. `counters` outlive the
/// registry.
void register_array_statistics(const nand::Die::Counters& counters, results::Registry& registry);

}  // namespace wordline::flash
