// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/program_features.h"

#include <algorithm>
#include <cmath>

namespace wordline::flash {

bool ProgramFeatures::change_to(const wl_program_set& set) {
  writes_ = onfi::feature_writes(parameters_of(set_), parameters_of(set));
  std::reverse(writes_.begin(), writes_.end());
  set_ = set;
  return !writes_.empty();
}

bool ProgramFeatures::set_one(Picoseconds at, Picoseconds& ready) {
  const onfi::FeatureWrite write = writes_.back();
  writes_.pop_back();
  ready = context_.bus.set_feature(context_.die, write, at).ready_at;
  return writes_.empty();
}

void ProgramFeatures::begin_report(bool all) {
  reading_ = all ? 0 : kBerEp1;
  end_ = all ? kReportFeatures : kBerEp1 + 1;
  bytes_next_ = false;
  measured_ = {};
}

// Each of the features B0h..B7h has the loop windows of two states. Features whose states the cell does not have are
// skipped.
std::uint8_t ProgramFeatures::next_feature() const {
  return static_cast<std::uint8_t>(onfi::kFeatureLoopWindows + reading_);
}

bool ProgramFeatures::read_one(std::uint16_t id, Picoseconds at, Picoseconds& ready) {
  const config::Channels& channels = context_.rules.channels;
  ChannelBus& bus = context_.bus;
  if (!bytes_next_) {
    ready = bus.get_feature(context_.die, next_feature(), at).ready_at + channels.t_rr;
    context_.arbiter.lock(context_.die);
    bytes_next_ = true;
    return false;
  }
  const OnfiTransaction& read = bus.feature_out(context_.die, at);
  context_.arbiter.unlock(context_.die);
  measured_[reading_] = read.parameters;
  ready = read.end + channels.t_rhw;
  bytes_next_ = false;
  ++reading_;
  const unsigned windows = (tables_.states() + 1) / 2;
  if (reading_ == windows) reading_ = kBerEp1;
  if (reading_ < end_) return false;
  tables_.write(id, report());
  return true;
}

wl_program_report ProgramFeatures::report() const {
  constexpr double kBerUnit = 1e-9;
  const onfi::MeasuredProgram measured = onfi::measured_program(measured_);
  const nand::PassWindows& windows = measured.report.windows;
  wl_program_report report{};
  report.states = windows.states;
  report.loops = windows.loops;
  report.ber_ep1 = static_cast<std::uint32_t>(std::lround(measured.report.ber_ep1 / kBerUnit));
  std::copy(windows.min.begin(), windows.min.end(), report.l_min);
  std::copy(windows.max.begin(), windows.max.end(), report.l_max);
  return report;
}

}  // namespace wordline::flash
