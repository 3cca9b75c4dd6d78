// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"
#include "models/engines/gate_times.h"
#include "models/engines/synthesised.h"
#include "models/engines/table/engine_table.h"
#include "models/units/quantity.h"

/// What a core and an engine cost in gates and in energy, for comparing placements with each other, from the numbers
/// below and those of the engines' rows. Gates are NAND2 equivalents. Parse, l2p and victim are as synthesised
/// (synthesised.h), and 12 to 19 % larger when mapped to the cells of a library; the other engines are estimates of
/// ours, which for those three were 1.2, 2.6 and 0.96 times what was synthesised: so they have a range, too. Energy is
/// an estimate of all.
namespace wordline::engines {

/// Area of a core, in gate equivalents. Source: README of the Ibex core, "small" configuration (RV32IMC, three-cycle
/// multiplier): 26.60 kGE with Yosys, memories apart. Ours also has atomics.
inline constexpr double kCoreGates = 26'600;
/// Ours: energy of a gate that switches, in a 28 nm process at 0.9 V, wires included; and how many switch in a cycle of
/// work.
inline constexpr double kPicojoulesPerGate = 0.0015;
inline constexpr double kActivity = 0.2;
/// Ours: a 32-bit access to tightly coupled memory; a core makes one per cycle for its instruction and one in four for
/// data.
inline constexpr double kMemoryPicojoules = 8;

struct Estimate {
  double gates = 0;
  Picojoules
      energy{};  // energy of one operation (engine), of one busy cycle (core); DRAM accesses apart: both pay the same
};

/// The estimate of one instance: an entry per operation under way, and logic; with `factor` times the gates.
[[nodiscard]] constexpr Estimate engine_estimate(const config::Engine& engine, const Gates& gates, double factor = 1) {
  if (!engine.on) return {};
  // The entry that is worked on and the logic switch, for the operation's latency at 500 MHz.
  const double cycles = static_cast<double>(engine.latency.count()) / 2000;
  const double at_work = factor * (gates.entry_bits * kGatesPerBit + gates.logic);
  const double switching = at_work * kActivity * kPicojoulesPerGate * cycles;
  return {factor * (gates.entry_bits * engine.depth * kGatesPerBit + gates.logic),
          Picojoules(switching + gates.accesses * kMemoryPicojoules)};
}

/// The estimate of all instances of the engine in a drive.
[[nodiscard]] constexpr Estimate engine_estimate(EngineId id, const config::Config& config, double factor = 1) {
  const EngineRow& row = row_of(id);
  config::Engine engine = timed(config.engines, id);
  if (!row.timed()) engine.depth = 1;  // an entry of its own, no pipeline
  Estimate estimate = engine_estimate(engine, row.gates, factor);
  if (row.gates.copies == Copies::kPerDie) estimate.gates *= config.dies();
  return estimate;
}

/// What it may be in truth: the same twice for an engine that was synthesised.
struct EstimateRange {
  Estimate low, high;
};
[[nodiscard]] constexpr EstimateRange engine_range(EngineId id, const config::Config& config) {
  const Factors factors = truth_of(id);
  return {engine_estimate(id, config, factors.low), engine_estimate(id, config, factors.high)};
}

[[nodiscard]] constexpr Estimate core_estimate() {
  return {kCoreGates, Picojoules(kCoreGates * kActivity * kPicojoulesPerGate + 1.25 * kMemoryPicojoules)};
}

}  // namespace wordline::engines
