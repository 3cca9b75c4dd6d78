// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/firmware/contract/contract.h"
#include "models/units/quantity.h"

namespace wordline::cpu {

/// What one core did since reset. A core ahead of simulated time has counted its whole stretch already.
struct CoreStatistics {
  Hertz clock{};
  Picoseconds busy{};                                  // not asleep
  std::uint64_t instructions = 0;                      // 0 in native mode
  std::array<std::uint64_t, WL_COST_COUNT> cycles{};   // cycles by cost tag, waiting for the bus included, asleep not
  std::array<std::uint64_t, WL_COST_COUNT> entries{};  // times a stretch with this tag began
};

}  // namespace wordline::cpu
