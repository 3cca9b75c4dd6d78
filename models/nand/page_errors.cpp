// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/page_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "models/nand/program_order.h"
#include "models/units/keyed_random.h"

namespace wordline::nand {

namespace {

constexpr std::uint64_t kPurposeBlockFactor = 0x626c6f636b;
constexpr std::uint64_t kPurposeLastingErrors = 0x6c617374;
constexpr std::uint64_t kPurposeReadNoise = 0x6e6f697365;
constexpr std::uint64_t kPurposeWordLineNoise = 0x72746e;
constexpr std::uint64_t kPurposeLayerSpeed = 0x7370656564;
constexpr double kTornRate = 0.25;
constexpr double kProgramDisturb =
    3;  // program disturb on the rate of a word line whose program was disturbed; assumed
// Errors per bit for each step from the one that moved references want, sure and wrong in soft reads, too; assumed. No
// decoder corrects one step (docs/measurements/ecc.md: 2e-2 with seven reads), and the nearest step has the fewest.
constexpr double kMovedStep = 0.04;

// Program speed of the layers of a block: standard deviation in ISPP loops, and what shifts a pass window by a whole
// loop (both assumed). About one layer in twenty is a loop early or late.
constexpr double kSpeedSigma = 0.15;
constexpr double kShiftAt = 0.3;

// A block survives 518,420 reads spread over it, and 54,560 of one page, whose neighbours fail (STRAW, ASPLOS'26): a
// read of a neighbour counts 9.5 times. Fewer than kHotReads do not differ from reads at random.
constexpr double kNeighbourReads = 8.5;
constexpr std::uint32_t kHotReads = 256;

}  // namespace

PageErrors::PageErrors(const ArrayGeometry& geometry, const BlockTable& blocks, const Device& device,
                       const BlockFaults& faults, const Fill& fill, std::uint64_t seed)
    : geometry_(geometry),
      blocks_(blocks),
      plans_(device.plans),
      faults_(faults),
      fill_(fill),
      ages_(device.ages),
      cells_(device.cells),
      rates_(*device.rates),
      slc_mode_(device.slc_mode.get()),
      seed_(seed),
      draws_(*device.draws) {}

bool PageErrors::readable(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  const Block& b = blocks_.at(plane, block);
  return !blocks_.extra(b).torn && !blocks_.detail(b, geometry_.word_line(page)).torn();
}

std::uint32_t PageErrors::disturbing_reads(const Block& b, std::uint32_t page) const {
  if (b.hot_reads < kHotReads) return b.reads;
  // The number of the hot word line has 16 bits, enough for every block but those of absurd length.
  const WordLinePosition hot =
      word_line_position(geometry_.order, geometry_.layers, geometry_.wls_per_layer, b.hot_word_line);
  const WordLinePosition here = geometry_.position_of(page);
  const auto next = [](std::uint32_t x, std::uint32_t y) { return x + 1 == y || y + 1 == x; };
  // Planar word lines lie side by side.
  const bool neighbours = geometry_.layers == 1 ? next(hot.v_layer, here.v_layer)
                                                : hot.v_layer == here.v_layer && next(hot.layer, here.layer);
  if (!neighbours) return b.reads;
  return b.reads + static_cast<std::uint32_t>(kNeighbourReads * b.hot_reads);
}

unsigned PageErrors::fill_age(PlaneId plane, BlockId block, PageId page, std::uint32_t lpage) const {
  if (ages_.empty() || !fill_ || !blocks_.at(plane.value(), block.value()).untouched()) return 0;
  const std::size_t region = ages_.region_of(fill_(geometry_.die, {plane, block, page, lpage}).lpn);
  return region == RegionAges::kNone ? 0 : cells_.region_age(region);
}

unsigned PageErrors::oldest_fill_age(PlaneId plane, BlockId block, PageId page) const {
  if (ages_.empty()) return 0;
  unsigned oldest = fill_age(plane, block, page, 0);
  for (std::uint32_t lpage = 1; lpage < geometry_.lpages_per_page(block.value()); ++lpage) {
    const unsigned age = fill_age(plane, block, page, lpage);
    if (cells_.days(age) > cells_.days(oldest)) oldest = age;
  }
  return oldest;
}

ProgramRates::WordLineState PageErrors::word_line_state(std::uint32_t plane, std::uint32_t block, std::uint32_t page,
                                                        unsigned age) const {
  const Block& b = blocks_.at(plane, block);
  ProgramRates::WordLineState state{};
  state.layer = geometry_.layer(page);
  state.erases = b.erases;
  state.age = age;
  if (blocks_.dated()) {
    state.age = b.untouched() ? cells_.age_after(age, blocks_.now()) : cells_.age_of(blocks_.age(b));
  }
  return state;
}

ProgramRates::WordLineState PageErrors::word_line_state_with_speed(std::uint32_t plane, std::uint32_t block,
                                                                   std::uint32_t page, unsigned age) const {
  ProgramRates::WordLineState p = word_line_state(plane, block, page, age);
  const double speed =
      kSpeedSigma * cells_.normal(keyed_hash(seed_, kPurposeLayerSpeed, geometry_.key(plane, block), p.layer));
  p.window_shift = speed > kShiftAt ? 1 : speed < -kShiftAt ? -1 : 0;
  return p;
}

References PageErrors::references(const CellModel& cells, const ReadParameters& parameters, double extra) {
  References references = cells.references(parameters.step);
  for (unsigned r = 1; r < kMaxStates; ++r) {
    references[r] += (parameters.offset[r] + extra) * kReferenceStepMillivolts / kMillivoltsPerUnit;
  }
  return references;
}

double PageErrors::rate_of(std::uint32_t plane, std::uint32_t block, std::uint32_t page, unsigned age,
                           const ReadParameters& parameters) const {
  if (!readable(plane, block, page) || faults_.page_unreadable(plane, block, page)) return kTornRate;
  const Sensed read = sensed(plane, block, page, age, parameters);
  return std::min(rate_of_cells(plane, block, page, age, read.parameters) * factor(plane, block, page) + read.more,
                  0.5);
}

PageErrors::Sensed PageErrors::sensed(std::uint32_t plane, std::uint32_t block, std::uint32_t page, unsigned age,
                                      const ReadParameters& parameters) const {
  const unsigned wanted = faults_.moved_step(plane, block, geometry_.layer(page));
  if (wanted == 0 || blocks_.extra(blocks_.at(plane, block)).slc_mode) return {parameters, 0};
  ReadParameters at;
  double least = 1;
  Sensed best{parameters, 0};
  for (at.step = 0; at.step < kRetrySteps; ++at.step) {
    const double rate = rate_of_cells(plane, block, page, age, at);
    if (!(rate < least)) continue;
    least = rate;
    best.parameters.step = at.step;
  }
  const unsigned step = std::min<unsigned>(parameters.step, kRetrySteps - 1);
  best.more = kMovedStep * (step > wanted ? step - wanted : wanted - step);
  return best;
}

double PageErrors::rate_of_cells(std::uint32_t plane, std::uint32_t block, std::uint32_t page, unsigned age,
                                 const ReadParameters& parameters) const {
  const Block& b = blocks_.at(plane, block);
  const WordLineDetail d = blocks_.detail(b, geometry_.word_line(page));
  // A default program verifies every state in every loop, so how fast the layer is does not matter.
  const ProgramRates::WordLineState p = d.set == ProgramRates::kDefault
                                            ? word_line_state(plane, block, page, age)
                                            : word_line_state_with_speed(plane, block, page, age);
  const unsigned type = plans_.page_type(page);
  // The reference in the middle; of an even number of senses, the lower of the two.
  const double middle = parameters.senses % 2 == 0 ? -0.5 * parameters.delta : 0;
  const bool shifted = middle != 0 || parameters.shifted();
  const std::uint32_t reads = disturbing_reads(b, page);
  if (d.set == ProgramRates::kDefault) {
    const CellModel& cells = cells_of(b);
    return shifted ? cells.rber_at(type, p.layer, references(cells, parameters, middle), p.erases, reads, p.age)
                   : cells.rber(type, p.layer, parameters.step, p.erases, reads, p.age);
  }
  return shifted ? rates_.rber_at(d.set, p, type, references(cells_, parameters, middle), reads)
                 : rates_.rber(d.set, p, type, parameters.step, reads);
}

double PageErrors::factor(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  const std::uint64_t number = geometry_.key(plane, block);
  const std::uint32_t word_line = geometry_.word_line(page);
  return cells_.block_factor(keyed_hash(seed_, kPurposeBlockFactor, number)) *
         cells_.noise_factor(
             keyed_hash(seed_, kPurposeWordLineNoise, number, word_line, blocks_.at(plane, block).erases)) *
         (faults_.program_disturbed(plane, block, word_line) ? kProgramDisturb : 1);
}

double PageErrors::rate(PlaneId plane, BlockId block, PageId page, const ReadParameters& parameters) const {
  return rate(plane, block, page, oldest_fill_age(plane, block, page), parameters);
}

double PageErrors::rate(PlaneId plane, BlockId block, PageId page, unsigned age,
                        const ReadParameters& parameters) const {
  const std::uint32_t reads = blocks_.at(plane.value(), block.value()).reads;
  if (last_.plane == plane.value() && last_.block == block.value() && last_.page == page.value() &&
      last_.reads == reads && last_.age == age && last_.parameters == parameters) {
    return last_.rate;
  }
  const double rate = rate_of(plane.value(), block.value(), page.value(), age, parameters);
  const std::uint64_t lasting = keyed_hash(seed_, kPurposeLastingErrors, geometry_.key(plane.value(), block.value()));
  last_ = {plane.value(), block.value(), page.value(), reads, age, parameters, rate, lasting};
  return rate;
}

void PageErrors::bit_errors(PlaneId plane, BlockId block, PageId page, const Codewords& codewords,
                            const ReadParameters& parameters, unsigned* errors) const {
  if (draw_bits_ != codewords.bits) {
    draw_ = &draws_.of(codewords.bits);
    draw_bits_ = codewords.bits;
  }
  const Block& b = blocks_.at(plane.value(), block.value());
  const std::uint64_t number = static_cast<std::uint64_t>(b.reads) << 8 | parameters.step;
  const bool plain = parameters.senses == 1 && !parameters.shifted();
  const auto draw_of = [&](unsigned codeword) {
    return draw_->at(
        rate(plane, block, page, fill_age(plane, block, page, codeword / geometry_.codewords_per_lpage), parameters));
  };
  BitErrorDraw::AtRate draw = draw_of(codewords.first);
  const std::uint64_t place = last_.lasting_key;
  const std::uint32_t erases = b.erases;
  for (unsigned i = 0; i < codewords.count; ++i) {
    const unsigned codeword = codewords.first + i;
    // Logical pages of a page may differ in age, nothing else.
    if (!ages_.empty()) draw = draw_of(codeword);
    const std::uint64_t what = static_cast<std::uint64_t>(page.value()) << 32 | codeword;
    const std::uint64_t lasting = keyed_hash_on(place, what, erases);
    std::uint64_t read = keyed_hash(lasting, kPurposeReadNoise, number);
    if (!plain) {
      read = keyed_hash(read, parameters.senses, parameters.delta);
      for (const std::int8_t offset : parameters.offset) read = keyed_hash(read, static_cast<std::uint8_t>(offset));
    }
    errors[i] = draw.count(lasting, read);
  }
}

SoftChannel PageErrors::soft_channel(PlaneId plane, BlockId block, PageId page,
                                     const ReadParameters& parameters) const {
  if (parameters.senses < 1 || parameters.senses > 7) {
    geometry_.reject(fmt::format("{} senses per reference; 1 to 7", parameters.senses), plane.value(), block.value(),
                     page.value());
  }
  SoftChannel channel;
  channel.bins = parameters.senses;
  const Block& b = blocks_.at(plane.value(), block.value());
  const WordLineDetail d = blocks_.detail(b, geometry_.word_line(page.value()));
  if (!readable(plane.value(), block.value(), page.value()) ||
      faults_.page_unreadable(plane.value(), block.value(), page.value())) {
    channel.wrong[0] = kTornRate;
    channel.right[0] = 1 - kTornRate;
    return channel;
  }
  const unsigned age = oldest_fill_age(plane, block, page);
  const ProgramRates::WordLineState p = word_line_state_with_speed(plane.value(), block.value(), page.value(), age);
  const Sensed read = sensed(plane.value(), block.value(), page.value(), age, parameters);
  const double scale = factor(plane.value(), block.value(), page.value());
  const SoftChannel average =
      rates_of(b).soft_channel(d.set, p, plans_.page_type(page.value()), read.parameters,
                               references(cells_of(b), read.parameters, 0), disturbing_reads(b, page.value()));
  for (unsigned i = 0; i < channel.bins; ++i) {
    channel.right[i] = scale * average.right[i];
    channel.wrong[i] = scale * average.wrong[i];
  }
  channel.wrong[0] += read.more;  // sure and wrong
  channel.right[0] = 1 - channel.wrong[0];
  for (unsigned i = 1; i < channel.bins; ++i) channel.right[0] -= channel.right[i] + channel.wrong[i];
  return channel;
}

ProgramReport PageErrors::program_report(PlaneId plane, BlockId block, PageId page) const {
  const Block& b = blocks_.at(plane.value(), block.value());
  const ProgramRates::Set set = blocks_.detail(b, geometry_.word_line(page.value())).set;
  const ProgramRates::WordLineState p = word_line_state_with_speed(plane.value(), block.value(), page.value(), 0);
  ProgramReport report;
  report.windows = shifted_windows(rates_.scheme(set), p.window_shift).windows;
  report.ber_ep1 = rates_.ber_ep1(set, p) * factor(plane.value(), block.value(), page.value());
  return report;
}

}  // namespace wordline::nand
