// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the energy that a drive has when the host's power fails.
#include "models/config/assign.h"
#include "models/config/schema.h"

namespace wordline::config {

void add_power_keys(std::vector<Key>& keys) {
#define REAL(name, per)                                                                        \
  Field {                                                                                      \
    [](Config& c, const Value& v) { c.name = std::get<double>(std::get<Scalar>(v)) / (per); }, \
        [](const Config& c) -> Value { return Scalar(c.name * (per)); }                        \
  }
  keys.insert(
      keys.end(),
      {{"power.hold_up", Kind::kEnergy, "", "0J", "0J", "100J",
        "Energy that the drive has when the host's power fails (run --cut-power, crash-test): it programs what the "
        "write "
        "buffer holds, until that is done or the energy is used up. wordline check says how much is needed at most. "
        "0J: "
        "power fails at once, and ftl.power_safe = true is taken at its word.",
        "", REAL(power.hold_up, 1e6)},
       {"power.controller", Kind::kPower, "", "3W", "0W", "1000W",
        "What everything but the flash takes meanwhile: controller, DRAM, regulators. More: less is left for programs.",
        "assumed", REAL(power.controller, 1e3)},
       {"power.capacitor_charged", Kind::kVoltage, "", "12V", "100mV", "100V",
        "Voltage of the capacitor for power.hold_up when the host's power fails; only wordline check uses it, to say "
        "how "
        "large it is: C = 2 E / (charged^2 - empty^2).",
        "assumed", REAL(power.capacitor_charged, 1e3)},
       {"power.capacitor_empty", Kind::kVoltage, "", "5V", "0V", "100V",
        "... and the lowest from which the drive can be supplied; below power.capacitor_charged.", "assumed",
        REAL(power.capacitor_empty, 1e3)}});
#undef REAL
}

}  // namespace wordline::config
