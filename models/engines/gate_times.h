// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "models/config/config.h"
#include "models/engines/table/engine_table.h"
#include "models/units/quantity.h"

/// The engines that the drive can have in gates (rtl/engines), and what an operation of theirs takes: measured by the
/// tests of the blocks (testbenches/rtl/engines) with memory that answers in the next clock.
namespace wordline::engines {

inline constexpr Picoseconds kGateClock{2000};  // 500 MHz, assumed

/// Of an operation, in clocks: from its input to its answer, between the beginnings of two, and how many are under way.
struct GateTimes {
  EngineId id;
  unsigned latency, interval, depth;
};
inline constexpr std::array kGateTimes{
    GateTimes{EngineId::kParse, 8, 9, 1},
    // Of one logical page, the DRAM apart.
    GateTimes{EngineId::kL2p, 10, 6, 16},
    // Of a superblock; the last one's with the answer to the firmware.
    GateTimes{EngineId::kVictim, 11, 2, 6},
};

/// Null: not in gates.
[[nodiscard]] constexpr const GateTimes* gate_times(EngineId id) {
  for (const GateTimes& times : kGateTimes) {
    if (times.id == id) return &times;
  }
  return nullptr;
}

static_assert([] {
  for (const EngineRow& row : kEngines) {
    if (has_gates(row.id) != (gate_times(row.id) != nullptr)) return false;
  }
  return true;
}());

/// With engines.model = rtl.
[[nodiscard]] constexpr bool is_in_gates(const config::Engines& config, EngineId id) {
  return config.model == config::EngineModel::kRtl && config.on(id) && has_gates(id);
}

/// The engine of a configuration with the times that it has: those of its gates, if it is in gates.
[[nodiscard]] constexpr config::Engine timed(const config::Engines& config, EngineId id) {
  config::Engine engine = config[id];
  if (!is_in_gates(config, id)) return engine;
  const GateTimes& times = *gate_times(id);
  engine.latency = kGateClock * static_cast<std::int64_t>(times.latency);
  engine.interval = kGateClock * static_cast<std::int64_t>(times.interval);
  engine.depth = times.depth;
  return engine;
}

}  // namespace wordline::engines
