// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "models/results/report.h"
#include "tlm/device/drive.h"

namespace wordline::platform {

/// What the simulation itself costs, from this object's construction on.
class CostMeter {
 public:
  /// `requests`: of the workload.
  [[nodiscard]] results::Cost cost(tlm_if::SimulationContext& context, const device::Drive& drive,
                                   std::uint64_t requests) const;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace wordline::platform
