// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/checks/improvements.h"
#include "models/results/what_if.h"
#include "tlm/platform/run_command.h"

namespace wordline::platform {

/// `wordline run --what-if`: repeats a run that is over with each resource improved, by a process each, as many at a
/// time as there are processors, with the same seed and the same state, and compares. `result`: its result.json.
/// `states`: where the states that the drives begin with are kept. A run that fails is not tried, with its reason; one
/// that a signal stops ends them all.
[[nodiscard]] results::WhatIf what_if(const RunOptions& options, const std::string& result,
                                      const std::vector<config::Improvement>& improvements, const std::string& states);

}  // namespace wordline::platform
