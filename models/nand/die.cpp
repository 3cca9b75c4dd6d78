// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/die.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "models/nand/array_geometry.h"
#include "models/nand/block_faults.h"
#include "models/nand/block_table.h"
#include "models/nand/device.h"
#include "models/nand/page_errors.h"
#include "models/nand/page_store.h"

namespace wordline::nand {
namespace {

constexpr double kMostSeconds = 4'000'000'000;  // 127 years

}  // namespace

/// The parts of a die, and what takes more than one of them.
struct Die::State {
  State(std::shared_ptr<const Device> made, const config::Nand& nand, const config::Layout& layout, DieId id,
        std::uint64_t run_seed, Fill content)
      : geometry(nand, layout, id),
        acceleration(nand.aging.acceleration),
        further_planes(nand.energy.further_planes),
        fill(std::move(content)),
        device(std::move(made)),
        plans(device->plans),
        rates(*device->rates),
        blocks(geometry, nand.aging.page_age),
        store(layout.pages_per_block, layout.lpages_per_page),
        small_store(layout.small.pages, layout.small.lpages_per_page),
        faults(geometry, blocks, nand.faults, device->cells.pe_configured(), run_seed),
        errors(geometry, blocks, *device, faults, fill, run_seed) {}

  /// Whether the fill has put something there.
  [[nodiscard]] bool filled(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  [[nodiscard]] bool in_cells(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  /// Whether a program unit may be programmed at `page`: the next one in order, never over what the fill put there.
  [[nodiscard]] bool accepts(std::uint32_t plane, std::uint32_t block, std::uint32_t page, ProgramPass pass,
                             const StoredLpage* lpages, std::uint32_t mask, bool lost_rest) const;
  /// Whether the block may be programmed in SLC mode, or otherwise: as its first page was.
  [[nodiscard]] bool accepts_mode(std::uint32_t plane, std::uint32_t block, bool slc) const {
    const Block& b = blocks.at(plane, block);
    return blocks.extra(b).slc_mode == slc || (slc && (b.untouched() || b.next_page == 0));
  }
  /// Adds to the energy of all operations and to energy and time of one kind. `energy`: of one plane of them.
  void charge(std::uint32_t mask, Picojoules energy, Picojoules& of_kind, Picoseconds took, ArrayTime& time) {
    energy = energy * energy_of_planes(mask, further_planes);
    counters.energy += energy;
    of_kind += energy;
    time.time += took;
    time.by_plane += took * __builtin_popcount(mask);
  }
  void count_reads(std::uint32_t mask, const BlockByPlane& by_plane, std::uint32_t page) {
    const std::uint32_t word_line = geometry.word_line(page);
    geometry.for_planes(mask,
                        [&](std::uint32_t plane) { blocks.at(plane, by_plane[plane].value()).count_read(word_line); });
  }
  void check(std::uint32_t mask, const BlockByPlane& by_plane, PageId page) const {
    geometry.check_mask(mask, by_plane[mask == 0 ? 0 : first_plane(mask)], page);
    geometry.for_planes(mask, [&](std::uint32_t plane) {
      geometry.check(PlaneId(static_cast<std::uint8_t>(plane)), by_plane[plane], page);
    });
  }
  /// A program or an erase takes one time in all its planes.
  void check_one_kind(std::uint32_t mask, const BlockByPlane& by_plane, PageId page) const {
    check(mask, by_plane, page);
    const std::uint32_t first = by_plane[first_plane(mask)].value();
    geometry.for_planes(mask, [&](std::uint32_t plane) {
      const std::uint32_t block = by_plane[plane].value();
      if (geometry.kinds.is_small(block) == geometry.kinds.is_small(first)) return;
      geometry.reject(fmt::format("another page size than block {} of the same operation", first), plane, block,
                      page.value());
    });
  }
  static std::size_t first_plane(std::uint32_t mask) { return static_cast<std::size_t>(__builtin_ctz(mask)); }
  /// The plan of a read is that of its page number, whatever the blocks. Checks the addresses.
  Plan plan_read(std::uint32_t mask, const BlockByPlane& by_plane, PageId page,
                 const ReadParameters& parameters) const {
    check(mask, by_plane, page);
    const unsigned type = plans.page_type(page.value());
    const unsigned layer = geometry.layer(page.value());
    if (parameters.slc_mode) return slc_mode(first_of(by_plane, mask), page).plan_read(layer, parameters);
    return parameters == ReadParameters{} ? plans.read(type, layer) : plans.read(type, layer, parameters);
  }
  static std::uint32_t first_of(const BlockByPlane& by_plane, std::uint32_t mask) {
    return by_plane[first_plane(mask)].value();
  }
  /// SLC mode, for an operation on `page`.
  [[nodiscard]] const SlcMode& slc_mode(std::uint32_t block, PageId page) const {
    if (device->slc_mode == nullptr)
      geometry.reject("SLC mode, which this device does not have", 0, block, page.value());
    if (plans.page_type(page.value()) != 0)
      geometry.reject("SLC mode of a page that is not the first of its word line", 0, block, page.value());
    return *device->slc_mode;
  }
  /// Pages that a program with these parameters writes.
  [[nodiscard]] std::uint32_t pages_of(const ProgramParameters& parameters) const {
    return parameters.slc_mode ? 1 : geometry.pages_per_program;
  }
  /// Where the block's content is.
  [[nodiscard]] PageStore& store_of(std::uint32_t block) {
    return geometry.kinds.is_small(block) ? small_store : store;
  }
  [[nodiscard]] const PageStore& store_of(std::uint32_t block) const {
    return geometry.kinds.is_small(block) ? small_store : store;
  }
  /// The plans of programs and erases: reads of all blocks are alike.
  [[nodiscard]] const ArrayPlans& plans_of(std::uint32_t block) const {
    return geometry.kinds.is_small(block) ? *device->small_plans : plans;
  }
  /// P/E cycles of a block in the first plane, for times that follow them: the planes of an operation take one.
  [[nodiscard]] double cycles(std::uint32_t block) const {
    return device->cells.pe_configured() + blocks.at(0, block).erases;
  }
  void release(std::uint32_t plane, std::uint32_t block, data::TokenPool* pool) {
    const Block& b = blocks.at(plane, block);
    if (b.extent == PageStore::kNone) return;
    if (pool != nullptr) store_of(block).each_metadata(b.extent, [pool](data::LpageToken token) { pool->drop(token); });
    store_of(block).release(b.extent);
  }

  ArrayGeometry geometry;
  double acceleration;    // config::NandAging
  double further_planes;  // config::NandEnergy
  Fill fill;
  const std::shared_ptr<const Device> device;
  const ArrayPlans& plans;  // of it
  ProgramRates& rates;
  BlockTable blocks;
  PageStore store, small_store;
  BlockFaults faults;
  PageErrors errors;
  Counters counters;
  std::uint32_t failed_planes = 0;
};

bool Die::State::filled(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  if (!fill) return false;
  for (std::uint32_t s = 0; s < geometry.lpages_per_page(block); ++s) {
    const StoredLpage stored =
        fill(geometry.die, {PlaneId(static_cast<std::uint8_t>(plane)), BlockId(block), PageId(page), s});
    if (!(stored == StoredLpage{})) return true;
  }
  return false;
}

bool Die::State::accepts(std::uint32_t plane, std::uint32_t block, std::uint32_t page, ProgramPass pass,
                         const StoredLpage* lpages, std::uint32_t mask, bool lost_rest) const {
  const Block& b = blocks.at(plane, block);
  if (blocks.extra(b).torn) return false;
  if (pass != ProgramPass::kFine) {
    if (b.untouched() && filled(plane, block, page)) return false;
    return blocks.next_in_order(plane, block, page) || (lost_rest && blocks.next_word_line(plane, block, page));
  }
  if (!blocks.written(plane, block, page)) return false;
  if (!blocks.detail(b, geometry.word_line(page)).coarse()) return false;
  const PageStore& content = store_of(block);
  const std::uint32_t per_page = geometry.lpages_per_page(block);
  for (std::uint32_t p = 0; p < geometry.pages_per_program; ++p) {
    bool same = true;
    geometry.for_planes(mask, [&](std::uint32_t other) {
      for (std::uint32_t i = 0; i < per_page; ++i, ++lpages) {
        if (other != plane) continue;
        same = same && content.read(b.extent, page + p, i) == *lpages;
      }
    });
    if (!same) return false;
  }
  return true;
}

Die::Die(std::shared_ptr<const Device> device, const config::Nand& nand, const config::Layout& layout, DieId id,
         std::uint64_t seed, Fill fill)
    : state_(std::make_unique<State>(std::move(device), nand, layout, id, seed, std::move(fill))) {}
Die::Die(const config::Nand& nand, const config::Layout& layout, DieId id, std::uint64_t seed, Fill fill,
         const RegionAges& ages)
    : Die(std::make_shared<const Device>(nand, layout, ages), nand, layout, id, seed, std::move(fill)) {}
Die::~Die() = default;

void Die::start_with_erases(PlaneId plane, BlockId block, std::uint32_t erases) {
  state_->geometry.check(plane, block, PageId(0));
  state_->blocks.at(plane.value(), block.value()).erases = std::min(erases, 0x7fffffffU) & 0x7fffffffU;
}

void Die::start_open(PlaneId plane, BlockId block, std::uint32_t pages) {
  State& s = *state_;
  if (pages == 0 || !s.fill) return;
  s.geometry.check(plane, block, PageId(pages - 1));
  Block& b = s.blocks.at(plane.value(), block.value());
  PageStore& store = s.store_of(block.value());
  b.extent = store.acquire();
  for (std::uint32_t page = 0; page < pages; ++page) {
    for (std::uint32_t i = 0; i < s.geometry.lpages_per_page(block.value()); ++i) {
      store.write(b.extent, page, i, s.fill(s.geometry.die, {plane, block, PageId(page), i}));
    }
  }
  for (std::uint32_t page = 0; page < pages; page += s.geometry.pages_per_program) {
    s.blocks.use_up(plane.value(), block.value(), page);
  }
}

void Die::start_as(PlaneId plane, BlockId block, const BlockImage& image) {
  State& s = *state_;
  s.geometry.check(plane, block, PageId(0));
  const std::uint32_t p = plane.value(), number = block.value();
  Block& b = s.blocks.at(p, number);
  b.erases = image.erases & 0x7fffffffU;
  b.next_page = 0;
  if (image.failed) s.blocks.fail(b);
  if (image.dead) s.faults.fail_all();
  if (image.half_erased) s.blocks.tear_all(b);
  if (image.half_erased || image.pages == 0) return;
  s.geometry.check(plane, block, PageId(image.pages - 1));
  PageStore& store = s.store_of(number);
  const std::uint32_t per_page = s.geometry.kinds.large().lpages_per_page;
  b.extent = store.acquire();
  for (std::uint32_t page = 0; page < image.pages; ++page) {
    for (std::uint32_t i = 0; i < s.geometry.lpages_per_page(number) && !image.blank.at(page); ++i)
      store.write(b.extent, page, i, image.lpages.at(std::size_t{page} * per_page + i));
  }
  for (std::uint32_t page = 0; page < image.pages; page += s.geometry.pages_per_program) {
    if (image.blank.at(page)) continue;
    if (image.torn.at(page))
      s.blocks.tear(p, number, page);
    else
      s.blocks.use_up(p, number, page);
  }
}

BlockImage Die::image(PlaneId plane, BlockId block) const {
  const State& s = *state_;
  const Block& b = s.blocks.at(plane.value(), block.value());
  BlockImage image;
  image.erases = b.erases;
  image.half_erased = s.blocks.extra(b).torn;
  image.failed = s.blocks.extra(b).failed;
  image.dead = s.faults.all_failed();
  if (image.half_erased || (b.untouched() && !s.fill)) return image;
  for (std::uint32_t page = 0; page < s.geometry.kinds.of(block.value()).pages; ++page) {
    if (s.in_cells(plane.value(), block.value(), page)) image.pages = page + 1;
  }
  const std::uint32_t unit = s.geometry.pages_per_program;
  image.pages = (image.pages + unit - 1) / unit * unit; /* a fill may end within a program */
  for (std::uint32_t page = 0; page < image.pages; ++page) {
    image.torn.push_back(!readable(plane, block, PageId(page)));
    image.blank.push_back(!s.in_cells(plane.value(), block.value(), page / unit * unit));
    const std::uint32_t held = s.geometry.lpages_per_page(block.value());
    for (std::uint32_t i = 0; i < s.geometry.kinds.large().lpages_per_page; ++i)
      image.lpages.push_back(i < held ? lpage({plane, block, PageId(page), i}) : StoredLpage());
  }
  return image;
}

void Die::set_time(Picoseconds now, bool fails) {
  if (fails) {
    state_->faults.fail_all();
    state_->errors.forget_rate();
  }
  constexpr std::int64_t kSecond = 1'000'000'000'000;
  const double aged = std::floor(static_cast<double>(now.count()) / kSecond * state_->acceleration);
  const auto seconds = state_->acceleration > 1 ? static_cast<std::uint32_t>(std::min(aged, kMostSeconds))
                                                : static_cast<std::uint32_t>(now.count() / kSecond);
  if (state_->blocks.set_now(seconds)) state_->errors.forget_rate();  // data have aged
}

// ---- plans ---------------------------------------------------------------------------------------------------------

Plan Die::plan_read(BlockId block, PageId page, const ReadParameters& parameters) const {
  return state_->plan_read(1, block, page, parameters);
}

Plan Die::plan_program(BlockId block, PageId page, const ProgramParameters& parameters) const {
  state_->geometry.check_unit(block, page);
  const ArrayPlans& plans = state_->plans_of(block.value());
  const unsigned type = plans.page_type(page.value());
  const unsigned layer = state_->geometry.layer(page.value());
  const Plan plan = parameters.slc_mode                 ? state_->slc_mode(block.value(), page).plan_program(layer)
                    : parameters == ProgramParameters{} ? plans.program(type, layer)
                                                        : plans.program(type, layer, parameters);
  return plans.follows_wear() ? plans.worn_program(plan, state_->cycles(block.value())) : plan;
}

Plan Die::plan_erase(BlockId block) const {
  state_->geometry.check(PlaneId(0), block, PageId(0));
  const ArrayPlans& plans = state_->plans_of(block.value());
  return plans.follows_wear() ? plans.worn_erase(state_->cycles(block.value())) : plans.erase();
}

// ---- commits -------------------------------------------------------------------------------------------------------

void Die::commit_read(std::uint32_t plane_mask, const BlockByPlane& blocks, PageId page,
                      const ReadParameters& parameters) {
  State& s = *state_;
  const Plan plan = s.plan_read(plane_mask, blocks, page, parameters);
  s.count_reads(plane_mask, blocks, page.value());
  ++s.counters.page_reads;
  s.charge(plane_mask, plan.energy(), s.counters.read_energy, plan.total(), s.counters.read_time);
}

OperationStatus Die::commit_program(std::uint32_t plane_mask, const BlockByPlane& blocks, PageId page,
                                    const StoredLpage* lpages, const ProgramParameters& parameters) {
  State& s = *state_;
  s.check_one_kind(plane_mask, blocks, page);
  const BlockId first = blocks[State::first_plane(plane_mask)];
  const Plan plan = plan_program(first, page, parameters);
  s.charge(plane_mask, plan.energy(), s.counters.program_energy, plan.total(), s.counters.program_time);
  ++s.counters.programs;

  bool lost_rest = false;
  s.geometry.for_planes(plane_mask, [&](std::uint32_t plane) {
    lost_rest = lost_rest || s.blocks.ends_torn(plane, blocks[plane].value());
  });
  bool accepted = true;
  s.geometry.for_planes(plane_mask, [&](std::uint32_t plane) {
    accepted = accepted && s.accepts_mode(plane, blocks[plane].value(), parameters.slc_mode) &&
               s.accepts(plane, blocks[plane].value(), page.value(), parameters.pass, lpages, plane_mask, lost_rest);
  });
  if (!accepted) return OperationStatus::kRefused;

  std::uint32_t failed = 0;  // planes
  s.geometry.for_planes(plane_mask, [&](std::uint32_t plane) {
    if (s.faults.program_fails(plane, blocks[plane].value(), page.value())) failed |= 1U << plane;
  });
  s.failed_planes = failed;
  const ProgramRates::Set set = parameters.slc_mode ? ProgramRates::kDefault : s.rates.number(parameters);
  const std::uint32_t word_line = s.geometry.word_line(page.value());
  PageStore& store = s.store_of(first.value());
  const std::uint32_t per_page = s.geometry.lpages_per_page(first.value());
  for (std::uint32_t p = 0; p < s.pages_of(parameters); ++p) {
    s.geometry.for_planes(plane_mask, [&](std::uint32_t plane) {
      Block& b = s.blocks.at(plane, blocks[plane].value());
      if ((failed >> plane & 1U) != 0) {
        lpages += per_page;
        return;
      }
      if (b.extent == PageStore::kNone) b.extent = store.acquire();
      for (std::uint32_t i = 0; i < per_page; ++i, ++lpages) {
        store.write(b.extent, page.value() + p, i, *lpages);
      }
      s.counters.lpages_programmed += per_page;
    });
  }
  s.geometry.for_planes(plane_mask, [&](std::uint32_t plane) {
    Block& b = s.blocks.at(plane, blocks[plane].value());
    if ((failed >> plane & 1U) != 0) {
      if (parameters.slc_mode) s.blocks.use_slc_mode(b);
      s.blocks.fail(b);
      s.blocks.tear(plane, blocks[plane].value(), page.value());
      return;
    }
    s.blocks.use_up(plane, blocks[plane].value(), page.value());
    if (parameters.slc_mode) s.blocks.use_slc_mode(b);
    if (set == ProgramRates::kDefault && s.blocks.extra(b).detail == BlockExtra::kNoDetail) return;
    WordLineDetail& detail = s.blocks.detail_for_change(b, word_line);
    detail.set = set;
    detail.flags = static_cast<std::uint8_t>(detail.flags & ~WordLineDetail::kCoarse);
    if (parameters.pass == ProgramPass::kCoarse) detail.flags |= WordLineDetail::kCoarse;
  });
  s.errors.forget_rate();
  if (failed == 0) return OperationStatus::kOk;
  ++s.counters.failures;
  return OperationStatus::kFail;
}

OperationStatus Die::commit_erase(std::uint32_t plane_mask, const BlockByPlane& blocks) {
  State& s = *state_;
  s.check_one_kind(plane_mask, blocks, PageId(0));
  const Plan plan = plan_erase(blocks[State::first_plane(plane_mask)]);
  std::uint32_t failed = 0;  // planes
  s.geometry.for_planes(plane_mask, [&](std::uint32_t plane) {
    const std::uint32_t block = blocks[plane].value();
    const bool fails = s.faults.erase_fails(plane, block);
    s.release(plane, block, metadata);
    s.blocks.erase(plane, block, fails);
    if (fails) failed |= 1U << plane;
  });
  s.failed_planes = failed;
  s.errors.forget_rate();
  ++s.counters.erases;
  s.charge(plane_mask, plan.energy(), s.counters.erase_energy, plan.total(), s.counters.erase_time);
  if (failed == 0) return OperationStatus::kOk;
  ++s.counters.failures;
  return OperationStatus::kFail;
}

std::uint32_t Die::failed_planes() const { return state_->failed_planes; }

// ---- interrupted operations ----------------------------------------------------------------------------------------

void Die::interrupt_program(std::uint32_t plane_mask, const BlockByPlane& blocks, PageId page, Picoseconds elapsed,
                            const ProgramParameters& parameters) {
  State& s = *state_;
  s.check_one_kind(plane_mask, blocks, page);
  const BlockId first = blocks[State::first_plane(plane_mask)];
  const Plan plan = plan_program(first, page, parameters);
  if (elapsed <= Picoseconds{}) return;
  if (elapsed >= plan.total()) s.geometry.reject("interrupted after its end", 0, first.value(), page.value());
  ++s.counters.interrupted;
  s.charge(plane_mask, plan.energy_until(elapsed), s.counters.program_energy, std::min(elapsed, plan.total()),
           s.counters.program_time);
  s.errors.forget_rate();
  s.geometry.for_planes(plane_mask, [&](std::uint32_t plane) {
    const std::uint32_t block = blocks[plane].value();
    Block& b = s.blocks.at(plane, block);
    // A fill that is overwritten loses the block: which of its word lines are hit is not kept.
    if (b.untouched() && s.filled(plane, block, page.value())) {
      s.blocks.tear_all(b);
      b.next_page = 0;
      return;
    }
    if (parameters.slc_mode) s.blocks.use_slc_mode(b);
    s.blocks.tear(plane, block, page.value());
  });
}

void Die::interrupt_erase(std::uint32_t plane_mask, const BlockByPlane& blocks, Picoseconds elapsed) {
  State& s = *state_;
  s.check_one_kind(plane_mask, blocks, PageId(0));
  const BlockId first = blocks[State::first_plane(plane_mask)];
  const Plan plan = plan_erase(first);
  if (elapsed <= Picoseconds{}) return;
  if (elapsed >= plan.total()) s.geometry.reject("erase interrupted after its end", 0, first.value(), 0);
  ++s.counters.interrupted;
  s.charge(plane_mask, plan.energy_until(elapsed), s.counters.erase_energy, std::min(elapsed, plan.total()),
           s.counters.erase_time);
  s.errors.forget_rate();
  s.geometry.for_planes(plane_mask, [&](std::uint32_t plane) {
    s.release(plane, blocks[plane].value(), metadata);
    s.blocks.interrupt_erase(plane, blocks[plane].value());
  });
}

void Die::interrupt_read(std::uint32_t plane_mask, const BlockByPlane& blocks, PageId page, Picoseconds elapsed,
                         const ReadParameters& parameters) {
  State& s = *state_;
  const Plan plan = s.plan_read(plane_mask, blocks, page, parameters);
  if (elapsed <= Picoseconds{}) return;
  s.count_reads(plane_mask, blocks, page.value());
  ++s.counters.interrupted;
  s.charge(plane_mask, plan.energy_until(elapsed), s.counters.read_energy, std::min(elapsed, plan.total()),
           s.counters.read_time);
}

// ---- what is in the array ------------------------------------------------------------------------------------------

void Die::lpages(const LpageAddress& first, std::uint32_t count, StoredLpage* stored) const {
  if (count == 0) return;
  const State& s = *state_;
  LpageAddress at = first;
  s.geometry.check(at);
  at.lpage += count - 1;
  s.geometry.check(at);
  at.lpage = first.lpage;
  const auto each = [&](auto&& content) {
    for (StoredLpage* next = stored; next != stored + count; ++next, ++at.lpage) *next = content();
  };
  const auto nothing = [] { return StoredLpage{}; };
  const Block& b = s.blocks.at(at.plane.value(), at.block.value());
  if (s.blocks.extra(b).torn) return each(nothing);
  if (b.untouched()) {
    if (!s.fill) return each(nothing);
    return each([&] { return s.fill(s.geometry.die, at); });
  }
  if (!s.blocks.written(at.plane.value(), at.block.value(), at.page.value())) return each(nothing);
  if (s.blocks.detail(b, s.geometry.word_line(at.page.value())).torn()) return each(nothing);
  if (s.blocks.extra(b).slc_mode && s.plans.page_type(at.page.value()) != 0) return each(nothing);
  const PageStore& store = s.store_of(at.block.value());
  each([&] { return store.read(b.extent, at.page.value(), at.lpage); });
}

bool Die::in_slc_mode(PlaneId plane, BlockId block) const {
  state_->geometry.check(plane, block, PageId(0));
  return state_->blocks.extra(state_->blocks.at(plane.value(), block.value())).slc_mode;
}

/// Whether a page has been programmed, though the die as a whole may have failed since.
bool Die::State::in_cells(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  const Block& b = blocks.at(plane, block);
  if (blocks.extra(b).torn) return true;
  if (b.untouched()) return filled(plane, block, page);
  if (blocks.extra(b).slc_mode && plans.page_type(page) != 0) return false;
  return blocks.written(plane, block, page);
}

bool Die::programmed(PlaneId plane, BlockId block, PageId page) const {
  state_->geometry.check(plane, block, page);
  return state_->faults.all_failed() || state_->in_cells(plane.value(), block.value(), page.value());
}

bool Die::readable(PlaneId plane, BlockId block, PageId page) const {
  state_->geometry.check(plane, block, page);
  return state_->errors.readable(plane.value(), block.value(), page.value());
}

BlockHealth Die::health(PlaneId plane, BlockId block) const {
  state_->geometry.check(plane, block, PageId(0));
  if (state_->faults.factory_bad(plane.value(), block.value())) return BlockHealth::kFactoryBad;
  return state_->blocks.extra(state_->blocks.at(plane.value(), block.value())).failed ? BlockHealth::kGrownBad
                                                                                      : BlockHealth::kGood;
}

const Die::Counters& Die::counters() const { return state_->counters; }

std::uint32_t Die::erase_count(PlaneId plane, BlockId block) const {
  state_->geometry.check(plane, block, PageId(0));
  return state_->blocks.at(plane.value(), block.value()).erases;
}

std::size_t Die::memory_bytes() const {
  return sizeof(State) + state_->blocks.memory_bytes() + state_->store.memory_bytes() +
         state_->small_store.memory_bytes();
}

// ---- raw bit errors ------------------------------------------------------------------------------------------------

namespace {

ReadParameters at_step(unsigned step) {
  ReadParameters parameters;
  parameters.step = static_cast<std::uint8_t>(std::min(step, 255U));
  return parameters;
}

}  // namespace

unsigned Die::layer(PageId page) const { return state_->geometry.layer(page.value()); }

double Die::rber(PlaneId plane, BlockId block, PageId page, const ReadParameters& parameters) const {
  state_->geometry.check(plane, block, page);
  return state_->errors.rate(plane, block, page, parameters);
}

double Die::rber(PlaneId plane, BlockId block, PageId page, unsigned step) const {
  return rber(plane, block, page, at_step(step));
}

unsigned Die::bit_errors(PlaneId plane, BlockId block, PageId page, unsigned codeword, unsigned bits,
                         const ReadParameters& parameters) const {
  unsigned errors = 0;
  bit_errors(plane, block, page, {codeword, 1, bits}, parameters, &errors);
  return errors;
}

void Die::bit_errors(PlaneId plane, BlockId block, PageId page, const Codewords& codewords,
                     const ReadParameters& parameters, unsigned* errors) const {
  state_->geometry.check(plane, block, page);
  state_->errors.bit_errors(plane, block, page, codewords, parameters, errors);
}

unsigned Die::bit_errors(PlaneId plane, BlockId block, PageId page, unsigned codeword, unsigned bits,
                         unsigned step) const {
  return bit_errors(plane, block, page, codeword, bits, at_step(step));
}

SoftChannel Die::soft_channel(PlaneId plane, BlockId block, PageId page, const ReadParameters& parameters) const {
  state_->geometry.check(plane, block, page);
  return state_->errors.soft_channel(plane, block, page, parameters);
}

ProgramReport together(const ProgramReport& a, const ProgramReport& b) {
  ProgramReport both = a;
  for (unsigned s = 1; s <= a.windows.states; ++s) {
    both.windows.min[s] = std::min(a.windows.min[s], b.windows.min[s]);
    both.windows.max[s] = std::max(a.windows.max[s], b.windows.max[s]);
  }
  both.ber_ep1 = std::max(a.ber_ep1, b.ber_ep1);
  return both;
}

ProgramReport Die::program_report(PlaneId plane, BlockId block, PageId page) const {
  if (!programmed(plane, block, page) || !readable(plane, block, page)) {
    state_->geometry.reject("a report of a word line that is not programmed", plane.value(), block.value(),
                            page.value());
  }
  return state_->errors.program_report(plane, block, page);
}

}  // namespace wordline::nand
