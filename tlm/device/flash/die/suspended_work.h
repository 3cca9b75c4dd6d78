// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tlm/device/flash/die/work.h"

namespace wordline::flash {

/// What a die holds suspended, from the suspend command until the resume, and what it therefore refuses: a program, an
/// erase, or an erase and a program that went meanwhile, which goes on first. During a program every page but those of
/// its unit can be read, during an erase every other block can be read and programmed. When an operation stops and goes
/// on is ArrayWork's.
class SuspendedWork {
 public:
  /// `depth`: operations that it holds at a time (channels.suspend_depth).
  SuspendedWork(std::uint32_t pages_per_program, std::uint32_t depth)
      : pages_per_unit_(pages_per_program), depth_(depth) {}

  [[nodiscard]] bool holds() const { return !work().empty(); }
  /// Both, the program in front.
  [[nodiscard]] const std::array<Work, 2>& all() const { return held_; }
  /// What goes on first; empty: nothing is suspended.
  [[nodiscard]] const Work& work() const { return held_[held_[0].empty() ? 1 : 0]; }
  [[nodiscard]] bool holds_both() const { return !held_[0].empty() && !held_[1].empty(); }
  /// Whether `operation` may be suspended beside what is.
  [[nodiscard]] bool takes(Operation operation) const {
    return !holds() || (depth_ == 2 && held_[0].empty() && operation == Operation::kProgram);
  }
  /// As sequences name it in Sequence::when.
  [[nodiscard]] onfi::When state() const {
    return work().operation == Operation::kProgram ? onfi::kWhenProgramSuspended
           : work().operation == Operation::kErase ? onfi::kWhenEraseSuspended
                                                   : onfi::kIdleOnly;
  }
  /// Whether a sequence may come at all, wherever it goes to.
  [[nodiscard]] bool allows(const onfi::Sequence& sequence) const { return !holds() || sequence.may_come(state()); }

  /// `done` of the plan has passed.
  void hold(const Work& work, Picoseconds done) {
    Work& place = held_[work.operation == Operation::kProgram ? 0 : 1];
    place = work;
    place.done = done;
  }
  /// What goes on first leaves.
  Work take() {
    Work& first = held_[held_[0].empty() ? 1 : 0];
    const Work taken = first;
    first.drop();
    return taken;
  }
  void drop() {
    for (Work& work : held_) work.drop();
  }
  /// Why the operation that is being put together from `sequence` cannot be done meanwhile; "": it can.
  [[nodiscard]] std::string refuses(const onfi::Sequence& sequence, const Selection& wanted) const;
  /// The micro-operation under way at `passed` of a plan is the last one: where it ends.
  [[nodiscard]] static Picoseconds boundary(const nand::Plan& plan, Picoseconds passed);

 private:
  [[nodiscard]] bool belongs(const Work& held, const Selection& wanted) const;

  const std::uint32_t pages_per_unit_, depth_;
  std::array<Work, 2> held_;  // a program, an erase
};

}  // namespace wordline::flash
