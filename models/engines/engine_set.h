// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/config/config.h"
#include "models/engines/table/engine_table.h"

/// A configuration's engines as boot information has them (wl_boot_info).
namespace wordline::engines {

/// Bits of wl_engine.
[[nodiscard]] inline std::uint32_t engine_set(const config::Engines& config) {
  std::uint32_t set = 0;
  for (const EngineRow& row : kEngines) set |= config.on(row.id) ? row.bit : 0;
  return set;
}

/// Slots of the read buffer that belong to the engines: for all commands of the greatest length, at most half of the
/// buffer.
[[nodiscard]] inline std::uint32_t engine_slots(const config::Engines& config, std::uint32_t tags,
                                                std::uint32_t read_slots) {
  const bool served = (engine_set(config) & WL_ENGINES_FLASH) == WL_ENGINES_FLASH;
  return served ? std::min(tags * WL_LOOKUP_LPAGES, read_slots / 2) : 0;
}

}  // namespace wordline::engines
