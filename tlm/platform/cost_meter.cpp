// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/cost_meter.h"

#include <sys/resource.h>

#include <systemc>

namespace wordline::platform {

results::Cost CostMeter::cost(tlm_if::SimulationContext& context, const device::Drive& drive,
                              std::uint64_t requests) const {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  results::Cost cost;
  cost.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  cost.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  cost.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  cost.events = context.alarms().alarms();
  cost.kernel_events = sc_core::sc_delta_count();
  for (const auto& core : drive.cores) cost.instructions += core->statistics().instructions;
  cost.requests = requests;
  return cost;
}

}  // namespace wordline::platform
