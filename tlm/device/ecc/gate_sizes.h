// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// How large the shipped blocks in gates are: rtl/sizes.table, which scripts/sizes writes. An estimate in two-input
/// gates, for comparing designs, and no synthesis for a library of cells. Blocks of a user's own are in no table.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/config/config.h"
#include "models/results/registry.h"

namespace wordline::ecc {

struct GateSize {
  std::uint64_t gates = 0, flip_flops = 0;
  std::uint64_t memory_bits = 0;   // not in the gates
  std::uint64_t longest_path = 0;  // gates between two flip-flops
};

/// The gate size of a top module. Null: it was not measured.
[[nodiscard]] const GateSize* gate_size(std::string_view top);

/// Blocks of the drive of these `channels` and `dies`, with ecc.model = rtl; `retries`: a controller for each die.
void register_gate_sizes(results::Registry& registry, const config::Ecc& config, std::uint64_t channels,
                         std::uint64_t dies, bool retries);

}  // namespace wordline::ecc
