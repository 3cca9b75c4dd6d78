// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>

#include "models/engines/table/engine_table.h"

namespace wordline::config {

/// Engines that read the map in DRAM, and those of GC, which move logical pages: all have it by logical pages alone, so
/// they need ftl.map = sector.
inline constexpr engines::EngineId kLpageEngines[] = {engines::EngineId::kL2p, engines::EngineId::kBuffer,
                                                      engines::EngineId::kGc, engines::EngineId::kCopy};

[[nodiscard]] inline bool maps_lpages(engines::EngineId id) {
  return std::find(std::begin(kLpageEngines), std::end(kLpageEngines), id) != std::end(kLpageEngines);
}

}  // namespace wordline::config
