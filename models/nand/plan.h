// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "models/units/quantity.h"

namespace wordline::nand {

enum class MicroOpKind : std::uint8_t { kPulse, kVerify, kErasePulse, kEraseVerify, kPrecharge, kSense, kDischarge };

/// One step of the array: one word-line pulse, one verify, one sense.
struct MicroOp {
  MicroOpKind kind = MicroOpKind::kPulse;
  std::uint8_t state = 0;  // verify: P-state; sense: reference number; pulse: loop, from 1; else 0
  Millivolts voltage{};    // voltage of the word line (erase pulse: of the well); 0 for precharge and discharge
  Picoseconds duration{};
  Picojoules energy{};
};

/// States of one P/E level scheme: P1 .. P15 of QLC; entry 0 is unused.
inline constexpr unsigned kMaxStates = 16;
using StateLoops = std::array<std::uint8_t, kMaxStates>;
using StateLevels = std::array<float, kMaxStates>;  // millivolts

/// Which loops of an ISPP program verify which state. State s is verified in loops first[s] .. last[s], from 1.
struct IsppShape {
  std::uint8_t loops = 0;   // MaxLoop
  std::uint8_t states = 0;  // programmed states m
  StateLoops first{};
  StateLoops last{};

  /// States not yet done, the k_i of eq. (1), in loop `loop` (from 1).
  [[nodiscard]] unsigned verifies(unsigned loop) const;
  [[nodiscard]] unsigned total_verifies() const;
};

/// The default shape: every state not yet done is verified in every loop. P1 is done after `state_loops` loops, Pm
/// after the last, the others evenly between: (3,2,2) for MLC with 7 loops, one loop apart for TLC with 9.
[[nodiscard]] IsppShape default_shape(unsigned loops, unsigned states, unsigned state_loops);

/// An array operation as a pure list of micro-operations that is never stored: 200 bytes hold the parameters, every
/// question is answered from them. total(), at() and for_each() agree to the picosecond.
///
/// Program: tPROG = sum over loops i of (tPGM + k_i tVFY), eq. (1) of Shim, "Exploiting process similarity of 3D flash
/// memory", SNU 2020. Read: precharge, one sense per reference, discharge (tR = tPRE + n tSENS + tDISCH, Kim et al.,
/// TVLSI 2016). Erase: loops of pulse and verify with rising voltage (ISPE).
/// Energy of an operation of these planes over that of one plane; `further`: nand.energy.further_planes.
[[nodiscard]] inline double energy_of_planes(std::uint32_t mask, double further) {
  return 1 + further * (__builtin_popcount(mask) - 1);
}

/// Energy of a micro-operation is Vcc * Icc(operation) * duration and nothing else: the current of the operation is
/// taken as constant, so pulses and verifies differ by their length alone.
class Plan {
 public:
  enum class Operation : std::uint8_t { kRead, kProgram, kErase };
  struct Step {
    MicroOp op;
    Picoseconds begin{};
  };

  Plan() = default;
  /// `references`: bit r set = reference r (1 .. 15) is sensed, in rising order.
  static Plan read(Picoseconds precharge, Picoseconds sense, Picoseconds discharge, std::uint16_t references,
                   const StateLevels& reference_levels, double watts);
  static Plan program(Picoseconds pulse, Picoseconds verify, const IsppShape& shape, Millivolts start, Millivolts step,
                      const StateLevels& verify_levels, double watts);
  static Plan erase(Picoseconds pulse, Picoseconds verify, unsigned loops, Millivolts start, Millivolts step,
                    double watts);

  /// A read that senses every reference `senses` times, `delta` apart and centred on `levels` (soft sensing; 1 = hard).
  [[nodiscard]] Plan sensed(unsigned senses, Millivolts delta, const StateLevels& levels) const;
  /// A plan of the same micro-operations, lengths scaled so that they sum to exactly `total`: whole picoseconds, the
  /// remainder goes to the last one.
  [[nodiscard]] Plan scaled_to(Picoseconds total) const;

  [[nodiscard]] Operation operation() const { return operation_; }
  [[nodiscard]] Picoseconds total() const { return total_; }
  [[nodiscard]] Picojoules energy() const { return Picojoules(watts_ * static_cast<double>(total_.count())); }
  /// Energy of the part before `t`.
  [[nodiscard]] Picojoules energy_until(Picoseconds t) const {
    return Picojoules(watts_ * static_cast<double>(t < Picoseconds{} ? 0 : t < total_ ? t.count() : total_.count()));
  }
  /// Number of micro-operations.
  [[nodiscard]] unsigned size() const { return size_; }
  /// The first boundary between micro-operations at or after `t`: where an operation that gets a suspend command at `t`
  /// stands still. The rest, total() - suspend_point(t), runs after the resume; for_each(from, to, ...) lists either
  /// part.
  [[nodiscard]] Picoseconds suspend_point(Picoseconds t) const;
  /// The micro-operation under way at `t` after the start, begin <= t < begin + duration. Before the start the first,
  /// from the end on the last. O(loops).
  [[nodiscard]] Step at(Picoseconds t) const;

  /// Calls visitor(begin, micro-operation) in order.
  template <class Visitor>
  void for_each(Visitor&& visitor) const {
    for_each(Picoseconds{}, total_, visitor);
  }
  /// Visits the micro-operations that begin in [from, to): what runs between two boundaries.
  template <class Visitor>
  void for_each(Picoseconds from, Picoseconds to, Visitor&& visitor) const {
    Picoseconds begin{};
    unsigned index = 0;
    const auto emit = [&](MicroOp op) {
      if (++index == size_) op.duration = last_;
      op.energy = energy_of(op.duration);
      if (begin >= from && begin < to) visitor(begin, static_cast<const MicroOp&>(op));
      begin += op.duration;
    };
    if (operation_ == Operation::kRead) {
      if (size_ == 0) return;
      emit(precharge());
      for (unsigned r = 1; r < kMaxStates; ++r) {
        if ((references_ >> r & 1U) == 0) continue;
        for (unsigned i = 0; i < senses_; ++i) emit(sense(r, i));
      }
      emit(discharge());
      return;
    }
    for (unsigned loop = 1; loop <= shape_.loops; ++loop) {
      emit(pulse(loop));
      for (unsigned s = 1; s <= shape_.states; ++s) {
        if (shape_.first[s] <= loop && loop <= shape_.last[s]) emit(verify(s));
      }
    }
  }

 private:
  [[nodiscard]] Picojoules energy_of(Picoseconds d) const {
    return Picojoules(watts_ * static_cast<double>(d.count()));
  }
  [[nodiscard]] MicroOp precharge() const { return {MicroOpKind::kPrecharge, 0, {}, first_, {}}; }
  [[nodiscard]] MicroOp discharge() const { return {MicroOpKind::kDischarge, 0, {}, last_, {}}; }
  [[nodiscard]] MicroOp sense(unsigned reference, unsigned index) const {
    const Millivolts off = step_ * (index - 0.5 * (senses_ - 1));
    const Millivolts level = Millivolts(levels_[reference]) + off;
    return {MicroOpKind::kSense, static_cast<std::uint8_t>(reference), level, check_, {}};
  }
  [[nodiscard]] MicroOp pulse(unsigned loop) const {
    const auto kind = operation_ == Operation::kProgram ? MicroOpKind::kPulse : MicroOpKind::kErasePulse;
    return {kind, static_cast<std::uint8_t>(loop), start_ + step_ * static_cast<double>(loop - 1), first_, {}};
  }
  [[nodiscard]] MicroOp verify(unsigned state) const {
    if (operation_ == Operation::kErase) return {MicroOpKind::kEraseVerify, 0, {}, check_, {}};
    return {MicroOpKind::kVerify, static_cast<std::uint8_t>(state), Millivolts(levels_[state]), check_, {}};
  }
  void finish();

  double watts_ = 0;  // V * A; times picoseconds gives picojoules
  Picoseconds total_{};
  Picoseconds first_{};          // precharge or pulse
  Picoseconds check_{};          // sense or verify
  Picoseconds last_{};           // the last micro-operation
  Millivolts start_{}, step_{};  // read: step_ is the distance of soft senses
  StateLevels levels_{};
  IsppShape shape_{};
  std::uint16_t references_ = 0;
  std::uint8_t senses_ = 1;  // senses of each reference
  std::uint16_t size_ = 0;
  Operation operation_ = Operation::kRead;
};

static_assert(std::is_trivially_copyable_v<Plan>, "copied into events and transactions");

}  // namespace wordline::nand
