// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Statistics that blocks in gates share, whatever their slot: ecc.rtl.BLOCK, BLOCK being the last word of their key.
#pragma once

#include "models/results/registry.h"
#include "rtl/slot/loaded_block.h"

namespace wordline::ecc {

/// What went through it, and the clocks of that.
void add_passages(results::Registry& registry, const char* block, results::Statistic::Read passages,
                  results::Statistic::Read clocks);

/// The counters that a block of the user's own reports. The block outlives the registry.
void add_block_counters(results::Registry& registry, const char* block, const rtl::LoadedBlock& loaded);

/// For the page of statistics, which is made without such blocks.
void explain_block_counters(results::Registry& registry);

}  // namespace wordline::ecc
