// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/simulation_stopped.h"

#include <verilated.h>

#include <string>

/// Called by Verilator's run time (VL_USER_STOP).
void vl_stop(const char* file, int line, const char* hierarchy) VL_MT_UNSAFE {
  throw wordline::rtl::SimulationStopped(std::string(file) + ":" + std::to_string(line) + ": assertion violated in " +
                                         (hierarchy == nullptr ? "" : hierarchy));
}
