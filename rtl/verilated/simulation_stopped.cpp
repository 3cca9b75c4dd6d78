// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/simulation_stopped.h"

#include <fmt/format.h>

#include <verilated.h>

/// Called by Verilator's run time (VL_USER_STOP).
void vl_stop(const char* file, int line, const char* hierarchy) VL_MT_UNSAFE {
  throw wordline::rtl::SimulationStopped(
      fmt::format("{}:{}: assertion violated in {}", file, line, hierarchy == nullptr ? "" : hierarchy));
}
