// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/die.h"

#include <cmath>

#include "models/nand/die_state.h"

namespace wordline::nand {

Die::State::State(const config::Nand& nand, const config::Layout& layout, DieId id, std::uint64_t run_seed,
                  Fill content)
    : die(id),
      seed(run_seed),
      planes(nand.geometry.planes),
      blocks_per_plane(nand.geometry.blocks_per_plane),
      pages_per_block(layout.pages_per_block),
      pages_per_program(layout.pages_per_program),
      sectors_per_page(layout.sectors_per_page),
      page_types(std::max(1U, layout.page_types)),
      wls_per_layer(std::max(1U, nand.geometry.wls_per_layer)),
      layers(std::max(1U, nand.geometry.layers)),
      order(nand.geometry.order),
      faults(nand.faults),
      fill(std::move(content)),
      plans(nand, layout),
      cells(CellModel::shared(nand)),
      rates(ProgramRates::shared(nand, cells)),
      blocks(static_cast<std::size_t>(planes) * blocks_per_plane),
      store(layout.pages_per_block, layout.sectors_per_page) {
  if (planes == 0 || planes > 32 || blocks_per_plane == 0 || pages_per_block == 0 || pages_per_program == 0 ||
      sectors_per_page == 0 || pages_per_block % pages_per_program != 0) {
    throw std::invalid_argument("nand.geometry: needs 1 to 32 planes, blocks, pages and sectors");
  }
  if (nand.aging.page_age) written_s.resize(blocks.size());
  if (order == config::ProgramOrder::kMixed) {
    if (pages_per_program != page_types) {
      throw std::invalid_argument("nand.program_order: mixed needs nand.program = wordline");
    }
    next_layer.resize(blocks.size() * wls_per_layer);
  }
}

void Die::State::reject(const std::string& what, std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  throw std::logic_error("nand die " + std::to_string(die.value()) + " plane " + std::to_string(plane) + " block " +
                         std::to_string(block) + " page " + std::to_string(page) + ": " + what);
}

void Die::State::check(PlaneId plane, BlockId block, PageId page) const {
  if (plane.value() >= planes || block.value() >= blocks_per_plane || page.value() >= pages_per_block) {
    reject("outside the die of " + std::to_string(planes) + " planes, " + std::to_string(blocks_per_plane) +
               " blocks, " + std::to_string(pages_per_block) + " pages",
           plane.value(), block.value(), page.value());
  }
}

void Die::State::check_mask(std::uint32_t mask, BlockId block, PageId page) const {
  if (mask == 0 || (planes < 32 && mask >> planes != 0)) {
    reject("plane mask " + std::to_string(mask) + " selects no plane, or one beyond " + std::to_string(planes), 0,
           block.value(), page.value());
  }
  check(PlaneId(0), block, page);
}

void Die::State::check_unit(BlockId block, PageId page) const {
  check(PlaneId(0), block, page);
  if (page.value() % pages_per_program != 0) {
    reject("a program starts at a multiple of " + std::to_string(pages_per_program) + " pages", 0, block.value(),
           page.value());
  }
}

WordLineDetail& Die::State::detail_for_change(Block& b, std::uint32_t word_line) {
  BlockExtra& extra = extra_for_change(b);
  if (extra.detail == BlockExtra::kNoDetail) {
    if (free_details.empty()) {
      free_details.push_back(static_cast<std::uint32_t>(details.size()));
      details.emplace_back(pages_per_block / page_types);
    }
    extra.detail = free_details.back();
    free_details.pop_back();
  }
  return details[extra.detail][word_line];
}

void Die::State::forget_details(Block& b) {
  if (extra(b).detail == BlockExtra::kNoDetail) return;
  BlockExtra& extra = extra_for_change(b);
  std::fill(details[extra.detail].begin(), details[extra.detail].end(), WordLineDetail{});
  free_details.push_back(extra.detail);
  extra.detail = BlockExtra::kNoDetail;
  b.special = extra.torn || extra.failed ? 1 : 0;
}

bool Die::State::filled(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  if (!fill) return false;
  for (std::uint32_t s = 0; s < sectors_per_page; ++s) {
    const StoredSector stored =
        fill(die, {PlaneId(static_cast<std::uint8_t>(plane)), BlockId(block), PageId(page), s});
    if (!stored.token.is_zero() || stored.lpn != 0xffffffff) return true;
  }
  return false;
}

bool Die::State::accepts(std::uint32_t plane, std::uint32_t block, std::uint32_t page, ProgramPass pass,
                         const StoredSector* sectors, std::uint32_t mask) const {
  const Block& b = at(plane, block);
  if (extra(b).torn) return false;
  if (pass != ProgramPass::kFine) {
    if (b.next_page == Block::kUntouched && filled(plane, block, page)) return false;
    if (order != config::ProgramOrder::kMixed) return page == (b.next_page == Block::kUntouched ? 0 : b.next_page);
    const WordLinePlace at = place_of(page);
    return next_layer[(static_cast<std::size_t>(plane) * blocks_per_plane + block) * wls_per_layer + at.v_layer] ==
           at.layer;
  }
  if (!written(plane, block, page)) return false;
  if ((detail(b, word_line(page)).flags & WordLineDetail::kCoarse) == 0) return false;
  for (std::uint32_t p = 0; p < pages_per_program; ++p) {
    bool same = true;
    for_planes(mask, [&](std::uint32_t other) {
      for (std::uint32_t i = 0; i < sectors_per_page; ++i, ++sectors) {
        if (other != plane) continue;
        same = same && store.token(b.extent, page + p, i) == sectors->token &&
               store.lpn(b.extent, page + p, i) == sectors->lpn;
      }
    });
    if (!same) return false;
  }
  return true;
}

bool Die::State::factory_bad(std::uint32_t plane, std::uint32_t block) const {
  return faults.bad_blocks > 0 &&
         unit_interval(keyed_hash(seed, kPurposeFactoryBad, where(plane, block))) < faults.bad_blocks;
}

double Die::State::failure_probability(double rated, std::uint32_t erases) const {
  if (!(rated > 0) || faults.rated_cycles == 0) return 0;
  const double wear = cells->pe_configured() + erases;
  return rated * std::pow(wear / faults.rated_cycles, 4);
}

bool Die::State::program_fails(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  if (factory_bad(plane, block)) return true;
  const std::uint32_t erases = at(plane, block).erases;
  const double p = failure_probability(faults.program_failures, erases);
  return p > 0 && unit_interval(keyed_hash(seed, kPurposeProgramFails, where(plane, block), page, erases)) < p;
}

bool Die::State::erase_fails(std::uint32_t plane, std::uint32_t block) const {
  if (extra(at(plane, block)).failed || factory_bad(plane, block)) return true;
  const std::uint32_t erases = at(plane, block).erases;
  const double p = failure_probability(faults.erase_failures, erases);
  return p > 0 && unit_interval(keyed_hash(seed, kPurposeEraseFails, where(plane, block), erases)) < p;
}

bool Die::State::written(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  const Block& b = at(plane, block);
  if (b.next_page == Block::kUntouched) return false;
  if (order != config::ProgramOrder::kMixed) return page < b.next_page;
  const WordLinePlace place = place_of(page);
  return place.layer <
         next_layer[(static_cast<std::size_t>(plane) * blocks_per_plane + block) * wls_per_layer + place.v_layer];
}

void Die::State::use_up(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
  Block& b = at(plane, block);
  const bool first = b.next_page == Block::kUntouched || b.next_page == 0;
  if (first && !written_s.empty()) written_s[index(b)] = now_s;
  // Mixed order: how far each v-layer is; next_page only tells that the block is in use.
  b.next_page = std::max(b.next_page == Block::kUntouched ? 0 : b.next_page, page + pages_per_program);
  if (order != config::ProgramOrder::kMixed) return;
  const WordLinePlace place = place_of(page);
  std::uint16_t& next = next_in_v_layer(plane, block, place.v_layer);
  next = std::max(next, static_cast<std::uint16_t>(place.layer + 1));
}

void Die::State::tear(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
  detail_for_change(at(plane, block), word_line(page)).flags |= WordLineDetail::kTorn;
  use_up(plane, block, page);
}

Die::Die(const config::Nand& nand, const config::Layout& layout, DieId id, std::uint64_t seed, Fill fill)
    : state_(std::make_unique<State>(nand, layout, id, seed, std::move(fill))) {}
Die::~Die() = default;

void Die::set_time(Picoseconds now) {
  const auto seconds = static_cast<std::uint32_t>(now.count() / 1'000'000'000'000);
  if (seconds == state_->now_s) return;
  state_->now_s = seconds;
  state_->last_rate.plane = 0xffffffff;  // data have aged
}

// ---- plans ---------------------------------------------------------------------------------------------------------

Plan Die::plan_read(BlockId block, PageId page, const ReadParameters& parameters) const {
  state_->check(PlaneId(0), block, page);
  const unsigned type = state_->plans.page_type(page.value());
  const unsigned layer = state_->layer(page.value());
  return parameters == ReadParameters{} ? state_->plans.read(type, layer) : state_->plans.read(type, layer, parameters);
}

Plan Die::plan_program(BlockId block, PageId page, const ProgramParameters& parameters) const {
  state_->check_unit(block, page);
  const unsigned type = state_->plans.page_type(page.value());
  const unsigned layer = state_->layer(page.value());
  return parameters == ProgramParameters{} ? state_->plans.program(type, layer)
                                           : state_->plans.program(type, layer, parameters);
}

Plan Die::plan_erase(BlockId block) const {
  state_->check(PlaneId(0), block, PageId(0));
  return state_->plans.erase();
}

// ---- commits -------------------------------------------------------------------------------------------------------

void Die::commit_read(std::uint32_t plane_mask, BlockId block, PageId page, const ReadParameters& parameters) {
  State& s = *state_;
  s.check_mask(plane_mask, block, page);
  const std::uint32_t word_line = s.word_line(page.value());
  s.for_planes(plane_mask, [&](std::uint32_t plane) { s.at(plane, block.value()).count_read(word_line); });
  ++s.counters.page_reads;
  const Picojoules energy = plan_read(block, page, parameters).energy();
  s.counters.energy += energy;
  s.counters.read_energy += energy;
}

OperationStatus Die::commit_program(std::uint32_t plane_mask, BlockId block, PageId page, const StoredSector* sectors,
                                    const ProgramParameters& parameters) {
  State& s = *state_;
  s.check_mask(plane_mask, block, page);
  const Picojoules energy = plan_program(block, page, parameters).energy();
  ++s.counters.programs;
  s.counters.energy += energy;
  s.counters.program_energy += energy;

  bool accepted = true;
  s.for_planes(plane_mask, [&](std::uint32_t plane) {
    accepted =
        accepted && s.accepts(plane, block.value(), page.value(), parameters.pass, sectors, plane_mask);
  });
  if (!accepted) return OperationStatus::kRefused;

  std::uint32_t failed = 0;  // planes
  s.for_planes(plane_mask, [&](std::uint32_t plane) {
    if (s.program_fails(plane, block.value(), page.value())) failed |= 1U << plane;
  });
  const ProgramRates::Set set = s.rates->number(parameters);
  const std::uint32_t word_line = s.word_line(page.value());
  for (std::uint32_t p = 0; p < s.pages_per_program; ++p) {
    s.for_planes(plane_mask, [&](std::uint32_t plane) {
      Block& b = s.at(plane, block.value());
      if ((failed >> plane & 1U) != 0) {
        sectors += s.sectors_per_page;
        return;
      }
      if (b.extent == PageStore::kNone) b.extent = s.store.acquire();
      for (std::uint32_t i = 0; i < s.sectors_per_page; ++i, ++sectors) {
        s.store.write(b.extent, page.value() + p, i, sectors->token, sectors->lpn);
      }
      s.counters.sectors_programmed += s.sectors_per_page;
    });
  }
  s.for_planes(plane_mask, [&](std::uint32_t plane) {
    Block& b = s.at(plane, block.value());
    if ((failed >> plane & 1U) != 0) {
      s.extra_for_change(b).failed = true;
      s.tear(plane, block.value(), page.value());
      return;
    }
    s.use_up(plane, block.value(), page.value());
    if (set == ProgramRates::kDefault && s.extra(b).detail == BlockExtra::kNoDetail) return;
    WordLineDetail& detail = s.detail_for_change(b, word_line);
    detail.set = set;
    detail.flags = static_cast<std::uint8_t>(detail.flags & ~WordLineDetail::kCoarse);
    if (parameters.pass == ProgramPass::kCoarse) detail.flags |= WordLineDetail::kCoarse;
  });
  s.last_rate.plane = 0xffffffff;
  if (failed == 0) return OperationStatus::kOk;
  ++s.counters.failures;
  return OperationStatus::kFail;
}

OperationStatus Die::commit_erase(std::uint32_t plane_mask, BlockId block) {
  State& s = *state_;
  s.check_mask(plane_mask, block, PageId(0));
  bool failed = false;
  s.for_planes(plane_mask, [&](std::uint32_t plane) {
    const bool fails = s.erase_fails(plane, block.value());
    Block& b = s.at(plane, block.value());
    if (b.extent != PageStore::kNone) s.store.release(b.extent);
    b.extent = PageStore::kNone;
    s.forget_details(b);
    for (std::uint32_t v = 0; v < s.wls_per_layer && !s.next_layer.empty(); ++v) {
      s.next_in_v_layer(plane, block.value(), v) = 0;
    }
    b.next_page = 0;
    b.forget_reads();
    if (fails || b.special != 0) {
      BlockExtra& extra = s.extra_for_change(b);
      extra.torn = fails;
      extra.failed = extra.failed || fails;
      b.special = extra.failed ? 1 : 0;
    }
    ++b.erases;
    failed = failed || fails;
  });
  s.last_rate.plane = 0xffffffff;
  ++s.counters.erases;
  const Picojoules energy = s.plans.erase().energy();
  s.counters.energy += energy;
  s.counters.erase_energy += energy;
  if (!failed) return OperationStatus::kOk;
  ++s.counters.failures;
  return OperationStatus::kFail;
}

// ---- interrupted operations ----------------------------------------------------------------------------------------

void Die::interrupt_program(std::uint32_t plane_mask, BlockId block, PageId page, Picoseconds elapsed,
                            const ProgramParameters& parameters) {
  State& s = *state_;
  s.check_mask(plane_mask, block, page);
  const Plan plan = plan_program(block, page, parameters);
  if (elapsed <= Picoseconds{}) return;
  if (elapsed >= plan.total()) s.reject("interrupted after its end", 0, block.value(), page.value());
  ++s.counters.interrupted;
  s.counters.energy += plan.energy_until(elapsed);
  s.counters.program_energy += plan.energy_until(elapsed);
  s.last_rate.plane = 0xffffffff;
  s.for_planes(plane_mask, [&](std::uint32_t plane) {
    Block& b = s.at(plane, block.value());
    // A fill that is overwritten loses the block: nothing tells which of its word lines are hit.
    if (b.next_page == Block::kUntouched && s.filled(plane, block.value(), page.value())) {
      s.extra_for_change(b).torn = true;
      b.next_page = 0;
      return;
    }
    s.tear(plane, block.value(), page.value());
  });
}

void Die::interrupt_erase(std::uint32_t plane_mask, BlockId block, Picoseconds elapsed) {
  State& s = *state_;
  s.check_mask(plane_mask, block, PageId(0));
  const Plan plan = plan_erase(block);
  if (elapsed <= Picoseconds{}) return;
  if (elapsed >= plan.total()) s.reject("erase interrupted after its end", 0, block.value(), 0);
  ++s.counters.interrupted;
  s.counters.energy += plan.energy_until(elapsed);
  s.counters.erase_energy += plan.energy_until(elapsed);
  s.last_rate.plane = 0xffffffff;
  s.for_planes(plane_mask, [&](std::uint32_t plane) {
    Block& b = s.at(plane, block.value());
    if (b.extent != PageStore::kNone) s.store.release(b.extent);
    b.extent = PageStore::kNone;
    s.forget_details(b);
    b.next_page = 0;
    s.extra_for_change(b).torn = true;
  });
}

void Die::interrupt_read(std::uint32_t plane_mask, BlockId block, PageId page, Picoseconds elapsed,
                         const ReadParameters& parameters) {
  State& s = *state_;
  s.check_mask(plane_mask, block, page);
  const Plan plan = plan_read(block, page, parameters);
  if (elapsed <= Picoseconds{}) return;
  const std::uint32_t word_line = s.word_line(page.value());
  s.for_planes(plane_mask, [&](std::uint32_t plane) { s.at(plane, block.value()).count_read(word_line); });
  ++s.counters.interrupted;
  s.counters.energy += plan.energy_until(elapsed);
  s.counters.read_energy += plan.energy_until(elapsed);
}

// ---- what is in the array ------------------------------------------------------------------------------------------

StoredSector Die::sector(const SectorAddress& at) const {
  const State& s = *state_;
  s.check(at.plane, at.block, at.page);
  if (at.sector >= s.sectors_per_page) {
    s.reject("sector " + std::to_string(at.sector) + " of a page of " + std::to_string(s.sectors_per_page),
             at.plane.value(), at.block.value(), at.page.value());
  }
  const Block& b = s.at(at.plane.value(), at.block.value());
  if (s.extra(b).torn) return {};
  if (b.next_page == Block::kUntouched) return s.fill ? s.fill(s.die, at) : StoredSector{};
  if (!s.written(at.plane.value(), at.block.value(), at.page.value())) return {};
  if ((s.detail(b, s.word_line(at.page.value())).flags & WordLineDetail::kTorn) != 0) return {};
  return {s.store.token(b.extent, at.page.value(), at.sector), s.store.lpn(b.extent, at.page.value(), at.sector)};
}

bool Die::programmed(PlaneId plane, BlockId block, PageId page) const {
  state_->check(plane, block, page);
  const Block& b = state_->at(plane.value(), block.value());
  if (state_->extra(b).torn) return true;
  if (b.next_page == Block::kUntouched) return state_->filled(plane.value(), block.value(), page.value());
  return state_->written(plane.value(), block.value(), page.value());
}

bool Die::readable(PlaneId plane, BlockId block, PageId page) const {
  state_->check(plane, block, page);
  const Block& b = state_->at(plane.value(), block.value());
  if (state_->extra(b).torn) return false;
  return (state_->detail(b, state_->word_line(page.value())).flags & WordLineDetail::kTorn) == 0;
}

BlockHealth Die::health(PlaneId plane, BlockId block) const {
  state_->check(plane, block, PageId(0));
  if (state_->factory_bad(plane.value(), block.value())) return BlockHealth::kFactoryBad;
  return state_->extra(state_->at(plane.value(), block.value())).failed ? BlockHealth::kGrownBad : BlockHealth::kGood;
}

const Die::Counters& Die::counters() const { return state_->counters; }

std::uint32_t Die::erase_count(PlaneId plane, BlockId block) const {
  state_->check(plane, block, PageId(0));
  return state_->at(plane.value(), block.value()).erases;
}

std::size_t Die::memory_bytes() const {
  const State& s = *state_;
  std::size_t details = s.details.capacity() * sizeof(s.details[0]);
  for (const auto& d : s.details) details += d.capacity() * sizeof(d[0]);
  details += s.extras.capacity() * sizeof(BlockExtra) + s.written_s.capacity() * sizeof(s.written_s[0]);
  details += s.next_layer.capacity() * sizeof(s.next_layer[0]);
  return sizeof(State) + s.blocks.capacity() * sizeof(Block) + details + s.store.memory_bytes();
}

}  // namespace wordline::nand
