// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/features.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/config/bus_modes.h"

namespace wordline::onfi {

namespace {

constexpr double kCutMillivolts = 10;  // unit of Vstart raise and Vfinal cut
constexpr double kBerUnit = 1e-9;
// P1[5:4] of feature 01h.
constexpr unsigned kInterfaceSdr = 0;
constexpr unsigned kInterfaceDqs = 2;
constexpr unsigned kInterfaceLpddr4 = 3;
constexpr unsigned kPerFeature = 4;  // states or references
constexpr unsigned kGroups = nand::kMaxStates / kPerFeature;

bool in(std::uint8_t feature, std::uint8_t first, unsigned count) {
  return feature >= first && feature < first + count;
}

std::uint8_t byte_of(double value, const char* what) {
  const double rounded = std::round(value);
  if (rounded < 0 || rounded > 255) {
    throw std::invalid_argument(fmt::format("onfi features: {} does not fit a byte", what));
  }
  return static_cast<std::uint8_t>(rounded);
}

// State or reference k (from 1) is in parameter (k - 1) % 4 of feature (k - 1) / 4.
template <class Values>
FeatureParameters group_of(const Values& values, unsigned group) {
  FeatureParameters p{};
  for (unsigned i = 0; i < kPerFeature; ++i) {
    const unsigned k = group * kPerFeature + i + 1;
    if (k < nand::kMaxStates) p[i] = static_cast<std::uint8_t>(values[k]);
  }
  return p;
}
template <class Values>
void put_group(Values& values, unsigned group, const FeatureParameters& p) {
  for (unsigned i = 0; i < kPerFeature; ++i) {
    const unsigned k = group * kPerFeature + i + 1;
    if (k < nand::kMaxStates) values[k] = static_cast<typename Values::value_type>(p[i]);
  }
}

FeatureParameters voltages_of(const nand::ProgramParameters& p) {
  const double step = std::round(p.step.count());
  if (step < 0 || step > 65535) throw std::invalid_argument("onfi features: the ISPP step does not fit 16 bits of mV");
  const auto bits = static_cast<std::uint32_t>(step);
  return {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
          byte_of(p.start_raise.count() / kCutMillivolts, "the raise of Vstart"),
          byte_of(p.final_cut.count() / kCutMillivolts, "the cut of Vfinal")};
}

}  // namespace

FeatureParameters timing_mode_value(config::BusMode mode) {
  const unsigned interface = mode.interface == config::BusInterface::kSdr        ? kInterfaceSdr
                             : mode.interface == config::BusInterface::kNvLpddr4 ? kInterfaceLpddr4
                                                                                 : kInterfaceDqs;
  return {static_cast<std::uint8_t>((mode.number & 0xfU) | interface << 4 | (mode.number >> 4 & 1U) << 6), 0, 0, 0};
}

std::optional<config::BusMode> timing_mode(const FeatureParameters& value, config::BusInterface dqs) {
  config::BusMode mode{config::BusInterface::kSdr, (value[0] & 0xfU) | (value[0] >> 6 & 1U) << 4};
  switch (value[0] >> 4 & 3U) {
    case kInterfaceSdr:
      break;
    case kInterfaceDqs:
      mode.interface = dqs == config::BusInterface::kNvDdr2 ? dqs : config::BusInterface::kNvDdr3;
      break;
    case kInterfaceLpddr4:
      mode.interface = config::BusInterface::kNvLpddr4;
      break;
    default:
      return std::nullopt;
  }
  if (config::find_bus_mode(mode) == nullptr) return std::nullopt;
  return mode;
}

config::BusMode mode_after_reset(config::BusMode mode) {
  if (mode.interface == config::BusInterface::kSdr) return mode;
  return {mode.interface == config::BusInterface::kNvDdr2 ? config::BusInterface::kSdr : mode.interface, 0};
}

std::string FeatureRegisters::set(std::uint8_t feature, const FeatureParameters& value) {
  if (read_only(feature)) return fmt::format("feature {} is read only", feature);
  if (feature == kFeatureReferenceStep) {
    read_.step = value[0];
  } else if (feature == kFeatureSoftSenses) {
    const unsigned senses = std::max<unsigned>(1, value[0]);
    if (senses > 7 || senses == 4 || senses == 6) {
      return fmt::format("{} senses per reference; 1, 2, 3, 5 or 7", senses);
    }
    read_.senses = static_cast<std::uint8_t>(senses);
    read_.delta = value[1] != 0 ? value[1] : nand::ReadParameters{}.delta;
  } else if (feature == kFeatureProgramVoltages) {
    program_.step = Millivolts(value[0] | value[1] << 8);
    program_.start_raise = Millivolts(value[2] * kCutMillivolts);
    program_.final_cut = Millivolts(value[3] * kCutMillivolts);
  } else if (in(feature, kFeatureVerifySkip, kGroups)) {
    put_group(program_.skip, feature - kFeatureVerifySkip, value);
  } else if (feature == kFeatureProgramPass) {
    if (value[0] > 2) return fmt::format("program pass {}; 0 whole, 1 coarse, 2 fine", value[0]);
    program_.pass = static_cast<nand::ProgramPass>(value[0]);
  } else if (in(feature, kFeatureReferenceOffset, kGroups)) {
    put_group(read_.offset, feature - kFeatureReferenceOffset, value);
  }
  registers_[feature] = value;
  return {};
}

void FeatureRegisters::report(const nand::ProgramReport* report, bool failed) {
  for (unsigned f = kFeatureLoopWindows; f <= kFeatureProgramResult; ++f) registers_[f] = {};
  registers_[kFeatureProgramResult][0] = failed ? 1 : 0;
  if (report == nullptr) return;
  const nand::PassWindows& w = report->windows;
  for (unsigned s = 1; s <= w.states; ++s) {
    FeatureParameters& p = registers_[kFeatureLoopWindows + (s - 1) / 2];
    p[(s - 1) % 2 * 2] = w.min[s];
    p[(s - 1) % 2 * 2 + 1] = w.max[s];
  }
  const auto ber = static_cast<std::uint32_t>(std::lround(std::min(report->ber_ep1, 1.0) / kBerUnit));
  for (unsigned i = 0; i < 4; ++i) registers_[kFeatureBerEp1][i] = static_cast<std::uint8_t>(ber >> (8 * i));
  registers_[kFeatureProgramResult][1] = w.loops;
  registers_[kFeatureProgramResult][2] = w.states;
}

std::vector<FeatureWrite> feature_writes(const nand::ProgramParameters& from, const nand::ProgramParameters& to) {
  std::vector<FeatureWrite> writes;
  const auto change = [&](std::uint8_t feature, const FeatureParameters& before, const FeatureParameters& after) {
    if (before != after) writes.push_back({feature, after});
  };
  change(kFeatureProgramVoltages, voltages_of(from), voltages_of(to));
  for (unsigned g = 0; g < kGroups; ++g) {
    change(static_cast<std::uint8_t>(kFeatureVerifySkip + g), group_of(from.skip, g), group_of(to.skip, g));
  }
  change(kFeatureProgramPass, {static_cast<std::uint8_t>(from.pass), 0, 0, 0},
         {static_cast<std::uint8_t>(to.pass), 0, 0, 0});
  return writes;
}

std::vector<FeatureWrite> feature_writes(const nand::ReadParameters& from, const nand::ReadParameters& to) {
  std::vector<FeatureWrite> writes;
  if (from.step != to.step) writes.push_back({kFeatureReferenceStep, {to.step, 0, 0, 0}});
  if (from.senses != to.senses || from.delta != to.delta) {
    writes.push_back({kFeatureSoftSenses, {to.senses, to.delta, 0, 0}});
  }
  for (unsigned g = 0; g < kGroups; ++g) {
    const FeatureParameters after = group_of(to.offset, g);
    if (group_of(from.offset, g) != after) {
      writes.push_back({static_cast<std::uint8_t>(kFeatureReferenceOffset + g), after});
    }
  }
  return writes;
}

MeasuredProgram measured_program(const std::array<FeatureParameters, 10>& features) {
  MeasuredProgram m;
  const FeatureParameters& result = features[kFeatureProgramResult - kFeatureLoopWindows];
  m.failed = result[0] != 0;
  nand::PassWindows& w = m.report.windows;
  w.loops = result[1];
  w.states = std::min<std::uint8_t>(result[2], nand::kMaxStates - 1);
  for (unsigned s = 1; s <= w.states; ++s) {
    const FeatureParameters& p = features[(s - 1) / 2];
    w.min[s] = p[(s - 1) % 2 * 2];
    w.max[s] = p[(s - 1) % 2 * 2 + 1];
  }
  std::uint32_t ber = 0;
  for (unsigned i = 0; i < 4; ++i) {
    ber |= std::uint32_t{features[kFeatureBerEp1 - kFeatureLoopWindows][i]} << (8 * i);
  }
  m.report.ber_ep1 = ber * kBerUnit;
  return m;
}

}  // namespace wordline::onfi
