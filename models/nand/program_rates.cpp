// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/program_rates.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/units/keyed_random.h"

namespace wordline::nand {

namespace {

constexpr unsigned kPlanarString = 64;           // cells of a planar string; assumed
constexpr std::size_t kMaxSets = 4096;           // twelve bits of a row's key
constexpr std::size_t kMaxSoftSenses = 1 << 14;  // 5 MiB; references that learn have a great many

}  // namespace

ProgramRates::ProgramRates(const config::Nand& nand, const CellModel& cells)
    : cells_(cells),
      device_step_(nand.ispp.step),
      window_(nand.ispp.window),
      states_((1U << bits_per_cell(nand.geometry.cell)) - 1),
      state_loops_(std::max(1U, nand.ispp.state_loops)),
      string_cells_(nand.geometry.layers > 1 ? nand.geometry.layers : kPlanarString) {
  sets_.reserve(kMaxSets);  // references to sets stay valid
  add({});
}

void ProgramRates::add(const ProgramParameters& parameters) {
  ProgramScheme scheme = program_scheme(device_step_, window_, states_, state_loops_, parameters);
  scheme.string_cells = string_cells_;
  sets_.push_back({parameters, scheme});
}

ProgramRates::Set ProgramRates::number(const ProgramParameters& parameters) {
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    if (sets_[i].parameters == parameters) return static_cast<Set>(i);
  }
  if (sets_.size() == kMaxSets) {
    throw std::length_error(fmt::format(
        "nand program parameters: more than {} different sets in one run; let the policy choose from fewer", kMaxSets));
  }
  add(parameters);
  return static_cast<Set>(sets_.size() - 1);
}

/// The lowest four bits and those from 48 to 51 are zero.
std::uint64_t ProgramRates::word_line_key(Set set, const WordLineState& state, unsigned page_type) const {
  return static_cast<std::uint64_t>(set) << 52 |
         static_cast<std::uint64_t>(cells_.condition(state.erases, state.age)) << 32 |
         static_cast<std::uint64_t>(state.layer) << 10 | static_cast<std::uint64_t>(state.window_shift + 1) << 8 |
         page_type << 4;
}

double ProgramRates::rber(Set set, const WordLineState& state, unsigned page_type, unsigned step, std::uint32_t reads) {
  step = std::min(step, kRetrySteps - 1);
  const auto [lower, part] = CellModel::between_knots(reads);
  const std::uint64_t key = word_line_key(set, state, page_type) | static_cast<std::uint64_t>(lower) << 48 | step;
  auto found = rates_.find(key);
  if (found == rates_.end()) {
    const auto at = [&](unsigned knot) {
      const auto [vth, scheme] = word_line(set, state, CellModel::reads_at(knot));
      return programmed_rber(vth, cells_.references(step), cells_.mask(page_type), scheme);
    };
    found = rates_.emplace(key, RateKnots{at(lower), at(lower + 1)}).first;
  }
  const auto& [from, to] = found->second;
  return from + part * (to - from);
}

std::pair<VthDistribution, ProgramScheme> ProgramRates::word_line(Set set, const WordLineState& state,
                                                                  std::uint32_t reads) const {
  const WordLineCells& cells = cells_.cells(state.layer, state.erases, state.age);
  const ProgramScheme scheme = shifted_windows(sets_[set].scheme, state.window_shift);
  const VthDistribution vth = placed(cells.vth, scheme, cells.width);
  return {read_disturbed(vth, cells_.pe_cycles(state.erases), reads), scheme};
}

double ProgramRates::rber_at(Set set, const WordLineState& state, unsigned page_type, const References& references,
                             std::uint32_t reads) const {
  const auto [vth, scheme] = word_line(set, state, reads);
  return programmed_rber(vth, references, cells_.mask(page_type), scheme);
}

std::size_t ProgramRates::SoftSenseHash::operator()(const SoftSense& sense) const {
  const ReadParameters& p = sense.parameters;
  std::uint64_t offsets = 0;
  for (const std::int8_t offset : p.offset) offsets = offsets * 257 + static_cast<std::uint8_t>(offset);
  const std::uint64_t how = static_cast<std::uint64_t>(p.step) << 24 | p.senses << 16 | p.delta << 8 | sense.knot;
  return static_cast<std::size_t>(keyed_hash(sense.word_line, how, offsets));
}

SoftChannel ProgramRates::sense(Set set, const WordLineState& state, unsigned page_type,
                                const ReadParameters& parameters, const References& middle, std::uint32_t reads) const {
  const auto [vth, scheme] = word_line(set, state, reads);
  const std::uint16_t mask = cells_.mask(page_type);
  SoftChannel channel;
  channel.bins = parameters.senses;
  for (unsigned r = 1; r < vth.states; ++r) {
    if ((mask >> r & 1U) == 0) continue;
    Crossings lower;
    for (unsigned i = 0; i < parameters.senses; ++i) {
      const double steps = (i - 0.5 * (parameters.senses - 1)) * parameters.delta;
      const double level = middle[r] + steps * kReferenceStepMillivolts / kMillivoltsPerUnit;
      const Crossings here = programmed_crossings(vth, scheme, r, level);
      if (i == 0) {
        channel.wrong[0] += here.below;
      } else {
        const double of_lower = lower.above - here.above;
        const double of_upper = here.below - lower.below;
        const bool read_as_lower = i <= (parameters.senses - 1U) / 2;
        channel.wrong[i] += read_as_lower ? of_upper : of_lower;
        channel.right[i] += read_as_lower ? of_lower : of_upper;
      }
      lower = here;
    }
    channel.wrong[0] += lower.above;
  }
  // A blocked string reads as the highest state at every level: wrong and sure in half of the bits.
  channel.wrong[0] += 0.5 * blocked_strings(vth, scheme);
  return channel;
}

SoftChannel ProgramRates::soft_channel(Set set, const WordLineState& state, unsigned page_type,
                                       const ReadParameters& parameters, const References& middle,
                                       std::uint32_t reads) {
  const auto [lower, part] = CellModel::between_knots(reads);
  const SoftSense sensed{word_line_key(set, state, page_type), lower, parameters};
  auto found = soft_.find(sensed);
  if (found == soft_.end()) {
    if (soft_.size() == kMaxSoftSenses) soft_.clear();
    const auto at = [&](unsigned knot) {
      return sense(set, state, page_type, parameters, middle, CellModel::reads_at(knot));
    };
    found = soft_.emplace(sensed, SoftKnots{at(lower), at(lower + 1)}).first;
  }
  const auto& [from, to] = found->second;
  SoftChannel channel;
  channel.bins = parameters.senses;
  for (unsigned i = 0; i < channel.bins; ++i) {
    channel.right[i] = from.right[i] + part * (to.right[i] - from.right[i]);
    channel.wrong[i] = from.wrong[i] + part * (to.wrong[i] - from.wrong[i]);
  }
  return channel;
}

double ProgramRates::ber_ep1(Set set, const WordLineState& state) {
  const std::uint64_t key = word_line_key(set, {state.layer, state.window_shift, state.erases, 0}, 0);
  const auto found = ber_ep1_.find(key);
  if (found != ber_ep1_.end()) return found->second;
  const WordLineCells& cells = cells_.written_cells(state.layer, state.erases);
  const ProgramScheme scheme = shifted_windows(sets_[set].scheme, state.window_shift);
  const double rate = programmed_rber(placed(cells.vth, scheme, cells.width), cells_.references(0), 1U << 1, scheme);
  return ber_ep1_.emplace(key, rate).first->second;
}

}  // namespace wordline::nand
