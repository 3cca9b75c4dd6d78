// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/onfi/commands.h"

namespace wordline::flash {

/// FAIL and FAILC of the status register (ONFI 5.0 clause 5.12): the result of the last operation and, within a CACHE
/// PROGRAM sequence, of the unit before it.
class PassFail {
 public:
  /// A read or an erase begins, or the array is reset.
  void clear() { fail_ = fail_before_ = in_sequence_ = false; }
  /// The array takes a unit; `follows`: another one that was programmed with 15h.
  void next_unit(bool follows) {
    fail_before_ = follows && fail_;
    fail_ = false;
  }
  /// Whether the unit was confirmed with 15h, so that the next one follows it.
  void set_in_sequence(bool more) { in_sequence_ = more; }
  [[nodiscard]] bool in_sequence() const { return in_sequence_; }
  /// A program or erase has ended.
  void ended(bool failed) { fail_ = failed; }
  /// A program command came that cannot be done.
  void refused() { fail_ = true; }

  [[nodiscard]] std::uint8_t status() const {
    unsigned bits = 0;
    if (fail_) bits |= onfi::kFail;
    if (fail_before_) bits |= onfi::kFailCache;
    return static_cast<std::uint8_t>(bits);
  }

 private:
  bool fail_ = false;
  bool fail_before_ = false;
  bool in_sequence_ = false;
};

}  // namespace wordline::flash
