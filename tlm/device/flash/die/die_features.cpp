// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/die/die_features.h"

#include <fmt/core.h>

#include <optional>

namespace wordline::flash {

DieFeatures::DieFeatures(const onfi::TargetTiming& timing, unsigned lun, unsigned luns, const nand::Die& array)
    : lun_(lun), luns_(luns), array_(array), timing_(timing) {
  switch_mode(timing.mode());
}

std::string DieFeatures::check_lun(const onfi::Cycles& cycles) const {
  if (cycles.address_count == 1) {
    // EFh and EEh reach every LUN of the target at once.
    return luns_ == 1 ? "" : "EFh or EEh to a target of several LUNs; use D5h or D4h";
  }
  if (cycles.address[0] == lun_) return {};
  return fmt::format("feature command for LUN {} sent to LUN {}", cycles.address[0], lun_);
}

std::string DieFeatures::set(std::uint8_t feature, const onfi::FeatureParameters& value) {
  if (feature == onfi::kFeatureTimingMode) {
    const std::optional<config::BusMode> mode = onfi::timing_mode(value, timing_.mode_after_power_on().interface);
    if (!mode) return "SET FEATURES 01h: no such timing mode";
    if (luns_ > 1) return "SET FEATURES 01h: a target of several LUNs keeps its timing mode";
    switch_mode(*mode);
    return {};
  }
  const std::string problem = registers_.set(feature, value);
  return problem.empty() ? problem : "SET FEATURES: " + problem;
}

void DieFeatures::select(std::uint8_t feature) {
  selected_ = feature;
  if (!onfi::FeatureRegisters::read_only(feature)) return;
  const nand::ProgramReport report = measured();
  registers_.report(reported_.empty() ? nullptr : &report, reported_fail_);
}

nand::ProgramReport DieFeatures::measured() const {
  nand::ProgramReport all;
  bool first = true;
  for (std::uint8_t plane = 0; !reported_.empty() && reported_.planes >> plane != 0; ++plane) {
    if ((reported_.planes >> plane & 1U) == 0) continue;
    const nand::ProgramReport one = array_.program_report(PlaneId(plane), reported_.blocks[plane], reported_.page);
    all = first ? one : nand::together(all, one);
    first = false;
  }
  return all;
}

void DieFeatures::programmed(const Selection& unit, bool failed) {
  reported_ = unit;
  if (failed) reported_.drop();
  reported_fail_ = failed;
}

void DieFeatures::power_on() {
  registers_ = {};
  switch_mode(timing_.mode_after_power_on());
}

// The register holds the mode in use, also where the mode changes by other ways.
void DieFeatures::switch_mode(config::BusMode mode) {
  timing_.switch_to(mode);
  static_cast<void>(registers_.set(onfi::kFeatureTimingMode, onfi::timing_mode_value(mode)));
}

}  // namespace wordline::flash
