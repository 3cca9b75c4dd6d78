// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Soft sensing of one read: around which step (SoftCentre), and how many of a level's reads are made (SoftReads).
/// Neither makes a read: retry_commands.h has the commands to the die. Gap: the weights of one syndrome stand for a bit
/// error rate.
#pragma once

#include <cstdint>

#include "models/ecc/retry/retry_messages.h"

namespace wordline::ecc {

/// Soft reads go outwards from the centre: 0, -1, +1, -2, +2, -3, +3.
[[nodiscard]] int soft_position(unsigned read);
/// What soft read `read` of `level` adds to every reference. Two reads have no centre: half a distance to either side,
/// the lower first.
[[nodiscard]] int soft_offset(unsigned level, unsigned read, int delta);
/// Whether its errors are those that the bins of the level are taken from: the centre, or the lower of two.
[[nodiscard]] constexpr bool is_centre(unsigned read) { return read == 0; }

/// The step with the least mean syndrome weight per codeword that tier 1 left, the earlier one of two that are equal.
class SoftCentre {
 public:
  void start() { *this = {}; }                        ///< a read begins
  void begin_step() { here_ = {}; }                   ///< a hard read was made; tier 1 begins
  void weigh(unsigned weight) { here_.add(weight); }  ///< tier 1 left a codeword; more than the limit counts as that
  void end_step(unsigned step);                       ///< tier 2 left some, too

  [[nodiscard]] unsigned step() const { return probing_ ? probe_ : step_; }  ///< 0 when none ended

  /// The read begins with soft reads around `step`; until they have failed, these are all there is.
  void probe(unsigned step) {
    probe_ = step;
    probing_ = true;
  }
  void probe_failed() { probing_ = false; }
  [[nodiscard]] bool probing() const { return probing_; }

 private:
  struct Weight {
    unsigned sum = 0;
    unsigned codewords = 0;
    void add(unsigned weight) {
      sum += weight < kMaxSyndromeWeight ? weight : kMaxSyndromeWeight;
      ++codewords;
    }
  };
  Weight here_;
  Weight least_;  // no codewords: no step ended yet
  unsigned step_ = 0;
  unsigned probe_ = 0;
  bool probing_ = false;
};

class SoftReads {
 public:
  void start() { *this = {}; }  ///< a read begins, hard
  void begin_level(unsigned level) {
    level_ = level;
    read_ = 0;
  }
  /// A soft read was made; true: another one of this level follows.
  bool advance() { return ++read_ < kSoftReads[level_]; }

  [[nodiscard]] unsigned level() const { return level_; }  ///< 0: hard
  [[nodiscard]] unsigned read() const { return read_; }    ///< 0 to 6, the one to make

 private:
  unsigned level_ = 0;
  unsigned read_ = 0;
};

}  // namespace wordline::ecc
