// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/timing.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "models/nand/vth.h"

namespace wordline::nand {

namespace {

constexpr double kErasePulseStep = 500;  // mV

// nand.aging.wear_times, all assumed.
constexpr double kCyclesPerLoop = 1000;
constexpr double kFasterPrograms = 0.03, kFastestPrograms = 0.15;

std::string micro_count(const Plan& plan) {
  unsigned pulses = 0;
  unsigned checks = 0;
  Picoseconds pulse{};
  Picoseconds check{};
  plan.for_each([&](Picoseconds, const MicroOp& op) {
    if (op.kind == MicroOpKind::kPulse || op.kind == MicroOpKind::kErasePulse) {
      ++pulses;
      pulse = op.duration;
    } else {
      if (checks++ == 0) check = op.duration;
    }
  });
  char text[128];
  std::snprintf(text, sizeof text, "%u x %.3f pulse + %u x %.3f verify", pulses,
                static_cast<double>(pulse.count()) * 1e-6, checks, static_cast<double>(check.count()) * 1e-6);
  return text;
}

std::string read_parts(const Plan& plan) {
  unsigned senses = 0;
  double sense = 0;
  double ends[2] = {0, 0};
  plan.for_each([&](Picoseconds, const MicroOp& op) {
    const double us = static_cast<double>(op.duration.count()) * 1e-6;
    if (op.kind == MicroOpKind::kSense) {
      ++senses;
      sense = us;
    } else {
      ends[op.kind == MicroOpKind::kDischarge ? 1 : 0] = us;
    }
  });
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, "%.3f precharge + %u x %.3f sense + %.3f discharge", ends[0], senses, sense,
                ends[1]);
  return buffer;
}

/// A time scaled, in whole picoseconds.
Picoseconds times(Picoseconds t, double factor) {
  return Picoseconds(std::llround(static_cast<double>(t.count()) * factor));
}

std::string line(const std::string& name, const Plan& plan, const std::string& parts, bool pinned) {
  char text[256];
  std::snprintf(text, sizeof text, "%-10s %12.3f us = %s%s", name.c_str(),
                static_cast<double>(plan.total().count()) * 1e-6, parts.c_str(), pinned ? " (pinned total)" : "");
  return text;
}

/// Pinned total of page type `type` out of a list with one entry for all types, or one for each.
Picoseconds pinned(const std::vector<Picoseconds>& totals, unsigned type, unsigned types, const char* key) {
  if (totals.size() != 1 && totals.size() != types) {
    throw std::invalid_argument(
        fmt::format("{}: has {} entries; give one, or one per page type ({})", key, totals.size(), types));
  }
  return totals.size() == 1 ? totals[0] : totals[type];
}

}  // namespace

ArrayPlans::ArrayPlans(const config::Nand& nand, const config::Layout& layout, Bytes page)
    : page_types_(layout.page_types),
      one_shot_(nand.geometry.program == config::ProgramGranularity::kWordLine),
      pinned_(nand.timing.mode == config::ArrayTiming::kPinned),
      states_((1U << bits_per_cell(nand.geometry.cell)) - 1),
      ispp_(nand.ispp),
      pulse_(nand.timing.t_pgm),
      verify_(nand.timing.t_vfy),
      program_watts_(nand.energy.vcc * nand.energy.icc_program) {
  const config::NandTiming& t = nand.timing;
  const config::CellType cell = nand.geometry.cell;
  const double vcc = nand.energy.vcc;
  if (page_types_ != bits_per_cell(cell)) throw std::invalid_argument("nand: page types differ from bits per cell");

  const VthDistribution vth = vth_distribution(cell, nand.ispp.step, 2000, 1, 30);
  for (unsigned step = 0; step < kRetrySteps; ++step) {
    const References references = retry_references(cell, step);
    for (unsigned s = 1; s <= states_; ++s) {
      reference_levels_[step][s] = static_cast<float>(references[s] * kMillivoltsPerUnit);
    }
  }
  for (unsigned s = 1; s <= states_; ++s) {
    // A cell passes verify at the left edge of its state; the last pulse lifts it by half a step on average.
    verify_levels_[s] = static_cast<float>(vth.mean[s] * kMillivoltsPerUnit - nand.ispp.step.count() / 2);
  }

  const auto masks = page_references(cell, t.senses_per_page);
  for (unsigned type = 0; type < page_types_; ++type) {
    const Plan plan = Plan::read(t.t_precharge, t.t_sense, t.t_discharge, masks[type], reference_levels_[0],
                                 vcc * nand.energy.icc_read);
    read_.push_back(pinned_ ? plan.scaled_to(pinned(t.t_r, type, page_types_, "nand.timing.t_r")) : plan);
  }

  if (!(nand.ispp.step.count() > 0)) throw std::invalid_argument("nand.ispp.step: must be above 0 mV");
  if (pinned_ && one_shot_ && t.t_prog.size() != 1) {
    throw std::invalid_argument(
        fmt::format("nand.timing.t_prog: a word line programmed in one shot has one time, not {}; give one entry",
                    t.t_prog.size()));
  }
  for (unsigned pass = 0; pass < passes(); ++pass) {
    const Plan plan = derived_program(pass, {});
    base_program_.push_back(plan.total());
    program_.push_back(pinned_ ? plan.scaled_to(pinned(t.t_prog, pass, page_types_, "nand.timing.t_prog")) : plan);
  }

  erase_ =
      Plan::erase(t.t_erase_pulse, t.t_erase_verify, t.erase_loops, Millivolts(nand.ispp.erase_pulse_voltage * 1000),
                  Millivolts(kErasePulseStep), vcc * nand.energy.icc_erase);
  if (pinned_) erase_ = erase_.scaled_to(t.t_bers);
  const Bytes base = t.page.count() == 0 ? nand.geometry.page : t.page;
  const double size = page == base ? 1 : page_size_factor(page, base);
  if (size != 1) {
    for (Plan& plan : program_) plan = plan.scaled_to(times(plan.total(), size));
    erase_ = erase_.scaled_to(times(erase_.total(), size));
  }
  spread_over_layers(nand);
  for (unsigned loops = 1; nand.aging.wear_times && loops <= t.erase_loops; ++loops) {
    const Plan plan =
        Plan::erase(t.t_erase_pulse, t.t_erase_verify, loops, Millivolts(nand.ispp.erase_pulse_voltage * 1000),
                    Millivolts(kErasePulseStep), vcc * nand.energy.icc_erase);
    const double part = static_cast<double>(loops) / t.erase_loops;
    worn_erase_.push_back(plan.scaled_to(times(erase_.total(), part)));
  }
}

Plan ArrayPlans::worn_program(const Plan& plan, double pe_cycles) const {
  const double less = std::min(kFasterPrograms * pe_cycles / kCyclesPerLoop, kFastestPrograms);
  return less > 0 ? plan.scaled_to(times(plan.total(), 1 - less)) : plan;
}

const Plan& ArrayPlans::worn_erase(double pe_cycles) const {
  const double most = static_cast<double>(worn_erase_.size() - 1);
  return worn_erase_[static_cast<std::size_t>(std::min(std::floor(pe_cycles / kCyclesPerLoop), most))];
}

void ArrayPlans::spread_over_layers(const config::Nand& nand) {
  const unsigned layers = std::max(1U, nand.geometry.layers);
  const auto spread = [&](std::vector<Plan>& plans, double ratio) {
    if (ratio <= 1 || layers == 1) return false;  // tests leave it 0
    const std::vector<Plan> one = plans;
    plans.clear();
    for (unsigned layer = 0; layer < layers; ++layer) {
      const double factor = layer_speed_factor(layer, layers, ratio, nand.layer_speed.profile);
      for (const Plan& plan : one) plans.push_back(plan.scaled_to(times(plan.total(), factor)));
    }
    return true;
  };
  read_speed_ = spread(read_, nand.layer_speed.read);
  program_speed_ = spread(program_, nand.layer_speed.program);
}

Plan ArrayPlans::read(unsigned page_type, unsigned layer, const ReadParameters& parameters) const {
  StateLevels levels = reference_levels_[std::min<unsigned>(parameters.step, kRetrySteps - 1)];
  for (unsigned s = 1; s <= states_; ++s) {
    levels[s] += static_cast<float>(parameters.offset[s] * kReferenceStepMillivolts);
  }
  const Millivolts delta(parameters.delta * kReferenceStepMillivolts);
  return read(page_type, layer).sensed(parameters.senses, delta, levels);
}

Plan ArrayPlans::derived_program(unsigned pass, const ProgramParameters& parameters) const {
  const unsigned levels = one_shot_ ? states_ : (2U << pass) - 1;
  Millivolts window = ispp_.window;
  unsigned state_loops = ispp_.state_loops;
  if (levels != states_) {
    // A pass with fewer levels needs fewer loops: those of its highest level when the levels are one shot's.
    const long loops = std::clamp(std::lround(ispp_.window / ispp_.step), 1L, 251L);
    const long width = std::clamp<long>(state_loops, 1, loops);
    const long pass_loops = width + ((levels - 1) * (loops - width) + (states_ - 1) / 2) / (states_ - 1);
    window = ispp_.step * static_cast<double>(pass_loops);
    state_loops = static_cast<unsigned>(width);
  }
  const ProgramScheme scheme = program_scheme(ispp_.step, window, levels, std::max(1U, state_loops), parameters);
  const Millivolts start(ispp_.start_voltage * 1000);
  return Plan::program(pulse_, verify_, scheme.shape,
                       start + scheme.step * static_cast<double>(scheme.loops_dropped_at_start), scheme.step,
                       verify_levels_, program_watts_);
}

Plan ArrayPlans::program(unsigned page_type, unsigned layer, const ProgramParameters& parameters) const {
  const unsigned pass = one_shot_ ? 0 : page_type;
  const Plan plan = derived_program(pass, parameters);
  const Plan& made = program(page_type, layer);
  const Picoseconds base = base_program_[pass];
  if (made.total() == base) return plan;
  // A controller's parameters take micro-operations away; those that stay are as long as those of the default program.
  const auto total = static_cast<__int128>(plan.total().count()) * made.total().count() / base.count();
  return plan.scaled_to(Picoseconds(static_cast<std::int64_t>(total)));
}

double page_size_factor(Bytes page, Bytes base) {
  if (page.count() == 0 || base.count() == 0) throw std::invalid_argument("nand: a page of no bytes has no times");
  return std::pow(1.1, std::log2(static_cast<double>(page.count()) / static_cast<double>(base.count())));
}

double layer_speed_factor(unsigned layer, unsigned layers, double ratio, config::LayerProfile profile) {
  if (layers <= 1) return 1;
  const double slow = 2 * ratio / (ratio + 1);
  const double fast = 2 / (ratio + 1);
  if (profile == config::LayerProfile::kLinear) return slow - (slow - fast) * layer / (layers - 1);
  if (layers % 2 == 1 && layer == layers / 2) return 1;  // the odd one in the middle keeps the mean
  return layer < layers / 2 ? slow : fast;
}

std::string page_type_name(config::CellType cell, unsigned page_type) {
  static const char* const kNames[] = {"LSB", "CSB", "MSB", "TSB"};
  if (cell == config::CellType::kSlc) return "page";
  if (cell == config::CellType::kMlc) return page_type == 0 ? "LSB" : "MSB";
  return kNames[page_type & 3U];
}

std::vector<std::string> describe_timing(const config::Nand& nand, const config::Layout& layout) {
  const bool pin = nand.timing.mode == config::ArrayTiming::kPinned;
  const bool one_shot = nand.geometry.program == config::ProgramGranularity::kWordLine;
  std::vector<std::string> lines;
  const auto writes = [&](const ArrayPlans& plans, const std::string& of) {
    for (unsigned type = 0; type < (one_shot ? 1 : layout.page_types); ++type) {
      const Plan& plan = plans.program(type);
      const std::string name = one_shot ? "tPROG" : "tPROG " + page_type_name(nand.geometry.cell, type);
      lines.push_back(line(name + of, plan, micro_count(plan), pin));
    }
    lines.push_back(line("tBERS" + of, plans.erase(), micro_count(plans.erase()), pin));
  };
  const ArrayPlans plans(nand, layout);
  for (unsigned type = 0; type < layout.page_types; ++type) {
    const Plan& plan = plans.read(type);
    lines.push_back(line("tR " + page_type_name(nand.geometry.cell, type), plan, read_parts(plan), pin));
  }
  writes(plans, "");
  if (nand.region.blocks_per_plane != 0) writes(ArrayPlans(nand, layout, nand.region.page), ", small pages");
  return lines;
}

}  // namespace wordline::nand
