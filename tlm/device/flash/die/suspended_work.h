// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tlm/device/flash/die/work.h"

namespace wordline::flash {

/// The one program or erase that a die holds suspended, from the suspend command until its resume, and what the die
/// therefore refuses: during a program every page but those of its unit can be read, during an erase every other block
/// can be read and programmed. When an operation stops and goes on is ArrayWork's.
class SuspendedWork {
 public:
  explicit SuspendedWork(std::uint32_t pages_per_program) : pages_per_unit_(pages_per_program) {}

  [[nodiscard]] bool holds() const { return !held_.empty(); }
  [[nodiscard]] const Work& work() const { return held_; }
  /// As sequences name it in Sequence::when.
  [[nodiscard]] onfi::When state() const {
    return held_.operation == Operation::kProgram ? onfi::kWhenProgramSuspended
           : held_.operation == Operation::kErase ? onfi::kWhenEraseSuspended
                                                  : onfi::kIdleOnly;
  }
  /// Whether a sequence may come at all, wherever it goes to.
  [[nodiscard]] bool allows(const onfi::Sequence& sequence) const { return !holds() || sequence.may_come(state()); }

  /// `done` of the plan has passed.
  void hold(const Work& work, Picoseconds done) {
    held_ = work;
    held_.done = done;
  }
  void drop() { held_.drop(); }
  /// Why the operation that is being put together from `sequence` cannot be done meanwhile; "": it can.
  [[nodiscard]] std::string refuses(const onfi::Sequence& sequence, const Selection& wanted) const;
  /// The micro-operation under way at `passed` of a plan is the last one: where it ends.
  [[nodiscard]] static Picoseconds boundary(const nand::Plan& plan, Picoseconds passed);

 private:
  const std::uint32_t pages_per_unit_;
  Work held_;
};

}  // namespace wordline::flash
