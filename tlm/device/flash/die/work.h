// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/nand/plan.h"
#include "models/nand/program_parameters.h"
#include "models/nand/read_parameters.h"
#include "tlm/device/flash/die/selection.h"

namespace wordline::flash {

/// An operation of the array in time: under way, waiting, or suspended. Suspended ones run in parts.
struct Work : Selection {
  const onfi::Sequence* sequence = nullptr;  // sequence that began it, or this part of it
  Picoseconds begin{};                       // begin of this part
  Picoseconds done{};                        // done time of the plan, in the parts before
  Picoseconds remaining{};                   // remaining time of the plan, from `begin` on
  nand::ReadParameters read;                 // parameters of a read
  nand::Plan plan;                           // plan of program and erase: only these are suspended
  nand::ProgramParameters program;           // parameters of a program

  [[nodiscard]] Picoseconds end() const { return begin + remaining; }
  /// How much of the plan has passed at `at`.
  [[nodiscard]] Picoseconds passed(Picoseconds at) const { return done + (at < begin ? Picoseconds{} : at - begin); }
};

}  // namespace wordline::flash
