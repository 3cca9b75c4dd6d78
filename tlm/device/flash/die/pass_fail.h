// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/onfi/commands.h"
#include "models/units/index.h"

namespace wordline::flash {

/// FAIL and FAILC of the status register (ONFI 5.0 clause 5.12): the result of the last operation and, within a CACHE
/// PROGRAM sequence, of the unit before it.
class PassFail {
 public:
  /// A read or an erase begins, or the array is reset.
  void clear() {
    fail_ = fail_before_ = 0;
    in_sequence_ = false;
  }
  /// The array takes a unit; `follows`: another one that was programmed with 15h.
  void next_unit(bool follows) {
    fail_before_ = follows ? fail_ : 0;
    fail_ = 0;
  }
  /// Whether the unit was confirmed with 15h, so that the next one follows it.
  void set_in_sequence(bool more) { in_sequence_ = more; }
  [[nodiscard]] bool in_sequence() const { return in_sequence_; }
  /// A program or erase has ended, and failed in these planes (bits).
  void ended(std::uint32_t failed) { fail_ = failed; }
  /// A program command came that cannot be done.
  void refused() { fail_ = kEveryPlane; }

  [[nodiscard]] std::uint8_t status() const {
    unsigned bits = 0;
    if (fail_ != 0) bits |= onfi::kFail;
    if (fail_before_ != 0) bits |= onfi::kFailCache;
    return static_cast<std::uint8_t>(bits);
  }
  /// The bits that are about one plane.
  [[nodiscard]] std::uint8_t status_of(PlaneId plane) const {
    unsigned bits = 0;
    if ((fail_ >> plane.value() & 1U) != 0) bits |= onfi::kFailPlane;
    if ((fail_before_ >> plane.value() & 1U) != 0) bits |= onfi::kFailPlaneCache;
    return static_cast<std::uint8_t>(bits);
  }

 private:
  static constexpr std::uint32_t kEveryPlane = 0xffffffff;

  std::uint32_t fail_ = 0;  // planes, as bits
  std::uint32_t fail_before_ = 0;
  bool in_sequence_ = false;
};

}  // namespace wordline::flash
