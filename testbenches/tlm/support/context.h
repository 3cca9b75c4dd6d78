// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/protocol/simulation_context.h"

namespace wordline::testing {

/// The context of the one simulation that a process of a test has.
inline tlm_if::SimulationContext& context() {
  static tlm_if::SimulationContext the_one;
  return the_one;
}

}  // namespace wordline::testing
