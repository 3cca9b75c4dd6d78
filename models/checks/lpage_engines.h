// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "models/config/schema.h"
#include "models/engines/table/engine_table.h"

namespace wordline::config {

/// Engines that read the map in DRAM, and those of GC, which move logical pages: all have it by logical pages alone, so
/// they need ftl.map = sector.
inline constexpr engines::EngineId kLpageEngines[] = {engines::EngineId::kL2p, engines::EngineId::kBuffer,
                                                      engines::EngineId::kGc, engines::EngineId::kCopy};

[[nodiscard]] inline bool maps_lpages(engines::EngineId id) {
  return std::find(std::begin(kLpageEngines), std::end(kLpageEngines), id) != std::end(kLpageEngines);
}

/// The key of the engine as the schema holds it, for a conflict only refers to its keys.
[[nodiscard]] inline std::string_view key_of_engine(engines::EngineId id) {
  return schema().at(static_cast<std::size_t>(find_key(std::string("engines.").append(engines::row_of(id).name)))).name;
}

}  // namespace wordline::config
