// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Raw bit errors of what a die holds.
#include <algorithm>
#include <cmath>

#include "models/nand/die_state.h"

namespace wordline::nand {

namespace {

// Program speed of the layers of a block: standard deviation in ISPP loops, and what shifts a pass window by a whole
// loop (both assumed). About one layer in twenty is a loop early or late.
constexpr double kSpeedSigma = 0.15;
constexpr double kShiftAt = 0.3;

// A block survives 518,420 reads spread over it, and 54,560 of one page, whose neighbours fail (STRAW, ASPLOS'26): a
// read of a neighbour counts 9.5 times. Fewer than kHotReads are not told from reads at random.
constexpr double kNeighbourReads = 8.5;
constexpr std::uint32_t kHotReads = 256;

}  // namespace

std::uint32_t Die::State::disturbing_reads(const Block& b, std::uint32_t page) const {
  if (b.hot_reads < kHotReads) return b.reads;
  // The number of the hot word line has 16 bits, enough for every block but those of absurd length.
  const WordLinePlace hot = word_line_place(order, layers, wls_per_layer, b.hot_word_line);
  const WordLinePlace here = place_of(page);
  const auto next = [](std::uint32_t x, std::uint32_t y) { return x + 1 == y || y + 1 == x; };
  // Planar word lines lie side by side.
  const bool neighbours = layers == 1 ? next(hot.v_layer, here.v_layer)
                                      : hot.v_layer == here.v_layer && next(hot.layer, here.layer);
  if (!neighbours) return b.reads;
  return b.reads + static_cast<std::uint32_t>(kNeighbourReads * b.hot_reads);
}

ProgramRates::Place Die::State::place(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  const Block& b = at(plane, block);
  ProgramRates::Place place{};
  place.layer = layer(page);
  place.erases = b.erases;
  if (!written_s.empty() && b.next_page != Block::kUntouched) {
    place.age = cells->age_of(Picoseconds(static_cast<std::int64_t>(now_s - written_s[index(b)]) * 1'000'000'000'000));
  }
  return place;
}

ProgramRates::Place Die::State::place_with_speed(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  ProgramRates::Place p = place(plane, block, page);
  const double speed =
      kSpeedSigma * cells->normal(keyed_hash(seed, kPurposeLayerSpeed, where(plane, block), p.layer));
  p.window_shift = speed > kShiftAt ? 1 : speed < -kShiftAt ? -1 : 0;
  return p;
}

References Die::State::references(const ReadParameters& parameters, double extra) const {
  References references = cells->references(parameters.step);
  for (unsigned r = 1; r < kMaxStates; ++r) {
    references[r] += (parameters.offset[r] + extra) * kReferenceStepMillivolts / kMillivoltsPerUnit;
  }
  return references;
}

double Die::State::rate(std::uint32_t plane, std::uint32_t block, std::uint32_t page,
                        const ReadParameters& parameters) const {
  const Block& b = at(plane, block);
  const WordLineDetail d = detail(b, word_line(page));
  if (extra(b).torn || (d.flags & WordLineDetail::kTorn) != 0) return kTornRate;
  // A default program looks at every state in every loop, so how fast the layer is does not matter.
  const ProgramRates::Place p =
      d.set == ProgramRates::kDefault ? place(plane, block, page) : place_with_speed(plane, block, page);
  const unsigned type = plans.page_type(page);
  // Of an even number of senses, the lower of the two in the middle.
  const double middle = parameters.senses % 2 == 0 ? -0.5 * parameters.delta : 0;
  const bool shifted = middle != 0 || parameters.shifted();
  const std::uint32_t reads = disturbing_reads(b, page);
  double rate = 0;
  if (d.set == ProgramRates::kDefault) {
    rate = shifted ? cells->rber_at(type, p.layer, references(parameters, middle), p.erases, reads, p.age)
                   : cells->rber(type, p.layer, parameters.step, p.erases, reads, p.age);
  } else {
    rate = shifted ? rates->rber_at(d.set, p, type, references(parameters, middle), reads)
                   : rates->rber(d.set, p, type, parameters.step, reads);
  }
  return std::min(rate * factor(plane, block, page), 0.5);
}

double Die::State::factor(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  const std::uint64_t number = where(plane, block);
  return cells->block_factor(keyed_hash(seed, kPurposeBlockFactor, number)) *
         cells->noise_factor(
             keyed_hash(seed, kPurposeWordLineNoise, number, word_line(page), at(plane, block).erases));
}

double Die::rber(PlaneId plane, BlockId block, PageId page, const ReadParameters& parameters) const {
  state_->check(plane, block, page);
  State::LastRate& last = state_->last_rate;
  const std::uint32_t reads = state_->at(plane.value(), block.value()).reads;
  if (last.plane == plane.value() && last.block == block.value() && last.page == page.value() && last.reads == reads &&
      last.parameters == parameters) {
    return last.rate;
  }
  last = {plane.value(), block.value(), page.value(), reads, parameters,
          state_->rate(plane.value(), block.value(), page.value(), parameters)};
  return last.rate;
}

double Die::rber(PlaneId plane, BlockId block, PageId page, unsigned step) const {
  ReadParameters parameters;
  parameters.step = static_cast<std::uint8_t>(std::min(step, 255U));
  return rber(plane, block, page, parameters);
}

unsigned Die::bit_errors(PlaneId plane, BlockId block, PageId page, unsigned codeword, unsigned bits,
                         const ReadParameters& parameters) const {
  const State& s = *state_;
  const double rate = rber(plane, block, page, parameters);
  if (s.draw_bits != bits) {
    s.draw = BitErrorDraw::shared(bits);
    s.draw_bits = bits;
  }
  const Block& b = s.at(plane.value(), block.value());
  const std::uint64_t what = static_cast<std::uint64_t>(page.value()) << 32 | codeword;
  const std::uint64_t place =
      keyed_hash(s.seed, State::kPurposeLastingErrors, s.where(plane.value(), block.value()), what, b.erases);
  std::uint64_t read =
      keyed_hash(place, State::kPurposeReadNoise, static_cast<std::uint64_t>(b.reads) << 8 | parameters.step);
  if (parameters.senses != 1 || parameters.shifted()) {
    read = keyed_hash(read, parameters.senses, parameters.delta);
    for (const std::int8_t offset : parameters.offset) read = keyed_hash(read, static_cast<std::uint8_t>(offset));
  }
  return s.draw->count(rate, place, read);
}

unsigned Die::bit_errors(PlaneId plane, BlockId block, PageId page, unsigned codeword, unsigned bits,
                         unsigned step) const {
  ReadParameters parameters;
  parameters.step = static_cast<std::uint8_t>(std::min(step, 255U));
  return bit_errors(plane, block, page, codeword, bits, parameters);
}

unsigned Die::layer(PageId page) const { return state_->layer(page.value()); }

SoftChannel Die::soft_channel(PlaneId plane, BlockId block, PageId page, const ReadParameters& parameters) const {
  const State& s = *state_;
  s.check(plane, block, page);
  if (parameters.senses < 1 || parameters.senses > 7) {
    s.reject(std::to_string(parameters.senses) + " senses per reference; 1 to 7", plane.value(), block.value(),
             page.value());
  }
  SoftChannel channel;
  channel.bins = parameters.senses;
  const Block& b = s.at(plane.value(), block.value());
  const WordLineDetail d = s.detail(b, s.word_line(page.value()));
  if (!readable(plane, block, page)) {
    channel.wrong[0] = State::kTornRate;
    channel.right[0] = 1 - State::kTornRate;
    return channel;
  }
  const ProgramRates::Place p = s.place_with_speed(plane.value(), block.value(), page.value());
  const auto [vth, scheme] = s.rates->word_line(d.set, p, s.disturbing_reads(b, page.value()));
  const References middle = s.references(parameters, 0);
  const double factor = s.factor(plane.value(), block.value(), page.value());
  const std::uint16_t mask = s.cells->mask(s.plans.page_type(page.value()));
  double rest = 1;
  for (unsigned r = 1; r < vth.states; ++r) {
    if ((mask >> r & 1U) == 0) continue;
    Crossings lower;
    for (unsigned i = 0; i < parameters.senses; ++i) {
      const double steps = (i - 0.5 * (parameters.senses - 1)) * parameters.delta;
      const double level = middle[r] + steps * kReferenceStepMillivolts / kMillivoltsPerUnit;
      const Crossings here = programmed_crossings(vth, scheme, r, level);
      if (i == 0) {
        channel.wrong[0] += factor * here.below;
      } else {
        const double of_lower = factor * (lower.above - here.above);
        const double of_upper = factor * (here.below - lower.below);
        const bool read_as_lower = i <= (parameters.senses - 1U) / 2;
        channel.wrong[i] += read_as_lower ? of_upper : of_lower;
        channel.right[i] += read_as_lower ? of_lower : of_upper;
      }
      lower = here;
    }
    channel.wrong[0] += factor * lower.above;
  }
  // A blocked string reads as the highest state at every level: wrong and sure in half of the bits.
  channel.wrong[0] += 0.5 * factor * blocked_strings(vth, scheme);
  rest -= channel.wrong[0];
  for (unsigned i = 1; i < channel.bins; ++i) rest -= channel.right[i] + channel.wrong[i];
  channel.right[0] = rest;
  return channel;
}

ProgramReport Die::program_report(PlaneId plane, BlockId block, PageId page) const {
  const State& s = *state_;
  if (!programmed(plane, block, page) || !readable(plane, block, page)) {
    s.reject("a report of a word line that is not programmed", plane.value(), block.value(), page.value());
  }
  const Block& b = s.at(plane.value(), block.value());
  const ProgramRates::Set set = s.detail(b, s.word_line(page.value())).set;
  const ProgramRates::Place p = s.place_with_speed(plane.value(), block.value(), page.value());
  ProgramReport report;
  report.windows = shifted_windows(s.rates->scheme(set), p.window_shift).windows;
  report.ber_ep1 = s.rates->ber_ep1(set, p) * s.factor(plane.value(), block.value(), page.value());
  return report;
}

}  // namespace wordline::nand
