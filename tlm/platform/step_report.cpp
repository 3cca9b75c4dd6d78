// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/step_report.h"

#include <cstdint>

#include "models/firmware/firmware.h"

namespace wordline::platform {

void register_steps(results::Registry& registry, const SsdTop& ssd) {
  static constexpr const char* kNames[WL_AGCR_STEPS] = {"default", "coarse", "fine"};
  const auto counted = [&ssd] { return ssd.firmware_statistics().steps; };
  for (std::size_t step = 0; step < WL_AGCR_STEPS; ++step) {
    registry
        .add({"steps.programmed.STEP", {kNames[step]}}, "logical pages",
             "Programs that have ended, of the host's data and of moved ones, padding included.",
             [counted, step] { return counted().programmed[step]; })
        .only_if_nonzero();
  }
  for (std::size_t step = 0; step < WL_AGCR_STEPS; ++step) {
    registry
        .add({"steps.read.STEP", {kNames[step]}}, "logical pages",
             "Read from flash for the host, by how they were programmed. Data that the drive began with count as "
             "`ftl.agcr.initial` says.",
             [counted, step] { return counted().read[step]; })
        .only_if_nonzero();
  }
  registry
      .add("steps.judged", "accesses",
           "Reads from flash and writes of map units that were read-only or write-only until then, by the accesses of "
           "`ftl.agcr.window` but the last. A run of sectors in one map unit is one access.",
           [counted] { return counted().judged; })
      .only_if_nonzero();
  registry
      .add("steps.judged_right", "accesses", "Those of `steps.judged` that were of the unit's kind.",
           [counted] { return counted().judged_right; })
      .only_if_nonzero();
}

}  // namespace wordline::platform
