// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/config/config.h"
#include "models/units/quantity.h"

/// What a core and an engine cost in gates and in energy. Nothing here was synthesised: these are estimates of ours, for comparing
/// placements with each other, from numbers that are written below.
namespace wordline::engines {

/// Area of a core, in gate equivalents. Source: README of the Ibex core, "small" configuration (RV32IMC, three-cycle multiplier):
/// 26.60 kGE with Yosys, memories apart. Ours also has atomics.
inline constexpr double kCoreGates = 26'600;
/// Ours: a flip-flop with enable and its share of the multiplexer behind it.
inline constexpr double kGatesPerBit = 8;
/// Ours: a 32 by 32 bit multiplier, for a division by a constant.
inline constexpr double kMultiplierGates = 8'000;
/// Ours: energy of a gate that switches, in a 28 nm process at 0.9 V, wires included; and how many switch in a cycle of work.
inline constexpr double kPicojoulesPerGate = 0.0015;
inline constexpr double kActivity = 0.2;
/// Ours: a 32-bit access to tightly coupled memory; a core makes one per cycle for its instruction and one in four for data.
inline constexpr double kMemoryPicojoules = 8;

struct Estimate {
  double gates = 0;
  Picojoules energy{};  // of one operation (engine), of one busy cycle (core); DRAM accesses apart: both pay the same
};

/// An entry per operation under way, and logic. `accesses`: of tightly coupled memory, per operation.
[[nodiscard]] constexpr Estimate engine_estimate(const config::Engine& engine, double entry_bits, double logic_gates,
                                                 double accesses) {
  if (!engine.on) return {};
  const double gates = entry_bits * engine.depth * kGatesPerBit + logic_gates;
  // The entry that is worked on and the logic switch, for the operation's latency at 500 MHz.
  const double cycles = static_cast<double>(engine.latency.count()) / 2000;
  const double switching = (entry_bits * kGatesPerBit + logic_gates) * kActivity * kPicojoulesPerGate * cycles;
  return {gates, Picojoules(switching + accesses * kMemoryPicojoules)};
}

[[nodiscard]] constexpr Estimate core_estimate() {
  return {kCoreGates, Picojoules(kCoreGates * kActivity * kPicojoulesPerGate + 1.25 * kMemoryPicojoules)};
}
/// An entry of 64 bytes; a 64-bit adder and comparators for range and transfer, the adder of the pages. It writes the event (8 words).
[[nodiscard]] constexpr Estimate parse_estimate(const config::Engines& e) { return engine_estimate(e.parse, 512, 5'000, 8); }
/// Tag, sector, count, state; the run that grows: source, place or slot, count; address adder, comparators. It reads the sector's
/// state (4 words) and writes value and change. Counted is a read of one sector; each further one is six accesses more.
[[nodiscard]] constexpr Estimate l2p_estimate(const config::Engines& e) { return engine_estimate(e.l2p, 160, 4'500, 6); }
/// Tag, slot, sector, count.
[[nodiscard]] constexpr Estimate buffer_estimate(const config::Engines& e) { return engine_estimate(e.buffer, 64, 2'000, 0); }
/// A job of 32 bytes; four divisions by constants; a row of slot bits of 64, six steps of shift and AND. It writes the job to the
/// channel, reads and writes a row of slots, and writes where in the command the run lies.
[[nodiscard]] constexpr Estimate job_estimate(const config::Engines& e) {
  return engine_estimate(e.job, 256, 4 * kMultiplierGates + 6'000, 13);
}
/// Tag, slot, sector, count, host address. It reads where in the command the run lies, counts the command's jobs, and gives its
/// row of slots back.
[[nodiscard]] constexpr Estimate completion_estimate(const config::Engines& e) {
  return engine_estimate(e.completion, 144, 4'000, 7);
}
/// Place, sector, state of two accesses; address adders, comparator. One operation is a place; one in two is found and written.
[[nodiscard]] constexpr Estimate gc_estimate(const config::Engines& e) { return engine_estimate(e.gc, 96, 6'000, 1); }
/// A job of 32 bytes per operation; four divisions by constants; 32 units of 64 bits with slot, place, die, reads and state, and a
/// comparator of dies. An operation is a run, of three sectors, or a program: it reads sources and writes the job to the channel.
[[nodiscard]] constexpr Estimate copy_estimate(const config::Engines& e) {
  return engine_estimate(e.copy, 256, 4 * kMultiplierGates + 32 * 64 * kGatesPerBit + 6'000, 11);
}
/// Line, fewest so far; adder and comparator. An operation is a line: two words of the table.
[[nodiscard]] constexpr Estimate victim_estimate(const config::Engines& e) { return engine_estimate(e.victim, 96, 1'000, 2); }

/// What a read-retry controller has beyond the sequencer of single attempts that stays when firmware leads the retries: steps
/// tried, best step with its weights, the entry of the table, a mask of codewords, flags; a divider-free comparison of means and the
/// choice of the next step. One for each die. The table itself is memory. An attempt more is a few clocks of it.
[[nodiscard]] constexpr Estimate retry_estimate(const config::Config& c) {
  if (!c.engines.retry) return {};
  constexpr double kBits = 128 + 16 + 2 * 27 + 16 + 32;
  constexpr double kLogicGates = 3'000;
  return {c.dies() * (kBits * kGatesPerBit + kLogicGates), Picojoules(0)};
}

}  // namespace wordline::engines
