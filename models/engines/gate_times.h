// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

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
  config::EngineGates gates;
  unsigned latency, interval, depth;
};
/// Of a lookup, in clocks, the DRAM apart: of `lpages` logical pages whose map entries lie in `bursts` bursts.
struct LookupClocks {
  std::uint64_t latency, interval;
};
[[nodiscard]] constexpr LookupClocks lookup_clocks(std::uint64_t lpages, std::uint64_t bursts) {
  return {1 + 4 * lpages + 5 * bursts, 2 + 3 * lpages + bursts};
}
inline constexpr LookupClocks kLookupOfOne = lookup_clocks(1, 1);
inline constexpr std::array kGateTimes{
    GateTimes{EngineId::kParse, config::EngineGates::kParse, 8, 9, 1},
    GateTimes{EngineId::kL2p, config::EngineGates::kL2p, kLookupOfOne.latency, kLookupOfOne.interval, 16},
    // Of a superblock; the last one's with the answer to the firmware.
    GateTimes{EngineId::kVictim, config::EngineGates::kVictim, 11, 2, 6},
};

/// Null: not in gates.
[[nodiscard]] constexpr const GateTimes* gate_times(EngineId id) {
  for (const GateTimes& times : kGateTimes) {
    if (times.id == id) return &times;
  }
  return nullptr;
}

// Without gate_times(): with sanitizers its pointer is no constant.
static_assert([] {
  for (const EngineRow& row : kEngines) {
    bool timed = false;
    for (const GateTimes& times : kGateTimes) timed = timed || times.id == row.id;
    if (has_gates(row.id) != timed) return false;
  }
  return true;
}());

/// With engines.model = rtl: engines.gates names it, or all.
[[nodiscard]] constexpr bool wants_gates(const config::Engines& config, config::EngineGates of) {
  return config.model == config::EngineModel::kRtl && (config.gates == config::EngineGates::kAll || config.gates == of);
}
[[nodiscard]] constexpr bool is_in_gates(const config::Engines& config, EngineId id) {
  const GateTimes* const times = gate_times(id);
  return times != nullptr && config.on(id) && wants_gates(config, times->gates);
}
/// The XOR units of the channels.
[[nodiscard]] constexpr bool parity_in_gates(const config::Config& config) {
  return config.ftl.parity != config::Parity::kNone && wants_gates(config.engines, config::EngineGates::kParity);
}
/// What makes completion entries and messages of them. `kCompletionClocks`: of an entry with its message.
inline constexpr unsigned kCompletionClocks = 7;
[[nodiscard]] constexpr bool completion_in_gates(const config::Config& config) {
  return config.host.model == config::HostModel::kNvme && wants_gates(config.engines, config::EngineGates::kCompletion);
}
/// One entry after the other, by the time at which its data have left.
inline constexpr std::string_view kCompletionEntries = "completion_entry";
[[nodiscard]] constexpr config::Engine completion_engine(const config::Config& config) {
  const Picoseconds time =
      completion_in_gates(config) ? kGateClock * std::int64_t{kCompletionClocks} : config.nvme.completion_time;
  const bool on = config.host.model == config::HostModel::kNvme && time != Picoseconds();
  return {on, time, time, config::Engine::kAnyDepth};
}
[[nodiscard]] constexpr bool any_in_gates(const config::Config& config) {
  for (const GateTimes& times : kGateTimes) {
    if (is_in_gates(config.engines, times.id)) return true;
  }
  return parity_in_gates(config) || completion_in_gates(config);
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
