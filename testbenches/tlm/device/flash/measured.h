// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/nand/die.h"

namespace wordline::testing {

/// What a die of two planes measures of the word line of `page`, which was programmed in both.
inline nand::ProgramReport measured_of(const nand::Die& die, BlockId block, PageId page) {
  return nand::together(die.program_report(PlaneId(0), block, page), die.program_report(PlaneId(1), block, page));
}

}  // namespace wordline::testing
